"""The session answers, and refuses in plain words."""

import json
import re

import pytest
import torch

from elmo_tasks.api import MeaningSource, Service
from elmo_tasks.errors import ConfigError, InputError
from elmo_tasks.senses.calibration_files import read_calibration
from elmo_tasks.service import loaded_models
from elmo_tasks.service.loaded_models import LoadedModels
from elmo_tasks.service.session import Session
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.tiny import tiny

SENTENCES = ["The bank gave us a loan.", "We sat on the bank of the river.", "A Bank opened."]


@pytest.fixture(scope="module")
def session(folder):
    service: Service = Session(str(folder))
    return service


def test_the_answer_has_the_documented_form(session, folder):
    answer = json.loads(json.dumps(session.compare("bank", SENTENCES).to_dict()))
    documented = (
        "word model items layers source meanings uses groups certainty probability verdict"
        " headline same_meaning"
    )
    assert set(documented.split()) <= answer.keys()
    assert all({"sentence", "tokens", "index", "token"} <= item.keys() for item in answer["items"])
    assert [layer["name"] for layer in answer["layers"]] == ["0", "1", "2", "mean"]
    assert all(
        {"name", "cosine", "norms", "random_pair_cosine"} <= layer.keys()
        for layer in answer["layers"]
    )
    assert (answer["model"], [item["token"] for item in answer["items"]]) == (
        "toy",
        ["bank", "bank", "Bank"],
    )
    assert answer["certainty"] in ("confident", "tentative", "abstain")


def test_layer_0_is_1_for_one_spelling_and_norms_are_lengths(session):
    comparison = session.compare("bank", SENTENCES[:2])
    assert comparison.layers[0].cosine == ((1.0, 1.0), (1.0, 1.0))
    assert comparison.layers[1].cosine[0][1] < 1.0
    comparison = session.compare("bank", ["A bank.", *SENTENCES[:2]])
    elmo = session.loaded.model().encoder
    for row, judged in enumerate(comparison.uses):
        vectors = elmo.encode([judged.use.sentence]).values[:, 0, : len(judged.use.tokens)]
        wanted = [*vectors.norm(dim=-1), vectors.mean(dim=0).norm(dim=-1)]
        for layer, lengths in zip(comparison.layers, wanted, strict=True):
            assert layer.token_norms[row] == pytest.approx(lengths.tolist(), abs=1e-3)
            assert layer.norms[row] == pytest.approx(
                float(lengths[judged.use.token_start]), abs=1e-5
            )


def test_brackets_mark_another_word_and_several_places_are_offered(session):
    comparison = session.compare("bank", ["The bank by the bank.", "We walked along the [shore]."])
    assert (comparison.uses[1].use.token, comparison.uses[1].use.sentence) == (
        "shore",
        "We walked along the shore.",
    )
    assert comparison.layers[0].cosine[0][1] < 1.0
    assert comparison.uses[0].use.token_start == 1
    (choice,) = comparison.uses[0].use.choices
    assert choice.sentence == "The bank by the [bank]."
    assert session.compare("bank", [choice.sentence, SENTENCES[0]]).uses[0].use.token_start == 4


