"""Uses of a word compared: cosines at each layer, what is said of them, and what that is read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.api import Comparison, LayerComparison, Said
from elmo_tasks.layers.views import with_mean
from elmo_tasks.senses.calibration import Reading
from elmo_tasks.senses.expected_words import EXPECTED
from elmo_tasks.senses.grouping import LEAST_LEANING, Decision, Voice
from elmo_tasks.senses.marked_vectors import density_of, told_of, words_around
from elmo_tasks.senses.senses import are_apart, mean_cosines
from elmo_tasks.senses.similarity import cosine_matrix
from elmo_tasks.senses.views_of_uses import WORDS
from elmo_tasks.serving.asked_uses import item_of
from elmo_tasks.serving.loaded_models import LoadedModel
from elmo_tasks.text.mentions import Mention
from elmo_tasks.text.word_forms import are_inflections
from elmo_tasks.uses import Use, UseVectors, read_uses
from elmo_tasks.wording.groupings import Cosines, Told, grouping_verdict, not_english, ranked, unmeasured
from elmo_tasks.wording.models import reads_no_sentence

#: Pairs whose probabilities differ by less are told together.
NEARLY = 0.03


@dataclass(frozen=True)
class _Answer:
    """The fields of the same names of :class:`elmo_tasks.api.Comparison`."""

    said: Said
    read_from: tuple[str, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    same_meaning: tuple[tuple[float, ...], ...] = ()
    voice: str = Voice.SILENT.value
    probability: float = 0.0
    groups_if_several: tuple[tuple[int, ...], ...] = ()


def compare_uses(word: str, mentions: Sequence[Mention], loaded: LoadedModel) -> Comparison:
    """See :meth:`elmo_tasks.api.Service.compare`.

    Args:
        word: as typed.
        mentions: its uses, found in their sentences.
        loaded: the model.
    """
    read = read_uses(loaded.encoder, [m.use for m in mentions])
    layers = _layers(loaded, with_mean(read.layers))
    shown, selected = layers[loaded.calibration.verdict_layer], loaded.calibration.selected_reading
    spelled = spelling(mentions[0])
    is_one_word = are_one_word([spelling(m) for m in mentions])
    if not loaded.encoder.reads_sentence:
        answer = _Answer(
            reads_no_sentence(loaded.encoder.name, one_spelling=len({m.token.text for m in mentions}) == 1),
            (shown.name,),
        )
    elif not is_one_word:  # ranked by the cosines of the layer, and by nothing else
        answer = _Answer(ranked(shown.cosine, shown.random_pair_cosine, shown.name), (shown.name,))
    elif not loaded.calibration.is_measured:
        answer = _Answer(unmeasured(shown.cosine, shown.random_pair_cosine, shown.name), (shown.name,))
    # What a cosine means was measured on the forms of one word, in English.
    elif selected.same_sense is None or selected.grouping is None or not any("a" <= c <= "z" for c in spelled.lower()):
        answer = _Answer(not_english(spelled))
    else:
        cosines = {layer.name: np.asarray(layer.cosine) for layer in layers}
        cosines |= other_cosines(loaded, [m.use for m in mentions], read)
        told, density = (np.array([of(loaded.static, m.use) for m in mentions]) for of in (told_of, density_of))
        assert selected.grouping is not None
        decision = selected.grouping.decide([cosines[view] for view in selected.views], told, density)
        # Of several forms it is called by the one that was typed.
        called = word.strip() if are_one_word([spelled, word.strip()]) else spelled
        answer = _judged(selected, decision, shown, called)
    return Comparison(
        word=word.strip(),
        model=loaded.encoder.name,
        items=tuple(item_of(m) for m in mentions),
        layers=layers,
        verdict_layer=shown.name,
        right_when_clear=selected.right,
        spellings_differ=not is_one_word,
        **vars(answer),
    )


def _layers(loaded: LoadedModel, views: Tensor) -> tuple[LayerComparison, ...]:
    """``[L + 1, n, D]`` the uses at each layer and in their mean -> as they are shown."""
    return tuple(
        LayerComparison(
            name=name,
            cosine=tuple(tuple(round(v, 6) for v in row) for row in cosine_matrix(vectors).tolist()),
            norms=tuple(round(v, 6) for v in vectors.norm(dim=-1).tolist()),
            random_pair_cosine=known.random_pair_cosine,
            sees=loaded.encoder.layer_names[0] if name == "0" else "",
        )
        for name, vectors, known in zip(loaded.names, views, loaded.calibration.layers, strict=True)
    )


def other_cosines(loaded: LoadedModel, uses: Sequence[Use], read: UseVectors) -> dict[str, NDArray[np.float64]]:
    """``[n, n]`` by what stands around the uses: the words, and what the model expects in their place."""
    calibration = loaded.calibration
    around = [words_around(loaded.static, use) for use in uses]
    found = {WORDS: calibration.cosines(WORDS, np.stack(around))}
    if EXPECTED in calibration.selected_reading.views and loaded.expected:
        found[EXPECTED] = calibration.cosines(EXPECTED, loaded.expected(uses, read))
    return found


def _judged(selected: Reading, decision: Decision, shown: LayerComparison, word: str) -> _Answer:
    """The uses of one word in groups, as far as it is sure which go together."""
    told = Told(
        len(decision.same),
        decision.voice.value,
        decision.groups,
        decision.probability,
        decision.one_meaning,
        decision.claim,
        _near(decision),
        decision.probability >= LEAST_LEANING,
        decision.several.value,
        decision.if_several,
    )
    cosines = Cosines(
        *mean_cosines(shown.cosine, decision.groups),
        are_apart(shown.cosine, decision.groups),
        shown.name,
    )
    said = grouping_verdict(told, cosines, word)
    same = tuple(tuple(round(v, 4) for v in row) for row in decision.same.tolist())
    groups = decision.groups if decision.is_grouped else ()
    then = decision.if_several[0] if decision.if_several else ()
    return _Answer(said, selected.views, groups, same, decision.voice.value, round(decision.probability, 4), then)


def _near(decision: Decision) -> list[tuple[int, int, float]]:
    """The pairs of which nearly the same may be said as of the claim: those within :data:`NEARLY` of its probability."""
    if decision.claim is None:
        return []
    a, b, same, sure = decision.claim
    chances = decision.same if same else 1 - decision.same
    pairs = [(c, d) for d in range(len(chances)) for c in range(d) if {c, d} != {a, b}]
    return [(c, d, float(chances[c][d])) for c, d in pairs if chances[c][d] > sure - NEARLY]


def spelling(mention: Mention) -> str:
    """The word as it is spelled, without the capital that only the start of a sentence gives it."""
    text = mention.token.text
    starts = all(not token.text[0].isalnum() for token in mention.tokens[: mention.index])
    return text[:1].lower() + text[1:] if starts and text[1:] == text[1:].lower() else text


def are_one_word(spellings: Sequence[str]) -> bool:
    """Whether all are one word, perhaps in several forms."""
    first, *others = dict.fromkeys(spellings)
    return all(are_inflections(first, other) for other in others)
