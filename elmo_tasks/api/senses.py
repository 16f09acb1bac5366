"""Meanings of the words of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elmo_tasks.api.compare import Meaning, UseMeaning
from elmo_tasks.api.said import Answer, Said


@dataclass(frozen=True)
class TextWord:
    """A word of a text for which the dictionary lists several meanings."""

    token: str  #: as written in the text
    char_start: int  #: offset of its first character in the text
    char_end: int  #: offset one past its last character
    meanings: tuple[Meaning, ...]  #: all meanings that it may have
    meant: UseMeaning  #: probabilities of these meanings

    @property
    def meaning(self) -> Meaning | None:
        """Most probable meaning; ``None`` for an unlisted one."""
        return None if self.meant.best is None else self.meanings[self.meant.best]


@dataclass(frozen=True)
class TextSenses(Answer):
    """The words of a text whose meanings the dictionary lists."""

    model: str  #: its name
    text: str  #: the normalized text
    words: tuple[TextWord, ...]  #: in the order of the text
    n_tokens: int  #: number of words and punctuation marks in the text
    said: Said

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/senses``, which ``senses`` prints as one line per text."""
        return {
            "model": self.model,
            "text": self.text,
            "headline": self.said.headline,
            "words": [
                {
                    "token": word.token,
                    "start": word.char_start,
                    "end": word.char_end,
                    "word": word.meaning.word if word.meaning else word.meanings[0].word,
                    "meaning": word.meaning.key if word.meaning else None,
                    "part_of_speech": word.meaning.part_of_speech if word.meaning else None,
                    "gloss": word.meaning.gloss if word.meaning else None,
                    "probability": word.meant.probability,
                    "certainty": word.meant.certainty.value,
                }
                for word in self.words
            ],
        }
