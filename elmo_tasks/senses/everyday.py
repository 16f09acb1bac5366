"""Sixty unconnected everyday sentences, written for this project: what two random words have in common is measured on them."""

from __future__ import annotations

from pathlib import Path

_FILE = Path(__file__).with_name("everyday.txt")


def everyday_sentences() -> list[str]:
    """The sentences."""
    return _FILE.read_text(encoding="utf-8").splitlines()
