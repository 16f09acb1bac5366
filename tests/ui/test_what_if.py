import csv
import io
from dataclasses import replace

import gradio as gr
import pytest

from elmo_tasks.api import RespelledLayer, Respelling
from elmo_tasks.ui import what_if_tab
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE

QUERY = "word=bank&s=bank+one.&s=bank+two."


def respelling(low=0.7, high=0.9, sentences=("The [bankk] closed.",), spelling="bankk", word="bank"):
    layers = tuple(
        RespelledLayer(name, (value,) * len(sentences), 0.1)
        for name, value in (("0", low), ("1", low), ("2", high), ("mean", 0.8))
    )
    return Respelling(word, spelling, "m", sentences, layers)


def test_the_mixer_gets_the_comparison_that_is_shown(service):
    value, markup = what_if_tab.respond(service, {"action": "products", "query": QUERY, "revision": 2})
    assert (value["word"], value["revision"], value["layers"]) == ("bank", 2, ["0", "1", "2"])
    assert [use["sentence"] for use in value["uses"]] == ["bank one.", "bank two."]
    assert [len(value["products"]), len(value["products"][0]), len(value["products"][0][0])] == [3, 3, 2]
    assert markup == gr.skip()


def test_heads_with_as_many_layers_are_offered(service):
    value, _ = what_if_tab.respond(service, {"action": "products"})
    titles = [head["title"] for head in value["heads"]]
    assert "Names in the news (fake)" in titles or len(titles) == 3
    assert all(len(head["weights"]) == 3 for head in value["heads"])


def test_without_a_comparison_the_first_example_is_used(service):
    value, _ = what_if_tab.respond(service, {"action": "products", "query": "__theme=dark"})
    assert value["word"] == "bank"
    assert len(value["uses"]) >= 2


def test_a_spelling_is_answered_and_refused_in_place(service):
    _, markup = what_if_tab.respond(service, {"action": "respell", "query": QUERY, "spelling": "bankk"})
    assert "bankk" in markup
    _, refused = what_if_tab.respond(service, {"action": "respell", "query": QUERY, "spelling": "two words"})
    assert "Type one word" in refused


def test_a_link_with_too_much_is_refused(service):
    value, markup = what_if_tab.respond(service, {"action": "products", "query": "word=a" + "&s=b" * 13})
    assert "13 sentences" in value["note"]
    assert markup == gr.skip()


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.9, 0.8, ["closer than these: that is what", "it is no closer: there the sentence counts"]),
        (0.9, 0.95, ["closer than these: that is what", "still closer by 0.15"]),
        (0.1, 0.8, ["By its letters the new spelling is no closer", "it is no closer: there"]),
    ],
)
def test_unrelated_words_in_its_place_are_the_measuring_stick(low, high, said):
    found = respelling(low, high)
    layers = [replace(layer, unrelated_cosine=0.1 if layer.name == "0" else 0.8) for layer in found.layers]
    reasons = what_if_tab.reasons(replace(found, layers=tuple(layers), unrelated=("garden", "seven")))
    assert "(“garden” and “seven”) keep 0.10 by their letters and 0.80 at layer 2" in reasons
    assert all(part in reasons for part in said)


def test_what_reads_no_letters_is_not_said_to():
    found = respelling(0.9, 0.95)
    layers = tuple(replace(layer, sees="the word's pieces and their places") for layer in found.layers[:1])
    found = replace(found, layers=layers + found.layers[1:], unrelated=("garden", "seven"))
    assert what_if_tab.headline(found).startswith("By its word pieces alone “bankk” keeps a cosine of 0.90")
    assert "By its word pieces the new spelling is closer than these. At layer 2" in what_if_tab.reasons(found)
    assert "Word pieces only" in what_if_tab.page(found)


def test_the_same_word_is_said_to_be_the_same():
    same = Respelling("bank", "bank", "m", ("x",), (RespelledLayer("0", (1.0,), 0.1), RespelledLayer("1", (1.0,), 0.1)))
    assert what_if_tab.headline(same) == "To the model “bank” and “bank” are the same."
    assert what_if_tab.reasons(same) == ""


def test_nothing_typed_is_markup():
    hostile = respelling(sentences=(f"{HOSTILE} [{HOSTILE}]",), spelling=HOSTILE, word=HOSTILE)
    shown = parsed(what_if_tab.page(hostile) + what_if_tab.nothing(HOSTILE))
    assert not shown.seen & {"img", "script"}
    assert "onerror" not in shown.attributes


def test_the_spreadsheet_has_a_row_per_layer_and_sentence():
    rows = list(
        csv.DictReader(io.StringIO(what_if_tab.csv_text(respelling(sentences=("=a [b]", "c"), spelling="=cmd"))))
    )
    assert len(rows) == 8
    assert rows[0]["sentence"] == "'=a [b]"
    assert rows[0]["spelling"] == "'=cmd"


@pytest.mark.parametrize("before", ["one [ of", "one ] of"])
def test_brackets_without_a_partner_stay_what_they_are(before):
    shown = what_if_tab.page(respelling(sentences=(f"{before} the [bankk] closed",)))
    assert f"{before} the bankk closed" in parsed(shown).text
    assert "bankk" in parsed(shown).marked
