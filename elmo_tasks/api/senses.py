"""Meanings of the words of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elmo_tasks.api.compare import Meaning, UseMeaning
from elmo_tasks.api.said import Answer, Said


@dataclass(frozen=True)
class TextWord:
    """A word of a text that the dictionary has several meanings of."""

    token: str  #: as it stands in the text
    char_start: int  #: offset of its first character in the text
    char_end: int  #: offset one past its last character
    meanings: tuple[Meaning, ...]  #: all that it may have
    meant: UseMeaning  #: which one it has

    @property
    def meaning(self) -> Meaning | None:
        """The likeliest meaning; ``None`` for another one than those listed."""
        return None if self.meant.best is None else self.meanings[self.meant.best]


@dataclass(frozen=True)
class TextSenses(Answer):
    """The words of a text whose meanings the dictionary knows."""

    model: str  #: its name
    text: str  #: as it was read
    words: tuple[TextWord, ...]  #: in the order of the text
    n_tokens: int  #: words and punctuation of the text
    said: Said

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/senses``; the command ``senses`` prints one line of it for each text."""
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
