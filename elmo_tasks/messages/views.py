"""Titles of views (a layer, the mean of the layers, the words around) and of models."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ModelInfo

_TITLES = {
    "0": "Spelling only",
    "mean": "Mean of layers",
    "sentence": "As trained for sentences",
    "words": "The words around it",
    "expected": "The words expected in its place",
    "meanings": "What meanings are read from",
    "verdict": "The verdict",
}
_PLACES = {
    "mean": "in the mean of all layers",
    "sentence": "as it was trained for sentences",
    "words": "by the words around them",
    "expected": "by the words expected in their place",
    "meanings": "by what meanings are read from",
}
_MAPPED_BY = {
    "mean": "by the mean of the layers",
    "words": "by the words around them, without ELMo",
    "meanings": "by what meanings are read from",
}
_COLUMNS = {"mean": "mean", "words": "words around it"}
#: Explanations of evaluation columns whose title is not enough.
COLUMN_REMARKS = {
    "before/after": (
        "before/after: the top forward state before the word and the top backward state behind it; the word is not read."
    ),
    "words": (
        "words around it: the static vectors of the other words of the sentence, rare and related ones weighing more; no model."
    ),
}
READS_LETTERS = "the letters of the word"
#: Titles of layers that read no other word, by their input.
_UNREAD = {
    READS_LETTERS: "Spelling only",
    "the word's pieces and their places": "Word pieces only",
    "one vector for each word": "One vector a word",
}
_MODELS = {
    "elmo-mini": "elmo-mini, the small ELMo that comes with the program",
    "static-mini": "static-mini, one vector a word (word2vec)",
    "static-joint": "static-joint, one vector a word, joined with a transformer’s",
}


def model_title(name: str) -> str:
    """Return the title of a model, or its name if it has no title."""
    return _MODELS.get(name, name)


def title_of(name: str, models: Sequence[ModelInfo]) -> str:
    """Return the title of one of several models, or its name if it is not among them."""
    return next((model.title for model in models if model.name == name), name)


def view_title(view: str) -> str:
    """Return the title of a view by itself."""
    return _TITLES.get(view, f"Layer {view}")


def layer_title(name: str, sees: str = "") -> str:
    """Return the title of a layer, or of its input if it reads no other word."""
    return _UNREAD.get(sees, f"Layer {name}") if sees else view_title(name)


def sentence_layer_title(name: str) -> str:
    """Return the title of a layer for sentences, where even layer 0 has all words."""
    return "Words alone" if name == "0" else view_title(name)


def view_place(view: str) -> str:
    """Format a view inside a sentence: ``at layer 1``."""
    return _PLACES.get(view, f"at layer {view}")


def map_title(view: str, sees: str = "") -> str:
    """Return the title of a view for the map, where views without a model stand beside layers."""
    return f"{_TITLES[view]}, without ELMo" if view == "words" else layer_title(view, sees)


def mapped_by(view: str, sees: str = "") -> str:
    """Format a view inside a sentence about a map; ``sees`` is as in :func:`map_title`."""
    return f"by {sees} only" if sees else _MAPPED_BY.get(view, f"by layer {view}")


def column_title(view: str, layers: Sequence[str]) -> str:
    """Return the title of a narrow column; an unknown view keeps its name."""
    return f"layer {view}" if view in layers else _COLUMNS.get(view, view)
