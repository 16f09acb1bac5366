"""Several models on the same uses: each by its own numbers, and who is right where the meanings are known."""

from dataclasses import replace

import pytest

from elmo_tasks import compare, side_by_side
from elmo_tasks.errors import ConfigError, InputError
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.comparisons import is_right, known_senses
from elmo_tasks.service.session import Session
from elmo_tasks.text.mentions import find_mention

SENTENCES = ["The bank refused our loan.", "We sat on the bank of the river.", "My bank raised its fees."]


@pytest.fixture(scope="module")
def session():
    return Session()


def test_each_model_answers_as_it_does_alone(session):
    found = session.side_by_side("bank", SENTENCES, ["elmo-mini", "static-mini", "static-joint"])
    assert [one.model for one in found.comparisons] == ["elmo-mini", "static-mini", "static-joint"]
    for comparison in found.comparisons:
        assert comparison == session.compare("bank", SENTENCES, comparison.model)
    static = found.comparisons[1]
    assert all(value == 1.0 for row in static.layers[0].cosine for value in row)
    assert "does not read the sentence" in static.verdict
    assert found.senses == ()
    assert found.right == (None, None, None)
    assert "“static-mini” and “static-joint” do not" in found.agreement


def test_meanings_that_are_given_say_who_is_right(session):
    found = session.side_by_side("bank", SENTENCES, ["elmo-mini", "static-mini"], ["money", "river", "money"])
    comparison = found.comparisons[0]
    assert comparison.groups == ((0, 2), (1,))
    assert found.right == (True, None)
    assert "“static-mini” does not say" in found.agreement
    assert is_right(comparison, ["money", "river", "money"]) is True
    assert is_right(comparison, ["money", "river", "river"]) is False
    assert is_right(replace(comparison, groups=()), ["money", "river", "money"]) is None
    assert is_right(comparison, []) is None


def test_meanings_of_the_sentences_of_this_project_are_known():
    bank = [(sense.key, sentence) for sense in bundled_lexicon()["bank"].senses for sentence in sense.sentences[::5]]
    senses = known_senses([find_mention("bank", sentence) for _, sentence in bank])
    assert senses == tuple(key for key, _ in bank)
    assert len(set(senses)) > 1
    mixed = [find_mention("bank", bank[0][1]), find_mention("bank", SENTENCES[0])]
    assert known_senses(mixed) == ()


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([], "Choose one to 3 different models; there is none"),
        (["elmo-mini", "elmo-mini"], "Choose one to 3 different models; there is “elmo-mini” twice"),
        (["elmo-mini", "gone"], "There is no model “gone” here; there is elmo-mini"),
    ],
)
def test_models_that_cannot_be_compared(session, models, message):
    with pytest.raises(InputError, match=message) as caught:
        session.side_by_side("bank", SENTENCES, models)
    assert caught.value.field == "model"


def test_four_models_are_too_many_and_every_sentence_has_a_meaning(session, monkeypatch):
    with pytest.raises(InputError, match="Expected a meaning for each of the 3 sentences, found 1"):
        session.side_by_side("bank", SENTENCES, ["elmo-mini"], ["money"])
    monkeypatch.setattr(session.loaded, "allowed", lambda model: model)
    with pytest.raises(InputError, match="Choose one to 3 different models; there are 4"):
        session.side_by_side("bank", SENTENCES, list("abcd"))


def test_more_models_of_one_s_own_are_on_offer_by_name(tmp_path):
    vectors = tmp_path / "mine.vec"
    vectors.write_text("2 2\nbank 1 0\nriver 0 1\n", encoding="utf-8")
    session = Session(others=[str(vectors)])
    assert [info.name for info in session.models()][:2] == ["elmo-mini", "mine"]
    assert session.compare("bank", SENTENCES[:2], "mine").layers[0].cosine == ((1.0, 1.0), (1.0, 1.0))
    (tmp_path / "static-mini.vec").write_text("1 2\nbank 1 0\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="two models have one name: static-mini, static-mini"):
        Session("static-mini", others=[str(tmp_path / "static-mini.vec")])
    found = side_by_side("bank", SENTENCES, ["static-mini", vectors])
    assert [one.model for one in found.comparisons] == ["static-mini", "mine"]
    assert found.comparisons[0] == compare("bank", SENTENCES, "static-mini")
    with pytest.raises(InputError, match="there is “mine” twice"):
        side_by_side("bank", SENTENCES, [vectors, vectors])
