"""AllenNLP 2.10.1's ``Elmo`` on current torch, as a reference for our encoder.

It requires old versions of many packages that ``Elmo`` does not need, so it is installed alone, and
what it imports and ``Elmo`` does not use is stood in for::

    python -m venv /tmp/allennlp && /tmp/allennlp/bin/pip install --no-deps allennlp==2.10.1
    python -m benchmarks.speed --allennlp /tmp/allennlp/lib/python3.11/site-packages
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import MagicMock

# Modules that its Elmo computes with. All other imports of AllenNLP get stand-ins.
_REAL = {"allennlp", "torch", "numpy", "h5py", *sys.stdlib_module_names}


class _StandIn(types.ModuleType):
    """A module that has everything."""

    __path__: ClassVar[list[str]] = []  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("overrides", "EnforceOverrides", "final"):  # a decorator, and a base class
            return (lambda method: method) if name != "EnforceOverrides" else object
        if name[0].isupper():  # may be a base class, or a type in a signature
            made = type(name, (), {"__class_getitem__": classmethod(lambda cls, _: cls)})
            setattr(self, name, made)
            return made
        return MagicMock(name=f"{self.__name__}.{name}")


class _StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds everything that is not :data:`_REAL`."""

    def find_spec(
        self, name: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name.split(".")[0] not in _REAL:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""


def load(options: Path, weights: Path, site_packages: Path | None) -> Any:
    """Load AllenNLP's ``Elmo`` from published files; None if it is not installed."""
    if site_packages is not None:
        sys.path.append(str(site_packages))
    if importlib.util.find_spec("allennlp") is None:
        return None
    sys.meta_path.insert(0, _StandIns())
    try:
        from allennlp.modules import elmo

        # The files are local: no web access.
        elmo.cached_path = lambda path: str(path)
        from allennlp.modules import elmo_lstm

        elmo_lstm.cached_path = lambda path: str(path)
        return elmo._ElmoBiLm(str(options), str(weights)).eval(), elmo.batch_to_ids
    finally:
        sys.meta_path.pop(0)


def layers_of(peer: Any, sentences: Sequence[Sequence[str]]) -> Any:
    """``[L, B, T + 2, D]`` of its biLM, boundaries included."""
    bilm, batch_to_ids = peer
    import torch

    with torch.inference_mode():
        bilm._elmo_lstm._states = (
            None  # it carries its state from call to call, and ours never does
        )
        return torch.stack(bilm(batch_to_ids(sentences))["activations"])
