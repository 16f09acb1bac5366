"""Uploads are read as training reads them, and refused with the line that is wrong."""

import json
import os
import time

import pytest

from elmo_tasks.api import TrainingPlan
from elmo_tasks.data.labelled_texts import read_labelled
from elmo_tasks.data.records import LabelledText, TaggedSentence, content_of
from elmo_tasks.data.tag_files import read_tagged
from elmo_tasks.errors import InputError
from elmo_tasks.service.training_data import find_upload, load_dataset, split_rows, store_upload

TEXTS = [(f"text number {k} about rain", "good" if k % 3 else "bad") for k in range(40)]
HEAD = "label\ttext\n"
CONLL = "".join(f"Ada B-PER\nLove{k} I-PER\nslept O\n\n" for k in range(30))


def dataset(tmp_path, name, content, kind="classification", **plan):
    key = store_upload(
        tmp_path / "uploads", name, content if isinstance(content, bytes) else content.encode()
    )
    plan = TrainingPlan(kind, "upload", key, **plan)
    return load_dataset(plan, tmp_path / "uploads", tmp_path / "examples")


def preview(*args, **plan):
    return dataset(*args, **plan).preview()


def csv_of(rows=TEXTS, header="text,label\n"):
    return header + "".join(f'"{text}",{label}\n' for text, label in rows)


def tsv_of(rows=TEXTS, header=""):
    return header + "".join(f"{label}\t{text}\n" for text, label in rows)


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("a.csv", csv_of(), ("text", "label", True)),
        ("a.tsv", tsv_of(), ("column 2", "column 1", False)),
        ("a.tsv", tsv_of(header="mood\twhat they said\n"), ("what they said", "mood", True)),
        (
            "a.jsonl",
            "".join(
                json.dumps({"id": k, "review": t, "sentiment": s}) + "\n"
                for k, (t, s) in enumerate(TEXTS)
            ),
            ("review", "sentiment", None),
        ),
    ],
)
def test_columns_are_guessed(tmp_path, name, content, columns):
    found = preview(tmp_path, name, content)
    assert (found.text_column, found.label_column, found.header) == columns
    assert dict(found.labels) == {"good": 26, "bad": 14}
    assert found.read_as.startswith(f"texts from “{columns[0]}”, labels from “{columns[1]}”")
    assert found.rows + found.test_rows == 40
    assert found.examples[0] == (("text number 0 about rain",), ("bad",))


def test_texts_with_spans_of_characters_are_tagged(tmp_path):
    rows = [
        {"text": f"Ada {k} slept.", "entities": [{"start": 0, "end": 3, "label": "PER"}]}
        for k in range(30)
    ]
    found = preview(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)), "tagging")
    assert (found.labels, found.counted, found.text_column) == ((("PER", 30),), "names", "text")


def test_columns_can_be_chosen(tmp_path):
    rows = "".join(
        f"{text},{label},{'x' if k % 2 else 'y'}\n" for k, (text, label) in enumerate(TEXTS)
    )
    found = preview(tmp_path, "a.csv", f"text,label,other\n{rows}", label_column="other")
    assert dict(found.labels) == {"x": 20, "y": 20}
    with pytest.raises(InputError, match="one and the same column"):
        preview(tmp_path, "a.csv", f"text,label,other\n{rows}", label_column="text")


def test_tagged_words_of_any_scheme_become_names(tmp_path):
    found = preview(tmp_path, "a.conll", CONLL, "tagging")
    assert (found.labels, found.counted) == ((("PER", 30),), "names")
    assert preview(tmp_path, "b.conll", CONLL.replace("I-PER", "E-PER"), "tagging").labels == (
        ("PER", 30),
    )
    plain = CONLL.replace("B-PER", "NOUN").replace("I-PER", "NOUN").replace(" O", " VERB")
    parts = preview(tmp_path, "c.conll", plain, "tagging")
    assert (parts.labels, parts.counted) == ((("NOUN", 60), ("VERB", 30)), "words")


