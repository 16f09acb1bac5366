"""Start the app: ``elmo-tasks app``, or ``python app.py`` in the repository."""

from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import threading
from collections.abc import Mapping, MutableMapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from elmo_tasks.cli.arguments import add_device, add_no_calibration, add_precision
from elmo_tasks.errors import ConfigError, DataError, WeightsError
from elmo_tasks.files import describe_os_error

if TYPE_CHECKING:
    from elmo_tasks.service.health import Health

_OWN_HOSTS = ("127.0.0.1", "localhost", "::1")
LOCAL = (None, "127.0.0.1", "localhost", "::1")
AUTH_VARIABLE = "ELMO_AUTH"
#: Maximum number of waiting requests; further ones receive a message to retry.
_MAX_WAITING = 200
#: Seconds for running requests to finish at shutdown; supervisors wait longer before killing.
_LAST_SECONDS = 25.0
#: Matches several ``NAME:PASS`` pairs separated by commas.
_SEVERAL_LOGINS = re.compile(r":[^:]*,\s*[^\s,:]+\s*:")


def _parser(prog: str | None = None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog, description="ELMo in context: see what a word means in every sentence."
    )
    host = os.environ.get("GRADIO_SERVER_NAME")
    port = os.environ.get("GRADIO_SERVER_PORT")
    parser.add_argument(
        "--host",
        default=host or None,
        help="address to listen on (default: $GRADIO_SERVER_NAME, else 127.0.0.1)",
    )
    text = "port to listen on (default: $GRADIO_SERVER_PORT, else the first free one from 7860)"
    parser.add_argument("--port", type=_port, default=port or None, help=text)
    text = (
        "name or folder of a model (default: the bundled one); given again, one more to choose and"
        " compare with"
    )
    parser.add_argument("--model", action="append", dest="models", help=text)
    add_device(parser)
    add_precision(parser)
    parser.add_argument(
        "--runs_dir", default="runs", help="folder with the heads that you trained (default: runs)"
    )
    parser.add_argument(
        "--index", help="folder that `elmo-tasks index` wrote: your own text to search"
    )
    add_no_calibration(parser)
    parser.add_argument(
        "--share", action="store_true", help="make a public link through gradio's server"
    )
    password = parser.add_mutually_exclusive_group()
    text = (
        "ask for this name and password; the list of processes shows them: better --auth-file, or"
        f" ${AUTH_VARIABLE}"
    )
    password.add_argument("--auth", metavar="USER:PASS", type=_user_and_password, help=text)
    password.add_argument(
        "--auth-file",
        metavar="FILE",
        help="read names and passwords from a file, USER:PASS per line",
    )
    text = 'offer the endpoints as tools to chat programs (MCP; needs: pip install "gradio[mcp]")'
    parser.add_argument("--mcp", action="store_true", help=text)
    text = (
        "allow training and uploads also where others can reach the app (default: only on this"
        " machine)"
    )
    parser.add_argument("--allow-training", action="store_true", help=text)
    text = (
        "let the Sense map open a link by which a class sends sentences from phones; the link has a"
        " code of its own and needs no other password (default: off)"
    )
    parser.add_argument("--class-link", action="store_true", help=text)
    return parser


def training_is_allowed(args: argparse.Namespace) -> bool:
    """Return True on request, or if only this machine reaches the app."""
    if args.allow_training:
        return True
    shared = args.share or os.environ.get("GRADIO_SHARE", "").lower() in ("true", "1", "yes")
    return args.host in LOCAL and not shared and not os.environ.get("SPACE_ID")


def _user_and_password(text: str) -> tuple[str, str]:
    user, colon, password = (part.strip() for part in text.partition(":"))
    if not (user and colon and password):
        raise argparse.ArgumentTypeError("expected USER:PASS")
    return user, password


def _lines_of(path: Path) -> list[str]:
    """Read a file of names and passwords, without a byte order mark."""
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"--auth-file {path}: expected UTF-8 text ({error.reason}); save the file as UTF-8"
        ) from None


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) < 2**16):
        raise argparse.ArgumentTypeError(f"expected a whole number up to 65535, found {text!r}")
    return int(text)


def passwords(
    args: argparse.Namespace, environment: MutableMapping[str, str]
) -> list[tuple[str, str]] | None:
    """Return user names and passwords from the arguments or, removed there, the environment."""
    # Removed, so that child processes, such as training, do not have it.
    in_environment = environment.pop(AUTH_VARIABLE, None)
    if args.auth is not None:
        return [args.auth]
    if args.auth_file is not None:
        where = f"--auth-file {args.auth_file}"
        lines = _lines_of(Path(args.auth_file))
    elif in_environment is not None:
        where = f"${AUTH_VARIABLE}"
        lines = in_environment.splitlines()
    else:
        return None
    users = []
    for number, line in enumerate(lines, start=1):
        try:
            if _SEVERAL_LOGINS.search(line):
                raise ConfigError(
                    f"{where}, line {number}: expected one USER:PASS on each line, found several"
                    " with commas between them; give each a line of its own"
                )
            if line.strip():
                users.append(_user_and_password(line.strip()))
        except argparse.ArgumentTypeError as error:
            raise ConfigError(f"{where}, line {number}: {error}") from None
    if not users:
        raise ConfigError(f"{where}: expected USER:PASS, found nothing")
    return users


def check_address(host: str | None, port: int | None) -> None:
    """Check that the app can listen there; gradio would report every failure as taken ports."""
    name = (host or "127.0.0.1").strip("[]")
    where = f"--host {name}" if port is None else f"--host {name} --port {port}"
    try:
        family, *_, address = socket.getaddrinfo(name, port or 0, type=socket.SOCK_STREAM)[0]
        socket.create_server(address[:2], family=family).close()
    except (socket.gaierror, UnicodeError) as error:
        raise ConfigError(f"--host {name}: there is no such address ({error})") from None
    except OSError as error:
        raise ConfigError(f"{where}: {describe_os_error(error)}") from None


