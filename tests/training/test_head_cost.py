"""Time and memory of a head, in a process of its own."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from elmo_tasks.training import head_cost
from elmo_tasks.training.head_cost import cost_of
from tests.training.toy_task import write_encoder, write_untrained


@pytest.mark.slow  # a new process imports PyTorch
def test_a_head_is_measured_on_as_many_sentences_as_asked(tmp_path: Path) -> None:
    head = write_untrained(tmp_path / "head", write_encoder(tmp_path / "toy"))
    found = cost_of(head, [("Ada", "went", "to", "Rome", ".")] * 3, n=40)
    assert found.sentences == 40
    assert 0 < found.seconds < 600
    assert found.memory is None or 50 * 2**20 < found.memory < 8 * 2**30


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hand the parent's peak on")
def test_what_the_process_before_it_had_does_not_count() -> None:
    held = b"x" * 1_500_000_000
    del held
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        assert alone.submit(head_cost.peak_memory).result() < 1_200_000_000
