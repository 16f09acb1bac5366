"""The rows of a training run, texts or sentences: what is in them, and which are kept apart to test on."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from elmo_tasks.data.records import LabelledText, TaggedSentence, content_of
from elmo_tasks.tasks.tagging import SPAN_TAG, is_spans
from elmo_tasks.text.tag_schemes import spans_of

TEST_SHARE = 0.15
_EXAMPLES, _EXAMPLE_LETTERS, _EXAMPLE_WORDS = 4, 220, 24

Record = LabelledText | TaggedSentence
Records = Sequence[Record]


def count_labels(records: Sequence[Record]) -> tuple[tuple[tuple[str, int], ...], str]:
    """Each class, type of name or tag with how often it comes, the most frequent first; and what was counted."""
    counts: Counter[str] = Counter()
    texts = [row for row in records if isinstance(row, LabelledText)]
    tagged = [row for row in records if isinstance(row, TaggedSentence)]
    counts.update(row.label for row in texts)
    spans = bool(tagged) and is_spans(tagged)
    for row in tagged:
        counts.update([span.type for span in spans_of(row.tags, "BIO")] if spans else row.tags)
    counted = "texts" if texts else "names" if spans else "words"
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))), counted


def split_rows(records: Sequence[Record], seed: int = 1) -> tuple[list[Record], list[Record]]:
    """Rows to train on and rows to test on; no label is in the test rows only, and no text or sentence in both.

    Args:
        records: all of them.
        seed: of what is drawn.
    """
    order = list(range(len(records)))
    random.Random(seed).shuffle(order)
    groups: dict[str, list[int]] = defaultdict(list)
    for k in order:
        row = records[k]
        groups[row.label if isinstance(row, LabelledText) else ""].append(k)
    test = {k for rows in groups.values() for k in rows[: round(len(rows) * TEST_SHARE)]}
    known = {label for k, row in enumerate(records) if k not in test for label in _labels_of(row)}
    test = {k for k in test if _labels_of(records[k]) <= known}
    learned = {content_of(row) for k, row in enumerate(records) if k not in test}
    test = {k for k in test if content_of(records[k]) not in learned}
    return [row for k, row in enumerate(records) if k not in test], [records[k] for k in sorted(test)]


def _labels_of(row: Record) -> set[str]:
    if isinstance(row, LabelledText):
        return {row.label}
    # The type is what counts: a head has all tags of a type, whichever of them came.
    return {tag.partition("-")[2] if SPAN_TAG.fullmatch(tag) else tag for tag in row.tags}


def examples(records: Sequence[Record]) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The first rows, cut to what fits on a screen: ``(texts or words, labels or tags)``."""
    shown: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for row in records[:_EXAMPLES]:
        if isinstance(row, LabelledText):
            text = row.text if len(row.text) <= _EXAMPLE_LETTERS else f"{row.text[:_EXAMPLE_LETTERS]}…"
            shown.append(((text,), (row.label,)))
        else:
            shown.append((row.tokens[:_EXAMPLE_WORDS], row.tags[:_EXAMPLE_WORDS]))
    return tuple(shown)
