"""Resolution of a biLM's name, folder or files to the model."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.bilm.published import MODELS, locate
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.files import given_name
from elmo_tasks.text.vocabulary import Vocabulary
from elmo_tasks.weights import hub
from elmo_tasks.weights.folders import sha256, verify
from elmo_tasks.weights.safetensors_files import read_safetensors, shape_problems, weight_files

WEIGHTS_NAME = "bilm"
SOFTMAX_NAME = "softmax"
VOCABULARY_NAME = "vocabulary.txt.xz"


@dataclass(frozen=True)
class ModelFiles:
    """Location of a biLM."""

    name: str
    options: Path  # its options.json
    weights: tuple[Path, ...]  # one .hdf5 file, or the safetensors files by name

    @property
    def folder(self) -> Path:
        """Folder of its other files (softmax, vocabulary, card), if it has any."""
        return self.options.parent

    @property
    def checksum(self) -> str:
        """SHA-256 of the weights."""
        return sha256(self.weights)


def default_model() -> str:
    """Return the name of the default biLM, set in ``checkpoints/default.json``."""
    path = CHECKPOINTS / "default.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["model"])
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(
            f"{path}: expected a JSON object with the key 'model' ({error})"
        ) from None


def bundled_models() -> list[str]:
    """Return the names of the biLMs in ``checkpoints/``."""
    return sorted(path.parent.name for path in CHECKPOINTS.glob("*/options.json"))


def find_model(model: str | Path | None = None, weights: str | Path | None = None) -> ModelFiles:
    """Find a biLM by its name or folder, or by its options and ``.hdf5`` file.

    Without ``weights``, ``model`` is a name in ``checkpoints/``, a published name, or a folder with
    ``options.json`` or ``*_options.json`` and one set of weights; the default model if ``None``.
    With them, it is the options file.

    Raises:
        ConfigError: there is no such model, or the folder does not say which files are meant.
        WeightsError: a published model that was not downloaded.
    """
    name = str(model if model is not None else default_model())
    if weights is not None:
        return ModelFiles(Path(weights).stem, Path(name), (Path(weights),))
    if (CHECKPOINTS / name / "options.json").exists() and Path(name).name == name:
        return _in_folder(CHECKPOINTS / name)
    if name in MODELS:
        options, file = locate(name)
        return ModelFiles(name, options, (file,))
    if hub.is_address(name):
        return replace(
            _in_folder(hub.fetched(name)), name=hub.parse_address(name)[0].rpartition("/")[2]
        )
    if Path(name).is_dir():
        return _in_folder(Path(name))
    raise ConfigError(
        f"there is no model '{name}': expected a name in checkpoints/"
        f" ({', '.join(bundled_models()) or 'none there yet'}), a published name"
        f" ({', '.join(MODELS)}), hub:OWNER/NAME, or a folder with options.json and weights"
    )


def _in_folder(folder: Path) -> ModelFiles:
    options = list(folder.glob("options.json")) or sorted(folder.glob("*_options.json"))
    if len(options) != 1:
        names = ", ".join(path.name for path in options) or "neither"
        raise ConfigError(
            f"{folder}: expected options.json or exactly one *_options.json; found {names}"
        )
    ours, published = weight_files(folder, WEIGHTS_NAME), sorted(folder.glob("*.hdf5"))
    if bool(ours) == bool(published) or len(published) > 1:
        names = ", ".join(path.name for path in [*ours, *published]) or "none"
        raise ConfigError(
            f"{folder}: expected exactly one *.hdf5 file, or {WEIGHTS_NAME}.safetensors (whole or"
            f" in parts); found {names}"
        )
    return ModelFiles(given_name(folder), options[0], tuple(ours or published))


def load_bilm(files: ModelFiles) -> BiLM:
    """Build the model from its options and fill it from its weights.

    Raises:
        ConfigError: the options cannot be read.
        WeightsError: the weights cannot be read, or do not fit the options.
    """
    bilm = BiLM(BiLMOptions.load(files.options))
    if files.weights[0].suffix == ".hdf5":
        from elmo_tasks.bilm.hdf5 import read_hdf5  # h5py is not needed for our own format

        state = read_hdf5(files.weights[0], bilm.options)
        verify(files.weights)
    else:
        state = read_safetensors(files.folder, WEIGHTS_NAME)
    _fill(bilm, state, files.weights[0])
    return bilm.eval()


def has_softmax(files: ModelFiles) -> bool:
    """Check if a biLM has an output layer beside it; the published models have none."""
    return (files.folder / VOCABULARY_NAME).exists() and bool(
        weight_files(files.folder, SOFTMAX_NAME)
    )


def load_softmax(files: ModelFiles) -> tuple[LMSoftmax, Vocabulary]:
    """Load the output layer that was trained with a biLM, and its vocabulary."""
    if not has_softmax(files):
        raise WeightsError(
            f"{files.folder}: no softmax beside this model; without it the model gives vectors but"
            " predicts no words (the published ELMo models come without one)"
        )
    vocabulary = Vocabulary.load(files.folder / VOCABULARY_NAME)
    verify([files.folder / VOCABULARY_NAME])
    softmax = LMSoftmax(len(vocabulary), BiLMOptions.load(files.options).lstm.projection_dim)
    _fill(softmax, read_safetensors(files.folder, SOFTMAX_NAME), files.folder / SOFTMAX_NAME)
    return softmax.eval(), vocabulary


@torch.no_grad()
def take_over(files: ModelFiles, bilm: BiLM, softmax: LMSoftmax, vocabulary: Vocabulary) -> None:
    """Copy the weights of a model, and of the shared output words, into another."""
    old = load_bilm(files)
    if old.options != bilm.options:
        raise ConfigError(
            f"model.start_from: {files.name} has other sizes than this configuration: expected"
            f" {bilm.options}, found {old.options}"
        )
    bilm.load_state_dict(old.state_dict())
    if has_softmax(files):
        old_softmax, old_vocabulary = load_softmax(files)
        shared = [word for word in vocabulary.words if word in old_vocabulary]
        new_rows, old_rows = (
            [v.id_of(word) for word in shared] for v in (vocabulary, old_vocabulary)
        )
        softmax.weight[new_rows] = old_softmax.weight[old_rows]
        softmax.bias[new_rows] = old_softmax.bias[old_rows]


def _fill(module: BiLM | LMSoftmax, state: dict[str, Tensor], where: Path) -> None:
    expected, given = (
        {name: tuple(value.shape) for name, value in s.items()}
        for s in (module.state_dict(), state)
    )
    if problems := shape_problems(expected, given):
        raise WeightsError(f"{where}: the weights do not fit the options: {problems}")
    module.load_state_dict(state)
