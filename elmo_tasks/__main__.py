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

#: In the order of the help; each is a file of its name.
COMMANDS = {
    name: import_module(f"elmo_tasks.cli.{name.replace('-', '_')}")
    for name in (
        "compare",
        "senses",
        "nearest",
        "embed",
        "predict",
        "sweep",
        "evaluate",
        "probe",
        "calibrate",
        "confidence",
        "export",
        "vectors",
        "join",
        "index",
        "download",
        "checksums",
    )
}
RUNS = ("fit", "validate", "test")
#: Packages that only some commands need -> the extra of pyproject.toml that brings them.
EXTRAS = {
    "h5py": "hdf5",
    "pytorch_lightning": "train",
    "jsonargparse": "train",
    "datasets": "train",
    "torchmetrics": "train",
    "gensim": "train",
    "gradio": "app",
    "yaml": "train",
    "transformers": "transformers",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0 if it was done, 2 if the request could not be answered; the reason is on stderr.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()  # here, where a failing output can still be reported
    except (ConfigError, DataError, InputError, WeightsError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").split(".")[0])
        if extra is None:
            raise
        print(
            f"{arguments[0]}: it needs the package {error.name}, which is not installed: "
            f'pip install "elmo-tasks[{extra}]", or "pip install -e .[{extra}]" in a checkout',
            file=sys.stderr,
        )
        return 2
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        _let_go_of_output()
        return 141
    except OSError as error:
        print(f"{arguments[0]}: {describe_os_error(error)}", file=sys.stderr)
        _let_go_of_output()
        return 2
    except KeyboardInterrupt:
        return 130


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in RUNS:
        return fit.run(arguments)
    if arguments and arguments[0] == "app":
        app.main(arguments[1:], prog="elmo-tasks app")
        return 0
    parser = argparse.ArgumentParser(prog="elmo-tasks", description="ELMo: contextual word vectors.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.add_arguments(commands.add_parser(name, help=command.HELP, description=command.HELP))
    for name in RUNS:
        commands.add_parser(name, help=fit.HELP)
    commands.add_parser("app", help="open the app in a browser")
    args = parser.parse_args(arguments)
    return COMMANDS[args.command].run(args)


def _let_go_of_output() -> None:
    """Discard buffered output, which would fail again at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
