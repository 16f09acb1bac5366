"""``confidence``: fit a classifier's temperature and threshold on a file."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from elmo_tasks.cli.arguments import add_device
from elmo_tasks.errors import ConfigError

HELP = "how sure a classifier must be to say a class: fitted on a labelled file that has neutral texts, too"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_device(parser)
    parser.add_argument("--head", required=True, help="name or folder of a head that says a class")
    parser.add_argument(
        "--data",
        required=True,
        type=Path,
        help="labelled file that the head was not trained on; rows whose label the head was not "
        "taught are texts of no class",
    )
    parser.add_argument("--score", action="store_true", help="only measure what is in the head's folder; write nothing")


def run(args: argparse.Namespace) -> int:
    """Fit the temperature and threshold, save and print them."""
    from elmo_tasks.data.classification import tokens_of
    from elmo_tasks.data.labelled_texts import read_labelled_table
    from elmo_tasks.data.records import listed
    from elmo_tasks.heads.confidence import Confidence
    from elmo_tasks.heads.head_files import find_head
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.tasks import find_task
    from elmo_tasks.training.predictor import Predictor

    files = find_head(args.head)
    if not find_task(files.kind).one_label:
        raise ConfigError(
            f"--head {args.head}: expected a head that says a class of a text, found one for {files.kind}"
        )
    reading = files.reading
    cut = partial(
        tokens_of, pretokenized=reading.get("pretokenized", False), plain_tokens=reading.get("plain_tokens", True)
    )
    labelled, found = read_labelled_table(args.data)
    rows = [(words, row.label) for row in labelled if (words := cut(row.text))]
    if found is not None:
        print(f"{args.data}: {found.describe()}")
    same_format = reading.get("file_format") in (None, find_task(files.kind).format_of(args.data))
    stored = reading.get("label_names") if same_format else None
    names = {str(key): value for key, value in (stored or {}).items()}
    labels = list(files.task.labels)
    gold = [names.get(label) or label for _, label in rows]
    unknown = sorted(set(gold) - set(labels))
    if len(set(gold)) - len(unknown) < 2:
        raise ConfigError(
            f"{args.data}: expected rows of two classes of the head or more ({listed(labels)}), found {listed(sorted(set(gold)))}"
        )
    if unknown:
        print(f"Read as texts of no class: rows with {listed(map(str, unknown))}")
    classes = [labels.index(label) if label in labels else None for label in gold]
    predictor = Predictor.load(files, device=checked_device(args.device))
    predictor.confidence = None  # it is fitted on what the head itself says
    said = [list(found.probabilities.values()) for found in predictor.predict([words for words, _ in rows])]
    fitted = Confidence.fit(said, classes, args.data.name)
    if args.score:
        known = Confidence.of(files.folder)
        if known is None:
            raise ConfigError(f"{files.folder}: nothing was fitted yet; run this without --score first")
        fitted = known.scored(said, classes, args.data.name)
    else:
        fitted.write(files.folder)
    print(
        f"{files.name}: temperature {fitted.temperature:.2f}; a class is predicted from {fitted.least:.1%} on. "
        f"On {fitted.fitted_on}: {fitted.said:.1%} of the {fitted.rows:,} rows with a class get a prediction, "
        f"{fitted.right:.1%} of all predictions are right, and {fitted.kept_back:.1%} of the {fitted.of_no_class:,} rows "
        "without a class get none"
    )
    return 0
