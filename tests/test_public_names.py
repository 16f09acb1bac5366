"""Public names of ``elmo_tasks``: modules are loaded only when they are needed."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import elmo_tasks

REPOSITORY = Path(__file__).resolve().parents[1]
#: Packages that take a second or more to load, and that neither a plain Elmo nor a prediction
#: needs.
SLOW = {
    "nltk",
    "sklearn",
    "scipy",
    "pandas",
    "matplotlib",
    "gradio",
    "transformers",
    "datasets",
    "pytorch_lightning",
}
SLOW |= {"torchmetrics", "gensim", "h5py"}


def loaded_by(code: str) -> set[str]:
    """The top-level packages that a new Python has after running the code."""
    report = "import sys, json; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    command, environment = (
        [sys.executable, "-c", f"{code}\n{report}"],
        os.environ | {"OMP_NUM_THREADS": "1"},
    )
    printed = subprocess.check_output(
        command, cwd=REPOSITORY, env=environment, text=True, timeout=120
    )
    return set(json.loads(printed.splitlines()[-1]))


def test_each_name_is_there_and_has_a_docstring():
    for name in elmo_tasks.__all__:
        found = getattr(elmo_tasks, name)
        assert elmo_tasks._NAMES[name].endswith(f".{found.__name__}")
        assert found.__doc__
    assert set(elmo_tasks.__all__) == set(elmo_tasks._NAMES)
    assert set(elmo_tasks.__all__) <= set(dir(elmo_tasks))


def test_type_checkers_see_the_same_names():
    module = ast.parse(Path(elmo_tasks.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in module.body if isinstance(node, ast.If)]
    seen = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in block.body
        for alias in node.names
    }
    assert seen == elmo_tasks._NAMES


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'elmo_tasks' has no attribute 'Embedder'"):
        _ = elmo_tasks.Embedder


def test_the_package_and_the_help_load_no_torch():
    assert not {"torch", "numpy", *SLOW} & loaded_by("import elmo_tasks")
    program = "from elmo_tasks.__main__ import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not {"torch", "numpy", *SLOW} & loaded_by(program)


@pytest.mark.ci
@pytest.mark.parametrize(
    "code",
    [
        "from elmo_tasks import Elmo\nElmo.load().encode(['A bank.'])",
        "from elmo_tasks.__main__ import main\n"
        "assert main(['predict', '--head', 'ner-conll2003', 'pyproject.toml', '/dev/null']) == 0",
    ],
    ids=["vectors", "prediction"],
)
def test_vectors_and_predictions_load_nothing_slow(code):
    assert not SLOW & loaded_by(code)


def test_train_refuses_a_malformed_configuration(tmp_path):
    (tmp_path / "mine.yaml").write_text("trainer: {max_epochs: 1}")
    with pytest.raises(
        elmo_tasks.ConfigError,
        match=r"mine.yaml: expected a YAML file with trainer.default_root_dir",
    ):
        elmo_tasks.train(tmp_path / "mine.yaml")
    with pytest.raises(elmo_tasks.ConfigError, match=r"there is no configuration 'no_such'"):
        elmo_tasks.train("no_such")


@pytest.mark.ci
def test_train_returns_the_folder_of_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = {"trainer__accelerator": "cpu", "trainer__precision": "32-true"}
    folder = elmo_tasks.train("ner_sample", run_dir="mine", trainer__max_epochs=1, **small)
    assert folder == tmp_path / "mine"
    assert (folder / "head" / "head.json").is_file()


@pytest.mark.nightly
def test_nearest_answers_as_the_app_does():
    found = elmo_tasks.nearest(
        "bank", "An old willow stood on the left bank of the river.", n=3, only="same"
    )
    assert len(found.uses) == 3
    assert all(use.same_word for use in found.uses)
