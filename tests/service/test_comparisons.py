"""Comparisons by several models, each with its own calibration, and of whole sentences."""

import json

import numpy as np
import pytest
import torch

from elmo_tasks import compare, sentence_similarity, side_by_side
from elmo_tasks.encoders.transformer import Transformer
from elmo_tasks.encoders.transformer_files import SentenceModel, gives_sentences
from elmo_tasks.errors import ConfigError, InputError, WeightsError
from elmo_tasks.layers import masked_mean
from elmo_tasks.messages.meanings import UNKNOWN_WORDS, not_english_answer
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.comparisons import (
    SENTENCE,
    are_one_word,
    compare_sentences,
    is_right,
    known_senses,
)
from elmo_tasks.service.loaded_models import LoadedModels, OnceCache
from elmo_tasks.service.session import Session
from elmo_tasks.text.mentions import find_mention
from tests.encoders.tiny_transformers import minilm, tiny_bert

WHOLE = ["We sat on the bank of the river.", "The bank refused a loan.", "A flood of the river."]
SENTENCES = [
    "The bank refused our loan.",
    "We sat on the bank of the river.",
    "My bank raised its fees.",
]


def test_each_model_answers_as_it_does_alone(session):
    found = session.side_by_side("bank", SENTENCES, ["elmo-mini", "static-mini", "static-joint"])
    assert [one.model for one in found.comparisons] == ["elmo-mini", "static-mini", "static-joint"]
    for comparison in found.comparisons:
        assert comparison == session.compare("bank", SENTENCES, comparison.model)
    assert found.senses == ()
    assert found.right == (None, None, None)
    assert "“static-mini” and “static-joint” do not" in found.message.headline


def test_given_meanings_decide_which_model_is_right(session):
    found = session.side_by_side(
        "bank", SENTENCES, ["elmo-mini", "static-mini"], ["money", "river", "money"]
    )
    comparison = found.comparisons[0]
    assert comparison.groups == ((0, 2), (1,))
    assert found.right == (True, None)
    assert "“static-mini” does not say" in found.message.headline
    assert is_right(comparison, ["money", "river", "river"]) is False
    assert is_right(comparison, []) is None


def test_meanings_of_the_sentences_of_this_project_are_known():
    bank = [
        (sense.key, sentence)
        for sense in bundled_lexicon()["bank"].senses
        for sentence in sense.sentences[::5]
    ]
    senses = known_senses([find_mention("bank", sentence) for _, sentence in bank])
    assert senses == tuple(key for key, _ in bank)
    assert len(set(senses)) > 1
    mixed = [find_mention("bank", bank[0][1]), find_mention("bank", SENTENCES[0])]
    assert known_senses(mixed) == ()


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([], "Choose one to 3 different models; there are none"),
        (
            ["elmo-mini", "elmo-mini"],
            "Choose one to 3 different models; there is “elmo-mini” twice",
        ),
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


def test_further_models_are_offered_by_name(tmp_path):
    vectors = tmp_path / "mine.vec"
    vectors.write_text("2 2\nbank 1 0\nriver 0 1\n", encoding="utf-8")
    session = Session(LoadedModels(others=[str(vectors)]))
    assert [info.name for info in session.models()][:2] == ["elmo-mini", "mine"]
    assert session.compare("bank", SENTENCES[:2], "mine").layers[0].cosine == (
        (1.0, 1.0),
        (1.0, 1.0),
    )
    (tmp_path / "static-mini.vec").write_text("1 2\nbank 1 0\n", encoding="utf-8")
    with pytest.raises(
        ConfigError, match="two models have the same name: static-mini, static-mini"
    ):
        LoadedModels("static-mini", others=[str(tmp_path / "static-mini.vec")])
    found = side_by_side("bank", SENTENCES, ["static-mini", vectors])
    assert [one.model for one in found.comparisons] == ["static-mini", "mine"]
    assert found.comparisons[0] == compare("bank", SENTENCES, "static-mini")
    with pytest.raises(InputError, match="there is “mine” twice"):
        side_by_side("bank", SENTENCES, [vectors, vectors])


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return Transformer.load(tiny_bert(tmp_path_factory.mktemp("models") / "bert"))


