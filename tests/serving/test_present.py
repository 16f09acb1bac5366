"""Static neighbours, and a meaning that forms word by word."""

import json

import pytest
import torch
from elmo_tasks.senses.gallery import gallery, gallery_words
from elmo_tasks.senses.marked_vectors import words_around
from elmo_tasks.ui.present_examples import STATIC_WORDS
from torch.nn.functional import normalize

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import InputError
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.serving.session import Session
from elmo_tasks.uses import Use, read_uses

SENTENCE = "The first case of flu was reported on Monday."
SENSES = ["legal", "illness"]


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.fixture(scope="module")
def forms(session):
    return session.present.forms("case", SENTENCE, SENSES)


def test_there_is_one_step_for_each_word_from_the_word_on(forms):
    assert forms.tokens[forms.index] == "case"
    assert [step.words for step in forms.steps] == list(range(3, len(forms.tokens) + 1))
    assert all(forms.sentence[a:b] == token for token, (a, b) in zip(forms.tokens, forms.offsets, strict=True))


def test_each_step_is_the_sentence_up_to_there(session, forms):
    """Against the same numbers worked out one sentence at a time."""
    loaded = session.loaded.model()
    assert forms.layer == loaded.names[loaded.calibration.verdict_layer]
    assert forms.read_from == loaded.calibration.selected_reading.views

    def vector(use):
        read = read_uses(loaded.encoder, [use])
        seen = {
            "words": words_around(loaded.static, use)[None],
            "expected": loaded.expected([use], read),
            forms.layer: normalize(read.layers[int(forms.layer)], dim=-1).numpy(),
        }
        return torch.from_numpy(loaded.calibration.joined(seen.__getitem__))[0].double()

    means = []
    for name in SENSES:
        uses = torch.stack([vector(gallery_use(u)) for u in gallery() if (u.word, u.sense) == ("case", name)])
        means.append(normalize(uses.mean(dim=0), dim=0))
    for step in (forms.steps[0], forms.steps[2], forms.steps[-1]):
        unit = vector(Use.of_tokens(forms.tokens[: step.words], forms.index))
        assert step.cosines == pytest.approx([float(unit @ mean) for mean in means], abs=1e-4)


def test_the_layer_alone_does_less_than_all_that_is_read(session):
    answers = [
        session.present.forms(word, f"The {word} is here.") for word in ("bank", "case", "cell", "crown", "ring")
    ]
    assert sum(answer.right_by_layer for answer in answers) < sum(answer.right for answer in answers)


def test_a_gallery_sentence_is_not_compared_with_itself(session):
    use = next(u for u in gallery() if (u.word, u.sense) == ("case", "illness"))
    answer = session.present.forms("case", use.sentence, SENSES)
    assert [len(part) for part in answer.known] == [8, 7]


def test_exchanged_senses_give_exchanged_numbers(session, forms):
    turned = session.present.forms("case", SENTENCE, SENSES[::-1])
    assert [step.cosines[::-1] for step in turned.steps] == [step.cosines for step in forms.steps]
    assert [step.nearer for step in turned.steps] == [step.nearer for step in forms.steps]


def test_the_spelling_alone_gives_capitals_away(session):
    python = session.present.forms("python", "The python swallowed a rabbit.", ["snake", "language"])
    assert python.right_by_spelling == 16
    assert session.present.forms("bank", "The bank was shut.", ["money", "river"]).right_by_spelling == 0


@pytest.mark.ci
def test_no_side_is_named_where_the_known_uses_do_not_part(session):
    words = [word for word in gallery_words() if len(session.present.senses(word)) > 1][:40]
    answers = [session.present.forms(word, f"The {word} is here.") for word in words]
    unsure = [answer for answer in answers if not answer.can_tell]
    assert unsure
    assert all(step.nearer is None for answer in unsure for step in answer.steps)


def test_the_first_two_senses_are_the_default(session):
    answer = session.present.forms("bank", "The bank was shut.")
    assert [sense.name for sense in answer.senses] == ["money", "river"]


def test_the_answer_is_json(forms):
    answer = forms.to_dict()
    assert list(json.loads(json.dumps(answer))) == list(answer)
    assert list(answer["steps"][0]["read"]) == ["The", "first", "case"]
    assert answer["senses"][1] == {"name": "illness", "gloss": "one instance of a disease"}


@pytest.mark.parametrize(
    ("word", "sentence", "senses", "field", "message"),
    [
        ("house", "A house.", None, "word", "“house” is not among the words whose senses are known"),
        ("case", "No such word.", None, "sentence 1", "does not contain “case”"),
        ("case", "A case.", ["legal", "legal"], "senses", "two different senses of “case”: legal, container, illness"),
        ("case", "A case.", ["legal"], "senses", "two different senses"),
        ("case", "A case.", ["legal", "river"], "senses", "two different senses"),
        ("case", "case " * 41, None, "sentence 1", "41 words; the most is 40"),
        ("case", "case " * 401, None, "sentence 1", "2,005 characters; the most is 2,000"),
    ],
)
def test_what_cannot_be_answered_is_said(session, word, sentence, senses, field, message):
    with pytest.raises(InputError, match=message) as caught:
        session.present.forms(word, sentence, senses)
    assert caught.value.field == field


def test_a_model_that_is_not_on_offer_is_refused(session):
    with pytest.raises(InputError, match="There is no model"):
        session.present.forms("case", SENTENCE, model="/etc")


def test_the_words_of_the_page_have_static_neighbours(session):
    for word in STATIC_WORDS:
        assert len(session.present.neighbours(word).neighbours) == 12


def test_neighbours_are_those_of_the_static_vectors(session):
    found = session.present.neighbours("Bank", 3)
    expected = StaticVectors.load().nearest("Bank", 3)
    assert [(near.word, near.cosine) for near in found.neighbours] == [
        (w, pytest.approx(c, abs=1e-6)) for w, c in expected
    ]
    assert found.to_dict()["neighbours"][0]["word"] == expected[0][0]


@pytest.mark.parametrize(
    ("word", "n", "message"),
    [
        ("qzxqzx", 5, "“qzxqzx” is not among the 36,000 words"),
        ("bank", 0, "Between 1 and 50"),
        ("bank", 51, "Between 1 and 50"),
        ("two words", 5, "more than one word"),
        ("", 5, "Type a word"),
    ],
)
def test_neighbours_that_cannot_be_had(session, word, n, message):
    with pytest.raises(InputError, match=message):
        session.present.neighbours(word, n)


def test_senses_are_those_of_the_gallery(session):
    assert [sense.name for sense in session.present.senses("Bank ")] == ["money", "river", "rely"]
    assert len(session.present.senses("bank")[0].sentences) == 8
    assert session.present.senses("house") == ()


def test_senses_of_an_inflection_are_those_of_its_base(session):
    assert {sense.word for sense in session.present.senses("Tables")} == {"table"}
    assert session.present.senses("banker") == ()  # another word
