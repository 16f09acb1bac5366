"""The words and sentences that the Present tab shows, written for this project.

They were chosen with the bundled model: the stories it reads clearly, the failures it does not. Another model may read them
otherwise, so what the page says about them comes from the answer and never from here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Story:
    """A word in sentences whose senses the audience guesses first.

    Attributes:
        word: the word.
        sentences: its uses, mixed.
        meant: for each sentence the sense that its writer had in mind.
    """

    word: str
    sentences: tuple[str, ...]
    meant: tuple[str, ...]


@dataclass(frozen=True)
class Forming:
    """A sentence that is read word by word.

    Attributes:
        title: what the button says.
        word: the word that is followed.
        senses: the two gallery senses it moves between.
        sentence: the sentence.
    """

    title: str
    word: str
    senses: tuple[str, str]
    sentence: str


#: Static vectors shown side by side.
STATIC_WORDS = ("bank", "plant", "mouse")

STORIES = (
    Story(
        "bank",
        (
            "The bank refused our loan because my salary was too low.",
            "Herons were nesting in the reeds along the muddy bank of the river.",
            "The bank raised its interest rates twice last year.",
            "An old willow stood on the left bank of the river.",
            "Investors lost their savings when the bank collapsed.",
        ),
        ("money", "river", "money", "river", "money"),
    ),
    Story(
        "spring",
        (
            "Flowers bloom in the garden every spring after the snow melts.",
            "The metal spring inside the clock broke.",
            "Birds return from the south in early spring.",
            "A coiled spring pushes the piston back into the cylinder.",
        ),
        ("season", "coil", "season", "coil"),
    ),
    Story(
        "jam",
        (
            "We were stuck in a traffic jam on the motorway.",
            "She spread strawberry jam on her toast.",
            "An accident caused a long jam on the road to the city.",
            "My grandmother makes jam from plums and sugar.",
        ),
        ("traffic", "fruit", "traffic", "fruit"),
    ),
)

FORMINGS = (
    Forming(
        "case of flu",
        "case",
        ("legal", "illness"),
        "The first case of flu was reported at the hospital on Monday.",
    ),
    Forming(
        "case in court",
        "case",
        ("legal", "illness"),
        "The first case before the court was a quarrel about a fence.",
    ),
    Forming(
        "bucket list",
        "bucket",
        ("container", "wishes"),
        "Her bucket list on the fridge gets longer every year.",
    ),
    Forming(
        "bank: hardly moves",
        "bank",
        ("money", "river"),
        "The bank was crowded with herons and reeds along the river.",
    ),
)

FAILURES = (
    Story(
        "match",
        (
            "He struck a match in the dark.",
            "We lost the match in the rain.",
            "The match burned his fingers.",
            "The match was over by noon.",
        ),
        ("fire", "game", "fire", "game"),
    ),
    Story(
        "nail",
        (
            "He hammered a nail into the wall.",
            "She painted every nail red.",
            "A rusty nail held the plank.",
            "She broke a nail while opening the tin.",
        ),
        ("metal", "finger", "metal", "finger"),
    ),
    Story(
        "date",
        (
            "She ate a sweet date after supper.",
            "Write today's date at the top of the page.",
            "He picked a ripe date from the palm.",
            "They agreed on a date for the meeting.",
        ),
        ("fruit", "day", "fruit", "day"),
    ),
)
