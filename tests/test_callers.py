"""Wrong arguments from Python: the same errors from every public name, and generators like lists."""

import numpy as np
import pytest

import elmo_tasks
from elmo_tasks import Elmo, ElmoModule, compare, nearest, sentence_similarity, side_by_side
from elmo_tasks.encoders import load
from elmo_tasks.errors import ConfigError, InputError
from elmo_tasks.prediction import load_head
from tests.training.toy_task import write_encoder, write_static, write_untrained


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Each public function as a function of its sentences."""
    folder = tmp_path_factory.mktemp("callers")
    elmo = Elmo.load(write_encoder(folder / "toy"))
    write_static(folder / "vectors")
    write_untrained(folder / "head", folder / "toy", "classification")
    return {
        "encode": elmo.encode,
        "encode_batches": lambda sentences: list(elmo.encode_batches(sentences)),
        "hub_outputs": elmo.hub_outputs,
        "static": load(folder / "vectors").encode,
        "module": ElmoModule(elmo).eval(),  # without dropout, which is random
        "head": load_head(folder / "head").predict,
        "compare": lambda sentences: compare("bank", sentences),
        "side_by_side": lambda sentences: side_by_side("bank", sentences, ["elmo-mini"]),
        "sentence_similarity": sentence_similarity,
    }


NAMES = (
    "encode",
    "encode_batches",
    "hub_outputs",
    "static",
    "module",
    "head",
    "compare",
    "side_by_side",
    "sentence_similarity",
)


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_point_raises_the_same_errors(calls, name):
    good = ["The", "bank"] if name == "module" else "The bank."
    for missing in (None, float("nan")):
        with pytest.raises(
            InputError, match="sentence 2: expected .* found a missing value"
        ) as caught:
            calls[name]([good, missing])
        assert caught.value.field == "sentence 2"
    with pytest.raises(InputError, match="sentence 2: expected .* found int: 7"):
        calls[name]([good, 7])
    with pytest.raises(
        InputError,
        match=r"expected a list of sentences, found one string; put it in a list: \[sent",
    ):
        calls[name]("The bank.")
    with pytest.raises(
        InputError, match=r"found ndarray of 2 dimensions; give one column, such as df\['text'\]"
    ):
        calls[name](np.array([["The bank."], ["A bank."]]))
    with pytest.raises(InputError, match="expected a list of sentences, found NoneType"):
        calls[name](None)


@pytest.mark.parametrize(
    "name", ["encode", "encode_batches", "hub_outputs", "static", "module", "head"]
)
def test_generators_work(calls, name):
    sentences = [["The", "bank"], ["A", "loan"]]
    assert repr(calls[name](words for words in sentences)) == repr(calls[name](sentences))


def test_a_corpus_is_numbered_through(calls):
    elmo = Elmo.load()
    with pytest.raises(InputError, match="sentence 4: expected"):
        list(elmo.encode_batches(["a", "b", "c", None], batch_size=2))


def test_one_word_and_one_sentence():
    with pytest.raises(InputError, match="The word: expected text, found a missing value"):
        compare(None, ["The bank.", "A bank."])
    with pytest.raises(InputError, match="The sentence: expected text, found a missing value"):
        nearest("bank", float("nan"))
    with pytest.raises(
        InputError,
        match="models: expected a list of names or folders, found one string: 'elmo-mini'",
    ):
        side_by_side("bank", ["The bank.", "A bank."], "elmo-mini")


@pytest.mark.parametrize("device", ["gpu", "cuda:99"])
def test_a_missing_device_is_refused(device):
    for call in (
        Elmo.load,
        elmo_tasks.load_encoder,
        lambda device: load_head("ner-conll2003", device=device),
    ):
        with pytest.raises(
            ConfigError, match=f"device '{device}' cannot be used here .*; expected cpu, or cuda"
        ):
            call(device=device)
