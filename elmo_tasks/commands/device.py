"""The argument that says where a command computes."""

from __future__ import annotations

import argparse


def add_device(parser: argparse.ArgumentParser) -> None:
    """Describe ``--device``; :func:`elmo_tasks.layers.device.checked_device` reads it."""
    parser.add_argument("--device", help="cpu, cuda, cuda:1, ... (default: the GPU if there is one, else the CPU)")
