"""Words to guess are drawn by a fixed rule; a cloze head learns them from both sides of a gap, and
resumes."""

from collections import Counter
from itertools import islice

import pytest
import torch

from elmo_tasks.__main__ import main
from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.encoders.cloze import load_cloze
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.use_vectors import read_uses
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.recipes import cloze
from elmo_tasks.recipes.cloze import ClozeGaps
from elmo_tasks.recipes.static_vectors import write_vectors
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.text.uses import Use
from elmo_tasks.training.export_bilm import write_model
from tests.training.experiment import assert_same_weights, steps_kept, write_experiment

#: What stands in the gap is decided by both sides together: for either side alone both words are as
#: likely.
LINES = ["ka mi so .", "ka nu ta .", "lo nu so .", "lo mi ta ."]
NAMES = ["mi", "nu", "ka", "lo", "so", "ta"]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.setattr(cloze, "_FREQUENT_SHARE", 1.0)
    (tmp_path / "text.txt").write_text("\n".join(LINES * 50) + "\n")
    write_vectors(tmp_path / "static", StaticVectors(NAMES, torch.eye(6, 8), [100] * 6), {})
    torch.manual_seed(4)
    write_model(
        tmp_path / "m",
        BiLM(BiLMOptions(LSTMOptions(12, 8, 2), CharCNNOptions(((1, 4), (2, 6)), 1, 16))),
    )
    return tmp_path


def fit(folder, *more, encoder="m"):
    sizes = {"hidden": 32, "n_heads": 2, "dropout": 0.0, "learning_rate": 0.01}
    files = {
        "files": [str(folder / "text.txt")],
        "held_out": str(folder / "text.txt"),
        "cache_dir": str(folder / "cache"),
        "static": str(folder / "static"),
    }
    recipe = "elmo_tasks.recipes.cloze"
    config = write_experiment(
        folder,
        (f"{recipe}.ClozeModule", {"encoder": str(folder / encoder), **sizes}),
        (f"{recipe}.ClozeGaps", {**files, "n_words": 2, "batch_size": 16, "n_batches": 160}),
        [steps_kept(folder, 80), (f"{recipe}.ExportCloze", {"folder": str(folder / "m")})],
        check_val_every_n_epoch=None,
        val_check_interval=80,
    )
    return main(["fit", "--config", str(config), *more])


def test_it_learns_from_both_sides_together_and_is_used(workplace, capsys):
    assert fit(workplace) == 0
    assert "160 steps of 16 sentences; 2 words to choose among" in capsys.readouterr().out
    elmo, static = Elmo.load(workplace / "m"), StaticVectors.load(workplace / "static")
    uses = [Use.of_tokens(tuple(line.split()), 1) for line in LINES]
    expected = ExpectedWords.load(elmo, static)
    found = expected(uses, read_uses(elmo, uses))
    assert [NAMES[k] for k in found.argmax(axis=1)] == ["mi", "nu", "nu", "mi"]
    assert found.max(axis=1).min() > 0.9


@pytest.mark.ci
def test_a_run_resumes(workplace):
    assert fit(workplace) == 0
    elmo, static = Elmo.load(workplace / "m"), StaticVectors.load(workplace / "static")
    whole = load_cloze(elmo, static).state_dict()
    (half,) = workplace.glob("*step=80.ckpt")
    assert fit(workplace, f"--ckpt_path={half}") == 0
    assert_same_weights(load_cloze(elmo, static).state_dict(), whole, 1e-5, 1.3e-6)


def test_only_a_language_model_can_have_one(workplace, capsys):
    assert fit(workplace, encoder="static") == 2
    assert "expected a language model that reads from both ends" in capsys.readouterr().err


def test_sizes_must_fit_the_static_vectors(workplace, capsys):
    assert fit(workplace, "--data.init_args.n_words", "7") == 2
    assert "at most its 6 words" in capsys.readouterr().err


WORDS = ["the", "ka", "lo", "mi", "nu", "pe"]
TEXT = [
    "the ka lo 7 .",
    "the mi nu pe the lo .",
    "the the ka zi mi .",
    "no .",
    " ".join(["ka"] * 30),
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(cloze, "_FREQUENT_SHARE", 0.05)
    (tmp_path / "text.txt").write_text("\n".join(TEXT * 20) + "\n")
    (tmp_path / "other.txt").write_text("the mi ka .\n\nka lo nu .\n7 8 9 .\n")
    write_vectors(
        tmp_path / "static", StaticVectors(WORDS, torch.eye(6), [60, 50, 40, 30, 20, 10]), {}
    )

    def made(**settings):
        folders = {"cache_dir": str(tmp_path / "cache"), "static": str(tmp_path / "static")}
        fixed = {
            "n_words": 5,
            "batch_size": 8,
            "n_batches": 40,
            "held_out": str(tmp_path / "other.txt"),
        }
        found = ClozeGaps([str(tmp_path / "text.txt")], **(folders | fixed | settings))
        found.setup()
        return found

    return made


def gaps(batch):
    return [(" ".join(batch.sentences[of]), at, answer) for of, at, answer in batch.gaps]


def test_gaps_stand_at_the_requested_words(data):
    drawn = Counter(gap for batch in data().train_dataloader() for gap in gaps(batch))
    assert {sentence for sentence, _, _ in drawn} == set(TEXT[:3])  # neither too short nor too long
    for sentence, at, answer in drawn:
        assert sentence.split()[at] == WORDS[answer]
    answers = Counter()
    for (_, _, answer), n in drawn.items():
        answers[WORDS[answer]] += n
    assert set(answers) == set(
        WORDS[:5]
    )  # "pe" is beyond the first five words, "zi" unknown, "7" no word
    in_text = Counter(word for line in TEXT[:3] for word in line.split())
    # Frequent words are sampled less often.
    assert answers["the"] / in_text["the"] < 0.8 * answers["nu"] / in_text["nu"]


def test_a_resumed_run_makes_the_same_draws(data):
    whole = [gaps(batch) for batch in data().train_dataloader()]
    assert len(whole) == 40
    first = data()
    list(islice(first.train_dataloader(), 18))
    second = data()
    second.load_state_dict(first.state_dict())
    assert [gaps(batch) for batch in second.train_dataloader()] == whole[18:]
    assert whole != [gaps(batch) for batch in data(seed=2).train_dataloader()]


def test_held_out_sentences_have_one_gap_each(data):
    (batch,) = data().val_dataloader()
    assert [sentence for sentence, _, _ in gaps(batch)] == [
        "the mi ka .",
        "ka lo nu .",
    ]  # the third has no word
    assert all(WORDS[answer] == sentence.split()[at] for sentence, at, answer in gaps(batch))
    assert len(data(held_out=None).val_dataloader()) == 0


def test_impossible_numbers_are_refused(data, monkeypatch):
    with pytest.raises(ConfigError, match=r"data.n_words 0, .* expected at least 1"):
        data(n_words=0)
    monkeypatch.setattr(cloze, "_MIN_WORDS", 50)
    with pytest.raises(DataError, match="expected sentences of 50 to 24 words, .* found none"):
        data().train_dataloader()
