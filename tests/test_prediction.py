from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from elmo_tasks.encoders import load
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError, InputError
from elmo_tasks.heads.confidence import Confidence
from elmo_tasks.heads.head import HeadTask
from elmo_tasks.heads.head_files import Source, find_head, write_head
from elmo_tasks.heads.ner import NerHead
from elmo_tasks.heads.tagging import TagSequence
from elmo_tasks.prediction import Predictor, batched, load_head
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
    write_untrained(
        folder / "tagger", folder / "toy", static=folder / "vectors", character_filters=4
    )
    write_untrained(
        folder / "classifier", folder / "toy", "classification", folder / "vectors", lstm_hidden=4
    )
    write_untrained(folder / "pooler", folder / "toy", "classification")
    return folder


def predictor_of(models: Path, name: str) -> Predictor:
    return Predictor.load(find_head(models / name))


def close(found: TagSequence, expected: TagSequence) -> None:
    assert found.tags == expected.tags
    assert found.probability == pytest.approx(expected.probability, abs=1e-5)
    assert [s.confidence for s in found.spans] == pytest.approx(
        [s.confidence for s in expected.spans], abs=1e-5
    )


def test_a_sentence_is_tagged_alone_as_in_a_batch(models: Path) -> None:
    predictor = predictor_of(models, "tagger")
    together = predictor.predict_batch(SENTENCES, n_readings=3)
    for sentence, found in zip(SENTENCES, together, strict=True):
        (alone,) = predictor.predict_batch([sentence], n_readings=3)
        close(found, alone)
        for one, other in zip(found.alternatives, alone.alternatives, strict=True):
            assert one.probability == pytest.approx(other.probability, abs=1e-5)


@pytest.mark.parametrize("name", ["classifier", "pooler"])
def test_a_text_is_classified_alone_as_in_a_batch(name: str, models: Path) -> None:
    predictor = predictor_of(models, name)
    texts = [words for words in SENTENCES if words]
    together = predictor.predict_batch(texts)
    assert len({text.probabilities["positive"] for text in together}) > 2
    for sentence, found in zip(texts, together, strict=True):
        assert predictor.predict_batch([sentence])[0].probabilities == pytest.approx(
            found.probabilities, abs=1e-5
        )


def test_texts_without_tokens_have_no_tags_and_no_label(models: Path) -> None:
    for name in ("classifier", "pooler"):
        empty, text = predictor_of(models, name).predict(["", "Oslo"])
        assert (empty.label, empty.probabilities, empty.is_sure) == (None, {}, False)
        assert text.label in text.probabilities
    tagger = predictor_of(models, "tagger")
    for sentences in ([[], ["Oslo"], []], [[], []]):
        assert [len(found.tags) for found in tagger.predict_batch(sentences)] == list(
            map(len, sentences)
        )


def test_probabilities_are_read_as_the_app_reads_them(models: Path) -> None:
    predictor = predictor_of(models, "classifier")
    (plain,) = predictor.predict(["Oslo"])
    assert plain.is_sure
    predictor.confidence = Confidence(temperature=4.0, threshold=plain.probabilities[plain.label])
    (read,) = predictor.predict(["Oslo"])
    assert not read.is_sure  # flattened, it is below what counts as sure
    assert read.label == plain.label
    odds = {label: p ** (1 / 4) for label, p in plain.probabilities.items()}
    assert read.probabilities == pytest.approx(
        {label: value / sum(odds.values()) for label, value in odds.items()}
    )
    predictor.confidence = Confidence(temperature=1.0, threshold=0.5)
    assert predictor.predict(["Oslo"])[0].is_sure


@pytest.mark.parametrize("name", ["tagger", "classifier"])
def test_the_best_labels_are_those_of_the_predictions(name: str, models: Path) -> None:
    predictor = predictor_of(models, name)
    many = [words for words in SENTENCES * 15 if words]  # more than one batch
    expected = [p.tags if name == "tagger" else p.label for p in predictor.predict_batch(many)]
    assert list(predictor.labels_of(many)) == expected


def test_batches_are_read_in_order_as_they_are_consumed() -> None:
    remaining = iter([[str(k)] for k in range(70)])
    batches = batched(remaining)
    assert [word for (word,) in next(batches)] == [str(k) for k in range(32)]
    assert next(remaining) == ["32"]
    assert [len(batch) for batch in batches] == [32, 5]


