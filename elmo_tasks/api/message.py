"""Answers in plain words, and the JSON of results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Message:
    """An answer in plain words."""

    headline: str  #: the answer itself, one sentence
    details: str = ""  #: consequences or evidence; may be empty

    def __str__(self) -> str:
        return " ".join(filter(None, (self.headline, self.details)))


@dataclass(frozen=True)
class Result:
    """Result of an endpoint."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        return asdict(self)


class Answer(Result):
    """Result with an answer in plain words."""

    json_key: ClassVar[str] = "answer"  #: key of the full answer in JSON
    message: Message

    @property
    def answer(self) -> str:
        """Full answer in a few sentences."""
        return str(self.message)

    @property
    def verdict(self) -> str:
        """Full answer, by its name in comparisons and maps."""
        return self.answer

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON: the full answer and its headline take the place of the message."""
        fields = {key: value for key, value in asdict(self).items() if key != "message"}
        return {**fields, self.json_key: self.answer, "headline": self.message.headline}
