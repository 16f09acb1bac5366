"""``probe``: test results by layer of an encoder, as table, plot and JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_tasks.cli.arguments import add_device
from elmo_tasks.cli.evaluate import data_and_tests
from elmo_tasks.files import atomic_write

if TYPE_CHECKING:
    from elmo_tasks.encoders import Encoder
    from elmo_tasks.evaluation.rows import Evaluation

HELP = "what each layer of a model knows: parts of speech, phrases, names, feeling, senses; table, plot and JSON"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_device(parser)
    parser.add_argument(
        "--model", help="name or folder of any encoder: biLM, transformer, static vectors (default: the bundled biLM)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        help="folder of the data sets, which are yours to get: docs/your_own_data.md says where (default: ELMO_SHARED_DATA, or "
        "../shared/data)",
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="TEST", help="only these: pos, chunks, ner, wsd, ...")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--out",
        type=Path,
        help="JSON file, written after each test; tests of the same weights that it already has are kept, not measured again",
    )
    parser.add_argument("--plot", type=Path, help="write bars of every test to this SVG file")


def run(args: argparse.Namespace) -> int:
    """Run the missing tests and print all results."""
    from dataclasses import replace

    from elmo_tasks.encoders import load
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.evaluation.probes import PROBES, beside_published, joined, plot, write_probes
    from elmo_tasks.evaluation.reader import Reader
    from elmo_tasks.evaluation.rows import Evaluation
    from elmo_tasks.evaluation.suite import evaluate
    from elmo_tasks.layers.device import checked_device

    data, (tests, missing) = data_and_tests(args, ("out", "plot"), PROBES)
    encoder: Encoder = load(args.model, checked_device(args.device))
    reader = Reader(encoder, StaticVectors.load(), layers_only=True)
    found = _earlier_results(args.out, Evaluation(encoder.name, encoder.checksum, reader.views, ()))
    for test in [test for test in tests if test not in found.seconds]:
        found = joined(found, evaluate(reader, data, [test]))
        if args.out is not None:
            write_probes(args.out, found, _command(args), encoder.layer_names)
    found = replace(found, missing={test: why for test, why in missing.items() if test not in found.seconds})
    if args.plot is not None:
        atomic_write(args.plot, plot(found, encoder.layer_names))
    print(json.dumps(found.to_dict(), indent=1) if args.json else beside_published(found).to_markdown())
    return 0


def _earlier_results(path: Path | None, nothing: Evaluation) -> Evaluation:
    """Load the earlier results for the same weights."""
    from elmo_tasks.evaluation.probes import read_probes

    earlier = read_probes(path) if path is not None and path.is_file() else nothing
    return earlier if earlier.checksum == nothing.checksum else nothing


def _command(args: argparse.Namespace) -> str:
    """Return the command line without machine-specific paths."""
    model = [] if args.model is None else ["--model", args.model]
    return " ".join(["elmo-tasks probe", *model, "--out", str(args.out)])
