"""A corpus encoded by several processes, on one CPU or several GPUs: Lightning's ``predict`` with a writer of blocks."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from numpy.typing import NDArray
from pytorch_lightning import LightningModule, Trainer
from pytorch_lightning.callbacks import BasePredictionWriter
from torch.multiprocessing import ProcessRaisedException
from torch.utils.data import DataLoader

from elmo_tasks.encoders.block_parts import BlockParts
from elmo_tasks.errors import ConfigError

Block = tuple[int, int]


def compute_with(parts: BlockParts, processes: int, device: str) -> None:
    """Compute the blocks that are missing with several processes of ``torch.distributed``, on ``cpu``, or as many GPUs (``cuda``).

    Each process takes every ``processes``-th block and writes it to a file of its own. Whoever reads the parts reads them in
    order, so that the result does not depend on how many wrote them; a process that is killed costs its current block. The encoder
    lies on the CPU; each process moves its copy to its device.

    Raises:
        ConfigError: there are fewer GPUs, or a process failed; the message is its own.
    """
    kind = torch.device(device).type
    if kind == "cuda" and torch.cuda.device_count() < processes:
        raise ConfigError(
            f"--processes {processes}: there are {torch.cuda.device_count()} GPUs, and each needs its own"
        )
    # Blocks are few and large: a loader's own workers would only copy two numbers.
    blocks: DataLoader[Block] = DataLoader(parts.missing(), batch_size=None)  # type: ignore[arg-type]
    log = logging.getLogger("pytorch_lightning")
    level = log.level
    log.setLevel(logging.WARNING)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        trainer = Trainer(
            accelerator="gpu" if kind == "cuda" else kind,
            devices=processes,
            strategy="ddp_spawn",
            callbacks=[_PartWriter(parts)],
            logger=False,
            enable_checkpointing=False,
            enable_model_summary=False,
            enable_progress_bar=sys.stderr.isatty(),
        )
        try:
            trainer.predict(_BlockModule(parts), blocks, return_predictions=False)
        except ProcessRaisedException as error:
            said = str(error).strip().splitlines()[-1]
            raise ConfigError(
                f"one of {processes} processes failed: {said}; --processes 1 goes without others"
            ) from error
        finally:
            log.setLevel(level)


class _BlockModule(LightningModule):
    """Gives the vectors of a block."""

    def __init__(self, parts: BlockParts) -> None:
        super().__init__()
        self._encoding = parts.encoding

    def on_predict_start(self) -> None:
        self._encoding = replace(self._encoding, encoder=self._encoding.encoder.to(self.device))

    def predict_step(self, batch: Block, batch_idx: int) -> NDArray[Any]:
        start, stop = batch
        return self._encoding.block(int(start), int(stop))


class _PartWriter(BasePredictionWriter):
    """Writes each block as soon as it is there."""

    def __init__(self, parts: BlockParts) -> None:
        super().__init__(write_interval="batch")
        self._parts = parts

    def write_on_batch_end(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        prediction: NDArray[Any],
        batch_indices: Sequence[int] | None,
        batch: Block,
        batch_idx: int,
        dataloader_idx: int,
    ) -> None:
        self._parts.write(int(batch[0]), prediction)
