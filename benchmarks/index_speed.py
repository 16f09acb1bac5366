"""Search in a large index: FAISS and usearch beside comparing with all vectors.

The vectors are those of a text, or, with ``--synthetic``, any number that are drawn near them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from elmo_tasks.senses.fast_search import FastSearch, VectorBlocks, write_fast_search
from elmo_tasks.senses.index_files import IndexJob, build_files
from elmo_tasks.senses.use_index import UseIndex

_QUERIES = 100
_FOUND = 20
_PART = 100_000
_MANY = 6_000_000
_STORED = "vectors.f16"


def main() -> None:
    """Build, search, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--index", type=Path, help="an index that `elmo-tasks index` wrote, in place of --text"
    )
    parser.add_argument("--text", type=Path, help="text, one sentence a line")
    parser.add_argument(
        "--words", type=int, default=300_000, help="number of words to read (default: 300,000)"
    )
    parser.add_argument(
        "--synthetic", type=int, default=0, help="number of vectors to draw near those of the text"
    )
    parser.add_argument("--usearch", action="store_true", help="measure usearch, too")
    parser.add_argument(
        "--map", nargs="+", metavar="WORD", default=[], help="draw the sense maps of these words"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index = (
            UseIndex(args.index)
            if args.index
            else _built(args.text, args.words, Path(folder) / "index")
        )
        layer = index.description.n_layers - 1
        if args.synthetic:
            vectors: Callable[[], VectorBlocks] = partial(_synthetic, index, layer, args.synthetic)
        else:
            vectors = partial(index.word_vectors, layer)
        if args.map:
            _measure_maps(index.folder, args.map)
            return
        _measure(vectors, Path(folder), layer, usearch=args.usearch)


def _built(text: Path, n_words: int, folder: Path) -> UseIndex:
    from elmo_tasks.text.vocabulary import open_text

    lines, n = [], 0
    for line in open_text(text):
        lines.append(line)
        n += len(line.split())
        if n >= n_words:
            break
    job = IndexJob()
    began, encoding = time.perf_counter(), time.process_time()
    build_files(job, lines, folder, "speed")
    print(f"encoding and writing {n:,} words: {time.perf_counter() - began:.0f} s, ", end="")
    print(f"{time.process_time() - encoding:.0f} s of processor time")
    return UseIndex(folder)


def _synthetic(
    index: UseIndex, layer: int, n: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Draw vectors between two of the text, which lie in the same directions but are no copies."""
    real = np.concatenate([part for _, part in index.word_vectors(layer)])
    for start in range(0, n, _PART):
        random = np.random.default_rng(start)
        size = min(_PART, n - start)
        first, second = random.integers(len(real), size=(2, size))
        share = random.uniform(0.0, 0.35, (size, 1)).astype(np.float32)
        drawn = real[first] * (1 - share) + real[second] * share
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        yield np.arange(start, start + size), drawn


def _measure(
    vectors: Callable[[], VectorBlocks], folder: Path, layer: int, *, usearch: bool
) -> None:
    n, width = 0, 0
    random = np.random.default_rng(0)
    queries: list[NDArray[np.float32]] = []
    stored = folder / _STORED  # the exact order is computed from it, as in an index
    row_of: list[NDArray[np.int64]] = []
    with stored.open("wb") as file:
        for rows, part in vectors():
            file.write(part.astype(np.float16).tobytes())
            row_of.append(rows)
            queries.append(part[random.choice(len(part), min(20, len(part)), replace=False)])
            n, width = n + len(part), part.shape[1]
    exact = np.memmap(stored, np.float16, "r", shape=(n, width))
    rows = np.concatenate(row_of)
    queried = np.concatenate(queries)
    queried = queried[random.choice(len(queried), min(_QUERIES, len(queried)), replace=False)]
    # If the vectors do not fit into memory, each query reads all of them from the disk.
    n_exact = 20 if n <= _MANY else 5
    expected, seconds = _timed(lambda q: rows[_exact(exact, q)], queried[:n_exact])
    print(f"{n:,} vectors of {width}")
    print(
        f"| search | built in | on disk | recall@{_FOUND} | median | memory of its own |"
        " with mapped files |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    _row("all compared", 0.0, stored.stat().st_size, 1.0, seconds, _memory())
    began = time.perf_counter()
    write_fast_search(folder, layer, n, vectors)
    built = time.perf_counter() - began
    size = sum(path.stat().st_size for path in folder.glob(f"layer-{layer}.*") if path.is_file())
    # In a separate process, whose memory is that of the search alone.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
        task = child.submit(_search_by_faiss, folder, layer, width, rows, queried)
        n_lists, found, seconds, memory = task.result()
    _row(f"FAISS IVF{n_lists},SQ8", built, size, _recall(found, expected), seconds, memory)
    if usearch:
        _measure_usearch(exact, rows, queried, expected, folder)


def _measure_maps(folder: Path, words: list[str]) -> None:
    """Time the sense map of each word, with the models in memory."""
    from elmo_tasks.api import MapRequest
    from elmo_tasks.service.session import Session

    index, session = UseIndex(folder), Session(index=folder)
    session.sense_map(MapRequest("bank"))  # loads what is loaded once
    for word in words:
        began = time.perf_counter()
        n = len(index.rows_of(word))
        found = time.perf_counter() - began
        began, used = time.perf_counter(), time.process_time()
        shown = session.sense_map(MapRequest(word, index=True))
        print(
            f"{word}: {n:,} uses in {len(index):,} words, found in {1e3 * found:.0f} ms; map of"
            f" {len(shown.uses)} in {time.perf_counter() - began:.1f} s"
            f" ({time.process_time() - used:.1f} s of processor time)",
            flush=True,
        )


def _search_by_faiss(
    folder: Path, layer: int, width: int, rows: NDArray[np.int64], queried: NDArray[np.float32]
) -> tuple[int, list[Any], float, tuple[float, float]]:
    exact = np.memmap(folder / _STORED, np.float16, "r", shape=(len(rows), width))
    fast = FastSearch.of(folder)[layer]
    nothing = np.zeros(0, np.int64)

    def search(query: NDArray[np.float32]) -> NDArray[np.int64]:
        found = fast.nearest(query, 8 * _FOUND + 64, nothing, "all")
        return _ranked(exact, query, np.searchsorted(rows, found), rows)

    found, seconds = _timed(search, queried)
    return fast.index.nlist, found, seconds, _memory()


def _measure_usearch(
    exact: Any,
    rows: NDArray[np.int64],
    queried: NDArray[np.float32],
    expected: list[Any],
    folder: Path,
) -> None:
    from usearch.index import Index

    began = time.perf_counter()
    index: Any = Index(ndim=exact.shape[1], metric="cos", dtype="i8", connectivity=16)
    for start in range(0, len(exact), _PART):
        part = np.asarray(exact[start : start + _PART], np.float32)
        index.add(np.arange(start, start + len(part)), part)
    index.save(str(folder / "usearch"))
    built = time.perf_counter() - began
    del index
    mapped: Any = Index.restore(str(folder / "usearch"), view=True)
    mapped.expansion_search = 256

    def by_usearch(query: NDArray[np.float32]) -> NDArray[np.int64]:
        found = np.asarray(mapped.search(query, 8 * _FOUND + 64).keys, np.int64)
        return _ranked(exact, query, found, rows)

    found, seconds = _timed(by_usearch, queried)
    size = (folder / "usearch").stat().st_size
    _row("usearch HNSW, i8", built, size, _recall(found, expected), seconds, _memory())


def _exact(vectors: Any, query: NDArray[np.float32]) -> NDArray[np.int64]:
    cosines = np.concatenate(
        [vectors[k : k + _PART].astype(np.float32) @ query for k in range(0, len(vectors), _PART)]
    )
    near = np.argpartition(-cosines, _FOUND)[:_FOUND]
    return np.asarray(near[np.argsort(-cosines[near])], np.int64)


def _ranked(
    vectors: Any, query: NDArray[np.float32], places: NDArray[np.int64], rows: NDArray[np.int64]
) -> Any:
    cosines = vectors[places].astype(np.float32) @ query
    return rows[places[np.argsort(-cosines)[:_FOUND]]]


def _timed(
    search: Callable[[NDArray[np.float32]], Any], queried: NDArray[np.float32]
) -> tuple[list[Any], float]:
    search(queried[0])
    found, seconds = [], []
    for query in queried:
        began = time.perf_counter()
        found.append(search(query))
        seconds.append(time.perf_counter() - began)
    return found, float(np.median(seconds))


def _recall(found: list[Any], expected: list[Any]) -> float:
    return float(
        np.mean([len(set(a) & set(b)) / _FOUND for a, b in zip(found, expected, strict=False)])
    )


def _memory() -> tuple[float, float]:
    """Return the memory of this process in GB, without and with its pages of mapped files.

    The system takes such pages back when others need the memory.
    """
    found = psutil.Process().memory_info()
    return (found.rss - found.shared) / 1e9, found.rss / 1e9


def _row(
    name: str,
    built: float,
    size: int,
    recall: float,
    seconds: float,
    memory: tuple[float, float],
) -> None:
    print(
        f"| {name} | {built:.0f} s | {size / 1e6:,.0f} MB | {recall:.3f} | {1e3 * seconds:.1f} ms |"
        f" {memory[0]:.2f} GB | {memory[1]:.2f} GB |",
        flush=True,
    )


if __name__ == "__main__":
    main()
