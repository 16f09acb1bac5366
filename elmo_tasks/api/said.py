"""What an answer says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """An answer in plain words."""

    headline: str  #: the answer itself, one sentence
    reasons: str = ""  #: what follows from it, or speaks for it; may be empty
    numbers: str = ""  #: what only those ask who look inside the model, and a page tells there; may be empty

    def __str__(self) -> str:
        return " ".join(filter(None, (self.headline, self.reasons, self.numbers)))

    def within(self, values: Mapping[str, Any], name: str) -> dict[str, Any]:
        """The fields of a result as JSON has them: what is said as a whole, by that name, and its headline."""
        kept = {key: value for key, value in values.items() if key != "said"}
        return {**kept, name: str(self), "headline": self.headline}