@pytest.mark.parametrize(
    ("name", "content", "kind", "message"),
    [
        (
            "a.tsv",
            tsv_of() + "no tab here\n",
            "classification",
            r"^a\.tsv, line 41: expected 2 columns",
        ),
        (
            "a.tsv",
            b"\x7fELF\0\0\0",
            "classification",
            r"^a\.tsv, line 1: expected a text file, found a zero byte",
        ),
        ("a.tsv", "one column\n" * 30, "classification", "found one column only"),
        ("a.tsv", tsv_of(TEXTS[:9]), "classification", "9 texts; training needs 20 or more"),
        (
            "a.tsv",
            tsv_of([(t, "same") for t, _ in TEXTS], HEAD),
            "classification",
            "labels or more, found only “same”",
        ),
        (
            "a.tsv",
            tsv_of([(t + x, t + x) for t, _ in TEXTS for x in "abc"], HEAD),
            "classification",
            "120 different",
        ),
        ("a.json", "[" * 100_000, "classification", "line 1: expected one JSON object"),
        ("a.conll", CONLL + "alone\n", "tagging", r"^a\.conll, line 121: expected 2 columns"),
        (
            "a.csv",
            csv_of(),
            "tagging",
            "expected one word and its tag on each line, found texts of several words",
        ),
        ("a.conll", CONLL, "classification", "labelled texts are read from"),
    ],
)
def test_an_error_in_a_file_names_the_line(tmp_path, name, content, kind, message):
    with pytest.raises(InputError, match=message) as caught:
        preview(tmp_path, name, content, kind)
    assert str(tmp_path) not in str(caught.value)
    assert caught.value.field == "file"


@pytest.mark.parametrize(
    "name", ["evil.exe", "a.tsv.xz", "a.parquet", "noending", ".tsv", "../../x.sh", "a.tsv\0.exe"]
)
def test_only_text_files_are_taken(tmp_path, name):
    with pytest.raises(InputError, match="cannot be read: send a file whose name ends in"):
        store_upload(tmp_path, name, b"x")
    assert not list(tmp_path.iterdir())


@pytest.mark.timeout(30)
@pytest.mark.parametrize("kind", ["classification", "tagging"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "[" * 300_000),
        ("a.csv", "a" * 300_000 + "\u00e9"),
        ("a.csv", "a," * 20_000),
        ("a.csv", ",".join(f"word{k}" for k in range(10_000)) + "\n" + "1," * 10_000),
    ],
    ids=["brackets", "one word", "columns", "named columns"],
)
def test_long_runs_and_wide_tables_are_refused_in_seconds(tmp_path, name, content, kind):
    with pytest.raises(InputError, match="."):
        preview(tmp_path, name, content, kind)


def test_size_and_rows_have_limits(tmp_path, monkeypatch):
    monkeypatch.setattr("elmo_tasks.service.training_data.MAX_UPLOAD", 1_000)
    with pytest.raises(InputError, match="the most is"):
        store_upload(tmp_path, "a.tsv", b"x" * 1_001)
    with pytest.raises(InputError, match="is empty"):
        store_upload(tmp_path, "a.tsv", b"")
    monkeypatch.setattr("elmo_tasks.service.training_data.MAX_UPLOAD", 10**6)
    monkeypatch.setattr("elmo_tasks.service.training_data.MAX_ROWS", 39)
    with pytest.raises(InputError, match="40 texts; the most is 39"):
        preview(tmp_path, "a.tsv", tsv_of())


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/cron.d/x.tsv",
        "..\\..\\x.tsv",
        "/etc/x.tsv",
        "<img src=x onerror=alert(1)>.tsv",
        "a\nb.tsv",
    ],
)
def test_a_name_is_never_a_path(tmp_path, name):
    uploads = tmp_path / "deep" / "uploads"
    path, title = find_upload(uploads, store_upload(uploads, name, b"x"))
    assert path.parent.parent == uploads
    assert path.name == "data.tsv"
    assert not set(title) & set("/\\\n")
    assert [p.name for p in tmp_path.iterdir()] == ["deep"]


@pytest.mark.parametrize(
    "key", ["", "..", "../..", "0" * 19, "0" * 20, "0" * 19 + "/", "title.txt"]
)
def test_a_malformed_upload_id_finds_nothing(tmp_path, key):
    store_upload(tmp_path, "a.tsv", b"x")
    with pytest.raises(InputError, match="The file was removed"):
        find_upload(tmp_path, key)


def test_old_uploads_are_forgotten(tmp_path):
    old = store_upload(tmp_path, "old.tsv", b"old")
    os.utime(tmp_path / old, (time.time() - 10**6,) * 2)
    keys = [store_upload(tmp_path, "a.tsv", f"{k}".encode()) for k in range(12)]
    assert old not in (left := {path.name for path in tmp_path.iterdir()})
    assert (len(left), keys[-1] in left) == (10, True)


