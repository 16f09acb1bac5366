"""A published model small enough for a test, and its two files."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from elmo_tasks.bilm.published import PublishedModel

TINY = PublishedModel("small", "tiny", dim=6, projection_dim=5, n_highway=1, filters=((1, 4), (2, 8)))
#: What lies in its folder once it is downloaded.
COMPLETE = {TINY.options_name, TINY.weights_name, f"{TINY.weights_name}.sha256"}


def write_copies(folder: Path) -> Path:
    """Both files, under their published names."""
    write_published_layout(folder / TINY.weights_name, TINY)
    (folder / TINY.options_name).write_text(TINY.options_text)
    return folder


def write_published_layout(path: Path, model: PublishedModel) -> None:
    numbers = np.random.default_rng(0)
    n_filters = sum(number for _, number in model.filters)
    shapes: dict[str, tuple[int, ...]] = {
        "char_embed": (261, 16),
        "CNN_proj/W_proj": (n_filters, model.projection_dim),
        "CNN_proj/b_proj": (model.projection_dim,),
    }
    for i, (width, number) in enumerate(model.filters):
        shapes[f"CNN/W_cnn_{i}"], shapes[f"CNN/b_cnn_{i}"] = (1, width, 16, number), (number,)
    for k in range(model.n_highway):
        for gate in ("carry", "transform"):
            shapes[f"CNN_high_{k}/W_{gate}"], shapes[f"CNN_high_{k}/b_{gate}"] = (n_filters, n_filters), (n_filters,)
    for direction in range(2):
        for layer in range(model.n_layers):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            shapes[f"{cell}/W_0"] = (2 * model.projection_dim, 4 * model.dim)
            shapes[f"{cell}/B"] = (4 * model.dim,)
            shapes[f"{cell}/W_P_0"] = (model.dim, model.projection_dim)
    assert sum(np.prod(shape) for shape in shapes.values()) == model.parameters
    with h5py.File(path, "w") as file:
        for name, shape in shapes.items():
            file.create_dataset(name, data=numbers.standard_normal(shape, dtype=np.float32))
