"""Encoder, static vectors and head together: tokens -> tags or classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from elmo_tasks.encoders import Encoder, load
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.heads.head import Prediction, TaskHead
from elmo_tasks.heads.head_files import HeadFiles, load_head
from elmo_tasks.heads.tagging import TagPrediction
from elmo_tasks.heads.token_features import TokenFeatures, characters_of
from elmo_tasks.layers.pooling import masked_mean
from elmo_tasks.tasks.kind import TaskKind
from elmo_tasks.tasks.kinds import kind_of

Tokens = Sequence[str]
_BATCH_SIZE = 32


def features_of(
    tokens: Sequence[Tokens], head: TaskHead, static: StaticVectors | None, pooled: bool = False
) -> TokenFeatures:
    """What a head reads beside the layers, for one batch, on the CPU; means over the tokens if the layers are ``pooled``."""
    characters, words = characters_of(tokens) if head.reads_characters else (None, None)
    vectors = None
    if static is not None and head.task.static_dim:
        layers = static.encode(tokens)
        vectors = masked_mean(layers.values[0], layers.mask) if pooled else layers.values[0]
    return TokenFeatures(characters, words, vectors)


class Predictor:
    """A head with the frozen numbers it was trained on.

    Args:
        encoder: gives the layers.
        head: what reads them; it is put into evaluation mode.
        static: the static vectors, if the head reads some.
        device: where to compute; that of the encoder.
        max_tokens: tokens of a text that a head whose kind :attr:`~TaskKind.cuts` reads, as many as it was trained on; all if
            ``None``.
    """

    def __init__(
        self,
        encoder: Encoder,
        head: TaskHead,
        static: StaticVectors | None = None,
        device: torch.device | str = "cpu",
        max_tokens: int | None = None,
    ) -> None:
        self.encoder, self.static = encoder, static
        self.kind: TaskKind = kind_of(head.kind)
        self.max_tokens = max_tokens if self.kind.cuts else None
        self.head = head.to(device).eval()
        self.device = device

    @classmethod
    def load(cls, files: HeadFiles, encoder: Encoder | None = None, device: torch.device | str = "cpu") -> Predictor:
        """Load a head, and the encoder that it was trained on unless that is given.

        Args:
            files: of the head.
            encoder: an encoder that is in memory.
            device: where to compute.

        Raises:
            ConfigError: another encoder, or other static vectors, than the head was trained on.
            WeightsError: weights are missing or broken.
        """
        if encoder is None:
            encoder = load(files.encoder.name, device)
        _check_source("encoder", files, encoder.name, encoder.checksum, files.encoder.checksum)
        static = None
        if files.static is not None:
            static = StaticVectors.load(files.static.name)
            _check_source("static vectors", files, static.name, static.checksum, files.static.checksum)
        return cls(encoder, load_head(files), static, device, files.reading.get("max_tokens"))

    def predict(self, sentences: Sequence[Tokens], **options: Any) -> list[Any]:
        """What the head says of a batch of sentences, one object each; ``options`` are those of its ``predict``."""
        return self.head.predict(*self._inputs(sentences), **options)

    def tag(self, sentences: Sequence[Tokens], n_readings: int = 1) -> list[TagPrediction]:
        """Tag a batch of sentences.

        Raises:
            ConfigError: the head is not a tagger.
        """
        self._check_kind("tagging")
        return self.predict(sentences, n_readings=n_readings)

    def classify(self, texts: Sequence[Tokens]) -> list[TextPrediction]:
        """Classify a batch of texts.

        Raises:
            ConfigError: the head is not a classifier.
        """
        self._check_kind("classification")
        return self.predict(texts)

    def _check_kind(self, wanted: str) -> None:
        if self.kind.name != wanted:
            gives, asked = self.kind.words.gives, kind_of(wanted).words.gives
            raise ConfigError(f"{type(self.head).__name__} gives {gives}, not {asked}")

    def labels_of(self, sentences: Sequence[Tokens]) -> Iterator[Prediction]:
        """The best labels alone of any number of sentences, in order: tags as the head's labels spell them, or a class."""
        for batch in batched(sentences):
            values, mask, features = self._inputs(batch)
            yield from self.head.best(values, mask, features)

    @torch.inference_mode()
    def _inputs(self, sentences: Sequence[Tokens]) -> tuple[Tensor, Tensor, TokenFeatures]:
        sentences = [sentence[: self.max_tokens] for sentence in sentences]
        layers = self.encoder.encode(sentences).to(self.device)
        return layers.values, layers.mask, features_of(sentences, self.head, self.static).to(self.device)


def batched(sentences: Iterable[Tokens]) -> Iterator[list[Tokens]]:
    """Batches of sentences, in order, read as they are consumed."""
    remaining = iter(sentences)
    while batch := list(islice(remaining, _BATCH_SIZE)):
        yield batch


def _check_source(what: str, files: HeadFiles, name: str, found: str, expected: str) -> None:
    if found != expected:
        trained = (files.static if what == "static vectors" else files.encoder) or files.encoder
        raise ConfigError(
            f"the head {files.name} was trained on the {what} {trained.name} (checksum {expected[:12]}…) and reads no other; "
            f"given was {name} (checksum {found[:12]}…): train a head on it, or give the {what} that it was trained on"
        )
