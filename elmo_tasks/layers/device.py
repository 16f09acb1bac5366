"""Where to compute, as a person names it."""

from __future__ import annotations

import torch

from elmo_tasks.errors import ConfigError


def checked_device(name: str) -> torch.device:
    """``"cpu"``, ``"cuda"``, ``"cuda:1"``, ... as a device that is there.

    Raises:
        ConfigError: there is no such device, or PyTorch cannot use it on this machine.
    """
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # PyTorch built without CUDA asserts
        reason = str(error).splitlines()[0]
        raise ConfigError(
            f"device '{name}' cannot be used here ({reason}); expected cpu, or cuda where there is a GPU"
        ) from None
    return device
