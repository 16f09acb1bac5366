"""Checksums of weights on the model card, to detect damaged files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from elmo_tasks.errors import WeightsError
from elmo_tasks.files import read_json, write_json

CARD_NAME, KEY = "card.json", "sha256"
#: Files in which an error would go unnoticed. Settings are excluded, since users may change them.
_WEIGHTS = re.compile(r".*\.(safetensors|hdf5|txt\.xz)")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def sha256(files: Iterable[Path]) -> str:
    """Compute the hexadecimal SHA-256 over the contents of files, in order."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def weights_in(folder: Path) -> list[Path]:
    """List the files of a folder covered by its card: safetensors, HDF5, word lists."""
    return sorted(path for path in folder.iterdir() if _WEIGHTS.fullmatch(path.name))


def write_card(folder: Path, card: Mapping[str, Any] | None = None) -> None:
    """Write a folder's card with the checksums of its weights, last of its files."""
    write_json(folder / CARD_NAME, {**(card or {}), KEY: {path.name: sha256([path]) for path in weights_in(folder)}})


def refresh_card(folder: Path) -> None:
    """Update the checksums on a folder's card, if there is one."""
    if (folder / CARD_NAME).exists():
        write_card(folder, read_json(folder / CARD_NAME))


def verify(files: Iterable[Path]) -> None:
    """Check files against the checksums on the card beside them.

    A folder without a card, or with one that has no checksums, and a file that the card does not name are taken as they are.

    Raises:
        WeightsError: a file has another checksum.
    """
    cards: dict[Path, dict[str, str]] = {}
    for path in files:
        card = path.parent / CARD_NAME
        if card not in cards:
            cards[card] = _checksums_on(card)
        expected = cards[card].get(path.name)
        if expected is not None and (found := sha256([path])) != expected:
            raise WeightsError(
                f"{path}: damaged, or not the file that {CARD_NAME} beside it describes: expected the SHA-256 {expected[:16]}…, "
                f"found {found[:16]}…. Get the folder again from where it came; if the change is yours, run "
                f"`elmo-tasks model checksums {path.parent}`"
            )


def _checksums_on(card: Path) -> dict[str, str]:
    try:
        content = read_json(card)
    except (OSError, ValueError):  # a card that cannot be read says nothing; see elmo_tasks.service.loaded_models
        return {}
    sums = content.get(KEY, {}) if isinstance(content, dict) else {}
    if not isinstance(sums, dict) or not all(isinstance(s, str) and _SHA256.fullmatch(s) for s in sums.values()):
        raise WeightsError(
            f"{card}: '{KEY}' should give the SHA-256 of each file of weights, and does not; run "
            f"`elmo-tasks model checksums {card.parent}`"
        )
    return sums
