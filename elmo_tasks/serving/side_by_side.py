"""The same uses of a word as several models read them, and which of them is right where that is known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from elmo_tasks.api import LIMITS, Comparison, SideBySide, partition
from elmo_tasks.errors import InputError
from elmo_tasks.senses.gallery import EverydayUse, GalleryUse, everyday_uses, gallery
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.serving.asked_uses import find_uses
from elmo_tasks.serving.comparisons import compare_uses
from elmo_tasks.serving.loaded_models import LoadedModels
from elmo_tasks.text.mentions import Mention
from elmo_tasks.wording.side_by_side import Told, agreement


def side_by_side(
    word: str,
    sentences: Sequence[str],
    models: Sequence[str | None],
    loaded: LoadedModels,
    senses: Sequence[str] = (),
) -> SideBySide:
    """See :meth:`elmo_tasks.api.Service.side_by_side`."""
    names = [loaded.allowed(model) for model in models]
    if not 1 <= len(names) <= LIMITS.max_models or len(set(names)) < len(names):
        raise InputError(
            f"Choose one to {LIMITS.max_models} different models; there {_had(names)}.",
            field="model",
        )
    mentions = find_uses(word, sentences)
    if senses and len(senses) != len(mentions):
        raise InputError(
            f"Expected a meaning for each of the {len(mentions)} sentences, found {len(senses)}.", field="senses"
        )
    known = tuple(senses) or known_senses(mentions)
    found = tuple(compare_uses(word, mentions, loaded.model(name)) for name in names)
    right = tuple(is_right(comparison, known) for comparison in found)
    told = [
        Told(comparison.model, partition(comparison.groups) if comparison.groups else None, is_known)
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
    found = [_known().get((mention.sentence, mention.token.start)) for mention in mentions]
    known = [entry for entry in found if entry is not None]
    one_word = len(known) == len(found) and len({word for word, _ in known}) == 1
    return tuple(sense for _, sense in known) if one_word else ()


@cache
def _known() -> dict[tuple[str, int], tuple[str, str]]:
    """Sentence and where the word stands in it -> the word and its meaning there."""
    entries: list[GalleryUse | EverydayUse] = [*gallery(), *everyday_uses()]
    uses = [(entry, gallery_use(entry)) for entry in entries]
    return {(use.sentence, use.place[0]): (entry.word, entry.sense) for entry, use in uses}


def _had(names: Sequence[str]) -> str:
    if not names:
        return "is none"
    twice = next((name for name in names if names.count(name) > 1), None)
    return f"are {len(names)}" if twice is None else f"is “{twice}” twice"
