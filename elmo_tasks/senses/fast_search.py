"""Fast search of an index by FAISS: inverted lists of 8-bit vectors, memory-mapped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.files import atomic_file, unfinished_folder

#: Below this number of words, comparing them one by one is faster than searching lists.
MIN_WORDS = 200_000
_NAME = re.compile(r"layer-(\d+)\.faiss")
#: Number of training vectors per list, and number of vectors added at once.
_PER_LIST = 40
_AT_ONCE = 250_000
#: Share of the lists that is searched: a larger share is more accurate and slower.
_SEARCHED_SHARE = 0.03
_MIN_SEARCHED = 16
VectorBlocks = Iterable[tuple[NDArray[np.int64], NDArray[np.float32]]]


@dataclass(frozen=True)
class FastSearch:
    """Fast search of one layer; it finds candidates, whose exact order the caller computes."""

    index: Any  #: of FAISS

    @classmethod
    def of(cls, folder: Path) -> dict[int, FastSearch]:
        """Open the fast searches in the folder of an index; none without FAISS."""
        found = {
            int(m[1]): path for path in folder.glob("*.faiss") if (m := _NAME.fullmatch(path.name))
        }
        if not found or find_spec("faiss") is None:
            return {}
        import faiss

        flags = faiss.IO_FLAG_ONDISK_SAME_DIR | faiss.IO_FLAG_READ_ONLY
        opened = {}
        for layer, path in found.items():
            # Lists in a file of their own are always mapped; this flag would leave them out.
            joined = path.with_suffix(".ivfdata").exists()
            flag = flags if joined else flags | faiss.IO_FLAG_MMAP
            opened[layer] = cls(faiss.read_index(str(path), flag))
        return opened

    def nearest(
        self, direction: NDArray[np.float32], n: int, rows: NDArray[np.int64], among: str
    ) -> NDArray[np.int64]:
        """Return up to ``n`` rows near a direction ``[D]``.

        ``among`` is ``"all"``, or ``"same"`` for ``rows`` alone, or ``"other"``.
        """
        import faiss

        n_lists = self.index.nlist
        parameters = faiss.SearchParametersIVF()
        parameters.nprobe = min(n_lists, max(_MIN_SEARCHED, round(_SEARCHED_SHARE * n_lists)))
        if among != "all":
            selector = faiss.IDSelectorBatch(rows)
            parameters.sel = selector if among == "same" else faiss.IDSelectorNot(selector)
        _, found = self.index.search(direction[None], n, params=parameters)
        return np.asarray(found[0][found[0] >= 0], np.int64)


def write_fast_search(
    folder: Path, layer: int, n_words: int, vectors: Callable[[], VectorBlocks]
) -> None:
    """Build the fast search of a layer in parts, so that memory does not grow with the index.

    Args:
        folder: of the index.
        layer: its number.
        n_words: number of words.
        vectors: yields the rows of words and their vectors of length 1, each time that it is
            called.
    """
    import faiss
    from faiss.contrib.ondisk import merge_ondisk

    n_lists = int(2 ** np.round(np.log2(2 * np.sqrt(max(n_words, 1)))))
    share = min(1.0, _PER_LIST * n_lists / max(n_words, 1))
    random = np.random.default_rng(0)
    sample = np.concatenate([part[random.random(len(part)) < share] for _, part in vectors()])
    width = sample.shape[1]
    trained: Any = faiss.index_factory(
        width, f"IVF{min(n_lists, len(sample))},SQ8", faiss.METRIC_INNER_PRODUCT
    )
    trained.cp.min_points_per_centroid = 1
    trained.train(sample)
    del sample
    name = f"layer-{layer}.faiss"
    with unfinished_folder(folder / name) as partial:
        parts = [
            str(_part(trained, partial, number, rows, v))
            for number, (rows, v) in enumerate(_joined(vectors()))
        ]
        data = folder / f"layer-{layer}.ivfdata"
        if len(parts) == 1:
            whole = faiss.read_index(parts[0])
        else:
            whole = faiss.clone_index(trained)
            merge_ondisk(whole, parts, str(data))
        with atomic_file(folder / name) as target:
            faiss.write_index(whole, str(target))


def _joined(vectors: VectorBlocks) -> VectorBlocks:
    """Join the vectors of blocks until they are enough for a part."""
    rows: list[NDArray[np.int64]] = []
    parts: list[NDArray[np.float32]] = []
    n = 0
    for of_block, part in vectors:
        rows.append(of_block)
        parts.append(part)
        n += len(part)
        if n >= _AT_ONCE:
            yield np.concatenate(rows), np.concatenate(parts)
            rows = []
            parts = []
            n = 0
    if n:
        yield np.concatenate(rows), np.concatenate(parts)


def _part(
    trained: Any, folder: Path, number: int, rows: NDArray[np.int64], vectors: NDArray[np.float32]
) -> Path:
    import faiss

    part = faiss.clone_index(trained)
    part.add_with_ids(vectors, rows)
    path = folder / f"part-{number}"
    faiss.write_index(part, str(path))
    return path
