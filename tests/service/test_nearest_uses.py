"""Nearest uses before the dictionary has been read, and uses in one meaning."""

import threading

import pytest

from elmo_tasks.api import NearestRequest
from elmo_tasks.errors import InputError
from elmo_tasks.senses.use_index import build_index
from elmo_tasks.service import nearest_uses
from elmo_tasks.service.session import Session


def test_a_first_search_does_not_wait_until_the_dictionary_is_read(folder, monkeypatch, tmp_path):
    session, may_go_on = Session(str(folder)), threading.Event()
    made = nearest_uses._dictionary_index
    monkeypatch.setattr(nearest_uses, "_INDEX_WAIT_SECONDS", 0.05)
    monkeypatch.setattr(
        nearest_uses, "_one_of_each_meaning", lambda: ["A lake shore.", "The bank was shut."]
    )
    monkeypatch.setattr(
        nearest_uses, "_dictionary_index", lambda *given: may_go_on.wait(60) and made(*given)
    )
    monkeypatch.setenv(nearest_uses.CACHE_VARIABLE, str(tmp_path))
    sentence = "We sat on the bank of the river."
    first = session.nearest(NearestRequest("bank", sentence, complete=False))
    assert not first.is_complete
    assert first.uses
    assert all(use.same_word for use in first.uses)
    may_go_on.set()
    whole = session.nearest(NearestRequest("bank", sentence))
    assert whole.is_complete
    assert whole.n_tokens > first.n_tokens
    assert session.nearest(NearestRequest("bank", sentence, complete=False)).is_complete


RIVER = [
    "Herons nested on the muddy bank of the river.",
    "They tied the boat to a tree on the grassy banks.",
    "We fished from the bank until the stream rose.",
]
MONEY = [
    "The bank lends money at a high rate of interest.",
    "She opened an account at the bank in town.",
    "Both banks refused to give us a loan.",
]


@pytest.fixture(scope="module")
def indexed(session, tmp_path_factory):
    """The bundled model with an index of six uses of a word."""
    folder = tmp_path_factory.mktemp("index") / "own"
    encoder = session.loaded.model().encoder
    build_index(encoder, [*RIVER, *MONEY, "A dog barked at the moon."], folder, "mine")
    return Session(session.loaded, index=folder)


def test_the_uses_of_a_word_in_one_meaning(indexed):
    found = indexed.nearest(NearestRequest("bank", meaning="river"))
    assert {near.use.sentence for near in found.uses} == set(RIVER)
    assert {near.sense for near in found.uses} == {"river"}
    assert all(near.probability for near in found.uses)
    assert [near.cosine for near in found.uses] == sorted(
        (near.cosine for near in found.uses), reverse=True
    )
    assert (found.n_tokens, found.n_judged, found.meaning, found.only) == (6, 6, "river", "same")
    assert {"river", "money"} <= set(found.meanings)
    assert str(found.message) == (
        "3 uses in the meaning “river” were found. The meaning of all 6 uses of “bank” was computed."
    )
    one = indexed.nearest(NearestRequest("bank", meaning="money", layer="1", n=1))
    assert one.uses[0].use.sentence in MONEY
    assert one.message.details.endswith("The 1 nearest are shown.")


def test_a_meaning_beside_a_sentence_keeps_its_uses_alone(indexed):
    sentence = "We sat on the bank of the river."
    whole = indexed.nearest(NearestRequest("bank", sentence, only="same"))
    kept = indexed.nearest(NearestRequest("bank", sentence, meaning="money"))
    assert kept.use.sentence == sentence
    assert [near.use for near in kept.uses] == [
        near.use for near in whole.uses if near.sense == "money"
    ]


def test_more_uses_than_are_judged(indexed, monkeypatch):
    monkeypatch.setattr(nearest_uses, "_MAX_JUDGED", 2)
    found = indexed.nearest(NearestRequest("bank", meaning="river"))
    assert (len(found.uses), found.n_judged) == (2, 2)
    assert "Of 6 uses of “bank”, the 2 nearest had their meaning computed" in found.message.details


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (NearestRequest("bank", meaning="rivr"), "no meaning “rivr” of “bank”; there is money, ri"),
        (NearestRequest("zorg", meaning="river"), "it lists none of this word"),
        (NearestRequest("bank", meaning="river", only="other"), "Choose all or same"),
        (NearestRequest("bank"), "sentence"),
    ],
)
def test_an_unknown_meaning(indexed, request_, message):
    with pytest.raises(InputError, match=message):
        indexed.nearest(request_)


def test_a_model_without_meanings():
    with pytest.raises(InputError, match="“static-mini” names no meanings"):
        Session("static-mini").nearest(NearestRequest("bank", meaning="river"))


def test_a_phrase_is_found_where_one_of_its_words_is(session, tmp_path):
    encoder = session.loaded.model().encoder
    sentences = ["We ran out of milk this morning.", "They went out to the garden in the rain."]
    build_index(encoder, sentences, tmp_path / "own", "mine")
    found = Session(session.loaded, index=tmp_path / "own").nearest(
        NearestRequest("run out", "We have run out of bread.")
    )
    assert {(near.use.word, near.same_word) for near in found.uses if near.same_word} == {
        ("ran out", True)
    }
    assert found.message.details.startswith("The nearest use is of “ran out”")


def test_of_a_sentence_that_is_not_english_no_meaning_is_told(indexed):
    found = indexed.nearest(NearestRequest("Bank", "Die Bank hat den Kredit abgelehnt."))
    assert (found.sense, found.probability) == ("", None)
    assert indexed.nearest(NearestRequest("bank", "The bank lent us money.")).sense == "money"
