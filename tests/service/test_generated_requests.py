"""Whatever a program sends to an endpoint, it gets an answer that is JSON or a sentence; nothing
else is raised, nothing is kept.

Some in the normal run, 20,000 in the slow one.
"""

import json
from typing import Any

import gradio as gr
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elmo_tasks.service.loaded_models import LoadedModels
from elmo_tasks.service.session import Session
from elmo_tasks.ui.layout import build_app
from tests.service.helpers import run
from tests.training.toy_task import write_encoder, write_untrained
from tests.ui.fake_service import FakeService

pytestmark = pytest.mark.ci

ENDPOINTS = sorted(
    fn.api_name for fn in build_app(FakeService()).fns.values() if fn.api_visibility == "public"
)

WORDS = st.sampled_from(
    [
        "bank",
        "Bank",
        "banks",
        "",
        " ",
        "[bank]",
        "a b",
        "\ud83d",
        "\udc00k",
        "𝒃ank",
        "x" * 60,
        "-",
        "7",
        "é",
    ]
)
SENTENCES = st.sampled_from(
    [
        "The bank opened.",
        "We sat on the bank of the river.",
        "A [bank] and a bank.",
        "[[bank]]",
        "bank \ud83d bank",
        "",
        "<script>alert(1)</script> bank",
        "bank" * 600,
        "bank " * 250,
        "{{ bank }} ${bank}",
        "\x00bank\u202e",
        "кот bank 猫",
    ]
) | st.text(st.characters(codec=None), max_size=40)
NUMBERS = st.integers() | st.sampled_from([10**400, -1, 0.5, float("inf"), float("nan")])
ODD = st.recursive(
    st.none() | st.booleans() | NUMBERS | SENTENCES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
FITTING = st.one_of(
    WORDS,
    SENTENCES,
    st.lists(SENTENCES, max_size=14),
    st.lists(WORDS, max_size=3),
    st.sampled_from(
        [
            "1",
            "mean",
            "meanings",
            "all",
            "same",
            "toy",
            "dictionary",
            "words",
            "verdict",
            None,
            2,
            [0, 1],
            True,
        ]
    ),
)
#: Values of each argument: mostly valid ones, sometimes anything.
REQUESTS = st.lists(st.one_of(FITTING, FITTING, FITTING, ODD), max_size=8)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> gr.Blocks:
    folder = tmp_path_factory.mktemp("requests")
    encoder = write_encoder(folder / "toy")
    write_untrained(folder / "runs" / "tags" / "head", encoder)
    write_untrained(folder / "runs" / "texts" / "head", encoder, "classification")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELMO_TASKS_CACHE", str(folder / "cache"))
        return build_app(
            Session(LoadedModels(str(encoder), "cpu", may_measure=False), runs_dir=folder / "runs")
        )


def ask(app: gr.Blocks, name: str, inputs: list[Any]) -> Any:
    """As gradio does it: complete and check the inputs, then call."""
    fn = next(fn for fn in app.fns.values() if fn.api_name == name)
    if len(inputs) > len(fn.inputs):
        inputs = inputs[: len(fn.inputs)]
    app.validate_inputs(fn, inputs)
    return run(app.call_function(fn, inputs))["prediction"]


def check(app: gr.Blocks, name: str, inputs: list[Any]) -> None:
    message = None
    try:
        answer = ask(app, name, list(inputs))
    except gr.Error as error:
        answer = message = str(error)
    orjson.dumps(answer)  # as gradio writes it: half a character would fail here
    assert "NaN" not in json.dumps(answer)
    assert message is None or (len(message) > 10 and "Traceback" not in message)


QUICK = settings(
    max_examples=500 // len(ENDPOINTS),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
MANY = settings(QUICK, max_examples=20_000 // len(ENDPOINTS), derandomize=False)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "how_many", [QUICK, pytest.param(MANY, marks=pytest.mark.nightly)], ids=["some", "many"]
)
@pytest.mark.parametrize("name", ENDPOINTS)
def test_generated_requests(app, name, how_many):
    how_many(given(REQUESTS)(lambda inputs: check(app, name, inputs)))()


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("compare", ["bank", ["The bank \ud83d opened.", "\ud83d\ude00 bank."]]),
        ("why", ["bank", ["The bank \ud83d opened.", "My bank."]]),
        ("nearest", ["bank", "The bank \ud83d."]),
        ("sentiment", [["Half \ud83d."]]),
        ("ner", [["Half \ud83d."]]),
        ("sense_map", ["bank", "The bank \ud83d. A bank \ud83d."]),
    ],
)
def test_half_an_emoji_is_replaced_everywhere(app, name, inputs):
    answer = ask(app, name, inputs)
    text = orjson.dumps(answer).decode()
    assert "\ufffd" in text


def test_two_halves_are_one_character(app):
    answer = ask(app, "compare", ["bank", ["\ud83d\ude00 bank.", "A bank."]])
    assert answer["items"][0]["sentence"] == "😀 bank."
