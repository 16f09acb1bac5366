"""Files of transformers: safetensors only, and none of their code is run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor

from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.weights.safetensors_files import weight_files

HUB = "hub:"
WEIGHTS_NAME = "model"
# Files of a tokenizer, beside config.json: nothing pickled, and no code.
_TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "*.model",
)


def is_transformer(name_or_folder: str) -> bool:
    """Check if a name is ``hub:NAME`` or the folder of a transformer."""
    if name_or_folder.startswith(HUB):
        return True
    try:
        config = json.loads((Path(name_or_folder) / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and "model_type" in config


def transformer_folder(name_or_folder: str) -> Path:
    """Return the folder of a transformer; ``hub:NAME`` is downloaded once."""
    if find_spec("transformers") is None:
        raise ConfigError(
            f"{name_or_folder} is a transformer, and the package that reads these is not installed:"
            ' pip install ".[transformers]"'
        )
    on_hub = name_or_folder.startswith(HUB)
    folder = _downloaded(name_or_folder.removeprefix(HUB)) if on_hub else Path(name_or_folder)
    if not weight_files(folder, WEIGHTS_NAME):
        raise WeightsError(
            f"{folder}: expected {WEIGHTS_NAME}.safetensors (whole or in parts); weights in other"
            " formats, which may hold code, are not read"
        )
    return folder


def _downloaded(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        patterns = ["config.json", f"{WEIGHTS_NAME}*.safetensors*", *_TOKENIZER_FILES]
        return Path(snapshot_download(name, allow_patterns=patterns))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ConfigError(
            f"{HUB}{name}: not on this machine, and not downloaded ({_first_line(error)})"
        ) from None


def read_model(folder: Path) -> Any:
    """Load the model onto the CPU, in the precision of its files."""
    from transformers import AutoModel

    try:
        with _quiet():
            model, about = AutoModel.from_pretrained(
                folder,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
    except (SafetensorError, RuntimeError) as error:  # the latter: shapes that do not fit
        raise WeightsError(
            f"{folder}: weights are broken, or do not fit config.json ({_first_line(error)})"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{folder}: not a transformer that can be read here ({_first_line(error)})"
        ) from None
    # The pooler reads the first special token, which is dropped; many models come without one.
    if missing := sorted(key for key in about["missing_keys"] if "pooler" not in key):
        raise WeightsError(f"{folder}: {len(missing)} weights are missing, {missing[0]} among them")
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the library's report of a missing pooler and its progress bar."""
    from transformers.utils import logging

    verbosity, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bar:
            logging.enable_progress_bar()


def read_tokenizer(folder: Path) -> Any:
    """Load the tokenizer."""
    from transformers import AutoTokenizer

    try:
        # A prefix space: to tokenizers that take spaces for a part of the word, every token is a
        # word of its own.
        return AutoTokenizer.from_pretrained(
            folder,
            local_files_only=True,
            use_fast=True,
            trust_remote_code=False,
            add_prefix_space=True,
        )
    except Exception as error:  # the library's own reader in Rust raises plain Exception
        raise ConfigError(
            f"{folder}: the tokenizer cannot be read ({_first_line(error)})"
        ) from None


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


MODULES_NAME = "modules.json"


def gives_sentences(folder: Path | None) -> bool:
    """Check if a folder describes sentence vectors and the package is installed."""
    return (
        folder is not None
        and (folder / MODULES_NAME).is_file()
        and find_spec("sentence_transformers") is not None
    )


class SentenceModel:
    """Model of sentence-transformers: ``modules.json`` and safetensors weights."""

    def __init__(self, folder: Path, device: torch.device | str = "cpu") -> None:
        _check_parts(folder)
        from sentence_transformers import SentenceTransformer

        self._model: Any = SentenceTransformer(
            str(folder), device=str(device), local_files_only=True
        )

    def vectors(self, sentences: Sequence[str]) -> Tensor:
        """Compute the ``[n, D]`` vectors of ``n`` sentences, on the CPU."""
        vectors: Tensor = self._model.encode(
            list(sentences), convert_to_tensor=True, show_progress_bar=False
        )
        return vectors.float().cpu()


def _check_parts(folder: Path) -> None:
    """Check the modules named in the model's file, which would be imported."""
    path = folder / MODULES_NAME
    try:
        parts = [
            (str(part["type"]), str(part["path"]))
            for part in json.loads(path.read_text(encoding="utf-8"))
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path}: expected a list of parts with 'type' and 'path' ({error})"
        ) from None
    for kind, place in parts:
        if not kind.startswith("sentence_transformers."):
            raise ConfigError(f"{path}: the part '{kind}' has its own code, which is not run here")
        pickled = [
            file.name
            for file in (folder / place).glob("*")
            if file.suffix in (".bin", ".pt", ".pth", ".pkl")
        ]
        if pickled and not list((folder / place).glob("*.safetensors")):
            raise WeightsError(
                f"{folder / place}: expected weights in safetensors, found"
                f" {', '.join(sorted(pickled))}, which may hold code"
            )
