"""Maps and nearest uses, by a small model with random weights and by hand-made vectors."""

import json

import numpy as np
import pytest
from elmo_tasks.senses.marked_vectors import marked_vectors, words_around
from elmo_tasks.senses.views_of_uses import view_of
from elmo_tasks.serving.drawn_maps import ViewedUses

from elmo_tasks.api import MapRequest, SenseGroup
from elmo_tasks.encoders import batches
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.index_building import build_index
from elmo_tasks.senses.uses import gallery_uses
from elmo_tasks.serving import nearest_uses
from elmo_tasks.serving.asked_uses import find_use
from elmo_tasks.serving.session import Session
from elmo_tasks.uses import read_uses
from elmo_tasks.wording.sense_maps import Meanings, map_verdict, uses_of

TEXT = "\n".join(f"The zebra number {k} drank water." for k in range(7))


@pytest.fixture(scope="module")
def session(folder):
    return Session(str(folder))


def test_a_map_has_the_documented_form(session):
    found = session.maps.sense_map(MapRequest("bank", n_groups=3))
    answer = found.to_dict()
    assert json.loads(json.dumps(answer))["verdict"] == found.verdict
    assert len(found.uses) == 24
    assert [group.letter for group in found.groups] == ["A", "B", "C"]
    assert sum(group.n_uses for group in found.groups) == 24
    assert "in 3 groups, as you asked" in found.verdict
    assert all(-1 <= use.x <= 1 and -1 <= use.y <= 1 for use in found.uses)
    cosines = [cosine for _, cosine in found.uses[0].nearest]
    assert cosines == sorted(cosines, reverse=True)
    assert 0 not in [other for other, _ in found.uses[0].nearest]


def test_a_model_nobody_measured_names_no_groups(session):
    found = session.maps.sense_map(MapRequest("bank"))
    assert found.groups == ()
    assert "was not measured yet" in found.verdict
    assert found.n_measured_words == 0


def test_ones_own_text_stands_beside_the_gallery(session):
    both = session.maps.sense_map(MapRequest("bank", "My bank is closed.\nThe banks are muddy."))
    assert [use.own for use in both.uses] == [False] * 24 + [True] * 2
    alone = session.maps.sense_map(MapRequest("zebra", TEXT))
    assert alone.n_own == len(alone.uses) == 7
    assert not any(use.sense for use in alone.uses)


def test_uses_that_were_read_before_are_in_their_places(session, monkeypatch):
    monkeypatch.setattr(batches, "_PLACES", 40)
    elmo, viewed = session.loaded.encoder(session.loaded.default), ViewedUses(session.loaded.static)
    uses, told = gallery_uses("bark"), []
    viewed.in_view(elmo, "1", uses[3:9:2], told.append)
    assert told[-1] == 1.0
    assert len(told) > 1
    for view in ("1", "mean", "words", "both"):
        expected = marked_vectors(elmo, session.loaded.static(), uses)
        np.testing.assert_allclose(viewed.in_view(elmo, view, uses), expected.view(view), atol=1e-5)


@pytest.mark.parametrize(
    ("meanings", "mostly_own", "said"),
    [
        (Meanings(1.0, 2), False, "9 uses of “x”, probably 2 meanings: A, B."),
        (
            Meanings(0.7, 3),
            False,
            "9 uses of “x” fall into 2 groups: A, B. The example sentences were written for 3 meanings.",
        ),
        (Meanings(0.64, 2), False, "9 uses of “x” fall into 2 groups, which match its meanings only in part: A, B."),
        (Meanings(0.2, 2), False, "9 uses of “x” fall into 2 groups, which are not its meanings: A, B."),
        (
            Meanings(None, 0, 0.59),
            False,
            "fall into 2 groups; read them to see whether these are meanings. They are A, B.",
        ),
        (Meanings(None, 0, 0.85), False, "9 uses of “x”, probably 2 meanings: A, B."),
        (
            Meanings(None, 0, 0.85),
            True,
            "fall into 2 groups; read them to see whether these are meanings. They are A, B. In a",
        ),
        (Meanings(1.0, 2, 0.85, forms_differ=True), False, "9 uses of “x” fall into 2 groups: A, B."),
    ],
)
def test_groups_are_called_meanings_only_where_nothing_speaks_against_it(meanings, mostly_own, said):
    groups = (SenseGroup("A", 5, ()), SenseGroup("B", 4, ()))
    found = str(map_verdict("9 uses of “x”", 9, groups, 6, True, None, True, "", mostly_own, meanings))
    assert said in found
    assert ("probably" in found) == ("probably" in said)


def test_uses_are_called_by_the_form_that_their_sentences_have():
    assert uses_of("banks", 24, 0, ("bank",)) == "24 uses of “bank”"
    assert uses_of("Bank", 24, 0, ("bank",)) == "24 uses of “bank”"
    assert uses_of("banks", 25, 1, ("bank",)) == "25 uses of “banks” and “bank”"
    assert uses_of("zebra", 1, 1, ()) == "1 use of “zebra”"


def test_few_uses_are_not_sorted(session):
    assert "Too few uses" in session.maps.sense_map(MapRequest("zebra", "A zebra. Two zebras.")).verdict


def test_the_view_without_context_says_so(session):
    found = session.maps.sense_map(MapRequest("zebra", TEXT, view="0"))
    assert found.groups == ()
    assert "looks at the letters" in found.verdict


