"""Hidden words, the decisive word, and the two halves of a layer."""

import numpy as np
import pytest
import torch

from elmo_tasks.senses.attribution import (
    cosine_changes,
    decisive,
    halved_cosines,
    hidden,
    informative_direction,
    nearest,
)
from elmo_tasks.text.uses import Use

TOKENS = ("We", "sat", "on", "the", "bank", "of", "the", "river")
USE = Use.of_tokens(TOKENS, 4)


def test_a_use_keeps_its_word_when_another_word_is_hidden():
    assert hidden(USE, 1, "") == Use.of_tokens(("We", "on", "the", "bank", "of", "the", "river"), 3)
    assert hidden(USE, 7, "") == Use.of_tokens(("We", "sat", "on", "the", "bank", "of", "the"), 4)
    assert hidden(USE, 7, "something") == Use.of_tokens((*TOKENS[:7], "something"), 4)


@pytest.mark.parametrize(
    ("most", "places"),
    [(0, []), (1, [3]), (2, [3, 5]), (4, [2, 3, 5, 6]), (99, [0, 1, 2, 3, 5, 6, 7])],
)
def test_the_nearest_words_are_hidden_first(most, places):
    assert nearest(len(TOKENS), 4, most) == places


def test_a_change_is_the_cosine_without_the_word_minus_that_with_it():
    other = torch.tensor([1.0, 0.0])
    without = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    assert cosine_changes(without, other, 0.25).tolist() == pytest.approx(
        [0.75, -0.25, 0.5**0.5 - 0.25]
    )


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ([[0.1, 0.3, -0.4], [0.0, 0.2, 0.1], [0.1, 0.2, 0.0]], 1),
        ([[0.3, 0.2, 0.1]] * 3, 0),
        ([[0.3, 0.2, 0.2]] * 3, None),  # the others together move more
        ([[0.1, 0.9], [0.2, 0.1], [0.0, 0.9]], None),  # the ways of hiding disagree
        ([[-0.3, -0.2]] * 3, None),  # the other direction
        (np.zeros((3, 0)), None),
    ],
)
def test_a_decisive_word_is_first_in_every_way_and_makes_up_half(changes, word):
    assert decisive(np.array(changes), apart=True) == word
    assert decisive(-np.array(changes), apart=False) == word


def test_halves_are_compared_by_themselves():
    one = torch.tensor([[1.0, 0.0, 3.0, 0.0]])
    other = torch.tensor([[2.0, 0.0, 0.0, 1.0]])
    assert halved_cosines(one, other).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("before", "after", "side"),
    [
        ([(0.5, 0.2), (0.4, 0.1)], [(0.9, 0.2), (0.8, 0.1)], "before"),
        ([(0.9, 0.2), (0.8, 0.1)], [(0.5, 0.2), (0.4, 0.1)], "after"),
        ([(0.9, 0.2), (0.8, 0.1)], [(0.88, 0.2), (0.82, 0.1)], "both"),
        ([(0.5, 0.2), (0.8, 0.1)], [(0.9, 0.2), (0.4, 0.1)], "unclear"),
        # One half has read the same words in both sentences, and the other is clear at one layer.
        ([(0.98, 0.2), (0.1, 0.1)], [(1.0, 0.2), (1.0, 0.1)], "before"),
        ([(1.0, 0.2), (1.0, 0.1)], [(0.98, 0.2), (0.1, 0.1)], "after"),
        # The same cosine, but nearer to that of two random words.
        ([(0.5, 0.4)], [(0.5, 0.0)], "before"),
    ],
)
def test_the_informative_direction_is_measured_against_random_words(before, after, side):
    assert informative_direction(before, after) == side
