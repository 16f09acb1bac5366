"""Sentences about models, and about those that read no sentence."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import Message, ModelInfo, StaticNeighbour

_TITLES = {
    "elmo-mini": "elmo-mini, the small ELMo that comes with the program",
    "static-mini": "static-mini, one vector a word (word2vec)",
    "static-joint": "static-joint, one vector a word, joined with a transformer’s",
}


def model_title(name: str) -> str:
    """Return the title of a model, or its name if it has no title."""
    return _TITLES.get(name, name)


def title_of(name: str, models: Sequence[ModelInfo]) -> str:
    """Return the title of one of several models, or its name if it is not among them."""
    return next((model.title for model in models if model.name == name), name)


def reads_no_sentence(model: str, *, one_spelling: bool) -> Message:
    """Describe the comparison by a model with one vector per word."""
    every = "so every cosine is 1.00." if one_spelling else "so only the spellings make a difference."
    return Message(f"“{model}” does not read the sentence: a word has the same vector in all of them, {every}")


def nearest_of_word_vectors(vectors: str, n_words: int, word: str, near: Sequence[StaticNeighbour] | None) -> Message:
    """Describe the nearest words by a model with one vector per word.

    ``near`` is ``None`` if the model does not know the word.
    """
    if near is None:
        return Message(f"“{word}” is not among the {n_words:,} words of “{vectors}”.")
    nearest = f"The word nearest to “{word}” is “{near[0].word}” with a cosine of {near[0].cosine:.2f}." if near else ""
    return Message(f"“{vectors}” does not read the sentence: its nearest words are the same in all of them.", nearest)
