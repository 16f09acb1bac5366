"""Sentences that land on a map that is drawn."""

import json
from dataclasses import replace

import pytest
from elmo_tasks.senses.landing import land
from elmo_tasks.serving.drawn_maps import MapDrawer, rule_of

from elmo_tasks.api import MapRequest
from elmo_tasks.errors import InputError
from elmo_tasks.senses.clustering import split_uses
from elmo_tasks.senses.uses import gallery_uses, landing_use
from elmo_tasks.serving.session import Session

BANK = MapRequest("bank")


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.mark.parametrize(
    ("sentence", "sense"),
    [
        ("The bank gave me a mortgage at a low rate.", "money"),
        ("Two otters slid down the bank into the stream.", "river"),
        ("Customers of several banks could not withdraw cash.", "money"),
    ],
)
def test_a_sentence_lands_among_uses_of_its_sense(session, sentence, sense):
    drawn = session.maps.sense_map(MapRequest("bank"))
    found = session.maps.land(sentence, BANK)
    assert found.group is not None
    assert {drawn.uses[near.position].sense for near in found.nearest[:3]} == {sense}
    assert [near.sentence for near in found.nearest] == [drawn.uses[n.position].sentence for n in found.nearest]
    assert f"group {found.groups[found.group].letter} (" in found.verdict
    assert max(found.nearness) == found.nearness[found.group]
    assert json.loads(json.dumps(found.to_dict()))["group"] == found.group


def test_nothing_on_the_map_moves(session):
    before = session.maps.sense_map(MapRequest("bank"))
    session.maps.land("The bank gave me a mortgage.", BANK)
    assert session.maps.sense_map(MapRequest("bank")) == before


def test_a_use_of_the_map_lands_where_it_is_drawn(session):
    use = session.maps.sense_map(MapRequest("bank")).uses[3]
    found = session.maps.land(use.sentence, BANK)
    assert (found.x, found.y) == pytest.approx((use.x, use.y), abs=1e-3)
    assert found.nearest[0].position == 3
    assert found.nearest[0].cosine == pytest.approx(1.0, abs=1e-3)


def test_where_the_model_does_not_know_it_lands_between(session):
    found = session.maps.land("The bank is over there.", BANK)
    assert found.group is None
    assert "between the groups" in found.verdict
    assert "the model does not know which" in found.verdict


def test_without_groups_it_is_in_none(session):
    found = session.maps.land("The bank lent me money.", replace(BANK, n_groups=1))
    assert found.group is None
    assert "No groups are named on this map" in found.verdict


def test_it_lands_on_the_map_of_ones_own_text(session):
    text = "\n".join(f"The zebra number {k} drank water." for k in range(7))
    found = session.maps.land("A zebra ran.", MapRequest("zebra", text))
    assert {near.sentence for near in found.nearest} <= set(text.splitlines())


@pytest.mark.parametrize(
    ("sentence", "field", "message"),
    [
        ("", "sentence", "Type a sentence that uses “bank”"),
        ("No such thing.", "sentence", "does not use “bank”"),
        ("The bank of the [river].", "sentence", "mark “river”; this is the map of “bank”"),
        ("bank " * 300, "sentence", "300 words; the most is 200"),
        ("bank " * 900, "sentence", "2,000"),
    ],
)
def test_what_cannot_land_is_said(session, sentence, field, message):
    with pytest.raises(InputError, match=message) as caught:
        session.maps.land(sentence, BANK)
    assert caught.value.field == field


def test_groups_are_called_by_their_meaning_where_that_is_asked_for(session):
    found = session.maps.land("The bank gave me a mortgage at a low rate.", replace(BANK, by_meaning=True))
    assert found.verdict == "It lands in group C (money)."
    assert [group.meant for group in found.groups] == ["rely", "river", "money"]


def test_a_map_says_whose_sentences_it_has(session):
    found = session.maps.sense_map(MapRequest("glasses"))
    assert found.verdict.startswith("16 uses of “glass” fall into 4 groups, which match its meanings only in")
    own = session.maps.sense_map(MapRequest("glasses", "I wear glasses.\nHer glasses are on the table."))
    assert own.verdict.startswith("18 uses of “glasses” and “glass” fall into 5 groups: ")
    assert "meanings" not in own.verdict


def test_a_map_knows_when_its_groups_are_no_meanings(session):
    assert session.maps.sense_map(MapRequest("bass")).verdict.startswith(
        "16 uses of “bass” fall into 2 groups, which are not its meanings: A"
    )
    court = session.maps.sense_map(MapRequest("court")).verdict  # index 0.68, and not as many as there are
    assert "fall into 6 groups: A" in court
    assert court.endswith("The example sentences were written for 4 meanings.")
    assert "probably 3 meanings" in session.maps.sense_map(MapRequest("bank")).verdict


def test_brackets_choose_among_several():
    assert landing_use("bank", "The bank on the [bank].").token_start == 4
    assert landing_use("bank", "The Banks on the bank.").word == "Banks"


def test_no_sentence_is_kept_with_a_map(session):
    session.maps.land("A very secret bank.", BANK)
    drawer = session.maps.drawer
    assert drawer._kept
    assert "secret" not in repr(drawer._kept)
    assert len(drawer._kept) <= 32


def test_uses_held_out_of_the_map_land_in_their_own_sense(session):
    """Eight words that nothing here was chosen by."""
    encoder, drawer = session.loaded.encoder(session.loaded.default), MapDrawer(lambda _: None, session.loaded.static)
    known = drawer.viewed.calibration(encoder)
    right = wrong = between = 0
    for word in ("bat", "bark", "pitcher", "organ"):
        uses = gallery_uses(word)
        vectors = drawer.viewed.in_view(encoder, known.best, uses)
        for k in range(0, len(uses), 4):
            others = [j for j in range(len(uses)) if j != k]
            split = split_uses(vectors[others], rule_of(known, known.best))
            if not split.is_clear:
                continue
            found = land(vectors[others], split.groups, vectors[k])
            if found.group is None:
                between += 1
                continue
            senses = [uses[others[j]].sense for j in split.groups[found.group]]
            if max(set(senses), key=senses.count) == uses[k].sense:
                right += 1
            else:
                wrong += 1
    assert right + wrong + between >= 10
    assert right >= 4 * wrong
