import json

import numpy as np
import pytest
import torch

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.senses.use_index import UseIndex, build_index
from tests.bilm.test_bilm import tiny

SENTENCES = ["The bank opened.", "We sat on the banks.", "A dog barked!", "The bank opened .", "Shores are wide."]


@pytest.fixture(scope="module")
def elmo():
    torch.manual_seed(0)
    return Elmo(tiny())


@pytest.fixture(scope="module")
def index(elmo, tmp_path_factory):
    return build_index(elmo, SENTENCES, tmp_path_factory.mktemp("index") / "own", "mine")


@pytest.mark.parametrize("layer", [0, 1, 2, 3])
def test_search_finds_what_comparing_with_all_finds(elmo, index, layer):
    values = elmo.encode(["The old bank."]).values[:, 0, 2]
    query = values[layer] if layer < 3 else values.mean(dim=0)
    best = []
    for sentence in SENTENCES:
        layers = elmo.encode([sentence])
        vectors = layers.values[:, 0]
        vectors = vectors[layer] if layer < 3 else vectors.mean(dim=0)
        words = [k for k, token in enumerate(layers.tokens[0]) if token.isalnum()]
        best.append(max(float(torch.cosine_similarity(vectors[k], query, dim=0)) for k in words))
    hits = index.search(query.numpy(), layer, 5)
    assert [hit.cosine for hit in hits] == pytest.approx(sorted(best, reverse=True), abs=2e-3)
    assert all(hit.use.word for hit in hits)


def test_the_sentence_asked_about_is_left_out(elmo, index):
    query = elmo.encode([SENTENCES[0]]).values[1, 0, 1].numpy()
    assert index.search(query, 1, 1)[0].use.sentence == SENTENCES[0]
    assert index.search(query, 1, 9, leave_out=SENTENCES[0])[0].use.sentence != SENTENCES[0]
    assert index.search(query, 1, 9, leave_out="The  bank\topened. ")[0].use.sentence != SENTENCES[0]


def test_many_copies_of_a_sentence_hide_no_other(elmo, tmp_path):
    copies = build_index(elmo, ["The bank opened."] * 200 + ["We sat on the banks."], tmp_path / "copies", "mine")
    query = elmo.encode(["The bank opened."]).values[1, 0, 1].numpy()
    assert {hit.use.sentence for hit in copies.search(query, 1, 2)} == {"The bank opened.", "We sat on the banks."}


def test_only_this_word_or_only_others(elmo, index):
    query = elmo.encode([SENTENCES[0]]).values[1, 0, 1].numpy()
    same = index.search(query, 1, 9, index.forms_of("Bank"))
    assert {hit.use.word for hit in same} == {"bank", "banks"}
    other = index.search(query, 1, 9, ~index.forms_of("bank"))
    assert not {"bank", "banks", ".", "!"} & {hit.use.word for hit in other}


@pytest.mark.parametrize(("word", "n", "rows"), [("Bank", 9, [0, 1, 3]), ("zebra", 9, []), ("bank", 2, [0, 1])])
def test_uses_of_a_word_are_found_in_any_form_and_taken_at_even_distances(index, word, n, rows):
    uses, total = index.uses_of(word, n)
    assert [use.sentence for use in uses] == [SENTENCES[row] for row in rows]
    assert {use.word for use in uses} <= {"bank", "banks"}
    assert total == (0 if word == "zebra" else 3)


def test_an_index_is_found_again_and_never_mixed(elmo, index):
    folder = index.folder
    assert build_index(elmo, SENTENCES, folder, "mine").description == index.description
    with pytest.raises(ConfigError, match="other text or of another model"):
        build_index(elmo, SENTENCES[:2], folder, "mine")


def test_a_build_that_was_killed_goes_on(elmo, tmp_path, monkeypatch):
    monkeypatch.setattr("elmo_tasks.encoders.batches._BLOCK_TOKENS", 4)
    calls = []

    class Killed(Exception):
        pass

    class Dies:
        name, checksum, n_layers, width = elmo.name, elmo.checksum, elmo.n_layers, elmo.width

        def encode(self, sentences):
            if len(calls) == 2:
                raise Killed
            calls.append(len(sentences))
            return elmo.encode(sentences)

    with pytest.raises(Killed):
        build_index(Dies(), SENTENCES, tmp_path / "i", "mine")
    with pytest.raises(DataError):
        UseIndex(tmp_path / "i")
    shares = []
    whole = build_index(elmo, SENTENCES, tmp_path / "i", "mine", progress=shares.append)
    assert 0 < shares[-1] < 1.0  # what was there is not done again
    assert len(whole) == sum(len(t) for t in elmo.encode(SENTENCES).tokens)


def test_refusals(elmo, tmp_path):
    with pytest.raises(ConfigError, match="nothing to index"):
        build_index(elmo, [], tmp_path / "a", "mine")
    with pytest.raises(ConfigError, match="too many for exact search; the most is 3"):
        build_index(elmo, SENTENCES, tmp_path / "a", "mine", max_tokens=3)
    with pytest.raises(DataError, match=r"expected an index written by"):
        UseIndex(tmp_path)
    (tmp_path / "index.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(DataError, match="version 99"):
        UseIndex(tmp_path)


PARTS = ["lines", "words", "norms", "sentences.txt", "words.txt", "sentence count", "places.npz"]


@pytest.mark.parametrize("part", PARTS)
def test_an_index_with_a_part_that_does_not_fit_is_refused_when_it_is_opened(elmo, tmp_path, part):
    folder = build_index(elmo, SENTENCES, tmp_path / "i", "mine").folder
    message = "do not fit index.json, as after a copy that was cut short"
    if part == "places.npz":
        message = "expected an index written by"
        (folder / part).write_bytes((folder / part).read_bytes()[:200])
    elif part in ("lines", "words", "norms"):
        arrays = dict(np.load(folder / "places.npz"))
        arrays[part] = arrays[part][..., :-1]
        np.savez(folder / "places.npz", **arrays)
    elif part.endswith(".txt"):
        (folder / part).write_text((folder / part).read_text(encoding="utf-8")[:5], encoding="utf-8")
    else:
        about = json.loads((folder / "index.json").read_text())
        (folder / "index.json").write_text(json.dumps(about | {"n_sentences": about["n_sentences"] - 1}))
    with pytest.raises(DataError, match=message):
        UseIndex(folder)
