"""The device to compute on."""

from __future__ import annotations

import torch

from elmo_tasks.errors import ConfigError


def checked_device(name: str | torch.device | None = None) -> torch.device:
    """Resolve ``"cpu"``, ``"cuda"`` or ``"cuda:1"``; by default a GPU if any.

    Raises:
        ConfigError: there is no such device, or PyTorch cannot use it on this machine.
    """
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
        return device
    except (RuntimeError, AssertionError) as error:  # PyTorch built without CUDA asserts
        reason = str(error).splitlines()[0]
        raise ConfigError(
            f"device '{name}' cannot be used here ({reason}); expected cpu, or cuda where there is"
            " a GPU"
        ) from None


def cpu_multiplies_bfloat16() -> bool:
    """Check whether this CPU has bfloat16 products; without them bfloat16 is slow."""
    is_supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    return not torch.backends.mkldnn.is_available() or bool(is_supported())
