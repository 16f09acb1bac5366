"""A published model small enough for a test, and its two files."""

from pathlib import Path

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import write_hdf5
from elmo_tasks.bilm.published import PublishedModel

FILTERS = ((1, 4), (2, 8))
TINY = PublishedModel("small", "tiny", dim=6, projection_dim=5, n_highway=1, n_parameters=6061, filters=FILTERS)
#: What lies in its folder once it is downloaded.
COMPLETE = {TINY.options_name, TINY.weights_name, "card.json"}


def write_copies(folder: Path) -> Path:
    """Both files, under their published names."""
    write_hdf5(folder / TINY.weights_name, BiLM(TINY.options))
    (folder / TINY.options_name).write_text(TINY.options_text)
    return folder
