from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
import pytest
from gradio_client import Client

from elmo_tasks.ui.layout import build_app, launch_options
from elmo_tasks.ui.no_sessions import keep_no_sessions
from tests.ui.fake_service import FakeService


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@contextmanager
def served(app: gr.Blocks, **options: Any) -> Iterator[str]:
    """The address of an app while it is needed."""
    look = launch_options()
    _, url, _ = app.launch(
        prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **look, **options
    )
    keep_no_sessions(app)
    try:
        yield url
    finally:
        app.close()


def client_of(url: str) -> Client:
    return Client(url, verbose=False, analytics_enabled=False)


@pytest.fixture(scope="session")
def fake_url() -> Iterator[str]:
    """The address of the app on the fake service."""
    with served(build_app(FakeService())) as url:
        yield url


@pytest.fixture(scope="session")
def client(fake_url: str) -> Client:
    return client_of(fake_url)
