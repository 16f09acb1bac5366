"""The top layer learns to separate meanings, on a small dictionary; lower layers stay unchanged."""

from itertools import count
from types import SimpleNamespace

import pytest
import torch

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.recipes import meaning_layers
from elmo_tasks.senses.lexicon import bundled_lexicon

WORDS = ("bank", "bark", "match", "spring", "bat", "seal")


@pytest.fixture
def small(monkeypatch):
    lexicon = bundled_lexicon()
    words = [word for word in WORDS if not lexicon[word].is_held_out]
    small = type(lexicon)(lexicon[word] for word in words)
    monkeypatch.setattr(meaning_layers, "bundled_lexicon", lambda: small)
    return small


def test_training_uses_are_neither_test_nor_development_sentences(small):
    for entry, labelled in zip(small.ambiguous, meaning_layers.training_uses(small), strict=True):
        alone = {use.sentence for use in labelled.uses}
        for k, sense in enumerate(entry.senses):
            kept = {
                sentence.replace("[", "").replace("]", "") for sentence in sense.sentences
            } & alone
            assert len(kept) == len(sense.training_examples)
            assert labelled.senses.count(k) == 2 * len(
                sense.training_examples
            )  # each also beside another


@pytest.mark.ci
def test_only_the_top_layer_moves_and_a_second_call_resumes(small, tmp_path, capsys, monkeypatch):
    seconds = count(step=0.3)  # a look at the clock takes as long on every machine
    clock = SimpleNamespace(monotonic=lambda: next(seconds))
    monkeypatch.setattr(meaning_layers, "time", clock)
    (tmp_path / "text.txt").write_text(
        "The bank was closed today .\nDogs bark at night in the old town .\n" * 40
    )
    arguments = ["--text", str(tmp_path / "text.txt"), "--out", str(tmp_path / "run"), "--minutes"]
    meaning_layers.main([*arguments, "0.03"])
    steps = torch.load(tmp_path / "run" / "state.pt", weights_only=True)["step"]
    meaning_layers.main([*arguments, "0.06"])
    assert torch.load(tmp_path / "run" / "state.pt", weights_only=True)["step"] > steps > 0
    assert f"{len(small)} words of the dictionary" in capsys.readouterr().out
    before, after = (
        Elmo.load(model).encode([["The", "bank", "refused"]]).values
        for model in (None, tmp_path / "run/model")
    )
    torch.testing.assert_close(before[:2], after[:2])
    assert (before[2] - after[2]).abs().max() > 1e-4
