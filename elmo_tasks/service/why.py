"""Explanations of a cosine: hide one word at a time, and compare halves of layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks import api
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.use_vectors import use_vectors
from elmo_tasks.errors import InputError
from elmo_tasks.layers import with_mean
from elmo_tasks.messages.answers import (
    NO_SIDES,
    SIDE_ANSWERS,
    evidence_answer,
    on_the_list,
    why_answer,
)
from elmo_tasks.senses import attribution
from elmo_tasks.senses.disambiguation import SenseModel
from elmo_tasks.senses.features import WORDS, centred, context_vectors
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.similarity import everyday_sentences, everyday_words, random_pair_cosine
from elmo_tasks.service.further_views import rounded
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.uses import Use

# Maximum number of tokens that one answer may encode; in long sentences, only words near the
# compared one are hidden.
_MAX_TOKENS = 12_000
_MAX_NAMED = 3
_NAMED_SHARE = 0.08  # least share of the evidence of a word that is named
_MIN_PROBABILITY = 1e-12  # minimum probability, before the logarithm is taken
#: Name of the view whose value is the probability that two uses share a meaning.
VERDICT = "verdict"


def explain(
    comparison: api.Comparison, loaded: LoadedModel, pair: Sequence[int] | None, layer: str | None
) -> api.Explanation:
    """Implement :meth:`elmo_tasks.api.Service.explain` for a comparison by a model."""
    if not loaded.encoder.reads_sentence:
        raise InputError(
            f"“{loaded.encoder.name}” does not read the sentence: no word around a word changes its"
            " vector, so there is nothing to explain. Choose another model for this.",
            field="model",
        )
    view = _view(comparison, loaded, layer)
    a, b = _pair(comparison, view, pair)
    uses = [comparison.uses[k].use for k in (a, b)]
    if view.name == VERDICT:
        cosine = comparison.same_meaning[a][b]
        apart = _is_apart(comparison, view, (a, b), cosine)
        words = _evidence(loaded, comparison, (a, b), apart)
        named, answer = _named_evidence(words)
    else:
        similarity = _measure(loaded, view.name, uses)
        cosine = float(similarity([uses[0]], 1)[0])
        hidden = ((uses[0], 0, a), (uses[1], 1, b))
        words = [word for use in hidden for word in _hide(similarity, *use, cosine)]
        apart = _is_apart(comparison, view, (a, b), cosine)
        changes = (
            np.array([word.changes for word in words]).reshape(-1, len(attribution.REPLACEMENTS)).T
        )
        most = attribution.decisive(changes, apart)
        named = words[most] if most is not None and _is_word(words[most]) else None
        # In a sum of fixed vectors every word has its own part; inside the model, an effect does
        # not belong to one word alone.
        answer = why_answer(
            uses, words, named, _several(words, apart) if view.name == WORDS else []
        )
    if comparison.source is api.MeaningSource.ONE_MEANING:
        answer = on_the_list(comparison.word, named, is_in_dictionary=bool(comparison.meanings))
    sides = _sides(loaded, uses)
    side = "unclear"
    if sides:
        side = attribution.informative_direction(
            [(half.before, half.random_before) for half in sides],
            [(half.after, half.random_after) for half in sides],
        )
    return api.Explanation(
        comparison=comparison,
        pair=(a, b),
        layer=view.name,
        cosine=round(cosine, 6),
        random_pair_cosine=view.random_pair_cosine,
        apart=apart,
        message=api.Message(answer, SIDE_ANSWERS[side] if sides else NO_SIDES),
        decisive=named,
        ways=attribution.REPLACEMENTS,
        words=tuple(words),
        skipped=sum(len(_around(use, tokenize(use.sentence))) for use in uses) - len(words),
        sides=sides,
        side=side,
    )


def _sides(loaded: LoadedModel, pair: Sequence[Use]) -> tuple[api.DirectionSimilarity, ...]:
    """Compare two uses by the halves of each layer; return nothing if layers have no halves."""
    if loaded.encoder.language_model is None:
        return ()
    vectors = use_vectors(loaded.encoder, pair)  # [L, 2, D]; layer 0 has no halves
    halves = rounded(attribution.halved_cosines(vectors[1:, 0], vectors[1:, 1]))
    random = loaded.cache.once("halves", lambda: _random_halves(loaded.encoder))
    return tuple(
        api.DirectionSimilarity(
            layer=str(k),
            before=before,
            after=after,
            random_before=random_before,
            random_after=random_after,
        )
        for k, ((before, after), (random_before, random_after)) in enumerate(
            zip(halves, random, strict=True), 1
        )
    )


def _random_halves(encoder: Encoder) -> tuple[tuple[float, ...], ...]:
    """Return ``[L - 1][2]`` mean cosines of two random words in each half of each layer."""
    vectors, sentence, word = everyday_words(encoder)
    means = [random_pair_cosine(half, sentence, word) for half in vectors[1:].chunk(2, dim=-1)]
    return tuple(rounded(torch.stack(means, dim=-1)))


def _view(comparison: api.Comparison, loaded: LoadedModel, name: str | None) -> api.LayerComparison:
    """Return the explained view: the verdict, a layer, or the words around, if it uses them."""
    layers = [*comparison.layers[1:]]
    if _has_verdict(comparison) and name in (None, VERDICT):
        return api.LayerComparison(
            name=VERDICT, cosine=comparison.same_meaning, norms=(), random_pair_cosine=0.0
        )
    if loaded.senses is not None and name in (None, WORDS):
        vectors = _context(loaded.senses, [judged.use for judged in comparison.uses])
        cosine = tuple(map(tuple, (vectors @ vectors.T).tolist()))
        layers.append(
            api.LayerComparison(
                name=WORDS,
                cosine=cosine,
                norms=(),
                random_pair_cosine=_random_context(loaded.senses),
            )
        )
    wanted = name or (WORDS if loaded.senses is not None else comparison.verdict_layer)
    if chosen := next((layer for layer in layers if layer.name == wanted), None):
        return chosen
    available = [
        *([VERDICT] if _has_verdict(comparison) else []),
        *(layer.name for layer in layers),
    ]
    raise InputError(
        f"Words around the word change nothing at layer “{wanted[:20]}”, or there is no such layer;"
        f" choose one of {', '.join(available)}.",
        field="layer",
    )


def _context(senses: SenseModel, uses: Sequence[Use]) -> NDArray[np.float32]:
    """Return ``[n, S]`` vectors of the words around each use, centred on the dictionary."""
    vectors = np.concatenate([context_vectors(senses.static, [use]) for use in uses])
    return centred(vectors, senses.calibration.centres[WORDS])


def _random_context(senses: SenseModel) -> float:
    """Return the mean cosine of the contexts of two random words."""
    tokens = [[token.text for token in tokenize(sentence)] for sentence in everyday_sentences()]
    vectors = _context(senses, [Use.of_tokens(words, len(words) // 2) for words in tokens])
    cosine = vectors @ vectors.T
    return round(float(cosine[~np.eye(len(cosine), dtype=bool)].mean()), 6)


Measure = Callable[[Sequence[Use], int], NDArray[np.float64]]
"""Similarities ``[n]`` of ``n`` uses to one of the two explained ones (0 or 1)."""


def _has_verdict(comparison: api.Comparison) -> bool:
    """Return True if the answer was read from the sentences, not from the list of words."""
    return bool(comparison.same_meaning) and comparison.source is not api.MeaningSource.ONE_MEANING


def _evidence(
    loaded: LoadedModel, comparison: api.Comparison, pair: tuple[int, int], apart: bool
) -> list[api.WordEffect]:
    """Hide the words near both uses, and see how far the log-odds of the answer fall.

    Log-odds, because a probability near one barely changes, however strong the evidence.
    """
    found: list[api.WordEffect] = []
    for number, position in enumerate(pair):
        odds = _odds(loaded, comparison, pair, number, apart)
        use = comparison.uses[position].use
        whole = float(odds([use], 1 - number)[0])
        found += _hide(partial(_loss, odds, whole, apart), use, number, position, 0.0)
    for_it = [word.change if apart else -word.change for word in found]
    total = sum(value for value in for_it if value > 0) or 1.0
    return [
        replace(word, share=round(value / total, 6))
        for word, value in zip(found, for_it, strict=True)
    ]


def _loss(
    odds: Measure, whole: float, apart: bool, uses: Sequence[Use], other: int
) -> NDArray[np.float64]:
    """Return how far the log-odds fall, above 0 for a word that sets the two uses apart."""
    lost = whole - odds(uses, other)
    return lost if apart else -lost


def _odds(
    loaded: LoadedModel, comparison: api.Comparison, pair: tuple[int, int], number: int, apart: bool
) -> Measure:
    """Return a function from forms of one use to the log-odds of the answer that is shown.

    That is its meaning against that of the other use or, if the two share it, against the next
    likely one. Where no meanings are known, it is that the two share one, or not.
    """
    senses = loaded.sense_model
    lexicon = bundled_lexicon()
    if comparison.source is not api.MeaningSource.DICTIONARY:
        embedded = senses.embed([comparison.uses[pair[1 - number]].use])[0]
        constant, slope = senses.calibration.same
        sign = -1 if apart else 1
        return lambda uses, _: (
            sign * (constant + slope * (senses.embed(uses) @ embedded).astype(float))
        )
    # An everyday meaning and words meant as usual have no examples: they are "another" meaning.
    known = {
        k: (meaning.word, sense)
        for k, meaning in enumerate(comparison.meanings)
        for sense in (lexicon[meaning.word].senses if meaning.word in lexicon else ())
        if sense.key == meaning.key
    }
    listed = list(known.values())
    places: dict[int | None, int] = {k: at for at, k in enumerate(known)}
    own, other = (comparison.uses[pair[k]].meant.best for k in (number, 1 - number))
    mine, theirs = (places.get(best, len(listed)) for best in (own, other))

    def odds(uses: Sequence[Use], _: int) -> NDArray[np.float64]:
        embedded = senses.embed(uses)
        if mine != theirs and len(listed) not in (mine, theirs):
            # Without the bound on the effect of the words around: beyond it, hiding one of several
            # telling words would change nothing.
            weights = senses.calibration
            evidence = senses.evidence(uses, embedded, listed)
            shares = evidence.scores(weights.slope, weights.match, weights.part)
        else:
            found = senses.classify(uses, embedded, listed)
            probabilities = [[*use.probabilities, use.other] for use in found]
            shares = np.log(np.clip(probabilities, _MIN_PROBABILITY, None))
        against = (
            np.delete(shares, mine, axis=1).max(axis=1) if mine == theirs else shares[:, theirs]
        )
        return np.asarray(shares[:, mine] - against, np.float64)

    return odds


def _named_evidence(words: Sequence[api.WordEffect]) -> tuple[api.WordEffect | None, str]:
    """Name the words that most of the evidence depends on, in every way of hiding."""
    steady = [
        word
        for word in words
        if word.share >= _NAMED_SHARE
        and _is_word(word)
        and min(word.changes) * max(word.changes) > 0
    ]
    most = sorted(steady, key=lambda word: -word.share)[:_MAX_NAMED]
    return (most[0] if most else None), evidence_answer(
        [(word.use.token, word.share) for word in most], bool(words)
    )


def _measure(loaded: LoadedModel, view: str, pair: Sequence[Use]) -> Measure:
    """Return the cosine in a view."""

    def vectors(uses: Sequence[Use]) -> Tensor:  # [n, D]
        if view == WORDS and loaded.senses is not None:
            return torch.from_numpy(_context(loaded.senses, uses))
        return with_mean(use_vectors(loaded.encoder, uses))[loaded.names.index(view)]

    of_pair = vectors(pair)
    return lambda uses, other: attribution.cosine_changes(
        vectors(uses), of_pair[other], 0.0
    ).numpy()


def _pair(
    comparison: api.Comparison, layer: api.LayerComparison, pair: Sequence[int] | None
) -> tuple[int, int]:
    n = len(comparison.uses)
    if pair is None:
        # The two with the surest difference in the verdict, or with the lowest cosine at the layer.
        cosine = (
            comparison.same_meaning
            if layer.name == WORDS and comparison.same_meaning
            else layer.cosine
        )
        return min(
            ((a, b) for b in range(n) for a in range(b)), key=lambda ab: cosine[ab[0]][ab[1]]
        )
    if len(pair) != 2 or pair[0] == pair[1] or not all(0 <= use < n for use in pair):
        raise InputError(f"Choose two different uses, counted from 0 to {n - 1}.", field="pair")
    return min(pair), max(pair)


def _is_apart(
    comparison: api.Comparison, layer: api.LayerComparison, pair: tuple[int, int], cosine: float
) -> bool:
    """Return True if the two are in different groups, or less similar than the average."""
    first, second = pair
    if comparison.groups:
        return not any(first in group and second in group for group in comparison.groups)
    if layer.name == VERDICT:
        return cosine < 0.5
    n = len(comparison.uses)
    cosines = [layer.cosine[a][b] for b in range(n) for a in range(b)]
    return layer.cosine[first][second] <= sum(cosines) / len(cosines)


def _around(use: Use, tokens: Sequence[Token]) -> set[int]:
    """Return the positions of the tokens around the word, except the n't of can't."""
    return {
        k for k, token in enumerate(tokens) if not use.char_start <= token.start < use.shown_end
    }


def _hide(
    similarity: Measure, use: Use, number: int, position: int, cosine: float
) -> Iterator[api.WordEffect]:
    """Hide the words near one of the two uses (``number`` 0 or 1) in each way."""
    tokens = tokenize(use.sentence)
    n = len(tokens)
    most = _MAX_TOKENS // (2 * len(attribution.REPLACEMENTS) * n)
    near = attribution.nearest(n, use.token_start, most)
    around = _around(use, tokens)
    places = [k for k in near if k in around]
    if not places:
        return
    without = similarity(
        [attribution.hidden(use, k, way) for way in attribution.REPLACEMENTS for k in places],
        1 - number,
    )
    changes = (without - cosine).reshape(len(attribution.REPLACEMENTS), -1)  # [W, n]
    for k, change in zip(places, changes.T.tolist(), strict=True):
        mean = round(sum(change) / len(change), 6)
        yield api.WordEffect(
            use=Use.in_sentence(use.sentence, tokens, k),
            change=mean,
            number=position,
            changes=rounded(change),
        )


def _several(words: Sequence[api.WordEffect], apart: bool) -> list[str]:
    """Return the three words that move it most, the same way however they are hidden."""
    sign = 1 if apart else -1
    steady = [
        word
        for word in words
        if _is_word(word) and all(sign * change > 0 for change in word.changes)
    ]
    return list(
        dict.fromkeys(
            word.use.token for word in sorted(steady, key=lambda word: -sign * word.change)
        )
    )[:_MAX_NAMED]


def _is_word(hidden: api.WordEffect) -> bool:
    return any(character.isalnum() for character in hidden.use.token)
