import csv
import io
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from elmo_tasks.api import MapRequest, NearestRequest
from elmo_tasks.errors import InputError
from elmo_tasks.ui import map_tab, nearest_tab
from elmo_tasks.ui.rendering import fill
from tests.ui.reader import parsed

OWN = "My bank is unsure here."


def test_the_answer_comes_first(service):
    page = map_tab.page(service.sense_map(MapRequest("bank")), service.models())
    assert (
        page.index("in 2 meanings")
        < page.index("<svg")
        < page.index("<table")
        < page.index("How this works")
    )
    assert "a firm that lends money" in parsed(page).text


def test_every_use_has_a_mark_and_a_row(service):
    found = service.sense_map(MapRequest("bank", OWN))
    page = map_tab.page(found, service.models())
    seen = parsed(page)
    assert seen.called("Use ") == len(found.uses) == 8
    assert all(any(use.use.sentence in row for row in seen.rows) for use in found.uses)
    assert sum(", unsure, from text A:" in label for label in seen.labels) == 1
    assert page.count(' pale"') == 1


def test_the_source_of_a_use_is_told_where_there_is_more_than_the_dictionary(service):
    for text in ("", OWN):
        found = service.sense_map(MapRequest("bank", text))
        seen = parsed(map_tab.page(found, service.models()))
        assert any("From" in row for row in seen.rows) == bool(text)


def test_meanings_differ_in_shape_and_letter_not_in_colour_alone(service):
    found = service.sense_map(MapRequest("bank"))
    drawn = map_tab.picture(found)
    for number, group in enumerate(found.groups):
        assert f">{group.letter}</text>" in drawn
        assert fill("macros.html", "shape", number) in drawn
    assert len({fill("macros.html", "shape", number) for number in range(12)}) == 6


def test_two_texts_are_compared_by_the_share_of_each_meaning(service):
    map_request = MapRequest(
        "bank",
        "A bank.\nThe bank.\nA bank of the river.",
        text_b="The river has a bank.",
        examples=False,
    )
    seen = parsed(map_tab.page(service.sense_map(map_request), ()))
    assert any("a firm that lends money" in row and "67" in row and "0" in row for row in seen.rows)
    assert any(
        "the land beside a river" in row and "33" in row and "100" in row for row in seen.rows
    )
    assert "Colour by source" in seen.text
    alone = parsed(map_tab.page(service.sense_map(MapRequest("bank")), ()))
    assert "Colour by source" not in alone.text
    assert "The two texts compared" not in alone.text


def test_the_spreadsheets_hold_all_and_no_formula(service):
    found = service.sense_map(MapRequest("bank", "=cmd() bank"))
    rows = list(csv.DictReader(io.StringIO(map_tab.csv_text(found))))
    assert len(rows) == 8
    assert (rows[-1]["sentence"], rows[-1]["from"], rows[-1]["meaning"]) == (
        "'=cmd() bank",
        "text A",
        "a firm that lends money",
    )
    near = list(
        csv.DictReader(
            io.StringIO(
                nearest_tab.csv_text(*[[service.nearest(NearestRequest("bank", "The bank."))]] * 2)
            )
        )
    )
    assert [row["near"] for row in near].count("in any sentence") == 2
    assert near[0]["meaning"] == "money"


def test_the_form_is_read_as_it_was_sent():
    map_request = map_tab.request_from(
        {"word": " bank ", "examples": False, "view": "", "text_b": "x"}
    )
    assert map_request == MapRequest("bank", examples=False, text_b="x")
    assert map_tab.request_from(None) == MapRequest("")


def test_a_link_holds_both_texts_where_they_fit():
    query, left_out = map_tab.link_of(MapRequest("bank", "A bank.", text_b="My bank."))
    assert query == "tab=map&word=bank&t=A+bank.&u=My+bank."
    assert left_out == ""
    query, left_out = map_tab.link_of(MapRequest("bank", "x" * 1_500, text_b="y" * 600))
    assert query == "tab=map&word=bank"
    assert "too long for a link" in left_out


