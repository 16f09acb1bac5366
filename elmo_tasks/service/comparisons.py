"""Comparisons of the uses of a word, by one model or by several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from elmo_tasks.api import (
    LIMITS,
    Candidate,
    Comparison,
    LayerComparison,
    Said,
    SideBySide,
    Source,
    Substitutes,
    partition,
)
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import with_mean
from elmo_tasks.messages.answers import ModelGrouping, agreement, reads_no_sentence
from elmo_tasks.messages.meanings import (
    different_words_answer,
    meanings_answer,
    not_english_answer,
    one_meaning_answer,
    uncalibrated_answer,
    unlisted_answer,
)
from elmo_tasks.senses.lexicon import Entry
from elmo_tasks.senses.similarity import cosine_matrix
from elmo_tasks.service.asked_uses import find_uses, item_of
from elmo_tasks.service.loaded_models import LoadedModel, LoadedModels
from elmo_tasks.service.meanings import MIN_KNOWN_WORDS, Judged, dictionary, judge, known_meaning, known_share
from elmo_tasks.text.mentions import Mention
from elmo_tasks.text.word_forms import are_inflections, folded
from elmo_tasks.uses import Use, UseVectors, read_uses


def compare_uses(
    word: str, mentions: Sequence[Mention], loaded: LoadedModel, own_meanings: Sequence[Entry] = ()
) -> Comparison:
    """Implement :meth:`elmo_tasks.api.Service.compare` for given uses."""
    read = read_uses(loaded.encoder, mentions)
    layers = _layers(loaded, with_mean(read.layers))
    spellings = [spelling(mention) for mention in mentions]
    is_one_word = are_one_word(spellings)
    called = word.strip() if are_one_word([spellings[0], word.strip()]) else spellings[0]
    said, judged = _meanings(called, mentions, spellings, read, loaded, own_meanings, is_one_word=is_one_word)
    return Comparison(
        word=word.strip(),
        model=loaded.encoder.name,
        items=tuple(item_of(mention) for mention in mentions),
        layers=layers,
        said=said,
        verdict_layer=layers[loaded.shown_layer].name,
        source=judged.source,
        meanings=judged.meanings,
        uses=judged.uses,
        groups=judged.groups,
        certainty=judged.certainty,
        probability=judged.probability,
        same_meaning=judged.same_meaning,
        n_words=len(dictionary().ambiguous),
        spellings_differ=not is_one_word,
    )


def _meanings(
    word: str,
    uses: Sequence[Use],
    spellings: Sequence[str],
    read: UseVectors,
    loaded: LoadedModel,
    own: Sequence[Entry],
    *,
    is_one_word: bool,
) -> tuple[Said, Judged]:
    """Return the answer about the meanings of uses, and the numbers behind it."""
    nothing = Judged(Source.NONE)
    if not loaded.encoder.reads_sentence:
        return reads_no_sentence(loaded.encoder.name, one_spelling=len(set(spellings)) == 1), nothing
    if loaded.senses is None:
        return uncalibrated_answer(loaded.encoder.name), nothing
    if not is_one_word:
        return different_words_answer(), nothing
    known = known_share(loaded.static, [use.tokens[: use.token_start] + use.tokens[use.token_end :] for use in uses])
    if known < MIN_KNOWN_WORDS:
        return not_english_answer(known), nothing
    embedded = loaded.senses.embed_read(uses, read)
    judged = judge(loaded.senses, uses, embedded, word, dictionary(), own)
    if judged.source is Source.ONE_MEANING:
        return one_meaning_answer(word, len(uses), judged.certainty), judged
    if judged.source is Source.UNLISTED:
        return unlisted_answer(word, len(uses), judged.all_same, judged.certainty), judged
    return meanings_answer(word, judged.meanings, judged.uses, judged.probability, judged.certainty), judged


def substitutes(word: str, mentions: Sequence[Mention], loaded: LoadedModel) -> Substitutes:
    """Implement :meth:`elmo_tasks.api.Service.substitutes` for given uses.

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
    """Convert a tensor or array of any shape to nested tuples of rounded numbers."""
    values = values.tolist() if hasattr(values, "tolist") else values
    return tuple(rounded(value, digits) for value in values) if isinstance(values, list) else round(values, digits)


def _layers(loaded: LoadedModel, views: Tensor) -> tuple[LayerComparison, ...]:
    """Convert ``[L + 1, n, D]`` vectors, the mean of the layers last, to results."""
    return tuple(
        LayerComparison(
            name=name,
            cosine=rounded(cosine_matrix(vectors)),
            norms=rounded(vectors.norm(dim=-1)),
            random_pair_cosine=known,
            sees=loaded.encoder.layer_names[0] if name == "0" else "",
        )
        for name, vectors, known in zip(loaded.names, views, loaded.random_pair, strict=True)
    )


def spelling(mention: Mention) -> str:
    """Return the word as written, without a capital due only to the start of a sentence."""
    text = mention.token
    starts = all(not token[0].isalnum() for token in mention.tokens[: mention.token_start])
    return text[:1].lower() + text[1:] if starts and text[1:] == text[1:].lower() else text


def are_one_word(spellings: Sequence[str]) -> bool:
    """Return True if all are forms of one word.

    A capital makes no other word (apple, Apple).
    """
    first, *others = dict.fromkeys(map(folded, spellings))
    return all(are_inflections(first, other) for other in others)


def side_by_side(
    word: str,
    sentences: Sequence[str],
    models: Sequence[str | None],
    loaded: LoadedModels,
    senses: Sequence[str] = (),
    own_meanings: Sequence[Entry] = (),
) -> SideBySide:
    """Implement :meth:`elmo_tasks.api.Service.side_by_side`."""
    names = [loaded.allowed(model) for model in models]
    if not 1 <= len(names) <= LIMITS.max_models or len(set(names)) < len(names):
        raise InputError(f"Choose one to {LIMITS.max_models} different models; there {_had(names)}.", field="model")
    mentions = find_uses(word, sentences)
    if senses and len(senses) != len(mentions):
        raise InputError(
            f"Expected a meaning for each of the {len(mentions)} sentences, found {len(senses)}.", field="senses"
        )
    known = tuple(senses) or known_senses(mentions)
    found = tuple(compare_uses(word, mentions, loaded.model(name), own_meanings) for name in names)
    right = tuple(is_right(comparison, known) for comparison in found)
    told = [
        ModelGrouping(comparison.model, partition(comparison.groups) if comparison.groups else None, is_known)
        for comparison, is_known in zip(found, right, strict=True)
    ]
    return SideBySide(found, known, right, agreement(told, known=bool(known)) if len(told) > 1 else "")


def is_right(comparison: Comparison, senses: Sequence[str]) -> bool | None:
    """Return True if the groups match the meanings.

    Return ``None`` without groups or without known meanings.
    """
    if not senses or not comparison.groups:
        return None
    by_sense: dict[str, list[int]] = {}
    for use, sense in enumerate(senses):
        by_sense.setdefault(sense, []).append(use)
    return partition(comparison.groups) == partition(list(by_sense.values()))


def known_senses(mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return the meaning of each use if all sentences are bundled ones; else nothing."""
    found = [known_meaning(mention.sentence, mention.char_start) for mention in mentions]
    known = [entry for entry in found if entry is not None]
    one_word = len(known) == len(found) and len({word for word, _ in known}) == 1
    return tuple(sense.key for _, sense in known) if one_word else ()


def _had(names: Sequence[str]) -> str:
    if not names:
        return "is none"
    twice = next((name for name in names if names.count(name) > 1), None)
    return f"are {len(names)}" if twice is None else f"is “{twice}” twice"
