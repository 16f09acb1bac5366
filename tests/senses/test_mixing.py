"""Inner products carry every mix."""

import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.senses.similarity import layer_products

USES = torch.randn(3, 4, 7, generator=torch.Generator().manual_seed(5))


def mixed_cosine(products: Tensor, weights: Tensor) -> Tensor:
    """``[n, n]`` cosines of the mixes with these weights, as the page works them out (what_if.js).

    Args:
        products: ``[L, L, n, n]``, see :func:`layer_products`.
        weights: ``[L]``, not all zero.
    """
    inner = torch.einsum("l,m,lmij->ij", weights.double(), weights.double(), products)
    norms = inner.diagonal().clamp_min(1e-24).sqrt()
    return (inner / norms.unsqueeze(0) / norms.unsqueeze(1)).clamp(-1.0, 1.0)


def test_a_mix_from_products_is_the_mix_of_the_vectors():
    weights = torch.tensor([0.2, 0.5, 0.3])
    mixed = torch.einsum("l,lnd->nd", weights, USES).double()
    direct = F.cosine_similarity(mixed.unsqueeze(0), mixed.unsqueeze(1), dim=-1)
    assert torch.allclose(mixed_cosine(layer_products(USES), weights), direct, atol=1e-6)


def test_one_layer_alone_is_its_own_cosine():
    for layer in range(3):
        direct = F.cosine_similarity(USES[layer].unsqueeze(0), USES[layer].unsqueeze(1), dim=-1)
        found = mixed_cosine(layer_products(USES), F.one_hot(torch.tensor(layer), 3))
        assert torch.allclose(found, direct.double(), atol=1e-6)


def test_products_are_symmetric_when_layers_and_uses_change_places():
    products = layer_products(USES)
    assert products.shape == (3, 3, 4, 4)
    assert torch.allclose(products, products.permute(1, 0, 3, 2))
