"""The warmed-up biLM of the benchmark reads a sentence as it does in the middle of the text that warms it up."""

import torch

from benchmarks.start_state import WarmBiLM
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.text.characters import BEGIN_SENTENCE_IDS, END_SENTENCE_IDS, character_ids
from tests.bilm.test_bilm import tiny


def stream(*sentences):
    ids = [ids for words in sentences for ids in (BEGIN_SENTENCE_IDS, *map(character_ids, words), END_SENTENCE_IDS)]
    return torch.tensor([list(i) for i in ids]), torch.arange(len(ids)).unsqueeze(0), torch.tensor([len(ids)])


def test_warmed_up_is_as_if_the_text_stood_before_and_behind():
    torch.manual_seed(0)
    bilm = tiny().eval()
    before, words = ["It", "rained", "."], ["We", "stayed", "in", "."]
    found = Elmo(WarmBiLM(bilm, ["It rained."])).encode([words, words[:2]]).values[:, 0]  # [L, T, D]
    half = found.shape[-1] // 2
    with torch.no_grad():
        ahead = bilm(*stream(before, words)).layers[:, 0, 6:10, :half]
        back = bilm(*stream(words, before)).layers[:, 0, 1:5, half:]
    torch.testing.assert_close(found, torch.cat([ahead, back], dim=-1), atol=1e-5, rtol=0)
    assert not torch.allclose(found[1:], Elmo(bilm).encode([words]).values[1:, 0], atol=1e-3)
