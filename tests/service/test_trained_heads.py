import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from elmo_tasks.api import LayerWeights
from elmo_tasks.bilm.model_files import load_bilm
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import InputError
from elmo_tasks.heads import head_files
from elmo_tasks.service.session import Session
from elmo_tasks.service.trained_heads import TrainedHeads
from tests.training.toy_task import write_encoder, write_untrained

ODD_TEXTS = [
    "<b>Ada</b> & <script>alert(1)</script>",
    "Bo 👩‍👩‍👧 in 🙂 Rome",
    "שלום עולם, Ada!",
    "  Ada\tran  ",
]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("models") / "toy")


@pytest.fixture
def checkpoints(tmp_path: Path, toy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Shipped heads, of which the default ones are not the first by name."""
    folder = tmp_path / "checkpoints"
    for name in ("ner-b", "ner-b-layer0", "ner-a"):
        write_untrained(folder / name, toy)
    for name in ("mood-b", "mood-a"):
        write_untrained(
            folder / name, toy, "classification", seed=len(name), card={"title": f"The {name}"}
        )
    (folder / "default.json").write_text(
        '{"heads": {"tagging": "ner-b", "classification": "mood-b"}}'
    )
    monkeypatch.setattr(head_files, "CHECKPOINTS", folder)
    return folder


@pytest.fixture
def heads(checkpoints: Path, tmp_path: Path) -> TrainedHeads:
    (tmp_path / "runs").mkdir()
    return TrainedHeads(Elmo.load, [tmp_path / "runs"])


def test_the_default_comes_first_and_a_head_before_its_baseline(heads, toy, tmp_path):
    write_untrained(tmp_path / "runs" / "mine" / "head", toy)
    infos = heads.heads()
    assert [info.name for info in infos] == [
        "mood-b",
        "mood-a",
        "ner-b",
        "ner-b-layer0",
        "ner-a",
        "mine",
    ]
    assert [info.own for info in infos] == [False] * 5 + [True]
    assert [info.baseline for info in infos] == [None, None, "ner-b-layer0", None, None, None]
    assert [info.kind for info in infos[1:3]] == ["classification", "tagging"]


def test_the_description_of_a_head(heads, toy, tmp_path):
    scores = {"main": "f1", "f1": 0.75}
    card = {
        "title": "Names",
        "data": "a book",
        "scores": {"validation": scores | {"f1": 0.5}, "test": scores},
    }
    write_untrained(tmp_path / "runs" / "mine" / "head", toy, card=card)
    info = heads.heads()[-1]
    assert (info.title, info.labels, info.encoder) == ("Names", ("LOC", "PER"), str(toy))
    assert info.score is not None
    assert (info.score.metric, info.score.value, info.score.data) == (
        "F1",
        0.75,
        "a book, test part",
    )
    first = heads.heads()[0]
    assert (first.title, first.labels, first.score) == (
        "The mood-b",
        ("negative", "positive"),
        None,
    )


def test_heads_of_the_same_name_get_distinct_names(heads, toy, tmp_path):
    for name in ("ner-a/head", "x/mine/head", "y/mine/head"):
        write_untrained(tmp_path / "runs" / name, toy)
    assert [info.name for info in heads.heads() if info.own] == ["ner-a-2", "mine", "mine-2"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("head.json", "{"),
        ("head.json", "[]"),
        ("card.json", "[1]"),
        ("card.json", '{"scores": {"test": {"rows": 1}}}'),
        ("card.json", '{"scores": 7}'),
        ("card.json", '{"layer_weights": {"learned": true, "epochs": [{}]}}'),
        ("card.json", '{"layer_weights": 7}'),
        ("card.json", "[" * 100_000),
        ("head.json", "[" * 100_000),
        ("head.json", {"task": {"n_layers": 10**9}}),
        ("head.json", {"settings": {"hidden": 10**12}}),
    ],
)
def test_a_broken_folder_in_runs_is_skipped(name, text, heads, toy, tmp_path):
    for run in ("bad", "good"):
        write_untrained(tmp_path / "runs" / run / "head", toy)
    broken = tmp_path / "runs" / "bad" / "head" / name
    if isinstance(text, dict):
        config = json.loads(broken.read_text())
        text = json.dumps(
            {**config, **{part: config[part] | change for part, change in text.items()}}
        )
    broken.write_text(text)
    assert [info.name for info in heads.heads() if info.own] == ["good"]
    assert heads.layer_weights() == ()


def test_a_head_without_weights_or_encoder_is_refused(heads, toy, tmp_path):
    (write_untrained(tmp_path / "runs" / "bad" / "head", toy) / "head.safetensors").unlink()
    with pytest.raises(
        InputError, match=r"The model “bad” cannot be used: .*no head\.safetensors there"
    ):
        heads.tag(["Ada"], head="bad")
    write_untrained(tmp_path / "runs" / "mine" / "head", toy, encoder_name="/secret/elmo-of-yore")
    message = (
        "“mine” cannot be used: the encoder elmo-of-yore that it was trained on is not here."
        " Whoever runs"
    )
    with pytest.raises(InputError, match=message) as refused:
        heads.tag(["Ada"], head="mine")
    assert "/" not in str(refused.value).replace("checkpoints/", "")


def test_an_encoder_that_was_moved_is_found(heads, toy, tmp_path):
    write_untrained(tmp_path / "runs" / "mine" / "head", toy, encoder_name="elmo-of-yore")
    shutil.copytree(toy, tmp_path / "runs" / "pretraining" / "model")
    (found,) = heads.tag(["Ada"], head="mine")
    assert found.tokens == ("Ada",)


def test_the_default_head_answers_unless_another_is_named(heads):
    for number in (0, 11):
        with pytest.raises(
            InputError, match=f"Between 1 and 10 readings can be shown, not {number}"
        ):
            heads.tag(["Ada"], n_readings=number)
    (found,), (default,), (other,) = (
        heads.classify(["good day"], head=h) for h in (None, "mood-b", "mood-a")
    )
    assert found == default
    assert heads.tag(["Ada"]) == heads.tag(["Ada"], head="ner-b")
    assert other.text == "good day"


def test_a_request_cannot_open_a_path(heads, checkpoints, toy, tmp_path):
    write_untrained(tmp_path / "elsewhere", toy)
    for name in (
        str(tmp_path / "elsewhere"),
        str(checkpoints / "ner-a"),
        "../elsewhere",
        "",
        "runs",
        "mood-a",
    ):
        with pytest.raises(
            InputError, match="There is no head “.*” here; there is ner-b, ner-b-layer0, ner-a"
        ) as e:
            heads.tag(["Ada"], head=name)
        assert e.value.field == "head"


def test_without_heads_the_message_names_the_training_command(tmp_path, monkeypatch):
    monkeypatch.setattr(head_files, "CHECKPOINTS", tmp_path)
    heads = TrainedHeads(Elmo.load, [tmp_path / "runs"])
    assert heads.heads() == heads.layer_weights() == ()
    with pytest.raises(
        InputError, match=r"no trained model for this yet\. Train one: make train-ner\."
    ):
        heads.tag(["Ada"])
    with pytest.raises(InputError, match="Train one: make train-sentiment"):
        heads.classify(["fine"])


@pytest.mark.parametrize(
    ("texts", "field", "message"),
    [
        ([], "sentences", r"Type 1 to 20 (sentence|text)s, one per line; there is none\."),
        (["a"] * 21, "sentences", r"Type 1 to 20 (sentence|text)s, one per line; there are 21\."),
        (
            ["fine", "x" * 2001],
            "sentence 2",
            r"2 has 2,001 characters; the most is 2,000\. Shorten it\.",
        ),
        (["a " * 201], "sentence 1", r"1 has 201 words; the most is 200\. Shorten it\."),
        (["fine", "", "fine"], "sentence 2", r"2 has no words\. Type some, or delete the line\."),
        ([" \t "], "sentence 1", "1 has no words"),
    ],
)
@pytest.mark.parametrize("kind", ["tag", "classify"])
def test_unreadable_texts_are_refused_at_their_line(kind, texts, field, message, heads):
    with pytest.raises(InputError, match=message) as caught:
        getattr(heads, kind)(texts)
    assert caught.value.field == field


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_offsets_are_those_of_the_text_as_typed(text, heads):
    (found,) = heads.tag([text], n_readings=3)
    chances = [reading.probability for reading in (found.best, *found.alternatives)]
    assert chances == sorted(chances, reverse=True)
    assert found.sentence == text
    assert [text[start:end] for start, end in found.offsets] == list(found.tokens)
    for reading in (found.best, *found.alternatives):
        assert len(reading.tags) == len(found.tokens)
        for entity in reading.entities:
            assert entity.start_char == found.offsets[entity.start][0]
            assert entity.end_char == found.offsets[entity.end - 1][1]
    json.dumps(found.to_dict())


@pytest.mark.parametrize("text", [*ODD_TEXTS, "good warm bad"])
def test_a_push_is_the_change_without_the_word(text, heads):
    (found,) = heads.classify([text])
    assert [word.use.token for word in found.occlusion] == list(found.tokens)
    predictor = heads._predictor(None, "classification")
    for k, word in enumerate(found.occlusion):
        assert text[word.use.char_start : word.use.char_end] == word.use.token
        without = [token for n, token in enumerate(found.tokens) if n != k]
        (left,) = predictor.predict_batch([without])
        expected = found.probabilities[found.label] - left.probabilities[found.label]
        assert word.change == pytest.approx(expected, abs=1e-5)
    assert max(abs(word.change) for word in found.occlusion) > 1e-4
    json.dumps(found.to_dict())


def test_pushes_cost_no_more_than_one_request_may(heads, monkeypatch):
    short, long = "good warm bad", "good warm bad good warm bad"
    alone = [heads.classify([text])[0].occlusion for text in (short, long)]
    together = [found.occlusion for found in heads.classify([long, short])]
    assert [len(occlusion) for occlusion in together] == [6, 3]
    for one, other in zip(alone, reversed(together), strict=True):
        assert [word.change for word in one] == pytest.approx(
            [word.change for word in other], abs=1e-6
        )
    monkeypatch.setattr("elmo_tasks.service.trained_heads._MAX_ENCODED", 3 * 2 + 6 * 5 - 1)
    assert [len(found.occlusion) for found in heads.classify([long, short])] == [0, 3]
    assert heads.classify([short], occlusion=False)[0].occlusion == ()


def test_a_repeated_run_gives_a_new_head(heads, toy, tmp_path):
    folder = tmp_path / "runs" / "mine" / "head"
    write_untrained(folder, toy, "classification", seed=1)
    (before,) = heads.classify(["good day"], head="mine")
    write_untrained(folder, toy, "classification", seed=2)
    os.utime(folder / "head.json", (1e9, 1e9))  # the clock of a file system may be slow
    (after,) = heads.classify(["good day"], head="mine")
    assert before.probabilities != after.probabilities
    assert len(heads._predictors) == 1  # the older one is let go


def mix(epoch: int, *weights: float, **more: Any) -> dict[str, Any]:
    return {"epoch": epoch, "weights": list(weights), "gamma": 1.5, "score": None, **more}


def weights_of(
    card: dict[str, Any], heads: TrainedHeads, toy: Path, tmp_path: Path
) -> tuple[LayerWeights, ...]:
    write_untrained(tmp_path / "runs" / "mine" / "head", toy, card=card)
    return heads.layer_weights()


def test_layer_weights_describe_the_training_of_the_mix(heads, toy, tmp_path):
    epochs = [
        mix(0, 0.4, 0.3, 0.3),
        mix(1, 0.2, 0.5, 0.3, score=0.9),
        mix(2, 0.1, 0.6, 0.3, score=0.8),
    ]
    runs = [
        mix(0, 0.3, 0.3, 0.4, seed=7),
        mix(0, 0.2, 0.2, 0.6, seed=2),
        mix(0, 0.0, 0.0, 1.0, seed=5),
    ]
    training = {"seed": 5, "best_epoch": 1}
    card = {
        "title": "Mine",
        "training": training,
        "layer_weights": {"learned": True, "epochs": epochs, "runs": runs},
    }
    (found,) = weights_of(card, heads, toy, tmp_path)
    assert (found.head, found.title, found.layers) == ("mine", "Mine", ("0", "1", "2"))
    assert [one.weights for one in found.epochs] == [tuple(row["weights"]) for row in epochs]
    assert (found.final.weights, found.final.epoch, found.final.score) == ((0.2, 0.5, 0.3), 1, 0.9)
    # Its own run is listed once, as the loaded head describes it.
    runs = {run.seed: run.weights for run in found.runs}
    assert runs == {2: (0.2, 0.2, 0.6), 5: (0.2, 0.5, 0.3), 7: (0.3, 0.3, 0.4)}
    json.dumps(found.to_dict())
    card = {"layer_weights": {"learned": True, "epochs": epochs[:2]}}
    (found,) = weights_of(card, heads, toy, tmp_path)
    assert (found.final.epoch, [run.weights for run in found.runs]) == (1, [(0.2, 0.5, 0.3)])
    for about in ({"learned": False, "epochs": epochs}, {"learned": True}):
        assert weights_of({"layer_weights": about}, heads, toy, tmp_path) == ()


def test_the_session_offers_the_heads(checkpoints, toy, tmp_path):
    write_untrained(tmp_path / "runs" / "mine" / "head", toy, encoder_name="toy")
    session = Session(str(toy), runs_dir=tmp_path / "runs")
    assert [info.name for info in session.heads()][-1] == "mine"
    (found,) = session.tag(["Ada ran."], head="mine", n_readings=2)
    assert (found.tokens, len(found.alternatives)) == (("Ada", "ran", "."), 1)
    shutil.rmtree(tmp_path / "runs")
    assert not any(info.own for info in session.heads())


def test_requests_in_threads_load_an_encoder_once(checkpoints, toy, tmp_path, monkeypatch):
    loaded = []

    def slowly(files):
        loaded.append(files.name)
        time.sleep(0.2)
        return load_bilm(files)

    write_untrained(tmp_path / "runs" / "mine" / "head", toy, encoder_name="toy")
    monkeypatch.setattr("elmo_tasks.encoders.elmo.load_bilm", slowly)
    session = Session(str(toy), runs_dir=tmp_path / "runs")
    with ThreadPoolExecutor(4) as pool:
        elmos = set(pool.map(session.loaded.encoder, ["toy"] * 4))
    assert session.tag(["Ada"], head="mine") == session.tag(["Ada"], head="mine")
    assert (len(elmos), loaded) == (1, ["toy"])


def test_runs_that_differ_in_their_seed_stand_together(heads, toy, tmp_path):
    for name, seed, title in (
        ("a", 1, "Mine"),
        ("b", 2, "Mine"),
        ("c", 3, "Other"),
        ("d", 1, "Mine"),
    ):
        weights = {"learned": True, "epochs": [mix(1, 0.1 * seed, 0.5, 0.5 - 0.1 * seed)]}
        card = {
            "title": title,
            "training": {"seed": seed, "best_epoch": 1},
            "layer_weights": weights,
        }
        write_untrained(tmp_path / "runs" / "sweep" / name / "head", toy, card=card)
    mine, other = heads.layer_weights()
    assert [(run.seed, run.weights[0]) for run in mine.runs] == [(1, 0.1), (2, 0.2)]
    assert (mine.title, other.title, len(other.runs)) == ("Mine", "Other", 1)
