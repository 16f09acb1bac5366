import csv
import io
from dataclasses import replace

import pytest

from elmo_tasks.api import MapRequest, MapView, Said
from elmo_tasks.errors import InputError
from elmo_tasks.ui import map_tab, maps, nearest_tab
from elmo_tasks.ui.parts import working
from elmo_tasks.wording import map_words
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE


def last(steps):
    return list(steps)[-1]


def test_the_answer_comes_first(service):
    page = map_tab.page(service.maps.sense_map(MapRequest("bank")), service.models())
    assert page.index("probably 2 meanings") < page.index("<svg") < page.index("<table") < page.index("How this works")


def test_every_use_has_a_mark_and_a_row(service):
    found = service.maps.sense_map(MapRequest("bank", "My own bank is here."))
    page = map_tab.page(found, service.models())
    seen = parsed(page)
    assert seen.called("Use ") == len(found.uses) == 8
    assert all(any(use.sentence in row for row in seen.rows) for use in found.uses)
    assert sum(", from your text:" in label for label in seen.labels) == 1


def test_groups_differ_in_shape_and_letter_not_in_colour_alone(service):
    found = service.maps.sense_map(MapRequest("bank", n_groups=6))
    drawn = maps.picture(found)
    for number, group in enumerate(found.groups):
        assert f">{group.letter}</text>" in drawn
        assert maps.SHAPES[number] in drawn
    assert len(set(maps.SHAPES)) == 6


def test_no_groups_are_drawn_where_the_model_is_not_sure(service):
    found = service.maps.sense_map(MapRequest("muddle"))
    seen = parsed(map_tab.page(found, service.models()))
    assert seen.headings[0].startswith("The model is not sure")
    assert seen.called("Use ") == len(found.uses)
    assert not any(", group " in label for label in seen.labels)
    assert not parsed(maps.picture(found)).text.strip()  # no letters of groups


def test_measured_numbers_are_said_only_where_they_are_known(service):
    found = service.maps.sense_map(MapRequest("bank"))
    assert "84\u00a0% of the pairs" in map_words.measured(found)
    assert "exactly the meanings" in map_words.measured(found)
    unknown = replace(found, views=tuple(MapView(v.name) for v in found.views), agreement=None)
    assert map_words.measured(unknown) == ""
    assert "Pairs right then" not in map_tab.page(unknown, ())
    assert "84" not in map_words.measured(service.maps.sense_map(MapRequest("bank", n_groups=2)))


def test_own_text_is_not_promised_what_was_measured_on_the_gallery(service):
    own = service.maps.sense_map(MapRequest("bank", "\n".join(["A bank."] * 5), gallery=False))
    assert "pairs of uses" not in map_words.measured(own)


@pytest.mark.parametrize(
    "points", [[], [(0.0, 0.0)], [(0.0, 0.0)] * 30, [(k / 150 - 1, (k % 7) / 9) for k in range(300)]]
)
def test_marks_stay_on_the_map(points):
    places = maps.apart(points, 27 * maps.mark_size(len(points)))
    assert len(places) == len(points)
    assert all(0 < x < 100 and 0 < y < 100 for x, y in places)


def test_marks_that_cover_each_other_are_moved_apart():
    (x, y), (u, v) = maps.apart([(0.0, 0.0), (0.001, 0.0)], 27)
    assert ((x - u) * maps.WIDTH / 100) ** 2 + ((y - v) * maps.HEIGHT / 100) ** 2 >= 26**2


def test_nothing_from_a_person_is_markup(service):
    found = service.maps.sense_map(MapRequest("bank", f"A bank {HOSTILE}"))
    groups = tuple(replace(group, words=(HOSTILE,)) for group in found.groups)
    uses = tuple(replace(use, sense=HOSTILE) for use in found.uses)
    bad = replace(found, word=HOSTILE, said=Said(f"{HOSTILE}.", "Yes."), groups=groups, uses=uses, model=HOSTILE)
    for page in (map_tab.page(bad, ()), map_tab.nothing("map", HOSTILE)):
        tags = parsed(page)
        assert not tags.seen & {"img", "script"}
        assert "onerror" not in tags.attributes
    near = service.nearest.uses("bank", "The bank.")
    hostile = replace(near, sentence=f"bank {HOSTILE}", said=Said(HOSTILE, HOSTILE), source=HOSTILE, word=HOSTILE)
    hostile = replace(hostile, uses=tuple(replace(use, sentence=f"bank {HOSTILE}") for use in near.uses))
    tags = parsed(nearest_tab.page(hostile, ()))
    assert not tags.seen & {"img", "script"}


