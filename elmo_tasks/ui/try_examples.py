"""Texts to try the models on, written for this project; a line is a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TryExample:
    """A text that runs on click.

    Attributes:
        title: what the button says.
        task: what to look for in it: ``"feeling"``, ``"names"`` or ``"both"``.
        lines: the texts.
    """

    title: str
    task: str
    lines: tuple[str, ...]


TRY_EXAMPLES: tuple[TryExample, ...] = (
    TryExample(
        "Feeling and names",
        "both",
        (
            "Maria Lindholm is superb in this warm and funny film from Norway.",
            "Iberia Rail lost our bags in Lisbon, and the food was awful.",
        ),
    ),
    TryExample(
        "Not bad",
        "feeling",
        (
            "The food was good and the waiter was kind.",
            "The food was not good and the waiter was never kind.",
        ),
    ),
    TryExample(
        "Mixed feelings",
        "feeling",
        (
            "The songs are lovely, but the story is dull and far too long.",
            "I expected to be bored, and then I laughed until the last minute.",
        ),
    ),
    TryExample(
        "A hotel review",
        "feeling",
        (
            "The room was clean and the view over the harbour was wonderful.",
            "Nobody answered the phone, and breakfast was cold.",
            "It is a hotel by a station.",
        ),
    ),
    TryExample(
        "Jordan",
        "names",
        (
            "Jordan scored twice before half-time and thanked his coach.",
            "The bus crossed the border into Jordan at night.",
        ),
    ),
    TryExample(
        "Washington",
        "names",
        (
            "Washington wrote to his wife on the evening before the battle.",
            "The ministers flew to Washington for two days of talks.",
        ),
    ),
    TryExample(
        "Paris",
        "names",
        (
            "Paris said that she would open a second shop in spring.",
            "It rained in Paris on the day of the parade.",
        ),
    ),
    TryExample(
        "In the news",
        "names",
        (
            "Maria Lindholm left Nordbank on Monday to lead a charity in Nairobi.",
            "The Kenyan runner beat Tom Abara of Ghana in the rain at Oslo.",
        ),
    ),
    TryExample(
        "At the clinic",
        "names",
        (
            "The patient took ibuprofen for her arthritis and stopped the aspirin.",
            "Metformin is given early in diabetes, and kidney failure is a reason not to use it.",
        ),
    ),
)