def test_a_transformer_at_each_layer(bert):
    found = compare_sentences(WHOLE, bert, OnceCache())
    assert [layer.name for layer in found.layers] == ["0", "1", "2", "mean"]
    layers = bert.encode([["A", "flood", "of", "the", "river", "."]])
    other = bert.encode([["The", "bank", "refused", "a", "loan", "."]])
    one, two = (masked_mean(each.values, each.mask)[1, 0] for each in (layers, other))
    assert found.layers[1].cosine[2][1] == pytest.approx(
        float(torch.cosine_similarity(one, two, dim=0)), abs=1e-5
    )
    assert f"in {found.layer().reworded}." in found.message.details
    assert found.layer().reworded + found.layer().related == max(
        one.reworded + one.related for one in found.layers
    )


def test_static_vectors_have_sentences_too():
    found = sentence_similarity(WHOLE, "static-mini")
    assert [layer.name for layer in found.layers] == ["0"]
    assert found.message.headline.startswith(("Sentences 1 and", "Sentences 2 and"))
    assert 0 < found.layers[0].cosine[0][1] < 1
    assert json.loads(json.dumps(found.to_dict()))["model"] == "static-mini"


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["One."], "Comparing takes 2 to 12 sentences; there is one sentence"),
        (["One.", " "], "Sentence 2 is empty"),
        (["One.", "a " * 300], "Sentence 2 has 300 words; the most is 200"),
        (["One.", "a" * 3000], "Sentence 2 has 3,000 characters"),
    ],
)
def test_sentences_that_cannot_be_compared(bert, sentences, message):
    with pytest.raises(InputError, match=message):
        compare_sentences(sentences, bert, OnceCache())


def test_a_model_of_sentence_transformers_answers_as_it_was_trained():
    package = pytest.importorskip(
        "sentence_transformers", reason="the package sentence-transformers is not installed"
    )
    folder = minilm()
    assert gives_sentences(folder)
    encoder = Transformer.load(folder)
    found = compare_sentences(WHOLE, encoder, OnceCache())
    assert found.layers[-1].name == SENTENCE
    vectors = package.SentenceTransformer(str(folder), device="cpu").encode(
        WHOLE, convert_to_tensor=True
    )
    expected = torch.cosine_similarity(vectors[0], vectors[1], dim=0).item()
    assert found.layers[-1].cosine[0][1] == pytest.approx(expected, abs=1e-5)
    assert found.layers[-1].related > found.layers[0].related


def test_a_part_with_code_or_pickles_is_not_loaded(tmp_path):
    assert not gives_sentences(None)
    parts = [{"idx": 0, "name": "0", "path": "", "type": "mine.Thing"}]
    (tmp_path / "modules.json").write_text(json.dumps(parts))
    with pytest.raises(ConfigError, match=r"the part 'mine.Thing' has its own code"):
        SentenceModel(tmp_path)
    (tmp_path / "1_Dense").mkdir()
    (tmp_path / "1_Dense" / "pytorch_model.bin").write_bytes(b"")
    parts = [{"path": "1_Dense", "type": "sentence_transformers.models.Dense"}]
    (tmp_path / "modules.json").write_text(json.dumps(parts))
    with pytest.raises(
        WeightsError, match=r"expected weights in safetensors, found pytorch_model.bin"
    ):
        SentenceModel(tmp_path)
    (tmp_path / "modules.json").write_text('["a"]')
    with pytest.raises(ConfigError, match="expected a list of parts"):
        SentenceModel(tmp_path)


def test_forms_of_a_phrase_are_one_word():
    assert are_one_word(["hot dog", "Hot dogs"])
    assert are_one_word(["run out", "ran out", "running out"])
    assert not are_one_word(["hot dog", "hot cat"])