def test_another_encoder_is_refused(models: Path) -> None:
    other = Elmo.load(models / "another")
    message = (
        r"head tagger was trained on the encoder .*toy \(checksum [0-9a-f]{12}….* given was"
        rf" {other.name} "
    )
    with pytest.raises(ConfigError, match=message):
        Predictor.load(find_head(models / "tagger"), other)


def test_an_encoder_or_static_vectors_that_changed_are_refused(tmp_path: Path) -> None:
    write_encoder(tmp_path / "toy")
    write_static(tmp_path / "vectors")
    write_untrained(tmp_path / "h", tmp_path / "toy", static=tmp_path / "vectors")
    assert predictor_of(tmp_path, "h")
    write_static(tmp_path / "vectors", shift=0.1)
    with pytest.raises(ConfigError, match=r"trained on the static vectors .*vectors \(checksum"):
        predictor_of(tmp_path, "h")
    write_encoder(tmp_path / "toy", shift=0.1)
    with pytest.raises(ConfigError, match=r"trained on the encoder .* and reads no other"):
        predictor_of(tmp_path, "h")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder with its own model cache, far from any encoder."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize(
    "place",
    ["runs/pretraining/model", "../cache/moved", "../heads/deep/down/here", "../pretraining/model"],
)
def test_an_encoder_that_was_moved_is_found_by_its_checksum(
    place: str, models: Path, nowhere: Path
) -> None:
    run = (
        nowhere.parent / "mine" / "head"
        if place.startswith("../pre")
        else nowhere.parent / "heads" / "mine"
    )
    head = write_untrained(run, models / "toy", encoder_name="/gone/toy")
    # called alike, and another one
    shutil.copytree(models / "another", (nowhere / place).parent / "toy")
    shutil.copytree(models / "toy", nowhere / place)
    predictor = Predictor.load(find_head(head))
    assert predictor.encoder.checksum == find_head(head).encoder.checksum
    assert predictor.encoder.name == Path(place).name


def test_a_missing_encoder_is_an_error_with_a_remedy(models: Path, nowhere: Path) -> None:
    head = write_untrained(
        nowhere.parent / "mine" / "head", models / "toy", encoder_name="elmo-of-yore"
    )
    message = (
        r"the head mine was trained on the encoder elmo-of-yore \(checksum [0-9a-f]{12}…\) and"
        r" reads no other; looked for that "
        r"in elmo-of-yore, .*checkpoints, .*cache: put it into one of these, or name its folder"
        r" with --encoder$"
    )
    with pytest.raises(ConfigError, match=message):
        Predictor.load(find_head(head))


def test_another_encoder_of_the_same_name_is_reported(models: Path, nowhere: Path) -> None:
    head = write_untrained(nowhere / "h", models / "toy", encoder_name="toy")
    shutil.copytree(models / "another", nowhere / "toy")
    message = r"looked for that in toy, .*; toy has another checksum \([0-9a-f]{12}…\): put"
    with pytest.raises(ConfigError, match=message):
        Predictor.load(find_head(head))
    published = write_untrained(nowhere / "published", models / "toy", encoder_name="small")
    with pytest.raises(ConfigError, match="Get it with `.* download small`"):
        Predictor.load(find_head(published))


def test_a_named_encoder_is_used(models: Path, nowhere: Path) -> None:
    head = write_untrained(nowhere / "h", models / "toy", encoder_name="/gone/toy")
    assert load_head(head, encoder=models / "toy").encoder.name == "toy"
    with pytest.raises(ConfigError, match="given was another "):
        load_head(head, encoder=models / "another")


def test_missing_static_vectors_are_an_error_with_a_remedy(models: Path, nowhere: Path) -> None:
    write_static(nowhere / "vectors")
    head = write_untrained(nowhere / "h", models / "toy", static=nowhere / "vectors")
    (nowhere / "vectors").rename(nowhere / "elsewhere")
    assert Predictor.load(find_head(head)).static is not None  # beside the head
    shutil.rmtree(nowhere / "elsewhere")
    with pytest.raises(
        ConfigError, match="trained on the static vectors .*: put them into one of these"
    ):
        Predictor.load(find_head(head))


