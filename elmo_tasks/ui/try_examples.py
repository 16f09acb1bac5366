"""Texts to try the models on, written for this project; a line is a text."""

from __future__ import annotations

from dataclasses import dataclass

from elmo_tasks.ui.chosen import chosen


@dataclass(frozen=True)
class TryExample:
    """A text that runs on click.

    Attributes:
        title: what the button says.
        task: what to look for in it: ``"feeling"``, ``"names"`` or ``"both"``.
        lines: the texts.
        feeling: what is to be said of each: ``"positive"``, ``"negative"`` or ``"neither"``.
        names: the types of the names that are to be found in each, in order.
    """

    title: str
    task: str
    lines: tuple[str, ...]
    feeling: tuple[str, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()


CANDIDATES: tuple[TryExample, ...] = (
    TryExample(
        "Feeling and names",
        "both",
        (
            "Maria Lindholm is superb in this warm and funny film from Norway.",
            "Iberia Rail lost our bags in Lisbon, and the food was awful.",
        ),
        feeling=("positive", "negative"),
        names=(("PER", "LOC"), ("ORG", "LOC")),
    ),
    TryExample(
        "Not bad",
        "feeling",
        (
            "The food was good and the waiter was kind.",
            "The food was not good and the waiter was never kind.",
        ),
        feeling=("positive", "negative"),
    ),
    TryExample(
        "Mixed feelings",
        "feeling",
        (
            "The songs are lovely, but the story is dull and far too long.",
            "I expected to be bored, and then I laughed until the last minute.",
        ),
        feeling=("neither", "positive"),
    ),
    TryExample(
        "A hotel review",
        "feeling",
        (
            "The room was clean and the view over the harbour was wonderful.",
            "Nobody answered the phone, and breakfast was cold.",
            "It is a hotel by a station.",
        ),
        feeling=("positive", "negative", "neither"),
    ),
    TryExample(
        "Jordan",
        "names",
        (
            "Jordan scored twice before half-time and thanked his coach.",
            "The bus crossed the border into Jordan at night.",
        ),
        names=(("PER",), ("LOC",)),
    ),
    TryExample(
        "Washington",
        "names",
        (
            "Washington wrote to his wife on the evening before the battle.",
            "The ministers flew to Washington for two days of talks.",
        ),
        names=(("PER",), ("LOC",)),
    ),
    TryExample(
        "Wellington",
        "names",
        (
            "Wellington wrote that his men were tired.",
            "The minister flew to Wellington on Monday.",
        ),
        names=(("PER",), ("LOC",)),
    ),
    TryExample(
        "Lancaster",
        "names",
        (
            "Lancaster scored with his head.",
            "The train stops in Lancaster.",
        ),
        names=(("PER",), ("LOC",)),
    ),
    TryExample(
        "Paris",
        "names",
        (
            "Paris said that she would open a second shop in spring.",
            "It rained in Paris on the day of the parade.",
        ),
        names=(("PER",), ("LOC",)),
    ),
    TryExample(
        "In the news",
        "names",
        (
            "Maria Lindholm left Nordbank on Monday to lead a charity in Nairobi.",
            "The Kenyan runner beat Tom Abara of Ghana in the rain at Oslo.",
        ),
        names=(("PER", "ORG", "LOC"), ("MISC", "PER", "LOC", "LOC")),
    ),
    TryExample(
        "At the clinic",
        "names",
        (
            "The patient took ibuprofen for her arthritis and stopped the aspirin.",
            "Metformin is given early in diabetes, and kidney failure is a reason not to use it.",
        ),
        names=(("Chemical", "Disease", "Chemical"), ("Chemical", "Disease", "Disease")),
    ),
    TryExample(
        "Never dull",
        "feeling",
        (
            "The film is warm, clever and never dull.",
            "The film is cold, empty and never funny.",
        ),
        feeling=("positive", "negative"),
    ),
    TryExample(
        "Worth it",
        "feeling",
        (
            "It was worth every minute of the evening.",
            "It was not worth a minute of the evening.",
        ),
        feeling=("positive", "negative"),
    ),
    TryExample(
        "No charm",
        "feeling",
        (
            "The story has a quiet charm.",
            "The story has no charm at all.",
        ),
        feeling=("positive", "negative"),
    ),
    TryExample(
        "To life",
        "feeling",
        (
            "She brings the role to life.",
            "She fails to bring the role to life.",
        ),
        feeling=("positive", "negative"),
    ),
    TryExample(
        "Nobody enjoyed it",
        "feeling",
        (
            "Everybody enjoyed the show from start to end.",
            "Nobody enjoyed the show, and it had no end.",
        ),
        feeling=("positive", "negative"),
    ),
    TryExample(
        "Could have been",
        "feeling",
        (
            "It could not have been better.",
            "It could have been a good film, and is not.",
        ),
        feeling=("positive", "negative"),
    ),
    TryExample(
        "Neither",
        "feeling",
        (
            "The meeting is on Tuesday.",
            "There are two chairs and a table in the room.",
        ),
        feeling=("neither", "neither"),
    ),
    TryExample(
        "Chelsea",
        "names",
        (
            "Chelsea won the cup after extra time.",
            "She rents a small flat in Chelsea.",
        ),
        names=(("ORG",), ("LOC",)),
    ),
    TryExample(
        "Ford",
        "names",
        (
            "Ford will close its factory in Ghent next year.",
            "Ford told reporters that he was tired.",
        ),
        names=(("ORG", "LOC"), ("PER",)),
    ),
    TryExample(
        "Lincoln",
        "names",
        (
            "Lincoln read the letter twice and answered it himself.",
            "The train to Lincoln was late again.",
        ),
        names=(("PER",), ("LOC",)),
    ),
)

#: What the form offers; the first is what it opens with.
TRY_EXAMPLES = chosen("try", CANDIDATES, lambda example: example.title)
