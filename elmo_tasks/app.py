"""Start the app: ``elmo-tasks app``, or ``python app.py`` in the repository's folder, as a hosted Space does."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

LOCAL = ("", "127.0.0.1", "localhost", "::1")


def _parser(prog: str | None = None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=prog, description="ELMo in context: see what a word means in every sentence.")
    parser.add_argument("--host", help="address to listen on (default: $GRADIO_SERVER_NAME, else 127.0.0.1)")
    parser.add_argument(
        "--port", type=int, help="port to listen on (default: $GRADIO_SERVER_PORT, else the first free one from 7860)"
    )
    parser.add_argument("--model", help="name or folder of the model to open (default: the bundled one)")
    parser.add_argument("--runs_dir", default="runs", help="folder with the heads that you trained (default: runs)")
    parser.add_argument("--index", help="folder that `elmo-tasks index` wrote: your own text to search")
    parser.add_argument("--share", action="store_true", help="make a public link through gradio's server")
    parser.add_argument("--auth", metavar="USER:PASS", type=_user_and_password, help="ask for this name and password")
    parser.add_argument(
        "--mcp",
        action="store_true",
        help='offer the endpoints as tools to chat programs (MCP; needs: pip install "gradio[mcp]")',
    )
    parser.add_argument(
        "--allow-training",
        action="store_true",
        help="let people train and upload data also where others can reach the app (default: only on this machine)",
    )
    return parser


def training_is_allowed(args: argparse.Namespace, environment: Mapping[str, str]) -> bool:
    """Whether people may train and upload: where only this machine reaches the app, or where it was asked for."""
    if args.allow_training:
        return True
    host = args.host or environment.get("GRADIO_SERVER_NAME") or ""
    shared = args.share or environment.get("GRADIO_SHARE", "").lower() in ("true", "1", "yes")
    return host in LOCAL and not shared and not environment.get("SPACE_ID")


def _user_and_password(text: str) -> tuple[str, str]:
    user, colon, password = text.partition(":")
    if not (user and colon and password):
        raise argparse.ArgumentTypeError("expected USER:PASS")
    return user, password


def _build(model: str | None = None, runs_dir: str = "runs", training: bool = False, index: str | None = None) -> Any:
    from elmo_tasks.serving.session import Session
    from elmo_tasks.ui.layout import build_app

    return build_app(Session(model, runs_dir=runs_dir, training=training, index=index))


def __getattr__(name: str) -> Any:
    """Build ``demo`` when something asks for it, so that importing this file stays cheap."""
    if name == "demo":
        globals()["demo"] = _build()
        return globals()["demo"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Read the arguments (those of the process if ``None``) and serve the pages until interrupted."""
    parser = _parser(prog)
    args = parser.parse_args(arguments)
    if args.mcp and find_spec("mcp") is None:
        parser.error('--mcp needs a package that is not installed: pip install "gradio[mcp]"')

    from elmo_tasks.errors import ConfigError, DataError, WeightsError
    from elmo_tasks.serving.uploads import MAX_UPLOAD
    from elmo_tasks.ui.theme import launch_options

    training = training_is_allowed(args, os.environ)
    try:
        app = _build(args.model, args.runs_dir, training, args.index)
    except (ConfigError, DataError, WeightsError) as error:
        parser.error(str(error))
    # None leaves the choice to gradio and its GRADIO_* variables.
    app.launch(
        server_name=args.host,
        server_port=args.port,
        share=args.share or None,
        auth=args.auth,
        mcp_server=args.mcp or None,
        # Only what is trained on is sent to gradio's door for files.
        max_file_size=MAX_UPLOAD if training else 1,
        **launch_options(),
    )
