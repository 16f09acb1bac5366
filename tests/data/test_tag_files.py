import json
from pathlib import Path
from typing import Any

import datasets
import pytest

from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.tag_files import read_tagged, read_tagged_hub
from elmo_tasks.errors import DataError
from elmo_tasks.messages.heads import marked_spans, marked_words
from elmo_tasks.text.tag_schemes import spans_of
from tests.data.files import written

CONLLU = """# sent_id = 1
# text = I can't.
1\tI\tI\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""


def test_four_columns_with_document_marks(tmp_path: Path):
    file = written(
        tmp_path,
        "a.conll",
        "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n\n\nPeter NNP I-NP I-PER",
    )
    expected = [
        TaggedSentence(("EU", "rejects"), ("I-ORG", "O")),
        TaggedSentence(("Peter",), ("I-PER",)),
    ]
    assert read_tagged(file) == expected
    assert [sentence.line for sentence in read_tagged(file)] == [3, 7]
    assert read_tagged(file, tag_column=1)[0].tags == ("NNP", "VBZ")

    shorter_mark = written(tmp_path, "a.conll", "a x O\n-DOCSTART-\nb x O\n")
    assert [s.tokens for s in read_tagged(shorter_mark)] == [("a",), ("b",)]


def test_tabs_let_tokens_hold_spaces(tmp_path: Path):
    (sentence,) = read_tagged(written(tmp_path, "a.conll", "New York\tB-LOC\n2\u00a01/2\tO\n"))
    assert sentence == TaggedSentence(("New York", "2\u00a01/2"), ("B-LOC", "O"))


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (
            "a\n",
            {},
            (
                r"a\.conll, line 1: expected a token and a tag with a tab or space between them,"
                r" found 1 column: 'a'"
            ),
        ),
        ("a O\n\nb x O\n", {}, r"a\.conll, line 3: expected 2 columns as above, found 3: 'b x O'"),
        (
            "a O\nb\nc\n",
            {},
            r"(?s)a\.conll: 2 lines are wrong\n  line 2: expected 2 columns .* line 3",
        ),
        ("a\tO\nb\t \n", {}, r"line 2: expected a token and a tag, found an empty tag"),
        ("a\tO\n\u00a0\tO\n", {}, r"line 2: expected a token and a tag, found an empty token"),
        ("\n\n", {}, r"a\.conll: no sentence in this file"),
        (
            "a O\n",
            {"tag_column": 3},
            r"tag_column: expected the place of a column, counted from 0 .* found '3'",
        ),
        (
            "a O\n",
            {"token_column": 0, "tag_column": 0},
            r"token_column 0 and tag_column 0 are one and the same column",
        ),
        (
            "a O\n",
            {"tag_column": "ner"},
            r"tag_column: expected the place of a column, .* found 'ner'",
        ),
    ],
)
def test_wrong_columns(tmp_path: Path, text: str, arguments: dict[str, Any], message: str):
    with pytest.raises(DataError, match=message):
        read_tagged(written(tmp_path, "a.conll", text), **arguments)


def test_conllu(tmp_path: Path):
    file = written(tmp_path, "a.conllu", CONLLU)
    expected = TaggedSentence(("I", "ca", "n't", "."), ("PRON", "AUX", "PART", "PUNCT"))
    assert read_tagged(file, tag_column="upos") == read_tagged(file, tag_column=3) == [expected]
    assert read_tagged(file, tag_column=4) == read_tagged(file, tag_column="xpos")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (CONLLU, None, r"a\.conllu: set tag_column to the column of the tags: upos, xpos"),
        (
            CONLLU,
            "pos",
            r"tag_column: expected the place .* one of the names 'id', 'form', .* found 'pos'",
        ),
        (
            "1\tI\tPRON\n",
            "upos",
            r"line 1: expected the 10 tab-separated columns of CoNLL-U, found 3",
        ),
        (
            CONLLU.replace("1\tI", "x\tI"),
            "upos",
            r"line 3: expected a word number, a word and a tag, found",
        ),
    ],
)
def test_wrong_conllu(tmp_path: Path, text: str, column: str | None, message: str):
    with pytest.raises(DataError, match=message):
        read_tagged(written(tmp_path, "a.conllu", text), tag_column=column)


SPANS = [
    {
        "text": "Ada flew to New York-based Oslo Air.",
        "entities": [{"start": 12, "end": 20, "label": "PLACE"}],
    },
    {"text": "  It rained.", "entities": []},
    {"text": "Bo slept.", "entities": [{"start": 0, "end": 2, "label": "PER"}]},
]


@pytest.mark.parametrize("spelling", ["objects", "offsets", "triples", "with tokens"])
def test_texts_with_spans_of_characters(tmp_path: Path, spelling: str):
    rows: list[dict[str, Any]] = SPANS
    if spelling == "offsets":
        names = {"start": "start_offset", "end": "end_offset", "label": "type"}
        rows = [
            {
                "id": 3,
                "text": r["text"],
                "spans": [{names[k]: s[k] for k in s} for s in r["entities"]],
            }
            for r in SPANS
        ]
    elif spelling == "triples":
        rows = [
            {"text": row["text"], "label": [list(span.values()) for span in row["entities"]]}
            for row in SPANS
        ]
    elif spelling == "with tokens":
        rows = [
            {"tokens": [{"text": "Ada"}], "spans": row["entities"], "text": row["text"]}
            for row in SPANS
        ]
    found = read_tagged(written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows))))
    assert found[0].tokens == ("Ada", "flew", "to", "New", "York-based", "Oslo", "Air", ".")
    assert found[0].tags == ("O", "O", "O", "B-PLACE", "I-PLACE", "O", "O", "O")
    assert [(row.tokens, row.tags, row.widened) for row in found[1:]] == [
        (("It", "rained", "."), ("O", "O", "O"), 0),
        (("Bo", "slept", "."), ("B-PER", "O", "O"), 0),
    ]
    assert found[0].widened == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"spans": [[0, 99, "X"]]},
            r"line 1: expected spans such as .* within the 9 characters of the text, found \[0, 99",
        ),
        (
            {"spans": [{"start": 0, "end": 2}]},
            r"expected spans such as .* found {'start': 0, 'end': 2}",
        ),
        (
            {"spans": [[0, 2, "A"], [1, 2, "B"]]},
            r"two spans \(A and B\) share the word 'Bo'; a word has one tag here",
        ),
        ({"spans": [[2, 3, "A"]]}, r"the span 2 to 3 \(A\) holds no word of 'Bo slept\.'"),
        ({"spans": ["Bo"]}, "expected spans such as"),
        ({"spans": [], "text": " "}, "expected a text with words, found ' '"),
    ],
)
def test_wrong_spans(tmp_path: Path, row: dict[str, Any], message: str):
    with pytest.raises(DataError, match=message):
        read_tagged(written(tmp_path, "a.jsonl", json.dumps({"text": "Bo slept."} | row)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"tokens": ["a"], "tags": ["O", "O"]}',
            r"line 1: expected one tag per token, found 1 tokens and 2 tags",
        ),
        ('{"tokens": [], "tags": []}', "line 1: expected at least one token, found none"),
        ('{"tokens": 3, "tags": ["O", "O"]}', "line 1: tokens: expected a list of words, found 3"),
        (
            '{"tokens": "a b", "tags": ["O"]}',
            r"line 1: expected spans such as \{'start': 0, .* found 'O'",
        ),
        (
            '{"tokens": ["a"], "tags": [3]}',
            r"jsonl: tags: the tags are numbers \(3\): give the names of the numbers",
        ),
        (
            '{"tokens": ["a"], "tags": ["O"]}\n{"words": ["a"], "ner": ["O"]}',
            "line 2: .* the keys .* found 'words', 'ner': set",
        ),
        ("[1, 2]", r"line 1: expected one JSON object on the line, found '\[1, 2\]'"),
        ("{", r"line 1: expected one JSON object on the line, found '{' \("),
        (
            '{"tokens": ["a"], "tags": ["O"]}\n{"tokens": ["a"], "tags": true}',
            "line 2: tags: expected a list of tags",
        ),
    ],
)
def test_wrong_json_lines(tmp_path: Path, line: str, message: str):
    with pytest.raises(DataError, match=message):
        read_tagged(written(tmp_path, "a.jsonl", line))


def table() -> datasets.Dataset:
    tags = datasets.List(datasets.ClassLabel(names=["O", "B-PER"]))
    features = datasets.Features(
        {"tokens": datasets.List(datasets.Value("string")), "ner_tags": tags}
    )
    return datasets.Dataset.from_dict(
        {"tokens": [["Ann", "ran"], ["b"]], "ner_tags": [[1, 0], [0]]}, features=features
    )


def test_parquet_gives_classes_by_name(tmp_path: Path):
    file = tmp_path / "a.parquet"
    table().to_parquet(str(file))
    expected = [TaggedSentence(("Ann", "ran"), ("B-PER", "O")), TaggedSentence(("b",), ("O",))]
    assert read_tagged(file, tag_column="ner_tags") == expected
    assert read_tagged(file) == expected
    with pytest.raises(
        DataError, match=r"a\.parquet: no column 'tags'; it has 'tokens', 'ner_tags'"
    ):
        read_tagged(file, tag_column="tags")
    with pytest.raises(DataError, match="no column '1'; it has 'tokens', 'ner_tags'"):
        read_tagged(file, tag_column=1)
    with pytest.raises(DataError, match=r"b\.parquet: expected a parquet file"):
        read_tagged(written(tmp_path, "b.parquet", "no"))
    with pytest.raises(DataError, match="no such file"):
        read_tagged(tmp_path / "c.parquet")


def test_hub(monkeypatch: pytest.MonkeyPatch):
    def load_dataset(name: str, split: str) -> datasets.Dataset:
        if split == "train":
            return {"lhoestq/conll2003": table()}[name]
        raise ConnectionError("Couldn't reach it\nand more")

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    assert read_tagged_hub("conll2003", "train")[0].tags == ("B-PER", "O")
    message = (
        r"'lhoestq/conll2003' \(split 'test'\) cannot be read from .* hub: Couldn't reach it\."
        r" Without a network, .* or give"
    )
    with pytest.raises(DataError, match=f"{message} files instead of data.hub"):
        read_tagged_hub("conll2003", "test")


def read(tmp_path, text):
    return read_tagged(written(tmp_path, "a.marked", text))


def test_names_in_brackets(tmp_path):
    first, second = read(
        tmp_path, "[Mara Lind](PER) left [Lisbon](LOC).\n\n  Nobody (at all) asked [why].\n"
    )
    assert first.tokens == ("Mara", "Lind", "left", "Lisbon", ".")
    assert first.tags == ("B-PER", "I-PER", "O", "B-LOC", "O")
    assert (second.line, set(second.tags)) == (3, {"O"})


def test_a_tag_behind_every_word(tmp_path):
    (sentence,) = read(tmp_path, "and/or/CCONJ 3/4/NUM left/VERB ./PUNCT\n")
    assert sentence.tokens == ("and/or", "3/4", "left", ".")
    assert sentence.tags == ("CCONJ", "NUM", "VERB", "PUNCT")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (
            "[Mara](PER) left.\n[Lisbon](LOC is far.\n",
            r"line 2: expected names such as \[Ada Marsh\]\(PER\), found",
        ),
        (
            "Mara/PROPN left/VERB\nLisbon/PROPN is far/ADJ\n",
            "line 2: expected a tag behind every word.*found 'is'",
        ),
        ("\n\n", "no sentence"),
    ],
)
def test_malformed_sentences_are_named(tmp_path, text, match):
    with pytest.raises(DataError, match=match):
        read(tmp_path, text)


def test_written_sentences_are_read_back(tmp_path):
    text, spans = "Old  Mara Lind (of Lisbon) left.", [(19, 25, "LOC"), (5, 14, "PER")]
    line = marked_spans(text, spans)
    assert line == "Old [Mara Lind](PER) (of [Lisbon](LOC)) left."
    (sentence,) = read(tmp_path, line)
    found = [
        (span.type, sentence.tokens[span.start : span.end])
        for span in spans_of(sentence.tags, "BIO")
    ]
    assert found == [("PER", ("Mara", "Lind")), ("LOC", ("Lisbon",))]
    tokens, tags = ("Mara", "left", "/"), ("PROPN", "VERB", "SYM")
    (sentence,) = read(tmp_path, marked_words(tokens, tags))
    assert (sentence.tokens, sentence.tags) == (tokens, tags)
