"""Answers in plain words, and the JSON of results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """An answer in plain words."""

    headline: str  #: the answer itself, one sentence
    reasons: str = ""  #: consequences or evidence; may be empty
    numbers: str = ""  #: technical details that a page shows on request; may be empty

    def __str__(self) -> str:
        return " ".join(filter(None, (self.headline, self.reasons, self.numbers)))


@dataclass(frozen=True)
class Result:
    """Result of an endpoint."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        return asdict(self)

    def _with_said(self, name: str, said: Said) -> dict[str, Any]:
        """Return the fields with ``said`` replaced by its full text and its headline."""
        kept = {key: value for key, value in asdict(self).items() if key != "said"}
        return {**kept, name: str(said), "headline": said.headline}


class Verdict(Result):
    """Mixin for a result whose JSON names its answer ``verdict``."""

    said: Said

    @property
    def verdict(self) -> str:
        """Full answer in a few sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        return self._with_said("verdict", self.said)


class Answer(Result):
    """Mixin for a result whose JSON names its answer ``answer``."""

    said: Said

    @property
    def answer(self) -> str:
        """Full answer in a few sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        return self._with_said("answer", self.said)
