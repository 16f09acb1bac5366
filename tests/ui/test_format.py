import csv
import io
from dataclasses import replace

import pytest

from elmo_tasks.errors import Choice
from elmo_tasks.text.uses import Mention
from elmo_tasks.ui import compare_answer, compare_form
from elmo_tasks.ui.compare_form import EXAMPLES
from elmo_tasks.ui.downloads import csv_cell, csv_file
from tests.ui.fake_service import unjudged

SENTENCES = ("The bank refused our loan.", "The river bank was muddy.", "My cash is at the bank.")


def test_form_drops_empty_boxes_and_joins_lines():
    form = compare_form.form_from(
        {"word": " bank ", "sentences": ["a\nbank ", "", "  ", "b\tbank"], "model": ""}
    )
    assert form == compare_form.Form("bank", ("a bank", "b bank"), None)


@pytest.mark.parametrize("data", [{}, {"word": None, "sentences": "bank"}, {"sentences": {"a": 1}}])
def test_malformed_form_data_are_handled(data):
    assert compare_form.form_from(data) == compare_form.Form("", ())


def test_query_restores_the_form():
    form = compare_form.Form("naïve & <b>", ("one = [two]", "100% café?", "#hash + plus"))
    restored = compare_form.form_from_query(compare_form.query_of(form, "m/1") + "&layer=1")
    assert restored == compare_form.Form(form.word, form.sentences, "m/1", "1")


@pytest.mark.parametrize("query", ["", "__theme=dark", "layer=1&model=x", "%%%&&&==;"])
def test_query_without_a_comparison(query):
    assert compare_form.form_from_query(query) is None


def test_notes_offer_the_other_places(service):
    comparison = service.compare("bank", ["A bank, a bank, a bank.", "The bank."])
    (note,) = compare_form.notes_of(comparison)
    assert note["field"] == "sentence 1"
    assert note["text"] == "“bank” occurs 3 times here: the 1st is compared."
    assert [choice["label"] for choice in note["choices"]] == [
        "Use the 2nd “bank”",
        "Use the 3rd “bank”",
    ]


def test_notes_offer_a_sentence_without_its_html(service):
    comparison = service.compare("bank", ["The <b>bank</b> shut.", "The bank is < 3 or > 4."])
    (note,) = compare_form.notes_of(comparison)
    assert note["text"] == "HTML tags are read as words here: <b> and </b>."
    assert note["choices"] == [
        {"label": "Use the sentence without them", "text": "The [bank] shut."}
    ]


def test_notes_say_which_place_is_compared():
    tokens = ("a", "Bank", "or", "bank")
    item = Mention(
        tokens=tokens,
        token_start=3,
        token_end=4,
        sentence="a Bank or bank",
        char_start=10,
        char_end=14,
        choices=(Choice("the 1st", "a [Bank] or bank"),),
    )
    assert compare_form._ambiguity(item) == "“bank” occurs twice here: the 2nd is compared."
    other = replace(item, choices=(*item.choices, Choice("“banks”", "")))
    assert (
        compare_form._ambiguity(other)
        == "More than one word here could be meant: “bank” is compared."
    )


def test_layer_sentences(service):
    comparison = service.compare("bank", SENTENCES)
    by_name = {
        layer.name: compare_answer.layer_sentence(comparison, layer) for layer in comparison.layers
    }
    assert by_name["0"].endswith("the same spelling scores 1.00 everywhere.")
    assert by_name["2"].startswith("At layer 2, sentences 1 and 3 are most alike (cosine ")
    assert by_name["2"].endswith(").")
    assert by_name["mean"].startswith("In the mean of all layers, ")
    unsorted = replace(comparison, groups=())
    assert compare_answer.layer_sentence(unsorted, unsorted.layers[2]).endswith(
        "That does not say which go together."
    )
    two = service.compare("bank", SENTENCES[:2])
    assert "the two uses have a cosine of" in compare_answer.layer_sentence(two, two.layers[1])
    mixed = service.compare("bank", ["The bank.", "The [shore]."])
    assert "how alike the spellings are" in compare_answer.layer_sentence(mixed, mixed.layers[0])


