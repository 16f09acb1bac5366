"""Endpoints return the answers of the service, report wrong input, and have working examples."""

from __future__ import annotations

import ast
import json
import re

import pytest
from gradio_client.exceptions import AppError

from elmo_tasks.service.session import Session
from elmo_tasks.ui.layout import build_app
from tests.ui.conftest import client_of, served
from tests.ui.fake_service import FakeService
from tests.ui.try_answers import JORDAN, NOT_BAD

INFO = build_app(FakeService()).get_api_info()["named_endpoints"]
EXAMPLE = re.compile(r"Example: ``(predict\(.*?\))``")


SERVICE = FakeService()
TWO = ["The bank lent cash.", "The muddy [shore]."]
ANSWERS = [
    ("/compare", ("bank", TWO), lambda: SERVICE.compare("bank", TWO)),  # with the default model
    ("/compare", ("bank", TWO, "fake-large"), lambda: SERVICE.compare("bank", TWO, "fake-large")),
    ("/why", ("bank", TWO), lambda: SERVICE.explain("bank", TWO)),
    ("/substitutes", ("bank", TWO), lambda: SERVICE.substitutes("bank", TWO)),
    ("/sentiment", ([NOT_BAD, "Bad."],), lambda: SERVICE.classify([NOT_BAD, "Bad."])),
    (
        "/sentiment",
        ([NOT_BAD], "fake-sentiment-static"),
        lambda: SERVICE.classify([NOT_BAD], "fake-sentiment-static"),
    ),
    ("/ner", (list(JORDAN),), lambda: SERVICE.tag(JORDAN)),
    ("/ner", (list(JORDAN), None, 3), lambda: SERVICE.tag(JORDAN, None, 3)),
]
WRONG = [
    ("/compare", ("", TWO), "Type a word to compare"),
    (
        "/compare",
        ("bank", ["One bank."]),
        "Comparing takes 2 to 12 sentences; there is one sentence",
    ),
    ("/compare", ("bank", ["No such thing.", "The bank."]), "Sentence 1 does not contain “bank”"),
    ("/compare", ("bank", "The bank."), "sentences: Input should be a valid list"),
    ("/compare", ("bank", [1, 2]), "sentences: Input should be a valid string"),
    ("/why", ("bank", "The bank."), "sentences: Input should be a valid list"),
    ("/why", ("bank", TWO, "0,1"), "pair: Input should be a valid list"),
    ("/why", ("bank", TWO, [0]), "a list of two whole numbers"),
    ("/why", ("bank", TWO, [0, True]), "pair: Input should be a valid integer"),
    ("/why", ("bank", TWO, [0, 5]), "Choose two different uses"),
    ("/why", ("bank", TWO, None, "0"), "choose one of 1, 2, mean"),
    ("/why", ("bank", TWO, None, None, "gone"), "There is no model “gone”"),
    ("/sentiment", (["x"], "gone"), "There is no head “gone”"),
    ("/sentiment", ([],), "Type 1 to 20 texts, one per line; there is none"),
    ("/sentiment", ("a string",), "texts: Input should be a valid list"),
    ("/ner", ([1],), "sentences: Input should be a valid string"),
    ("/ner", (["x"] * 21,), "Type 1 to 20 sentences, one per line; there are 21"),
]


@pytest.mark.parametrize(("name", "arguments", "answer"), ANSWERS)
def test_an_endpoint_returns_the_answer_of_the_service(client, name, arguments, answer):
    found = answer()
    expected = [one.to_dict() for one in found] if isinstance(found, tuple) else found.to_dict()
    assert client.predict(*arguments, api_name=name) == json.loads(json.dumps(expected))


@pytest.mark.parametrize(("name", "arguments", "message"), WRONG)
def test_an_endpoint_reports_wrong_input(client, name, arguments, message):
    with pytest.raises(AppError, match=message):
        client.predict(*arguments, api_name=name)


@pytest.fixture(scope="module")
def real_client(tmp_path_factory):
    with served(build_app(Session(runs_dir=tmp_path_factory.mktemp("runs")))) as url:
        yield client_of(url)


def documented_call(name: str) -> tuple[list[object], dict[str, object]]:
    """The arguments of the call that the endpoint's description shows; the code is read, not
    run."""
    found = EXAMPLE.search(INFO[name]["description"])
    assert found, (
        f"{name} documents no call: 'Example: ``predict(…, api_name=\"{name}\")``.' before its"
        " arguments"
    )
    call = ast.parse(found[1], mode="eval").body
    assert isinstance(call, ast.Call)
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    assert named.pop("api_name") == name
    return [value_of(argument) for argument in call.args], named


def value_of(node: ast.expr) -> object:
    """Evaluate a literal, or a repeated text."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return ast.literal_eval(node.left) * ast.literal_eval(node.right)
    return ast.literal_eval(node)


@pytest.mark.parametrize("name", sorted(INFO))
def test_arguments_and_answers_of_endpoints_are_typed(name):
    for parameter in INFO[name]["parameters"]:
        assert parameter["python_type"]["type"] not in ("", "Any"), parameter["parameter_name"]
    assert INFO[name]["returns"]
    assert len(INFO[name]["description"]) > 30


@pytest.mark.ci
@pytest.mark.parametrize("name", sorted(INFO))
def test_the_documented_call_works(real_client, name):
    arguments, named = documented_call(name)
    answer = real_client.predict(*arguments, **named, api_name=name)
    assert isinstance(answer, dict | list)
    assert answer or name == "/training_runs"
