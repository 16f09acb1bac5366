"""Arguments that several commands have."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add ``--device`` to a parser; see :func:`checked_device`."""
    parser.add_argument("--device", help="cpu, cuda, cuda:1, ... (default: the GPU if there is one, else the CPU)")


def data_folder(given: Path | None) -> Path:
    """Return the data folder: given, from ``ELMO_SHARED_DATA``, or the default."""
    return given or Path(os.environ.get("ELMO_SHARED_DATA", "../shared/data"))
