"""Time and memory of a head, in a process of its own."""

from pathlib import Path

import pytest

from elmo_tasks.training.head_cost import cost_of
from tests.training.toy_task import write_encoder, write_untrained


@pytest.mark.slow  # a new process imports PyTorch
def test_a_head_is_measured_on_as_many_sentences_as_asked(tmp_path: Path) -> None:
    head = write_untrained(tmp_path / "head", write_encoder(tmp_path / "toy"))
    found = cost_of(head, [("Ada", "went", "to", "Rome", ".")] * 3, n=40)
    assert found.sentences == 40
    assert 0 < found.seconds < 600
    assert found.memory is None or 50 * 2**20 < found.memory < 8 * 2**30