def test_the_spreadsheets_hold_all_and_no_formula(service):
    found = service.maps.sense_map(MapRequest("bank", "=cmd() bank"))
    rows = list(csv.DictReader(io.StringIO(map_tab.csv_text(found))))
    assert len(rows) == 8
    assert rows[-1]["sentence"] == "'=cmd() bank"
    assert rows[-1]["from"] == "own text"
    assert rows[3]["group"] == "A"
    near = list(csv.DictReader(io.StringIO(nearest_tab.csv_text(service.nearest.uses("bank", "The bank.")))))
    assert [row["near"] for row in near].count("in any sentence") == 2


def test_the_form_is_read_as_it_was_sent():
    asked = maps.request_from({"word": " bank ", "groups": "3", "gallery": False, "view": ""})
    assert asked == MapRequest("bank", n_groups=3, gallery=False)
    assert maps.request_from({"groups": "x"}).n_groups is None


@pytest.mark.parametrize(("model", "layers"), [("fake-small", "012"), ("fake-large", "0123")])
def test_the_answer_says_what_its_model_can_be_compared_by(service, model, layers):
    value, _ = last(map_tab.respond(service, {"word": "bank", "model": model}))
    assert [view["name"] for view in value["views"]] == [*layers, "mean", "words", "both"]
    assert all(view["title"] for view in value["views"])


def test_an_error_stands_at_its_field(service):
    value, markup = last(map_tab.respond(service, {"word": "zebra", "revision": 5}))
    assert value["revision"] == 5
    text = "There are no example sentences for “zebra”."
    assert value["note"] == {"field": "word", "kind": "error", "text": text, "choices": []}
    assert "no example sentences" in markup
    value, markup = last(nearest_tab.respond(service, {"word": "bank", "sentence": "None."}))
    assert value["note"]["field"] == "sentence"


def test_long_work_says_how_far_it_is(service):
    steps = list(map_tab.respond(service, {"word": "bank", "text": "slowly bank", "revision": 2}))
    assert steps[0][0]["busy"].startswith("Reading the sentences: ")
    assert steps[-1][0]["busy"] == ""
    assert "probably 2 meanings" in steps[-1][1]


def test_what_goes_wrong_in_the_work_is_raised():
    def work(progress):
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        list(working(work))


def test_both_sides_of_the_nearest_uses_are_shown(service):
    page = nearest_tab.page(service.nearest.uses("bank", "The bank was shut."), service.models())
    assert page.index("In this sentence") < page.index("In any sentence")
    assert "other word" in page
    assert "lender" in page
    only = nearest_tab.page(service.nearest.uses("bank", "The bank was shut.", only="same"), ())
    listed = parsed(only).text.split("How this works")[0]
    assert "The bank lent us money" in listed
    assert "same word" not in listed
    assert "other word" not in listed
    unknown = nearest_tab.page(service.nearest.uses("zorg", "A zorg.", only="same"), ())
    assert "not among the words" in unknown
    assert "Nothing was found" in unknown


def test_example_sentences_beside_ones_own_text_are_named(service):
    found = replace(service.maps.sense_map(MapRequest("bank", "My own bank is here.")), examples_of=("bank",))
    assert map_words.own_words(found) == (
        "1 of the uses is from your text (with a star); the other 7 are our example sentences of “bank”."
    )


def test_other_forms_in_the_example_sentences_are_no_meanings(service):
    found = replace(
        service.maps.sense_map(MapRequest("bank", "My own bank is here.")), word="banks", examples_of=("bank",)
    )
    uses = tuple(replace(use, sentence="My banks", start=3, end=8) if use.own else use for use in found.uses)
    said = map_words.own_words(replace(found, uses=uses))
    assert "(“banks” in your text, “bank” in ours), and the letters alone move uses apart" in said


