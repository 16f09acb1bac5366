"""Bidirectional language model of Peters et al. (2018).

Its LSTM layers have a projection and clipping (Sak et al., 2014).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.char_cnn import CharacterCNN
from elmo_tasks.bilm.options import BiLMOptions, LSTMOptions

State = tuple[Tensor, Tensor]  # output [1, B, P] and cell [1, B, H]
DirectionState = tuple[State, ...]  # of each LSTM layer

# Projections run in PyTorch's own CPU kernel; users need no warning that oneDNN has none.
warnings.filterwarnings("ignore", message="LSTM with projections is not supported with oneDNN")


class ProjectedLSTM(nn.LSTM):
    """``torch.nn.LSTM`` with one layer, a projection, clipping, and one bias.

    ``cell_clip`` limits the absolute value of the cell before the output gate reads it;
    ``proj_clip`` limits the projected output. Without clipping, PyTorch's fused LSTM is used.
    With clipping, the steps are written out, since each needs the clipped cell; likewise where
    the projection is at least as wide as the cells, which PyTorch's LSTM rejects.
    """

    weight_ih_l0: Tensor  # [4H, input_size]; gates in the order input, forget, candidate, output
    weight_hh_l0: Tensor  # [4H, P]
    bias_ih_l0: Tensor  # [4H]
    bias_hh_l0: Tensor  # [4H]
    weight_hr_l0: Tensor  # [P, H]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        proj_size: int,
        *,
        cell_clip: float | None = None,
        proj_clip: float | None = None,
    ) -> None:
        is_wide = proj_size >= hidden_size
        super().__init__(
            input_size, hidden_size, proj_size=0 if is_wide else proj_size, batch_first=True
        )
        self.cell_clip, self.proj_clip = cell_clip, proj_clip
        self._is_fused = cell_clip is None and proj_clip is None and not is_wide
        if is_wide:
            self.proj_size = proj_size
            self.weight_hh_l0 = nn.Parameter(torch.empty(4 * hidden_size, proj_size))
            self.weight_hr_l0 = nn.Parameter(torch.empty(proj_size, hidden_size))
            self.reset_parameters()
        # The published layout has one bias. The second is held at zero, so that the export need
        # not add them.
        self.bias_hh_l0.requires_grad_(False)
        with torch.no_grad():
            self.bias_hh_l0.zero_()
            self.bias_ih_l0.zero_()
            # A forget-gate bias of 1 keeps the cell by default (Jozefowicz et al., 2015).
            self.bias_ih_l0[hidden_size : 2 * hidden_size] = 1.0

    def flatten_parameters(self) -> None:
        """Store the weights in the fused layout for a GPU, if the fused LSTM is used."""
        if self.proj_size < self.hidden_size:
            super().flatten_parameters()

    def forward(  # type: ignore[override]
        self, x: Tensor, state: State | None = None, lengths: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Run over a batch ``[B, T, input_size]``.

        Args:
            x: the inputs.
            state: where to start; zeros by default.
            lengths: ``[B]`` number of real steps of each row; the returned state is then
                the one after these steps.

        Returns:
            ``[B, T, P]`` outputs (arbitrary past ``lengths``), and the final state.
        """
        if state is None:
            state = (
                x.new_zeros(1, len(x), self.proj_size),
                x.new_zeros(1, len(x), self.hidden_size),
            )
        is_autocast = torch.is_autocast_enabled(x.device.type)
        if lengths is not None or (not self._is_fused and (is_autocast or torch.is_grad_enabled())):
            return self._steps(x, state, lengths)
        if not self._is_fused:
            return self._steps_in_place(x, state)
        if is_autocast and x.device.type == "cpu":
            return self._fused_low_precision(x, state)
        output, state = super().forward(x, state)
        return output, state

    def _fused_low_precision(self, x: Tensor, state: State) -> tuple[Tensor, State]:
        # Autocast on a CPU would convert the weights at each step of the loop; once per call is
        # enough.
        dtype = torch.get_autocast_dtype("cpu")
        with torch.autocast("cpu", enabled=False):
            weights = [weight.to(dtype) for weight in self._flat_weights if weight is not None]
            start = [part.to(dtype) for part in state]
            output, h, c = torch.lstm(
                x.to(dtype), start, weights, True, 1, 0.0, self.training, False, True
            )
        return output, (h, c)

    def _steps_in_place(self, x: Tensor, state: State) -> tuple[Tensor, State]:
        """Run the steps in place, without gradients and without allocating tensors."""
        h, c = state[0][0], state[1][0].clone()  # [B, P], [B, H]
        to_gates, to_output = self.weight_hh_l0.t(), self.weight_hr_l0.t()
        # [T, B, 4H]
        gates = nn.functional.linear(
            x.transpose(0, 1).contiguous(), self.weight_ih_l0, self.bias_ih_l0
        )
        outputs = x.new_empty(x.shape[1], x.shape[0], self.proj_size)  # [T, B, P]
        squashed = torch.empty_like(c)
        for gate, output in zip(gates, outputs, strict=True):
            gate.addmm_(h, to_gates)  # the second bias is zero
            step_in_place(gate, c, squashed, self.cell_clip)
            h = torch.mm(squashed, to_output, out=output)
            if self.proj_clip is not None:
                h.clamp_(-self.proj_clip, self.proj_clip)
        return outputs.transpose(0, 1), (h.unsqueeze(0).clone(), c.unsqueeze(0))

    def _steps(self, x: Tensor, state: State, lengths: Tensor | None) -> tuple[Tensor, State]:
        h, c = state[0][0], state[1][0]  # [B, P], [B, H]
        from_input = nn.functional.linear(x, self.weight_ih_l0, self.bias_ih_l0)  # [B, T, 4H]
        outputs = []
        for t in range(x.shape[1]):
            gates = from_input[:, t] + nn.functional.linear(h, self.weight_hh_l0, self.bias_hh_l0)
            i, f, g, o = gates.chunk(4, dim=-1)
            new_c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            if self.cell_clip is not None:
                new_c = new_c.clamp(-self.cell_clip, self.cell_clip)
            new_h = nn.functional.linear(torch.sigmoid(o) * torch.tanh(new_c), self.weight_hr_l0)
            if self.proj_clip is not None:
                new_h = new_h.clamp(-self.proj_clip, self.proj_clip)
            if lengths is None:
                h, c = new_h, new_c
            else:
                live = (t < lengths).unsqueeze(-1)
                h, c = torch.where(live, new_h, h), torch.where(live, new_c, c)
            outputs.append(new_h)
        return torch.stack(outputs, dim=1), (h.unsqueeze(0), c.unsqueeze(0))


