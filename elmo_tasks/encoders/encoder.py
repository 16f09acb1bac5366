"""What every encoder is to the rest of the program: sentences -> Layers, which numbers it gives, and what it can do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import torch

from elmo_tasks.bilm.bilm import BiLM, BiLMOutput
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.layers.layers import Layers
from elmo_tasks.text.vocabulary import Vocabulary


class Encoder(Protocol):
    """A frozen encoder: the same sentence gives the same vectors, whatever stands beside it."""

    @property
    def name(self) -> str:
        """What to call it."""

    @property
    def checksum(self) -> str:
        """What changes when its weights do."""

    @property
    def folder(self) -> Path | None:
        """Where its files lie, and what was measured of it may lie beside them; None if it came from no files."""

    @property
    def n_layers(self) -> int:
        """Number of layers ``L``."""

    @property
    def width(self) -> int:
        """Size ``D`` of the vectors."""

    @property
    def layer_names(self) -> tuple[str, ...]:
        """What each of the ``L`` layers is, in words for people."""

    @property
    def reads_sentence(self) -> bool:
        """Whether the vector of a word depends on the words around it, at any layer."""

    @property
    def language_model(self) -> LanguageModel | None:
        """What predicts words from both sides, if that is what the encoder was made of."""

    @property
    def device(self) -> torch.device:
        """Where it computes."""

    def to(self, device: torch.device | str, /) -> Any:
        """Move it there; gives it back."""

    def encode(self, sentences: Sequence[Sequence[str]], /) -> Layers:
        """``[L, B, T, D]`` vectors of all tokens of one batch at all layers, with their mask; one list of tokens or more."""


class LanguageModel(Protocol):
    """What only a language model in two directions has: what it knows before it reads a word, and what it would write there.

    Each of its layers above the context-free one is two halves: what was read up to the word, and back to the word.
    """

    def states(self, sentences: Sequence[Sequence[str]], /) -> BiLMOutput:
        """The layers with the boundaries of the sentences: token ``k`` is step ``k + 1``."""

    def unfrozen(self) -> BiLM:
        """Let gradients reach its weights from now on; gives the model, whose numbers are no longer those of its files."""

    def predictions(self) -> tuple[LMSoftmax, Vocabulary] | None:
        """The output layer that turns states into words, and its words; None where it was not published."""