def test_the_test_is_not_quoted_where_the_groups_are_known_not_to_match(service):
    found = replace(service.maps.sense_map(MapRequest("bank")), agreement=0.2)
    assert map_words.measured(found) == (
        "Here the groups do not match the meanings that the example sentences were written for (index 0.20)."
    )


def test_the_forms_on_a_map_are_those_of_its_sentences(service):
    found = replace(service.maps.sense_map(MapRequest("bank")), word="banks", examples_of=("bank",))
    assert map_words.about(found) == "“bank”"
    mixed = replace(
        service.maps.sense_map(MapRequest("bank", "My own bank is here.")), word="banks", examples_of=("bank",)
    )
    assert map_words.about(mixed) == "“banks” and “bank”"
    assert map_words.about(replace(mixed, word="bank")) == "“bank”"


def test_what_stands_in_the_group_of_its_meaning_is_counted(service):
    found = service.maps.sense_map(MapRequest("bank"))
    assert map_words.well_placed(found) == "7 of 7 sentences stand in the group of their meaning."
    first, *rest = found.uses
    strayed = replace(found, uses=(replace(first, group=0), *rest))
    assert map_words.well_placed(strayed).startswith("6 of 7 sentences")
    assert map_words.well_placed(service.maps.sense_map(MapRequest("muddle"))) == ""


def test_a_group_has_one_name_where_it_is_called_by_its_meaning(service):
    asked = {"word": "bank", "by_meaning": True}
    shown = maps.respond_to_sentence(service, {"sentence": "A bank of the river.", "map": asked})["landed"]["markup"]
    text = parsed(shown).text
    assert "It lands in group A (river)." in text
    assert "A (river)" in text.split("It lands in group A (river).")[1]  # at its bar, too
    assert "Group A" not in text


def test_a_sentence_lands_on_the_map_that_was_asked_for(service):
    asked = {"word": "bank", "view": "words", "groups": "2", "revision": 4}
    value = maps.respond_to_sentence(service, {"sentence": "A bank of the river.", "map": asked, "revision": 3})
    assert value["revision"] == 3
    assert value["note"] == ""
    assert (value["landed"]["x"], value["landed"]["group"]) == (-0.6, 0)
    assert value["landed"]["near"] == [3, 4, 5, 6]
    assert "It lands in group A." in value["landed"]["markup"]
    assert value["landed"]["markup"].count("<li") == 2 + 4  # a bar for each group, and the nearest uses
    assert (
        maps.respond_to_sentence(service, {"sentence": "None.", "map": asked})["note"]
        == "The sentence does not use “bank”."
    )
    assert maps.request_from({"word": " bank ", "groups": "x", "gallery": False}) == MapRequest("bank", gallery=False)
    assert maps.request_from(None) == MapRequest("")


def test_nothing_that_lands_is_markup(service):
    found = service.maps.land(f"The bank {HOSTILE}", MapRequest("bank", f"A bank {HOSTILE}"))
    groups = tuple(replace(group, letter=HOSTILE, words=(HOSTILE,)) for group in found.groups)
    tags = parsed(maps.markup(replace(found, verdict=HOSTILE, groups=groups)))
    assert not tags.seen & {"img", "script"}
    assert "onerror" not in tags.attributes


def test_the_picture_says_where_a_place_of_the_map_is(service):
    """A use that lands on the place of another is drawn where that one is, unless it was moved from under a third."""
    found = service.maps.sense_map(MapRequest("bank"))
    points = [(use.x, use.y) for use in found.uses]
    scale = maps.scale_of(points)
    across, up = 100 * scale / maps.WIDTH, 100 * scale / maps.HEIGHT
    assert f'data-across="{across:.2f}" data-up="{up:.2f}"' in maps.picture(found)
    for (x, y), (a, b) in zip(points, maps.apart(points, 0.0), strict=True):
        assert (50 + x * across, 50 - y * up) == pytest.approx((a, b))
