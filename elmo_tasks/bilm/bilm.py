"""Bidirectional language model of Peters et al. (2018)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.char_cnn import CharacterCNN, encode_words
from elmo_tasks.bilm.options import BiLMOptions, LSTMOptions
from elmo_tasks.bilm.projected_lstm import ProjectedLSTM, State

DirectionState = tuple[State, ...]
"""One :data:`State` per LSTM layer."""


class DirectionalLM(nn.Module):
    """Stack of projected LSTM layers that reads in one direction."""

    def __init__(self, options: LSTMOptions) -> None:
        super().__init__()
        self.use_skip_connections = options.use_skip_connections
        self.layers = nn.ModuleList(
            ProjectedLSTM(
                options.projection_dim, options.dim, options.projection_dim, options.cell_clip, options.proj_clip
            )
            for _ in range(options.n_layers)
        )

    def forward(
        self, x: Tensor, state: DirectionState | None = None, lengths: Tensor | None = None, dropout: float = 0.0
    ) -> tuple[list[Tensor], DirectionState]:
        """Return the outputs ``[B, T, P]`` of each layer, and the final states.

        Args:
            x: ``[B, T, P]`` word vectors, in the order in which the direction reads.
            state: one state per layer; zeros by default.
            lengths: see :meth:`ProjectedLSTM.forward`.
            dropout: share of each layer's input that is dropped, in training.
        """
        outputs: list[Tensor] = []
        states: list[State] = []
        for k, layer in enumerate(self.layers):
            start = None if state is None else state[k]
            dropped = nn.functional.dropout(x, dropout, self.training) if dropout else x
            y, end = layer(dropped, start, lengths)
            if k > 0 and self.use_skip_connections:
                y = y + x
            outputs.append(y)
            states.append(end)
            x = y
        return outputs, tuple(states)


@dataclass(frozen=True)
class BiLMOutput:
    """Output of the biLM for a batch, sentence boundaries included."""

    #: [L, B, T, 2 P]; layer 0 is the token layer, repeated to full width. Zero where mask is False
    layers: Tensor
    mask: Tensor  # [B, T] True for real steps (words and boundaries)
    #: the forward and the backward states after each row's last real step
    states: tuple[DirectionState, DirectionState] | None


class BiLM(nn.Module):
    """Model from characters of sentences to word vectors at every layer."""

    def __init__(self, options: BiLMOptions) -> None:
        super().__init__()
        self.options = options
        self.token_encoder = CharacterCNN(options.char_cnn, options.lstm.projection_dim)
        self.forward_lm = DirectionalLM(options.lstm)
        self.backward_lm = DirectionalLM(options.lstm)

    def forward(
        self,
        characters: Tensor,
        words: Tensor,
        lengths: Tensor,
        states: Sequence[DirectionState] | None = None,
        carry: bool = False,
    ) -> BiLMOutput:
        """Encode a batch of sentences; with ``carry``, also return the states at the end.

        Args:
            characters: ``[U, C]`` character ids of the distinct words, so that each word passes through the CNN once.
            words: ``[B, T]`` rows of ``characters``, right-padded with any row.
            lengths: ``[B]`` real steps of each row.
            states: forward and backward states to start from; zeros by default, so that a sentence gives the same vectors always.
            carry: see above.
        """
        return self.read(self.token_encoder(characters)[words], lengths, states, carry)

    def read(
        self,
        tokens: Tensor,
        lengths: Tensor,
        states: Sequence[DirectionState] | None = None,
        carry: bool = False,
        dropout: float = 0.0,
    ) -> BiLMOutput:
        """Encode sentences of word vectors ``[B, T, P]``, padded on the right.

        See :meth:`forward`; ``dropout`` is the share of each LSTM layer's input that is dropped, in training.
        """
        steps = tokens.shape[1]
        mask = torch.arange(steps, device=tokens.device) < lengths.unsqueeze(1)  # [B, T]
        reverse = reversed_positions(lengths, steps)  # [B, T]
        up_to = lengths if carry else None
        first, second = (None, None) if states is None else states
        ahead, state_f = self.forward_lm(tokens, first, up_to, dropout)
        back, state_b = self.backward_lm(reordered(tokens, reverse), second, up_to, dropout)
        layers = [torch.cat([tokens, tokens], dim=-1)]
        layers += [torch.cat([f, reordered(b, reverse)], dim=-1) for f, b in zip(ahead, back, strict=True)]
        stacked = torch.stack(layers) * mask.unsqueeze(-1)
        return BiLMOutput(stacked, mask, (state_f, state_b) if carry else None)


def reversed_positions(lengths: Tensor, steps: int) -> Tensor:
    """Return ``[B, T]`` positions that reverse each row but not its padding."""
    t = torch.arange(steps, device=lengths.device).expand(len(lengths), steps)
    n = lengths.unsqueeze(1)
    return torch.where(t < n, n - 1 - t, t)


def reordered(x: Tensor, positions: Tensor) -> Tensor:
    """Reorder the steps of ``[B, T, D]`` by the positions ``[B, T]`` of each row."""
    return x.gather(1, positions.unsqueeze(-1).expand_as(x))


# Beside the variance of the vectors, which is near 1: keeps the solution small where words say nothing about a direction.
_RIDGE = 1e-4


@torch.no_grad()
def with_char_encoder(old: BiLM, reader: CharacterCNN, characters: Tensor, weights: Tensor) -> tuple[BiLM, float]:
    """Attach a biLM's LSTMs to another character CNN, by a linear map.

    It is the least-squares solution for the old vectors of the given words, of ``[U, C]`` character ids and ``[U]`` weights,
    and is folded into the input weights of the first layers.

    Returns:
        the new biLM, and the share of the old vectors' variance that the map keeps, 1 at best.
    """
    bilm = BiLM(BiLMOptions(old.options.lstm, reader.options))
    bilm.load_state_dict({**old.state_dict(), **{f"token_encoder.{k}": v for k, v in reader.state_dict().items()}})
    share = (weights.double() / weights.sum()).unsqueeze(1)  # [U, 1]
    x, y = (encode_words(cnn, characters).double().cpu() for cnn in (reader, old.token_encoder))
    x_mean, y_mean = (share * x).sum(0), (share * y).sum(0)
    x, y = x - x_mean, y - y_mean
    gram = (share * x).T @ x
    ridge = _RIDGE * gram.diagonal().mean() * torch.eye(len(gram), dtype=gram.dtype)
    linear = torch.linalg.solve(gram + ridge, (share * x).T @ y)  # [P, P]
    kept = 1 - float((share * (y - x @ linear) ** 2).sum() / (share * y**2).sum())
    bias = y_mean - x_mean @ linear
    for direction in (bilm.forward_lm, bilm.backward_lm):
        first = direction.layers[0]
        weight = first.get_parameter("weight_ih_l0")
        first.get_parameter("bias_ih_l0").add_((weight.double() @ bias).float())
        weight.copy_((weight.double() @ linear.T).float())
    return bilm, kept
