"""Further views of uses: one vector per word, mixes of the layers, meaning features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from elmo_tasks import api
from elmo_tasks.layers import with_mean
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.similarity import (
    cosine_matrix,
    everyday_sentences,
    everyday_words,
    random_pair_cosine,
)
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Use

#: Number of random words whose products are kept for a mix that a person chooses.
_RANDOM_WORDS = 8
#: Number of choices of these words, of which the most typical one is taken.
_DRAWS = 2000
#: Significant digits of the products.
_SIGNIFICANT_DIGITS = 5


def views_of(
    loaded: LoadedModel,
    uses: Sequence[Use],
    layers: Tensor,
    embedded: Vectors | None,
    heads: Sequence[tuple[str, api.LayerWeights]],
) -> api.Views:
    """Compare uses with ``[L, n, D]`` vectors in further ways.

    Args:
        loaded: the model that read them.
        uses: the uses.
        layers: their vectors.
        embedded: ``[n, H]`` features of their meanings; ``None`` without meanings.
        heads: the kind and the layer weights of heads on this model.
    """
    if len(layers) == 1:
        return api.Views()
    random, sentence, word = loaded.cache.once(
        "everyday words", lambda: everyday_words(loaded.encoder)
    )
    mixes = []

    def random_pair(shares: Tensor) -> float:
        return float(random_pair_cosine((shares * random).sum(dim=0, keepdim=True), sentence, word))

    for kind, head in heads:
        shares = torch.tensor(head.final.weights).view(-1, 1, 1)
        stick = loaded.cache.once(
            f"random pair, {head.final.weights}", partial(random_pair, shares)
        )
        view = _compared(f"mix-{kind}", (shares * layers).sum(dim=0), stick)
        mixes.append(api.HeadMix(kind=kind, head=head.head, weights=head.final.weights, view=view))
    features = None
    if embedded is not None:
        features = _compared("meanings", torch.as_tensor(embedded).float(), random_features(loaded))
    return api.Views(
        one_vector=_one_vector(loaded, uses),
        mixes=tuple(mixes),
        features=features,
        products=_products(layers),
        random_products=loaded.cache.once(
            "random products", lambda: _products(random[:, _typical(random, loaded.random_pair)])
        ),
    )


def _typical(random: Tensor, wanted: Sequence[float]) -> Tensor:
    """Return the numbers of a few words that are as alike as random words are.

    Eight words chosen blindly have another mean cosine than all, so that the mix of one layer alone
    would contradict the view of that layer.

    Args:
        random: ``[L, n, D]`` vectors of random words.
        wanted: the mean cosine of two of them at each layer and in the mean of the layers.
    """
    cosine = F.normalize(with_mean(random), dim=-1)
    cosine = cosine @ cosine.transpose(1, 2)  # [L + 1, n, n]
    n, draws = random.shape[1], torch.Generator().manual_seed(0)
    size = min(_RANDOM_WORDS, n)
    chosen = torch.stack([torch.randperm(n, generator=draws)[:size] for _ in range(_DRAWS)])
    pairs = cosine[:, chosen.unsqueeze(2), chosen.unsqueeze(1)]  # [L + 1, draws, size, size]
    apart = ~torch.eye(size, dtype=torch.bool)
    means = pairs[:, :, apart].mean(dim=-1)
    far = (means - torch.tensor(wanted).unsqueeze(1)).abs().amax(dim=0)
    return chosen[far.argmin()]


def _one_vector(loaded: LoadedModel, uses: Sequence[Use]) -> api.LayerComparison | None:
    """Compare the uses by the bundled static vector of each word; ``None`` if a word has none."""
    words = [use.word for use in uses]
    if any(word not in loaded.static for word in words):
        return None
    stick = loaded.cache.once("static words", lambda: _random_words(loaded))
    return _compared("static", loaded.static.vectors_of(words), stick)


def _random_words(loaded: LoadedModel) -> float:
    """Return the mean cosine of the static vectors of two random words."""
    every = max(1, min(len(loaded.static), 20_000) // 200)
    cosine = cosine_matrix(loaded.static.vectors[: 200 * every : every].float())
    return round(float(cosine[~torch.eye(len(cosine), dtype=torch.bool)].mean()), 6)


def random_features(loaded: LoadedModel) -> float:
    """Return the mean cosine of the meaning features of two random words."""

    def measured() -> float:
        rows = [[token.text for token in tokenize(sentence)] for sentence in everyday_sentences()]
        vectors = torch.as_tensor(
            loaded.sense_model.embed([Use.of_tokens(row, len(row) // 2) for row in rows])
        )
        cosine = cosine_matrix(vectors.float())
        return round(float(cosine[~torch.eye(len(cosine), dtype=torch.bool)].mean()), 6)

    return loaded.cache.once("random features", measured)


def rounded(values: Any, digits: int = 6) -> Any:
    """Convert a tensor or array of any shape to nested tuples of rounded numbers."""
    values = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(values, list):
        return tuple(rounded(value, digits) for value in values)
    return round(values, digits)


def _compared(name: str, vectors: Tensor, random_pair: float) -> api.LayerComparison:
    return api.LayerComparison(
        name=name,
        cosine=rounded(cosine_matrix(vectors)),
        norms=rounded(vectors.norm(dim=-1)),
        random_pair_cosine=random_pair,
    )


def _products(vectors: Tensor) -> api.Products:
    """Return the inner products of ``[L, n, D]`` vectors for every pair of layers."""
    products = torch.einsum("aid,bjd->abij", vectors, vectors).tolist()
    return tuple(
        tuple(
            tuple(tuple(float(f"{value:.{_SIGNIFICANT_DIGITS}g}") for value in row) for row in rows)
            for rows in of_layer
        )
        for of_layer in products
    )
