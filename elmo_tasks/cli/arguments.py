"""Arguments of several commands."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def add_model(parser: argparse._ActionsContainer) -> None:
    """Add ``--model``."""
    parser.add_argument("--model", help="name or folder of a model (default: the bundled one)")


def add_device(parser: argparse._ActionsContainer) -> None:
    """Add ``--device``; see :func:`elmo_tasks.layers.checked_device`."""
    parser.add_argument("--device", help="cpu, cuda, cuda:1, ... (default: the GPU if there is one, else the CPU)")


def add_precision(parser: argparse._ActionsContainer, *, bf16: bool = False) -> None:
    """Add ``--precision``, with bfloat16 for commands that only encode."""
    choices = ("float32", "bf16", "int8") if bf16 else ("float32", "int8")
    hint = "bf16 is faster where the processor computes in bfloat16, int8" if bf16 else "int8 is faster"
    text = f"of the products; {hint} on a CPU where a biLM is large (default: float32)"
    parser.add_argument("--precision", choices=choices, default="float32", help=text)


def add_lexicon(parser: argparse.ArgumentParser) -> None:
    """Add ``--lexicon``."""
    text = "dictionary file whose entries add to those of the program, or take their place"
    parser.add_argument("--lexicon", type=Path, metavar="FILE", help=text)


def add_no_calibration(parser: argparse._ActionsContainer) -> None:
    """Add ``--no-calibration``."""
    text = "do not calibrate a model that came without a calibration; nothing is said of meanings then"
    parser.add_argument("--no-calibration", action="store_true", help=text)


def data_folder(path: Path | None) -> Path:
    """Return the data folder: given, from ``ELMO_SHARED_DATA``, or the default."""
    return path or Path(os.environ.get("ELMO_SHARED_DATA", "../shared/data"))
