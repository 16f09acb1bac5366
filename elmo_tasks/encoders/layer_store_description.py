"""What a layer store holds, and under which name: the key by which the same work is found again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import ConfigError, DataError, InputError

Pooling = Literal["mean"]
DESCRIPTION_NAME, OFFSETS_NAME, LAYERS_NAME = "store.json", "offsets.npy", "layers.bin"
VERSION = 1
# float16 and little-endian on every machine.
NUMBER = np.dtype("<f2")


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
        """Read what a build wrote.

        Raises:
            DataError: the file cannot be read, or was written in another version.
        """
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


def describe(
    encoder: Encoder, sentences: Sequence[Sequence[str]], pooled: Pooling | None
) -> tuple[StoreDescription, NDArray[np.int64]]:
    """What a store of these sentences would hold, and the ``[n_sentences + 1]`` offsets of their tokens.

    Raises:
        ConfigError: another pooling than those there are.
        InputError: a sentence is text, not tokens.
    """
    if pooled not in (None, "mean"):
        raise ConfigError(f"pooled: expected 'mean' or nothing, found '{pooled}'")
    digest = hashlib.sha256()
    offsets = np.zeros(len(sentences) + 1, np.int64)
    for k, tokens in enumerate(sentences):
        if isinstance(tokens, str):
            raise InputError(f"sentence {k + 1}: a layer store takes tokens, found text: {tokens!r:.80}")
        # JSON, because no token, whatever is in it, can then pass for two.
        digest.update(json.dumps(list(tokens)).encode() + b"\n")
        offsets[k + 1] = offsets[k] + len(tokens)
    described = StoreDescription(
        encoder.name,
        encoder.checksum,
        digest.hexdigest(),
        pooled,
        encoder.n_layers,
        encoder.width,
        len(sentences),
        int(offsets[-1]),
    )
    return described, offsets
