"""``evaluate``: test an encoder layer by layer, a biLM's perplexity, a head's scores."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from elmo_tasks.cli.arguments import add_device, add_model, add_no_calibration, add_precision
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import atomic_write, read_json

if TYPE_CHECKING:
    from elmo_tasks.data.records import LabelledText
    from elmo_tasks.encoders import Encoder
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.evaluation.results import Row
    from elmo_tasks.heads.head_files import HeadFiles
    from elmo_tasks.tasks.task import Task

HELP = (
    "what a model knows, layer by layer; perplexity of a biLM on a text; or scores of a head on a"
    " labelled file"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_device(parser)
    add_precision(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    text = (
        "with --head: labelled file; with --model: folder of the data sets of the tests, see"
        " docs/your_own_data.md (default: ELMO_SHARED_DATA, or ../shared/data)"
    )
    parser.add_argument("--data", type=Path, help=text)

    group = parser.add_argument_group("a model")
    add_model(group)
    add_no_calibration(group)
    add = group.add_argument
    add(
        "--only",
        nargs="+",
        default=[],
        metavar="TEST",
        help="only these tests: wic, coarsewsd, ...",
    )
    add("--out", type=Path, help="write the results to this JSON file, too")
    text = (
        "only what each layer knows, beside the paper's ELMo; results of the same weights in --out"
        " are kept"
    )
    add("--probes", action="store_true", help=text)
    add("--plot", type=Path, help="with --probes: draw the results as bars, as an SVG file")
    text = (
        "tokenized text, a sentence a line: only the perplexity of a biLM, unless --data, --only or"
        " --out is given"
    )
    add("--text", type=Path, help=text)
    text = "table (source, first_line, last_line): only lines of the sources on the model's card"
    add("--index", type=Path, help=text)
    text = (
        "only how often the right meaning is found, on the dictionary and on files of labelled sets"
    )
    add("--senses", nargs="*", type=Path, metavar="SETS", help=text)
    text = "only how often the meanings of running text are right: a folder of judged passages"
    add("--passages", type=Path, metavar="FOLDER", help=text)

    add = parser.add_argument_group("a head").add_argument
    add("--head", help="name or folder of a head, as a training run leaves in runs/")
    add("--encoder", help="name or folder of its encoder (default: found by its checksum)")
    add(
        "--file-format",
        help="format of that file, if its name does not tell: tsv, csv, columns, jsonl, ...",
    )
    add("--text-column", help="name or place of the column of the text (classes)")
    add("--label-column", help="name or place of the column of the label (classes)")
    add(
        "--labels",
        metavar="0=negative,1=positive",
        help=(
            "labels or entity types of that file and the head's own for them; DATE= leaves one out"
        ),
    )
    add("--token-column", help="name or place of the column of the tokens (tags)")
    add("--tag-column", help="name or place of the column of the tags (tags)")


def run(args: argparse.Namespace) -> int:
    """Read, measure, print."""
    if args.plot is not None and not args.probes:
        raise ConfigError("--plot draws the results of --probes; give both")
    if args.head is not None:
        result = _head(args)
        print(json.dumps(result) if args.json else _head_table(result))
    elif args.senses is not None:
        print(_senses(args))
    elif args.passages is not None:
        print(_passages(args))
    elif args.probes:
        print(_probes(args))
    elif args.text is not None and not (args.data or args.only or args.out):
        result = _perplexity(args)
        print(json.dumps(result) if args.json else _perplexity_line(result))
    else:
        print(_tests(args))
    return 0


def _load(args: argparse.Namespace) -> tuple[Encoder, StaticVectors]:
    from elmo_tasks.devices import checked_device
    from elmo_tasks.encoders import load
    from elmo_tasks.encoders.static_vectors import StaticVectors

    return load(args.model, checked_device(args.device), args.precision), StaticVectors.load()


def _tests(args: argparse.Namespace) -> str:
    from elmo_tasks.evaluation.reader import Reader
    from elmo_tasks.evaluation.suite import TASKS, evaluate
    from elmo_tasks.senses.expected_words import ExpectedWords
    from elmo_tasks.service.loaded_models import load_sense_model

    data, tests, _ = _data_and_tests(args)
    encoder, static = _load(args)
    first = [] if args.only and args.text is None else [_perplexity_row(args, encoder.n_layers)]
    reader = Reader(encoder, static)
    if encoder.reads_sentence and any(TASKS[test].of_uses for test in tests):
        expected = ExpectedWords.load(encoder, static)
        senses = None if args.no_calibration else load_sense_model(encoder, static, expected)
        reader = replace(reader, expected=expected, senses=senses)
    results = evaluate(reader, data, args.only, first)
    text = json.dumps(results.to_dict(), indent=1)
    if args.out is not None:
        atomic_write(args.out, text + "\n")
    return text if args.json else results.to_markdown()


def _probes(args: argparse.Namespace) -> str:
    """Run the probing tests that the file of ``--out`` lacks, each written at once."""
    from elmo_tasks.evaluation import results
    from elmo_tasks.evaluation.reader import Reader
    from elmo_tasks.evaluation.suite import evaluate

    data, tests, missing = _data_and_tests(args, results.PROBES)
    encoder, static = _load(args)
    reader = Reader(encoder, static, layers_only=True)
    probes = results.Evaluation(
        model=encoder.name, checksum=encoder.checksum, views=reader.views, rows=()
    )
    if args.out is not None and args.out.is_file():
        earlier = results.read_probes(args.out)
        probes = earlier if earlier.checksum == encoder.checksum else probes
    model = [] if args.model is None else ["--model", args.model]
    command = " ".join(["elmo-tasks evaluate --probes", *model, "--out", str(args.out)])
    for test in [test for test in tests if test not in probes.seconds]:
        probes = results.joined(probes, evaluate(reader, data, [test]))
        if args.out is not None:
            results.write_probes(args.out, probes, command, encoder.layer_names)
    probes = replace(
        probes, missing={test: why for test, why in missing.items() if test not in probes.seconds}
    )
    if args.plot is not None:
        atomic_write(args.plot, results.plot(probes, encoder.layer_names))
    return (
        json.dumps(probes.to_dict(), indent=1)
        if args.json
        else results.beside_published(probes).to_markdown()
    )


def _passages(args: argparse.Namespace) -> str:
    from elmo_tasks.errors import InputError
    from elmo_tasks.evaluation.running_text import read_judgements, score_passages, text_table
    from elmo_tasks.service.loaded_models import LoadedModels
    from elmo_tasks.service.text_senses import senses_of_texts

    texts, judged = read_judgements(args.passages)
    loaded = LoadedModels(args.model, args.device).model()
    places = [
        (name, k)
        for name, lines in texts.items()
        for k, line in enumerate(lines, 1)
        if line.strip()
    ]
    answers = senses_of_texts([texts[name][k - 1] for name, k in places], loaded)
    read = {
        place: answer
        for place, answer in zip(places, answers, strict=True)
        if not isinstance(answer, InputError)
    }
    return text_table(loaded.encoder.name, score_passages(judged, read), len(texts))


def _senses(args: argparse.Namespace) -> str:
    from elmo_tasks.evaluation import dictionary
    from elmo_tasks.senses.expected_words import ExpectedWords
    from elmo_tasks.senses.lexicon import bundled_lexicon
    from elmo_tasks.service.loaded_models import load_sense_model

    encoder, static = _load(args)
    model = load_sense_model(
        encoder, static, ExpectedWords.load(encoder, static), not args.no_calibration
    )
    if model is None:
        raise ConfigError(
            f"{encoder.name}: this model was not calibrated; run `elmo-tasks calibrate` with it"
        )
    lexicon = bundled_lexicon()
    of_uses = {path: dictionary.is_of_uses(path) for path in args.senses}
    sets = [dictionary.score_sets(model, lexicon, p) for p in args.senses if not of_uses[p]]
    uses = [dictionary.score_uses(model, lexicon, p) for p in args.senses if of_uses[p]]
    scores = dictionary.score_sentences(model, lexicon)
    found: dict[str, Sequence[Any]] = {"sentences": scores, "sets": sets, "uses": uses}
    text = json.dumps({name: list(map(asdict, rows)) for name, rows in found.items()}, indent=1)
    if args.out is not None:
        atomic_write(args.out, text + "\n")
    return text if args.json else dictionary.sense_table(encoder.name, scores, sets, uses)


def _data_and_tests(
    args: argparse.Namespace, among: Sequence[str] | None = None
) -> tuple[Path, list[str], dict[str, str]]:
    """Return the data folder, the tests to run, and why others cannot; reject bad paths first."""
    from elmo_tasks.evaluation.suite import to_measure

    data = args.data or Path(os.environ.get("ELMO_SHARED_DATA", "../shared/data"))
    if args.data is not None and not data.is_dir():
        raise ConfigError(f"--data {data}: expected the folder of the data sets")
    for name in ("out", "plot"):
        path = getattr(args, name)
        if path is not None and (path.is_dir() or not path.resolve().parent.is_dir()):
            raise ConfigError(f"--{name} {path}: expected a file in a folder that is there")
    logging.basicConfig(format="%(message)s")
    logging.getLogger("elmo_tasks.evaluation").setLevel(logging.INFO)
    return data, *to_measure(data, args.only, among)


def _perplexity_row(args: argparse.Namespace, n_layers: int) -> Row:
    """Return the perplexity on ``--text``, else the one on the model's card."""
    from elmo_tasks.bilm.model_files import find_model
    from elmo_tasks.evaluation.results import Row

    if args.text is not None:
        text, metrics = args.text.name, _perplexity(args)
    else:
        text = "held-out text, from the model's card"
        try:
            metrics = read_json(find_model(args.model).folder / "card.json")["metrics"]
        except (ConfigError, OSError, ValueError, KeyError):
            metrics = {}  # static vectors, published weights: they have no perplexity
    both = [
        metrics[f"{way}_perplexity"]
        for way in ("forward", "backward")
        if f"{way}_perplexity" in metrics
    ]
    scores = {str(n_layers - 1): sum(both) / 2} if len(both) == 2 else {}
    note = "Perplexity: mean of both directions; the softmax reads the top layer." if scores else ""
    return Row(
        task="perplexity",
        title=f"Perplexity ({text})",
        scores=scores,
        unit="plain",
        high_is_good=False,
        note=note,
    )


