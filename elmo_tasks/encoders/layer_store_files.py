"""What lies in the folder of a layer store, and how it gets there: block by block, so that a killed build goes on where it was."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from tqdm import tqdm

from elmo_tasks.encoders.block_parts import BlockParts
from elmo_tasks.encoders.corpus_encoding import CorpusEncoding
from elmo_tasks.errors import ConfigError, DataError, InputError
from elmo_tasks.files import write_json

Pooling = Literal["mean"]
DESCRIPTION_NAME, OFFSETS_NAME, LAYERS_NAME = "store.json", "offsets.npy", "layers.bin"
PROGRESS_NAME = "progress.json"
VERSION = 1
# float16 and little-endian on every machine.
NUMBER = np.dtype("<f2")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoreDescription:
    """What a store holds."""

    encoder: str  # its name, for people
    checksum: str  # of the encoder's weights
    text: str  # SHA-256 of the tokens of all sentences
    pooled: Pooling | None  # None for a vector per token, "mean" for one per sentence
    n_layers: int  # number of layers L
    width: int  # size D of the vectors
    n_sentences: int  # number of sentences
    n_tokens: int  # tokens of all sentences
    version: int = VERSION  # of the files' layout

    @property
    def key(self) -> str:
        """What the store's folder is called: another one for other weights, other text or another pooling."""
        parts = {name: value for name, value in asdict(self).items() if name != "encoder"}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def shape(self) -> tuple[int, int, int]:
        """``(tokens, L, D)``, or ``(sentences, L, D)`` if pooled."""
        return self.n_sentences if self.pooled else self.n_tokens, self.n_layers, self.width

    @property
    def row_bytes(self) -> int:
        """Bytes of all layers of one token (of one sentence, if pooled)."""
        return self.n_layers * self.width * NUMBER.itemsize

    @property
    def n_bytes(self) -> int:
        """Bytes of the vectors."""
        return self.shape[0] * self.row_bytes

    @classmethod
    def load(cls, path: Path) -> StoreDescription:
        """Read what a build wrote. Raises DataError: the file cannot be read, or was written in another version."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            version = raw["version"]
            if version == VERSION:
                found = cls(**raw)
                numbers = (found.n_layers, found.width, found.n_sentences, found.n_tokens)
                if not all(type(number) is int and number >= 0 for number in numbers):
                    raise ValueError(f"expected sizes that are not negative, found {numbers}")
                return found
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DataError(f"{path}: not the description of a layer store ({type(error).__name__}: {error})") from None
        raise DataError(f"{path}: a layer store of version {version}, expected version {VERSION}; build it again")


def describe(encoding: CorpusEncoding) -> StoreDescription:
    """What a store of these vectors would hold. Raises InputError: a sentence is text, not tokens."""
    digest = hashlib.sha256()
    for k, tokens in enumerate(encoding.sentences):
        if isinstance(tokens, str):
            raise InputError(f"sentence {k + 1}: a layer store takes tokens, found text: {tokens!r:.80}")
        # JSON, because no token, whatever is in it, can then pass for two.
        digest.update(json.dumps(list(tokens)).encode() + b"\n")
    encoder = encoding.encoder
    pooled: Pooling | None = "mean" if encoding.wanted.pooled else None
    sizes = encoder.n_layers, encoder.width, len(encoding.sentences), int(encoding.offsets[-1])
    return StoreDescription(encoder.name, encoder.checksum, digest.hexdigest(), pooled, *sizes)


def write_store(
    encoding: CorpusEncoding,
    description: StoreDescription,
    target: Path,
    max_bytes: int,
    parts: BlockParts | None = None,
    step: Callable[[int], object] | None = None,
) -> None:
    """Compute a store that was described, or what is missing of it. Whoever calls holds the store's lock.

    The vectors are appended to a folder beside ``target`` that takes its name at the end. After each block, once it is
    on the disk, ``progress.json`` says so; what lies behind the last recorded block is thrown away. ``parts`` are blocks that other
    processes computed already; ``step`` is told how many more tokens are encoded.

    Raises:
        ConfigError: there is or comes to be too little room, or the encoder gives numbers that float16 cannot hold.
    """
    partial = target.with_name(f"{target.name}.partial")
    done = _sentences_done(partial, description, encoding)
    if not done:
        shutil.rmtree(partial, ignore_errors=True)
    _check_room(description, encoding.row(done), target.parent, max_bytes)
    try:
        if not done:
            partial.mkdir()
            np.save(partial / OFFSETS_NAME, encoding.offsets)
            (partial / LAYERS_NAME).touch()
            write_json(partial / DESCRIPTION_NAME, asdict(description))
        os.truncate(partial / LAYERS_NAME, encoding.row(done) * description.row_bytes)
        _append(encoding, partial, done, parts, step)
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


def _append(
    encoding: CorpusEncoding,
    partial: Path,
    done: int,
    parts: BlockParts | None,
    step: Callable[[int], object] | None,
) -> None:
    """Write the blocks behind the first ``done`` sentences."""
    first, total = int(encoding.offsets[done]), int(encoding.offsets[-1])
    with (
        (partial / LAYERS_NAME).open("ab") as file,
        tqdm(desc="layer store", total=total, initial=first, unit="token", unit_scale=True, disable=None) as bar,
    ):

        def told(n_tokens: int) -> None:
            bar.update(n_tokens)
            if step is not None:
                step(n_tokens)

        for start, stop in encoding.blocks(done):
            try:
                if parts is not None and parts.has(start):
                    block = parts.read(start)
                    told(int(encoding.offsets[stop] - encoding.offsets[start]))
                else:
                    block = encoding.block(start, stop, told)
            except ConfigError:
                shutil.rmtree(partial)  # it would fail at the same place again
                raise
            file.write(block.tobytes())
            file.flush()
            os.fsync(file.fileno())
            write_json(partial / PROGRESS_NAME, {"sentences": stop})


def _sentences_done(partial: Path, description: StoreDescription, encoding: CorpusEncoding) -> int:
    """How many sentences an earlier build has written for certain; 0 also if what it left cannot be relied on."""
    try:
        done = json.loads((partial / PROGRESS_NAME).read_text(encoding="utf-8"))["sentences"]
        relied_on = (
            StoreDescription.load(partial / DESCRIPTION_NAME).key == description.key
            and type(done) is int
            and 0 < done <= description.n_sentences
            and np.array_equal(np.load(partial / OFFSETS_NAME), encoding.offsets)
            and (partial / LAYERS_NAME).stat().st_size >= encoding.row(done) * description.row_bytes
        )
    except (DataError, OSError, ValueError, TypeError, KeyError, EOFError):
        return 0
    return done if relied_on else 0


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


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"