def _build(args: argparse.Namespace, room: Any = None) -> Any:
    """Build the page; the ``room`` is that of a class link, if there is one."""
    from elmo_tasks.service.loaded_models import LoadedModels
    from elmo_tasks.service.session import Session
    from elmo_tasks.ui.layout import build_app

    model, *others = args.models or [None]
    models = LoadedModels(
        model=model,
        device=args.device,
        others=others,
        may_measure=not args.no_calibration,
        precision=args.precision,
    )
    session = Session(
        models, runs_dir=args.runs_dir, training=training_is_allowed(args), index=args.index
    )
    return build_app(session, room)


@cache
def __getattr__(name: str) -> Any:
    """Build ``demo``, which gradio's own commands read, on first access."""
    if name == "demo":
        from elmo_tasks.service.session import Session
        from elmo_tasks.ui.layout import build_app

        return build_app(Session())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Parse the arguments (of the process if ``None``) and serve until interrupted."""
    parser = _parser(prog)
    args = parser.parse_args(arguments)
    if args.mcp and find_spec("mcp") is None:
        parser.error('--mcp needs a package that is not installed: pip install "gradio[mcp]"')

    try:
        _serve(args)
    except (ConfigError, DataError, WeightsError) as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(describe_os_error(error))


def reach_itself(environment: MutableMapping[str, str]) -> None:
    """Keep requests to this machine away from a proxy: gradio calls its own server."""
    for name in ("NO_PROXY", "no_proxy"):
        listed = [host for host in environment.get(name, "").split(",") if host.strip()]
        environment[name] = ",".join(
            [*listed, *(host for host in _OWN_HOSTS if host not in listed)]
        )


def _check_proxy(environment: Mapping[str, str]) -> None:
    """Refuse a SOCKS proxy without the package for it: every connection would fail.

    Raises:
        ConfigError: the package for it is missing.
    """
    names = ("ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")
    chosen = next((name for name in names if environment.get(name, "").startswith("socks")), None)
    if chosen is not None and find_spec("socksio") is None:
        raise ConfigError(
            f"${chosen} is a SOCKS proxy, for which a package is missing: pip install"
            f' "httpx[socks]", or start the app with {chosen}= in front'
        )


def _check_temporary_folder(environment: Mapping[str, str]) -> None:
    """Refuse a folder for uploads to which this user cannot write.

    Raises:
        ConfigError: nothing can be written there.
    """
    given = environment.get("GRADIO_TEMP_DIR")
    for folder in (Path(given), Path(given) / "vibe_edit_history") if given else ():
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            raise ConfigError(
                f"$GRADIO_TEMP_DIR: {folder} cannot be written by this user; name another folder"
            )


def _count_few_requests(environment: MutableMapping[str, str]) -> None:
    """Bound the statistics of gradio, which our pages do not show.

    By default it keeps 10,000 requests and counts all of them after each request.
    """
    environment.setdefault("GRADIO_ANALYTICS_MAX_EVENTS", "100")
    environment.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "100")


def _serve(args: argparse.Namespace) -> None:
    users = passwords(args, os.environ)
    check_address(args.host, args.port)
    _check_proxy(os.environ)
    _check_temporary_folder(os.environ)
    reach_itself(os.environ)
    _count_few_requests(os.environ)
    from elmo_tasks.service.free_memory import give_back_freed_memory
    from elmo_tasks.service.health import Health, HealthMiddleware
    from elmo_tasks.service.lost_requests import LostRequests
    from elmo_tasks.service.request_limits import RequestLimits, UploadLimits
    from elmo_tasks.service.training_data import MAX_UPLOAD
    from elmo_tasks.ui.class_link import ClassPages, ClassRoom
    from elmo_tasks.ui.layout import launch_options
    from elmo_tasks.ui.no_sessions import keep_no_sessions

    room = ClassRoom(is_local=args.host in LOCAL and not args.share) if args.class_link else None
    pages = [(ClassPages, (), {"room": room})] if room else []
    training = training_is_allowed(args)
    give_back_freed_memory()
    app = _build(args, room)
    bounds = {"uploads": UploadLimits(MAX_UPLOAD + 10_000) if training else None}
    app.queue(max_size=_MAX_WAITING)
    health = Health()
    _end_on_sigterm(health)
    # None leaves the choice to gradio.
    app.launch(
        server_name=args.host,
        server_port=args.port,
        share=args.share or None,
        auth=users,
        mcp_server=args.mcp or None,
        # Only training data go to gradio's upload endpoint.
        max_file_size=MAX_UPLOAD if training else 1,
        # starlette unpacks a `Middleware` to this.
        app_kwargs={
            "middleware": [
                (HealthMiddleware, (health,), {}),
                (RequestLimits, (), bounds),
                (LostRequests, (), {}),
                *pages,
            ]
        },
        prevent_thread_lock=True,
        # Without gradio's request to itself, which has three seconds: a busy machine takes longer.
        _frontend=False,
        **launch_options(),
    )
    keep_no_sessions(app)
    app.block_thread()


def _end_on_sigterm(health: Health) -> None:
    """Let running requests finish when a supervisor ends the app, for half a minute at most."""

    def end(number: int, frame: FrameType | None) -> None:
        print("Ending: running requests are finished first.", flush=True)
        if not health.end(_LAST_SECONDS):
            print(f"{health.running} requests were cut off.", flush=True)
        raise SystemExit(0)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)