def step_in_place(gates: Tensor, c: Tensor, squashed: Tensor, cell_clip: float | None) -> None:
    """Advance the cell ``c`` ``[B, H]`` by one step, in place.

    ``squashed`` ``[B, H]`` receives the input of the projection; ``gates`` ``[B, 4 H]`` are
    overwritten.
    """
    n = c.shape[1]
    input_and_forget, candidate, out = gates.split((2 * n, n, n), dim=1)
    input_and_forget.sigmoid_()
    c.mul_(input_and_forget[:, n:]).addcmul_(input_and_forget[:, :n], candidate.tanh_())
    if cell_clip is not None:
        c.clamp_(-cell_clip, cell_clip)
    torch.tanh(c, out=squashed).mul_(out.sigmoid_())


class DirectionalLM(nn.Module):
    """Stack of projected LSTM layers that reads in one direction."""

    def __init__(self, options: LSTMOptions) -> None:
        super().__init__()
        self.use_skip_connections = options.use_skip_connections
        self.layers = nn.ModuleList(
            ProjectedLSTM(
                input_size=options.projection_dim,
                hidden_size=options.dim,
                proj_size=options.projection_dim,
                cell_clip=options.cell_clip,
                proj_clip=options.proj_clip,
            )
            for _ in range(options.n_layers)
        )

    def forward(
        self,
        x: Tensor,
        state: DirectionState | None = None,
        lengths: Tensor | None = None,
        dropout: float = 0.0,
    ) -> tuple[list[Tensor], DirectionState]:
        """Return the outputs ``[B, T, P]`` of each layer, and the final states.

        The word vectors ``x`` ``[B, T, P]`` are in the order in which the direction reads,
        ``state`` has one state per layer, and ``dropout`` is the share of each layer's input that
        is dropped in training. See :meth:`ProjectedLSTM.forward`.
        """
        outputs: list[Tensor] = []
        states: list[State] = []
        for k, layer in enumerate(self.layers):
            dropped = nn.functional.dropout(x, dropout, self.training) if dropout else x
            y, end = layer(dropped, None if state is None else state[k], lengths)
            x = y + x if k > 0 and self.use_skip_connections else y
            outputs.append(x)
            states.append(end)
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
        """Encode a batch of sentences.

        Args:
            characters: ``[U, C]`` character ids of the distinct words, so that each word passes
                through the CNN once.
            words: ``[B, T]`` rows of ``characters``, right-padded with any row.
            lengths: ``[B]`` real steps of each row.
            states: forward and backward states to start from; zeros by default, so that a sentence
                always gives the same vectors.
            carry: also return the states at the end.
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

        See :meth:`forward`; ``dropout`` is the share of each LSTM layer's input that is dropped, in
        training.
        """
        steps = tokens.shape[1]
        mask = torch.arange(steps, device=tokens.device) < lengths.unsqueeze(1)  # [B, T]
        reverse = reversed_positions(lengths, steps)  # [B, T]
        up_to = lengths if carry else None
        first, second = (None, None) if states is None else states
        ahead, state_f = self.forward_lm(tokens, first, up_to, dropout)
        back, state_b = self.backward_lm(reordered(tokens, reverse), second, up_to, dropout)
        layers = [torch.cat([tokens, tokens], dim=-1)]
        layers += [
            torch.cat([read_ahead, reordered(read_back, reverse)], dim=-1)
            for read_ahead, read_back in zip(ahead, back, strict=True)
        ]
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
