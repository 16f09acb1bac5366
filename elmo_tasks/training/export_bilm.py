"""Export of a trained biLM: options, weights, softmax, vocabulary, card."""

from __future__ import annotations

import inspect
import lzma
import platform
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import write_hdf5
from elmo_tasks.bilm.model_files import SOFTMAX_NAME, VOCABULARY_NAME, WEIGHTS_NAME
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.errors import WeightsError
from elmo_tasks.files import write_json
from elmo_tasks.text.vocabulary import Vocabulary
from elmo_tasks.training.bilm_module import BiLMModule
from elmo_tasks.weights.folders import MODEL_FOLDER, write_card
from elmo_tasks.weights.safetensors_files import write_safetensors


def write_model(
    folder: Path,
    bilm: BiLM,
    softmax: LMSoftmax | None = None,
    vocabulary: Vocabulary | None = None,
    card: dict[str, Any] | None = None,
    to: str = "safetensors",
) -> None:
    """Write a biLM with its card; the complete folder replaces an older one.

    Softmax and vocabulary are files of their own. Weights are float16 in safetensors of at most 9
    MB, or float32 in the published layout (``to="hdf5"``).

    Raises:
        ConfigError: the folder holds something that is not a model.
    """
    with MODEL_FOLDER.written(folder) as partial:
        write_json(partial / "options.json", bilm.options.to_dict())
        if to == "hdf5":
            write_hdf5(partial / "weights.hdf5", bilm)
        else:
            write_safetensors(partial, WEIGHTS_NAME, bilm.state_dict(), torch.float16)
        if softmax is not None and vocabulary is not None:
            write_safetensors(partial, SOFTMAX_NAME, softmax.state_dict(), torch.float16)
            with lzma.open(partial / VOCABULARY_NAME, "wt", encoding="utf-8") as out:
                out.writelines(f"{word}\n" for word in vocabulary.words)
        write_card(partial, card)


def read_checkpoint(path: Path) -> tuple[BiLM, LMSoftmax, Vocabulary, dict[str, Any]]:
    """Load the model and the counts (``steps``, ``positions``, ``seconds``) of a resume file."""
    try:
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
        # Without the settings and weights of a recipe.
        parameters = inspect.signature(BiLMModule).parameters
        module = BiLMModule(
            **{
                name: value
                for name, value in checkpoint["hyper_parameters"].items()
                if name in parameters
            }
        )
        vocabulary = Vocabulary(checkpoint["vocabulary"])
        module.softmax = LMSoftmax(len(vocabulary), module.options.lstm.projection_dim)
        model = ("bilm.", "softmax.")
        module.load_state_dict(
            {
                name: value
                for name, value in checkpoint["state_dict"].items()
                if name.startswith(model)
            }
        )
    except FileNotFoundError:
        raise WeightsError(f"{path}: no such file") from None
    except Exception as error:  # torch.load raises nearly anything on a broken file
        raise WeightsError(
            f"{path}: not a resume file of a biLM ({type(error).__name__}: {error})"
        ) from error
    seen = {"steps": checkpoint["global_step"], **checkpoint.get("seen", {})}
    return module.bilm.eval(), module.softmax, vocabulary, seen


class ExportBiLM(pl.Callback):
    """Write the model at the end of a run as a folder that every command loads.

    The run's module has the methods ``exported``, ``learned_from`` and ``seen`` of
    :class:`BiLMModule`.

    Args:
        folder: where to write it.
        about: entries of the card: title, sources with licences, and the like.
    """

    def __init__(self, folder: str, about: dict[str, Any] | None = None) -> None:
        self.folder = Path(folder)
        self.about = about or {}

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Check the folder before the training, not after it."""
        if stage == "fit":
            MODEL_FOLDER.check(self.folder)

    def on_fit_end(self, trainer: pl.Trainer, pl_module: Any) -> None:
        """Write the model on one process."""
        if not trainer.is_global_zero:
            return
        bilm, softmax, vocabulary = pl_module.exported()
        scores = {
            name.removeprefix("val_"): float(value)
            for name, value in trainer.callback_metrics.items()
            if name.startswith("val_")
        }
        card = {
            **self.about,
            "kind": "biLM",
            "learned_from": pl_module.learned_from(),
            "training": {"steps": trainer.global_step, **pl_module.seen()},
            "config": dict(pl_module.hparams),
            "while_training": scores,
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "lightning": pl.__version__,
            },
        }
        write_model(self.folder, bilm, softmax, vocabulary, card)
