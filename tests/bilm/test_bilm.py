"""The biLM is stateless, blind to padding, and the same in every batch."""

import pytest
import torch

from elmo_tasks.bilm.bilm import ProjectedLSTM
from elmo_tasks.bilm.char_cnn import CharacterCNN
from elmo_tasks.bilm.options import CharCNNOptions
from elmo_tasks.encoders.elmo import Elmo, steps_of, unfreeze
from elmo_tasks.text.characters import character_ids
from tests.bilm.tiny import SENTENCES, tiny


@pytest.mark.parametrize("clip", [None, 0.05])
def test_a_sentence_gives_the_same_vectors_alone_in_any_batch_and_order(clip):
    elmo = Elmo(tiny(clip))
    together = elmo.encode(SENTENCES)
    shuffled = [3, 5, 0, 4, 2, 1]
    in_other_order = elmo.encode([SENTENCES[k] for k in shuffled])
    for k, sentence in enumerate(SENTENCES):
        alone = elmo.encode([sentence]).sentence(0)
        assert alone.shape == (3, len(sentence), 32)
        torch.testing.assert_close(together.sentence(k), alone, atol=1e-6, rtol=0)
        torch.testing.assert_close(
            in_other_order.sentence(shuffled.index(k)), alone, atol=1e-6, rtol=0
        )
        torch.testing.assert_close(elmo.encode([sentence]).sentence(0), alone, atol=0, rtol=0)


def test_padding_is_zero_and_masked():
    layers = Elmo(tiny()).encode(SENTENCES)
    assert layers.mask.sum(dim=1).tolist() == [len(s) for s in SENTENCES]
    assert (layers.values[:, ~layers.mask] == 0).all()
    assert (layers.values[:, layers.mask].abs().sum(dim=-1) > 0).all()


def test_layer_0_is_context_free_and_repeated_to_full_width():
    layers = Elmo(tiny()).encode([["bank", "of", "bank"], ["the", "bank"]])
    banks = torch.stack([layers.values[0, 0, 0], layers.values[0, 0, 2], layers.values[0, 1, 1]])
    torch.testing.assert_close(banks[0], banks[1], atol=0, rtol=0)
    torch.testing.assert_close(banks[0], banks[2], atol=0, rtol=0)
    torch.testing.assert_close(banks[:, :16], banks[:, 16:], atol=0, rtol=0)


def test_forward_half_sees_the_past_only_and_backward_half_the_future_only():
    elmo = Elmo(tiny())
    a, b = (
        elmo.encode([s.split()]).sentence(0)
        for s in ("we saw the red boat", "we saw the red house")
    )
    torch.testing.assert_close(a[:, :4, :16], b[:, :4, :16], atol=1e-6, rtol=0)
    assert not torch.allclose(a[1:, :4, 16:], b[1:, :4, 16:])
    a, b = (
        elmo.encode([s.split()]).sentence(0)
        for s in ("we saw the red boat", "they saw the red boat")
    )
    torch.testing.assert_close(a[:, 1:, 16:], b[:, 1:, 16:], atol=1e-6, rtol=0)
    assert not torch.allclose(a[1:, 1:, :16], b[1:, 1:, :16])


def test_a_carried_state_continues_from_the_last_batch():
    bilm = tiny(clip=0.5)
    table = torch.tensor([character_ids(w) for w in ["one", "two", "three", "four", "five", "six"]])
    whole = bilm.forward_lm(bilm.token_encoder(table)[None])[0][-1]
    first = bilm(
        table[:4], torch.tensor([[0, 1, 2, 3], [0, 1, 0, 0]]), torch.tensor([4, 2]), carry=True
    )
    second = bilm(
        table, torch.tensor([[4, 5], [2, 3]]), torch.tensor([2, 2]), states=first.states, carry=True
    )
    torch.testing.assert_close(second.layers[-1, 0, :, :16], whole[0, 4:])
    # padding did not move the state on
    torch.testing.assert_close(second.layers[-1, 1, :, :16], whole[0, 2:4])


def test_trimming_padding_is_exact():
    options = CharCNNOptions(((1, 4), (2, 8), (7, 8)), 2, embedding_dim=5)
    torch.manual_seed(0)
    cnn = CharacterCNN(options, 6)
    words = torch.tensor([character_ids(w) for w in ("a", "bank", "x" * 60, "")])
    together = cnn(words)
    cnn._trim = lambda characters: characters
    torch.testing.assert_close(together, cnn(words), atol=1e-6, rtol=0)
    torch.testing.assert_close(together[:2], cnn(words[:2]), atol=1e-6, rtol=0)


def test_fused_and_written_out_steps_agree():
    torch.manual_seed(0)
    x = torch.randn(3, 9, 16)
    fused = ProjectedLSTM(16, 24, 16)
    clipped = ProjectedLSTM(16, 24, 16, cell_clip=1e9, proj_clip=1e9)
    clipped.load_state_dict(fused.state_dict())
    torch.testing.assert_close(fused(x), clipped(x))


def test_low_precision_on_a_cpu_is_close():
    torch.manual_seed(0)
    lstm, x = ProjectedLSTM(16, 24, 16), torch.randn(3, 9, 16)
    with torch.autocast("cpu", torch.bfloat16):
        low, _ = lstm(x)
    assert low.dtype == torch.bfloat16
    torch.testing.assert_close(low.float(), lstm(x)[0], atol=0.02, rtol=0.05)


@pytest.mark.parametrize(("cell_clip", "proj_clip"), [(0.05, 0.02), (0.05, None), (None, 0.02)])
def test_clipped_steps_are_the_same_with_and_without_gradients(cell_clip, proj_clip):
    """Without gradients they are made in place; the clips act, and neither the inputs nor the state
    are written to."""
    torch.manual_seed(0)
    lstm = ProjectedLSTM(5, 7, 4, cell_clip=cell_clip, proj_clip=proj_clip)
    x, state = torch.randn(3, 6, 5), (torch.randn(1, 3, 4), torch.randn(1, 3, 7))
    kept = [tensor.clone() for tensor in (x, *state)]
    for start in (None, state):
        expected, (h, c) = lstm(x, start)
        with torch.no_grad():
            found, (other_h, other_c) = lstm(x, start)
        torch.testing.assert_close(found, expected.detach(), atol=1e-7, rtol=0)
        torch.testing.assert_close((other_h, other_c), (h.detach(), c.detach()), atol=1e-7, rtol=0)
        for limit, tensor in ((cell_clip, other_c), (proj_clip, found)):
            assert limit is None or tensor.abs().max() == pytest.approx(limit)
    assert all(torch.equal(a, b) for a, b in zip((x, *state), kept, strict=True))


@pytest.mark.parametrize("dim", [16, 9])
@pytest.mark.parametrize("clip", [None, 0.5])
def test_a_projection_as_wide_as_the_cells_learns_and_continues_from_a_state(clip, dim):
    bilm = unfreeze(tiny(clip, dim=dim)).train()
    arguments = steps_of(SENTENCES[:2], 50)
    bilm(*arguments).layers.square().sum().backward()
    for name, weight in bilm.named_parameters():
        assert weight.grad is None or weight.grad.abs().max() > 0, name
    assert bilm.forward_lm.layers[0].weight_hr_l0.grad.shape == (16, dim)
    with torch.no_grad():
        lstm = bilm.backward_lm.layers[1]
        x = torch.randn(2, 6, 16)
        whole, _ = lstm(x)
        first, state = lstm(x[:, :4])
        second, _ = lstm(x[:, 4:], state)
        torch.testing.assert_close(torch.cat([first, second], dim=1), whole)
