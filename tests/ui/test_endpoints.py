"""Each public endpoint documents a call, and that call is made here on the real models."""

from __future__ import annotations

import ast
import re

import pytest
from gradio_client import Client

from elmo_tasks.service.session import Session
from elmo_tasks.ui.layout import build_app, launch_options
from tests.ui.fake_service import FakeService

INFO = build_app(FakeService()).get_api_info()["named_endpoints"]
EXAMPLE = re.compile(r"Example: ``(predict\(.*?\))``")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    app = build_app(Session(runs_dir=tmp_path_factory.mktemp("runs")))
    _, url, _ = app.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_options())
    yield Client(url, verbose=False, analytics_enabled=False)
    app.close()


def documented_call(name: str) -> tuple[list[object], dict[str, object]]:
    """The arguments of the call that the endpoint's description shows; the code is read, not run."""
    found = EXAMPLE.search(INFO[name]["description"])
    assert found, f"{name} documents no call: 'Example: ``predict(…, api_name=\"{name}\")``.' before its arguments"
    call = ast.parse(found[1], mode="eval").body
    assert isinstance(call, ast.Call)
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    assert named.pop("api_name") == name
    return [value_of(argument) for argument in call.args], named


def value_of(node: ast.expr) -> object:
    """A literal, or a text so many times over."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return ast.literal_eval(node.left) * ast.literal_eval(node.right)
    return ast.literal_eval(node)


@pytest.mark.parametrize("name", sorted(INFO))
def test_what_an_endpoint_takes_and_gives_is_typed(name):
    for parameter in INFO[name]["parameters"]:
        assert parameter["python_type"]["type"] not in ("", "Any"), parameter["parameter_name"]
    assert INFO[name]["returns"]
    assert len(INFO[name]["description"]) > 30


@pytest.mark.ci
@pytest.mark.parametrize("name", sorted(INFO))
def test_the_documented_call_works(client, name):
    arguments, named = documented_call(name)
    answer = client.predict(*arguments, **named, api_name=name)
    assert isinstance(answer, dict | list)
    assert answer or name == "/training_runs"