def _perplexity(args: argparse.Namespace) -> dict[str, Any]:
    from tqdm import tqdm

    from elmo_tasks.bilm.int8 import in_precision
    from elmo_tasks.bilm.model_files import find_model, load_bilm, load_softmax
    from elmo_tasks.bilm.softmax import Perplexity, sentence_losses
    from elmo_tasks.data.language_batches import held_out_sentences, sentence_batches
    from elmo_tasks.devices import checked_device
    from elmo_tasks.text.vocabulary import UNKNOWN_ID

    files = find_model(args.model)
    sources: list[str] = []
    if args.index is not None:
        card = files.folder / "card.json"
        try:
            sources = [f"{source['name']}_" for source in read_json(card)["sources"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{card}: --index needs the names of the model's sources, found none ({error})"
            ) from None
    sentences = held_out_sentences(args.text, args.index, sources)
    softmax, vocabulary = load_softmax(files)
    device = checked_device(args.device)
    bilm, softmax = in_precision(load_bilm(files), args.precision, device), softmax.to(device)
    total = Perplexity()
    with tqdm(total=len(sentences), unit="sentence") as bar:
        for batch in sentence_batches(sentences, vocabulary):
            b = batch.to(device)
            total += sentence_losses(
                bilm, softmax, b.characters, b.words, b.lengths, b.targets, UNKNOWN_ID
            )
            bar.update(len(b.words))
    return {
        "model": files.name,
        "sentences": len(sentences),
        "targets": total.n_targets,
        "vocabulary": len(vocabulary),
        "unknown_rate": total.unknown_rate,
        "forward_perplexity": total.forward,
        "backward_perplexity": total.backward,
    }


def _perplexity_line(r: dict[str, Any]) -> str:
    return (
        f"{r['model']}: perplexity {r['forward_perplexity']:.1f} forward,"
        f" {r['backward_perplexity']:.1f} backward, on {r['targets']:,} targets of"
        f" {r['sentences']:,} sentences, over {r['vocabulary']:,} words; {r['unknown_rate']:.2%}"
        " unknown"
    )


def _head(args: argparse.Namespace) -> dict[str, Any]:
    from elmo_tasks.devices import checked_device
    from elmo_tasks.heads.head_files import find_head
    from elmo_tasks.prediction import Predictor, evaluate_head
    from elmo_tasks.tasks import find_task
    from elmo_tasks.text.tag_schemes import OUTSIDE

    if args.data is None:
        raise ConfigError("--head needs --data: a labelled file to score it on")
    files = find_head(args.head)
    kind = find_task(files.kind)
    if args.file_format is not None and args.file_format not in kind.file_formats:
        raise ConfigError(
            f"--file-format {args.file_format}: expected one of {', '.join(kind.file_formats)}"
        )
    given: dict[str, Any] = {}
    for name in (*kind.columns, "file_format"):
        if value := getattr(args, name, None):
            given[name] = int(value) if value.removeprefix("-").isdecimal() else value
    # The file decides its format: that of the head's training file says nothing about it.
    stored = {
        k: v
        for k, v in files.reading.items()
        if k not in ("file_format", "encoding", "delimiter", "header")
    }
    columns = _fitting_columns(kind, args.data, stored, given)
    reading = {k: v for k, v in stored.items() if k not in kind.columns} | columns | given
    if kind.one_label:
        reading["label_names"] = _label_names(args, files, reading, kind)
    elif args.labels is not None:
        reading["type_names"] = _type_names(args.labels, files)
    try:
        # The training split is not read: its place is only named in messages.
        data = kind.data(train=f"of the head {files.name}", test=str(args.data), **reading)
    except TypeError as error:
        raise ConfigError(
            f"{files.folder}: how its data were read is not understood ({error})"
        ) from None
    data.take_labels(files.task.labels)
    try:
        data.setup("test")
    except DataError as error:
        if kind.one_label or "no such entity type" not in str(error):
            raise
        raise DataError(
            f"{error}. Say which is which, such as --labels PERSON=PER,DATE= (DATE is left out"
            " then)"
        ) from None
    print(*data.notes, sep="\n", file=sys.stderr)
    predictor = Predictor.load(
        files, args.encoder, checked_device(args.device), precision=args.precision
    )
    rows = data.labelled("test")
    scores = evaluate_head(predictor, rows)
    has_entities = kind.one_label or any(tag != OUTSIDE for _, tags in rows for tag in tags)
    values: dict[str, float | None] = {**scores.compute()}
    if scores.main == "f1" and not has_entities:
        # Precision, recall and F1 are quotients by the number of entities.
        values = {name: value if name == "accuracy" else None for name, value in values.items()}
    return {
        "head": files.name,
        "encoder": files.encoder.name,
        "data": args.data.name,
        "rows": len(rows),
        "main": scores.main,
        "scores": values,
        "labels": list(files.task.labels),
        "confusion": scores.confusion_matrix(),
    }


def _fitting_columns(
    kind: Task, path: Path, stored: dict[str, Any], given: dict[str, Any]
) -> dict[str, Any]:
    """Keep the columns of the head's training file if this file has them; else, find them."""
    columns = {name: stored[name] for name in kind.columns if stored.get(name) is not None}
    if not columns or any(name in given for name in kind.columns):
        return {}
    if kind.one_label and any(isinstance(column, int) for column in columns.values()):
        return {}
    try:
        kind.read(path, given.get("file_format"), *(columns.get(name) for name in kind.columns))
    except DataError:
        return {}
    return columns


def _label_names(
    args: argparse.Namespace, files: HeadFiles, reading: dict[str, Any], kind: Task
) -> dict[str, str | None]:
    """Map the labels of the file to those of the head, and reject unknown ones."""
    from elmo_tasks.data.labelled_texts import format_of
    from elmo_tasks.data.records import mapped_labels

    text_column, label_column = (reading.get(name) for name in kind.columns)
    rows = kind.read(args.data, reading.get("file_format"), text_column, label_column)
    labels = [row.label for row in cast("Sequence[LabelledText]", rows)]
    same_format = files.reading.get("file_format") in (
        None,
        reading.get("file_format") or format_of(args.data),
    )
    stored = files.reading.get("label_names") if same_format else None
    return mapped_labels(labels, files.task.labels, args.labels, stored, str(args.data))


def _type_names(given: str, files: HeadFiles) -> dict[str, str | None]:
    """Map entity types of the file to those of the head; a type without a name is left out."""
    from elmo_tasks.data.records import given_names
    from elmo_tasks.text.tag_schemes import types_of

    if files.task.scheme is None:
        raise ConfigError(
            "--labels: for classes of texts and types of entities; this head gives tags of words"
        )
    return given_names(given, types_of(files.task.labels, files.task.scheme))


def _head_table(r: dict[str, Any]) -> str:
    scores: dict[str, Any] = r["scores"]
    about = f"{r['head']} (on {r['encoder']}), {r['data']}, {r['rows']:,} rows"
    if scores[r["main"]] is None:
        accuracy = f"accuracy of tags {scores['accuracy']:.4f}"
        return f"{about}: no row has an entity, so {r['main']} is undefined; {accuracy}"
    lines = [f"{about}: {r['main']} {scores[r['main']]:.4f}"]
    measures = [
        name
        for name in ("precision", "recall", "f1")
        if any(key.startswith(name) for key in scores)
    ]
    if measures:
        lines.append(f"{'':20}" + "".join(f"{name:>11}" for name in measures))
        kinds = dict.fromkeys(key.partition("/")[2] for key in scores if "/" in key)
        for kind in (*(("",) if measures[0] in scores else ()), *kinds):
            values = (scores[f"{name}/{kind}" if kind else name] for name in measures)
            lines.append(f"{kind or 'all':20}" + "".join(f"{value:11.4f}" for value in values))
    if r["main"] != "accuracy":
        lines.append(f"{'accuracy of tags':20}{scores['accuracy']:11.4f}")
    if "macro_f1" in scores:
        lines.append(f"{'mean F1 of classes':20}{scores['macro_f1']:11.4f}")
    if r["confusion"]:
        width = max(11, *(len(label) + 2 for label in r["labels"]))
        lines.append(
            f"{'actual / predicted':20}" + "".join(f"{label:>{width}}" for label in r["labels"])
        )
        for label, row in zip(r["labels"], r["confusion"], strict=True):
            lines.append(f"{label:20}" + "".join(f"{count:{width},}" for count in row))
    return "\n".join(lines)
