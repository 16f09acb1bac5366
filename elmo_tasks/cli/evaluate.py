"""``evaluate``: probe an encoder, measure a biLM's perplexity, or score a head."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from elmo_tasks.cli.arguments import add_device, add_precision, data_folder
from elmo_tasks.cli.calibrate import add_no_calibration
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_write

if TYPE_CHECKING:
    from elmo_tasks.data.records import LabelledText
    from elmo_tasks.encoders import Encoder
    from elmo_tasks.evaluation.rows import Row
    from elmo_tasks.heads.head_files import HeadFiles
    from elmo_tasks.tasks.kind import TaskKind

HELP = "what a model knows, layer by layer; perplexity of a biLM on a text; or scores of a head on a labelled file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_device(parser)
    add_precision(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--data",
        type=Path,
        help="with --head: labelled file, whose format is found; with --model: folder of the data sets of the "
        "tests (default: ELMO_SHARED_DATA, or ../shared/data)",
    )
    bilm = parser.add_argument_group("a model")
    bilm.add_argument("--model", help="name or folder of an encoder (default: the bundled biLM)")
    add_no_calibration(bilm)
    bilm.add_argument("--only", nargs="+", default=[], metavar="TEST", help="only these tests: wic, coarsewsd, ...")
    bilm.add_argument("--out", type=Path, help="write what was measured to this JSON file, too")
    bilm.add_argument(
        "--text",
        type=Path,
        help="tokenized text, one sentence per line, plain or .xz: measure the perplexity of a biLM that has its softmax, and "
        "nothing else unless --data, --only or --out is given",
    )
    bilm.add_argument(
        "--index",
        type=Path,
        help="table (source, first_line, last_line): only lines of the sources on the model's card",
    )
    bilm.add_argument(
        "--senses",
        nargs="*",
        type=Path,
        metavar="SETS",
        help="measure instead which meaning of the dictionary is found, on its test sentences and held-out words, and on files of "
        "labelled sets (JSON lines with word, sentences and gold)",
    )
    head = parser.add_argument_group("a head")
    head.add_argument("--head", help="name or folder of a head, as a training run leaves in runs/")
    head.add_argument("--encoder", help="name or folder of its encoder (default: found by its checksum)")
    head.add_argument("--file-format", help="of that file, where its name does not tell: tsv, csv, columns, jsonl, ...")
    head.add_argument("--text-column", help="name or place of the column of the text (classes)")
    head.add_argument("--label-column", help="name or place of the column of the label (classes)")
    head.add_argument(
        "--labels", metavar="0=negative,1=positive", help="labels of that file and the head's own for them (classes)"
    )
    head.add_argument("--token-column", help="name or place of the column of the tokens (tags)")
    head.add_argument("--tag-column", help="name or place of the column of the tags (tags)")


def run(args: argparse.Namespace) -> int:
    """Read, measure, print."""
    if args.head is not None:
        if args.data is None:
            raise ConfigError("--head needs --data: a labelled file to score it on")
        result = _head(args)
    elif args.senses is not None:
        return _senses(args)
    elif args.text is not None and not (args.data or args.only or args.out):
        result = _perplexity(args)
    else:
        return _tests(args)
    print(json.dumps(result) if args.json else _lines(result))
    return 0


def _tests(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from elmo_tasks.encoders import load
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.evaluation.reader import Reader
    from elmo_tasks.evaluation.suite import TASKS, evaluate
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.senses.expected_words import ExpectedWords
    from elmo_tasks.service.loaded_models import load_sense_model

    data, (tests, _) = data_and_tests(args, ("out",))
    encoder: Encoder = load(args.model, checked_device(args.device), args.precision)
    first = [] if args.only and args.text is None else [_perplexity_row(args, encoder.n_layers)]
    static = StaticVectors.load()
    reader = Reader(encoder, static)
    if encoder.reads_sentence and any(TASKS[test].of_uses for test in tests):
        expected = ExpectedWords.load(encoder, static)
        senses = None if args.no_calibration else load_sense_model(encoder, static, expected)
        reader = replace(reader, expected=expected, senses=senses)
    found = evaluate(reader, data, args.only, first)
    text = json.dumps(found.to_dict(), indent=1)
    if args.out is not None:
        atomic_write(args.out, text + "\n")
    print(text if args.json else found.to_markdown())
    return 0


def _senses(args: argparse.Namespace) -> int:
    from elmo_tasks.encoders import load
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.senses.expected_words import ExpectedWords
    from elmo_tasks.senses.lexicon import bundled_lexicon
    from elmo_tasks.service.loaded_models import load_sense_model
    from elmo_tasks.service.meaning_scores import score_sentences, score_sets, sense_table, to_dict

    encoder = load(args.model, checked_device(args.device))
    static = StaticVectors.load()
    model = load_sense_model(encoder, static, ExpectedWords.load(encoder, static), not args.no_calibration)
    if model is None:
        raise ConfigError(
            f"{encoder.name}: nothing is known of meanings in this model; run `elmo-tasks calibrate` with it"
        )
    lexicon = bundled_lexicon()
    sets = [score_sets(model, lexicon, path) for path in args.senses]
    scores = score_sentences(model, lexicon)
    if args.out is not None:
        atomic_write(args.out, json.dumps(to_dict(scores, sets), indent=1) + "\n")
    print(json.dumps(to_dict(scores, sets), indent=1) if args.json else sense_table(encoder.name, scores, sets))
    return 0


def data_and_tests(
    args: argparse.Namespace, outputs: Sequence[str], among: Sequence[str] | None = None
) -> tuple[Path, tuple[list[str], dict[str, str]]]:
    """Return the data folder and the tests to run; reject what cannot be done.

    This also covers outputs that cannot be written.
    """
    import logging

    from elmo_tasks.evaluation.suite import to_measure

    data = data_folder(args.data)
    if args.data is not None and not data.is_dir():
        raise ConfigError(f"--data {data}: expected the folder of the data sets")
    for name in outputs:
        path = getattr(args, name)
        if path is not None and (path.is_dir() or not path.resolve().parent.is_dir()):
            raise ConfigError(f"--{name} {path}: expected a file in a folder that is there")
    logging.basicConfig(format="%(message)s")
    logging.getLogger("elmo_tasks.evaluation").setLevel(logging.INFO)
    return data, to_measure(data, args.only, among)


def _perplexity_row(args: argparse.Namespace, n_layers: int) -> Row:
    """Measured on ``--text``, else as the model's card has it."""
    from elmo_tasks.bilm.model_files import find_model
    from elmo_tasks.evaluation.rows import Row

    text = args.text.name if args.text is not None else "held-out text, from the model's card"
    if args.text is not None:
        found = _perplexity(args)
    else:
        try:
            card = find_model(args.model).folder / "card.json"
            found = json.loads(card.read_text(encoding="utf-8"))["metrics"]
        except (ConfigError, OSError, ValueError, KeyError):
            found = {}  # static vectors, published weights: they have no perplexity
    both = [found[f"{way}_perplexity"] for way in ("forward", "backward") if f"{way}_perplexity" in found]
    scores = {str(n_layers - 1): sum(both) / 2} if len(both) == 2 else {}
    note = "Perplexity: mean of both directions; the softmax reads the top layer." if scores else ""
    return Row("perplexity", f"Perplexity ({text})", scores, "plain", high_is_good=False, note=note)


