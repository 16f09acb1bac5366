"""Tagged words and spans as programs and people of many countries write them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from elmo_tasks.data.tag_files import read_tag_file
from elmo_tasks.data.tag_spelling import with_prefixes
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.errors import DataError
from tests.data.files import written

SENTENCES = [
    (("Ines", "Lind", "flog", "nach", "Köln", "."), ("B-PER", "I-PER", "O", "O", "B-LOC", "O")),
    (("Es", "regnet", "."), ("O", "O", "O")),
] * 5
TEXTS = [
    ("👍 Ines Lind flog nach Köln.", [(2, 11, "PER"), (22, 26, "LOC")]),
    ("Es regnet.", []),
] * 5
Spelling = Callable[[str], str]


def columns(
    line: str, head: str = "", spell: Spelling = str, between: str = "\n", inner: str = ""
) -> str:
    """Return the sentences as lines of words and tags."""
    blocks = [
        inner.join(
            line.format(w=word, t=spell(tag), s=k) for word, tag in zip(words, tags, strict=True)
        )
        for k, (words, tags) in enumerate(SENTENCES)
    ]
    return head + between.join(blocks) + "\n"


def without(tag: str) -> Spelling:
    """Return a spelling with another tag for O."""
    return lambda own: tag if own == "O" else own


def type_or(tag: str) -> Spelling:
    """Return a spelling with types alone, and another tag for O."""
    return lambda own: tag if own == "O" else own[2:]


@pytest.mark.parametrize(
    ("name", "content", "remark"),
    [
        ("a.tsv", columns("{w}\t{t}\n", spell=lambda tag: tag.replace("-", "/")), "'B/LOC'"),
        ("a.tsv", columns("{w}\t{t}\n", spell=lambda tag: tag.replace("-", ":")), "'B:LOC'"),
        ("a.tsv", columns("{w}\t{t}\n", spell=lambda tag: tag.replace("-", "")), "'BLOC'"),
        ("a.tsv", columns("{w}\t{t}\n", spell=without("außen")), "'außen' are read as 'O'"),
        ("a.tsv", columns("{w}\t{t}\n", spell=without("NULL")), "'NULL' are read as 'O'"),
        ("a.tsv", columns("{w}\t{t}\n", spell=without("")), "empty tags are read as 'O'"),
        ("a.csv", columns("{s},{w},{t}\n", "Satz,Wort,Entität\n", between=""), "“Entität”"),
        ("a.csv", columns("Satz {s};{w};{t}\n", "Satz Nr.;Wort;Art\n", between=""), "“Art”"),
        ("a.csv", columns("{s},{w},{t}\n", "phrase,mot,étiquette\n", between=""), "“étiquette”"),
        ("a.tsv", columns("{w}\tO\t{t}\n", "word\tpred\tgold\n"), "“gold”"),
        ("a.csv", columns("{w},{t},O\n", "word,true_label,predicted\n"), "“true_label”"),
        ("a.txt", columns("{w}|{t}\n"), "columns of a table"),
        ("a.txt", columns("{w};{t}\n"), "columns of a table"),
        ("a.txt", columns("{w}|{t}", between="\n", inner=" "), "text with tags in it"),
        ("a.txt", columns("{w}_{t}", between="\n", inner=" "), "text with tags in it"),
        ("a.txt", columns("{w}/{t}", between="\n", inner=" "), "text with tags in it"),
        ("a.txt", "[Ines Lind](PER) flog nach [Köln](LOC).\nEs regnet.\n" * 5, "tags in it"),
        ("a.tsv", columns("{w}\t{t}\n").encode("utf-32"), "encoding utf-32"),
    ],
)
def test_columns_and_tags(tmp_path: Path, name: str, content: str | bytes, remark: str) -> None:
    file = read_tag_file(written(tmp_path, name, content))
    assert [(one.tokens, one.tags) for one in file.sentences] == SENTENCES
    assert remark in file.describe()


@pytest.mark.parametrize("outside", ["-", "OTHER", "None", "_"])
def test_types_alone_with_another_tag_outside(tmp_path: Path, outside: str) -> None:
    path = written(tmp_path, "a.tsv", columns("{w}\t{t}\n", spell=type_or(outside)))
    found = with_prefixes(read_tag_file(path).sentences)
    assert found is not None
    assert [one.tags for one in found] == [tags for _, tags in SENTENCES]


def test_types_in_other_case_are_remarked(tmp_path: Path) -> None:
    content = columns("{w}\t{t}\n").replace("B-LOC", "B-loc", 1)
    path = written(tmp_path, "a.tsv", content)
    assert "ONLY IN CASE: 'LOC', 'loc'; type_names" in read_tag_file(path).describe()
    mixed = columns("{w}\t{t}\n").replace("I-PER", "I-per")
    with pytest.raises(DataError, match="unclear.* TYPES THAT DIFFER ONLY IN CASE: 'PER', 'per'"):
        TaggingData(str(written(tmp_path, "b.tsv", mixed))).setup()
    data = TaggingData(str(tmp_path / "b.tsv"), type_names={"per": "PER"})
    data.setup()
    assert data.gold("train", [0]) == [SENTENCES[0][1]]


def spans(make: Callable[[str, int, int, str], object], **more: object) -> str:
    """Return the texts as JSON lines with spans."""
    rows = [
        {"text": text, "spans": [make(text, *span) for span in given], **more}
        for text, given in TEXTS
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.mark.parametrize(
    ("make", "remark"),
    [
        (lambda _, start, end, kind: {"begin": start, "end": end, "type": kind}, ""),
        (lambda _, start, end, kind: {"offset": start, "length": end - start, "label": kind}, ""),
        (lambda _, start, end, kind: {"start": str(start), "end": float(end), "label": kind}, ""),
        (lambda _, start, end, kind: [kind, start, end], ""),
        (
            lambda text, start, end, kind: {
                "start": start,
                "end": end - 1,
                "label": kind,
                "text": text[start:end],
            },
            "count the last character to the span: converted",
        ),
        (lambda _, start, end, kind: [start + 1, end + 1, kind], "UTF-16 units: converted"),
    ],
)
def test_spans(tmp_path: Path, make: Callable[..., object], remark: str) -> None:
    file = read_tag_file(written(tmp_path, "a.jsonl", spans(make)))
    assert [one.tags for one in file.sentences[:2]] == [("O", *SENTENCES[0][1]), SENTENCES[1][1]]
    assert remark in file.describe()


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.conll", columns("{w} {t}\n", between=""), "an empty line after each sentence"),
        ("a.tsv", "1-1\t0-4\tInes\tPER[1]\n1-2\t5-9\tLind\tPER[1]\n", "WebAnno TSV"),
        ("a.ann", "R1\tin Arg1:T1 Arg2:T2\t\nT1\tPER 0 4\tInes\n", "brat standoff"),
        ("a.py", 'TRAIN = [\n  ("Ines", {"entities": [(0, 4, "PER")]}),\n]\n', "code of Python"),
        ("a.yml", "nlu:\n- intent: x\n  examples: |\n    - fly to [Oslo](city)\n" * 3, "running"),
    ],
)
def test_other_formats_are_named(tmp_path: Path, name: str, content: str, found: str) -> None:
    with pytest.raises(DataError, match=found):
        read_tag_file(written(tmp_path, name, content))


def test_a_word_in_angle_brackets_is_no_markup(tmp_path: Path) -> None:
    file = written(tmp_path, "tweets.conll", "<user>\tO\nInes\tB-PER\nflog\tO\n\n" * 5)
    assert [sentence.tokens[0] for sentence in read_tag_file(file).sentences] == ["<user>"] * 5
