"""The README's pictures, taken from the running app: ``python docs/screenshots.py`` (needs
playwright and a Chromium).
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
DESKTOP, SLIDE, PHONE = (1280, 900), (1280, 720), (390, 844)
#: name -> query, what to wait for, size, colour scheme
PICTURES = {
    "compare-light": ("", ".verdict h2", DESKTOP, "light"),
    "compare-dark": ("", ".verdict h2", DESKTOP, "dark"),
    "compare-phone": ("", ".verdict h2", PHONE, "light"),
    "present": ("tab=present&step=3", ".step:not([hidden]) .pick", SLIDE, "light"),
    "map": ("tab=map&word=case", ".map-answer .verdict h2", DESKTOP, "light"),
    "nearest": ("tab=nearest", ".near-answer .verdict h2", DESKTOP, "light"),
    "try": ("tab=try", ".try-answer .task", DESKTOP, "light"),
    "weights": ("tab=layers", ".head-panel .verdict h2", DESKTOP, "light"),
}


def main() -> None:
    """Start the app, open the page at each size, write PNGs beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--model", help="name or folder of the model to show (default: the bundled one)"
    )
    parser.add_argument("--out", type=Path, default=HERE)
    args = parser.parse_args()
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{s.getsockname()[1]}"
    command = [
        sys.executable,
        "app.py",
        "--port",
        url.rpartition(":")[2],
        *(["--model", args.model] if args.model else []),
    ]
    app = subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.DEVNULL)
    chromium = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    )
    try:
        _wait(url)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            for name, (query, ready, (width, height), scheme) in PICTURES.items():
                page = browser.new_page(
                    viewport={"width": width, "height": height}, color_scheme=scheme
                )  # type: ignore[arg-type]
                page.set_default_timeout(120_000)
                page.goto(f"{url}/?{query}&__theme={scheme}")
                page.locator(ready).first.wait_for()
                page.wait_for_timeout(1500)
                page.screenshot(path=args.out / f"{name}.png")
                print(args.out / f"{name}.png")
            browser.close()
    finally:
        app.terminate()
        app.wait()


def _wait(url: str) -> None:
    for _ in range(240):
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.25)
    raise RuntimeError(f"the app did not come up at {url}")


if __name__ == "__main__":
    main()
