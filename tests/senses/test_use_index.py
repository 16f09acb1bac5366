import json
from functools import partial

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.senses.fast_search import write_fast_search
from elmo_tasks.senses.use_index import UseIndex, build_index
from tests.bilm.tiny import tiny

SENTENCES = [
    "The bank opened.",
    "We sat on the banks.",
    "A dog barked!",
    "The bank opened .",
    "Shores are wide.",
]


@pytest.fixture(scope="module")
def elmo():
    torch.manual_seed(0)
    return Elmo(tiny())


@pytest.fixture(scope="module")
def index(elmo, tmp_path_factory):
    return build_index(elmo, SENTENCES, tmp_path_factory.mktemp("index") / "own", "mine")


@pytest.mark.parametrize("layer", [0, 1, 2, 3])
def test_search_equals_a_comparison_with_all_words(elmo, index, layer):
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


def test_the_query_sentence_is_left_out(elmo, index):
    query = elmo.encode([SENTENCES[0]]).values[1, 0, 1].numpy()
    assert index.search(query, 1, 1)[0].use.sentence == SENTENCES[0]
    assert index.search(query, 1, 9, leave_out=SENTENCES[0])[0].use.sentence != SENTENCES[0]
    assert (
        index.search(query, 1, 9, leave_out="The  bank\topened. ")[0].use.sentence != SENTENCES[0]
    )


def test_many_copies_of_a_sentence_hide_no_other(elmo, tmp_path):
    copies = build_index(
        elmo, ["The bank opened."] * 200 + ["We sat on the banks."], tmp_path / "copies", "mine"
    )
    query = elmo.encode(["The bank opened."]).values[1, 0, 1].numpy()
    assert {hit.use.sentence for hit in copies.search(query, 1, 2)} == {
        "The bank opened.",
        "We sat on the banks.",
    }


def test_only_this_word_or_only_others(elmo, index):
    query = elmo.encode([SENTENCES[0]]).values[1, 0, 1].numpy()
    same = index.search(query, 1, 9, "Bank", "same")
    assert {hit.use.word for hit in same} == {"bank", "banks"}
    other = index.search(query, 1, 9, "bank", "other")
    assert not {"bank", "banks", ".", "!"} & {hit.use.word for hit in other}
    assert len(index.search(query, 1, 9, "zebra", "same")) == 0


@pytest.mark.parametrize(
    ("word", "n", "rows"), [("Bank", 9, [0, 1, 3]), ("zebra", 9, []), ("bank", 2, [0, 1])]
)
def test_uses_are_found_in_any_form_and_sampled_evenly(index, word, n, rows):
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
    monkeypatch.setattr("elmo_tasks.corpus.blocks.MAX_CHARACTERS", 20)
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
    assert len(shares) == len(whole.description.blocks) - 2  # what was there is not done again
    assert len(whole) == sum(len(t) for t in elmo.encode(SENTENCES).tokens)


def test_refusals(elmo, tmp_path):
    with pytest.raises(ConfigError, match="nothing to index"):
        build_index(elmo, [], tmp_path / "a", "mine")
    assert not (tmp_path / "a").exists()
    with pytest.raises(ConfigError, match="nothing to index"):
        build_index(elmo, [" ", "\t"], tmp_path / "a", "mine")
    with pytest.raises(DataError, match=r"expected an index written by"):
        UseIndex(tmp_path)
    (tmp_path / "index.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(DataError, match="version 99"):
        UseIndex(tmp_path)


def test_old_indexes_are_refused_with_a_remedy(elmo, tmp_path):
    (tmp_path / "index.json").write_text(json.dumps({"version": 1, "title": "mine"}))
    message = r"of an earlier or later program \(version 1, .*build it again with `elmo-tasks"
    with pytest.raises(DataError, match=message):
        UseIndex(tmp_path)
    with pytest.raises(DataError, match=message):
        build_index(elmo, SENTENCES, tmp_path, "mine")
    assert [path.name for path in tmp_path.iterdir()] == ["index.json"]


PARTS = ["lines", "forms", "vectors", "norms", "sentences.txt", "words.txt", "sentence count"]


@pytest.mark.parametrize("part", PARTS)
def test_an_index_with_a_part_that_does_not_fit_is_refused_when_it_is_opened(elmo, tmp_path, part):
    folder = build_index(elmo, SENTENCES, tmp_path / "i", "mine").folder
    if part in ("lines", "forms"):
        np.save(folder / f"{part}.npy", np.load(folder / f"{part}.npy")[:-1])
    elif part in ("vectors", "norms"):
        path = next((folder / "blocks").glob(f"*.{part}.npy"))
        np.save(path, np.load(path)[..., :-1])
    elif part.endswith(".txt"):
        (folder / part).write_text(
            (folder / part).read_text(encoding="utf-8")[:5], encoding="utf-8"
        )
    else:
        about = json.loads((folder / "index.json").read_text())
        (folder / "index.json").write_text(
            json.dumps(about | {"n_sentences": about["n_sentences"] - 1})
        )
    with pytest.raises(
        DataError, match="do not fit index.json, as after a copy that was cut short"
    ):
        UseIndex(folder)


def test_a_truncated_file_is_not_an_index(elmo, tmp_path):
    folder = build_index(elmo, SENTENCES, tmp_path / "i", "mine").folder
    path = next((folder / "blocks").glob("*.vectors.npy"))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match="expected an index written by"):
        UseIndex(folder)


