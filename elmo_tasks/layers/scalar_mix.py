"""Weighted sum of layers, learned with the task (Peters et al., 2018, eq. 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from elmo_tasks.errors import ConfigError

# As AllenNLP: small beside any variance a layer has, and zero vectors (padding) stay zero.
_EPSILON = 1e-12


class ScalarMix(nn.Module):
    """``gamma * sum_l s_l h_l`` with ``s = softmax(w)`` and learned ``w``, ``gamma``.

    Peters et al., "Deep contextualized word representations" (NAACL 2018), equation 1. Several mixes may share one pass
    of an encoder. All is in float32 (float64 for float64 layers), also under autocast and for layers kept in float16.

    Args:
        n_layers: number of layers ``L``.
        layer_norm: normalise each token's vector of each layer before it is weighted, to mean 0 and variance 1 over its
            ``D`` numbers, with nothing learned. It is per token: a sentence never depends on its neighbours in a batch.
        fixed_weights: final weights ``s``, which are then not learned (``gamma`` still is): one layer, or a plain mean.
        initial_scalars: ``w`` to start from; zeros by default, so that all layers weigh the same.
        initial_gamma: ``gamma`` to start from.
        output_norm: normalise the mixed vector of each token before ``gamma``, in the same way: where other features are joined,
            ``gamma`` is then the scale of the layers beside them, whatever the encoder's own scale is. (A layer norm behind the
            mix would undo ``gamma``, and let it drift through zero, where the sign of every vector turns.)

    Raises:
        ConfigError: not one finite weight for each layer, weights that are not shares of one, or both kinds of weights.
    """

    fixed_weights: Tensor | None

    def __init__(
        self,
        n_layers: int,
        layer_norm: bool = False,
        fixed_weights: Sequence[float] | None = None,
        initial_scalars: Sequence[float] | None = None,
        initial_gamma: float = 1.0,
        output_norm: bool = False,
    ) -> None:
        super().__init__()
        if n_layers < 1:
            raise ConfigError(f"n_layers: a mix needs at least one layer, got {n_layers}")
        self.n_layers = n_layers
        self.layer_norm, self.output_norm = layer_norm, output_norm
        self.gamma = nn.Parameter(torch.tensor(float(initial_gamma)))
        if fixed_weights is None:
            start = [0.0] * n_layers if initial_scalars is None else list(initial_scalars)
            _check_number("initial_scalars", start, n_layers)
            self.scalars: nn.Parameter | None = nn.Parameter(torch.tensor(start, dtype=torch.float32))  # [L]
            self.register_buffer("fixed_weights", None)
        else:
            if initial_scalars is not None:
                raise ConfigError("initial_scalars: fixed_weights are given, so there is nothing to learn from a start")
            shares = list(fixed_weights)
            _check_number("fixed_weights", shares, n_layers)
            if min(shares) < 0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-4):
                raise ConfigError(f"fixed_weights: expected shares that are not negative and sum to 1, got {shares}")
            self.register_parameter("scalars", None)
            # Not in the state dict: they are a setting, and a file of weights must not change a setting.
            self.register_buffer("fixed_weights", torch.tensor(shares, dtype=torch.float32), persistent=False)  # [L]

    def forward(self, values: Tensor, mask: Tensor | None = None) -> Tensor:
        """Mix layers ``[L, B, T, D]`` to ``[B, T, D]``; masked positions are zero.

        Pooled layers ``[L, B, D]`` are mixed to ``[B, D]``. The mask is ``[B, T]`` bool (``[B]`` for pooled ones), True for a
        token.

        Raises:
            ValueError: another number of layers than the mix has weights, or a mask of another shape.
        """
        if values.dim() < 3 or len(values) != self.n_layers:
            raise ValueError(f"expected [L, B, T, D] or [L, B, D] with L = {self.n_layers}, got {tuple(values.shape)}")
        if mask is not None and mask.shape != values.shape[1:-1]:
            raise ValueError(f"the mask {tuple(mask.shape)} does not fit layers {tuple(values.shape)}")
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


def _check_number(name: str, values: Sequence[float], n_layers: int) -> None:
    if len(values) != n_layers or not all(math.isfinite(v) for v in values):
        raise ConfigError(f"{name}: expected {n_layers} finite numbers, one for each layer, got {list(values)}")
