"""The errors a user may read; each names what was expected, what was found, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """One reading of an ambiguous input, ready to replace it."""

    label: str  #: label of its button, e.g. ``"banks"`` or ``"the 2nd “bank”"``
    sentence: str  #: the sentence with ``[brackets]`` around that word


class ConfigError(ValueError):
    """A setting, option or command-line argument that cannot be used."""


class WeightsError(ValueError):
    """A model file that is missing, broken, or does not fit its options."""


class DataError(ValueError):
    """A data file that does not have the expected format."""


class InputError(ValueError):
    """Something a person typed that cannot be answered.

    Args:
        message: one plain sentence with the remedy.
        field: where it was typed: ``"word"``, ``"sentences"`` (the list as a whole) or ``"sentence
            3"`` (counted from 1).
        choices: ready-made replacements for the field, when the program has a good guess.
    """

    def __init__(self, message: str, *, field: str = "", choices: tuple[Choice, ...] = ()) -> None:
        super().__init__(message)
        self.field = field
        self.choices = choices
