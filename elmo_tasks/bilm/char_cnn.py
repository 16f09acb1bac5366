"""Context-free token encoder of ELMo (layer 0): character CNN, highways, projection."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.options import CharCNNOptions
from elmo_tasks.text.characters import PADDING

#: Rows of the character table: 261 characters, and row 0 for "no character here".
N_CHARACTER_ROWS = 262


class Highway(nn.Module):
    """Highway layer: ``y = carry * relu(W_t x + b_t) + (1 - carry) * x``.

    ``carry = sigmoid(W_c x + b_c)``. The published weights call ``carry`` what Srivastava et al.
    (2015) call the transform gate.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
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
        self.convolutions = nn.ModuleList(
            nn.Conv1d(options.embedding_dim, n, width) for width, n in options.filters
        )
        self.highways = nn.ModuleList(Highway(options.n_filters) for _ in range(options.n_highway))
        self.projection = nn.Linear(options.n_filters, projection_dim)

    def forward(self, characters: Tensor) -> Tensor:
        """Map ``[U, C]`` character ids, 0..261, to ``[U, projection_dim]`` word vectors."""
        x = self.embedding(self._trim(characters))  # [U, C, E]
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))  # before the windows multiply it
        x = torch.cat([_convolve_and_pool(x, c) for c in self.convolutions], dim=-1)
        # Both activations are increasing functions, so the maximum can be taken first.
        x = torch.relu(x) if self.options.activation == "relu" else torch.tanh(x)  # [U, n_filters]
        for highway in self.highways:
            x = highway(x)
        return self.projection(x)

    def _trim(self, characters: Tensor) -> Tensor:
        """Trim the padding that does not affect any maximum.

        Every convolution window that holds nothing but padding gives the same value, so one such
        window of the widest filter can represent them all: the result is exactly equal.
        """
        # Unlike row 0, padding has a trained vector, and convolutions see it.
        longest = int(word_lengths(characters).max()) if len(characters) else 0
        return characters[:, : longest + max(width for width, _ in self.options.filters)]


def _convolve_and_pool(x: Tensor, convolution: nn.Module) -> Tensor:
    """Convolve ``[U, C, E]`` and take the maximum over positions: ``[U, number]``.

    This is one matrix product over windows; on a CPU, both passes take half the time ``Conv1d``
    takes on these shapes.
    """
    # [number, E, width], [number]
    weight, bias = (getattr(convolution, name) for name in ("weight", "bias"))
    windows = x.unfold(1, weight.shape[2], 1).flatten(2)  # [U, positions, E * width]
    scores = nn.functional.linear(windows, weight.flatten(1))
    # The maximum alone is faster than the maximum with its index, which only gradients need.
    return (scores.max(dim=1).values if scores.requires_grad else scores.amax(dim=1)) + bias


def word_lengths(characters: Tensor) -> Tensor:
    """Count the characters of each word, ``[U]``, from ``[U, C]`` character ids."""
    return (characters != PADDING).sum(dim=1)


_WORDS_PER_BATCH = 1024


@torch.no_grad()
def encode_words(encoder: CharacterCNN, characters: Tensor) -> Tensor:
    """Compute ``[U, P]`` vectors of words, in batches of similar length.

    The ``[U, C]`` character ids may be of any integer type and on any device.
    """
    weight = encoder.projection.weight
    vectors = torch.empty(len(characters), len(weight), device=weight.device)
    # Autocast would reduce the precision of the result, which is kept.
    with torch.autocast(weight.device.type, enabled=False):
        for rows in torch.argsort(word_lengths(characters), stable=True).split(_WORDS_PER_BATCH):
            vectors[rows.to(weight.device)] = encoder(
                characters[rows].to(weight.device, torch.long)
            ).float()
    return vectors


# 512 MiB hold a million words of 128 numbers. Words past that are read each time.
_MAX_BYTES = 512 * 2**20


class WordCache:
    """Cache of vectors of the most frequent words, filled as the words occur.

    The CNN must not change while the cache is in use. Word ids are ranks by frequency; the vectors
    of the first ``n_words`` are kept, or of as many as fit into ``max_bytes``.
    """

    def __init__(self, encoder: CharacterCNN, n_words: int, max_bytes: int = _MAX_BYTES) -> None:
        self.encoder = encoder
        weight = encoder.projection.weight
        rows = min(n_words, max_bytes // (4 * len(weight)))
        self._vectors = torch.empty(rows, len(weight), device=weight.device)
        self._is_there = torch.zeros(rows, dtype=torch.bool, device=weight.device)

    def read(self, characters: Tensor, ids: Tensor) -> Tensor:
        """Return ``[U, P]`` vectors of ``[U, C]`` characters and ``[U]`` word ids."""
        fits = ids < len(self._is_there)
        rows = ids.clamp(max=len(self._is_there) - 1)
        missing = ~(fits & self._is_there[rows])
        vectors = self._vectors[rows]
        if missing.any():
            vectors[missing] = encode_words(self.encoder, characters[missing])
            new = missing & fits
            self._vectors[ids[new]] = vectors[new]
            self._is_there[ids[new]] = True
        return vectors
