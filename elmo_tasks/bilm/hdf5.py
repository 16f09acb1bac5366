"""Published file format: HDF5 weights in the orientation of bilm-tf (TensorFlow).

Matrices are ``[in, out]``; LSTM gates come in the order input, candidate, forget, output; 1 is
added to the forget gate when it is used; the row of the character table that means "no character"
is not in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.options import BiLMOptions, LSTMOptions
from elmo_tasks.errors import WeightsError
from elmo_tasks.files import atomic_write
from elmo_tasks.weights.safetensors_files import shape_problems

Array = NDArray[Any]


@dataclass(frozen=True)
class _Entry:
    """Dataset of the file and the parameters it belongs to."""

    shape: tuple[int, ...]
    parameters: tuple[str, ...]
    read: Callable[[Array], Iterable[Array]]  # dataset -> parameters
    write: Callable[..., Array]  # parameters -> dataset


def _vector(size: int, parameter: str) -> _Entry:
    """Return a dataset that is stored as it is."""
    return _Entry(
        shape=(size,),
        parameters=(parameter,),
        read=lambda array: [array],
        write=lambda array: array,
    )


def _matrix(n_in: int, n_out: int, parameter: str) -> _Entry:
    """Return a dataset ``[in, out]`` of a parameter ``[out, in]``."""
    return _Entry(
        shape=(n_in, n_out),
        parameters=(parameter,),
        read=lambda array: [array.T],
        write=lambda array: array.T,
    )


def _layout(options: BiLMOptions) -> dict[str, _Entry]:
    """Return the datasets by HDF5 name for a biLM with these options."""
    return _token_encoder(options) | _lstms(options.lstm)


def _token_encoder(options: BiLMOptions) -> dict[str, _Entry]:
    cnn = options.char_cnn
    n_filters = cnn.n_filters
    width = options.lstm.projection_dim
    entries = {
        "char_embed": _Entry(
            shape=(261, cnn.embedding_dim),
            parameters=("token_encoder.embedding.weight",),
            read=lambda array: [
                np.concatenate([np.zeros((1, array.shape[1]), array.dtype), array])
            ],
            write=lambda array: array[1:],
        )
    }
    for k, (filter_width, number) in enumerate(cnn.filters):
        convolution = f"token_encoder.convolutions.{k}"
        entries[f"CNN/W_cnn_{k}"] = _Entry(
            shape=(1, filter_width, cnn.embedding_dim, number),
            parameters=(f"{convolution}.weight",),
            # [1, width, embedding, filters] -> [filters, embedding, width]
            read=lambda array: [array[0].transpose(2, 1, 0)],
            write=lambda array: array.transpose(2, 1, 0)[None],
        )
        entries[f"CNN/b_cnn_{k}"] = _vector(number, f"{convolution}.bias")
    for k in range(cnn.n_highway):
        for gate in ("carry", "transform"):
            linear = f"token_encoder.highways.{k}.{gate}"
            entries[f"CNN_high_{k}/W_{gate}"] = _matrix(n_filters, n_filters, f"{linear}.weight")
            entries[f"CNN_high_{k}/b_{gate}"] = _vector(n_filters, f"{linear}.bias")
    entries["CNN_proj/W_proj"] = _matrix(n_filters, width, "token_encoder.projection.weight")
    entries["CNN_proj/b_proj"] = _vector(width, "token_encoder.projection.bias")
    return entries


def _lstms(lstm: LSTMOptions) -> dict[str, _Entry]:
    cells = lstm.dim
    width = lstm.projection_dim
    entries: dict[str, _Entry] = {}
    for number, direction in enumerate(("forward_lm", "backward_lm")):
        for k in range(lstm.n_layers):
            cell = f"RNN_{number}/RNN/MultiRNNCell/Cell{k}/LSTMCell"
            layer = f"{direction}.layers.{k}"
            entries[f"{cell}/W_0"] = _Entry(
                shape=(2 * width, 4 * cells),  # the rows of the input, then those of the state
                parameters=(f"{layer}.weight_ih_l0", f"{layer}.weight_hh_l0"),
                read=lambda array: np.split(_swap_gates(array.T), 2, axis=1),
                write=lambda *parts: _swap_gates(np.concatenate(parts, axis=1)).T,
            )
            entries[f"{cell}/B"] = _Entry(
                shape=(4 * cells,),
                parameters=(f"{layer}.bias_ih_l0", f"{layer}.bias_hh_l0"),
                read=lambda array: [_swap_gates(array) + _forget_one(array), np.zeros_like(array)],
                write=lambda first, second: _swap_gates(first + second - _forget_one(first)),
            )
            entries[f"{cell}/W_P_0"] = _matrix(cells, width, f"{layer}.weight_hr_l0")
    return entries


def _swap_gates(array: Array) -> Array:
    """Swap the second and third of four gates, along the first axis."""
    first, second, third, fourth = np.split(array, 4)
    return np.concatenate([first, third, second, fourth])


def _forget_one(array: Array) -> Array:
    """Return the 1 that is added to the forget gate, the second in our order."""
    one = np.zeros_like(array)
    one[len(array) // 4 : len(array) // 2] = 1.0
    return one


def check_hdf5(path: Path, options: BiLMOptions) -> None:
    """Raise a WeightsError unless a file has the names and shapes that the options ask for."""
    with _open(path, options):
        pass


def read_hdf5(path: Path, options: BiLMOptions) -> dict[str, Tensor]:
    """Read published weights that fit the options, as a state dict for :class:`BiLM`."""
    state: dict[str, Tensor] = {}
    with _open(path, options) as file:
        for name, entry in _layout(options).items():
            try:
                array = np.asarray(file[name][()], np.float32)
            except OSError as error:
                raise WeightsError(
                    f"{path}: '{name}' cannot be read ({error}); is the file cut short?"
                ) from None
            if not np.isfinite(array).all():
                raise WeightsError(
                    f"{path}: '{name}' holds numbers that are not finite (NaN or infinity)"
                )
            for parameter, value in zip(entry.parameters, entry.read(array), strict=True):
                state[parameter] = torch.from_numpy(np.ascontiguousarray(value))
    return state


def write_hdf5(path: Path, bilm: BiLM) -> None:
    """Write weights in the published format, float32, atomically."""
    state = {name: value.float().cpu().numpy() for name, value in bilm.state_dict().items()}
    # In memory first: HDF5 that meets a full disk prints tracebacks and ends the process.
    with h5py.File(path.name, "w", driver="core", backing_store=False) as file:
        for name, entry in _layout(bilm.options).items():
            data = entry.write(*(state[parameter] for parameter in entry.parameters))
            file.create_dataset(name, data=np.ascontiguousarray(data))
        file.flush()
        content = file.id.get_file_image()
    atomic_write(path, content)


@contextmanager
def _open(path: Path, options: BiLMOptions) -> Iterator[h5py.File]:
    """Open a file whose names and shapes match the options."""
    if not path.exists():
        raise WeightsError(f"{path}: no such file; expected the weights of a biLM in HDF5")
    if not h5py.is_hdf5(path):
        with path.open("rb") as file:
            start = file.read(16)
        raise WeightsError(f"{path}: not an HDF5 file; it begins with {start!r}")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise WeightsError(f"{path}: the HDF5 file is broken or cut short ({error})") from None
    with file:
        shapes: dict[str, tuple[int, ...]] = {}
        file.visititems(
            lambda name, item: shapes.update(
                {name: item.shape} if isinstance(item, h5py.Dataset) else {}
            )
        )
        # bilm-tf's own dumps may hold the softmax too, which the encoder does not use.
        problems = shape_problems(
            {name: entry.shape for name, entry in _layout(options).items()},
            {name: shape for name, shape in shapes.items() if "softmax" not in name},
        )
        if problems:
            raise WeightsError(f"{path}: the weights do not fit the options: {problems}")
        yield file
