"""Uses of a word compared: cosines at each layer, what is said of them, and what several models say side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.api import LIMITS, Candidate, Comparison, LayerComparison, SideBySide, Substitutes, partition
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import with_mean
from elmo_tasks.senses.calibration import Reading
from elmo_tasks.senses.expected_words import EXPECTED
from elmo_tasks.senses.gallery import EverydayUse, GalleryUse, everyday_uses, gallery
from elmo_tasks.senses.grouping import LEAST_LEANING, Decision
from elmo_tasks.senses.marked_vectors import density_of, told_of
from elmo_tasks.senses.senses import are_apart, mean_cosines
from elmo_tasks.senses.similarity import cosine_matrix
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import WORDS
from elmo_tasks.serving.asked_uses import find_uses, item_of
from elmo_tasks.serving.loaded_models import LoadedModel, LoadedModels
from elmo_tasks.text.mentions import Mention
from elmo_tasks.text.word_forms import are_inflections
from elmo_tasks.uses import Use, UseVectors, read_uses
from elmo_tasks.wording.groupings import Cosines, Told, grouping_verdict, not_english, ranked, unmeasured
from elmo_tasks.wording.models import reads_no_sentence
from elmo_tasks.wording.side_by_side import Told as ToldOfModel
from elmo_tasks.wording.side_by_side import agreement


def compare_uses(word: str, mentions: Sequence[Mention], loaded: LoadedModel) -> Comparison:
    """See :meth:`elmo_tasks.api.Service.compare`; the uses were found in their sentences."""
    read = read_uses(loaded.encoder, mentions)
    layers = _layers(loaded, with_mean(read.layers))
    shown, selected = layers[loaded.calibration.verdict_layer], loaded.calibration.selected_reading
    spelled = spelling(mentions[0])
    is_one_word = are_one_word([spelling(m) for m in mentions])
    answer: dict[str, Any] = {"groups": (), "read_from": (shown.name,)}
    if not loaded.encoder.reads_sentence:
        one_spelling = len({m.token for m in mentions}) == 1
        answer["said"] = reads_no_sentence(loaded.encoder.name, one_spelling=one_spelling)
    elif not is_one_word:  # ranked by the cosines of the layer, and by nothing else
        answer["said"] = ranked(shown.cosine, shown.random_pair_cosine, shown.name)
    elif not loaded.calibration.is_measured:
        answer["said"] = unmeasured(shown.cosine, shown.random_pair_cosine, shown.name)
    # What a cosine means was measured on the forms of one word, in English.
    elif selected.same_sense is None or selected.grouping is None or not any("a" <= c <= "z" for c in spelled.lower()):
        answer |= {"said": not_english(spelled), "read_from": ()}
    else:
        cosines = {layer.name: np.asarray(layer.cosine) for layer in layers}
        cosines |= other_cosines(loaded, mentions, read)
        told, density = (np.array([of(loaded.static, m) for m in mentions]) for of in (told_of, density_of))
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
        **answer,
    )


def substitutes(word: str, mentions: Sequence[Mention], loaded: LoadedModel) -> Substitutes:
    """See :meth:`elmo_tasks.api.Service.substitutes`; the uses were found in their sentences.

    Raises:
        InputError: the model does not predict words.
    """
    if loaded.expected is None:
        raise InputError(
            f"“{loaded.encoder.name}” gives vectors but does not predict words: it has no output layer. Choose another model "
            "for this.",
            field="model",
        )
    found = loaded.expected.candidates(mentions, read_uses(loaded.encoder, mentions))
    return Substitutes(
        word.strip(),
        loaded.encoder.name,
        tuple(item_of(mention) for mention in mentions),
        tuple(tuple(Candidate(other, round(probability, 6)) for other, probability in row) for row in found),
    )


def rounded(values: Any, digits: int = 6) -> Any:
    """A tensor or array of any shape as results hold it: tuples in tuples."""
    values = values.tolist() if hasattr(values, "tolist") else values
    return tuple(rounded(value, digits) for value in values) if isinstance(values, list) else round(values, digits)


def _layers(loaded: LoadedModel, views: Tensor) -> tuple[LayerComparison, ...]:
    """``[L + 1, n, D]`` the uses at each layer and in their mean -> as they are shown."""
    return tuple(
        LayerComparison(
            name=name,
            cosine=rounded(cosine_matrix(vectors)),
            norms=rounded(vectors.norm(dim=-1)),
            random_pair_cosine=known.random_pair_cosine,
            sees=loaded.encoder.layer_names[0] if name == "0" else "",
        )
        for name, vectors, known in zip(loaded.names, views, loaded.calibration.layers, strict=True)
    )


def other_cosines(loaded: LoadedModel, uses: Sequence[Use], read: UseVectors) -> dict[str, NDArray[np.float64]]:
    """``[n, n]`` by what stands around the uses: the words, and what the model expects in their place."""
    calibration = loaded.calibration
    expected = EXPECTED in calibration.selected_reading.views and loaded.expected is not None
    views = (WORDS, EXPECTED) if expected else (WORDS,)
    return {view: calibration.cosines(view, loaded.seen(view, uses, read)) for view in views}


def _judged(selected: Reading, decision: Decision, shown: LayerComparison, word: str) -> dict[str, Any]:
    """The uses of one word in groups, as far as it is sure which go together: fields of :class:`Comparison`."""
    told = Told(
        len(decision.same),
        decision.voice.value,
        decision.groups,
        decision.probability,
        decision.one_meaning,
        decision.claim is None,
        decision.probability >= LEAST_LEANING,
        decision.several.value,
        decision.if_several,
    )
    cosines = Cosines(
        *mean_cosines(shown.cosine, decision.groups), are_apart(shown.cosine, decision.groups), shown.name
    )
    return {
        "said": grouping_verdict(told, cosines, word),
        "read_from": selected.views,
        "groups": decision.groups if decision.is_grouped else (),
        "same_meaning": rounded(decision.same, 4),
        "voice": decision.voice.value,
        "probability": round(decision.probability, 4),
        "groups_if_several": decision.if_several[0] if decision.if_several else (),
    }


def spelling(mention: Mention) -> str:
    """The word as it is spelled, without the capital that only the start of a sentence gives it."""
    text = mention.token
    starts = all(not token[0].isalnum() for token in mention.tokens[: mention.token_start])
    return text[:1].lower() + text[1:] if starts and text[1:] == text[1:].lower() else text


def are_one_word(spellings: Sequence[str]) -> bool:
    """Whether all are one word, perhaps in several forms."""
    first, *others = dict.fromkeys(spellings)
    return all(are_inflections(first, other) for other in others)


def side_by_side(
    word: str, sentences: Sequence[str], models: Sequence[str | None], loaded: LoadedModels, senses: Sequence[str] = ()
) -> SideBySide:
    """See :meth:`elmo_tasks.api.Service.side_by_side`."""
    names = [loaded.allowed(model) for model in models]
    if not 1 <= len(names) <= LIMITS.max_models or len(set(names)) < len(names):
        raise InputError(f"Choose one to {LIMITS.max_models} different models; there {_had(names)}.", field="model")
    mentions = find_uses(word, sentences)
    if senses and len(senses) != len(mentions):
        raise InputError(
            f"Expected a meaning for each of the {len(mentions)} sentences, found {len(senses)}.", field="senses"
        )
    known = tuple(senses) or known_senses(mentions)
    found = tuple(compare_uses(word, mentions, loaded.model(name)) for name in names)
    right = tuple(is_right(comparison, known) for comparison in found)
    told = [
        ToldOfModel(comparison.model, partition(comparison.groups) if comparison.groups else None, is_known)
        for comparison, is_known in zip(found, right, strict=True)
    ]
    return SideBySide(found, known, right, agreement(told, known=bool(known)) if len(told) > 1 else "")


def is_right(comparison: Comparison, senses: Sequence[str]) -> bool | None:
    """Whether uses are grouped by their meanings; ``None`` where no groups are named, or the meanings are not known."""
    if not senses or not comparison.groups:
        return None
    by_sense: dict[str, list[int]] = {}
    for use, sense in enumerate(senses):
        by_sense.setdefault(sense, []).append(use)
    return partition(comparison.groups) == partition(list(by_sense.values()))


def known_senses(mentions: Sequence[Mention]) -> tuple[str, ...]:
    """The meaning of each use, where all are sentences of this project whose meanings are known; else none."""
    found = [_known().get((mention.sentence, mention.char_start)) for mention in mentions]
    known = [entry for entry in found if entry is not None]
    one_word = len(known) == len(found) and len({word for word, _ in known}) == 1
    return tuple(sense for _, sense in known) if one_word else ()


@cache
def _known() -> dict[tuple[str, int], tuple[str, str]]:
    """Sentence and where the word stands in it -> the word and its meaning there."""
    entries: list[GalleryUse | EverydayUse] = [*gallery(), *everyday_uses()]
    uses = [(entry, gallery_use(entry)) for entry in entries]
    return {(use.sentence, use.char_start): (entry.word, entry.sense) for entry, use in uses}


def _had(names: Sequence[str]) -> str:
    if not names:
        return "is none"
    twice = next((name for name in names if names.count(name) > 1), None)
    return f"are {len(names)}" if twice is None else f"is “{twice}” twice"
