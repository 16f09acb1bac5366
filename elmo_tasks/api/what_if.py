"""What if the layers were mixed otherwise, or a word were spelled otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.compare import ComparisonItem
from elmo_tasks.api.said import Result


@dataclass(frozen=True)
class LayerProducts:
    """The uses of a word, with all that a mix of the layers needs: any weights give cosines without the model.

    The mix of a use is ``sum_l w_l v_l``, so the inner product of the mixes of uses ``i`` and ``j`` is
    ``sum_lm w_l w_m products[l][m][i][j]``.
    """

    word: str  #: the word
    model: str  #: name of the model
    items: tuple[ComparisonItem, ...]  #: the ``n`` uses
    layers: tuple[str, ...]  #: names of the ``L`` layers
    #: ``[L][L][n][n]`` inner products of use ``i`` at layer ``l`` and use ``j`` at layer ``m``
    products: tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]


@dataclass(frozen=True)
class RespelledLayer:
    """How far another spelling moves a word at one layer."""

    name: str  #: of the layer
    cosine: tuple[float, ...]  #: for each sentence, of the word as it stood and of the word put in its place
    random_pair_cosine: float  #: mean cosine of two random words at this layer
    #: mean over the sentences of the cosine of the word as it stood and of unrelated words in its place
    unrelated_cosine: float = 0.0
    sees: str = ""  #: what it sees if it reads no other word; else empty


@dataclass(frozen=True)
class Respelling(Result):
    """A word put in the place of another one."""

    word: str  #: the word as it stood
    spelling: str  #: what was put in its place
    model: str  #: name of the model
    sentences: tuple[str, ...]  #: the sentences with it, brackets around it
    layers: tuple[RespelledLayer, ...]  #: what that did, layer by layer, the mean of the layers last
    unrelated: tuple[str, ...] = ()  #: the unrelated words of :attr:`RespelledLayer.unrelated_cosine`


class WhatIfService(Protocol):
    """Answers what the mixer and the other spelling ask."""

    def layer_products(self, word: str, sentences: Sequence[str], model: str | None = None) -> LayerProducts:
        """What mixing the layers by hand needs; the word and sentences are as for :meth:`Service.compare`."""

    def respell(self, word: str, sentences: Sequence[str], spelling: str, model: str | None = None) -> Respelling:
        """Put ``spelling`` in the place of ``word`` in 1 to ``limits.max_sentences`` sentences and say how far its vector moves."""
