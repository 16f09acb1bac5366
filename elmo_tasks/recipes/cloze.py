"""Recipe: a cloze head learns to fill gaps in text, on top of a frozen biLM.

``lightning_configs/cloze_mini.yaml`` runs it, as the last part of the training of elmo-mini. From
top to bottom: the sentences with words to predict (:class:`ClozeGaps`), the module that learns to
predict them, and the callback that writes the head.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.data.batches import BucketedBatches, FixedBatches
from elmo_tasks.data.language_batches import TokenizedCorpus, held_out_sentences
from elmo_tasks.data.language_model import TextFiles
from elmo_tasks.encoders import load
from elmo_tasks.encoders.cloze import Cloze, ClozeOptions, gaps_at, load_cloze, write_cloze
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import DEFAULT_NAME, StaticVectors
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.training.rates import check_rates, risen, scheduled

# Words of the shortest and of the longest sentences to use.
_MIN_WORDS = 4
_MAX_WORDS = 24
# Words with a larger share of the text are sampled less, by the square root of their frequency (as
# in word2vec).
_FREQUENT_SHARE = 3e-5
# Maximum number of target words of a sentence in a batch; each sentence is read once.
_MAX_PER_SENTENCE = 4
# Number of batches that are drawn together.
_BATCHES_AT_ONCE = 16
# Number of validation sentences, at even distances in the held-out text.
_MAX_HELD_OUT = 2_000


@dataclass(frozen=True)
class GapBatch:
    """Whole sentences, and words to predict: sentence, token and row of the vector."""

    sentences: list[list[str]]
    gaps: list[tuple[int, int, int]]

    def __len__(self) -> int:
        return len(self.gaps)

    def to(self, device: torch.device) -> GapBatch:
        """Return itself: it is text, and its reader moves tensors to the device."""
        return self


class ClozeGaps(TextFiles):
    """Sentences with words to predict.

    Args:
        files: text files or patterns, as in :class:`LanguageModelData`.
        cache_dir: folder for the word ids of the files.
        static: the static vectors whose words are predicted: a name in ``checkpoints/`` or a
            folder.
        n_words: number of target words, the most frequent ones.
        batch_size: sentences per step.
        n_batches: number of steps.
        held_out: text for validation, if any.
        held_out_index: see :func:`held_out_sentences`.
        seed: of the draws.
    """

    def __init__(
        self,
        files: list[str],
        *,
        cache_dir: str = "runs/corpus",
        static: str = DEFAULT_NAME,
        n_words: int = 15_000,
        batch_size: int = 128,
        n_batches: int = 6000,
        held_out: str | None = None,
        held_out_index: str | None = None,
        seed: int = 1,
    ) -> None:
        super().__init__(files, cache_dir)
        if min(n_words, batch_size, n_batches) < 1:
            raise ConfigError(
                f"data.n_words {n_words}, batch_size {batch_size}, n_batches {n_batches}: expected"
                " at least 1"
            )
        self.save_hyperparameters()
        self.static_name = static
        self.n_words = n_words
        self.batch_size = batch_size
        self.n_batches = n_batches
        self.held_out = held_out
        self.held_out_index = held_out_index
        self.seed = seed
        self.static: StaticVectors

    def setup(self, stage: str | None = None) -> None:
        """Open the ids, and compute the sampling rates of the words."""
        if not hasattr(self, "static"):
            self._corpus = self.read_corpus()
            self.static = StaticVectors.load(self.static_name)
            self._rows = self.static.rows_of(self._corpus.words).numpy()  # [n_words] of the corpus

    def train_dataloader(self) -> GapLoader:
        """Return the loader of random sentences; each process makes its own draws."""
        chances = self._chances(
            self._corpus.words, self._rows, self._corpus.counts / self._corpus.counts.sum()
        )
        seed = (self.seed, self.share()[0])
        return self.resumed(
            GapLoader(
                corpus=self._corpus,
                rows=self._rows,
                chances=chances,
                batch_size=self.batch_size,
                n_batches=self.n_batches,
                seed=seed,
            )
        )

    def val_dataloader(self) -> FixedBatches[GapBatch]:
        """Return held-out sentences with one target word each, sampled as in training."""
        if self.held_out is None:
            return FixedBatches([])
        index = None if self.held_out_index is None else Path(self.held_out_index)
        sentences = held_out_sentences(
            Path(self.held_out), index, [path.name for path in self.paths()]
        )
        fitting = [words for words in sentences if _MIN_WORDS <= len(words) <= _MAX_WORDS]
        fitting = fitting[:: max(1, len(fitting) // _MAX_HELD_OUT)][:_MAX_HELD_OUT]
        rng = np.random.default_rng(self.seed)
        batches = []
        for start in range(0, len(fitting), self.batch_size):
            batch = GapBatch(fitting[start : start + self.batch_size], [])
            for k, words in enumerate(batch.sentences):
                rows = self.static.rows_of(words).numpy()
                chances = self._chances(
                    words, rows, np.array([self.static.share_of(word) for word in words])
                )
                if chances.any():
                    at = int(rng.choice(len(words), p=chances / chances.sum()))
                    batch.gaps.append((k, at, int(rows[at])))
            if len(batch):
                batches.append(batch)
        return FixedBatches(batches)

    def _chances(
        self, words: Sequence[str], rows: NDArray[np.int64], shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the chance of each word to become a target; 0 without a letter or a target id."""
        has_letter = np.array([any(map(str.isalpha, word)) for word in words])
        return (
            np.sqrt(_FREQUENT_SHARE / np.maximum(shares, _FREQUENT_SHARE))
            * (rows < self.n_words)
            * has_letter
        )