@pytest.mark.parametrize(
    ("word", "sentences", "field", "message"),
    [
        ("", SENTENCES, "word", "Type a word to compare"),
        ("bank", [], "sentences", "Comparing takes 2 to 12 sentences; there is no sentence"),
        (
            "bank",
            SENTENCES[:1],
            "sentences",
            "Comparing takes 2 to 12 sentences; there is one sentence",
        ),
        (
            "bank",
            SENTENCES * 5,
            "sentences",
            "Comparing takes 2 to 12 sentences; there are 15 sentences",
        ),
        ("bank", [SENTENCES[0], ""], "sentence 2", "Sentence 2 is empty"),
        (
            "bank",
            [SENTENCES[0], "Nothing here."],
            "sentence 2",
            "Sentence 2 does not contain “bank”",
        ),
        (
            "bank",
            [SENTENCES[0], "bank " * 500],
            "sentence 2",
            "Sentence 2 has 2,500 characters; the most is 2,000",
        ),
        (
            "bank",
            [SENTENCES[0], "a " * 300 + "bank"],
            "sentence 2",
            "Sentence 2 has 301 words; the most is 200",
        ),
        (
            "bank",
            [SENTENCES[0], "<script>alert(1)</script>"],
            "sentence 2",
            "does not contain “bank”",
        ),
        ("🙂", SENTENCES, "sentence 1", "Sentence 1 does not contain “🙂”"),
        ("?!", SENTENCES, "word", "is not a word or phrase"),
    ],
)
def test_bad_requests_name_their_field(session, word, sentences, field, message):
    with pytest.raises(InputError, match=message) as caught:
        session.compare(word, sentences)
    assert caught.value.field == field


def test_an_inflected_form_is_accepted_and_another_word_offered(session):
    assert (
        session.compare("bank", [SENTENCES[0], "Both banks were closed."]).uses[1].use.token
        == "banks"
    )
    with pytest.raises(InputError, match="but it has “banker”") as caught:
        session.compare("bank", [SENTENCES[0], "The banker was late."])
    assert caught.value.choices[0].sentence == "The [banker] was late."


def test_a_model_is_named_and_a_request_cannot_open_a_folder(session, tmp_path):
    assert session.loaded.default == session.models()[0].name == "toy"
    assert session.compare("bank", SENTENCES, model="toy") == session.compare("bank", SENTENCES)
    with pytest.raises(InputError, match="There is no model “.*” here"):
        session.compare("bank", SENTENCES, model=str(tmp_path))
    with pytest.raises(ConfigError, match="there is no model"):
        Session(str(tmp_path / "nowhere"))


def test_a_calibration_is_kept_and_other_weights_get_their_own(session, tmp_path, caplog):
    senses = session.loaded.model().senses
    kept = loaded_models.cached_folder(senses.calibration.checksum)
    found, centroids = read_calibration(kept, senses.calibration.checksum)
    assert found.weights == senses.calibration.weights
    assert centroids
    bilm = tiny()
    with torch.no_grad():
        bilm.token_encoder.projection.bias += 1
    write_model(tmp_path / "other", bilm)
    other = Session(str(tmp_path / "other")).loaded.model()
    assert other.senses.calibration.checksum != senses.calibration.checksum
    assert re.search(
        r"other: this model is calibrated on the dictionary once, which"
        r" takes (about|a few) .*; "
        r"the result is kept in .*\. To skip this: --no-calibration",
        caplog.text,
    )


def test_without_calibration_no_meanings_are_given(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path / "cache"))
    session = Session(LoadedModels(str(folder), may_measure=False))
    answer = session.compare("bank", SENTENCES[:2])
    assert str(answer.message).startswith("No meanings are given: “toy” was not calibrated.")
    assert (answer.groups, answer.same_meaning, answer.source) == ((), (), MeaningSource.NONE)
    assert "was not calibrated" in session.disambiguate(SENTENCES[0]).message.headline
    assert 0 < answer.layers[-1].random_pair_cosine < 1
    assert not (tmp_path / "cache").exists()
    assert session.explain("bank", SENTENCES[:2]).layer == answer.verdict_layer


def test_a_capital_makes_no_other_word(session):
    comparison = session.compare(
        "bank", ["The bank opened.", "The Bank opened.", "The BANK opened."]
    )
    assert not comparison.spellings_differ
    assert (
        session.compare("run", ["He [ran] home.", "She is [running] home."]).spellings_differ
        is False
    )
    hebrew = session.compare("שלום", ["שלום עולם", "הוא אמר שלום"])
    assert (hebrew.groups, hebrew.source) == ((), MeaningSource.NONE)
    assert "reads only English" in str(hebrew.message)
    assert "reads only English" in session.language_warning(["שלום עולם"])
    assert session.language_warning(["The bank opened.", ""]) == ""
