"""Folders of weights: written whole or not at all, with checksums on the card."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.files import is_unfinished, read_json, unfinished_folder, write_json


@dataclass(frozen=True)
class FolderKind:
    """Kind of folder that this program writes, and may replace."""

    what: str  # for messages: "a head"
    files: re.Pattern[str]  # names of its files; a folder that holds others is not replaced

    def check(self, folder: Path) -> None:
        """Check that the target may be written: absent, or a folder of this kind."""
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder}: a file of this name is in the way; name a folder")
        paths = folder.iterdir() if folder.is_dir() else ()
        strange = sorted(
            path.name
            for path in paths
            if not is_unfinished(path) and not self.files.fullmatch(path.name)
        )
        if strange:
            raise ConfigError(
                f"{folder}: the folder holds something that is not {self.what} ({strange[0]}); name"
                " a new folder"
            )

    @contextmanager
    def written(self, folder: Path) -> Iterator[Path]:
        """Create a temporary folder that is renamed to the target on success."""
        self.check(folder)
        with unfinished_folder(folder) as partial:
            yield partial
            # A name that no clean-up matches: for a moment, it is the only copy.
            old = partial.with_name(f"{partial.name}-old")
            if folder.exists():
                folder.rename(old)
            try:
                partial.rename(folder)
            except BaseException:
                if old.exists():
                    old.rename(folder)
                raise
            shutil.rmtree(old, ignore_errors=True)


MODEL_FOLDER = FolderKind(
    "a model",
    re.compile(
        r"options\.json|weights\.hdf5|card\.json|(calibration|cloze|meanings|probe)\.json"
        r"|vocabulary\.txt\.xz|(bilm|softmax|cloze|meanings)[-\w]*\.safetensors(\.index\.json)?"
    ),
)

CARD_NAME = "card.json"
CHECKSUM_KEY = "sha256"
#: Files in which an error would go unnoticed. Settings are excluded, since users may change them.
_WEIGHT_FILES = re.compile(r".*\.(safetensors|hdf5|txt\.xz)")
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
    return sorted(path for path in folder.iterdir() if _WEIGHT_FILES.fullmatch(path.name))


def write_card(folder: Path, card: Mapping[str, Any] | None = None) -> None:
    """Write a folder's card with the checksums of its weights, last of its files."""
    write_json(
        folder / CARD_NAME,
        {**(card or {}), CHECKSUM_KEY: {path.name: sha256([path]) for path in weights_in(folder)}},
    )


def refresh_card(folder: Path) -> None:
    """Update the checksums on a folder's card, if there is one."""
    if (folder / CARD_NAME).exists():
        write_card(folder, read_json(folder / CARD_NAME))


def verify(files: Sequence[Path]) -> None:
    """Check files of one folder against the checksums on its card.

    Files without a checksum on a card are not checked.
    """
    sums = _checksums_on(files[0].parent / CARD_NAME)
    for path in files:
        expected = sums.get(path.name)
        if expected is not None and (actual := sha256([path])) != expected:
            raise WeightsError(
                f"{path}: damaged, or not the file that {CARD_NAME} beside it describes: expected"
                f" the SHA-256 {expected[:16]}…, found {actual[:16]}…. Get the folder again from"
                " where it came; if the change is yours, run `elmo-tasks model checksums"
                f" {path.parent}`"
            )


def _checksums_on(card: Path) -> dict[str, str]:
    try:
        content = read_json(card)
    # An unreadable card is reported elsewhere; see elmo_tasks.service.loaded_models.
    except (OSError, ValueError):
        return {}
    sums = content.get(CHECKSUM_KEY, {}) if isinstance(content, dict) else {}
    if not isinstance(sums, dict) or not all(
        isinstance(value, str) and _SHA256.fullmatch(value) for value in sums.values()
    ):
        raise WeightsError(
            f"{card}: '{CHECKSUM_KEY}' should give the SHA-256 of each file of weights"
            f", and does not; run `elmo-tasks model checksums {card.parent}`"
        )
    return sums
