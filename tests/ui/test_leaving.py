"""Work for a visitor who left is stopped, and work that nobody waits for is not started."""

import threading
import time

import httpx
import pytest

from elmo_tasks.api import Cancelled, cancellable, check_cancelled, uncancellable
from elmo_tasks.ui.layout import build_app
from tests.ui.conftest import client_of, served
from tests.ui.fake_service import FakeService


class _Batches:
    """Ten seconds of work in small batches, as an encoder does it."""

    def __init__(self):
        self.begun, self.ended = threading.Event(), threading.Event()
        self.batches, self.started, self.reason = 0, 0, None

    def classify(self, texts, head=None, occlusion=True):
        self.started += 1
        self.begun.set()
        try:
            for _ in range(200):
                check_cancelled()
                self.batches += 1
                time.sleep(0.05)
        except Cancelled as error:
            self.reason = error
            raise
        finally:
            self.ended.set()


@pytest.fixture
def running(monkeypatch):
    service, work = FakeService(), _Batches()
    monkeypatch.setattr(service, "classify", work.classify)
    app = build_app(service)
    with served(app) as url:
        yield url, work, app._queue.event_queue_per_concurrency_id


def _leave(url, session):
    """Send a request like a browser, and return the stream of its answer."""
    question = {"data": [["Some text."], None], "session_hash": session}
    fns = httpx.get(f"{url}config").json()["dependencies"]
    question["fn_index"] = next(fn["id"] for fn in fns if fn["api_name"] == "sentiment")
    httpx.post(f"{url}gradio_api/queue/join", json=question).raise_for_status()
    return httpx.stream(
        "GET", f"{url}gradio_api/queue/data", params={"session_hash": session}, timeout=30
    )


def _until(is_so, seconds=10):
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


def test_running_work_ends_when_its_visitor_leaves(running):
    url, work, _ = running
    with _leave(url, "one"):
        assert work.begun.wait(5)
        time.sleep(0.3)
        assert not work.ended.is_set()
    assert work.ended.wait(3), "it was computed on"
    assert isinstance(work.reason, Cancelled)
    assert work.batches < 100


def test_waiting_work_is_dropped_when_its_visitor_leaves(running):
    url, work, lines = running
    streams = [_leave(url, name) for name in ("one", "two", "three")]  # two places: the third waits
    for stream in streams:
        stream.__enter__()
    assert work.begun.wait(5)
    assert _until(lambda: work.started == 2 and len(lines["slow"].queue) == 1)
    streams[2].__exit__(None, None, None)
    assert _until(lambda: not lines["slow"].queue)
    for stream in streams[:2]:
        stream.__exit__(None, None, None)
    assert work.ended.wait(3)
    time.sleep(0.3)
    assert work.started == 2


def test_a_visitor_who_stays_is_answered(running):
    url, work, _ = running
    client = client_of(url)
    job = client.submit(["Some text."], api_name="/sentiment")
    assert work.begun.wait(5)
    time.sleep(0.5)
    assert work.reason is None
    job.cancel()


def test_shared_work_is_not_cancelled():
    with cancellable(lambda: False):
        with pytest.raises(Cancelled):
            check_cancelled()
        with uncancellable():
            check_cancelled()
        with pytest.raises(Cancelled):
            check_cancelled()
    check_cancelled()
