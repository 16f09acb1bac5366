"""Files of a cloze head: ``cloze.safetensors`` (float16) and ``cloze.json``.

They lie beside its biLM; the JSON describes the inputs of the head.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from elmo_tasks.bilm.safetensors_files import read_safetensors, weight_files, write_safetensors
from elmo_tasks.encoders.cloze import Cloze, ClozeOptions
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import WeightsError
from elmo_tasks.files import read_json, write_json

CLOZE_NAME, SETTINGS_NAME = "cloze", "cloze.json"


def write_cloze(
    folder: Path, cloze: Cloze, encoder: Encoder, static: StaticVectors, about: Mapping[str, Any] | None = None
) -> None:
    """Write a cloze head with its training record.

    Its folder must be that of its biLM, ``encoder``, for use.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_safetensors(folder, CLOZE_NAME, cloze.state_dict(), torch.float16)
    settings = {
        "model": {"name": encoder.name, "checksum": encoder.checksum},
        "static": {"name": static.name, "checksum": static.checksum},
        "options": asdict(cloze.options),
        **(about or {}),
    }
    write_json(folder / SETTINGS_NAME, settings)  # last: it says that the weights are whole


def load_cloze(encoder: Encoder, static: StaticVectors) -> Cloze | None:
    """Load the cloze head beside a biLM, or return ``None``.

    The result is also ``None`` if the head needs other static vectors.

    Raises:
        WeightsError: it was trained on another biLM, or its files are broken.
    """
    folder = encoder.folder
    if folder is None or not (folder / SETTINGS_NAME).exists():
        return None
    path = folder / SETTINGS_NAME
    try:
        settings = read_json(path)
        model, of_static = (settings[key]["checksum"] for key in ("model", "static"))
        options = ClozeOptions(**settings["options"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{path}: not the settings of a cloze head ({type(error).__name__}: {error})") from None
    if of_static != static.checksum:
        return None
    if model != encoder.checksum:
        raise WeightsError(
            f"{path}: this cloze head reads the states of another model than the one beside it (checksum {model[:16]}…, found "
            f"{encoder.checksum[:16]}…); train it again (docs/language_model.md), or remove {CLOZE_NAME}.* from the folder"
        )
    cloze = Cloze(options, static)
    try:
        cloze.load_state_dict(read_safetensors(folder, CLOZE_NAME))
    except RuntimeError as error:  # names or shapes that do not fit
        raise WeightsError(f"{weight_files(folder, CLOZE_NAME)[0]}: does not fit {path}: {error}") from None
    return cloze.eval().requires_grad_(False)
