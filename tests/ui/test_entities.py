from dataclasses import replace

import pytest

from elmo_tasks.api import Entity, TaggedText, TagReading
from elmo_tasks.messages import heads
from elmo_tasks.ui import cards
from tests.ui.reader import parsed
from tests.ui.try_answers import JORDAN, entities, plain


def test_names_are_counted(service):
    assert heads.tag_headline(service.tag(JORDAN)) == "Found 1 person and 1 place"
    assert heads.tag_headline(service.tag(["Nothing here."])) == "No entities found"
    assert (
        heads.tag_headline(service.tag(["The dog barked."], "fake-pos"))
        == "4 words, each with its tag"
    )


def test_the_difference_is_named(service):
    _, results, without = entities(service, *JORDAN)
    difference = heads.tag_difference(results, without)
    assert (
        difference
        == f"{heads.ON_LAYER_0_ALONE}, it reads “Jordan” as a place instead of a person (sentence 1)."
    )
    _, results, without = entities(service, "It rained in Oslo.")
    assert heads.tag_difference(results, without) == f"{heads.ON_LAYER_0_ALONE}, it says the same."


def entity(start, end, kind="LOC"):
    return Entity(start, end, kind, 0.9, 4 * start, 4 * end - 1)


@pytest.mark.parametrize(
    ("best", "other", "difference"),
    [
        ([entity(0, 1)], [], ["no name at “aaa”"]),
        ([], [entity(0, 1, "GPE")], ["GPE at “aaa”"]),
        ([entity(0, 1)], [entity(0, 1, "PER")], ["“aaa” as a person instead of a place"]),
        (
            [entity(0, 3)],
            [entity(0, 1), entity(2, 3, "PER")],
            ["“aaa” as a place and “ccc” as a person instead of “aaa bbb ccc” as a place"],
        ),
        (
            [entity(0, 1), entity(2, 3)],
            [entity(0, 3)],
            ["“aaa bbb ccc” as a place instead of “aaa” as a place", "no “ccc” of its own"],
        ),
        ([entity(0, 1)], [entity(0, 1)], []),
    ],
)
def test_how_two_readings_differ(best, other, difference):
    result = TaggedText(
        "aaa bbb ccc", ("aaa", "bbb", "ccc"), ((0, 3), (4, 7), (8, 11)), TagReading((), (), 1.0)
    )
    one, two = (TagReading(("O",) * 3, tuple(spans), 0.5) for spans in (best, other))
    assert heads.tag_differences(result, one, two) == difference


def test_many_differences_are_cut_short():
    assert heads.first_phrases(list("abcdefg")) == "a, b, c, d and 3 more"


def test_parts_of_speech_have_a_tag_under_each_word(service):
    option, results, _ = entities(service, "The dog barked.", head=2)
    card = cards.entity_card(option, results)
    assert not heads.has_spans(results)
    assert card.count("<bdi>") == 4
    assert "noun" in card
    assert "VERB for “dog” instead of NOUN" in card
    assert '"tags.csv"' in card


def test_a_name_has_its_type_in_letters_and_how_sure_the_model_is(service):
    option, results, without = entities(service, *JORDAN)
    card = cards.entity_card(option, results, without)
    text = plain(parsed(card).text)
    assert "Jordan PER 88 % scored twice." in text
    assert "The reading shown above" in text
    assert "person" in text
    assert "“Jordan” as an organisation instead of a place" in text


def test_the_table_lists_entities_that_only_the_baseline_finds(service):
    result, *_ = service.tag(["It rained in Oslo."])
    nothing = replace(result, best=TagReading(("O",) * 5, (), 0.9))
    option = entities(service, "x")[0]
    assert any(
        "not found" in row for row in parsed(cards.entity_card(option, [nothing], [result])).rows
    )
    assert "All entities in a table" not in cards.entity_card(option, [nothing])


def test_colours_are_the_same_everywhere():
    assert cards.colour_of("PER", ()) == cards.colour_of("PER", ("LOC", "PER")) == 0
    assert cards.colour_of("Gene", ("Gene", "Cell")) != cards.colour_of("Cell", ("Gene", "Cell"))
    assert 0 <= cards.colour_of("new", ()) < 6
