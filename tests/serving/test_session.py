"""The session answers, and refuses in plain words."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from elmo_tasks.senses.calibration import Calibration
from elmo_tasks.senses.marked_vectors import VERDICT, density_of, marked_vectors
from elmo_tasks.serving.calibrations import cached_path, load_calibration, write_calibration

from elmo_tasks.api import Service
from elmo_tasks.errors import ConfigError, InputError
from elmo_tasks.senses.expected_words import EXPECTED
from elmo_tasks.serving import calibrations
from elmo_tasks.serving.asked_uses import use_of
from elmo_tasks.serving.session import Session
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.test_bilm import tiny

SENTENCES = ["The bank gave us a loan.", "We sat on the bank of the river.", "A Bank opened."]


@pytest.fixture(scope="module")
def session(folder):
    service: Service = Session(str(folder))
    return service


def test_the_answer_has_the_documented_form(session, folder):
    answer = session.compare("bank", SENTENCES).to_dict()
    assert list(answer) == [
        "word",
        "model",
        "items",
        "layers",
        "groups",
        "groups_if_several",
        "voice",
        "probability",
        "verdict",
        "headline",
        "read_from",
        "same_meaning",
    ]
    assert [list(item) for item in answer["items"]] == [["sentence", "tokens", "index", "token"]] * 3
    assert [layer["name"] for layer in answer["layers"]] == ["0", "1", "2", "mean"]
    assert [list(layer) for layer in answer["layers"]] == [["name", "cosine", "norms", "random_pair_cosine"]] * 4
    assert answer["model"] == "toy"
    assert [item["token"] for item in answer["items"]] == ["bank", "bank", "Bank"]
    assert json.loads(json.dumps(answer)) == answer


def test_layer_0_is_1_for_one_spelling_and_norms_are_lengths(session):
    comparison = session.compare("bank", SENTENCES[:2])
    assert comparison.layers[0].cosine == ((1.0, 1.0), (1.0, 1.0))
    assert comparison.layers[1].cosine[0][1] < 1.0
    elmo = session.loaded.model().encoder
    vectors = elmo.encode([SENTENCES[0]]).values[:, 0, 1]
    assert [layer.norms[0] for layer in comparison.layers[:3]] == pytest.approx(vectors.norm(dim=-1).tolist(), abs=1e-5)
    assert comparison.layers[3].norms[0] == pytest.approx(vectors.mean(dim=0).norm().item(), abs=1e-5)


def test_brackets_mark_another_word(session):
    comparison = session.compare("bank", [SENTENCES[0], "We walked along the [shore]."])
    assert comparison.items[1].token == "shore"
    assert comparison.items[1].sentence == "We walked along the shore."
    assert comparison.layers[0].cosine[0][1] < 1.0


def test_several_places_are_offered(session):
    comparison = session.compare("bank", ["The bank by the bank.", SENTENCES[0]])
    assert comparison.items[0].index == 1
    (choice,) = comparison.items[0].choices
    assert choice.sentence == "The bank by the [bank]."
    assert session.compare("bank", [choice.sentence, SENTENCES[0]]).items[0].index == 4


@pytest.mark.parametrize(
    ("word", "sentences", "field", "message"),
    [
        ("", SENTENCES, "word", "Type a word to compare"),
        ("bank", [], "sentences", "Comparing takes 2 to 12 sentences; there is no sentence"),
        ("bank", SENTENCES[:1], "sentences", "Comparing takes 2 to 12 sentences; there is one sentence"),
        ("bank", SENTENCES * 5, "sentences", "Comparing takes 2 to 12 sentences; there are 15 sentences"),
        ("bank", [SENTENCES[0], ""], "sentence 2", "Sentence 2 is empty"),
        ("bank", [SENTENCES[0], "Nothing here."], "sentence 2", "Sentence 2 does not contain “bank”"),
        ("bank", [SENTENCES[0], "bank " * 500], "sentence 2", "Sentence 2 has 2,500 characters; the most is 2,000"),
        ("bank", [SENTENCES[0], "a " * 300 + "bank"], "sentence 2", "Sentence 2 has 301 words; the most is 200"),
        ("bank", [SENTENCES[0], "<script>alert(1)</script>"], "sentence 2", "does not contain “bank”"),
        ("🙂", SENTENCES, "sentence 1", "Sentence 1 does not contain “🙂”"),
        ("?!", SENTENCES, "word", "is not a word"),
    ],
)
def test_what_cannot_be_answered_is_said_at_the_field(session, word, sentences, field, message):
    with pytest.raises(InputError, match=message) as caught:
        session.compare(word, sentences)
    assert caught.value.field == field


def test_an_inflected_form_is_taken_and_another_word_offered(session):
    assert session.compare("bank", [SENTENCES[0], "Both banks were closed."]).items[1].token == "banks"
    with pytest.raises(InputError, match="but it has “banker”") as caught:
        session.compare("bank", [SENTENCES[0], "The banker was late."])
    assert caught.value.choices[0].sentence == "The [banker] was late."


def test_a_request_cannot_open_a_folder(session, tmp_path):
    with pytest.raises(InputError, match="There is no model “.*” here"):
        session.compare("bank", SENTENCES, model=str(tmp_path))


def test_a_model_from_a_folder_goes_by_its_name(session, folder):
    assert session.loaded.default == "toy"
    assert session.models()[0].name == "toy"
    assert session.compare("bank", SENTENCES, model="toy") == session.compare("bank", SENTENCES)


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="there is no model"):
        Session(str(tmp_path / "nowhere")).compare("bank", SENTENCES)


@pytest.mark.slow
def test_calibration_is_kept_and_renewed_for_other_weights(session, tmp_path, monkeypatch):
    known = session.loaded.model().calibration
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path / "cache"))
    write_calibration(known, cached_path(known.checksum))
    elmo, static = session.loaded.model().encoder, session.loaded.static()
    kept = cached_path(known.checksum)
    before = kept.stat().st_mtime_ns
    assert load_calibration(elmo, static, None) == known
    assert kept.stat().st_mtime_ns == before
    kept.write_text("{}")
    assert load_calibration(elmo, static, None) == known
    bilm = tiny()
    with torch.no_grad():
        bilm.token_encoder.projection.bias += 1
    write_model(tmp_path / "other", bilm)
    (tmp_path / "other" / "calibration.json").write_text(kept.read_text())  # of the first model
    other = Session(str(tmp_path / "other"))
    other.compare("bank", SENTENCES)
    assert other.loaded.model().calibration.checksum != known.checksum


def test_what_is_measured_says_what_it_does_and_for_how_long(folder, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path))
    monkeypatch.setattr(calibrations, "measure", lambda *arguments: Calibration.unmeasured(["0", "mean"], [0, 0], {}))
    Session(str(folder)).loaded.model()
    assert re.search(
        r"toy: measuring once what a cosine means in this model: up to [\d,]+ words of sentences with known senses are read, "
        rf"which takes (about \d+|a few) \w+; the result is kept in {tmp_path}/.*\. To go without: --no-calibration",
        caplog.text,
    )


def test_a_slow_model_reads_every_everyday_word_and_a_quarter_of_the_gallery(folder, monkeypatch):
    model = Session(str(folder), may_measure=False).loaded.model()
    shares: list[float] = []
    some = calibrations.known_uses(model.encoder, model.static, None, shares.append, seconds=0.0)
    assert 0.4 < shares[-1] < 0.7
    whole = calibrations.known_uses(model.encoder, model.static, None, shares.append)
    assert shares[-1] == 1.0
    everyday = [key for key in whole if key.endswith("/everyday")]
    assert len(some) - len(everyday) == (len(whole) - len(everyday)) / 4
    assert set(some) >= set(everyday)
    key = next(iter(some))
    torch.testing.assert_close(some[key].vectors, whole[key].vectors)


def test_without_calibration_nothing_is_measured_and_nothing_said_of_meanings(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(calibrations, "measure", None)
    session = Session(str(folder), may_measure=False)
    answer = session.compare("bank", SENTENCES[:2])
    assert answer.verdict.startswith(
        "What a cosine means in this model was not measured, so nothing is said of meanings."
    )
    assert (answer.groups, answer.same_meaning) == ((), ())
    assert 0 < answer.layers[-1].random_pair_cosine < 1
    assert not (tmp_path / "cache").exists()
    page_of_why = session.why.explain("bank", SENTENCES[:2])
    assert page_of_why.layer == answer.verdict_layer
    assert session.present.forms("bank", SENTENCES[0]).word == "bank"
    assert session.nearest.uses("bank", SENTENCES[0]).uses


def test_groups_are_named_for_one_spelling_only(session):
    comparison = session.compare("bank", ["The bank opened.", "The Bank opened.", "The BANK opened."])
    assert comparison.groups == ()
    assert "The spellings differ" in comparison.verdict
    assert comparison.read_from == (comparison.verdict_layer,)  # its cosines alone rank them
    assert comparison.spellings_differ
    hebrew = session.compare("שלום", ["שלום עולם", "הוא אמר שלום"])
    assert hebrew.groups == ()
    assert "English words only" in hebrew.verdict


def test_the_verdict_reads_the_vectors_that_the_calibration_was_fitted_on():
    session = Session()  # the bundled model, which has its output layer
    sentences = [
        "The bank refused our loan because my salary was too low.",
        "Herons were nesting in the reeds along the muddy bank of the river.",
        "The bank raised its interest rates twice last year.",
        "An old willow stood on the left bank of the river.",
    ]
    comparison, loaded = session.compare("bank", sentences), session.loaded.model()
    uses = [use_of(item) for item in comparison.items]
    vectors = marked_vectors(loaded.encoder, loaded.static, uses, expected=loaded.expected)
    selected = loaded.calibration.selected_reading
    assert comparison.read_from == selected.views
    assert EXPECTED in selected.views
    cosines = []
    for view in selected.views:
        found = vectors.view(view)
        cosines.append(
            loaded.calibration.cosines(view, found) if view in loaded.calibration.centres else found @ found.T
        )
    density = np.array([density_of(loaded.static, use) for use in uses])
    expected = selected.grouping.decide(cosines, vectors.told, density).same
    assert np.array(comparison.same_meaning) == pytest.approx(expected, abs=5e-3)  # one of the two is in float16
    assert comparison.groups == ((0, 2), (1, 3))
    # The same as one vector each, as evaluate compares uses, ranks pairs as the regression on pairs does.
    joined = replace(vectors, calibration=loaded.calibration).view(VERDICT)
    pairs = [(a, b) for b in range(4) for a in range(b)]
    few = [sum(w * c[a][b] for w, c in zip(selected.same_sense.weights_of_few, cosines, strict=True)) for a, b in pairs]
    if min(selected.same_sense.weights_of_few) > 0:
        assert np.argsort([joined[a] @ joined[b] for a, b in pairs]).tolist() == np.argsort(few).tolist()


def test_of_what_could_not_be_read_nothing_is_said_to_be_read(session):
    comparison = session.compare("мир", ["Мы хотим мир во всём мире.", "Весь мир узнал об этом."])
    assert comparison.read_from == comparison.groups == ()
