"""Sentence vectors by a model of the package sentence-transformers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from elmo_tasks.errors import ConfigError, WeightsError

MODULES_NAME = "modules.json"


def gives_sentences(folder: Path | None) -> bool:
    """Check if a folder describes sentence vectors and the package is installed."""
    return folder is not None and (folder / MODULES_NAME).is_file() and find_spec("sentence_transformers") is not None


class SentenceModel:
    """Model of sentence-transformers: ``modules.json`` and safetensors weights.

    Raises:
        ConfigError: a part of it is code that is not of the package.
        WeightsError: a part of it has weights that are no safetensors.
    """

    def __init__(self, folder: Path, device: torch.device | str = "cpu") -> None:
        _check(folder)
        from sentence_transformers import SentenceTransformer

        self._model: Any = SentenceTransformer(str(folder), device=str(device), local_files_only=True)

    def vectors(self, sentences: Sequence[str]) -> Tensor:
        """Compute the ``[n, D]`` vectors of ``n`` sentences, on the CPU."""
        vectors: Tensor = self._model.encode(list(sentences), convert_to_tensor=True, show_progress_bar=False)
        return vectors.float().cpu()


def _check(folder: Path) -> None:
    """Check the modules named in the model's file, which would be imported."""
    path = folder / MODULES_NAME
    try:
        parts = [(str(part["type"]), str(part["path"])) for part in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: expected a list of parts with 'type' and 'path' ({error})") from None
    for kind, place in parts:
        if not kind.startswith("sentence_transformers."):
            raise ConfigError(f"{path}: the part '{kind}' is code of its own, which is not run here")
        pickled = [file.name for file in (folder / place).glob("*") if file.suffix in (".bin", ".pt", ".pth", ".pkl")]
        if pickled and not list((folder / place).glob("*.safetensors")):
            raise WeightsError(
                f"{folder / place}: expected weights in safetensors, found {', '.join(sorted(pickled))}, which may hold code"
            )