@pytest.mark.parametrize(
    ("arguments", "field", "message"),
    [
        ({"word": ""}, "word", "Type a word"),
        ({"word": "zebra"}, "word", "no example sentences for “zebra”"),
        ({"word": "zebra", "text": "No such thing."}, "text", "Your text has no use of “zebra”"),
        ({"word": "bank", "gallery": False}, "word", "Paste a text"),
        ({"word": "bank", "view": "7"}, "view", "no view “7”"),
        ({"word": "bank", "n_groups": 9}, "n_groups", "Between 1 and 6"),
        ({"word": "bank", "model": "/etc"}, "model", "no model"),
        ({"word": "bank", "text": "a" * 2_000_001}, "text", "2,000,000"),
    ],
)
def test_what_has_no_map_is_said_at_its_field(session, arguments, field, message):
    with pytest.raises(InputError, match=message) as caught:
        session.maps.sense_map(MapRequest(**arguments))
    assert caught.value.field == field


@pytest.mark.ci
def test_nearest_uses_in_the_gallery(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path))  # nobody read the gallery for it yet
    session, said = Session(str(folder)), []
    sentence = "The bank refused the loan."
    found = session.nearest.uses("bank", sentence, layer="1", n=5, progress=lambda what, share: said.append(what))
    assert said[-1] == "Reading the example sentences once"
    assert len(found.uses) == 5
    assert found.uses[0].cosine >= found.uses[-1].cosine
    assert found.static[0].word
    assert found.sources == ("gallery",)
    assert all(not use.same_word for use in session.nearest.uses("bank", sentence, only="other").uses)
    assert all(use.same_word for use in session.nearest.uses("bank", sentence, only="same").uses)
    said.clear()
    session.nearest.uses("bank", sentence, progress=lambda what, share: said.append(what))
    assert said == []  # read once


def test_without_being_asked_layer_and_surroundings_are_read_together(session):
    sentence = "The bank refused the loan."
    found = session.nearest.uses("bank", sentence, only="same", n=10)
    loaded = session.loaded.model()
    asked = find_use("bank", sentence, "sentence")
    marked = [f"{use.sentence[: use.start]}[{use.token}]{use.sentence[use.end :]}" for use in found.uses]
    uses = [asked, *(find_use("bank", sentence, "sentence") for sentence in marked)]
    layers = read_uses(loaded.encoder, uses).layers.numpy()
    around = np.stack([words_around(loaded.static, use) for use in uses])
    both = view_of("both", layers, loaded.names, around)
    expected = both[1:] @ both[0]
    assert found.layer == found.layers[0] == "both"  # what it opens with stands first
    assert [use.cosine for use in found.uses] == pytest.approx(expected, abs=2e-3)  # the index holds float16
    assert sorted(expected, reverse=True) == pytest.approx(expected, abs=2e-3)
    assert -1 < found.random_pair_cosine < 1


def test_spelling_only_finds_the_same_spelling(session):
    found = session.nearest.uses("bank", "The bank refused the loan.", layer="0")
    assert found.uses[0].token == "bank"
    assert found.uses[0].cosine == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "field", "message"),
    [
        ({"sentence": "No."}, "sentence", "does not contain “bank”"),
        ({"only": "some"}, "only", "Choose all, same, other"),
        ({"layer": "9"}, "layer", "no layer “9”"),
        ({"source": "/etc"}, "source", "to search"),
        ({"n": 0}, "n", "Between 1 and 50"),
        ({"sentence": "bank " * 500}, "sentence", "2,500 characters"),
    ],
)
def test_what_has_no_nearest_uses(session, arguments, field, message):
    with pytest.raises(InputError, match=message) as caught:
        session.nearest.uses(**{"word": "bank", "sentence": "The bank.", **arguments})
    assert caught.value.field == field


def test_ones_own_index_is_searched(session, folder, tmp_path):
    build_index(session.loaded.model().encoder, ["A zebra ran.", "Two banks."], tmp_path / "own", "my letters")
    own = Session(str(folder), index=tmp_path / "own")
    found = own.nearest.uses("bank", "The bank.", only="all")
    assert found.source == "my letters"
    assert found.sources == ("gallery", "my letters")
    assert {use.sentence for use in found.uses} == {"A zebra ran.", "Two banks."}
    with pytest.raises(DataError, match="expected an index"):
        Session(str(folder), index=tmp_path)


def test_ones_own_index_is_mapped(session, folder, tmp_path):
    build_index(session.loaded.model().encoder, ["A zebra ran.", "Two banks."], tmp_path / "own", "my letters")
    maps = Session(str(folder), index=tmp_path / "own").maps
    assert (maps.index_title(), session.maps.index_title()) == ("my letters", "")
    drawn = maps.sense_map(MapRequest("bank", index=True, gallery=False))
    assert [(use.sentence, use.own) for use in drawn.uses] == [("Two banks.", True)]
    assert drawn.n_own == 1
    assert not any(use.own for use in maps.sense_map(MapRequest("bank")).uses)


def test_where_the_cache_cannot_be_written_a_temporary_folder_is_used(folder, tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.write_text("no folder can be below it")
    monkeypatch.setattr(nearest_uses, "cache_folder", lambda: blocked / "cache")
    monkeypatch.setattr(nearest_uses, "temporary_cache", lambda: tmp_path / "temporary")
    assert Session(str(folder)).nearest.uses("bank", "The bank.").uses
    assert (tmp_path / "temporary" / "uses").is_dir()


def test_where_nothing_can_be_written_it_says_so(folder, tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.write_text("no folder can be below it")
    for name in ("cache_folder", "temporary_cache"):
        monkeypatch.setattr(nearest_uses, name, lambda: blocked / "cache")
    with pytest.raises(InputError, match="no folder takes their vectors.*ELMO_TASKS_CACHE"):
        Session(str(folder)).nearest.uses("bank", "The bank.")


def test_nobodys_sentences_are_kept_with_the_vectors(session):
    session.maps.sense_map(MapRequest("zebra", TEXT))
    kept = session.maps._uses._kept
    assert kept
    assert "zebra" not in repr(list(kept))
