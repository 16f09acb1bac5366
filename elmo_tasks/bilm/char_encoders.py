"""Character CNNs (layer 0): encode many words, widen a CNN, exchange a biLM's."""

from __future__ import annotations

import torch
from torch import Tensor

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.char_cnn import CharacterCNN
from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.errors import ConfigError
from elmo_tasks.text.tokens import PADDING

# Beside the variance of the vectors, which is near 1: keeps the solution small where words say nothing about a direction.
_RIDGE = 1e-4
# Initial scale of filters that the old CNN lacks: large enough to learn, too small to disturb.
_NEW_FILTERS = 0.1


def word_lengths(characters: Tensor) -> Tensor:
    """Count the characters ``[U]`` of words, of ``[U, C]`` character ids."""
    return (characters != PADDING).sum(dim=1)


@torch.no_grad()
def encode_words(reader: CharacterCNN, characters: Tensor, batch_size: int = 1024) -> Tensor:
    """Compute ``[U, P]`` word vectors in batches of words of similar length.

    The ``[U, C]`` character ids may be of any integer type and on any device.
    """
    weight = reader.projection.weight
    vectors = torch.empty(len(characters), len(weight), device=weight.device)
    # At least the width of the result would be lost to autocast, and the result is kept.
    with torch.autocast(weight.device.type, enabled=False):
        for rows in torch.argsort(word_lengths(characters), stable=True).split(batch_size):
            vectors[rows.to(weight.device)] = reader(characters[rows].to(weight.device, torch.long)).float()
    return vectors


@torch.no_grad()
def embed_char_encoder(new: CharacterCNN, old: CharacterCNN, linear: Tensor, bias: Tensor) -> None:
    """Initialize a CNN as a smaller one followed by a linear map.

    ``new`` is changed; it has every filter of ``old``, and others, which start small. The map of the old vectors is
    ``[P_new, P_old]``, and ``[P_new]`` added to them.

    Raises:
        ConfigError: ``new`` lacks filters of ``old``, or differs in something else than filters.
    """
    a, b = new.options, old.options
    wide = dict(a.filters)
    if any(wide.get(width, 0) < number for width, number in b.filters):
        raise ConfigError(
            f"model.filters: expected at least those of the biLM to start from, {_pairs(b.filters)}, found {_pairs(a.filters)}"
        )
    if (a.n_highway, a.embedding_dim, a.activation) != (b.n_highway, b.embedding_dim, b.activation):
        raise ConfigError(
            "model: expected n_highway, embedding_dim and activation of the biLM to start from, "
            f"{b.n_highway}, {b.embedding_dim} and {b.activation}; found {a.n_highway}, {a.embedding_dim} and {a.activation}"
        )
    new.embedding.weight.copy_(old.embedding.weight)
    kept = dict(zip((width for width, _ in b.filters), old.convolutions, strict=True))
    places: list[int] = []  # of the old filters among the new ones, in the new order
    begins = dict(zip(wide, torch.tensor([0, *wide.values()]).cumsum(0).tolist(), strict=False))
    for width, convolution in zip(wide, new.convolutions, strict=True):
        if width in kept:
            number = len(kept[width].get_parameter("bias"))
            for name in ("weight", "bias"):
                convolution.get_parameter(name)[:number] = kept[width].get_parameter(name)
    for width, number in b.filters:
        places += range(begins[width], begins[width] + number)
    at = torch.tensor(places)
    for highway, old_highway in zip(new.highways, old.highways, strict=True):
        for gate in ("transform", "carry"):
            weight, old_weight = (h.get_submodule(gate).get_parameter("weight") for h in (highway, old_highway))
            weight[at] = 0.0
            weight[at[:, None], at] = old_weight
            highway.get_submodule(gate).get_parameter("bias")[at] = old_highway.get_submodule(gate).get_parameter(
                "bias"
            )
    new.projection.weight.mul_(_NEW_FILTERS)
    new.projection.weight[:, at] = linear @ old.projection.weight
    new.projection.bias.copy_(linear @ old.projection.bias + bias)


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


def _pairs(filters: tuple[tuple[int, int], ...]) -> list[list[int]]:
    return [list(pair) for pair in filters]


#: Memory for the vectors, in bytes; 512 MiB hold a million words of 128 numbers. Words past that are read each time.
MAX_BYTES = 512 * 2**20


class WordCache:
    """Cache of vectors of the most frequent words, filled as the words occur.

    The CNN must not change meanwhile. Of ``n_words`` distinct words, whose ids are ranks by frequency, as many as ``max_bytes``
    hold are kept.
    """

    def __init__(self, reader: CharacterCNN, n_words: int, max_bytes: int = MAX_BYTES) -> None:
        self.reader = reader
        weight = reader.projection.weight
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
            vectors[missing] = encode_words(self.reader, characters[missing])
            new = missing & fits
            self._vectors[ids[new]] = vectors[new]
            self._is_there[ids[new]] = True
        return vectors
