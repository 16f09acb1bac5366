import pytest
import torch
from elmo_tasks.senses.two_senses import TwoSenses

# Two senses along two axes, with a little of a third.
FIRST = torch.tensor([[1.0, 0.0, 0.1], [1.0, 0.2, 0.0], [2.0, 0.0, 0.0], [1.0, 0.1, 0.3]])
SECOND = torch.tensor([[0.0, 1.0, 0.1], [0.2, 1.0, 0.0], [0.0, 3.0, 0.0], [0.1, 1.0, 0.3]])


def test_known_uses_are_left_out_of_their_own_average():
    poles = TwoSenses.of(FIRST, SECOND)
    unit = torch.nn.functional.normalize
    own = unit(FIRST.double(), dim=-1)
    other = unit(unit(SECOND.double(), dim=-1).mean(dim=0), dim=0)
    expected = [
        float(own[k] @ unit(own[[j for j in range(4) if j != k]].mean(dim=0), dim=0) - own[k] @ other) for k in range(4)
    ]
    assert poles.known[0].tolist() == pytest.approx(expected)


def test_exchanging_the_senses_turns_the_scale_around():
    one, other = TwoSenses.of(FIRST, SECOND), TwoSenses.of(SECOND, FIRST)
    assert one.known[0].tolist() == pytest.approx((-other.known[1]).tolist())
    assert one.middle == pytest.approx(-other.middle)
    assert one.right == other.right == 8


def test_cosines_do_not_depend_on_lengths():
    poles = TwoSenses.of(FIRST, SECOND)
    assert torch.allclose(poles.cosines(FIRST), poles.cosines(7 * FIRST))
    assert torch.allclose(TwoSenses.of(3 * FIRST, SECOND).cosines(FIRST), poles.cosines(FIRST))


def test_a_side_is_named_far_from_the_middle_only():
    poles = TwoSenses.of(FIRST, SECOND)
    far = float(poles.known[0].mean() - poles.middle)
    differences = poles.middle + torch.tensor([far, 0.0, -far])
    assert poles.sides(differences) == [0, None, 1]


def test_no_side_is_named_where_the_known_uses_are_mixed():
    mixed = TwoSenses.of(torch.cat([FIRST[:2], SECOND[:2]]), torch.cat([FIRST[2:], SECOND[2:]]))
    assert not mixed.can_tell
    assert mixed.sides(torch.tensor([-1.0, 0.0, 1.0])) == [None, None, None]


def test_equal_vectors_are_nowhere_right():
    same = torch.ones(8, 3) / 7
    assert TwoSenses.of(same, same).right == 0


def test_a_sense_needs_two_uses():
    with pytest.raises(ValueError, match="at least two uses of each sense, found 1 and 4"):
        TwoSenses.of(FIRST[:1], SECOND)
