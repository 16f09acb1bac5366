"""Technical terms, and titles of views and models."""

from __future__ import annotations

import re
from collections.abc import Sequence

from elmo_tasks.api import ModelInfo

#: Technical terms, explained to newcomers at their first use on a page.
TERMS = {
    "vector": (
        "A list of numbers with which the model describes a word where it stands. The more alike"
        " two lists, the more alike the words are to the model."
    ),
    "cosine": (
        "How alike two vectors are. 1.00: they point the same way. About 0: they have nothing in"
        " common."
    ),
    "layer": (
        "The model reads in stages. Layer 0 knows the letters of the word and nothing else; every"
        " layer above it has read the whole sentence, from the left and from the right."
    ),
    "two random words": (
        "The measuring stick: what two different words from unrelated sentences score on average."
        " Only what lies clearly above it means anything."
    ),
    "meaning features": (
        "What predicts the meaning of a word: layers of the model that have read the sentence, the"
        " words that the model expects in its place, and the words around it."
    ),
    "norm": "The length of a vector. Cosines do not depend on it.",
}
_TERM_PATTERN = re.compile(
    r"\b(?:(?P<random>two random words)|(?P<features>meaning features)|(?P<cosine>cosines?)"
    r"|(?P<vector>vectors?)|(?P<layer>layers?(?: \d+)?)|(?P<norm>norms?))\b",
    re.IGNORECASE,
)
#: Name of the view that mixes the layers as a person chooses.
OWN_MIX = "own-mix"
#: A view by itself, inside a sentence, and inside a sentence about a map; every other view is a
#: layer.
_VIEWS = {
    "0": ("Layer 0: the word alone", "at layer 0", "by layer 0"),
    "mean": ("Mean of layers", "in the mean of all layers", "by the mean of the layers"),
    "sentence": ("As trained for sentences", "as it was trained for sentences", ""),
    "words": (
        "The words around it",
        "by the words around them",
        "by the words around them, without ELMo",
    ),
    "meanings": ("Meaning features", "by meaning features", "by meaning features"),
    "verdict": ("The verdict", "", ""),
    "static": ("One vector per word", "with one vector per word", ""),
    "mix-tagging": ("as the entity head mixes them", "as the entity head mixes the layers", ""),
    "mix-classification": (
        "as the sentiment head mixes them",
        "as the sentiment head mixes the layers",
        "",
    ),
    OWN_MIX: ("my own mix", "in your own mix of the layers", ""),
}
READS_LETTERS = "the letters of the word"
#: Titles of layers that read no other word, by their input.
_CONTEXT_FREE = {
    READS_LETTERS: "Layer 0: the word alone",
    "the word's pieces and their places": "Layer 0: the word alone",
    "one vector for each word": "One vector per word",
}
#: Explanations of evaluation columns whose title is not enough.
COLUMN_REMARKS = {
    "before/after": (
        "before/after: the top forward state before the word, the top backward state behind it; the"
        " word is not read."
    ),
    "words": (
        "words around it: the static vectors of the other words of the sentence, more of rare and"
        " related ones; no model."
    ),
}
#: Titles of bundled models.
MODEL_TITLES = {
    "elmo-mini": "elmo-mini, the small ELMo that comes with the program",
    "static-mini": "static-mini, one vector per word (word2vec)",
    "static-joint": "static-joint, one vector per word (word2vec and a transformer joined)",
}


def first_terms(text: str) -> list[tuple[str, str]]:
    """Cut a text at the first use of each term of :data:`TERMS`.

    Return ``(piece, explanation)`` in order; the explanation is empty for a piece without a new
    term.
    """
    pieces: list[tuple[str, str]] = []
    explained: set[str] = set()
    at = 0
    for match in _TERM_PATTERN.finditer(text):
        named = {"random": "two random words", "features": "meaning features"}
        term = named.get(str(match.lastgroup), str(match.lastgroup))
        if term not in explained:
            explained.add(term)
            pieces += [(text[at : match.start()], ""), (match[0], TERMS[term])]
            at = match.end()
    return [piece for piece in (*pieces, (text[at:], "")) if piece[0]]


def title_of(name: str, models: Sequence[ModelInfo]) -> str:
    """Return the title of one of several models, or its name if it is not among them."""
    return next((model.title for model in models if model.name == name), name)


def _view(view: str) -> tuple[str, str, str]:
    return _VIEWS.get(view, (f"Layer {view}", f"at layer {view}", f"by layer {view}"))


def view_title(view: str, sees: str = "") -> str:
    """Return the title of a view; ``sees`` is the input of a layer that reads no other word."""
    return _CONTEXT_FREE.get(sees, _view(view)[0])


def dictionary_note(layer: str) -> str:
    """State that a layer was also trained on the sentences of the dictionary."""
    return f"Layer {layer} was also trained on the dictionary’s sentences."


def taught_note() -> str:
    """State that a model, rather than one layer, was trained on the dictionary."""
    return "This model was also trained on the dictionary’s sentences."


def sentence_layer_title(name: str) -> str:
    """Return the title of a layer for sentences, where even layer 0 has all words."""
    return "Layer 0: words alone" if name == "0" else view_title(name)


def view_place(view: str) -> str:
    """Format a view inside a sentence: ``at layer 1``."""
    return _view(view)[1]


def map_title(view: str, sees: str = "") -> str:
    """Return the title of a view for the map, where views without a model stand beside layers."""
    return f"{view_title(view)}, without ELMo" if view == "words" else view_title(view, sees)


def mapped_by(view: str, sees: str = "") -> str:
    """Format a view inside a sentence about a map; ``sees`` is as in :func:`view_title`."""
    return f"by {sees} only" if sees else _view(view)[2]


def column_title(view: str, layers: Sequence[str]) -> str:
    """Return the title of a narrow column; an unknown view keeps its name."""
    if view in layers:
        return f"layer {view}"
    return "words around it" if view == "words" else view
