"""The app as people start it, on the bundled model."""

from __future__ import annotations

import sys
import time

import pytest

from tests.browser.conftest import free_port, serve


@pytest.mark.smoke
def test_the_app_starts_and_answers(open_page):
    port = free_port()
    began = time.monotonic()
    for url in serve([sys.executable, "app.py", "--port", str(port)], port):
        assert time.monotonic() - began < 60
        page = open_page(url=url)
        assert page.locator(".verdict h2").inner_text()
        page.get_by_role("button", name="match", exact=True).click()
        page.locator(".eyebrow").filter(has_text="match").wait_for()
        page.get_by_role("slider").press("Home")
        cells = page.locator(".panel:not([hidden]) .map td.heat").all_inner_texts()
        assert set(cells) == {"1.00"}
