"""What a language model would have written in the place of a word: told by what stands before it, after it, or by both."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from elmo_tasks.text.use import Use

# Zipf's law as Mandelbrot (1953) corrected it: the word of rank r comes in proportion to 1 / (r + 2.7).
_OFFSET = 2.7


def states_around(top: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """What each direction knows of a place before it has read the word that stands there.

    The forward state one step earlier predicts the word, and so does the backward state one step later; these are the states
    that :func:`elmo_tasks.bilm.perplexity.sentence_losses` scores.

    Args:
        top: ``[B, T, 2 P]`` the top layer of :class:`elmo_tasks.bilm.bilm.BiLMOutput`, boundaries included.
        places: ``[B]`` step of the word in each row: 1 for the first word of a sentence.

    Returns:
        ``[B, P]`` the forward and ``[B, P]`` the backward states.
    """
    rows = torch.arange(len(top), device=top.device)
    ahead, back = top.chunk(2, dim=-1)
    return ahead[rows, places - 1], back[rows, places + 1]


def log_frequencies(n_words: int) -> Tensor:
    """``[V]`` log-probability of each word by its rank alone; a vocabulary is sorted by frequency."""
    return (-(torch.arange(n_words) + _OFFSET).log()).log_softmax(dim=-1)


def beside_the_word(use: Use) -> tuple[Use, Use]:
    """Two sentences in which what could stand beside the word is expected in the place of the word "it".

    The symmetric pattern of Schwartz, Reichart and Rappoport (2015), as Amrami and Goldberg (2018) ask a language model for it:
    "… the bank and …" is read from the left, "… and bank of the river" from the right, so that the word itself tells, too.

    Returns:
        the beginning of the sentence up to the word, with "and it"; "it and" with its end from the word on.
    """
    ahead = Use.of_tokens((*use.tokens[: use.end], "and", "it"), use.end + 1)
    return ahead, Use.of_tokens(("it", "and", *use.tokens[use.start :]), 0)


def told_by_all(told: Sequence[Tensor], log_frequency: Tensor) -> Tensor:
    """Join any number of ``[N, V]`` log-probabilities as :func:`told_by_both` does two."""
    return (torch.stack(list(told)).sum(dim=0) - (len(told) - 1) * log_frequency).log_softmax(dim=-1)


def told_by_both(before: Tensor, after: Tensor, log_frequency: Tensor) -> Tensor:
    """Join what the two sides say of a place.

    If the two sides are independent given the word, ``p(w | before, after)`` is proportional to
    ``p(w | before) p(w | after) / p(w)`` (Bayes): without the division, a word's frequency counts twice. On the 4,758 gallery
    words that the vocabulary of elmo-mini has (benchmarks/explanations.py), the division takes the mean negative log-probability
    of the word that stands there from 12.39 to 8.89 (one side alone: 8.89 before, 9.51 after), and the share of words among the
    first 8 guesses from 1.7 % to 3.9 % (1.9 % and 0.4 %).

    Args:
        before: ``[N, V]`` log-probabilities told by what stands before.
        after: ``[N, V]`` log-probabilities told by what stands after.
        log_frequency: ``[V]`` log-probability of each word on its own, see :func:`log_frequencies`.

    Returns:
        ``[N, V]`` log-probabilities.
    """
    return told_by_all((before, after), log_frequency)
