"""A biLM learns from a teacher, which reads its sentences once."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
import pytorch_lightning as pl
import torch

from elmo_tasks.data.language_model import LanguageModelData
from elmo_tasks.data.taught_uses import N_USES, N_WORDS, TaughtUses, choose_sentences
from elmo_tasks.data.tokenized_corpus import TokenizedCorpus
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.training.auxiliary import Distillation, cosines_of_uses
from elmo_tasks.training.bilm_module import BiLMModule
from elmo_tasks.training.export_bilm import ExportBiLM
from tests.training.toy_task import write_encoder

CONTENT = [f"word{letter}" for letter in "abcdefghijklmnop"]  # as many as are asked for, and more


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text of words that come often enough, some of them too short to be asked for, and a teacher."""
    folder = tmp_path_factory.mktemp("taught")
    r = random.Random(0)
    lines = [" ".join([*r.choices(CONTENT, k=r.randrange(4, 9)), "."]) for _ in range(240)]
    (folder / "text.txt").write_text("\n".join([*lines, "too short", " ".join(["long"] * 60)]) + "\n")
    write_encoder(folder / "teacher")
    return folder


def corpus_of(folder: Path) -> TokenizedCorpus:
    return TokenizedCorpus.build([folder / "text.txt"], folder / "cache")


def build(folder: Path, cache: Path, n: int = 200) -> TaughtUses:
    return TaughtUses.build(corpus_of(folder), str(folder / "teacher"), [1, 2], n, cache)


def test_a_batch_holds_uses_of_words_and_what_the_teacher_gives(workplace: Path, tmp_path: Path) -> None:
    taught = build(workplace, tmp_path)
    batch = taught.batch(3)
    assert batch.words.shape[0] == N_WORDS * N_USES
    words = [
        [taught.corpus.words[i] for i in row[:n]]
        for row, n in zip(batch.corpus_ids[batch.words], batch.lengths, strict=True)
    ]
    assert all(row[0] == "<S>" and row[-1] == "</S>" for row in words)
    asked = [row[place] for row, place in zip(words, batch.places, strict=True)]
    groups = [set(asked[k : k + N_USES]) for k in range(0, len(asked), N_USES)]
    assert all(len(group) == 1 for group in groups)
    assert len(set.union(*groups)) == N_WORDS
    assert set(asked) <= set(CONTENT)
    teacher = Elmo.load(workplace / "teacher")
    expected = teacher.encode([words[5][1:-1]]).values[[1, 2]].mean(0)[0].numpy() - taught.mean
    n = int(batch.lengths[5])
    np.testing.assert_allclose(batch.vectors[5, 1 : n - 1], expected, atol=2e-3)
    assert not batch.vectors[5, 0].any()
    assert not batch.vectors[5, n - 1 :].any()
    again = taught.batch(3)
    assert torch.equal(again.words, batch.words)
    assert torch.equal(again.vectors, batch.vectors)
    assert not torch.equal(taught.batch(4).places, batch.places)
    assert not torch.equal(taught.batch(3, rank=1).places, batch.places)


def test_sentences_that_are_too_short_or_too_long_are_left_out(workplace: Path) -> None:
    corpus = corpus_of(workplace)
    ids, starts = choose_sentences(corpus, 1000, seed=1)
    lengths = np.diff(starts)
    assert lengths.min() >= 5
    assert lengths.max() <= 24
    assert len(lengths) == 240
    assert {corpus.words[k] for k in ids} == {*CONTENT, "."}