@pytest.mark.parametrize(
    ("cosines", "expected"),
    [
        ((0.4, 0.5, 0.6), "sentences 2 and 3 are most alike (cosine 0.60), 1 and 2 least (0.40)."),
        (
            (0.4, 0.604, 0.6),
            "sentences 1 with 3 and 2 with 3 are most alike (cosine 0.60), 1 and 2 least (0.40).",
        ),
        (
            (0.4, 0.4, 0.4),
            "several pairs are most alike (cosine 0.40), several pairs least (0.40).",
        ),
    ],
)
def test_pairs_with_one_cosine_are_all_named(service, cosines, expected):
    a, b, c = cosines
    comparison = service.compare("bank", SENTENCES)
    layer = replace(comparison.layers[2], name="2", cosine=((1.0, a, b), (a, 1.0, c), (b, c, 1.0)))
    assert expected in compare_answer.layer_sentence(comparison, layer)


@pytest.mark.parametrize(
    "sentence",
    ["bank", "x" * 60 + " bank " + "y" * 60, "a b c d e f g h i j bank k l m n o p q r s t"],
)
def test_snippet_is_short_and_keeps_the_word(sentence, service):
    item = service.compare("bank", [sentence, "bank"]).uses[0].use
    before, word, after = compare_answer.snippet(item)
    assert word == "bank"
    assert len(before) <= 17
    assert len(after) <= 17


def test_display_order_keeps_groups_together_and_forgets_nobody(service):
    comparison = service.compare("bank", SENTENCES)
    assert compare_answer.display_order(comparison) == (0, 2, 1)
    # Where no meanings are known, by the groups.
    assert compare_answer.display_order(replace(unjudged(comparison), groups=((2,),))) == (
        2,
        0,
        1,
    )
    assert compare_answer.display_order(replace(unjudged(comparison), groups=())) == (0, 1, 2)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_text_is_never_a_formula(start):
    assert csv_cell(f"{start}SUM(A1)") == f"'{start}SUM(A1)"
    (name,), (text, number) = csv.reader(
        io.StringIO(csv_file([f"{start}a"], [[f"{start}b", -0.5]]))
    )
    assert (name, text, number) == (f"'{start}a", f"'{start}b", "-0.500000")


def test_csv_numbers_stay_numbers():
    assert csv_cell(-0.25) == "-0.250000"
    assert csv_cell("plain") == "plain"


def test_csv_holds_every_layer_and_use(service):
    comparison = service.compare("bank", ['=cmd() bank, "x"', *SENTENCES])
    header, *rows = csv.reader(io.StringIO(compare_answer.csv_text(comparison)))
    *rows, _, _, _, last = rows
    assert last[0] == "probability of the same meaning"
    assert [float(cell) for cell in last[7:11]] == list(comparison.same_meaning[3])
    assert len(rows) == 4 * (
        len(comparison.layers) + 4
    )  # one vector per word, two mixes, the features
    meanings = [row[header.index("meaning")] for row in rows[:4]]
    assert meanings == [judged.meaning.gloss for judged in comparison.uses]
    assert (
        float(rows[0][header.index("probability of the meaning")])
        == comparison.uses[0].meant.probability
    )
    assert rows[0][header.index("sentence")] == '\'=cmd() bank, "x"'
    assert all(float(row[header.index("cosine with 1")]) <= 1 for row in rows)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.title)
def test_examples_are_answered_without_notes(service, example):
    comparison = service.compare(example.word, example.sentences)
    assert compare_form.notes_of(comparison) == []
    assert all(6 <= len(s.split()) <= 16 for s in example.sentences)
    assert (4 if example.is_one_word else 3) <= len(example.sentences) <= 6
