"""Groups of sentences of similar length, which need little padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def by_length(
    lengths: Sequence[int], max_sentences: int, max_tokens: int, longest_first: bool = False
) -> Iterator[list[int]]:
    """Group sentence numbers by length; ``max_tokens`` counts padding."""
    batch: list[int] = []
    for k in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=longest_first):
        longest = max(lengths[k], lengths[batch[0]]) if batch else 0
        if batch and (len(batch) == max_sentences or longest * (len(batch) + 1) > max_tokens):
            yield batch
            batch = []
        batch.append(k)
    if batch:
        yield batch
