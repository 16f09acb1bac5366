"""The list of tests, and their run on an encoder."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.evaluation import geometry, probing, word_in_context
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.results import Evaluation, ResultRow

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LayerTest:
    """A measurement of the layers of an encoder on published data."""

    measure: Callable[[Reader, Path], list[ResultRow]]
    files: tuple[str, ...]  #: in the data folder
    of_uses: bool = True  #: True for tests of uses in every view; other tests read only the layers


TESTS = {
    "order": LayerTest(geometry.ordering, ()),
    "wic": LayerTest(word_in_context.wic, word_in_context.WIC),
    "mclwic": LayerTest(word_in_context.mcl_wic, word_in_context.MCL_WIC),
    "cosimlex": LayerTest(word_in_context.graded_similarity, word_in_context.COSIMLEX),
    "coarsewsd": LayerTest(word_in_context.coarse_wsd, word_in_context.COARSE_WSD),
    "wsd": LayerTest(word_in_context.all_words, word_in_context.ALL_WORDS),
    "senseval": LayerTest(word_in_context.senseval, word_in_context.SENSEVAL),
    "pos": LayerTest(probing.parts_of_speech, probing.POS, of_uses=False),
    "chunks": LayerTest(probing.chunks, probing.CHUNKS, of_uses=False),
    "ner": LayerTest(probing.entities, probing.NER, of_uses=False),
    "sentiment": LayerTest(probing.sentiment, probing.SST2, of_uses=False),
    "geometry": LayerTest(geometry.cosines, geometry.COSINE_FILES),
}


def to_measure(
    data: Path, only: Sequence[str] = (), among: Sequence[str] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Select the requested tests that have data; explain why others cannot run."""
    among = tuple(TESTS) if among is None else among
    if unknown := [name for name in only if name not in among]:
        raise ConfigError(f"no test is called {', '.join(unknown)}; expected {', '.join(among)}")
    absent = {
        name: file
        for name in among
        for file in TESTS[name].files[::-1]
        if not (data / file).is_file()
    }
    for name in only:
        if name in absent:
            raise DataError(
                f"{name} cannot be measured: {data / absent[name]}: no such file; --data says where"
                " the data are"
            )
    selected = [name for name in among if name not in absent and (not only or name in only)]
    return selected, {name: f"{file} is not here" for name, file in absent.items() if not only}


def evaluate(
    reader: Reader, data: Path, only: Sequence[str] = (), first: Sequence[ResultRow] = ()
) -> Evaluation:
    """Run every test that has data; rows measured elsewhere come first."""
    tests, missing = to_measure(data, only)
    rows, seconds = list(first), {}
    for name in tests:
        start = time.process_time()
        rows += TESTS[name].measure(reader, data)
        seconds[name] = round(time.process_time() - start, 1)
        _log.info("%s: %.1f seconds of processor time", name, seconds[name])
    encoder = reader.encoder
    return Evaluation(
        model=encoder.name,
        checksum=encoder.checksum,
        views=reader.views,
        rows=tuple(rows),
        missing=missing,
        seconds=seconds,
    )
