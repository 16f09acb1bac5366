from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.heads.tagging import TagPrediction
from elmo_tasks.training.predictor import Predictor, batched
from tests.training.toy_task import write_encoder, write_static, write_untrained

SENTENCES = [
    ["we", "saw", "Ada", "Bo", "in", "Rome", "."],
    [],
    ["Oslo"],
    ["Dan", "was", "in", "Lima", ",", "not", "in", "Bern", ",", "I", "think", "."],
    [],
]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_encoder(folder / "toy")
    write_encoder(folder / "another", shift=0.1)
    write_static(folder / "vectors")
    write_untrained(folder / "tagger", folder / "toy", static=folder / "vectors", character_filters=4)
    write_untrained(folder / "classifier", folder / "toy", "classification", folder / "vectors", lstm_hidden=4)
    write_untrained(folder / "pooler", folder / "toy", "classification")
    return folder


def load(models: Path, name: str) -> Predictor:
    return Predictor.load(find_head(models / name))


def close(found: TagPrediction, expected: TagPrediction) -> None:
    assert (found.tags, [vars(s).keys() for s in found.spans]) == (
        expected.tags,
        [vars(s).keys() for s in expected.spans],
    )
    assert found.probability == pytest.approx(expected.probability, abs=1e-5)
    assert [s.confidence for s in found.spans] == pytest.approx([s.confidence for s in expected.spans], abs=1e-5)


def test_a_sentence_is_tagged_alone_as_in_a_batch(models: Path) -> None:
    predictor = load(models, "tagger")
    together = predictor.tag(SENTENCES, n_readings=3)
    for sentence, found in zip(SENTENCES, together, strict=True):
        (alone,) = predictor.tag([sentence], n_readings=3)
        close(found, alone)
        for one, other in zip(found.runners_up, alone.runners_up, strict=True):
            assert one.probability == pytest.approx(other.probability, abs=1e-5)


@pytest.mark.parametrize("name", ["classifier", "pooler"])
def test_a_text_is_classified_alone_as_in_a_batch(name: str, models: Path) -> None:
    predictor = load(models, name)
    together = predictor.classify(SENTENCES)
    assert len({text.probabilities["positive"] for text in together}) > 2
    for sentence, found in zip(SENTENCES, together, strict=True):
        assert predictor.classify([sentence])[0].probabilities == pytest.approx(found.probabilities, abs=1e-5)


def test_sentences_without_tokens_have_no_tags(models: Path) -> None:
    found = load(models, "tagger").tag([[], ["Oslo"], []])
    assert [len(one.tags) for one in found] == [0, 1, 0]
    assert [one.tags for one in load(models, "tagger").tag([[], []])] == [(), ()]


def test_texts_without_tokens_have_a_label(models: Path) -> None:
    for name in ("classifier", "pooler"):
        first, second = load(models, name).classify([[], []])
        assert first == second
        assert sum(first.probabilities.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", ["tagger", "classifier"])
def test_the_best_labels_are_those_of_the_predictions(name: str, models: Path) -> None:
    predictor = load(models, name)
    many = SENTENCES * 9  # more than one batch
    found = list(predictor.labels_of(many))
    expected = (
        [p.tags for p in predictor.tag(many)] if name == "tagger" else [p.label for p in predictor.classify(many)]
    )
    assert found == expected


def test_batches_are_read_in_order_as_they_are_consumed() -> None:
    remaining = iter([[str(k)] for k in range(70)])
    batches = batched(remaining)
    assert [word for (word,) in next(batches)] == [str(k) for k in range(32)]
    assert next(remaining) == ["32"]
    assert [len(batch) for batch in batches] == [32, 5]


def test_another_encoder_is_refused(models: Path) -> None:
    other = Elmo.load(models / "another")
    message = rf"head tagger was trained on the encoder .*toy \(checksum [0-9a-f]{{12}}….* given was {other.name} "
    with pytest.raises(ConfigError, match=message):
        Predictor.load(find_head(models / "tagger"), other)


def test_an_encoder_whose_weights_changed_is_refused(models: Path, tmp_path: Path) -> None:
    write_encoder(tmp_path / "toy")
    write_untrained(tmp_path / "h", tmp_path / "toy")
    assert load(tmp_path, "h")
    write_encoder(tmp_path / "toy", shift=0.1)
    with pytest.raises(ConfigError, match="and reads no other"):
        load(tmp_path, "h")


def test_static_vectors_that_changed_are_refused(models: Path, tmp_path: Path) -> None:
    write_static(tmp_path / "vectors")
    write_untrained(tmp_path / "h", models / "toy", static=tmp_path / "vectors")
    assert load(tmp_path, "h")
    write_static(tmp_path / "vectors", shift=0.1)
    with pytest.raises(ConfigError, match=r"trained on the static vectors .*vectors \(checksum"):
        load(tmp_path, "h")


def test_an_encoder_that_is_gone_is_named(models: Path, tmp_path: Path) -> None:
    write_untrained(tmp_path / "h", models / "toy", encoder_name="elmo-of-yore")
    with pytest.raises(ConfigError, match="there is no model 'elmo-of-yore'"):
        load(tmp_path, "h")


def test_a_tagger_does_not_classify(models: Path) -> None:
    with pytest.raises(ConfigError, match="NerHead gives a tag for each word, not a label for a text"):
        load(models, "tagger").classify([["yes"]])


def test_a_classifier_does_not_tag(models: Path) -> None:
    with pytest.raises(ConfigError, match="SentimentHead gives a label for a text, not a tag for each word"):
        load(models, "classifier").tag([["yes"]])


def test_a_classifier_reads_as_many_tokens_as_it_was_trained_on(models: Path) -> None:
    write_untrained(models / "short", models / "toy", "classification", reading={"max_tokens": 3})
    predictor = load(models, "short")
    long, short = predictor.classify([["a", "good", "film", "it", "was", "not"], ["a", "good", "film"]])
    assert long.probabilities == pytest.approx(short.probabilities, abs=1e-6)


def test_who_only_predicts_does_without_what_training_needs() -> None:
    """A head is used where neither Lightning nor torchmetrics is installed, and no command waits for them."""
    code = (
        "import sys, elmo_tasks.training.predictor\n"
        "heavy = {'pytorch_lightning', 'torchmetrics', 'datasets', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).resolve().parents[2])
