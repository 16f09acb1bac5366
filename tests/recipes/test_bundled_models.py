"""Stale parts of the bundled models, and the order in which they are made again."""

import pytest

from elmo_tasks.errors import DataError
from elmo_tasks.recipes.bundled_models import STEPS, BuildStep, checksum, make, stale

BILM = BuildStep(name="cloze", inputs=("bilm.txt",), commands=())
MEANINGS = BuildStep(name="meanings", inputs=("lexicon/*.txt",), commands=(), after=("cloze",))


@pytest.fixture
def project(tmp_path):
    (tmp_path / "bilm.txt").write_text("weights")
    (tmp_path / "lexicon").mkdir()
    (tmp_path / "lexicon" / "a.txt").write_text("apple")
    return tmp_path


def made(project):
    return {step.name: checksum(step.inputs, project) for step in (BILM, MEANINGS)}


def test_nothing_is_stale_until_an_input_changes_its_content_or_name(project):
    before = made(project)
    assert stale([BILM, MEANINGS], before, project) == []
    (project / "lexicon" / "a.txt").write_text("apples")
    assert stale([BILM, MEANINGS], before, project) == [MEANINGS]
    (project / "lexicon" / "a.txt").write_text("apple")
    (project / "lexicon" / "b.txt").write_text("")
    assert stale([BILM, MEANINGS], before, project) == [MEANINGS]


def test_a_step_after_a_stale_step_is_stale(project):
    before = made(project)
    (project / "bilm.txt").write_text("other weights")
    assert stale([BILM, MEANINGS], before, project) == [BILM, MEANINGS]


def test_a_step_runs_its_commands_and_copies_its_result(project):
    write = "import pathlib; p = pathlib.Path('run'); p.mkdir(); (p / 'head').write_text('new')"
    step = BuildStep(
        name="head", inputs=(), commands=(("-c", write),), copied=("run", "checkpoint")
    )
    make(step, project)
    assert (project / "checkpoint" / "head").read_text() == "new"
    with pytest.raises(DataError, match="missing, which is not part of the project"):
        make(BuildStep(name="x", inputs=(), commands=(), needs=("missing",)), project)


def test_each_step_has_inputs_here_and_comes_after_what_it_reads():
    names = [step.name for step in STEPS]
    nothing = checksum(())
    for step in STEPS:
        assert all(checksum((pattern,)) != nothing for pattern in step.inputs), step.name
        assert all(names.index(before) < names.index(step.name) for before in step.after)
