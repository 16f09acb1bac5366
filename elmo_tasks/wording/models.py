"""What is said of models, and of those that read no sentence."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ModelInfo, Said, StaticNeighbour

_TITLES = {
    "elmo-mini": "elmo-mini, the small ELMo that comes with the program",
    "static-mini": "static-mini, one vector a word (word2vec)",
    "static-joint": "static-joint, one vector a word, joined with a transformer’s",
}


def model_title(name: str) -> str:
    """What a model is called where it is introduced; its name where that is all that is known."""
    return _TITLES.get(name, name)


def title_of(name: str, models: Sequence[ModelInfo]) -> str:
    """The title of one of several models; its name where it is none of them."""
    return next((model.title for model in models if model.name == name), name)


def reads_no_sentence(model: str, *, one_spelling: bool) -> Said:
    """What there is to compare where a word has one vector, whatever the sentence."""
    every = "so every cosine is 1.00." if one_spelling else "so only the spellings make a difference."
    return Said(f"“{model}” does not read the sentence: a word has the same vector in all of them, {every}")


def nearest_of_word_vectors(vectors: str, n_words: int, word: str, near: Sequence[StaticNeighbour] | None) -> Said:
    """What is found where a word has one vector; ``None`` in place of the nearest words where the vectors do not know it."""
    if near is None:
        return Said(f"“{word}” is not among the {n_words:,} words of “{vectors}”.")
    nearest = f"The word nearest to “{word}” is “{near[0].word}” with a cosine of {near[0].cosine:.2f}." if near else ""
    return Said(f"“{vectors}” does not read the sentence: its nearest words are the same in all of them.", nearest)
