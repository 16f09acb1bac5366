"""Typed text is in memory only until its answer is sent, and limits are checked before the pages."""

import gc
import time

import httpx
import pytest

from elmo_tasks.service.lost_requests import LostRequests
from elmo_tasks.service.request_limits import RequestLimits, UploadLimits
from elmo_tasks.ui.layout import build_app
from tests.ui.conftest import served
from tests.ui.fake_service import FakeService

pytestmark = pytest.mark.ci

MARK = "Quokkas"


def behind(bounds, **options):
    """Serve the app behind its request limits."""
    return served(
        build_app(FakeService()),
        app_kwargs={"middleware": [(RequestLimits, (), bounds), (LostRequests, (), {})]},
        **options,
    )


@pytest.fixture(scope="module")
def address():
    with behind({"max_bytes": 100_000}) as url:
        yield url.rstrip("/")


def in_memory(mark: str) -> int:
    """How many objects hold a text with a mark in it, the question itself aside."""
    gc.collect()
    texts = 0
    for holder in gc.get_objects():
        texts += sum(
            type(item) in (str, bytes) and item != mark and _has(item, mark)
            for item in gc.get_referents(holder)
        )
    return texts


def _has(text: str | bytes, mark: str) -> bool:
    return mark in text if isinstance(text, str) else mark.encode() in text


def test_nothing_typed_stays_in_memory(address):
    def ask(k):
        with httpx.Client(base_url=address, timeout=30) as client:
            data = ["bank", [f"{MARK} {k} like the bank.", "The bank."]]
            event = client.post(
                "/gradio_api/call/compare", json={"data": data, "session_hash": f"s{k}"}
            ).json()
            assert MARK in client.get(f"/gradio_api/call/compare/{event['event_id']}").text

    for k in range(3):
        ask(k)
    # The server's loop and its threads hold the last requests until others come.
    deadline = time.monotonic() + 30
    while kept := [k for k in range(2) if in_memory(f"{MARK} {k} like")]:
        assert time.monotonic() < deadline, kept
        ask(3)


@pytest.mark.parametrize("path", ["call/compare/0123456789abcdef", "queue/data?session_hash=s9"])
def test_a_request_of_another_copy_is_explained(address, path):
    answer = httpx.get(f"{address}/gradio_api/{path}")  # fails where the connection breaks
    assert "another copy of the app has it" in answer.text
    assert "404" not in answer.text


def test_a_request_may_omit_only_optional_arguments(address):
    def answer_to(*data):
        event = httpx.post(f"{address}/gradio_api/call/compare", json={"data": data}).json()
        return httpx.get(f"{address}/gradio_api/call/compare/{event['event_id']}").text

    assert answer_to("bank", ["A bank.", "The bank."]).startswith("event: complete")
    message = answer_to("bank")
    assert message.startswith("event: error")
    assert "Expected also: sentences." in message


def test_a_too_large_body_is_refused(address):
    answer = httpx.post(f"{address}/gradio_api/call/compare", content=b"x" * 100_001)
    assert answer.status_code == 413
    assert "0.1 MB" in answer.json()["error"]


def test_gradios_own_door_for_uploads_is_closed(address):
    answer = httpx.post(f"{address}/gradio_api/upload", files={"files": ("a.txt", b"text")})
    assert answer.status_code == 403
    assert answer.json()["error"] == "Uploads are off here."


def test_uploads_are_limited_where_training_is_on_and_wrong_passwords_are_delayed():
    bounds = {"uploads": UploadLimits(1_000, max_requests=1), "pause": 0.3}
    with behind(bounds, auth=[("ada", "secret")]) as url, httpx.Client(base_url=url) as client:
        for _ in range(2):  # a stranger's take nobody's turn
            assert (
                client.post("/gradio_api/upload", files={"files": ("a.txt", b"text")}).status_code
                == 401
            )
        answer = client.post("/login", data={"username": "ada", "password": "guess"})
        assert answer.status_code == 400
        assert answer.elapsed.total_seconds() >= 0.3
        assert (
            client.post("/login", data={"username": "ada", "password": "secret"}).status_code == 200
        )
        assert (
            client.post("/gradio_api/upload", files={"files": ("a.txt", b"text")}).status_code
            == 200
        )
        assert (
            client.post("/gradio_api/upload", files={"files": ("a.txt", b"text")}).status_code
            == 429
        )
