"""Files in the formats of users are read correctly, or refused with a sentence that names the
remedy."""

import json
from pathlib import Path

import pytest

from elmo_tasks.data.labelled_texts import read_labelled, read_labelled_table
from elmo_tasks.data.language_batches import read_sentences
from elmo_tasks.data.records import mapped_labels
from elmo_tasks.data.tables import TextColumns, find_columns, read_table, texts_of
from elmo_tasks.data.tag_files import read_tag_file, read_tagged
from elmo_tasks.data.tag_spelling import with_prefixes
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.use_sources import sentences_of
from tests.corpus.sentences import sentences_in
from tests.data.files import written

FILMS = [
    ("a dull and empty film", "negative"),
    ("I loved every minute", "positive"),
    ("a bore", "negative"),
] * 4
BANKS = ["The bank is here.", "The river bank is wet."]
NEWS = [
    (("Ines", "Lind", "flew"), ("B-PER", "I-PER", "O")),
    (("In", "Kyoto", "again", "."), ("O", "B-LOC", "O", "O")),
] * 5


def rows(pattern: str = "{},{}\n", films: list[tuple[str, str]] = FILMS) -> str:
    return "".join(pattern.format(*film) for film in films)


def films(path: Path) -> list[tuple[str, str]]:
    return [(row.text, row.label) for row in read_labelled(path)]


AIRLINES = "tweet_id,airline_sentiment,airline_sentiment_gold,airline,name,text\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cr.csv", ("text,label\n" + rows()).replace("\n", "\r")),
        ("cr_in_the_first_row.csv", "text,label\r" + rows()),
        ("crlf.csv", ("text,label\n" + rows()).replace("\n", "\r\n")),
        ("empty_rows.csv", "text,label\n" + rows() + ",\n,\n,\n"),
        ("empty_columns.csv", "text,label,,\n" + rows("{},{},,\n") + ",,,\n"),
        ("array.json", json.dumps([{"text": text, "label": label} for text, label in FILMS])),
        (
            "pretty.json",
            json.dumps([{"text": text, "label": label} for text, label in FILMS], indent=2),
        ),
        (
            "by_columns.json",
            json.dumps(
                {"text": [text for text, _ in FILMS], "label": [label for _, label in FILMS]}
            ),
        ),
        (
            "wrapped.json",
            json.dumps(
                {"version": 1, "data": [{"text": text, "label": label} for text, label in FILMS]}
            ),
        ),
        (
            "lines.json",
            "".join(
                json.dumps({"id": k, "review": t, "sentiment": s}) + "\n"
                for k, (t, s) in enumerate(FILMS)
            ),
        ),
        ("plain.csv", "text,label\n" + rows()),
        ("sep.csv", "sep=;\ntext;label\n" + rows("{};{}\n")),
        ("semicolons.csv", "text;label\n" + rows("{};{}\n")),
        ("bars.csv", "text|label\n" + rows("{}|{}\n")),
        ("tabs.csv", "text\tlabel\n" + rows("{}\t{}\n")),
        ("tabs.txt", rows("{}\t{}\n")),
        ("named.txt", "label,review\n" + rows("{1},{0}\n")),
        ("spaces.csv", "text, label\n" + rows('"{}", {}\n')),
        ("quoted.tsv", "text\tlabel\n" + rows('"{}"\t"{}"\n')),
        ("utf16.tsv", ("text\tlabel\n" + rows("{}\t{}\n")).encode("utf-16")),
        ("bom.csv", b"\xef\xbb\xbf" + ("text,label\n" + rows()).encode()),
        (
            "numbers_first.csv",
            ",text,label\n" + "".join(f"{k},{t},{s}\n" for k, (t, s) in enumerate(FILMS)),
        ),
        ("no_names.csv", rows()),
        ("label_first.tsv", rows("{1}\t{0}\n")),
        (
            "airlines.csv",
            AIRLINES + "".join(f"{k},{s},,Delta,al,{t}\n" for k, (t, s) in enumerate(FILMS)),
        ),
        (
            "ids.csv",
            "uid,phrase,mood\n" + "".join(f"{k:032x},{t},{s}\n" for k, (t, s) in enumerate(FILMS)),
        ),
    ],
)
def test_labelled_texts_are_read_right(tmp_path: Path, name: str, content: str | bytes) -> None:
    assert films(written(tmp_path, name, content)) == FILMS


