"""The words and sentences that the Present tab shows, written for this project.

They are candidates: which are shown is chosen with the bundled model, the stories it reads rightly, the failures it does not
(:mod:`elmo_tasks.ui.chosen`). What the page says about them comes from the answer and never from here.
"""

from __future__ import annotations

from dataclasses import dataclass

from elmo_tasks.ui.chosen import chosen, failures
from elmo_tasks.ui.examples import CANDIDATES


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


#: Static vectors shown side by side.
STATIC_WORDS = ("bank", "plant", "mouse")

STORY_CANDIDATES: tuple[Story, ...] = (
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

# Any comparison of one word that is known to be read rightly will do as a story.
STORY_CANDIDATES += tuple(
    Story(example.word, example.sentences, example.senses)
    for example in CANDIDATES
    if example.senses and example.word not in {story.word for story in STORY_CANDIDATES}
)
STORIES = chosen("stories", STORY_CANDIDATES, lambda story: story.word)
FAILURES = tuple(Story(found["word"], tuple(found["sentences"]), tuple(found["meant"])) for found in failures())
