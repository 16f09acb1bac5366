"""Tags and annotations in the spellings that people bring: read with the right types, or refused
with the way on."""

import json
from pathlib import Path

import pytest

from elmo_tasks.data.tag_files import read_tag_file
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.errors import DataError
from tests.data.files import written


def columns(*sentences: str) -> str:
    """Write sentences of ``word/tag`` pieces as lines with tabs."""
    lines = (
        piece.replace("/", "\t") for sentence in sentences for piece in (*sentence.split(), "")
    )
    return "\n".join(lines) + "\n"


def rows(*values: object) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


QUITO = ("Quito", "B-LOC")


@pytest.mark.parametrize(
    ("content", "tags", "remark"),
    [
        (
            columns("a/O back/B ache/I ./O", "It/O"),
            "O B-ENTITY I-ENTITY O",
            "all names are of one type, ENTITY",
        ),
        (columns("a/o back/b ache/i ./o"), "O B-ENTITY I-ENTITY O", "all names are of one type"),
        (
            columns("Ola/PER-B Lind/PER-I in/O Rome/LOC-B"),
            "B-PER I-PER O B-LOC",
            "'LOC-B' are read as 'B-LOC'",
        ),
        (columns("Ola/PER_b Lind/PER_i in/O Rome/LOC_b"), "B-PER I-PER O B-LOC", "are read as"),
        (
            columns("Ola/B-PER de/M-PER Lind/E-PER in/O Rome/S-LOC"),
            "B-PER I-PER E-PER O S-LOC",
            "'M-PER' are read as 'I-PER'",
        ),
        (
            columns("Ola/B-PER de/M-PER Lind/E-PER in/O Rome/W-LOC"),
            "B-PER I-PER E-PER O S-LOC",
            "are read as",
        ),
        (columns("Ola/I-PER Lind/E-PER Bo/E-PER ran/O"), "B-PER I-PER B-PER O", "(IOE)"),
        (columns("It/B-O rained/O in/O Rome/B-LOC"), "O O O B-LOC", "'B-O' are read as 'O'"),
        (columns("It/_ rained/_ in/_ Rome/B-LOC"), "O O O B-LOC", "'_' are read as 'O'"),
        (
            columns("Ola/(PER* Lind/*) in/* Rome/(LOC)"),
            "B-PER I-PER O B-LOC",
            "brackets such as '(PER*'",
        ),
        (
            "1\tOla\tB-PER\t-\tme\n2\tran\tO\n3\t.\tO\n\n1\tIt\tO\n",
            "B-PER O O",
            "not every line has them",
        ),
        (
            "Ola NNP B-PER B-ORG\nran VBD O O\nRome NNP B-LOC B-LOC\n",
            "B-PER O B-LOC",
            "COLUMNS 3 AND 4 BOTH HOLD TAGS",
        ),
        (
            "Ola NNP B-NP B-PER\nran VBD B-VP O\nRome NNP B-NP B-LOC\n",
            "B-PER O B-LOC",
            "column 4 is read",
        ),
        (
            columns("O/B-PER l/I-PER a/I-PER r/O a/O n/O i/O n/O R/B-LOC o/I-LOC m/I-LOC e/I-LOC"),
            None,
            "SINGLE LETTERS",
        ),
        (columns("Ola/B-PER_1 ran/O"), "B-PER_1 O", "types that end in a number: 'PER_1'"),
    ],
)
def test_tags_of_columns(tmp_path: Path, content: str, tags: str | None, remark: str) -> None:
    found = read_tag_file(written(tmp_path, "a.conll", content))
    assert tags is None or " ".join(found.sentences[0].tags) == tags
    assert remark in found.describe()


def test_conll_2012_has_words_and_names_in_their_columns(tmp_path: Path) -> None:
    lines = ["#begin document (x); part 000"]
    for k, (word, name, coref) in enumerate(
        [("Ola", "(PER*", "(1"), ("Lind", "*)", "1)"), ("ran", "*", "-"), ("home", "*", "-")]
    ):
        lines.append(f"x   0   {k}   {word}   NN   (TOP*   -   -   -   -   {name}   {coref}")
    found = read_tag_file(written(tmp_path, "a.conll", "\n".join(lines) + "\n\n#end document\n"))
    assert [(s.tokens, s.tags) for s in found.sentences] == [
        (("Ola", "Lind", "ran", "home"), ("B-PER", "I-PER", "O", "O"))
    ]