class GapLoader(BucketedBatches[GapBatch]):
    """Batches of random sentences of fitting length.

    Each word of the corpus has a row in the static vectors, and a chance to become a target:
    ``[n_words]`` both.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        *,
        rows: NDArray[np.int64],
        chances: NDArray[np.float64],
        batch_size: int,
        n_batches: int,
        seed: tuple[int, ...],
    ) -> None:
        begins, sizes = corpus.sentences()
        fitting = (sizes >= _MIN_WORDS) & (sizes <= _MAX_WORDS)
        if not fitting.any():
            raise DataError(
                f"data.files: expected sentences of {_MIN_WORDS} to {_MAX_WORDS} words, from which"
                " words can be taken out; found none"
            )
        super().__init__(
            n_batches,
            batch_size=batch_size,
            pool=_BATCHES_AT_ONCE,
            lengths=sizes[fitting],
            seed=(*seed, 0),
        )
        self._corpus = corpus
        self._rows = rows
        self._chances = chances
        self._begins, self._gap_seed = begins[fitting], (*seed, 1)

    def draw(self, rng: np.random.Generator, n: int) -> NDArray[np.int64]:
        """Draw ``[n]`` sentences."""
        return rng.integers(len(self.lengths), size=n)

    def batch(self, k: int) -> GapBatch:
        """Return the ``k``-th batch."""
        chosen, rng = self.rows(k), np.random.default_rng((*self._gap_seed, k))
        batch = GapBatch([], [])
        for number, (begin, size) in enumerate(
            zip(self._begins[chosen], self.lengths[chosen], strict=True)
        ):
            ids = np.asarray(self._corpus.forward[begin : begin + size])
            batch.sentences.append([self._corpus.words[word_id] for word_id in ids])
            targets = np.flatnonzero(rng.random(size) < self._chances[ids])
            drawn = rng.permutation(targets)[:_MAX_PER_SENTENCE]
            batch.gaps.extend((number, int(at), int(self._rows[ids[at]])) for at in drawn)
        return batch


class ClozeModule(pl.LightningModule):
    """A :class:`Cloze` over a frozen biLM, with the vocabulary of the data.

    Args:
        encoder: the biLM: a name in ``checkpoints/``, a published name, or a folder.
        hidden: see :class:`ClozeOptions`.
        n_heads: see :class:`ClozeOptions`.
        dropout: see :class:`ClozeOptions`.
        learning_rate: highest learning rate of Adam; it falls to zero along a straight line.
        warmup_steps: steps over which it rises.
        init_from: a biLM with a cloze head beside it, from which training starts; it determines the
            sizes.
    """

    def __init__(
        self,
        encoder: str = "elmo-mini",
        *,
        hidden: int = 512,
        n_heads: int = 4,
        dropout: float = 0.1,
        learning_rate: float = 1.5e-3,
        warmup_steps: int = 100,
        init_from: str | None = None,
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        check_rates(learning_rate=learning_rate)
        self.init_from = init_from
        self.encoder_name = encoder
        self.hidden = hidden
        self.n_heads = n_heads
        self.dropout = dropout
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.cloze: Cloze
        self.encoder: Encoder
        self._gaps = 0
        self._seconds = 0.0
        self._since = 0.0

    def configure_model(self) -> None:
        """Load the biLM and build the head."""
        if hasattr(self, "cloze"):
            return
        self.encoder = load(self.encoder_name)
        static = self.data.static
        n_words = self.data.n_words
        if self.encoder.language_model is None:
            raise ConfigError(
                f"model.encoder {self.encoder_name}: expected a language model that reads from both"
                " ends, found one that does not"
            )
        if static.width % self.n_heads or len(static) < n_words:
            raise ConfigError(
                f"model.n_heads {self.n_heads}, data.n_words {n_words}: expected a divisor of"
                f" {static.width}, the width of {static.name}, and at most its {len(static):,}"
                " words"
            )
        if self.init_from is not None:
            earlier = load_cloze(load(self.init_from), static)
            if earlier is None or earlier.options.n_words != n_words:
                raise ConfigError(
                    f"model.init_from {self.init_from}: expected a biLM with a cloze head of"
                    f" {n_words:,} words"
                )
            self.cloze = earlier.requires_grad_(True).train()
            return
        options = ClozeOptions(
            n_layers=self.encoder.n_layers - 1,
            projection_dim=self.encoder.width // 2,
            n_words=n_words,
            hidden=self.hidden,
            n_heads=self.n_heads,
            dropout=self.dropout,
        )
        self.cloze = Cloze(options, static)

    @property
    def data(self) -> ClozeGaps:
        """The data module of the run."""
        return self.trainer.datamodule  # type: ignore[attr-defined,no-any-return]

    def on_fit_start(self) -> None:
        """Print the plan of the run."""
        self.encoder.to(self.device)
        self._since = time.monotonic()
        if self.trainer.is_global_zero:
            data, n_numbers = self.data, sum(map(torch.numel, self.parameters()))
            print(
                f"{data.n_batches:,} steps of {data.batch_size} sentences; {data.n_words:,} words"
                f" to choose among; {n_numbers:,} numbers to learn.",
                flush=True,
            )

    def scores(self, batch: GapBatch) -> Tensor:
        """Score ``[n, V]`` the words for the gaps of a batch."""
        assert self.encoder.language_model is not None
        with torch.no_grad():
            # [K, B, T + 2, 2 P]
            lstms = self.encoder.language_model.states(batch.sentences).layers[1:]
        ahead, back = lstms.chunk(2, dim=-1)
        sentence, at, _ = torch.tensor(batch.gaps, device=lstms.device).unbind(1)
        places = [(batch.sentences[k], token, token + 1) for k, token, _ in batch.gaps]
        # After the boundary, token k is step k + 1: step k is before it, and step k + 2 after it.
        before, after = ahead[:, sentence, at], back[:, sentence, at + 2]
        return self.cloze(gaps_at(self.data.static, places, before, after))  # type: ignore[no-any-return]

    def training_step(self, batch: GapBatch, batch_idx: int) -> Tensor | None:
        """Return the cross entropy of the target words."""
        if not len(batch):
            return None
        self._gaps += len(batch) * self.trainer.world_size
        loss = F.cross_entropy(
            self.scores(batch), torch.tensor(batch.gaps, device=self.device)[:, 2]
        )
        self.log("train_loss", loss, prog_bar=True, batch_size=len(batch))
        return loss

    def validation_step(self, batch: GapBatch, batch_idx: int) -> None:
        """Log cross entropy and the top-1 and top-10 accuracy."""
        scores, answers = self.scores(batch), torch.tensor(batch.gaps, device=self.device)[:, 2]
        rank = (scores > scores.gather(1, answers.unsqueeze(1))).sum(dim=1)
        values = {
            "val_loss": F.cross_entropy(scores, answers),
            "val_first": (rank == 0).float().mean(),
            "val_first_ten": (rank < 10).float().mean(),
        }
        self.log_dict(values, batch_size=len(batch), on_epoch=True, prog_bar=True, sync_dist=True)

    def configure_optimizers(self) -> Any:
        """Return Adam with a rate that rises, then falls to zero."""
        optimizer = torch.optim.Adam(self.parameters(), lr=self.learning_rate)
        total = int(self.trainer.estimated_stepping_batches)
        return scheduled(
            optimizer, lambda step: risen(step, self.warmup_steps) * max(0.0, 1 - step / total)
        )

    def seen(self) -> dict[str, int]:
        """Return the target words and the training time so far, resumed parts included."""
        return {
            "gaps": self._gaps,
            "seconds": round(self._seconds + time.monotonic() - self._since),
        }

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Save the counts of the run."""
        checkpoint["seen"] = self.seen()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Restore the counts of the run."""
        self._gaps, self._seconds = checkpoint["seen"]["gaps"], checkpoint["seen"]["seconds"]


class ExportCloze(pl.Callback):
    """Write the head's two files into the folder of its biLM at the end of a run."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the head with a record of its training, on one process."""
        if trainer.is_global_zero and isinstance(pl_module, ClozeModule):
            metrics = {
                name: round(float(value), 4)
                for name, value in trainer.callback_metrics.items()
                if name.startswith("val_")
            }
            versions = {"torch": torch.__version__, "lightning": pl.__version__}
            about = {
                "training": {"steps": trainer.global_step, **pl_module.seen()},
                "while_training": metrics,
                "versions": {"python": platform.python_version(), **versions},
            }
            write_cloze(
                self.folder, pl_module.cloze, pl_module.encoder, pl_module.data.static, about
            )
