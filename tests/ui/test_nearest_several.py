"""The Nearest uses tab by several models: a column each, and one for the vectors of words alone."""

import csv
import io

import pytest

from elmo_tasks.errors import InputError
from elmo_tasks.ui import nearest_tab
from elmo_tasks.ui.nearest_tab import EXAMPLES, respond
from tests.ui.reader import parsed

RIVER = "Reeds grew on the bank of the stream."


def ask(service, word="bank", sentence=RIVER, models=("fake-small", "fake-large")):
    return respond(service, word, sentence, "all", None, None, models)


def test_every_model_has_a_column_and_words_alone_one_more(service):
    page, _ = ask(service)
    seen = parsed(page)
    assert [label for label in seen.labels if label.startswith("fake-")] == ["fake-small", "fake-words"]
    assert "bank" in seen.marked
    assert seen.text.index("fake-words") < seen.text.index("lender")  # what does not read the sentence
    assert "model=fake-small&amp;model=fake-large" in page


def test_where_the_meaning_is_known_it_is_counted(service):
    _, word, sentence = EXAMPLES[0]
    assert word == "bank"
    page, _ = ask(service, word, sentence)
    assert "In this meaning are 4 of 7 by “fake-small”." in page
    assert "money" in parsed(page).text
    unknown, _ = ask(service)
    assert "In this meaning" not in unknown
    assert "The nearest to this “bank”, side by side" in unknown


def test_one_model_answers_as_before_and_says_its_layers(service):
    page, answer = ask(service, models=("fake-small",))
    assert answer.layers == ("meanings", "0", "1", "2", "mean")
    assert "In this sentence" in page
    assert "One vector a word (fake-words)" in page


def test_more_than_three_models_are_refused(service):
    with pytest.raises(InputError, match="At most 3 models stand side by side, not 4"):
        ask(service, models="abcd")


@pytest.mark.parametrize("word", ["bank", "shore"])
def test_the_spreadsheet_has_all_columns(service, word):
    sentence = RIVER.replace("bank", word)
    found = [service.nearest(word, sentence, model=model) for model in ("fake-small", "fake-large")]
    rows = list(csv.DictReader(io.StringIO(nearest_tab.csv_of_several(found[:1], found[1:]))))
    assert len(rows) == 8 + (2 if word == "bank" else 0)
    assert {row["model"] for row in rows} == {"fake-small"} | ({"fake-words"} if word == "bank" else set())
