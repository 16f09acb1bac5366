"""Start of the app: passwords, addresses, and system errors in one sentence."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from elmo_tasks import app
from elmo_tasks.errors import ConfigError

ROOT = Path(__file__).parents[1]


def arguments(*given: str):
    return app._parser().parse_args(given)


def test_a_password_comes_from_an_argument_a_file_or_a_variable(tmp_path):
    assert app.passwords(arguments(), {}) is None
    assert app.passwords(arguments("--auth", "ada:se:cret"), {"ELMO_AUTH": "eva:x"}) == [
        ("ada", "se:cret")
    ]
    environment = {"ELMO_AUTH": "eva:x", "HOME": "/"}
    assert app.passwords(arguments(), environment) == [("eva", "x")]
    assert environment == {"HOME": "/"}  # what the app starts need not know it
    (tmp_path / "people").write_text("ada:one\n\neva:two \n", encoding="utf-8")
    found = app.passwords(arguments("--auth-file", str(tmp_path / "people")), {})
    assert found == [("ada", "one"), ("eva", "two")]


def test_a_malformed_password_is_refused(tmp_path):
    (tmp_path / "people").write_text("ada:one\neva\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"people, line 2: expected USER:PASS"):
        app.passwords(arguments("--auth-file", str(tmp_path / "people")), {})
    (tmp_path / "people").write_text("\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"people: expected USER:PASS, found nothing"):
        app.passwords(arguments("--auth-file", str(tmp_path / "people")), {})
    with pytest.raises(ConfigError, match=r"\$ELMO_AUTH: expected USER:PASS, found nothing"):
        app.passwords(arguments(), {"ELMO_AUTH": ""})


@pytest.mark.parametrize("content", ["\ufeffanna : secret\n", "anna:secret", " anna: secret \r\n"])
def test_marks_and_blanks_around_names_and_passwords_are_ignored(tmp_path, content):
    (tmp_path / "people").write_text(content, encoding="utf-8")
    assert app.passwords(arguments("--auth-file", str(tmp_path / "people")), {}) == [
        ("anna", "secret")
    ]


def test_several_pairs_in_a_line_and_other_encodings_are_refused(tmp_path):
    people = tmp_path / "people"
    people.write_text("teacher:secret1,pupil:secret2\n")
    with pytest.raises(
        ConfigError, match="line 1: expected one USER:PASS on each line, found several with commas"
    ):
        app.passwords(arguments("--auth-file", str(people)), {})
    assert app.passwords(arguments(), {"ELMO_AUTH": "a:one\nb:two,three"}) == [
        ("a", "one"),
        ("b", "two,three"),
    ]
    people.write_bytes("jürgen:geheim".encode("latin-1"))
    with pytest.raises(ConfigError, match="people: expected UTF-8 text .* save the file as UTF-8"):
        app.passwords(arguments("--auth-file", str(people)), {})


def test_a_proxy_is_not_used_for_this_machine():
    environment = {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "intranet"}
    app.reach_itself(environment)
    assert environment["NO_PROXY"] == "intranet,127.0.0.1,localhost,::1"


def test_a_socks_proxy_without_its_package_is_reported_in_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(app, "find_spec", lambda name: None)
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(SystemExit, match="2"):
        app.main([])
    assert "$ALL_PROXY is a SOCKS proxy, for which a package is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ["--host", "no.such.host.invalid"],
            "error: --host no.such.host.invalid: there is no such address",
        ),
        (
            ["--host", "192.0.2.1"],
            "error: --host 192.0.2.1: this machine has no such address; choose another one",
        ),
        (["--port", "70000"], "expected a whole number up to 65535, found '70000'"),
        (["--auth-file", "/no/such"], "error: /no/such: no such file or folder"),
        (["--auth", "ada"], "argument --auth: expected USER:PASS"),
        (["--auth", "ada:"], "argument --auth: expected USER:PASS"),
        (["--auth", ":secret"], "argument --auth: expected USER:PASS"),
        (["--auth-file", "/no/such", "--auth", "a:b"], "not allowed with argument"),
    ],
)
def test_impossible_options_end_with_one_sentence(capsys, given, message):
    with pytest.raises(SystemExit, match="2"):
        app.main(given)
    assert message in capsys.readouterr().err


def test_a_used_port_is_reported_in_one_sentence(capsys, monkeypatch):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        with pytest.raises(SystemExit, match="2"):
            app.main(["--port", port])
        assert (
            f"--host 127.0.0.1 --port {port}: the port is taken; choose another one"
            in capsys.readouterr().err
        )
        monkeypatch.setenv("GRADIO_SERVER_PORT", port)
        with pytest.raises(SystemExit, match="2"):
            app.main([])
        assert "the port is taken" in capsys.readouterr().err
    app.check_address(None, None)
    app.check_address("::1" if socket.has_ipv6 else None, None)


def test_system_errors_at_the_start_are_one_sentence(capsys, monkeypatch):
    def full(*args, **kwargs):
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp', '/var/tmp']")

    monkeypatch.setattr(app, "_build", full)
    with pytest.raises(SystemExit, match="2"):
        app.main([])
    assert "error: No usable temporary directory found in" in capsys.readouterr().err


def test_help_names_every_option(capsys):
    with pytest.raises(SystemExit, match="0"):
        app.main(["--help"])
    options = ("--host", "--port", "--model", "--share", "--auth", "--mcp", "GRADIO_SERVER_PORT")
    printed = capsys.readouterr().out
    assert [option for option in options if option not in printed] == []


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new Python."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def test_importing_the_app_loads_nothing_heavy():
    done = run(
        "import app, elmo_tasks.app, sys; print({'gradio', 'torch', 'plotly', 'pandas'} &"
        " set(sys.modules))",
    )
    assert done.stdout.strip() == "set()"


def test_mcp_without_its_package_says_what_to_install(tmp_path):
    blocked = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['app.py', '--mcp']; import app;"
        " app.main()"
    )
    done = run(blocked)
    assert done.returncode == 2
    assert 'pip install "gradio[mcp]"' in done.stderr


@pytest.mark.ci
def test_the_demo_of_a_space_is_the_app():
    done = run(
        "import app; import gradio; print(isinstance(app.demo, gradio.Blocks), app.demo is"
        " app.demo)",
    )
    assert done.stdout.strip() == "True True"


@pytest.mark.parametrize(
    ("given", "environment", "allowed"),
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
def test_training_is_off_where_others_can_reach_the_app(monkeypatch, given, environment, allowed):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert app.training_is_allowed(arguments(*given)) is allowed