@pytest.mark.parametrize(
    "spellings",
    [
        ["email", "e-mails"],
        ["ice cream", "ice-cream", "Ice creams"],
        ["resume", "résumés"],
        ["driver's license", "driver’s license"],
    ],
)
def test_hyphens_apostrophes_and_accents_make_no_other_word(spellings):
    assert are_one_word(spellings)
    assert not are_one_word(["every day", "everyday"])


def test_an_expression_is_distinguished_from_its_literal_words(session):
    found = session.compare(
        "piece of cake", ["The exam was a piece of cake.", "She ate a piece of cake with her tea."]
    )
    assert [meaning.gloss for meaning in found.meanings] == [
        "something very easy",
        "its words as usual, not the expression",
    ]
    assert [use.meant.best for use in found.uses] == [0, 1]
    assert found.message.headline == "“piece of cake” has two meanings here."


def test_the_headline_of_a_word_in_an_expression_counts_ways(session):
    found = session.compare("dog", ["It is raining cats and dogs.", "The dog chased the cat."])
    assert found.message.headline == "“dog” is used in two ways here."


def test_an_idiom_is_named_with_its_meaning(session):
    found = session.compare(
        "back to square one", ["We are back to square one.", "It sent them back to square one."]
    )
    assert found.message.headline == (
        "“back to square one” has one meaning in the dictionary: at the beginning again."
    )


def test_the_object_of_a_split_expression_keeps_its_meaning(session):
    found = session.compare(
        "driver", ["He took the driver out of his golf bag.", "The bus driver smiled."]
    )
    assert {meaning.word for meaning in found.meanings} == {"driver"}
    found = session.compare(
        "took", ["He took the driver out of his golf bag.", "She took my hand."]
    )
    assert "take out" in {meaning.word for meaning in found.meanings}


@pytest.mark.parametrize(
    ("word", "sentences"),
    [
        ("fine", ["I got a parking fine.", "I'm fine, thanks.", "Use fine sand."]),
        ("Jordan", ["Petra lies in Jordan.", "Jordan scored twice."]),
        ("java", ["Java runs on Linux.", "They grow coffee on Java."]),
        ("banana", ["She went bananas.", "I ate a banana."]),
    ],
)
def test_a_few_common_words_are_english_whatever_their_letters_look_like(session, word, sentences):
    assert "only English" not in session.compare(word, sentences).message.headline
    assert session.language_warning(["Er hat den Rock an."]).endswith("seems to be in German.")
    assert session.language_warning(["Petra wohnt in Jordan."]).endswith("seems to be in German.")


def test_a_language_is_named_by_all_its_sentences(session):
    texts = ["Fui al mercado.", "Compro pan todos los días en el mercado de mi barrio."]
    assert session.language_warning(texts).endswith("seems to be in Spanish.")


def test_a_language_without_a_name_is_not_called_unknown_words():
    assert not_english_answer("another language").headline.endswith("in another language.")
    assert not_english_answer(UNKNOWN_WORDS).headline.endswith("are not common English words.")


def test_a_name_has_a_warning_that_people_may_share_it(session):
    found = session.compare("Toulouse", ["Toulouse is lovely.", "They met Toulouse Lautrec."])
    assert "of one name can seldom be distinguished" in found.message.details
    others = [
        ("skibidi", ["That song is so skibidi.", "He says skibidi all day."]),
        ("COVID", ["She caught COVID in 2021.", "COVID closed the schools."]),
    ]
    for word, sentences in others:
        found = session.compare(word, sentences)
        assert found.source.value == "unlisted"
        assert "of one name" not in found.message.details


def test_a_mix_of_one_layer_alone_has_the_random_words_of_that_layer(session):
    found = session.compare("bank", ["The bank lends money.", "The bank of the river is muddy."])
    for k, layer in enumerate(found.layers[:-1]):
        products = np.array(found.views.random_products[k][k])
        lengths = np.sqrt(np.diag(products))
        cosine = products / np.outer(lengths, lengths)
        apart = ~np.eye(len(cosine), dtype=bool)
        assert cosine[apart].mean() == pytest.approx(layer.random_pair_cosine, abs=0.015)
