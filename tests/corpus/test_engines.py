"""Blocks are computed once, in any number of processes, even if some are killed."""

import io
import os
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from elmo_tasks.corpus.blocks import TextRow, cut, parquet_content, result_name, unfinished
from elmo_tasks.corpus.engines import Engine, compute
from elmo_tasks.corpus.progress import RowProgress
from elmo_tasks.corpus.reader import BadRows
from elmo_tasks.corpus.store import Store
from elmo_tasks.errors import ConfigError
from tests.corpus.jobs import Lengths

ROWS = [TextRow(k, f"text {k}" + "x" * (k % 9), "in.txt", k + 1) for k in range(60)]
EXPECTED = "".join(f"{row.number} {len(row.text)}\n" for row in ROWS)


def result(job, blocks, store):
    return "".join(store.read(result_name(block, job, ".txt")).decode() for block in blocks)


@pytest.fixture(params=["folder", "address"])
def store(request, tmp_path):
    return Store(str(tmp_path / "s") if request.param == "folder" else f"file://{tmp_path}/s")


def test_blocks_hold_all_rows_and_depend_on_them_alone(store):
    blocks = cut(ROWS, store, 40)
    assert [row for block in blocks for row in block.rows(store)] == ROWS
    assert max(block.n_characters for block in blocks) <= 40
    before = store.names()
    assert cut(iter(ROWS), store, 40) == blocks
    assert store.names() == before
    changed = cut([*ROWS[:-1], ROWS[-1]._replace(text="other")], store, 40)
    assert [a == b for a, b in zip(changed, blocks, strict=True)] == [True] * (len(blocks) - 1) + [
        False
    ]


def test_finished_blocks_are_not_computed_again(store, capsys):
    job = Lengths()
    blocks = compute(job, ROWS, store, Engine(), "lengths", BadRows())
    assert result(job, blocks, store) == EXPECTED
    store.delete(result_name(blocks[2], job, ".txt"))
    assert unfinished(blocks, job, store) == [blocks[2]]
    left = store.names()
    assert compute(job, ROWS, store, Engine(), "lengths", BadRows()) == blocks
    assert store.names() == left | {result_name(blocks[2], job, ".txt")}
    assert "lengths: 57 of 60 rows are there from an earlier run" in capsys.readouterr().err
    assert unfinished(blocks, Lengths(key="of other weights"), store) == blocks
    store.remove()
    assert not store.names()


def test_vectors_are_stored_as_they_are_and_words_compressed():
    values = pa.array(np.arange(12, dtype=np.float16))
    columns = {"text": ["a", "b", "a"], "vector": pa.FixedSizeListArray.from_arrays(values, 4)}
    content = io.BytesIO(parquet_content(columns))
    text, vector = (pq.ParquetFile(content).metadata.row_group(0).column(k) for k in range(2))
    assert (text.compression, vector.compression) == ("SNAPPY", "UNCOMPRESSED")
    assert (text.has_dictionary_page, vector.has_dictionary_page) == (True, False)
    assert not vector.is_stats_set
    assert pq.read_table(content).to_pydict()["vector"] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]


def test_an_interruption_before_the_first_block_leaves_nothing(store):
    def interrupted():
        yield from ROWS[:30]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute(Lengths(), interrupted(), store, Engine(), "lengths", BadRows())
    assert not store.names()


def test_killed_processes_are_replaced(tmp_path):
    job, store = Lengths(die_at=33, died=str(tmp_path / "died")), Store(str(tmp_path / "s"))
    blocks = compute(job, ROWS, store, Engine(workers=2), "lengths", BadRows())
    assert (tmp_path / "died").exists()
    assert result(job, blocks, store) == EXPECTED


def test_processes_that_never_finish_are_given_up(tmp_path):
    job, store = Lengths(die_at=0, died="/nowhere/died"), Store(str(tmp_path / "s"))
    with pytest.raises((ConfigError, FileNotFoundError)):
        compute(job, ROWS[:3], store, Engine(workers=2), "lengths", BadRows())


def test_a_log_gets_lines_with_speed_and_time_left(monkeypatch, capsys):
    monkeypatch.setattr("elmo_tasks.corpus.progress._LOG_SECONDS", 0.0)
    with RowProgress("embed", 100, 1000, done_rows=20) as progress:
        progress.add(20, 250)
        assert (
            progress.line(10.0)
            == "embed: 40 of 100 rows (40%), 2 rows per second, about 30 seconds left"
        )
    assert re.match(
        r"embed: 40 of 100 rows \(40%\), [\d,]+ rows per second, a few seconds left",
        capsys.readouterr().err,
    )


def test_ray_finds_no_cluster():
    pytest.importorskip("ray", reason="Ray is not installed")
    with pytest.raises(ConfigError, match="--ray 127.0.0.1:1: no cluster answers there"):
        list(Engine(ray="127.0.0.1:1").run(Lengths(), [], Store("nowhere")))


@pytest.fixture
def ray():
    module = pytest.importorskip("ray", reason="Ray is not installed")
    yield module
    module.shutdown()


@pytest.mark.nightly
def test_a_node_of_a_cluster_is_killed(tmp_path, ray):
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    try:
        second = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        here = {"env_vars": {"PYTHONPATH": os.getcwd()}}
        ray.init(address=cluster.address, runtime_env=here, log_to_driver=False)
        store, job = Store(str(tmp_path / "s")), Lengths(seconds=0.3, seen=str(tmp_path / "seen"))
        (tmp_path / "seen").mkdir()
        blocks = cut(ROWS, store, job.block_characters)
        for n, _ in enumerate(Engine(ray="auto").run(job, blocks, store), start=1):
            if n == 6:
                assert len(list((tmp_path / "seen").iterdir())) == 2  # both nodes compute
                cluster.remove_node(second)  # kills its processes
        assert len(ray.nodes()) == 2
        assert sum(node["Alive"] for node in ray.nodes()) == 1
        assert not unfinished(blocks, job, store)
        assert result(job, blocks, store) == EXPECTED
    finally:
        ray.shutdown()
        cluster.shutdown()
