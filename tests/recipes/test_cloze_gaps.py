"""Words to guess: drawn by a fixed rule, the same however often a run is interrupted."""

from collections import Counter
from itertools import islice

import pytest
import torch

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.recipes import cloze
from elmo_tasks.recipes.cloze import ClozeGaps
from elmo_tasks.recipes.static_vectors import write_vectors

NAMES = ["the", "ka", "lo", "mi", "nu", "pe"]
LINES = ["the ka lo 7 .", "the mi nu pe the lo .", "the the ka zi mi .", "no .", " ".join(["ka"] * 30)]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(cloze, "_FREQUENT", 0.05)
    (tmp_path / "text.txt").write_text("\n".join(LINES * 20) + "\n")
    (tmp_path / "other.txt").write_text("the mi ka .\n\nka lo nu .\n7 8 9 .\n")
    write_vectors(tmp_path / "static", StaticVectors(NAMES, torch.eye(6), [60, 50, 40, 30, 20, 10]), {})

    def made(**settings):
        folders = {"cache_dir": str(tmp_path / "cache"), "static": str(tmp_path / "static")}
        fixed = {"n_words": 5, "batch_size": 8, "n_batches": 40, "held_out": str(tmp_path / "other.txt")}
        found = ClozeGaps([str(tmp_path / "text.txt")], **(folders | fixed | settings))
        found.setup()
        return found

    return made


def gaps(batch):
    return [(" ".join(batch.sentences[of]), at, answer) for of, at, answer in batch.gaps]


def test_what_is_asked_for_stands_there(data):
    drawn = Counter(gap for batch in data().train_dataloader() for gap in gaps(batch))
    assert {sentence for sentence, _, _ in drawn} == set(LINES[:3])  # neither too short nor too long
    for sentence, at, answer in drawn:
        assert sentence.split()[at] == NAMES[answer]
    answers = Counter()
    for (_, _, answer), n in drawn.items():
        answers[NAMES[answer]] += n
    assert set(answers) == set(NAMES[:5])  # "pe" is beyond the first five words, "zi" unknown, "7" no word
    in_text = Counter(word for line in LINES[:3] for word in line.split())
    # Frequent words are sampled less often.
    assert answers["the"] / in_text["the"] < 0.8 * answers["nu"] / in_text["nu"]


def test_a_run_that_goes_on_draws_what_it_would_have_drawn(data):
    whole = [gaps(batch) for batch in data().train_dataloader()]
    assert len(whole) == 40
    first = data()
    list(islice(first.train_dataloader(), 18))
    second = data()
    second.load_state_dict(first.state_dict())
    assert [gaps(batch) for batch in second.train_dataloader()] == whole[18:]
    assert whole != [gaps(batch) for batch in data(seed=2).train_dataloader()]


def test_held_out_sentences_are_asked_for_one_word_each(data):
    (batch,) = data().val_dataloader()
    assert [sentence for sentence, _, _ in gaps(batch)] == ["the mi ka .", "ka lo nu ."]  # the third has no word
    assert all(NAMES[answer] == sentence.split()[at] for sentence, at, answer in gaps(batch))
    assert len(data(held_out=None).val_dataloader()) == 0


def test_impossible_numbers_are_refused(data, monkeypatch):
    with pytest.raises(ConfigError, match=r"data.n_words 0, .* expected at least 1"):
        data(n_words=0)
    monkeypatch.setattr(cloze, "_MIN_WORDS", 50)
    with pytest.raises(DataError, match="no sentence of 50 to 24 words"):
        data().train_dataloader()
