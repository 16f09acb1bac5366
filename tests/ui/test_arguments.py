import subprocess
import sys
from pathlib import Path

import pytest

from elmo_tasks import app

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def test_help_names_every_option():
    done = run("app.py", "--help")
    assert done.returncode == 0
    assert all(
        option in done.stdout
        for option in ("--host", "--port", "--model", "--share", "--auth", "--mcp")
    )
    assert "GRADIO_SERVER_PORT" in done.stdout


def test_importing_the_app_loads_nothing_heavy():
    done = run(
        "-c",
        "import app, elmo_tasks.app, sys; print({'gradio', 'torch', 'plotly', 'pandas'} &"
        " set(sys.modules))",
    )
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("auth", ["ada", "ada:", ":secret"])
def test_auth_needs_a_name_and_a_password(auth):
    done = run("app.py", "--auth", auth)
    assert done.returncode == 2
    assert "expected USER:PASS" in done.stderr


def test_mcp_without_its_package_says_what_to_install(tmp_path):
    blocked = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['app.py', '--mcp']; import app;"
        " app.main()"
    )
    done = run("-c", blocked)
    assert done.returncode == 2
    assert 'pip install "gradio[mcp]"' in done.stderr


@pytest.mark.ci
def test_the_demo_of_a_space_is_the_app():
    done = run(
        "-c",
        "import app; import gradio; print(isinstance(app.demo, gradio.Blocks), app.demo is"
        " app.demo)",
    )
    assert done.stdout.strip() == "True True"


@pytest.mark.parametrize(
    ("arguments", "environment", "allowed"),
    [
        ([], {}, True),
        (["--host", "localhost"], {"GRADIO_SERVER_NAME": "0.0.0.0"}, True),
        (["--host", "0.0.0.0"], {}, False),
        ([], {"GRADIO_SERVER_NAME": "0.0.0.0"}, False),
        (["--share"], {}, False),
        ([], {"GRADIO_SHARE": "True"}, False),
        ([], {"SPACE_ID": "someone/something"}, False),
        (["--host", "0.0.0.0", "--share", "--allow-training"], {"SPACE_ID": "x/y"}, True),
    ],
)
def test_training_is_off_where_others_can_reach_the_app(
    monkeypatch, arguments, environment, allowed
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert app.training_is_allowed(app._parser().parse_args(arguments)) is allowed
