"""Arguments that several commands have."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add ``--device`` to a parser; see :func:`checked_device`."""
    parser.add_argument("--device", help="cpu, cuda, cuda:1, ... (default: the GPU if there is one, else the CPU)")


def add_precision(parser: argparse.ArgumentParser) -> None:
    """Describe ``--precision`` of a biLM's products."""
    parser.add_argument(
        "--precision",
        choices=("float32", "int8"),
        default="float32",
        help="of a biLM's matrix products; int8 is faster on a CPU where the model is large (default: float32)",
    )


def add_lexicon(parser: argparse.ArgumentParser) -> None:
    """Describe ``--lexicon``."""
    parser.add_argument(
        "--lexicon",
        type=Path,
        metavar="FILE",
        help="dictionary file whose entries add to those of the program, or take their place",
    )


def data_folder(given: Path | None) -> Path:
    """Return the data folder: given, from ``ELMO_SHARED_DATA``, or the default."""
    return given or Path(os.environ.get("ELMO_SHARED_DATA", "../shared/data"))
