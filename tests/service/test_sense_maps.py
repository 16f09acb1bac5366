"""Maps by the meanings of the dictionary, with the bundled model."""

from dataclasses import replace

import pytest

from elmo_tasks.api import EXAMPLES, TEXT_A, TEXT_B, MapRequest
from elmo_tasks.errors import InputError
from elmo_tasks.messages.meanings import read_as
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.loaded_models import LoadedModels
from elmo_tasks.service.session import Session

MONEY = "The bank refused our loan.\nThe bank charged me a fee for the account."
RIVER = "Reeds grew along the muddy bank of the river.\nWe fished from the bank of the stream."
UNKNOWN = "\n".join(
    f"The flibber {rest}."
    for rest in ("ran", "sat", "ate grass", "flew home", "was blue", "fell", "slept")
)


@pytest.fixture(scope="module")
def bank(session):
    return session.sense_map(MapRequest("bank"))


def test_groups_are_the_meanings_of_the_dictionary_in_every_view(session, bank):
    senses = bundled_lexicon()["bank"].senses
    assert [group.name for group in bank.groups] == [sense.gloss for sense in senses]
    assert [group.n_uses for group in bank.groups] == [len(sense.sentences) for sense in senses]
    plain = {
        s.replace("[", "").replace("]", ""): k
        for k, sense in enumerate(senses)
        for s in sense.sentences
    }
    assert all(
        use.group == plain[use.use.sentence] and use.is_sure and use.probability is None
        for use in bank.uses
    )
    assert bank.view == "meanings"
    assert [view.name for view in bank.views] == ["meanings", "0", "1", "2", "mean", "words"]
    layer = session.sense_map(MapRequest("bank", view="1"))
    assert [use.group for use in layer.uses] == [use.group for use in bank.uses]
    assert [use.x for use in layer.uses] != [use.x for use in bank.uses]


def test_own_uses_get_the_meaning_that_is_found(session):
    found = session.sense_map(MapRequest("bank", MONEY, text_b=RIVER, examples=False))
    assert {use.source for use in found.uses} == {TEXT_A, TEXT_B}
    assert [(group.key, group.by_source) for group in found.groups] == [
        ("money", (2, 0)),
        ("river", (0, 2)),
    ]
    assert all(0.5 < use.probability <= 1 for use in found.uses)
    assert "have 2 meanings" in found.message.headline


def test_the_description_of_a_table_names_the_column(session):
    table = (
        "label,review\nbad,The bank refused our loan again.\ngood,We sat on the bank of the"
        " river.\n"
    )
    found = session.sense_map(MapRequest("bank", table, examples=False))
    assert [use.use.sentence for use in found.uses] == [
        line.partition(",")[2] for line in table.splitlines()[1:]
    ]
    assert [source for source, _ in found.read_as] == [TEXT_A]
    assert "texts from “review”" in found.read_as[0][1]
    assert read_as(found).startswith("Read from text A: texts from “review”")
    assert session.sense_map(MapRequest("bank", MONEY, examples=False)).read_as == ()


def test_a_word_in_no_list_is_clustered_without_names(session):
    found = session.sense_map(MapRequest("flibber", UNKNOWN))
    assert not found.are_meanings
    assert {group.key for group in found.groups} == {""}
    assert "clusters have no names" in str(found.message)
    few = session.sense_map(MapRequest("flibber", "A flibber. Two flibbers."))
    assert few.groups == ()
    landed = session.project_use("My flibber is here.", MapRequest("flibber", UNKNOWN))
    assert (landed.group, landed.meanings) == (None, ())


def test_many_uses_are_sampled_evenly(session):
    text = "\n".join(f"The bank number {k} is shut." for k in range(700))
    found = session.sense_map(replace(MapRequest("bank", text, examples=False), view="0"))
    assert (len(found.uses), found.n_own) == (300, 700)


@pytest.mark.parametrize(
    ("sentence", "key"),
    [("The bank was covered with reeds.", "river"), ("I got a loan from my bank.", "money")],
)
def test_a_sentence_lands_with_its_meaning(session, bank, sentence, key):
    found = session.project_use(sentence, MapRequest("bank"))
    assert (bank.groups[found.group].key, found.is_sure) == (key, True)
    assert sum(meaning.probability for meaning in found.meanings) == pytest.approx(1, abs=0.01)
    assert bank.groups[found.group].name in str(found.message)
    assert session.sense_map(MapRequest("bank")) == bank  # nothing moved
    use = bank.uses[3]  # an example lands on its own place
    found = session.project_use(use.use.sentence, MapRequest("bank"))
    assert (found.x, found.y) == pytest.approx((use.x, use.y), abs=0.01)
    assert found.nearest[0].position == 3


def test_a_meaning_that_no_use_of_the_map_has_is_named_without_a_group(session):
    found = session.project_use(
        "I got a loan from my bank.", MapRequest("bank", RIVER, examples=False)
    )
    assert found.group is None
    assert "No use on this map has it." in str(found.message)


def test_without_calibration_own_uses_have_no_meanings():
    session = Session(LoadedModels("static-joint", may_measure=False))
    found = session.sense_map(MapRequest("bank", MONEY))
    assert [use.group for use in found.uses if use.source != EXAMPLES] == [None, None]
    assert "the meanings in your text are not given" in str(found.message)
    assert session.project_use("My bank.", MapRequest("bank")).meanings == ()


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (MapRequest("two, words"), "is not a word or phrase"),
        (MapRequest("flibber"), "not in the dictionary"),
        (MapRequest("bank", "No such thing.", examples=False), "has no use"),
        (MapRequest("bank", "No such thing."), "has no use"),
        (MapRequest("bank", view="9"), "no view"),
        (MapRequest("bank", examples=False), "Paste a text"),
    ],
)
def test_bad_requests_name_their_field(session, request_, message):
    with pytest.raises(InputError, match=message):
        session.sense_map(request_)