def test_names_of_the_column_misc(tmp_path: Path) -> None:
    lines = [("Ola", "NER=B-PER|SpaceAfter=No"), ("ran", "_"), ("home", "NER=O")]
    text = "".join(
        f"{k}\t{w}\t_\tX\t_\t_\t0\t_\t_\t{misc}\n" for k, (w, misc) in enumerate(lines, 1)
    )
    path = written(tmp_path, "a.conllu", text)
    for column in ("NER", "misc"):
        found = read_tag_file(path, tag_column=column)
        assert found.sentences[0].tags == ("B-PER", "O", "O")
    with pytest.raises(DataError, match="or the key 'NER' of the column misc"):
        read_tag_file(path)


LEFT = {"start": 0, "end": 3, "label": "PER"}
STUDIO = {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}


@pytest.mark.parametrize(
    ("name", "content", "names", "remark"),
    [
        (
            "a.json",
            json.dumps(
                [
                    {
                        "id": 1,
                        "data": {"text": "Ada left."},
                        "annotations": [{"result": [{"type": "labels", "value": STUDIO}]}],
                    },
                    {
                        "id": 2,
                        "data": {"text": "It rained."},
                        "annotations": [{"was_cancelled": False, "result": []}],
                    },
                    {
                        "id": 3,
                        "data": {"text": "Bo left."},
                        "annotations": [{"was_cancelled": True, "result": []}],
                    },
                    {"id": 4, "data": {"text": "Bo left."}, "annotations": []},
                ]
            ),
            ["PER", ""],
            "1 rows left out: not annotated",
        ),
        (
            "a.json",
            json.dumps(
                [{"text": "Ada left.", "id": 1, "label": [STUDIO]}, {"text": "It rained.", "id": 2}]
            ),
            ["PER", ""],
            "",
        ),
        (
            "a.jsonl",
            rows(
                {"text": "Ada left.", "label": [[0, 3, "PER"]]}, {"text": "It rained.", "label": []}
            ),
            ["PER", ""],
            "",
        ),
        (
            "a.jsonl",
            rows(
                {"id": 1, "text": "It rained.", "entities": [], "relations": []},
                {
                    "id": 2,
                    "text": "Ada left.",
                    "entities": [{"id": 9, "label": "PER", "start_offset": 0, "end_offset": 3}],
                },
            ),
            ["", "PER"],
            "",
        ),
        (
            "a.jsonl",
            rows(
                {
                    "text": "Ada left.",
                    "spans": [LEFT],
                    "answer": "accept",
                    "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0}],
                },
                {"text": "Bo left.", "spans": [{**LEFT, "end": 2}], "answer": "reject"},
                {"text": "It rained.", "answer": "ignore"},
                {"text": "It snowed.", "answer": "accept"},
            ),
            ["PER", ""],
            "1 rows left out: rejected by the annotator",
        ),
        (
            "a.json",
            json.dumps(
                [["Ada left.", {"entities": [[0, 3, "PER"]]}], ["It rained.", {"entities": []}]]
            ),
            ["PER", ""],
            "spaCy",
        ),
        (
            "a.json",
            json.dumps(
                {
                    "classes": ["PER"],
                    "annotations": [
                        ["Ada left.", {"entities": [[0, 3, "PER"]]}],
                        None,
                        ["It rained.", {"entities": []}],
                    ],
                }
            ),
            ["PER", ""],
            "NER Annotator",
        ),
        (
            "a.json",
            json.dumps(
                [
                    {
                        "id": 0,
                        "paragraphs": [
                            {
                                "raw": "Ada left.",
                                "sentences": [
                                    {
                                        "tokens": [
                                            {"orth": "Ada", "ner": "U-PER"},
                                            {"orth": "left", "ner": "O"},
                                            {"orth": ".", "ner": "O"},
                                        ]
                                    },
                                ],
                            }
                        ],
                    }
                ]
            ),
            ["PER"],
            "spaCy's training JSON",
        ),
        (
            "a.jsonl",
            rows({"text": "Ada left.", "spans": [LEFT]}, {"text": "It rained."}),
            ["PER", ""],
            "",
        ),
        (
            "a.jsonl",
            rows({"text": "It rained."}, {"text": "Ada left.", "spans": [LEFT]}),
            ["", "PER"],
            "",
        ),
        (
            "a.jsonl",
            rows({"text": "Ada left.", "spans": [[0, 3, "PER"], [4, 8, "O"]]}),
            ["PER"],
            "1 spans of the type O are not names",
        ),
    ],
)
def test_exports_of_annotation_tools(
    tmp_path: Path, name: str, content: str, names: list[str], remark: str
) -> None:
    found = read_tag_file(written(tmp_path, name, content))
    assert [" ".join(sorted({tag[2:] for tag in s.tags} - {""})) for s in found.sentences] == names
    assert remark in found.describe()


