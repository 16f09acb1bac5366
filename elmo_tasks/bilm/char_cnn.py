"""Context-free token encoder of ELMo: character CNN, highways, projection."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.options import CharCNNOptions
from elmo_tasks.text.tokens import PADDING

#: Rows of the character table: 261 characters, and row 0 for "no character here".
N_CHARACTER_ROWS = 262


class Highway(nn.Module):
    """Highway layer: ``y = carry * relu(W_t x + b_t) + (1 - carry) * x``.

    ``carry = sigmoid(W_c x + b_c)``. The published weights call ``carry`` what Srivastava et al. (2015) call the transform gate.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim
        self.transform = nn.Linear(dim, dim)
        self.carry = nn.Linear(dim, dim)
        # Starts by letting most of the input through, as bilm-tf does.
        nn.init.constant_(self.carry.bias, -2.0)

    def forward(self, x: Tensor) -> Tensor:
        """Map ``[U, dim]`` to ``[U, dim]``."""
        carry = torch.sigmoid(self.carry(x))
        return x + carry * (torch.relu(self.transform(x)) - x)


class CharacterCNN(nn.Module):
    """Model from characters of words to word vectors of size ``projection_dim``."""

    def __init__(self, options: CharCNNOptions, projection_dim: int) -> None:
        super().__init__()
        self.options = options
        self.embedding = nn.Embedding(N_CHARACTER_ROWS, options.embedding_dim, padding_idx=0)
        # Conv1d for its parameters and their first values; forward() multiplies windows instead.
        convolutions = [nn.Conv1d(options.embedding_dim, number, width) for width, number in options.filters]
        self.convolutions = nn.ModuleList(convolutions)
        self.highways = nn.ModuleList(Highway(options.n_filters) for _ in range(options.n_highway))
        self.projection = nn.Linear(options.n_filters, projection_dim)

    def forward(self, characters: Tensor) -> Tensor:
        """Map ``[U, C]`` character ids, 0..261, to ``[U, projection_dim]`` word vectors."""
        x = self.embedding(self._trim(characters))  # [U, C, E]
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))  # before the windows multiply it
        x = torch.cat([_convolve_and_pool(x, c) for c in self.convolutions], dim=-1)
        # Both activations rise with their input, so that the maximum could be taken first.
        x = torch.relu(x) if self.options.activation == "relu" else torch.tanh(x)  # [U, n_filters]
        for highway in self.highways:
            x = highway(x)
        return self.projection(x)

    def _trim(self, characters: Tensor) -> Tensor:
        """Trim the padding that does not affect any maximum.

        Every convolution window that holds nothing but padding gives the same value, so one such window of the widest filter
        stands for all of them: the result is equal, not close.
        """
        is_padding = characters == PADDING  # unlike row 0 it has a trained vector, and convolutions see it
        longest = int((~is_padding).sum(dim=1).max()) if len(characters) else 0
        widest = max(width for width, _ in self.options.filters)
        return characters[:, : max(longest + widest, widest)]


def _convolve_and_pool(x: Tensor, convolution: nn.Module) -> Tensor:
    """Convolve ``[U, C, E]`` and take the maximum over positions: ``[U, number]``.

    As one matrix product over windows: on a CPU, forward and backward take half of what ``Conv1d`` takes on these shapes.
    """
    weight, bias = (convolution.get_parameter(name) for name in ("weight", "bias"))  # [number, E, width], [number]
    windows = x.unfold(1, weight.shape[2], 1).flatten(2)  # [U, positions, E * width]
    scores = nn.functional.linear(windows, weight.flatten(1))
    # The maximum alone is found in less time than the maximum and its place, which only gradients need.
    return (scores.max(dim=1).values if scores.requires_grad else scores.amax(dim=1)) + bias
