"""Sentences to Layers, one file per backend, opened by :func:`load`."""

from elmo_tasks.encoders.encoder import Encoder, LanguageModel
from elmo_tasks.encoders.loading import FoundEncoder, find, load

__all__ = ["Encoder", "FoundEncoder", "LanguageModel", "find", "load"]