def test_blocks_change_nothing(elmo, index, tmp_path, monkeypatch):
    monkeypatch.setattr("elmo_tasks.corpus.blocks.MAX_CHARACTERS", 20)
    parts = build_index(elmo, SENTENCES, tmp_path / "i", "mine")
    assert len(parts.description.blocks) > len(index.description.blocks)
    assert [parts.use(row) for row in range(len(parts))] == [
        index.use(row) for row in range(len(index))
    ]
    query = elmo.encode([SENTENCES[0]]).values[1, 0, 1].numpy()
    for among in ("all", "same", "other"):
        for layer in range(4):
            found, expected = (i.search(query, layer, 9, "bank", among) for i in (parts, index))
            assert [hit.use for hit in found] == [hit.use for hit in expected]
            assert [hit.cosine for hit in found] == pytest.approx(
                [hit.cosine for hit in expected], abs=1e-5
            )
    for word in ("bank", "dog", "."):
        assert parts.rows_of(word).tolist() == index.rows_of(word).tolist()


def test_words_are_a_table_for_other_programs(elmo, index):
    rows = pq.read_table(index.folder / "words.parquet").to_pylist()
    tokens = [
        (k, at, word.casefold())
        for k, s in enumerate(SENTENCES)
        for at, word in enumerate(elmo.encode([s]).tokens[0])
    ]
    assert [(row["sentence"], row["position"], row["form"]) for row in rows] == tokens
    vector = elmo.encode([SENTENCES[0]]).values[:, 0, 1]
    norms = [*vector.norm(dim=1).tolist(), float(vector.mean(dim=0).norm())]
    assert list(rows[1].values())[3:] == pytest.approx(norms, rel=1e-2)


def test_the_fast_search_equals_a_comparison_with_all_words(elmo, tmp_path, monkeypatch):
    pytest.importorskip("faiss", reason="FAISS is not installed")
    # Several blocks, joined in several parts.
    monkeypatch.setattr("elmo_tasks.senses.index_files._SMALL_BLOCK", 1_000)
    monkeypatch.setattr("elmo_tasks.senses.fast_search._AT_ONCE", 300)
    monkeypatch.setattr("elmo_tasks.senses.use_index._MAX_COMPARED", 0)
    random = np.random.default_rng(0)
    words = ["bank", "banks", "dog", "shore", "tree", "opened", "wide", "old"]
    sentences = [f"{' '.join(random.choice(words, 6))} {k}." for k in range(200)]
    index = build_index(elmo, sentences, tmp_path / "i", "mine")
    query = elmo.encode([sentences[0].split()]).values[2, 0, 1].numpy()
    searches = [(word, among) for word in ("bank", "tree") for among in ("all", "same", "other")]
    exact = [index.search(query, 2, 20, *search, leave_out=sentences[0]) for search in searches]
    write_fast_search(index.folder, 2, len(index), partial(index.word_vectors, 2))
    assert (index.folder / "layer-2.ivfdata").exists()
    fast = UseIndex(index.folder)
    assert list(fast.fast) == [2]
    is_form = lambda word, key: word.removesuffix("s") == key  # noqa: E731
    for search, expected in zip(searches, exact, strict=True):
        found = fast.search(query, 2, 20, *search, leave_out=sentences[0])
        cosines, best = ([hit.cosine for hit in hits] for hits in (found, expected))
        assert cosines == sorted(cosines, reverse=True)
        assert cosines == pytest.approx(best, abs=0.02)
        assert {is_form(hit.use.word, search[0]) for hit in found} <= {
            "all": {True, False},
            "same": {True},
        }.get(search[1], {False})
    expected = fast.search(query, 2, 5)
    assert UseIndex((tmp_path / "i").rename(tmp_path / "moved")).search(query, 2, 5) == expected