def test_a_killed_reading_goes_on_and_a_whole_one_is_kept(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elmo_tasks.data.taught_uses._BLOCK", 32)
    build(workplace, tmp_path)
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    whole = (folder / "vectors.bin").read_bytes()
    (folder / "mean.npy").unlink()
    (folder / "vectors.bin").write_bytes(whole[: len(whole) // 2 + 3])  # in the middle of a number
    taught = build(workplace, tmp_path)
    assert (folder / "vectors.bin").read_bytes() == whole
    monkeypatch.setattr("elmo_tasks.data.taught_uses._read_all", lambda *_: pytest.fail("it was read again"))
    assert len(build(workplace, tmp_path).ids) == len(taught.ids)


@pytest.mark.parametrize(
    ("layers", "n", "error", "message"),
    [
        ([3], 200, ConfigError, r"data.teacher_layers \[3\]: expected numbers from 0 to 2, the layers of .*teacher"),
        ([], 200, ConfigError, r"data.teacher_layers \[\]"),
        (
            [1],
            3,
            DataError,
            r"data.teacher: \d+ words come 6 times in the sentences that it reads; expected 12 or more",
        ),
    ],
)
def test_what_cannot_be_taught_is_refused(workplace, tmp_path, layers, n, error, message) -> None:
    with pytest.raises(error, match=message):
        TaughtUses.build(corpus_of(workplace), str(workplace / "teacher"), layers, n, tmp_path)


def test_cosines_are_those_of_pairs_of_uses_of_one_word() -> None:
    vectors = torch.randn(2 * N_USES, 7, generator=torch.Generator().manual_seed(0))
    found = cosines_of_uses(vectors)
    assert found.shape == (2, N_USES * (N_USES - 1) // 2)
    a, b = vectors[N_USES + 1], vectors[N_USES + 4]
    assert torch.isclose(found[1], torch.nn.functional.cosine_similarity(a, b, dim=0)).any()


def test_a_student_with_the_teachers_own_cosines_has_nothing_to_learn(workplace: Path, tmp_path: Path) -> None:
    batch = build(workplace, tmp_path).batch(0)
    distillation = Distillation(batch.vectors.shape[2], batch.vectors.shape[2])
    torch.nn.init.eye_(distillation.linear.weight)
    torch.nn.init.zeros_(distillation.linear.bias)
    same = torch.stack([batch.vectors] * 3)
    assert [float(loss) for loss in distillation(same, batch)] == pytest.approx([0, 0], abs=1e-5)
    other = torch.cat([same[:2], torch.randn(1, *batch.vectors.shape, generator=torch.Generator().manual_seed(1))])
    cosine, pairs = distillation(other, batch)
    assert cosine > 0.5
    assert pairs > 0.01


def fit(folder: Path, out: Path, teacher: bool = True, steps: int = 60, **weights: float) -> BiLMModule:
    pl.seed_everything(1)
    module = BiLMModule(
        [(1, 8), (2, 8)], dim=24, projection_dim=12, n_draws=64, learning_rate=0.01, warmup_steps=5, **weights
    )
    data = LanguageModelData(
        [str(folder / "text.txt")],
        str(folder / "cache"),
        batch_size=4,
        unroll_steps=5,
        max_tokens=20 * steps,
        teacher=str(folder / "teacher") if teacher else None,
        teacher_layers=[1, 2],
        taught_sentences=200,
    )
    trainer = pl.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[ExportBiLM(str(out))],
    )
    trainer.fit(module, datamodule=data)
    return module


@pytest.mark.long
def test_it_learns_what_the_teacher_gives_and_the_card_says_so(workplace: Path, tmp_path: Path) -> None:
    def distance(module: BiLMModule) -> list[float]:
        batch = build(workplace, tmp_path / "cache").batch(1000)  # not drawn in training
        with torch.no_grad():
            layers = (
                module.bilm.eval().read(module.bilm.token_encoder(batch.characters)[batch.words], batch.lengths).layers
            )
            return [
                float(loss) for loss in (module.distillation or Distillation(24, batch.vectors.shape[2]))(layers, batch)
            ]

    taught = fit(workplace, tmp_path / "taught", teacher_weight=1.0, teacher_pair_weight=8.0)
    alone = fit(workplace, tmp_path / "alone", teacher=False)
    (cosine, pairs), (cosine_alone, pairs_alone) = distance(taught), distance(alone)
    assert cosine < 0.7 * cosine_alone
    assert pairs < 0.7 * pairs_alone
    said = json.loads((tmp_path / "taught" / "card.json").read_text())["learned_from"]
    assert said[1].startswith("what another model, teacher, gives for each word of 200 sentences")
    assert said[2].startswith("how alike two uses of a word are to teacher")
    assert len(json.loads((tmp_path / "alone" / "card.json").read_text())["learned_from"]) == 1


def test_a_weight_without_a_teacher_is_refused(workplace: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model.teacher_weight 1, .*expected data.teacher, an encoder to learn from"):
        fit(workplace, tmp_path / "out", teacher=False, teacher_weight=1.0)
