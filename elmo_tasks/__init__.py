"""ELMo in context: contextual word vectors to look at, to train on and to train.

Everything that a program needs is here; each name is loaded when it is first used, so that ``import
elmo_tasks`` costs nothing::

    from elmo_tasks import Elmo, compare

    layers = Elmo.load().encode(["The bank refused our loan."])
    print(layers.values.shape)  # [layers, sentences, tokens, dim]
    sentences = ["The bank refused our loan.", "We sat on the bank of the river."]
    print(compare("bank", sentences).message)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elmo_tasks.cli.fit import train
    from elmo_tasks.encoders import load as load_encoder
    from elmo_tasks.encoders.elmo import Elmo
    from elmo_tasks.encoders.elmo_module import ElmoModule
    from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError
    from elmo_tasks.layers import Layers, ScalarMix
    from elmo_tasks.prediction import load_head
    from elmo_tasks.service.library import (
        compare,
        disambiguate,
        nearest,
        sentence_similarity,
        side_by_side,
    )
    from elmo_tasks.vectorizer import ElmoVectorizer

#: Name -> where it is.
_NAMES = {
    "Elmo": "elmo_tasks.encoders.elmo.Elmo",  # the biLM: sentences -> vectors
    # the biLM under mixes, for models of your own
    "ElmoModule": "elmo_tasks.encoders.elmo_module.ElmoModule",
    # sentences -> vectors, in pipelines of scikit-learn
    "ElmoVectorizer": "elmo_tasks.vectorizer.ElmoVectorizer",
    "Layers": "elmo_tasks.layers.Layers",  # what an encoder returns
    "ScalarMix": "elmo_tasks.layers.ScalarMix",  # all layers -> one, learned with a task
    "load_encoder": "elmo_tasks.encoders.load",  # any encoder, by name or folder
    # a trained head: texts -> labelled spans, or a label
    "load_head": "elmo_tasks.prediction.load_head",
    "compare": "elmo_tasks.service.library.compare",  # a word in several sentences
    # the words of a text: which meaning each has
    "disambiguate": "elmo_tasks.service.library.disambiguate",
    "sentence_similarity": "elmo_tasks.service.library.sentence_similarity",  # whole sentences
    "side_by_side": "elmo_tasks.service.library.side_by_side",  # the same by several models
    "nearest": "elmo_tasks.service.library.nearest",  # the nearest uses of any word
    "train": "elmo_tasks.cli.fit.train",  # a head or a biLM, from a configuration
    "ConfigError": "elmo_tasks.errors.ConfigError",
    "DataError": "elmo_tasks.errors.DataError",
    "InputError": "elmo_tasks.errors.InputError",
    "WeightsError": "elmo_tasks.errors.WeightsError",
}

__all__ = [
    "ConfigError",
    "DataError",
    "Elmo",
    "ElmoModule",
    "ElmoVectorizer",
    "InputError",
    "Layers",
    "ScalarMix",
    "WeightsError",
    "compare",
    "disambiguate",
    "load_encoder",
    "load_head",
    "nearest",
    "sentence_similarity",
    "side_by_side",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _NAMES[name].rpartition(".")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
