"""docs/clinical.md says what the shipped models show: every row of its tables is asked."""

import re
from pathlib import Path

import pytest

from elmo_tasks import load_head
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.files import read_json
from elmo_tasks.serving.session import Session
from elmo_tasks.ui.examples import EXAMPLES, Outcome, outcome

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "clinical.md").read_text(encoding="utf-8")
FOUND = re.findall(r"^\| ([A-Z][^|]*\.) \| ([^|]*)\|$", PAGE, re.MULTILINE)
OFFERED = re.findall(r"^\| (\w+) \| ([^|]*sure\)) \| ([^|]*) \| right \|$", PAGE, re.MULTILINE)
OTHERS = re.findall(r"^\| (\w+) \| ([^|]*) / ([^|]*) / ([^|]*) / ([^|]*) \| ([a-z ]+): ([^|]*) \|$", PAGE, re.MULTILINE)
#: The page's word for how sure an answer is.
VOICES = {"named": "named, rightly", "leaning": "a leaning", "silent": "cannot tell"}
OUTCOMES = {
    "right": (Outcome.RIGHT,),
    "wrong": (Outcome.WRONG,),
    "right if several": (Outcome.IF_SEVERAL,),
    "a leaning": (Outcome.LEANS_RIGHT,),
    "a wrong leaning": (Outcome.LEANS_WRONG,),
}


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


@pytest.fixture(scope="module")
def head():
    return load_head("ner-bc5cdr")


def test_the_tables_are_read():
    assert (len(FOUND), len(OTHERS)) == (12, 5)
    assert [word for word, *_ in OFFERED] == ["discharge", "culture", "shock", "cold"]


@pytest.mark.parametrize(("sentence", "expected"), FOUND)
def test_the_head_finds_what_the_page_says(head, sentence, expected):
    (found,) = head.predict([sentence])
    assert "; ".join(f"{span.text}: {span.type}" for span in found.spans) == expected.strip()


@pytest.mark.parametrize(("word", "said", "of_two"), OFFERED)
def test_compare_says_of_its_examples_what_the_page_says(session, word, said, of_two):
    (example,) = (one for one in EXAMPLES if one.title == word)
    found = session.compare(word, example.sentences)
    assert found.verdict.replace("\u00a0", " ").startswith(said)
    assert outcome(found, example.meant) is Outcome.RIGHT
    assert VOICES[session.compare(word, example.sentences[:2]).voice] == of_two


@pytest.mark.parametrize(("word", "one", "two", "three", "four", "how", "said"), OTHERS)
def test_compare_says_of_the_others_what_the_page_says(session, word, one, two, three, four, how, said):
    found = session.compare(word, [one, two, three, four])
    assert found.verdict.startswith(said)
    assert outcome(found, "abab") in OUTCOMES[how]
    assert found.groups_if_several == (((0, 2), (1, 3)) if how == "right if several" else ())


@pytest.mark.parametrize("name", ["ner-bc5cdr", "ner-bc5cdr-layer0"])
def test_the_scores_are_those_on_the_cards(name):
    scores = read_json(CHECKPOINTS / name / "card.json")["scores"]["test"]
    (row,) = re.findall(rf"^\| `{name}` \| (.*) \|$", PAGE, re.MULTILINE)
    shown = [cell.strip(" *") for cell in row.split("|")]
    assert shown == [f"{100 * scores[key]:.2f}" for key in ("f1", "f1/Chemical", "f1/Disease")]
    assert f"| each word's commonest tag | {100 * scores['guess']['word f1']:.2f} |" in PAGE
