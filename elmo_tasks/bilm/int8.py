"""Quantized biLM: int8 matrix products, faster for large models on a CPU.

The weights are rounded once, with one scale for each output; their inputs are rounded at run time,
with one scale for each row, so that a sentence still gives the same vectors alone and in any batch.
Inputs have 7 bits: without VNNI, a processor adds two products in 16 bits, which 8 bits overflow.
All processors therefore give the same products.

The products are FBGEMM's by way of ``torch.ops.quantized``, which PyTorch plans to drop;
:func:`has_int8` tests for them.
"""

from __future__ import annotations

import logging
import warnings
from functools import cache
from typing import Literal, cast, get_args

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.bilm import BiLM, ProjectedLSTM, State, step_in_place
from elmo_tasks.errors import ConfigError

#: The number format of a biLM's products.
Precision = Literal["float32", "int8"]
#: Without AVX-512, int8 is slower than float32 for smaller LSTMs than this; see docs/speed.md.
_MIN_UNITS = 1024
# a row is -63 to 63, stored as 1 to 127
_LEVELS = 63
_ZERO_POINT = 64
_log = logging.getLogger(__name__)


class Int8Linear(nn.Module):
    """Linear layer ``x W^T + b`` with ``W`` ``[out, in]`` in int8, without gradients."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        weight = weight.detach().float()
        scales = weight.abs().amax(dim=1).clamp(min=1e-12) / 127  # [out]
        values = (weight / scales.unsqueeze(1)).round().to(torch.int8)
        self._sums = values.sum(dim=1) * scales  # [out] products with a row of ones
        self._bias = None if bias is None else bias.detach().float()
        engine = torch.backends.quantized.engine
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*quantize_per_")  # going: see above
            zeros = torch.zeros(len(scales), dtype=torch.long)
            packable = torch._make_per_channel_quantized_tensor(values, scales.double(), zeros, 0)
            try:
                torch.backends.quantized.engine = "fbgemm"
                # FBGEMM adds its bias before the scales of the rows are known: it is added
                # afterwards.
                self._packed = torch.ops.quantized.linear_prepack(packable, None)
            finally:
                torch.backends.quantized.engine = engine

    def forward(self, x: Tensor) -> Tensor:
        """Map ``[N, in]`` to ``[N, out]`` float32."""
        # Centring costs asymmetric rows, such as those after a ReLU, less precision.
        low, high = x.aminmax(dim=1, keepdim=True)  # [N, 1]
        middle = (high + low) / 2
        product, scale = self.unscaled(x - middle)
        product.mul_(scale).addr_(middle.squeeze(1), self._sums)
        return product if self._bias is None else product.add_(self._bias)

    def unscaled(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return products ``[N, out]`` divided by their scales ``[N, 1]``, and the scales."""
        scale = torch.linalg.vector_norm(x, torch.inf, 1, True).clamp_(min=1e-12)
        product: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
            x / scale, 1 / _LEVELS, _ZERO_POINT, self._packed
        )
        return product, scale


class Int8LSTM(nn.Module):
    """:class:`ProjectedLSTM` with its three matrices in int8."""

    def __init__(self, lstm: ProjectedLSTM) -> None:
        super().__init__()
        self.hidden_size, self.proj_size = lstm.hidden_size, lstm.proj_size
        self.cell_clip, self.proj_clip = lstm.cell_clip, lstm.proj_clip
        self.from_input = Int8Linear(lstm.weight_ih_l0, lstm.bias_ih_l0)
        self.from_output = Int8Linear(lstm.weight_hh_l0)
        self.to_output = Int8Linear(lstm.weight_hr_l0)

    def forward(
        self, x: Tensor, state: State | None = None, lengths: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """See :meth:`ProjectedLSTM.forward`."""
        n_rows, n_steps, _ = x.shape
        if state is None:
            state = (
                x.new_zeros(1, n_rows, self.proj_size),
                x.new_zeros(1, n_rows, self.hidden_size),
            )
        h, c = state[0][0], state[1][0].clone()  # [B, P], [B, H]
        # [T, B, 4H]
        gates = self.from_input(x.transpose(0, 1).reshape(n_steps * n_rows, -1)).view(
            n_steps, n_rows, -1
        )
        outputs, squashed = x.new_empty(n_steps, n_rows, self.proj_size), torch.empty_like(c)
        for t, (gate, output) in enumerate(zip(gates, outputs, strict=True)):
            gate.addcmul_(*self.from_output.unscaled(h))
            before = c if lengths is None else c.clone()
            step_in_place(gate, c, squashed, self.cell_clip)
            torch.mul(*self.to_output.unscaled(squashed), out=output)
            if self.proj_clip is not None:
                output.clamp_(-self.proj_clip, self.proj_clip)
            if lengths is None:
                h = output
            else:
                live = (t < lengths).unsqueeze(1)
                h, c = torch.where(live, output, h), torch.where(live, c, before)
        return outputs.transpose(0, 1), (h.unsqueeze(0).clone(), c.unsqueeze(0))


def checked_precision(name: str) -> Precision:
    """Validate the name of a precision."""
    if name not in get_args(Precision):
        raise ConfigError(
            f"precision: expected {' or '.join(get_args(Precision))}, found {name!r:.40}"
        )
    return cast(Precision, name)


def in_precision(bilm: BiLM, precision: str, device: torch.device | str = "cpu") -> BiLM:
    """Move a biLM to a device, set the precision of its products, and return it.

    Where int8 is not available or would be slower, the biLM stays in float32, and one sentence is
    logged.
    """
    bilm = bilm.to(device)
    if checked_precision(precision) == "float32":
        return bilm
    if torch.device(device).type != "cpu" or not has_int8():
        _log.warning(
            "int8 needs a CPU and a PyTorch that support it: computing in float32 on %s.", device
        )
        return bilm
    if not is_faster_in_int8(bilm):
        _log.warning(
            "int8 is slower than float32 for a model of this size on this processor, which lacks"
            " AVX-512: computing in float32."
        )
        return bilm
    return to_int8(bilm)


def to_int8(bilm: BiLM) -> BiLM:
    """Round the weights of a biLM on the CPU to int8, and return it."""
    for direction in (bilm.forward_lm, bilm.backward_lm):
        direction.layers = nn.ModuleList(
            Int8LSTM(layer) for layer in direction.layers if isinstance(layer, ProjectedLSTM)
        )
    cnn = bilm.token_encoder
    for module in (cnn, *cnn.highways):
        for name, linear in list(module.named_children()):
            if isinstance(linear, nn.Linear):
                setattr(module, name, Int8Linear(linear.weight, linear.bias))
    return bilm


def is_faster_in_int8(bilm: BiLM) -> bool:
    """Check if a biLM of this size is faster in int8 on this processor."""
    has_avx512 = torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    return has_avx512 or bilm.options.lstm.dim >= _MIN_UNITS


def is_int8(bilm: BiLM) -> bool:
    """Check if the products of a biLM are computed in int8."""
    return isinstance(bilm.token_encoder.projection, Int8Linear)


@cache
def has_int8() -> bool:
    """Test if this processor and this version of PyTorch support int8 products."""
    try:
        weight = torch.eye(4)
        return bool((Int8Linear(weight)(weight) - weight).abs().max() < 0.01)
    except (AttributeError, RuntimeError, NotImplementedError):
        return False