def _head(args: argparse.Namespace) -> dict[str, Any]:
    from elmo_tasks.heads.head_files import find_head
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.tasks.kinds import kind_of
    from elmo_tasks.training.evaluation import evaluate_head
    from elmo_tasks.training.predictor import Predictor

    files = find_head(args.head)
    kind = kind_of(files.kind)
    if args.file_format is not None and args.file_format not in kind.file_formats:
        raise ConfigError(
            f"--file-format {args.file_format}: for this head, expected one of {', '.join(kind.file_formats)}"
        )
    names = (*kind.columns, "file_format")
    given = {name: _column(value) for name in names if (value := getattr(args, name, None)) is not None}
    # The file decides its format: what the head's training file was like says nothing of this one.
    stored = {k: v for k, v in files.reading.items() if k not in ("file_format", "encoding", "delimiter", "header")}
    columns = _fitting_columns(kind, args.data, stored, given)
    reading = {k: v for k, v in stored.items() if k not in kind.columns} | columns | given
    if kind.one_label:
        reading["label_names"] = _label_names(args, files, reading, kind)
    elif args.labels is not None:
        raise ConfigError("--labels: for heads that say a class of a text; this one tags words")
    try:
        # The training split is not read: its place is only named in messages.
        data = kind.data(train=f"of the head {files.name}", test=str(args.data), **reading)
    except TypeError as error:
        raise ConfigError(f"{files.folder}: how its data were read is not understood ({error})") from None
    data.take_labels(files.task.labels)
    data.setup("test")
    predictor = Predictor.load(files, args.encoder, checked_device(args.device), precision=args.precision)
    found = evaluate_head(predictor, data.labelled("test"))
    return {
        "head": files.name,
        "encoder": files.encoder.name,
        "data": args.data.name,
        "rows": found.n_rows,
        "main": found.main,
        "scores": found.scores,
        "labels": list(files.task.labels),
        "confusion": found.confusion,
    }