@pytest.mark.parametrize(("model", "layers"), [("fake-small", "012"), ("fake-large", "0123")])
def test_the_answer_lists_the_views_of_its_model(service, model, layers):
    _, found = map_tab.respond(service, {"word": "bank", "model": model})
    assert [view.name for view in found.views] == ["meanings", *layers, "mean", "words"]


@pytest.mark.parametrize(
    "points",
    [[], [(0.0, 0.0)], [(0.0, 0.0)] * 30, [(k / 150 - 1, (k % 7) / 9) for k in range(300)]],
)
def test_marks_stay_on_the_map(points):
    places = map_tab.apart(points, 27 * map_tab.mark_size(len(points)))
    assert len(places) == len(points)
    assert all(0 < x < 100 and 0 < y < 100 for x, y in places)


def test_marks_that_cover_each_other_are_moved_apart():
    (x, y), (u, v) = map_tab.apart([(0.0, 0.0), (0.001, 0.0)], 27)
    assert ((x - u) * map_tab.WIDTH / 100) ** 2 + ((y - v) * map_tab.HEIGHT / 100) ** 2 >= 26**2


def test_long_work_reports_its_progress(service):
    steps = []
    text = {"word": "bank", "text": "slowly bank", "examples": True}
    page, _ = map_tab.respond(service, text, lambda step, share: steps.append((step, share)))
    assert steps == [("Reading the sentences", 0.2), ("Reading the sentences", 0.6)]
    assert "has 1 meaning of the dictionary" in page


@pytest.mark.parametrize(
    ("form", "drawn"),
    [
        ({}, 7),
        ({"text": "My bank.\nNo bank."}, 2),
        ({"text": "My bank.", "examples": True}, 8),
        ({"text": "My bank.", "text_b": "The bank of a river."}, 2),
    ],
)
def test_a_text_counts_alone_until_the_examples_are_requested(service, form, drawn):
    _, found = map_tab.respond(service, {"word": "bank", "examples": False, **form})
    assert len(found.uses) == drawn


def test_a_link_fills_the_form_that_it_was_made_from():
    request = MapRequest(
        "bank", "A bank.", "1", False, model="fake-large", index=True, text_b="My bank."
    )
    query, _ = map_tab.link_of(request)
    assert MapRequest(**map_tab.linked(dict(parse_qsl(query)))) == request


def test_both_sides_of_the_nearest_uses_are_shown(service):
    page = nearest_tab.page(
        [service.nearest(NearestRequest("bank", "The bank was shut."))], service.models()
    )
    assert page.index("In this sentence") < page.index("In any sentence")
    assert "other word" in page
    assert "lender" in page
    only = nearest_tab.page(
        [service.nearest(NearestRequest("bank", "The bank was shut.", only="same"))]
    )
    listed = parsed(only).text.split("How this works")[0]
    assert "The bank lent us money" in listed
    assert "same word" not in listed
    assert "other word" not in listed
    unknown = nearest_tab.page([service.nearest(NearestRequest("zorg", "A zorg.", only="same"))])
    assert "not among the words" in unknown
    assert "Nothing was found" in unknown


def test_a_use_shows_its_meaning_and_probability(service):
    found = service.nearest(NearestRequest("bank", "The bank was shut."))
    uses = (replace(found.uses[0], sense="money", probability=0.93), *found.uses[1:])
    text = parsed(
        nearest_tab.page([replace(found, sense="river", probability=0.7, uses=uses)])
    ).text
    assert "money 93" in text
    assert "river 70" in text


