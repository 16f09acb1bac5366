"""``evaluate --head``: scores on a labelled file, its labels, columns and formats."""

import json

import pytest

from elmo_tasks.heads.head_files import find_head
from elmo_tasks.prediction import Predictor
from tests.training.toy_task import write_encoder, write_tags, write_untrained

LABEL_NAMES = {"0": "negative", "1": "positive", "2": None}
BY_PLACE = {"text_column": 1, "label_column": 0, "label_names": LABEL_NAMES}
TEXTS = ["it was warm .", "it was rude .", "kind and good", "bad", "so so"]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    write_encoder(folder / "toy")
    write_untrained(folder / "tagger", folder / "toy", reading={"scheme": "BIO"})
    write_untrained(folder / "classifier", folder / "toy", "classification", reading=BY_PLACE)
    write_untrained(folder / "strange", folder / "toy", reading={"colour": "blue"})
    return folder


@pytest.fixture
def score(models, tmp_path, run):
    """Score a head on a file that is written first, and return the JSON, or the error if it is
    refused."""

    def call(head, name, text, *more, refused=False, plain=False):
        if text is not None:
            (tmp_path / name).write_text(text, encoding="utf-8")
        output = [] if refused or plain else ["--json"]
        status, out, err = run(
            "evaluate", "--head", models / head, "--data", tmp_path / name, *output, *more
        )
        assert (status, out) == (2, "") if refused else status == 0
        return err if refused else out.splitlines() if plain else json.loads(out)

    return call


def rows_of(labels, separator="\t"):
    return "".join(f"{label}{separator}{text}\n" for label, text in zip(labels, TEXTS, strict=True))


@pytest.fixture
def predicted(models):
    predictor = Predictor.load(find_head(models / "classifier"))
    return [
        prediction.label for prediction in predictor.predict_batch([text.split() for text in TEXTS])
    ]


def test_the_predictions_of_a_head_score_one(models, score):
    predictor = Predictor.load(find_head(models / "tagger"))
    rows = [["we", "saw", "Ada", "in", "Rome"], ["Bo", "ran"], ["Oslo", "."]]
    tags = [prediction.tags for prediction in predictor.predict_batch(rows)]
    lines = [
        "".join(f"{w}\t{t}\n" for w, t in zip(*pair, strict=True))
        for pair in zip(rows, tags, strict=True)
    ]
    found = score("tagger", "data.conll", "\n".join(lines))
    assert (found["main"], found["rows"], found["head"], found["data"]) == (
        "f1",
        3,
        "tagger",
        "data.conll",
    )
    assert (found["scores"]["f1"], found["scores"]["accuracy"]) == (1.0, 1.0)
    assert score("tagger", "none.conll", "It\tO\nrained\tO\n\nAgain\tO\n")["rows"] == 2


@pytest.mark.parametrize("own_names", [True, False])
def test_labels_may_be_those_of_the_training_file_or_the_head_s_own(own_names, predicted, score):
    gold = ["negative", "positive"]
    wrong = [gold[1 - gold.index(label)] for label in predicted[:2]] + predicted[2:]
    found = score(
        "classifier",
        "d.tsv",
        rows_of(wrong if own_names else [gold.index(label) for label in wrong]),
    )
    assert found["scores"]["accuracy"] == pytest.approx(3 / 5)
    assert found["labels"] == gold
    confusion = found["confusion"]
    assert [confusion[0][0] + confusion[1][1], confusion[0][1] + confusion[1][0]] == [3, 2]
    assert (
        score("classifier", "d.tsv", "0\tone\n2\ttwo\n1\tthree\n")["rows"] == 2
    )  # training left 2 out


def test_columns_formats_and_labels_can_be_named(predicted, score):
    rows = [{"review": text, "is": label} for text, label in zip(TEXTS, predicted, strict=True)]
    named = ["--file-format", "jsonl", "--text-column", "review", "--label-column", "is"]
    found = score("classifier", "d.txt", "".join(json.dumps(row) + "\n" for row in rows), *named)
    assert found["scores"]["accuracy"] == 1.0
    found = score(
        "tagger", "d.conll", "x B-PER Ada\nx O ran\n", "--token-column", "-1", "--tag-column", "1"
    )
    assert found["rows"] == 1
    stars = {"negative": "bad", "positive": "good"}
    table = "stars,review\n" + rows_of([stars[label] for label in predicted], ",")
    assert (
        score("classifier", "d.csv", table, "--labels", "bad=negative,good=positive")["scores"][
            "accuracy"
        ]
        == 1.0
    )
    assert "the head has no such label" in score("classifier", "d.csv", table, refused=True)


def test_a_table_is_printed_for_people(score, tmp_path):
    write_tags(tmp_path / "d.conll", 1)
    scores = score("tagger", "d.conll", None)["scores"]
    lines = score("tagger", "d.conll", None, plain=True)
    assert f"d.conll, 24 rows: f1 {scores['f1']:.4f}" in lines[0]
    assert [line.split()[0] for line in lines[1:]] == ["precision", "all", "LOC", "PER", "accuracy"]
    assert lines[3].split()[1:] == [
        f"{scores[f'{name}/LOC']:.4f}" for name in ("precision", "recall", "f1")
    ]


