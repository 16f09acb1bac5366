"""``elmo-tasks COMMAND``, or ``python -m elmo_tasks COMMAND``."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from elmo_tasks import app
from elmo_tasks.cli import fit
from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError
from elmo_tasks.files import describe_os_error

_NAMES = (
    "compare",
    "senses",
    "map",
    "nearest",
    "embed",
    "index",
    "predict",
    "evaluate",
    "calibrate",
    "sweep",
    "model",
)
#: In the order of the help; each is a file of its name.
COMMANDS = {name: import_module(f"elmo_tasks.cli.{name}") for name in _NAMES}
RUNS = {
    "fit": "train a head or a language model: --config NAME, or resume: --run FOLDER",
    "validate": "score the run of a folder on its validation data: --run FOLDER",
    "test": "score the run of a folder on its test data: --run FOLDER",
}
#: Packages that only some commands need -> the extra of pyproject.toml that installs them.
EXTRAS = {
    "h5py": "hdf5",
    "gradio": "app",
    "jinja2": "app",
    "transformers": "transformers",
    "pyarrow": "corpus",
    "ray": "ray",
    "faiss": "index",
    "huggingface_hub": "hub",
    "pytorch_lightning": "train",
    **dict.fromkeys(
        ("jsonargparse", "datasets", "torchmetrics", "gensim", "pandas", "yaml"), "train"
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 2, with a reason on stderr, if it cannot be done."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()  # here, where a failing output can still be reported
    except (ConfigError, DataError, InputError, WeightsError) as error:
        message = str(error)
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").split(".")[0])
        if extra is None:
            raise
        message = (
            f"it needs the package {error.name}, which is not installed: "
            f'pip install "elmo-tasks[{extra}]", or "pip install -e .[{extra}]" in a checkout'
        )
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        _discard_output()
        return 141
    except OSError as error:
        message = describe_os_error(error)
        _discard_output()
    except KeyboardInterrupt:
        return 130
    print(f"{arguments[0]}: {message}", file=sys.stderr)
    return 2


def _run(arguments: list[str]) -> int:
    name = arguments[0] if arguments else ""
    if name in RUNS:
        return fit.run(arguments)
    if name == "app":
        app.main(arguments[1:], prog="elmo-tasks app")
        return 0
    parser = argparse.ArgumentParser(
        prog="elmo-tasks", description="ELMo: contextual word vectors."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("app", help="open the app in a browser")
    for name, command in COMMANDS.items():
        command.add_arguments(
            commands.add_parser(name, help=command.HELP, description=command.HELP)
        )
    for name, text in RUNS.items():
        commands.add_parser(name, help=text)
    args = parser.parse_args(arguments)
    return COMMANDS[args.command].run(args)


def _discard_output() -> None:
    """Discard buffered output, which would fail again at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
