"""Whether two files are those of a published model: their size, their beginning, and what they say they hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from elmo_tasks.bilm.published import PublishedModel
from elmo_tasks.errors import ConfigError, WeightsError

#: Compares an options file with a weights file; raises WeightsError.
Structure = Callable[[Path, Path], None]

_GIVES_SHAPES = (
    ("lstm", "dim"),
    ("lstm", "projection_dim"),
    ("lstm", "n_layers"),
    ("char_cnn", "n_highway"),
    ("char_cnn", "filters"),
)


def check_files(model: PublishedModel, options: Path, weights: Path, structure: Structure | None = None) -> None:
    """Check that these are the files of this model.

    Args:
        model: what they should be.
        options: the options file, under any name.
        weights: the weights file, under any name.
        structure: compares the two, in place of the real comparison of HDF5 with options.

    Raises:
        WeightsError: they are not; the text says which file is wrong, and in what.
    """
    check_options(model, options)
    _check_not_a_page(weights)
    size = weights.stat().st_size
    if model.weights_bytes is not None and size != model.weights_bytes:
        raise WeightsError(f"the weights have {size:,} bytes; the published file has {model.weights_bytes:,}.")
    if size < model.smallest_bytes:
        raise WeightsError(
            f"the weights have {size:,} bytes; {model.parameters:,} float32 numbers need {model.smallest_bytes:,}."
        )
    (structure or _check_structure)(options, weights)


def check_options(model: PublishedModel, options: Path) -> None:
    """Check that an options file gives this model's shapes.

    Raises:
        WeightsError: it does not.
    """
    _check_not_a_page(options)
    try:
        found = json.loads(options.read_text(encoding="utf-8"))
    except ValueError as error:  # not JSON, or not even text
        raise WeightsError(f"the options are not JSON: {error}.") from error
    expected = json.loads(model.options_text)
    for section, key in _GIVES_SHAPES:
        try:
            value = found[section][key]
        except (KeyError, TypeError) as error:
            raise WeightsError(f"the options are not a biLM's: there is no {section}.{key}.") from error
        if value != expected[section][key]:
            raise WeightsError(
                f"the options are not those of {model.name}: {section}.{key} should be {expected[section][key]} "
                f"and is {value}."
            )


def is_page(head: bytes) -> bool:
    """Whether a file's beginning is a web page's (or an XML error's), where JSON or HDF5 was asked for."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _check_structure(options: Path, weights: Path) -> None:
    from elmo_tasks.bilm.hdf5 import check_hdf5  # h5py is slow to import, and not needed to fail early
    from elmo_tasks.bilm.options import BiLMOptions

    try:
        check_hdf5(weights, BiLMOptions.load(options))
    except ConfigError as error:  # the options came with the weights; no setting of the user's is at fault
        raise WeightsError(str(error)) from error


def _check_not_a_page(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(512)
    if is_page(head):
        beginning = " ".join(head.decode("utf-8", errors="replace").split())[:60]
        raise WeightsError(f"this is a web page (HTML or XML), not a model file: it begins with {beginning!r}.")
