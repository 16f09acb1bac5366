"""Data of the recipe ``meaning_layers``: running text, and uses of the dictionary."""

from __future__ import annotations

import lzma
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from elmo_tasks.senses.lexicon import Lexicon
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use
from elmo_tasks.text.vocabulary import Vocabulary

TOKENS_PER_STEP = 2_500  # of running text
_MAX_LENGTH = 60  # longer sentences of the text are left out


class RunningText:
    """Sentences of text files as an endless, shuffled stream of batches."""

    def __init__(
        self, paths: Sequence[Path], *, vocabulary: Vocabulary, per_file: int, seed: int
    ) -> None:
        rng = random.Random(seed)
        self.words: list[str] = []
        self._row: dict[str, int] = {}
        self.sentences: list[list[int]] = []
        for path in paths:
            opener = lzma.open if path.suffix == ".xz" else open
            with opener(path, "rt", encoding="utf-8") as lines:
                kept = [tokens for line in lines if 3 <= len(tokens := line.split()) <= _MAX_LENGTH]
            for tokens in rng.sample(kept, min(per_file, len(kept))):
                self.sentences.append([self._row_of(token) for token in tokens])
        ids = [vocabulary.id_of(word) for word in self.words]
        self.vocabulary_ids = torch.tensor(ids)

    def _row_of(self, word: str) -> int:
        if word not in self._row:
            self._row[word] = len(self.words)
            self.words.append(word)
        return self._row[word]

    def batches(self, seed: int) -> Iterator[list[list[int]]]:
        """Yield sentences of similar length together, about :data:`TOKENS_PER_STEP` tokens each."""
        rng = random.Random(seed)
        while True:
            pool = sorted(rng.sample(self.sentences, min(6_400, len(self.sentences))), key=len)
            batches: list[list[list[int]]] = [[]]
            for sentence in pool:
                if (len(batches[-1]) + 1) * (len(sentence) + 2) > TOKENS_PER_STEP:
                    batches.append([])
                batches[-1].append(sentence)
            rng.shuffle(batches)
            yield from batches


@dataclass(frozen=True)
class WordWithUses:
    """Uses of one word, and the number of the meaning of each."""

    uses: tuple[Use, ...]
    senses: tuple[int, ...]


def training_uses(lexicon: Lexicon) -> list[WordWithUses]:
    """Collect the training examples of ambiguous words that are not held out.

    Each is read twice: alone, and before or after another example of its meaning, since the
    sentences of most texts are longer than those of the dictionary.
    """
    rng = random.Random(1)
    labelled = []
    for entry in lexicon.ambiguous:
        if entry.is_held_out:
            continue
        uses: list[Use] = []
        senses: list[int] = []
        for number, sense in enumerate(entry.senses):
            for sentence in sense.training_examples:
                uses.append(find_mention(entry.word, sentence))
                senses.append(number)
        alone = list(zip(uses, senses, strict=True))
        for use, number in alone:
            others = [
                other for other, its_number in alone if its_number == number and other is not use
            ]
            if others:
                uses.append(_joined(use, rng.choice(others), before=rng.random() < 0.5))
                senses.append(number)
        labelled.append(WordWithUses(tuple(uses), tuple(senses)))
    return labelled


def _joined(use: Use, other: Use, before: bool) -> Use:
    """Return the use in a text of two sentences, its own and another one."""
    if before:
        shift = len(other.tokens)
        return Use.of_tokens(
            other.tokens + use.tokens, use.token_start + shift, use.token_end + shift
        )
    return Use.of_tokens(use.tokens + other.tokens, use.token_start, use.token_end)