def test_no_label_is_in_the_test_rows_only():
    rows = [LabelledText(f"t{k}", "common" if k % 10 else f"rare {k}") for k in range(100)]
    train, test = split_rows(rows)
    assert {row.label for row in test} <= {row.label for row in train}
    assert (10 <= len(test) <= 16, len(train) + len(test)) == (True, 100)
    tagged = [
        TaggedSentence(("a",), ("B-RARE" if k == 3 else "B-PER" if k % 2 else "O",))
        for k in range(60)
    ]
    for seed in range(8):
        train, test = split_rows(tagged, seed)
        assert "B-RARE" in {tag for row in train for tag in row.tags}


def test_written_rows_equal_the_uploaded_rows(tmp_path):
    content = csv_of(
        [(f'said "x" {k}, then', "good" if k % 2 else "<b>bad</b>") for k in range(30)]
    )
    dataset(tmp_path, "a.csv", content.replace('"x"', '""x""')).write(tmp_path)
    rows = read_labelled(tmp_path / "train.jsonl") + read_labelled(tmp_path / "test.jsonl")
    assert sorted(row.text for row in rows) == sorted(f'said "x" {k}, then' for k in range(30))
    assert {row.label for row in rows} == {"good", "<b>bad</b>"}
    dataset(tmp_path, "a.conll", CONLL.replace("I-PER", "E-PER"), "tagging").write(tmp_path)
    assert {tag for row in read_tagged(tmp_path / "train.jsonl") for tag in row.tags} == {
        "B-PER",
        "I-PER",
        "O",
    }


def test_duplicates_of_training_rows_are_not_tested():
    texts = [LabelledText(f"text {k % 30}", "ab"[k % 2]) for k in range(60)]
    tagged = [TaggedSentence(("Ada", f"x{k % 30}"), ("B-PER", "O")) for k in range(60)]
    once = [LabelledText(f"once {k}", "a") for k in range(40)]
    others = [TaggedSentence(("Lima", f"y{k}"), ("B-PER", "O")) for k in range(40)]
    for rows in ([*texts, *once], [*tagged, *others]):
        train, test = split_rows(rows)
        assert (len(train) + len(test), len(test) >= 3) == (100, True)
        assert not {content_of(row) for row in train} & {content_of(row) for row in test}


def test_examples_are_added_to_an_upload(tmp_path):
    (tmp_path / "examples").write_text("bad: The queue: too long.\n\n good : Fine.\n")
    found = preview(tmp_path, "a.csv", csv_of(), with_examples=True)
    assert found.rows + found.test_rows == 42
    dataset(tmp_path, "a.csv", csv_of(), with_examples=True).write(tmp_path)
    rows = read_labelled(tmp_path / "train.jsonl") + read_labelled(tmp_path / "test.jsonl")
    assert {("The queue: too long.", "bad"), ("Fine.", "good")} <= {
        (row.text, row.label) for row in rows
    }
    assert preview(tmp_path, "a.csv", csv_of()).rows < found.rows


def test_examples_are_added_to_the_rows_of_the_sample_that_are_learned(tmp_path):
    examples = tmp_path / "examples"
    plain, more = (TrainingPlan("tagging", with_examples=added) for added in (False, True))
    alone = load_dataset(plain, tmp_path, examples)
    examples.write_text("[Mara Lind](PER) moved to [Lisbon](LOC).\n")
    both = load_dataset(more, tmp_path, examples)
    assert (len(both.train), both.test) == (len(alone.train) + 1, alone.test)
    assert both.train[-1].tags == ("B-PER", "I-PER", "O", "O", "B-LOC", "O")


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            "classification",
            "good: Fine.\nNo label here.\n",
            "Your examples, line 2: expected a label, a colon",
        ),
        ("classification", ": Fine.\n", "line 1: expected a label"),
        ("tagging", "[Mara](PER) left.\n[Mara](PER left.\n", "Your examples, line 2"),
        ("classification", "good: Fine.\n", "Your examples: 1 texts; training needs 20"),
        ("tagging", "", "Your examples: 0 sentences; training needs 20"),
    ],
)
def test_an_error_in_an_example_names_the_line(tmp_path, kind, text, message):
    (tmp_path / "examples").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        load_dataset(TrainingPlan(kind, "examples"), tmp_path, tmp_path / "examples")
    assert str(tmp_path) not in str(caught.value)
    assert caught.value.field == "examples"
