"""docs/clinical.md shows what the shipped models find: every row of its tables is checked."""

import re
from pathlib import Path

import pytest

from elmo_tasks import load_head
from elmo_tasks.api import Certainty, Comparison
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.files import read_json
from elmo_tasks.service.session import Session
from elmo_tasks.ui.compare_form import EXAMPLES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "clinical.md").read_text(encoding="utf-8")
FOUND = re.findall(r"^\| ([A-Z][^|]*\.) \| ([^|]*)\|$", PAGE, re.MULTILINE)
OFFERED = re.findall(r"^\| (\w+) \| ([a-z]+) \| ([a-z]+) \|$", PAGE, re.MULTILINE)
OTHERS = re.findall(r"^\| (\w+) \| ([A-Z][^|/]*\.) / ([^|/]*\.) \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


@pytest.fixture(scope="module")
def head():
    return load_head("ner-bc5cdr")


def keys(found: Comparison) -> list[str | None]:
    return [use.meaning and use.meaning.key for use in found.uses]


def test_the_tables_are_read():
    assert (len(FOUND), len(OTHERS)) == (9, 3)
    assert [word for word, *_ in OFFERED] == ["discharge", "culture", "shock", "cold"]


@pytest.mark.parametrize(("sentence", "expected"), FOUND)
def test_the_head_finds_what_the_page_shows(head, sentence, expected):
    (found,) = head.predict([sentence])
    assert "; ".join(f"{span.text}: {span.type}" for span in found.spans) == expected.strip()


@pytest.mark.parametrize(("word", "odd", "even"), OFFERED)
def test_compare_finds_the_meanings_of_its_examples(session, word, odd, even):
    (example,) = (e for e in EXAMPLES if e.title == word)
    found = session.compare(word, example.sentences)
    assert keys(found) == [odd, even, odd, even]
    assert found.certainty is Certainty.CONFIDENT


@pytest.mark.parametrize(("word", "first", "second"), OTHERS)
def test_compare_finds_the_meanings_of_the_other_sentences(session, word, first, second):
    (expected,) = ([odd, even] for of, odd, even in OFFERED if of == word)
    assert keys(session.compare(word, [first, second])) == expected


def test_the_scores_are_those_on_the_card():
    scores = read_json(CHECKPOINTS / "ner-bc5cdr" / "card.json")["scores"]["test"]
    (row,) = re.findall(r"^\| `ner-bc5cdr` \| (.*) \|$", PAGE, re.MULTILINE)
    shown = [cell.strip(" *") for cell in row.split("|")]
    assert shown == [f"{100 * scores[key]:.2f}" for key in ("f1", "f1/Chemical", "f1/Disease")]
    assert f"| each word's commonest tag | {100 * scores['guess']['word f1']:.2f} |" in PAGE
