import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_help_names_every_option():
    done = run("app.py", "--help")
    assert done.returncode == 0
    assert all(option in done.stdout for option in ("--host", "--port", "--model", "--share", "--auth"))
    assert "GRADIO_SERVER_PORT" in done.stdout


def test_importing_the_app_loads_nothing_heavy():
    done = run("-c", "import app, sys; print({'gradio', 'torch', 'plotly', 'pandas'} & set(sys.modules))")
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("auth", ["ada", "ada:", ":secret"])
def test_auth_needs_a_name_and_a_password(auth):
    done = run("app.py", "--auth", auth)
    assert done.returncode == 2
    assert "expected USER:PASS" in done.stderr
