"""Explanations of a cosine: hide one word at a time, and compare halves of layers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.api import Comparison, ComparisonItem, Explanation, HiddenWord, LayerComparison, Sides, Source
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import with_mean
from elmo_tasks.messages.answers import NO_SIDES, SIDE_ANSWERS, why_answer
from elmo_tasks.senses.attribution import (
    WAYS,
    cosine_changes,
    decisive,
    halved_cosines,
    hidden,
    informative_direction,
    nearest,
)
from elmo_tasks.senses.disambiguation import SenseModel
from elmo_tasks.senses.features import WORDS, centred, context_vectors
from elmo_tasks.senses.similarity import everyday_sentences, everyday_words, random_pair_cosine
from elmo_tasks.service.asked_uses import use_of
from elmo_tasks.service.comparisons import rounded
from elmo_tasks.service.loaded_models import LoadedModel, LoadModel
from elmo_tasks.service.meanings import dictionary
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.uses import Use, use_vectors

# Maximum number of tokens that one answer may encode; in long sentences, only words near the compared one are hidden.
_MOST_TOKENS = 12_000
_SEVERAL = 3
#: Name of the view whose value is the probability that two uses share a meaning.
VERDICT = "verdict"


class Explainer:
    """Implements :class:`elmo_tasks.api.WhyService`; computes nothing before first use."""

    def __init__(self, compare: Callable[..., Comparison], load: LoadModel) -> None:
        self._compare, self._load = compare, load
        self._random: dict[str, tuple[tuple[float, ...], ...]] = {}
        self._lock = threading.Lock()

    def explain(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
        comparison: Comparison | None = None,
    ) -> Explanation:
        """Implement :meth:`elmo_tasks.api.WhyService.explain`."""
        comparison = comparison or self._compare(word, sentences, model)
        loaded = self._load(comparison.model)
        if not loaded.encoder.reads_sentence:
            raise InputError(
                f"“{loaded.encoder.name}” does not read the sentence: no word around a word changes its vector, so there is "
                "nothing to explain. Choose another model for this.",
                field="model",
            )
        asked = _asked(comparison, loaded, layer)
        a, b = _pair(comparison, asked, pair)
        items = (comparison.items[a], comparison.items[b])
        pair_of_uses = [use_of(item) for item in items]
        plain = use_vectors(loaded.encoder, pair_of_uses)  # [L, 2, D]
        alike = _measure(loaded, comparison, asked.name, pair_of_uses)
        cosine = float(alike([pair_of_uses[0]], 1)[0])
        words: list[HiddenWord] = []
        skipped = 0
        for use, item, own in ((a, items[0], 0), (b, items[1], 1)):
            n = len(item.tokens)
            places = nearest(n, item.index, _MOST_TOKENS // (2 * len(WAYS) * n))
            skipped += n - 1 - len(places)
            words += _hide(lambda uses, other=1 - own: alike(uses, other), item, use, places, cosine)  # type: ignore[misc]
        apart = _is_apart(comparison, asked, (a, b), cosine)
        changes = np.array([found.changes for found in words]).reshape(-1, len(WAYS)).T
        named = decisive(changes, apart)
        found = None if named is None or not any(c.isalnum() for c in words[named].token) else words[named]
        # In a sum of fixed vectors every word has its own part; inside the model, an effect does not belong to one
        # word alone.
        several = _several(words, apart) if asked.name in (WORDS, VERDICT) else []
        sides = self._sides(loaded.encoder, plain)
        halves = ([(s.before, s.random_before) for s in sides], [(s.after, s.random_after) for s in sides])
        side = informative_direction(*halves) if sides else "unclear"
        return Explanation(
            comparison=comparison,
            pair=(a, b),
            layer=asked.name,
            cosine=round(cosine, 6),
            random_pair_cosine=asked.random_pair_cosine,
            apart=apart,
            answer=why_answer(items, words, found, several),
            decisive=found,
            ways=WAYS,
            words=tuple(words),
            skipped=skipped,
            sides=sides,
            side=side,
            side_answer=SIDE_ANSWERS[side] if sides else NO_SIDES,
        )

    def _sides(self, encoder: Encoder, plain: Tensor) -> tuple[Sides, ...]:
        """Return the halves of each layer of ``[L, 2, D]``; none if layers have no halves."""
        if encoder.language_model is None:
            return ()
        found = halved_cosines(plain[1:, 0], plain[1:, 1]).tolist()  # layer 0 has no halves
        return tuple(
            Sides(str(k), round(before, 6), round(after, 6), *random)
            for k, ((before, after), random) in enumerate(
                zip(found, self._random_halves(encoder), strict=True), start=1
            )
        )

    def _random_halves(self, encoder: Encoder) -> tuple[tuple[float, ...], ...]:
        """Return ``[L - 1][2]`` mean cosines of two random words in each half of each layer."""
        with self._lock:
            if encoder.name not in self._random:
                vectors, sentence, word = everyday_words(encoder)
                halves = vectors[1:].chunk(2, dim=-1)
                means = torch.stack([random_pair_cosine(half, sentence, word) for half in halves], dim=-1)
                self._random[encoder.name] = rounded(means)
            return self._random[encoder.name]


def _asked(comparison: Comparison, loaded: LoadedModel, name: str | None) -> LayerComparison:
    """Return the explained view: the verdict, a layer, or the words around the word.

    The words around are available if the verdict uses them.
    """
    layers = [*comparison.layers[1:]]
    if comparison.same_meaning and name in (None, VERDICT):
        return LayerComparison(VERDICT, comparison.same_meaning, (), 0.0)
    speaks = loaded.senses is not None
    if loaded.senses is not None and name in (None, WORDS):
        vectors = _around(loaded.senses, [use_of(item) for item in comparison.items])
        cosine = vectors @ vectors.T
        layers.append(LayerComparison(WORDS, tuple(map(tuple, cosine.tolist())), (), _random_context(loaded.senses)))
    wanted = name or (WORDS if speaks else comparison.verdict_layer)
    found = next((layer for layer in layers if layer.name == wanted), None)
    if found is None:
        raise InputError(
            f"Words around the word change nothing at layer “{wanted[:20]}”, or there is no such layer; choose one of "
            f"{', '.join([VERDICT] * bool(comparison.same_meaning) + [layer.name for layer in layers])}.",
            field="layer",
        )
    return found


def _around(senses: SenseModel, uses: Sequence[Use]) -> NDArray[np.float32]:
    """Return ``[n, S]`` vectors of the words around each use, centred on the dictionary."""
    vectors = np.concatenate([context_vectors(senses.static, [use]) for use in uses])
    return centred(vectors, senses.calibration.centres[WORDS])


def _random_context(senses: SenseModel) -> float:
    """Return the mean cosine of the contexts of two random words."""
    tokens = [[token.text for token in tokenize(sentence)] for sentence in everyday_sentences()]
    vectors = _around(senses, [Use.of_tokens(words, len(words) // 2) for words in tokens])
    cosine = vectors @ vectors.T
    return round(float(cosine[~np.eye(len(cosine), dtype=bool)].mean()), 6)


Measure = Callable[[Sequence[Use], int], NDArray[np.float64]]
"""Similarities ``[n]`` of ``n`` uses to one of the two explained ones (0 or 1)."""


def _measure(loaded: LoadedModel, comparison: Comparison, view: str, pair: Sequence[Use]) -> Measure:
    """Return the similarity in a view: the cosine or, for the verdict, a probability.

    This is the probability that the two uses share a meaning.
    """
    if view == VERDICT:
        return _verdict(loaded, comparison, pair)
    vectors = _reader(loaded, view)
    of_pair = vectors(pair)
    return lambda uses, other: cosine_changes(vectors(uses), of_pair[other], 0.0).numpy()


def _verdict(loaded: LoadedModel, comparison: Comparison, pair: Sequence[Use]) -> Measure:
    senses = loaded.senses
    assert senses is not None  # there is a verdict
    calibration = senses.calibration
    of_pair = senses.embed(pair)
    known = [
        (meaning.word, dictionary()[meaning.word].sense(meaning.key))
        for meaning in comparison.meanings
        if meaning.word in dictionary()
    ]
    if comparison.source is not Source.DICTIONARY or not known:

        def by_cosine(uses: Sequence[Use], other: int) -> NDArray[np.float64]:
            odds = calibration.same[0] + calibration.same[1] * (senses.embed(uses) @ of_pair[other]).astype(np.float64)
            return np.asarray(1 / (1 + np.exp(-odds)), np.float64)

        return by_cosine
    both = senses.classify(pair, of_pair, known)

    def by_meanings(uses: Sequence[Use], other: int) -> NDArray[np.float64]:
        return np.array([use.same(both[other]) for use in senses.classify(uses, senses.embed(uses), known)])

    return by_meanings


def _reader(loaded: LoadedModel, view: str) -> Callable[[Sequence[Use]], Tensor]:
    """Return a function from ``n`` uses to their vectors ``[n, D]`` in a view."""
    if view == WORDS and loaded.senses is not None:
        senses = loaded.senses
        return lambda uses: torch.from_numpy(_around(senses, uses))
    at = loaded.names.index(view)
    return lambda uses: with_mean(use_vectors(loaded.encoder, uses))[at]


def _pair(comparison: Comparison, layer: LayerComparison, pair: tuple[int, int] | None) -> tuple[int, int]:
    n = len(comparison.items)
    if pair is None:  # the two with the surest difference in the verdict, or with the lowest cosine at the layer
        alike = comparison.same_meaning if layer.name == WORDS and comparison.same_meaning else layer.cosine
        return min(((a, b) for b in range(n) for a in range(b)), key=lambda ab: alike[ab[0]][ab[1]])
    if len(pair) != 2 or pair[0] == pair[1] or not all(0 <= use < n for use in pair):
        raise InputError(f"Choose two different uses, counted from 0 to {n - 1}.", field="pair")
    return min(pair), max(pair)


def _is_apart(comparison: Comparison, layer: LayerComparison, pair: tuple[int, int], alike: float) -> bool:
    """Return True if the two are in different groups, or less similar than the average."""
    a, b = pair
    if comparison.groups:
        return not any(a in group and b in group for group in comparison.groups)
    if layer.name == VERDICT:
        return alike < 0.5
    n = len(comparison.items)
    others = [layer.cosine[i][j] for j in range(n) for i in range(j)]
    return layer.cosine[a][b] <= sum(others) / len(others)


def _hide(
    alike: Callable[[Sequence[Use]], NDArray[np.float64]],
    item: ComparisonItem,
    use: int,
    places: Sequence[int],
    cosine: float,
) -> Iterator[HiddenWord]:
    if not places:
        return
    asked = use_of(item)
    without = alike([hidden(asked, k, way) for way in WAYS for k in places])
    changes = (without - cosine).reshape(len(WAYS), -1)  # [W, n]
    tokens = tokenize(item.sentence)
    for k, change in zip(places, changes.T.tolist(), strict=True):
        yield HiddenWord(
            use=use,
            index=k,
            token=item.tokens[k],
            start=tokens[k].start,
            end=tokens[k].end,
            changes=rounded(change),
            change=round(sum(change) / len(change), 6),
        )


def _several(words: Sequence[HiddenWord], apart: bool) -> list[str]:
    """Return the three words that move the cosine most.

    Only words that move it in the same direction with every way of hiding count.
    """
    sign = 1 if apart else -1
    steady = [w for w in words if any(c.isalnum() for c in w.token) and all(sign * change > 0 for change in w.changes)]
    return list(dict.fromkeys(w.token for w in sorted(steady, key=lambda w: -sign * w.change)))[:_SEVERAL]