def test_sentences_and_tokens_are_predicted_with_their_places(models: Path) -> None:
    head = load_head(models / "tagger", device="cpu")
    text = "Ada said “no” to Bo in Rome."
    plain, cut = head.predict([text, ["Ada", "-LRB-", "Bo"]])
    assert plain.sentence == text
    assert plain.tokens == ("Ada", "said", '"', "no", '"', "to", "Bo", "in", "Rome", ".")
    assert (cut.sentence, cut.tokens) == ("Ada -LRB- Bo", ("Ada", "-LRB-", "Bo"))
    assert cut.offsets == ((0, 3), (4, 9), (10, 12))
    for found in (plain, cut):
        assert found.tags == found.best.tags
        assert all(s.text == found.sentence[s.start_char : s.end_char] for s in found.spans)
    assert plain.spans  # it has random weights, and says something
    # Escaped brackets are read as brackets.

    assert cut.best.probability == pytest.approx(
        head.predict_batch([["Ada", "(", "Bo"]])[0].probability, abs=1e-5
    )


@pytest.mark.ci
def test_any_number_of_texts_comes_back_in_order(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = load_head(models / "classifier")
    lengths = [7, 0, 900, 3, 4500, 1] * 7
    texts = [["good", "bad", "Ada"][k % 3 :][:1] * n for k, n in enumerate(lengths)]
    sizes, printed = [], Predictor.predict_batch

    def noted(self: Predictor, rows: Any, **options: Any) -> Any:
        sizes.append((len(rows), max(map(len, rows))))
        return printed(self, rows, **options)

    monkeypatch.setattr(Predictor, "predict_batch", noted)
    found = head.predict(texts)
    assert [len(one.tokens) for one in found] == lengths
    assert sum(n for n, _ in sizes) == len(texts)
    assert all(n <= 32 and (n * longest <= 4096 or n == 1) for n, longest in sizes)
    for k in (0, 1, 5, 20):
        assert head.predict([texts[k]])[0].probabilities == pytest.approx(
            found[k].probabilities, abs=1e-5
        )
    assert head.predict([]) == []


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (
            "Ada flew to Oslo.",
            r"expected a list of sentences, found one string; put it in a list: \[sentence\]",
        ),
        (None, "expected a list of sentences, found NoneType"),
        ([1], "expected a sentence as text or as a list of tokens, found int: 1"),
        ([[1, 2]], r"expected a sentence as text or as a list of tokens, found list: \[1, 2\]"),
    ],
)
def test_values_other_than_lists_of_sentences_are_refused(
    sentences: Any, message: str, models: Path
) -> None:
    with pytest.raises(InputError, match=message):
        load_head(models / "classifier").predict(sentences)


def test_the_bundled_head_finds_names_in_three_lines() -> None:
    import elmo_tasks

    (found,) = elmo_tasks.load_head("ner-conll2003", device="cpu").predict(["Ada flew to Oslo."])
    assert [(span.text, span.type) for span in found.spans] == [("Ada", "PER"), ("Oslo", "LOC")]
    assert all(0.5 < span.confidence <= 1 for span in found.spans)


def test_a_classifier_reads_as_many_tokens_as_it_was_trained_on(models: Path) -> None:
    write_untrained(models / "short", models / "toy", "classification", reading={"max_tokens": 3})
    predictor = predictor_of(models, "short")
    long, short = predictor.predict_batch(
        [["a", "good", "film", "it", "was", "not"], ["a", "good", "film"]]
    )
    assert long.probabilities == pytest.approx(short.probabilities, abs=1e-6)


@pytest.mark.ci
def test_prediction_does_not_import_training() -> None:
    """A head is used where neither Lightning nor torchmetrics is installed, and no command waits
    for them."""
    code = (
        "import sys, elmo_tasks.prediction\n"
        "heavy = {'pytorch_lightning', 'torchmetrics', 'datasets', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=Path(__file__).resolve().parents[2]
    )


def test_a_head_finds_its_transformer_also_after_a_move(
    nowhere: Path,
) -> None:
    pytest.importorskip("transformers", reason="needs the package transformers")
    from tests.encoders.tiny_transformers import tiny_bert

    encoder = load(tiny_bert(nowhere.parent / "before" / "bert"))
    head = NerHead(
        HeadTask(("O", "B-X", "I-X"), encoder.width, encoder.n_layers, "BIO"), lstm_hidden=0
    )
    write_head(
        nowhere / "h", head, Source(str(nowhere.parent / "before" / "bert"), encoder.checksum)
    )
    assert load_head(nowhere / "h").encoder.checksum == encoder.checksum
    (nowhere / "runs").mkdir()
    shutil.move(nowhere.parent / "before" / "bert", nowhere / "runs" / "bert")
    assert load_head(nowhere / "h").predict([["the", "bank"]])[0].tokens == ("the", "bank")
    (nowhere / "runs" / "bert" / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(ConfigError, match="reads no other; looked for that in"):
        load_head(nowhere / "h")