def test_a_sentence_lands_with_its_meaning(service):
    map_request = {"word": "bank", "view": "words", "revision": 4}
    value = map_tab.respond_to_sentence(
        service, {"sentence": "A bank of the river.", "map": map_request, "revision": 3}
    )
    assert (value["revision"], value["note"]) == (3, "")
    assert (value["landed"]["x"], value["landed"]["group"]) == (0.6, 1)
    assert value["landed"]["near"] == [3, 4, 5, 6]
    text = parsed(value["landed"]["markup"]).text
    assert "It means: the land beside a river (90\u00a0%)." in text
    assert "another meaning" in text
    german = {"sentence": "Die bank ist nicht offen.", "map": map_request}
    warned = map_tab.respond_to_sentence(service, german)["landed"]["markup"]
    assert ["reads only English" in markup for markup in (text, warned)] == [False, True]
    missed = map_tab.respond_to_sentence(service, {"sentence": "None.", "map": map_request})
    assert missed["note"].startswith("The sentence does not use “bank”.")


def test_the_picture_gives_the_scale_of_the_map(service):
    """A use that lands on the place of another is drawn where that one is, unless it was moved from
    under a third."""
    found = service.sense_map(MapRequest("bank"))
    points = [(use.x, use.y) for use in found.uses]
    scale = map_tab.scale_of(points)
    across, up = 100 * scale / map_tab.WIDTH, 100 * scale / map_tab.HEIGHT
    assert f'data-across="{across:.2f}" data-up="{up:.2f}"' in map_tab.picture(found)
    for (x, y), (a, b) in zip(points, map_tab.apart(points, 0.0), strict=True):
        assert (50 + x * across, 50 - y * up) == pytest.approx((a, b))


# --- Nearest uses by several models: a column each, and one for the vectors of words alone ---

RIVER = "Reeds grew on the bank of the stream."


def ask(service, word="bank", sentence=RIVER, models=("fake-small", "fake-large"), meaning=""):
    return nearest_tab.respond(service, NearestRequest(word, sentence, meaning=meaning), models)


def test_every_model_has_a_column_and_words_alone_one_more(service):
    page, _ = ask(service)
    seen = parsed(page)
    assert [label for label in seen.labels if label.startswith("fake-")] == [
        "fake-small",
        "fake-words",
    ]
    assert "bank" in seen.marked
    assert seen.text.index("fake-words") < seen.text.index(
        "lender"
    )  # what does not read the sentence
    assert "model=fake-small&amp;model=fake-large" in page


def test_where_the_meaning_is_known_it_is_counted(service):
    _, word, sentence = nearest_tab.EXAMPLES[0]
    assert word == "bank"
    page, _ = ask(service, word, sentence)
    assert "Nearest uses in the same meaning: 4 of 7 by “fake-small”." in page
    assert "money" in parsed(page).text
    unknown, _ = ask(service)
    assert "In this meaning" not in unknown
    assert "The nearest to this “bank”, side by side" in unknown


def test_one_model_answers_with_its_layers(service):
    page, answer = ask(service, models=("fake-small",))
    assert answer.layers == ("meanings", "0", "1", "2", "mean")
    assert "In this sentence" in page
    assert "One vector per word, the same for every sentence. From fake-words." in page


def test_one_meaning_is_shown_alone_and_kept_in_the_link(service):
    page, answer = ask(service, models=("fake-small",), meaning="river")
    assert {near.sense for near in answer.uses} == {"river"}
    assert "meaning=river" in page
    assert "meaning=" not in ask(service, models=("fake-small",))[0]
    nothing, _ = ask(service, models=("fake-small",), meaning="rely")
    assert "Choose another meaning, or any." in nothing


def test_more_than_three_models_are_refused(service):
    with pytest.raises(InputError, match="At most 3 models stand side by side, not 4"):
        ask(service, models="abcd")


@pytest.mark.parametrize("word", ["bank", "shore"])
def test_the_spreadsheet_has_all_columns(service, word):
    sentence = RIVER.replace("bank", word)
    found = [
        service.nearest(NearestRequest(word, sentence, model=model))
        for model in ("fake-small", "fake-large")
    ]
    rows = list(csv.DictReader(io.StringIO(nearest_tab.csv_text(found[:1], found[1:]))))
    assert len(rows) == 8 + (2 if word == "bank" else 0)
    assert {row["model"] for row in rows} == {"fake-small"} | (
        {"fake-words"} if word == "bank" else set()
    )
