"""The layers of an encoder: names, pooling, learned mix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from elmo_tasks.errors import ConfigError

Offsets = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Layers:
    """All layers of an encoder for one batch of sentences."""

    values: Tensor  # [L, B, T, D]; zero where mask is False
    # [B, T] bool, True for a token. No boundaries: T is the longest sentence's number of tokens
    mask: Tensor
    tokens: tuple[tuple[str, ...], ...]  # the tokens of each sentence
    #: (start, end) characters of each token in its sentence; None for sentences given as tokens
    offsets: tuple[Offsets, ...] | None = None

    def __post_init__(self) -> None:
        if self.values.shape[1:3] != self.mask.shape or self.mask.dtype != torch.bool:
            raise ValueError(
                f"Layers: values {tuple(self.values.shape)} do not fit a {self.mask.dtype} mask"
                f" {tuple(self.mask.shape)}"
            )

    def __len__(self) -> int:
        return self.mask.shape[0]

    @property
    def n_layers(self) -> int:
        """Number of layers ``L``."""
        return self.values.shape[0]

    def sentence(self, k: int) -> Tensor:
        """Return the ``[L, tokens, D]`` vectors of one sentence, without padding."""
        return self.values[:, k, : len(self.tokens[k])]

    def average(self) -> Tensor:
        """Return the ``[B, T, D]`` mean of the layers."""
        return self.values.mean(dim=0)

    def to(self, device: torch.device | str) -> Layers:
        """Move the layers to a device."""
        return Layers(
            values=self.values.to(device),
            mask=self.mask.to(device),
            tokens=self.tokens,
            offsets=self.offsets,
        )


MEAN = "mean"


def layer_names(n_layers: int) -> tuple[str, ...]:
    """Return ``"0"``, ``"1"``, ... and, for several layers, ``"mean"``."""
    names = tuple(str(k) for k in range(n_layers))
    return names if n_layers == 1 else (*names, MEAN)


def with_mean(vectors: Tensor) -> Tensor:
    """Append the mean of several layers: ``[L, ..., D]`` -> ``[L + 1, ..., D]``."""
    return vectors if len(vectors) == 1 else torch.cat([vectors, vectors.mean(dim=0, keepdim=True)])


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """Average over tokens (mask True): ``[..., B, T, D]`` -> ``[..., B, D]``, in float32.

    Without layer norm it commutes with a scalar mix: layers that are pooled first mix to the same
    vector.
    """
    # a sum of float16 numbers would lose digits
    wide = torch.promote_types(values.dtype, torch.float32)
    total = _tokens_only(values, mask, 0.0).sum(dim=-2, dtype=wide)  # [..., B, D]
    return total / mask.sum(dim=1, dtype=wide).clamp(min=1).unsqueeze(-1)


def masked_max(values: Tensor, mask: Tensor) -> Tensor:
    """Maximum over tokens (mask True): ``[..., B, T, D]`` -> ``[..., B, D]``."""
    tokens = _tokens_only(values, mask, -torch.inf)
    if not mask.shape[1]:  # there is no maximum of nothing
        return values.new_zeros(*values.shape[:-2], values.shape[-1])
    return tokens.amax(dim=-2).masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


def _tokens_only(values: Tensor, mask: Tensor, filler: float) -> Tensor:
    if values.shape[-3:-1] != mask.shape:
        raise ValueError(f"the mask {tuple(mask.shape)} does not fit vectors {tuple(values.shape)}")
    # Filled, not multiplied by 0: padding may contain non-finite values.
    return values.masked_fill(~mask.unsqueeze(-1), filler)


# As in AllenNLP: far below the variance of any layer, and keeps zero vectors (padding) zero.
_EPSILON = 1e-12


class ScalarMix(nn.Module):
    """``gamma * sum_l s_l h_l`` with ``s = softmax(w)`` and learned ``w``, ``gamma``.

    Peters et al., "Deep contextualized word representations" (NAACL 2018), equation 1. Several
    mixes may share one pass of an encoder. All is in float32 (float64 for float64 layers), also
    under autocast and for layers kept in float16.

    Args:
        n_layers: number of layers ``L``.
        layer_norm: normalise each token's vector of each layer before it is weighted, to mean 0 and
            variance 1 over its ``D`` numbers, with nothing learned. It is per token: a sentence
            never depends on its neighbours in a batch.
        fixed_weights: final weights ``s``, which are then not learned (``gamma`` still is): one
            layer, or a plain mean.
        output_norm: normalise the mixed vector of each token before ``gamma``, in the same way:
            ``gamma`` is then the scale of the layers beside other features, whatever the encoder's
            own scale is. (A layer norm behind the mix would undo ``gamma``, and let it drift
            through zero, where the sign of every vector turns.)

    Raises:
        ConfigError: not one finite weight for each layer, or weights that are not shares of one.
    """

    fixed_weights: Tensor | None

    def __init__(
        self,
        n_layers: int,
        layer_norm: bool = False,
        fixed_weights: Sequence[float] | None = None,
        *,
        output_norm: bool = False,
    ) -> None:
        super().__init__()
        if n_layers < 1:
            raise ConfigError(f"n_layers: a mix needs at least one layer, got {n_layers}")
        self.n_layers = n_layers
        self.layer_norm, self.output_norm = layer_norm, output_norm
        self.gamma = nn.Parameter(torch.ones(()))
        if fixed_weights is None:
            # All layers weigh the same at first.
            self.scalars: nn.Parameter | None = nn.Parameter(torch.zeros(n_layers))  # [L]
            self.register_buffer("fixed_weights", None)
        else:
            shares = list(fixed_weights)
            if len(shares) != n_layers or not all(map(math.isfinite, shares)):
                raise ConfigError(
                    f"fixed_weights: expected {n_layers} finite numbers, one for each layer, got"
                    f" {shares}"
                )
            if min(shares) < 0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-4):
                raise ConfigError(
                    "fixed_weights: expected shares that are not negative and sum to 1, got"
                    f" {shares}"
                )
            self.register_parameter("scalars", None)
            # Not in the state dict: they are a setting, and a file of weights must not change a
            # setting.
            # [L]
            self.register_buffer(
                "fixed_weights", torch.tensor(shares, dtype=torch.float32), persistent=False
            )

    def forward(self, values: Tensor, mask: Tensor | None = None) -> Tensor:
        """Mix ``[L, B, T, D]`` to ``[B, T, D]``, or pooled ``[L, B, D]`` to ``[B, D]``.

        Positions where the mask ``[B, T]`` (``[B]`` for pooled layers) is False are zero.
        """
        if values.dim() < 3 or len(values) != self.n_layers:
            raise ValueError(
                f"expected [L, B, T, D] or [L, B, D] with L = {self.n_layers}, got"
                f" {tuple(values.shape)}"
            )
        if mask is not None and mask.shape != values.shape[1:-1]:
            raise ValueError(
                f"the mask {tuple(mask.shape)} does not fit layers {tuple(values.shape)}"
            )
        with torch.autocast(values.device.type, enabled=False):
            shares = self._shares()  # [L]
            # Layer by layer, so that float16 layers need not all be widened at once.
            mixed = shares[0] * _prepared(values[0], self.layer_norm)  # [B, T, D]
            for share, layer in zip(shares[1:], values[1:], strict=True):
                mixed = mixed + share * _prepared(layer, self.layer_norm)
            mixed = self.gamma * _prepared(mixed, self.output_norm)
            return mixed if mask is None else mixed.masked_fill(~mask.unsqueeze(-1), 0.0)

    def l2(self) -> Tensor:
        """Sum of squares of ``w``: a penalty that pulls towards the mean."""
        return self.gamma.new_zeros(()) if self.scalars is None else self.scalars.square().sum()

    def weights(self) -> tuple[float, ...]:
        """Return the final weight of each layer; they sum to 1."""
        return tuple(self._shares().detach().tolist())

    def _shares(self) -> Tensor:
        if self.scalars is not None:
            return torch.softmax(self.scalars, dim=0)
        assert self.fixed_weights is not None
        return self.fixed_weights


def _prepared(layer: Tensor, norm: bool) -> Tensor:
    """Convert a layer ``[B, T, D]`` to float32 or wider, normalized if requested."""
    layer = layer.to(torch.promote_types(layer.dtype, torch.float32))
    return nn.functional.layer_norm(layer, layer.shape[-1:], eps=_EPSILON) if norm else layer
