"""Example texts for the Try tab, one per line, written for this project."""

from __future__ import annotations

from dataclasses import dataclass

from elmo_tasks.ui.examples import chosen


@dataclass(frozen=True)
class TryExample:
    """Text that runs on click."""

    title: str
    task: str  # ``"sentiment"``, ``"entities"`` or ``"all"``
    lines: tuple[str, ...]
    sentiment: tuple[str, ...] = ()  # of each ``"positive"``, ``"negative"`` or ``"neither"``
    entities: tuple[tuple[str, ...], ...] = ()  # types of the entities in each, in order


def _sentiment(title: str, *texts: tuple[str, str]) -> TryExample:
    lines, labels = zip(*texts, strict=True)
    return TryExample(title, "sentiment", lines, sentiment=labels)


def _entities(title: str, *texts: tuple[str, str]) -> TryExample:
    lines, types = zip(*texts, strict=True)
    return TryExample(title, "entities", lines, entities=tuple(tuple(found.split()) for found in types))


CANDIDATES: tuple[TryExample, ...] = (
    TryExample(
        "Sentiment and entities",
        "all",
        (
            "Maria Lindholm is superb in this warm and funny film from Norway.",
            "Iberia Rail lost our bags in Lisbon, and the food was awful.",
        ),
        ("positive", "negative"),
        (("PER", "LOC"), ("ORG", "LOC")),
    ),
    _sentiment(
        "Not bad",
        ("The food was good and the waiter was kind.", "positive"),
        ("The food was not good and the waiter was never kind.", "negative"),
    ),
    _sentiment(
        "Mixed feelings",
        ("The songs are lovely, but the story is dull and far too long.", "neither"),
        ("I expected to be bored, and then I laughed until the last minute.", "positive"),
    ),
    _sentiment(
        "A hotel review",
        ("The room was clean and the view over the harbour was wonderful.", "positive"),
        ("Nobody answered the phone, and breakfast was cold.", "negative"),
        ("It is a hotel by a station.", "neither"),
    ),
    _entities(
        "Jordan",
        ("Jordan scored twice before half-time and thanked his coach.", "PER"),
        ("The bus crossed the border into Jordan at night.", "LOC"),
    ),
    _entities(
        "Washington",
        ("Washington wrote to his wife on the evening before the battle.", "PER"),
        ("The ministers flew to Washington for two days of talks.", "LOC"),
    ),
    _entities(
        "Wellington",
        ("Wellington wrote that his men were tired.", "PER"),
        ("The minister flew to Wellington on Monday.", "LOC"),
    ),
    _entities("Lancaster", ("Lancaster scored with his head.", "PER"), ("The train stops in Lancaster.", "LOC")),
    _entities(
        "Paris",
        ("Paris said that she would open a second shop in spring.", "PER"),
        ("It rained in Paris on the day of the parade.", "LOC"),
    ),
    _entities(
        "In the news",
        ("Maria Lindholm left Nordbank on Monday to lead a charity in Nairobi.", "PER ORG LOC"),
        ("The Kenyan runner beat Tom Abara of Ghana in the rain at Oslo.", "MISC PER LOC LOC"),
    ),
    _entities(
        "At the clinic",
        ("The patient took ibuprofen for her arthritis and stopped the aspirin.", "Chemical Disease Chemical"),
        (
            "Metformin is given early in diabetes, and kidney failure is a reason not to use it.",
            "Chemical Disease Disease",
        ),
    ),
    _sentiment(
        "Never dull",
        ("The film is warm, clever and never dull.", "positive"),
        ("The film is cold, empty and never funny.", "negative"),
    ),
    _sentiment(
        "Worth it",
        ("It was worth every minute of the evening.", "positive"),
        ("It was not worth a minute of the evening.", "negative"),
    ),
    _sentiment(
        "No charm", ("The story has a quiet charm.", "positive"), ("The story has no charm at all.", "negative")
    ),
    _sentiment(
        "To life", ("She brings the role to life.", "positive"), ("She fails to bring the role to life.", "negative")
    ),
    _sentiment(
        "Nobody enjoyed it",
        ("Everybody enjoyed the show from start to end.", "positive"),
        ("Nobody enjoyed the show, and it had no end.", "negative"),
    ),
    _sentiment(
        "Could have been",
        ("It could not have been better.", "positive"),
        ("It could have been a good film, and is not.", "negative"),
    ),
    _sentiment(
        "Neither",
        ("The meeting is on Tuesday.", "neither"),
        ("There are two chairs and a table in the room.", "neither"),
    ),
    _entities(
        "Chelsea", ("Chelsea won the cup after extra time.", "ORG"), ("She rents a small flat in Chelsea.", "LOC")
    ),
    _entities(
        "Ford",
        ("Ford will close its factory in Ghent next year.", "ORG LOC"),
        ("Ford told reporters that he was tired.", "PER"),
    ),
    _entities(
        "Lincoln",
        ("Lincoln read the letter twice and answered it himself.", "PER"),
        ("The train to Lincoln was late again.", "LOC"),
    ),
)

#: What the form offers; the first is what it opens with.
TRY_EXAMPLES = chosen("try", CANDIDATES, lambda example: example.title)
