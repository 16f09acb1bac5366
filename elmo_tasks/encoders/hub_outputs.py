"""The outputs of the TF-Hub module of ELMo, by its names and in its shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from elmo_tasks.errors import InputError
from elmo_tasks.layers.pooling import masked_mean

if TYPE_CHECKING:
    from elmo_tasks.encoders.elmo import Elmo


@torch.no_grad()
def hub_outputs(
    elmo: Elmo, sentences: Sequence[str | Sequence[str]], lengths: Sequence[int] | None = None
) -> dict[str, Tensor]:
    """What the module returned with ``as_dict=True``.

    Args:
        elmo: the encoder.
        sentences: text, cut at its spaces as the module did (its signature "default"), or lists of tokens, which may be padded with
            empty strings (its signature "tokens").
        lengths: tokens of each list that count (``sequence_len``); all but the empty strings at its end if ``None``.

    Returns:
        ``word_emb`` ``[B, T, P]`` layer 0, as wide as one direction (512 for the published models); ``lstm_outputs1``,
        ``lstm_outputs2``, … ``[B, T, 2 P]`` the LSTM layers; ``elmo`` ``[B, T, 2 P]`` their mean with layer 0, the module's mix
        before training; ``default`` ``[B, 2 P]`` the mean of ``elmo`` over the tokens of each sentence. Zeros behind a
        sentence's end.

    Raises:
        InputError: no sentence, one without tokens, or lengths that do not fit.
    """
    tokens = [sentence.split() if isinstance(sentence, str) else list(sentence) for sentence in sentences]
    if lengths is None:
        lengths = [next((n for n in range(len(words), 0, -1) if words[n - 1]), 0) for words in tokens]
    if len(lengths) != len(tokens) or any(not 0 < n <= len(words) for n, words in zip(lengths, tokens, strict=False)):
        raise InputError(
            f"lengths: expected one for each of {len(tokens)} sentences, from 1 to its number of tokens, got {list(lengths)}"
        )
    layers = elmo.encode([words[:n] for words, n in zip(tokens, lengths, strict=True)])
    values = layers.values  # [L, B, T, 2 P]
    mixed = values.mean(dim=0)
    return {
        "word_emb": values[0, ..., : values.shape[-1] // 2],  # the published layer 0 is one direction, repeated
        **{f"lstm_outputs{k}": layer for k, layer in enumerate(values[1:], start=1)},
        "elmo": mixed,
        "default": masked_mean(mixed, layers.mask),
    }
