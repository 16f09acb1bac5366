"""What an answer says, and what of a result goes out as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """An answer in plain words."""

    headline: str  #: the answer itself, one sentence
    reasons: str = ""  #: what follows from it, or speaks for it; may be empty
    numbers: str = ""  #: what only those ask who look inside the model, and a page tells there; may be empty

    def __str__(self) -> str:
        return " ".join(filter(None, (self.headline, self.reasons, self.numbers)))


@dataclass(frozen=True)
class Result:
    """What an endpoint gives."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    def _with_said(self, name: str, said: Said) -> dict[str, Any]:
        """The fields, and in place of ``said`` what is said as a whole, by that name, and its headline."""
        kept = {key: value for key, value in asdict(self).items() if key != "said"}
        return {**kept, name: str(said), "headline": said.headline}


class Verdict(Result):
    """A result whose answer is called a verdict."""

    said: Said

    @property
    def verdict(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return self._with_said("verdict", self.said)


class Answer(Result):
    """A result whose answer is called just that."""

    said: Said

    @property
    def answer(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return self._with_said("answer", self.said)
