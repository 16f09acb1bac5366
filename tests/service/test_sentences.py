"""Whole sentences by each kind of encoder, and by a model that was trained for them."""

import json

import pytest
import torch

from elmo_tasks import sentence_similarity
from elmo_tasks.encoders.transformer import Transformer
from elmo_tasks.encoders.transformer_files import SentenceModel, gives_sentences
from elmo_tasks.errors import ConfigError, InputError, WeightsError
from elmo_tasks.layers import masked_mean
from elmo_tasks.service.comparisons import SENTENCE, compare_sentences
from elmo_tasks.service.loaded_models import OnceCache
from tests.encoders.tiny_transformers import minilm, tiny_bert

SENTENCES = ["We sat on the bank of the river.", "The bank refused a loan.", "A flood of the river."]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return tiny_bert(tmp_path_factory.mktemp("models") / "bert")


def test_a_transformer_at_each_layer(bert):
    encoder = Transformer.load(bert)
    found = compare_sentences(SENTENCES, encoder, OnceCache())
    assert [layer.name for layer in found.layers] == ["0", "1", "2", "mean"]
    layers = encoder.encode([["A", "flood", "of", "the", "river", "."]])
    other = encoder.encode([["The", "bank", "refused", "a", "loan", "."]])
    one, two = (masked_mean(each.values, each.mask)[1, 0] for each in (layers, other))
    assert found.layers[1].cosine[2][1] == pytest.approx(float(torch.cosine_similarity(one, two, dim=0)), abs=1e-5)
    assert f"in {found.layer().reworded}." in found.limits
    assert found.layer().reworded + found.layer().related == max(one.reworded + one.related for one in found.layers)


def test_static_vectors_have_sentences_too():
    found = sentence_similarity(SENTENCES, "static-mini")
    assert [layer.name for layer in found.layers] == ["0"]
    assert found.answer.startswith(("1 and", "2 and"))
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
def test_what_cannot_be_compared(bert, sentences, message):
    encoder = Transformer.load(bert)
    with pytest.raises(InputError, match=message):
        compare_sentences(sentences, encoder, OnceCache())


def test_a_model_of_sentence_transformers_answers_as_it_was_trained():
    package = pytest.importorskip("sentence_transformers", reason="the package sentence-transformers is not installed")
    folder = minilm()
    assert gives_sentences(folder)
    encoder = Transformer.load(folder)
    found = compare_sentences(SENTENCES, encoder, OnceCache())
    assert found.layers[-1].name == SENTENCE
    vectors = package.SentenceTransformer(str(folder), device="cpu").encode(SENTENCES, convert_to_tensor=True)
    expected = torch.cosine_similarity(vectors[0], vectors[1], dim=0).item()
    assert found.layers[-1].cosine[0][1] == pytest.approx(expected, abs=1e-5)
    assert found.layers[-1].related > found.layers[0].related


def test_a_part_with_code_or_pickles_is_not_loaded(tmp_path):
    assert not gives_sentences(None)
    parts = [{"idx": 0, "name": "0", "path": "", "type": "mine.Thing"}]
    (tmp_path / "modules.json").write_text(json.dumps(parts))
    with pytest.raises(ConfigError, match=r"the part 'mine.Thing' is code of its own"):
        SentenceModel(tmp_path)
    (tmp_path / "1_Dense").mkdir()
    (tmp_path / "1_Dense" / "pytorch_model.bin").write_bytes(b"")
    parts = [{"path": "1_Dense", "type": "sentence_transformers.models.Dense"}]
    (tmp_path / "modules.json").write_text(json.dumps(parts))
    with pytest.raises(WeightsError, match=r"expected weights in safetensors, found pytorch_model.bin"):
        SentenceModel(tmp_path)
    (tmp_path / "modules.json").write_text('["a"]')
    with pytest.raises(ConfigError, match="expected a list of parts"):
        SentenceModel(tmp_path)
