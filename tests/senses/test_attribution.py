"""Hiding words, naming the one that decides, and the two halves of a layer."""

import numpy as np
import pytest
import torch

from elmo_tasks.senses.attribution import cosine_changes, decisive, halved_cosines, hidden, nearest, telling_side
from elmo_tasks.uses import Use

TOKENS = ("We", "sat", "on", "the", "bank", "of", "the", "river")
USE = Use.of_tokens(TOKENS, 4)


def test_leaving_a_word_out_moves_the_place_only_if_the_word_stood_before_it():
    assert hidden(USE, 1, "") == Use.of_tokens(("We", "on", "the", "bank", "of", "the", "river"), 3)
    assert hidden(USE, 7, "") == Use.of_tokens(("We", "sat", "on", "the", "bank", "of", "the"), 4)


def test_writing_another_word_moves_nothing():
    assert hidden(USE, 7, "something") == Use.of_tokens((*TOKENS[:7], "something"), 4)


@pytest.mark.parametrize(
    ("most", "places"), [(0, []), (1, [3]), (2, [3, 5]), (4, [2, 3, 5, 6]), (99, [0, 1, 2, 3, 5, 6, 7])]
)
def test_the_nearest_words_are_hidden_first(most, places):
    assert nearest(len(TOKENS), 4, most) == places


def test_a_change_is_the_cosine_without_the_word_minus_that_with_it():
    other = torch.tensor([1.0, 0.0])
    without = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    assert cosine_changes(without, other, 0.25).tolist() == pytest.approx([0.75, -0.25, 0.5**0.5 - 0.25])


def test_a_word_decides_where_all_ways_put_it_first_and_it_makes_up_half():
    changes = np.array([[0.1, 0.3, -0.4], [0.0, 0.2, 0.1], [0.1, 0.2, 0.0]])
    assert decisive(changes, apart=True) == 1
    assert decisive(-changes, apart=False) == 1


def test_no_word_decides_where_the_ways_do_not_agree():
    assert decisive(np.array([[0.1, 0.9], [0.2, 0.1], [0.0, 0.9]]), apart=True) is None


def test_no_word_decides_where_the_others_together_move_more():
    assert decisive(np.array([[0.3, 0.2, 0.2]] * 3), apart=True) is None
    assert decisive(np.array([[0.3, 0.2, 0.1]] * 3), apart=True) == 0


def test_no_word_decides_where_hiding_moves_the_cosine_the_other_way_only():
    assert decisive(np.array([[-0.3, -0.2]] * 3), apart=True) is None
    assert decisive(np.zeros((3, 0)), apart=True) is None


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
        # The same cosine, but nearer to what two random words have there.
        ([(0.5, 0.4)], [(0.5, 0.0)], "before"),
    ],
)
def test_the_side_that_tells_apart_is_measured_against_random_words(before, after, side):
    assert telling_side(before, after) == side
