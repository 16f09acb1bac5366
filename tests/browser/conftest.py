"""A real Chromium on the app; every test fails on a console error or on a request to another
host."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.parse import urlparse
from urllib.request import urlopen

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

ROOT = Path(__file__).parents[2]
# Two browsers, two apps and a training may share two cores; then one wait in a few hundred times
# out. A failed test is therefore repeated once, which pytest shows as "R".
AGAIN = pytest.mark.flaky(reruns=1)

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Messages of gradio's client about requests that a reload interrupted.
INTERRUPTED = ("AbortError: signal is aborted", "Connection errored out")
ANSWERED = ".answer :is(.verdict, .quiet:not([aria-busy])) h2"


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def of_ci_and_nightly(of_ci: str, names: Iterable[str]) -> list[ParameterSet]:
    """Return parameters of a test: some for the CI, the others nightly."""
    return [
        pytest.param(name, marks=() if name in of_ci.split() else pytest.mark.nightly)
        for name in names
    ]


def serve(command: list[str], port: int, seconds: float = 180) -> Iterator[str]:
    """Run a server until the tests are done; fail with its output if it does not start."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + seconds
    try:
        while True:
            try:
                urlopen(url, timeout=5).close()
                break
            except (URLError, OSError):
                if process.poll() is not None or time.monotonic() > deadline:
                    process.kill()
                    pytest.fail(f"the app did not start: {process.communicate()[0]}")
                time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.fixture(scope="session")
def fake_app() -> Iterator[str]:
    """The address of the app on the fake service."""
    port = free_port()
    yield from serve(
        [sys.executable, str(Path(__file__).with_name("serve_fake.py")), str(port)], port
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the browser tests need playwright"
    )
    chromium = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    if chromium is None:
        pytest.skip("the browser tests need Chromium: install it, or name it in $CHROMIUM")
    with playwright.sync_playwright() as runner:
        running = runner.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def profile(browser: Browser) -> BrowserContext:
    """The context in which all tests open pages, so that gradio's large scripts are loaded once."""
    return new_profile(browser)


def new_profile(browser: Browser) -> BrowserContext:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return context


@pytest.hookimpl(tryfirst=True)  # before -m is applied
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder for the CI unless they are smoke or nightly."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(AGAIN)
            item.add_marker(pytest.mark.browser)
            if not item.get_closest_marker("smoke") and not item.get_closest_marker("nightly"):
                item.add_marker(pytest.mark.ci)


OpenPage = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: Browser, profile: BrowserContext, fake_app: str) -> Iterator[OpenPage]:
    """Open the app and wait for its answer: ``open_page(query="", url=..., width=..., height=...,
    dark=False, ready=...)``.

    ``alone=True`` opens a new, temporary profile, because playwright's clock stops the clock
    of a whole profile.
    """
    problems: list[str] = []
    interrupted: list[tuple[str, list[str]]] = []
    contexts: list[BrowserContext] = []

    def refuse(dialog: Dialog) -> None:
        problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def check_host(url: str, host: str) -> None:
        if url.startswith("http") and urlparse(url).netloc != host:
            problems.append(f"other host: {url}")

    def open_one(
        query: str = "",
        url: str = fake_app,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        ready: str = ANSWERED,
        alone: bool = False,
    ) -> Page:
        if alone:
            contexts.append(new_profile(browser))
        page = (contexts[-1] if alone else profile).new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_default_timeout(45_000)  # a busy machine is not an error of the page
        host = urlparse(url).netloc
        visits: list[str] = []

        def note_request(request: Request) -> None:
            check_host(request.url, host)
            if request.is_navigation_request() and request.frame == page.main_frame:
                visits.append(request.url)

        def note_message(message: ConsoleMessage) -> None:
            if message.type == "error" and any(text in message.text for text in INTERRUPTED):
                # it may come before the visit that caused it
                interrupted.append((message.text, visits))
            elif message.type == "error":
                problems.append(f"console: {message.text}")

        page.on("console", note_message)
        page.on("pageerror", lambda e: problems.append(f"page error: {e}"))
        page.on("dialog", refuse)
        page.on("request", note_request)
        page.goto(f"{url}/?{query}")
        page.locator(ready).first.wait_for()
        return page

    yield open_one
    for page in profile.pages:
        page.close()
    for context in contexts:
        context.close()
    profile.clear_cookies()
    problems += [f"console: {text}" for text, visits in interrupted if len(visits) < 2]
    assert problems == []
