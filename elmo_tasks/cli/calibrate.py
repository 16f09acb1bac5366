"""``calibrate``: fit an encoder's meanings, or a classifier's confidence."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_tasks.cli.arguments import add_device, add_model
from elmo_tasks.errors import ConfigError

if TYPE_CHECKING:
    from elmo_tasks.heads.head_files import HeadFiles

HELP = (
    "calibrate the meanings of a model on the dictionary, or the probabilities of a classifier on a"
    " labelled file"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_device(parser)
    encoder = parser.add_argument_group("the meanings of a model")
    add_model(encoder)
    add = encoder.add_argument
    add(
        "--beside",
        action="store_true",
        help="keep the result beside the model, not in the user's cache",
    )
    add(
        "--max-uses",
        type=int,
        help="maximum number of sentences of the dictionary to read, approximately (default: all)",
    )
    add = parser.add_argument_group("a classifier").add_argument
    add("--head", help="name or folder of a head that predicts a class of a text")
    text = (
        "labelled file that the head was not trained on; rows with an unknown label count as texts"
        " of no class"
    )
    add("--data", type=Path, help=text)
    add(
        "--labels",
        metavar="0=negative,1=positive",
        help="map from the labels of that file to those of the head",
    )


def run(args: argparse.Namespace) -> int:
    """Fit, write the result, and print it."""
    if args.head is not None:
        return _head(args)
    if args.data is not None or args.labels is not None:
        raise ConfigError("--data and --labels calibrate a classifier; name it with --head")
    return _meanings(args)


def _meanings(args: argparse.Namespace) -> int:
    from elmo_tasks.devices import checked_device
    from elmo_tasks.encoders import load
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.senses.calibration_files import write_calibration
    from elmo_tasks.senses.expected_words import ExpectedWords
    from elmo_tasks.service.loaded_models import cached_folder, fit_calibration
    from elmo_tasks.weights.folders import refresh_card

    encoder = load(args.model, checked_device(args.device))
    if not encoder.reads_sentence:
        raise ConfigError(
            f"{encoder.name} does not read the sentence: all uses of a word have one vector"
        )
    if args.beside and encoder.folder is None:
        raise ConfigError(
            f"--beside: {encoder.name} has no folder of its own; leave the option out"
        )
    static = StaticVectors.load()
    expected = ExpectedWords.load(encoder, static)
    calibration, centroids = fit_calibration(encoder, static, expected, args.max_uses)
    folder = (
        encoder.folder if args.beside and encoder.folder else cached_folder(calibration.checksum)
    )
    write_calibration(folder, calibration, centroids)
    if args.beside:
        refresh_card(folder)
    weights = ", ".join(f"{view} {weight:.1f}" for view, weight in calibration.weights.items())
    projection = (
        "kept"
        if calibration.projection is not None
        else "no better than the unchanged views, so not kept"
    )
    print(
        f"{encoder.name}: fitted on the dictionary, of which {len(centroids):,} meanings were read"
    )
    print(f"views and their weights: {weights}")
    print(f"projection: {projection}")
    print(
        f"written to {folder}; measure it with: elmo-tasks evaluate --senses --model"
        f" {args.model or encoder.name}"
    )
    return 0


def _head(args: argparse.Namespace) -> int:
    """Fit temperature and threshold, see :class:`elmo_tasks.heads.confidence.Confidence`."""
    from elmo_tasks.devices import checked_device
    from elmo_tasks.heads.confidence import Confidence
    from elmo_tasks.heads.head_files import find_head
    from elmo_tasks.prediction import Predictor
    from elmo_tasks.tasks import find_task

    if args.data is None:
        raise ConfigError("--head needs --data: a labelled file to calibrate it on")
    files = find_head(args.head)
    if not find_task(files.kind).one_label:
        raise ConfigError(
            f"--head {args.head}: expected a head for classes of texts, found one for {files.kind}"
        )
    texts, classes = _labelled_texts(args, files)
    predictor = Predictor.load(files, device=checked_device(args.device))
    predictor.confidence = None  # it is fitted on the uncalibrated probabilities
    predictions = predictor.predict(texts)
    probabilities = [list(prediction.probabilities.values()) for prediction in predictions]
    confidence = Confidence.fit(probabilities, classes, args.data.name)
    confidence.write(files.folder)
    others = ""
    if None in classes:
        others = (
            f", and {confidence.abstention:.1%} of the {confidence.rows_without_class:,} rows"
            " without a class get none"
        )
    print(
        f"{files.name}: temperature {confidence.temperature:.2f}; a class is predicted from"
        f" {confidence.threshold:.1%} on. On {confidence.fitted_on}: {confidence.coverage:.1%} of"
        f" the {confidence.rows:,} rows with a class get a prediction,"
        f" {confidence.precision:.1%} of all predictions are right{others}"
    )
    return 0


def _labelled_texts(
    args: argparse.Namespace, files: HeadFiles
) -> tuple[list[Sequence[str]], list[int | None]]:
    """Return the tokens and the class of each row; ``None`` for a label that the head lacks."""
    from elmo_tasks.data.classification import tokens_of
    from elmo_tasks.data.labelled_texts import format_of, read_labelled_table
    from elmo_tasks.data.records import in_quotes, mapped_labels

    reading = files.reading
    labels = list(files.task.labels)
    tokenize = partial(
        tokens_of,
        pretokenized=reading.get("pretokenized", False),
        plain_tokens=reading.get("plain_tokens", True),
    )
    table, columns = read_labelled_table(args.data)
    if columns is not None:
        print(f"{args.data}: {columns.describe()}")
    rows = [(tokens, row.label) for row in table if (tokens := tokenize(row.text))]
    same_format = reading.get("file_format") in (None, format_of(args.data))
    stored = reading.get("label_names") if same_format else None
    names: dict[str, str | None] = {str(key): value for key, value in (stored or {}).items()}
    names |= mapped_labels([], labels, args.labels, None, str(args.data))
    gold = [names.get(label) or label for _, label in rows]
    unknown = sorted(set(gold) - set(labels))
    if len(set(gold)) - len(unknown) < 2:
        raise ConfigError(
            f"{args.data}: expected rows of two classes of the head or more ({in_quotes(labels)}),"
            f" found {in_quotes(sorted(set(gold)))}"
        )
    if unknown:
        print(f"Read as texts of no class: rows with {in_quotes(map(str, unknown))}")
    classes = [labels.index(label) if label in labels else None for label in gold]
    return [tokens for tokens, _ in rows], classes
