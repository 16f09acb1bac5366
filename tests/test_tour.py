"""The notebook runs completely and prints the stored output, except for digits."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

REPOSITORY = Path(__file__).resolve().parents[1]
NOTEBOOK = REPOSITORY / "examples" / "tour.ipynb"


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    outputs = [
        "".join(o.get("text", "") for o in c.outputs)
        for c in notebook.cells
        if c.cell_type == "code"
    ]
    return [re.sub(r"\d+", "0", text) for text in outputs]


@pytest.mark.nightly
def test_the_tour_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    kept = printed(notebook)
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    assert printed(notebook) == kept
    assert (tmp_path / "runs" / "tour" / "head" / "card.json").is_file()


def test_it_is_kept_with_its_outputs_and_without_places():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not [
        c.outputs
        for c in notebook.cells
        if c.get("outputs") and c.outputs[0].output_type == "error"
    ]
    assert sum(bool(text) for text in printed(notebook)) >= 5
    assert "/home/" not in NOTEBOOK.read_text(encoding="utf-8")
