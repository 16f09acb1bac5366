"""Writing a layer store: block by block, each recorded, so that a build that was killed goes on where it was."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.layer_store_description import (
    DESCRIPTION_NAME,
    LAYERS_NAME,
    NUMBER,
    OFFSETS_NAME,
    StoreDescription,
    token_rows,
)
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import write_json

PROGRESS_NAME = "progress.json"

# What a kill costs at most: so many tokens (a minute of the largest biLM on a CPU). Sentences are sorted by length
# within a block, so it should hold many batches; and it is held in memory, hence the bytes.
_BLOCK_TOKENS = 50_000
_BLOCK_BYTES = 128_000_000
# Padding included: a batch of very long texts would not fit into memory.
_BATCH_TOKENS = 16_384

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoreContent:
    """What a store is to hold.

    Attributes:
        description: its shape, and what its vectors depend on.
        offsets: ``[sentences + 1]`` where the tokens of each sentence begin.
        encoder: computes the vectors.
        sentences: lists of tokens.
        batch_size: sentences that are encoded at once, at most.
        step: is told how many more tokens are encoded.
    """

    description: StoreDescription
    offsets: NDArray[np.int64]
    encoder: Encoder
    sentences: Sequence[Sequence[str]]
    batch_size: int
    step: Callable[[int], object] | None = None

    def n_rows(self, sentences: int) -> int:
        """Rows of the first sentences."""
        return sentences if self.description.pooled else int(self.offsets[sentences])


def write_store(content: StoreContent, target: Path, max_bytes: int) -> None:
    """Compute a store, or what is missing of it. Whoever calls holds the store's lock.

    The vectors are appended to a folder beside ``target`` that takes its name at the end. After each block, once it is
    on the disk, ``progress.json`` says so; what lies behind the last recorded block is thrown away.

    Raises:
        ConfigError: there is or comes to be too little room, or the encoder gives numbers that float16 cannot hold.
    """
    partial = target.with_name(f"{target.name}.partial")
    done = _sentences_done(partial, content)
    if not done:
        shutil.rmtree(partial, ignore_errors=True)
    _check_room(content.description, content.n_rows(done), target.parent, max_bytes)
    try:
        if not done:
            partial.mkdir()
            np.save(partial / OFFSETS_NAME, content.offsets)
            (partial / LAYERS_NAME).touch()
            write_json(partial / DESCRIPTION_NAME, asdict(content.description))
        _append(content, partial, done)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ConfigError(
            f"{partial}: the disk is full; make room and start again: the layer store goes on where it was"
        ) from error
    if target.exists():
        shutil.rmtree(target)
    partial.rename(target)
    (target / PROGRESS_NAME).unlink(missing_ok=True)  # after the rename: a kill in between must not start it all anew


def _append(content: StoreContent, partial: Path, done: int) -> None:
    """Write the blocks behind the first ``done`` sentences."""
    os.truncate(partial / LAYERS_NAME, content.n_rows(done) * content.description.row_bytes)
    with (
        (partial / LAYERS_NAME).open("ab") as file,
        tqdm(
            desc="layer store",
            total=content.description.n_tokens,
            initial=int(content.offsets[done]),
            unit="token",
            unit_scale=True,
            disable=None,
        ) as bar,
    ):
        for start, stop in _blocks(content, done):
            try:
                block = _encode_block(content, start, stop, bar)
            except ConfigError:
                shutil.rmtree(partial)  # it would fail at the same place again
                raise
            file.write(block.tobytes())
            file.flush()
            os.fsync(file.fileno())
            write_json(partial / PROGRESS_NAME, {"sentences": stop})


def _sentences_done(partial: Path, content: StoreContent) -> int:
    """How many sentences an earlier build has written for certain; 0 also if what it left cannot be relied on."""
    description = content.description
    try:
        if StoreDescription.load(partial / DESCRIPTION_NAME).key != description.key:
            return 0
        done = json.loads((partial / PROGRESS_NAME).read_text(encoding="utf-8"))["sentences"]
        if not (type(done) is int and 0 < done <= description.n_sentences):
            return 0
        if not np.array_equal(np.load(partial / OFFSETS_NAME), content.offsets):
            return 0
        size = (partial / LAYERS_NAME).stat().st_size
    except (DataError, OSError, ValueError, TypeError, KeyError, EOFError):
        return 0
    return done if size >= content.n_rows(done) * description.row_bytes else 0


def _check_room(description: StoreDescription, rows_done: int, folder: Path, max_bytes: int) -> None:
    """Say what will be needed, and refuse what there is no room for."""
    made_of = (
        f"{description.n_sentences:,} sentences, {description.n_tokens:,} tokens, {description.n_layers} layers of "
        f"{description.width} numbers" + (", one mean per sentence" if description.pooled else "")
    )
    needed, there = description.n_bytes, rows_done * description.row_bytes
    free = shutil.disk_usage(folder).free
    if needed > max_bytes or needed - there > free:
        pooled = description.n_sentences * description.row_bytes
        remedies = [
            "raise max_bytes" if needed > max_bytes else "make room or choose another folder",
            f"keep one mean per sentence (pooled='mean', {_megabytes(pooled)}) if that is all the head needs",
            "take fewer sentences, or encode live",
        ]
        if description.pooled:
            del remedies[1]
        limit = (
            f"max_bytes allows {_megabytes(max_bytes)}"
            if needed > max_bytes
            else f"{_megabytes(free)} are free on the disk of {folder}"
            + (f" (beside {_megabytes(there)} that are written already)" if there else "")
        )
        raise ConfigError(
            f"a layer store of {made_of} needs {_megabytes(needed)}, and {limit}: {'; or '.join(remedies)}"
        )
    more = f"; {_megabytes(there)} of them are there from an earlier run" if there else ""
    _log.warning("%s: computing a layer store once (%s): %s in %s%s", description.encoder, made_of,
                 _megabytes(needed), folder, more)  # fmt: skip


def _blocks(content: StoreContent, start: int) -> Iterator[tuple[int, int]]:
    """Sentences ``start:stop`` of each block. A block's end only depends on where it starts: resuming changes nothing."""
    description, offsets = content.description, content.offsets
    limit = _BLOCK_TOKENS if description.pooled else min(_BLOCK_TOKENS, _BLOCK_BYTES // max(1, description.row_bytes))
    while start < description.n_sentences:
        stop = int(np.searchsorted(offsets, offsets[start] + limit, side="right")) - 1
        stop = min(max(stop, start + 1), description.n_sentences)
        yield start, stop
        start = stop


def _encode_block(content: StoreContent, start: int, stop: int, bar: tqdm[Any]) -> NDArray[np.float16]:
    """``[rows, L, D]`` of sentences ``start:stop``, in their order, though they are encoded by length."""
    description, offsets = content.description, content.offsets
    first = content.n_rows(start)
    block = np.zeros((content.n_rows(stop) - first, *description.shape[1:]), NUMBER)
    for batch in _batches(np.diff(offsets[start : stop + 1]), content.batch_size):
        chosen = batch + start
        lengths = offsets[chosen + 1] - offsets[chosen]
        rows = batch if description.pooled else token_rows(offsets[chosen] - first, lengths)
        vectors = _vectors(description, content.encoder, [content.sentences[k] for k in chosen], lengths)
        half = vectors.to(torch.float16)
        if not bool(torch.isfinite(half).all()):
            _refuse(description, vectors, half, chosen if description.pooled else np.repeat(chosen, lengths))
        block[rows] = half.cpu().numpy()
        bar.update(int(lengths.sum()))
        if content.step is not None:
            content.step(int(lengths.sum()))
    return block


def _batches(lengths: NDArray[np.int64], batch_size: int) -> Iterator[NDArray[np.int64]]:
    """Sentences of like length together; those without a token have nothing to encode."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and stop - start < batch_size:
            if lengths[order[stop]] * (stop - start + 1) > _BATCH_TOKENS:
                break
            stop += 1
        yield order[start:stop]
        start = stop


@torch.inference_mode()
def _vectors(
    description: StoreDescription, encoder: Encoder, sentences: Sequence[Sequence[str]], lengths: NDArray[np.int64]
) -> Tensor:
    """``[tokens, L, D]`` of all sentences, one after another, or their means ``[B, L, D]``; wherever the encoder computes."""
    layers = encoder.encode(sentences)
    found = layers.mask.sum(dim=1).tolist()
    if layers.values.shape[::3] != description.shape[1:] or found != lengths.tolist():
        raise ValueError(
            f"{encoder.name}: expected {description.shape[1:]} layers and width for sentences of {lengths.tolist()} tokens, "
            f"found {tuple(layers.values.shape)} for {found}"
        )
    values = layers.values.permute(1, 2, 0, 3)  # [B, T, L, D]
    if description.pooled is None:
        return values[layers.mask]
    counts = layers.mask.sum(dim=1).view(-1, 1, 1)  # [B, 1, 1]
    return (values.float() * layers.mask[..., None, None]).sum(dim=1) / counts


def _refuse(description: StoreDescription, vectors: Tensor, half: Tensor, sentence_of: NDArray[np.int64]) -> None:
    row, layer, number = (~torch.isfinite(half)).nonzero()[0].tolist()
    raise ConfigError(
        f"{description.encoder}: layer {layer} of sentence {sentence_of[row] + 1} has the value "
        f"{float(vectors[row, layer, number]):g}, and a layer store can only keep what float16 can, "
        "finite numbers up to 65504: encode live instead"
    )


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"