def _fitting_columns(kind: TaskKind, path: Path, stored: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Keep the columns of the head's training file where this file has them; else they are found."""
    from elmo_tasks.errors import DataError

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
    args: argparse.Namespace, files: HeadFiles, reading: dict[str, Any], kind: TaskKind
) -> dict[str, str | None]:
    """Map the labels of the file to those of the head; what does not match is refused."""
    from elmo_tasks.data.records import mapped_labels

    reads, says = (reading.get(name) for name in kind.columns)
    rows = cast("Sequence[LabelledText]", kind.read(args.data, reading.get("file_format"), reads, says))
    same_format = files.reading.get("file_format") in (None, kind.format_of(args.data, reading.get("file_format")))
    stored = files.reading.get("label_names") if same_format else None
    return mapped_labels([row.label for row in rows], files.task.labels, args.labels, stored, str(args.data))


def _column(value: str) -> str | int:
    return int(value) if value.removeprefix("-").isdecimal() else value


def _perplexity(args: argparse.Namespace) -> dict[str, Any]:
    from tqdm import tqdm

    from elmo_tasks.bilm.int8 import in_precision
    from elmo_tasks.bilm.model_files import find_model, load_bilm, load_softmax
    from elmo_tasks.bilm.perplexity import Perplexity, sentence_losses
    from elmo_tasks.data.language_batches import held_out_sentences, sentence_batches
    from elmo_tasks.errors import DataError
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.text.vocabulary import UNKNOWN_ID

    files = find_model(args.model)
    sources: list[str] = []
    if args.index is not None:
        card = files.folder / "card.json"
        try:
            sources = [f"{source['name']}_" for source in json.loads(card.read_text(encoding="utf-8"))["sources"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{card}: --index needs the names of the model's sources, and there are none ({error})"
            ) from None
    sentences = held_out_sentences(args.text, args.index, sources)
    softmax, vocabulary = load_softmax(files)
    device = checked_device(args.device)
    bilm, softmax = in_precision(load_bilm(files), args.precision, device), softmax.to(device)
    total = Perplexity()
    with tqdm(total=len(sentences), unit="sentence") as bar:
        for batch in sentence_batches(sentences, vocabulary):
            b = batch.to(device)
            total += sentence_losses(bilm, softmax, b.characters, b.words, b.lengths, b.targets, UNKNOWN_ID)
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


def _lines(r: dict[str, Any]) -> str:
    """The result in words and tables."""
    if "model" in r:
        return (
            f"{r['model']}: perplexity {r['forward_perplexity']:.1f} forward, {r['backward_perplexity']:.1f} backward, on "
            f"{r['targets']:,} targets of {r['sentences']:,} sentences, over {r['vocabulary']:,} words; "
            f"{r['unknown_rate']:.2%} unknown"
        )
    scores: dict[str, float] = r["scores"]
    lines = [f"{r['head']} (on {r['encoder']}), {r['data']}, {r['rows']:,} rows: {r['main']} {scores[r['main']]:.4f}"]
    measures = [name for name in ("precision", "recall", "f1") if any(key.startswith(name) for key in scores)]
    if measures:
        lines.append(f"{'':20}" + "".join(f"{name:>11}" for name in measures))
        kinds = dict.fromkeys(key.partition("/")[2] for key in scores if "/" in key)
        for kind in (*(("",) if measures[0] in scores else ()), *kinds):
            values = (scores[f"{name}/{kind}" if kind else name] for name in measures)
            lines.append(f"{kind or 'all':20}" + "".join(f"{value:11.4f}" for value in values))
    if r["main"] != "accuracy":
        lines.append(f"{'accuracy of tags':20}{scores['accuracy']:11.4f}")
    if r["confusion"]:
        width = max(11, *(len(label) + 2 for label in r["labels"]))
        lines.append(f"{'is, and was said:':20}" + "".join(f"{label:>{width}}" for label in r["labels"]))
        for label, row in zip(r["labels"], r["confusion"], strict=True):
            lines.append(f"{label:20}" + "".join(f"{count:{width},}" for count in row))
    return "\n".join(lines)
