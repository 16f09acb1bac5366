"""Start the app: ``python app.py``; a hosted Space runs the same file."""

from __future__ import annotations

import argparse
from typing import Any


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="ELMo in context: see what a word means in every sentence.")
    parser.add_argument("--host", help="address to listen on (default: $GRADIO_SERVER_NAME, else 127.0.0.1)")
    parser.add_argument(
        "--port", type=int, help="port to listen on (default: $GRADIO_SERVER_PORT, else the first free one from 7860)"
    )
    parser.add_argument("--model", help="name or folder of the model to open (default: the bundled one)")
    parser.add_argument("--runs_dir", default="runs", help="folder with the heads that you trained (default: runs)")
    parser.add_argument("--share", action="store_true", help="make a public link through gradio's server")
    parser.add_argument("--auth", metavar="USER:PASS", type=_user_and_password, help="ask for this name and password")
    return parser


def _user_and_password(text: str) -> tuple[str, str]:
    user, colon, password = text.partition(":")
    if not (user and colon and password):
        raise argparse.ArgumentTypeError("expected USER:PASS")
    return user, password


def _build(model: str | None = None, runs_dir: str = "runs") -> Any:
    from elmo_tasks.serving.session import Session
    from elmo_tasks.ui.layout import build_app

    return build_app(Session(model, runs_dir=runs_dir))


def __getattr__(name: str) -> Any:
    """Build ``demo`` when something asks for it, so that importing this file stays cheap."""
    if name == "demo":
        globals()["demo"] = _build()
        return globals()["demo"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """Read the arguments and serve the pages until interrupted."""
    parser = _parser()
    args = parser.parse_args()

    from elmo_tasks.errors import ConfigError, WeightsError
    from elmo_tasks.ui.theme import launch_options

    try:
        app = _build(args.model, args.runs_dir)
    except (ConfigError, WeightsError) as error:
        parser.error(str(error))
    # None leaves the choice to gradio and its GRADIO_* variables.
    app.launch(
        server_name=args.host,
        server_port=args.port,
        share=args.share or None,
        auth=args.auth,
        **launch_options(),
    )


if __name__ == "__main__":
    main()
