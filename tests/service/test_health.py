"""The health of the app, and an end that waits for running requests."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from elmo_tasks.service.health import Health, HealthMiddleware


def run_alone(coroutine):
    """Run a coroutine in another thread: a browser test may have left a running loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def answer_to(middleware, path, method="GET"):
    """The status and the content of the answer to a request."""
    sent = []

    async def send(message):
        sent.append(message)

    run_alone(
        middleware({"type": "http", "path": path, "method": method, "headers": []}, None, send)
    )
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.fixture
def health():
    return Health()


@pytest.fixture
def middleware(health):
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(health.running).encode()})

    return HealthMiddleware(app, health)


def test_health_counts_the_requests_that_compute(health, middleware):
    assert answer_to(middleware, "/health") == (200, {"status": "ok", "running": 0})
    assert answer_to(middleware, "/elmo/health/")[0] == 200  # below a path of a proxy
    assert answer_to(middleware, "/gradio_api/queue/data") == (200, 1)
    assert answer_to(middleware, "/gradio_api/heartbeat/x") == (200, 0)
    assert health.running == 0


def test_at_shutdown_running_requests_finish_and_new_ones_are_refused(health, middleware):
    health.add(1)
    waits = []

    def wait(seconds):
        waits.append(seconds)
        if len(waits) == 3:
            assert answer_to(middleware, "/health") == (503, {"status": "ending", "running": 1})
            status, answer = answer_to(middleware, "/gradio_api/queue/join", "POST")
            assert (status, answer["error"]) == (
                503,
                "The app is being restarted. Try again in a moment.",
            )
            assert answer_to(middleware, "/gradio_api/queue/data")[0] == 200
            health.add(-1)

    assert health.end(60, wait)
    assert len(waits) == 3
    health.add(1)
    assert not health.end(0)
