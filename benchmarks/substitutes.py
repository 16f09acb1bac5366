"""Which words a model would have written in the place of another: ``python -m benchmarks.substitutes``.

Every third sentence of the gallery is asked. A substitute is right where its static vector is closer to the gloss of the sense that
the sentence was written for than to those of the word's other senses; chance is one over their number. Printed for what both sides
say, for what could stand beside the word ("the word and …"), for both together, and for a cloze head, which reads both sides at
once, if the model has one; then by how probable the first word is. Last, how many words the app names in its answer, and how many
of these are right.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
import torch
from elmo_tasks.senses.content_words import is_stop_word
from numpy.typing import NDArray

from elmo_tasks.api import Limits
from elmo_tasks.encoders import load
from elmo_tasks.encoders.cloze_files import load_cloze
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.senses.expected_words import OneAnswer, beside_the_word, log_frequencies, told_by_all
from elmo_tasks.senses.gallery import GalleryUse, gallery
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import unit
from elmo_tasks.serving.substitutes import N_GUESSES, Writer, named
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.vocabulary import SPECIAL_WORDS
from elmo_tasks.text.word_forms import may_be_forms_of_one_word
from elmo_tasks.uses import read_uses

# The most frequent words of the vocabulary, so that all places fit in memory; batches of so many.
_WORDS, _BATCH, _LOOKED_AT = 20_000, 64, 60
#: By word and sense.
Glosses = dict[str, dict[str, NDArray[np.float32]]]
_BOUNDS = (0.0, 0.05, 0.1, 0.2, 0.4, 1.0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="name or folder of a biLM with its output layer (default: the bundled one)")
    args = parser.parse_args()
    encoder, static = load(args.model, "cpu"), StaticVectors.load()
    assert encoder.language_model is not None
    found = encoder.language_model.predictions()
    assert found is not None, "the model has no output layer"
    softmax, vocabulary = found
    entries = gallery()[::3]
    uses = [gallery_use(entry) for entry in entries]
    beside = [beside_the_word(use) for use in uses]
    read, ahead, back = (read_uses(encoder, part) for part in (uses, *map(list, zip(*beside, strict=True))))
    words, frequency, glosses = vocabulary.words[:_WORDS], log_frequencies(_WORDS), _glosses(static)
    rows: dict[str, list[list[tuple[float, bool]]]] = {"both sides": [], "beside the word": [], "all together": []}
    head = load_cloze(encoder, static)
    at_once = None if head is None else OneAnswer(head, static)
    for start in range(0, len(uses), _BATCH):
        batch = slice(start, start + _BATCH)
        states = (read.before, read.after, ahead.before, back.after)
        sides = [_log_probabilities(softmax, state[-1, batch]) for state in states if state is not None]
        told = (told_by_all(sides[:2], frequency), told_by_all(sides[2:], frequency), told_by_all(sides, frequency))
        for name, probable in zip(("both sides", "beside the word", "all together"), told, strict=True):
            rows[name] += _first(probable, words, static, glosses, entries[batch])
        if at_once is not None and read.before is not None and read.after is not None:
            told_at_once = at_once(uses[batch], read.before[:, batch], read.after[:, batch])
            rows.setdefault("cloze head", []).extend(
                _first(told_at_once, at_once.words, static, glosses, entries[batch])
            )
    chance = np.mean([1 / len(glosses[entry.word]) for entry in entries])
    print(f"{encoder.name}: share of substitutes in the right sense, {len(uses):,} uses (by chance {chance:.1%})")
    print("| told by | first word | first 8 words | first, by its probability |\n|---|---|---|---|")
    for name, found_words in rows.items():
        firsts = [row[0] for row in found_words if row]
        every = [right for row in found_words for _, right in row]
        print(f"| {name} | {_share([r for _, r in firsts])} | {_share(every)} | {_by_probability(firsts)} |")
    print(_named(encoder, static, entries, glosses))


def _first(
    log_probabilities: torch.Tensor,
    words: Sequence[str],
    static: StaticVectors,
    glosses: Glosses,
    entries: Sequence[GalleryUse],
) -> list[list[tuple[float, bool]]]:
    """Of each place the likeliest content words that are no forms of its word: how probable, and whether in the right sense."""
    is_word = torch.tensor([w not in SPECIAL_WORDS and w[:1].isalnum() and not is_stop_word(w) for w in words])
    best = log_probabilities.masked_fill(~is_word, -torch.inf).topk(_LOOKED_AT)
    found = []
    for entry, ids, chances in zip(entries, best.indices.tolist(), best.values.exp().tolist(), strict=True):
        vectors = unit(static.vectors_of([words[k] for k in ids]).cpu().numpy())
        found.append(
            [
                (chance, _is_right(entry, vector, glosses))
                for k, chance, vector in zip(ids, chances, vectors, strict=True)
                if vector.any() and not may_be_forms_of_one_word(words[k].lower(), entry.word.lower())
            ][:N_GUESSES]
        )
    return found


def _named(encoder: Encoder, static: StaticVectors, entries: Sequence[GalleryUse], glosses: Glosses) -> str:
    writer, n, right = Writer(lambda _: encoder, lambda: static), 0, []
    for _, same in groupby(entries, lambda entry: entry.word):
        asked = list(same)[: Limits().max_sentences]
        if len(asked) < Limits().min_sentences:
            continue
        n += len(asked)
        for entry, use in zip(asked, writer.written(asked[0].word, [e.sentence for e in asked]).uses, strict=True):
            if (word := named(use)) is not None and (vector := unit(static.vectors_of([word]).cpu().numpy())[0]).any():
                right.append(_is_right(entry, vector, glosses))
    return f"The app names a word in {len(right)} of {n:,} places; {_share(right)} of these words are right."


def _log_probabilities(softmax: torch.nn.Module, states: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        weight, bias = softmax.weight[:_WORDS], softmax.bias[:_WORDS]  # type: ignore[index]
        return torch.nn.functional.linear(states.float(), weight, bias).log_softmax(dim=-1)


def _glosses(static: StaticVectors) -> Glosses:
    """By word and sense, the name and gloss of the sense as one vector; without the part of speech before the comma."""
    glosses: Glosses = {}
    for entry in gallery():
        if entry.sense in glosses.setdefault(entry.word, {}):
            continue
        text = f"{entry.sense} {entry.gloss.split(',', 1)[-1]}"
        words = [token.text.lower() for token in tokenize(text) if token.text.lower() != entry.word]
        weights = rarity(np.array([static.share_of(word) for word in words]))
        vectors = unit(static.vectors_of(words).cpu().numpy())
        glosses[entry.word][entry.sense] = unit((vectors * weights[:, None]).sum(axis=0))
    return glosses


def _is_right(entry: GalleryUse, vector: NDArray[np.float32], glosses: Glosses) -> bool:
    closeness = {sense: float(gloss @ vector) for sense, gloss in glosses[entry.word].items()}
    return max(closeness, key=lambda sense: closeness[sense]) == entry.sense


def _share(right: list[bool]) -> str:
    return f"{np.mean(right):.1%}"


def _by_probability(firsts: list[tuple[float, bool]]) -> str:
    parts = []
    for low, high in pairwise(_BOUNDS):
        right = [r for p, r in firsts if low <= p < high or p == high == 1.0]
        parts.append(
            f"{low:.0%}–{high:.0%}: {_share(right)} of {len(right)}" if right else f"{low:.0%}–{high:.0%}: none"
        )
    return ", ".join(parts)


if __name__ == "__main__":
    main()