def test_a_headerless_semicolon_file_whose_first_text_has_two_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", rows('"{}\nand more, too";{}\n'))
    read, found = read_labelled_table(path)
    assert [(row.text, row.label) for row in read] == [
        (f"{text}\nand more, too", label) for text, label in FILMS
    ]
    assert [row.line for row in read[:2]] == [1, 3]
    described = (
        "texts from “column 1”, labels from “column 2”, there is no line of names; semicolons"
        " between columns"
    )
    assert found is not None
    assert found.describe() == described


def test_quotes_enclose_texts_of_any_length_as_excel_and_pandas_write_them(tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.tsv", 'text\tlabel\n"She said ""no"""\tneg\n"two\nlines"\tpos\nplain\tneg\n'
    )
    assert films(path) == [('She said "no"', "neg"), ("two\nlines", "pos"), ("plain", "neg")]
    literal = written(tmp_path, "b.tsv", 'text\tlabel\n"Great" film\tpos\n"Bad"\tneg\n')
    assert films(literal) == [('"Great" film', "pos"), ('"Bad"', "neg")]
    backslash = written(
        tmp_path, "a.csv", 'text,label\n"She said \\"no\\", twice",neg\nplain,pos\n'
    )
    assert films(backslash) == [('She said "no", twice', "neg"), ("plain", "pos")]
    long = "word " * 40_000
    assert films(written(tmp_path, "a.csv", f'text,label\n"{long}",pos\nshort,neg\n'))[0] == (
        long.strip(),
        "pos",
    )


def test_latin_1_is_read_and_reported(tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.csv", "text,label\nein größeres Café,pos\nnein,neg\n".encode("latin-1")
    )
    read, found = read_labelled_table(path)
    assert read[0].text == "ein größeres Café"
    assert found is not None
    assert "encoding cp1252" in found.describe()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.csv",
            "text,label\nI loved it, really,pos\nbad,neg\n",
            r"line 2: expected 2 columns .* A text with commas in it needs",
        ),
        (
            "a.csv",
            'text,label\n"never closed,pos\nbad,neg\n',
            r"line 2: expected fields with commas between .* must close it",
        ),
        (
            "a.csv",
            "id,label\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(30)),
            "are numbers alone",
        ),
        ("a.json", '{"text": "a", "label": ', r"line 1: expected one JSON object"),
        ("a.xlsx", b"PK no sheet", r"a\.xlsx: "),
    ],
)
def test_unreadable_tables_are_refused(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_labelled(written(tmp_path, name, content))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "label,review\npos,The bank is here.\nneg,The river bank is wet.\n"),
        ("a.csv", "id,body\n1,The bank is here.\n2,The river bank is wet.\n"),
        ("a.jsonl", '{"text":"The bank is here."}\n{"text":"The river bank is wet."}\n'),
        ("a.csv", "text;label\nThe bank is here.;pos\nThe river bank is wet.;neg\n"),
        ("a.tsv", "id\ttext\nx1\tThe bank is here.\nx2\tThe river bank is wet.\n"),
        ("a.json", '["The bank is here.", "The river bank is wet."]'),
        ("a.txt", "The bank is here.\nThe river bank is wet.\n"),
        ("a.txt", '{"text":"The bank is here."}\n{"text":"The river bank is wet."}\n'),
        ("a.csv", 'text\n"The bank is here."\n"The river bank is wet."\n'),
        ("a.csv", "The bank is here.,1\nThe river bank is wet.,2\n"),
        ("a.csv", "sep=\t\ntext\tlabel\nThe bank is here.\tpos\nThe river bank is wet.\tneg\n"),
        ("a.txt", "The bank is here.\rThe river bank is wet.\r"),
        ("a.txt", "text\tlabel\nThe bank is here.\tpos\nThe river bank is wet.\tneg\n"),
    ],
)
def test_the_texts_of_any_table_are_indexed_and_mapped(
    tmp_path: Path, name: str, content: str
) -> None:
    assert sentences_in(written(tmp_path, name, content)) == BANKS
    assert sentences_of(content, name)[0] == BANKS
    if name == "a.txt":
        assert sentences_of(content)[0] == BANKS


def test_commas_in_unquoted_texts_are_text(tmp_path: Path) -> None:
    lines = ["The bank is here, and the bank is open.", "The river, then the bank."]
    for content in ("text\n" + "\n".join(lines), "\n".join(lines)):
        assert sentences_in(written(tmp_path, "a.csv", content)) == lines
        assert sentences_of(content, "a.csv")[0] == lines


def test_the_columns_and_the_delimiter_are_described(tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.csv", "label;review\npos;The bank is here.\nneg;The river bank is wet.\n"
    )
    reports: list[str] = []
    sentences_in(path, report=reports.append)
    assert reports == [
        f"{path}: texts from “review”, named by the first line; semicolons between columns"
    ]
    table = read_table(path)
    columns = find_columns(table, TextColumns("label"), labelled=False)
    assert [text for _, text in texts_of(table, columns)] == ["pos", "neg"]
    with pytest.raises(DataError, match="found 'nothing'; there are 2 columns: 'label', 'review'"):
        sentences_in(path, "nothing")
    with pytest.raises(InputError, match="line 3: expected 2 columns"):
        sentences_of("id,text\n1,fine\n2,not, fine\n", "a.csv")


def tagged(pattern: str, between: str = "\n", first: str = "") -> str:
    sentences = []
    for k, (tokens, tags) in enumerate(NEWS):
        lines = ""
        for n, (word, tag) in enumerate(zip(tokens, tags, strict=True), start=1):
            kaggle = f"Sentence: {k + 1}" if n == 1 else ""
            lines += pattern.format(
                word=word, tag=tag, type=tag[2:] or "O", n=n, zero=n - 1, s=k, kaggle=kaggle
            )
        sentences.append(between + lines + "\n" if between.startswith("#") else lines)
    return first + ("" if between.startswith("#") else between).join(sentences)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.conll", tagged("{word} _ _ {tag}\n", "# id s0 domain=en\n")),
        ("a.conll", tagged("{word}\t{tag}\n", "#text = Ines flew\n")),
        ("a.conll", tagged("{n} {word} X {tag}\n")),
        ("a.conll", tagged("{zero}\t{word}\t{tag}\n")),
        ("a.conll", tagged("s{s}-w{n}\t{word}\t{tag}\n")),
        ("a.conll", tagged("{s}\t{word}\t{tag}\n")),
        ("a.tsv", tagged("{word}\t{tag}\n", "\n", "word\ttag\n")),
        ("a.tsv", tagged("{word}\t{tag}\n", "\n", "form\tner\n\n")),
        ("a.csv", tagged("{kaggle},{word},NNP,{tag}\n", "", "Sentence #,Word,POS,Tag\n")),
        ("a.csv", tagged("{s},{word},{tag}\n", "", "sentence_id,words,labels\n")),
        ("a.csv", tagged("{word};{tag}\n", "\n", "token;tag\n")),
        ("a.conll", tagged("{n}\t{word}\t{tag}\n", "")),
        ("a.tsv", tagged("{n}\t{word}\t{tag}\tO\n", "#\thttp://x.org [2009-10-17]\n")),
        ("a.conll", tagged("{word} {tag} 0.98\n")),
        ("a.conll", tagged("{word}\t{tag}\t\n")),
        ("a.conll", tagged("{tag}\t{word}\n")),
        ("a.conll", tagged("{word} {tag}\n").replace("\n", "\r\n")),
        (
            "a.conll",
            tagged("{word} {tag}\n").replace("B-", "b-").replace("I-", "i-").replace(" O", " o"),
        ),
        ("a.conll", tagged("{word} {tag}\n").replace("B-", "B_").replace("I-", "I_")),
        ("a.conll", tagged("{word} {tag}\n").encode("utf-16")),
        ("a.json", json.dumps([{"tokens": tokens, "tags": tags} for tokens, tags in NEWS])),
        (
            "a.json",
            json.dumps(
                [{"id": k, "words": w, "ner_tags": t} for k, (w, t) in enumerate(NEWS)], indent=1
            ),
        ),
        ("a.json", json.dumps({"tokens": [w for w, _ in NEWS], "tags": [t for _, t in NEWS]})),
        (
            "a.json",
            json.dumps([[list(pair) for pair in zip(*sentence, strict=True)] for sentence in NEWS]),
        ),
        ("a.jsonl", "".join(json.dumps({"text": " ".join(w), "tags": t}) + "\n" for w, t in NEWS)),
        ("a.txt", "".join(json.dumps({"tokens": w, "tags": t}) + "\n" for w, t in NEWS)),
    ],
)
def test_tagged_words_are_read_right(tmp_path: Path, name: str, content: str | bytes) -> None:
    assert [(row.tokens, row.tags) for row in read_tagged(written(tmp_path, name, content))] == NEWS


def test_parts_of_speech_below_a_header(tmp_path: Path) -> None:
    found = read_tag_file(
        written(tmp_path, "a.tsv", "form\tupos\nInes\tPROPN\nflew\tVERB\n\nOslo\tPROPN\n")
    )
    assert [row.tokens for row in found.sentences] == [("Ines", "flew"), ("Oslo",)]
    assert [row.tags for row in found.sentences] == [("PROPN", "VERB"), ("PROPN",)]
    assert found.describe() == "words from “form”, tags from “upos”; named by the first line"


def test_types_without_prefix_are_names(tmp_path: Path) -> None:
    read = read_tagged(written(tmp_path, "a.conll", tagged("{word}\t{type}\n")))
    assert [row.tags for row in with_prefixes(read) or []] == [tags for _, tags in NEWS]
    assert (
        with_prefixes(read_tagged(written(tmp_path, "b.conll", "Ines NOUN\nflew VERB\n"))) is None
    )


def test_names_inside_names_are_left_out(tmp_path: Path) -> None:
    content = (
        "1\tUni\tB-ORG\tO\n2\tOslo\tI-ORG\tB-LOC\n3\tis\tO\tO\n\n1\tOslo\tB-LOC\tO\n2\t.\tO\tO\n"
    )
    found = read_tag_file(written(tmp_path, "a.tsv", content))
    assert [row.tags for row in found.sentences] == [("B-ORG", "I-ORG", "O"), ("B-LOC", "O")]
    assert "column 4 has names inside names and is left out" in found.describe()


def test_a_hash_may_be_a_word_and_a_no_break_space_part_of_one(tmp_path: Path) -> None:
    path = written(tmp_path, "b.conll", "Kyoto B-LOC\n1\u00a0000 O\n")
    assert read_tagged(path)[0].tokens == ("Kyoto", "1\u00a0000")
    path = written(tmp_path, "a.conll", "# O\nInes B-PER\n\n#tag O\nran O\n\n# a comment\nIt O\n")
    assert [row.tokens for row in read_tagged(path)] == [("#", "Ines"), ("#tag", "ran"), ("It",)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.conll",
            "".join(f"{k} {tag}\n" for k, tag in enumerate(["B-PER", "O"] * 6)),
            "the words .* are numbers alone",
        ),
        (
            "a.csv",
            "text,label\n" + rows(),
            "expected one word and its tag on each line, found texts of several words",
        ),
        ("a.conll", "# only\n# comments\n", "no sentence in this file"),
        (
            "a.conll",
            "Ines B-PER\n" * 5_001,
            "expected an empty line after each sentence, found none in 5,001 lines",
        ),
        (
            "a.json",
            '[{"tokens": ["a"], "tags": [3]}]',
            r"tags: the tags are numbers \(3\): give the names of the numbers",
        ),
    ],
)
def test_impossible_tag_files_are_refused(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_tagged(written(tmp_path, name, content))


def test_labels_are_matched_or_named() -> None:
    own = ("negative", "positive")
    assert mapped_labels(["positive"], own, None, None, "f") == {
        "negative": "negative",
        "positive": "positive",
    }
    assert mapped_labels(["0", "1"], own, "0=negative, 1=positive", None, "f")["1"] == "positive"
    with pytest.raises(DataError, match="such as --labels 0=negative,1=positive"):
        mapped_labels(["0", "1"], own, "0=negative", None, "f")
    stored = {0: "negative", 1: "negative", 2: None, 3: "positive", 4: "positive"}
    assert mapped_labels(["0", "2", "4"], own, None, stored, "f")["2"] is None  # type: ignore[arg-type]
    # All rows would count as one class: this is another scale.
    with pytest.raises(
        DataError,
        match=r"f: '0', '1': the head has no such label; .* --labels 0=negative,1=positive",
    ):
        mapped_labels(["0", "1"], own, None, stored, "f")  # type: ignore[arg-type]
    with pytest.raises(
        DataError, match="--labels: '0=good': expected LABEL=NAME, .* one of 'negative', 'positive'"
    ):
        mapped_labels(["0"], own, "0=good", None, "f")


def test_marks_of_sentences_in_a_corpus_are_text(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", "The </S> is here .\n<S>\n")
    assert list(read_sentences([path])) == [
        ["The", "<", "/S", ">", "is", "here", "."],
        ["<", "S", ">"],
    ]