@pytest.mark.parametrize(
    ("unit", "start"), [("characters", 11), ("UTF-16 units", 13), ("bytes", 17)]
)
def test_offsets_of_other_units_are_converted_where_a_span_has_its_text(
    tmp_path: Path, unit: str, start: int
) -> None:
    text = "🎉🎉 Rain in Quito again."
    assert text[11:16] == "Quito"
    span = {"start": start, "end": start + 5, "label": "LOC", "text": "Quito"}
    found = read_tag_file(written(tmp_path, "a.jsonl", rows({"text": text, "spans": [span]})))
    assert QUITO in zip(found.sentences[0].tokens, found.sentences[0].tags, strict=True)
    assert found.sentences[0].tags.count("O") == len(found.sentences[0].tags) - 1
    assert (unit in found.describe()) == (unit != "characters")


BRAT = "T1\tPerson 0 3\tAda\n"
WEBANNO = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value\n\n\n#Text=Ada ran.\n1-1\t0-3\tAda\tPER\t\n"
)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.jsonl",
            rows(
                {
                    "text": "In Rome Ada met Bo.",
                    "spans": [{"start": 3, "end": 7, "label": "PER", "text": "Ada"}],
                }
            ),
            r"line 1: the span 3 to 7 \(PER\) is 'Rome' in the text, but its own text is 'Ada'",
        ),
        (
            "a.conll",
            columns("Ada/PER left/0 Rome/LOC ./O"),
            "1 words have the tag '0', .* is it the letter O",
        ),
        ("a.conll", columns("Ada/B-PER left/0 Rome/B-LOC ./O"), "is it the letter O"),
        ("a.tsv", WEBANNO, "found WebAnno TSV; export the document as CoNLL 2002"),
        ("a.ann", BRAT, "found brat standoff.* anntoconll.py"),
        ("a.xml", "<?xml version='1.0'?>\n<doc><w>Ada</w></doc>\n", "found XML or HTML"),
        (
            "a.csv",
            "id,tokens,ner_tags\n0,['Ada' 'ran'],[1 0]\n1,['It' 'did'],[0 0]\n",
            "found lists as text in the column 'tokens'.*Parquet",
        ),
        (
            "a.jsonl",
            rows({"tokens": ["Ada", "ran"], "ner_tags": [1, 0]}),
            r"ner_tags: the tags are numbers \(1, 0\): give the names",
        ),
        (
            "a.jsonl",
            rows({"text": "Ada ran.", "spans": [{"start": 0, "end": 3, "labels": ["PER", "ORG"]}]}),
            "found several",
        ),
    ],
)
def test_rows_without_tagged_sentences_are_refused(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_tag_file(written(tmp_path, name, content))


def test_the_advice_for_numbers_helps(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", rows({"tokens": ["Ada", "ran"], "ner_tags": [1, 0]}))
    assert read_tag_file(path, tag_names=["O", "B-PER"]).sentences[0].tags == ("B-PER", "O")
    with pytest.raises(DataError, match="the tag 1 has no name; tag_names has 1"):
        read_tag_file(path, tag_names=["O"])
    assert (
        read_tag_file(written(tmp_path, "b.conll", "Ada 1\nran 0\n"), tag_names=["O", "B-PER"])
        .sentences[0]
        .tags[0]
        == "B-PER"
    )


def test_types_are_renamed_and_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, "a.conll", columns("Ada/B-PERSON met/O Bo/B-PER on/O Monday/B-DATE"))
    data = TaggingData(str(path), type_names={"PERSON": "PER", "DATE": None})
    data.setup("fit")
    assert data.labels == ("O", "B-PER", "I-PER")
    assert "Words in names by type: PER 2." in data.describe()


def test_types_unknown_to_training_count_as_missed(tmp_path: Path) -> None:
    train = written(tmp_path, "train.conll", columns("We/B-NP sat/B-VP", "It/B-NP rained/B-VP"))
    held = written(tmp_path, "held.conll", columns("Sit/B-VP down/B-PRT"))
    data = TaggingData(str(train), validation=str(held))
    data.setup("fit")
    assert data.gold("validation", [0]) == [("B-VP", "B-PRT")]
    assert (
        "the training data lack the type 'PRT', whose entities count as missed" in data.describe()
    )
    alone = TaggingData(
        str(train), validation=str(written(tmp_path, "other.conll", columns("down/B-PRT")))
    )
    with pytest.raises(DataError, match="'PRT': no such entity type in the training data"):
        alone.setup("fit")
