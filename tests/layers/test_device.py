from types import SimpleNamespace

import pytest
import torch

from elmo_tasks.layers.device import cpu_multiplies_bfloat16


@pytest.mark.parametrize("supported", [True, False])
def test_bfloat16_is_asked_of_the_cpu(monkeypatch, supported):
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    monkeypatch.setattr(torch.ops, "mkldnn", SimpleNamespace(_is_mkldnn_bf16_supported=lambda: supported))
    assert cpu_multiplies_bfloat16() is supported


def test_a_build_that_cannot_say_is_left_alone(monkeypatch):
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert cpu_multiplies_bfloat16()