def test_the_confusions_of_classes_are_printed(score):
    expected = score("classifier", "d.tsv", rows_of("01010"))["confusion"]
    lines = score("classifier", "d.tsv", None, plain=True)
    assert lines[-3].split() == ["actual", "/", "predicted", "negative", "positive"]
    assert [[int(n) for n in line.split()[1:]] for line in lines[-2:]] == expected


@pytest.mark.parametrize("bound", [0.0, 0.5, 1.1])
def test_confident_and_correct_answers_are_counted(bound, models, score, monkeypatch):
    monkeypatch.setattr("elmo_tasks.cli.evaluate_head.CONFIDENT_FROM", bound)
    predictor = Predictor.load(find_head(models / "classifier"))
    answers = predictor.predict_batch([text.split() for text in TEXTS])
    stated = [
        (answer.label, label)
        for answer, label in zip(answers, ("negative", "positive") * 3, strict=False)
        if answer.confidence >= bound
    ]
    names = rows_of(("negative", "positive", "negative", "positive", "negative"))
    confident = score("classifier", "d.tsv", names)["confident"]
    assert confident == {"rows": len(stated), "right": sum(a == b for a, b in stated)}
    share = f", of which {confident['right'] / len(stated):.1%} are right" if stated else ""
    line = f"stated at {bound} or more: {len(stated)} of 5 rows{share}"
    assert line in score("classifier", "d.tsv", None, plain=True)


@pytest.mark.parametrize(
    ("head", "text", "more", "message"),
    [
        (
            "tagger",
            "Ada B-PER\n",
            ("--tag-column", "7"),
            "tag_column: expected the place of a column, counted from 0",
        ),
        ("tagger", "Ada B-PER\n", ("--token-column", "word"), "expected the place of a column"),
        ("tagger", "Ada\n", (), "expected a token and a tag"),
        ("tagger", "Ada B-PER\nBo\n", (), "expected 2 columns as above, found 1"),
        (
            "tagger",
            "Acme B-ORG\n",
            (),
            "'ORG': no such entity type in the training data, of the head tagger",
        ),
        (
            "classifier",
            "9\tfine\n",
            (),
            "'9': the head has no such label; it has 'negative', 'positive'. Say which is",
        ),
        ("classifier", "fine\n", (), "d.data"),
        ("classifier", "", (), "d.data"),
        ("tagger", "", (), "d.data"),
        ("tagger", "Ada B-PER\n", ("--file-format", "pptx"), "--file-format pptx: expected one of"),
        (
            "tagger",
            "Ada B-PER\n",
            ("--labels", "a=b"),
            "--labels: 'a=b': expected LABEL=NAME, where NAME is one of '",
        ),
        ("strange", "Ada B-PER\n", (), "how its data were read is not understood"),
        ("nothing", "", (), "there is no head"),
        ("tagger", None, (), "d.data: no such file"),
    ],
)
def test_an_unexpected_file_is_refused_with_a_message(score, head, text, more, message):
    more = ("--file-format", "tsv", *more) if head == "classifier" else more
    assert message in score(head, "d.data", text, *more, refused=True)


def test_a_head_needs_data(models, run):
    assert "--head needs --data: a labelled file to score it on" in run.refused(
        "evaluate", "--head", models / "tagger"
    )


FOREIGN = "Ada B-PERSON\nleft O\nRome B-GPE\non O\nMonday B-DATE\n. O\n\nBo B-PER\nran O\n. O\n"


def test_types_of_other_data_are_renamed_left_out_or_missed(score, run, models, tmp_path):
    renamed = score("tagger", "d.conll", FOREIGN, "--labels", "PERSON=PER,GPE=LOC,DATE=")
    assert {name for name in renamed["scores"] if name.startswith("f1/")} == {"f1/LOC", "f1/PER"}
    (tmp_path / "d.conll").write_text(FOREIGN)
    status, _, err = run("evaluate", "--head", models / "tagger", "--data", tmp_path / "d.conll")
    assert status == 0
    assert "lack the type 'DATE', 'GPE', 'PERSON', whose entities count as missed" in err
    alone = FOREIGN.replace("B-PER\n", "B-PERSON\n")
    printed = score("tagger", "e.conll", alone, refused=True)
    assert "no such entity type" in printed
    assert "such as --labels PERSON=PER,DATE= (DATE is left out then)" in printed


def test_without_an_entity_f1_is_undefined(score):
    rows = "It O\nrained O\n\nNobody O\ncame O\n"
    assert score("tagger", "d.conll", rows)["scores"]["f1"] is None
    assert (
        "no row has an entity, so f1 is undefined; accuracy of tags"
        in score("tagger", "d.conll", rows, plain=True)[0]
    )


def test_the_advice_for_labels_can_be_pasted(score):
    table = "is\ttext\nThumbs Up\tfine\nno, never\tbad\n"
    printed = score("classifier", "d.tsv", table, refused=True)
    assert "--labels 'Thumbs Up=NAME,no, never=NAME'" in printed
    given = '{"Thumbs Up": "positive", "no, never": "negative"}'
    assert score("classifier", "d.tsv", table, "--labels", given)["rows"] == 2
