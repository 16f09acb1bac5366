"""``evaluate``: test an encoder layer by layer, a biLM's perplexity, a head's scores."""

from __future__ import annotations

import argparse
import json
import logging
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_tasks.cli import evaluate_head
from elmo_tasks.cli.arguments import add_device, add_model, add_no_calibration, add_precision
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import atomic_write, read_json

if TYPE_CHECKING:
    from elmo_tasks.encoders import Encoder
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.evaluation.results import ResultRow

HELP = (
    "what a model knows, layer by layer; perplexity of a biLM on a text; or scores of a head on a"
    " labelled file"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_device(parser)
    add_precision(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    text = (
        "with --head: labelled file; with --model: folder of the data sets of the tests, see"
        " docs/your_own_data.md (default: ELMO_SHARED_DATA, or ../shared/data)"
    )
    parser.add_argument("--data", type=Path, help=text)

    _add_model_arguments(parser.add_argument_group("a model"))
    evaluate_head.add_arguments(parser.add_argument_group("a head"))


def _add_model_arguments(group: argparse._ArgumentGroup) -> None:
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
        "measure only what each layer knows, beside the ELMo of the paper; results of the same"
        " weights in --out are kept"
    )
    add("--probes", action="store_true", help=text)
    add("--plot", type=Path, help="with --probes: draw the results as bars, as an SVG file")
    text = (
        "tokenized text, one sentence per line: only the perplexity of a biLM, unless --data,"
        " --only or --out is given"
    )
    add("--text", type=Path, help=text)
    text = (
        "table (source, first_line, last_line): only the lines of the sources on the model's card"
    )
    add("--index", type=Path, help=text)
    text = (
        "measure only how often the right meaning is found: on the dictionary, and on files of"
        " labelled sets"
    )
    add("--senses", nargs="*", type=Path, metavar="SETS", help=text)
    text = (
        "measure only how often the meanings in running text are right: a folder of judged passages"
    )
    add("--passages", type=Path, metavar="FOLDER", help=text)


def run(args: argparse.Namespace) -> int:
    """Read, measure, print."""
    if args.plot is not None and not args.probes:
        raise ConfigError("--plot draws the results of --probes; give both")
    if args.head is not None:
        result = evaluate_head.scores_of_head(args)
        print(json.dumps(result) if args.json else evaluate_head.as_table(result))
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
    from elmo_tasks.evaluation.suite import TESTS, evaluate
    from elmo_tasks.senses.expected_words import ExpectedWords
    from elmo_tasks.service.loaded_models import load_sense_model

    data, tests, _ = _data_and_tests(args)
    encoder, static = _load(args)
    first = [] if args.only and args.text is None else [_perplexity_row(args, encoder.n_layers)]
    reader = Reader(encoder, static)
    if encoder.reads_sentence and any(TESTS[test].of_uses for test in tests):
        expected = ExpectedWords.load(encoder, static)
        senses = None if args.no_calibration else load_sense_model(encoder, static, expected)
        reader = replace(reader, expected=expected, senses=senses)
    results = evaluate(reader, data, args.only, first)
    text = json.dumps(results.to_dict(), indent=1)
    if args.out is not None:
        atomic_write(args.out, text + "\n")
    return text if args.json else results.to_markdown()


def _probes(args: argparse.Namespace) -> str:
    """Run the probing tests missing from the ``--out`` file; write each result at once."""
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
    from elmo_tasks.evaluation.unlisted import score_unlisted, unlisted_line
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
    sets = []
    uses = []
    for path in args.senses:
        if dictionary.is_of_uses(path):
            uses.append(dictionary.score_uses(model, lexicon, path))
        else:
            sets.append(dictionary.score_sets(model, lexicon, path))
    scores = dictionary.score_sentences(model, lexicon)
    unlisted = score_unlisted(model, lexicon)
    found: dict[str, Sequence[Any]] = {
        "sentences": scores,
        "sets": sets,
        "uses": uses,
        "unlisted": [unlisted],
    }
    text = json.dumps({name: list(map(asdict, rows)) for name, rows in found.items()}, indent=1)
    if args.out is not None:
        atomic_write(args.out, text + "\n")
    table = dictionary.sense_table(encoder.name, scores, sets, uses)
    return text if args.json else f"{table}\n\n{unlisted_line(unlisted)}"


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
            raise ConfigError(f"--{name} {path}: expected a file in a folder that exists")
    logging.basicConfig(format="%(message)s")
    logging.getLogger("elmo_tasks.evaluation").setLevel(logging.INFO)
    return data, *to_measure(data, args.only, among)


def _perplexity_row(args: argparse.Namespace, n_layers: int) -> ResultRow:
    """Return the perplexity on ``--text``, else the one on the model's card."""
    from elmo_tasks.bilm.model_files import find_model
    from elmo_tasks.evaluation.results import ResultRow

    if args.text is not None:
        text = args.text.name
        metrics = _perplexity(args)
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
    return ResultRow(
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
    bilm = in_precision(load_bilm(files), args.precision, device)
    softmax = softmax.to(device)
    total = Perplexity()
    with tqdm(total=len(sentences), unit="sentence") as bar:
        for batch in sentence_batches(sentences, vocabulary):
            read = batch.to(device)
            total += sentence_losses(
                bilm, softmax, read.characters, read.words, read.lengths, read.targets, UNKNOWN_ID
            )
            bar.update(len(read.words))
    return {
        "model": files.name,
        "sentences": len(sentences),
        "targets": total.n_targets,
        "vocabulary": len(vocabulary),
        "unknown_rate": total.unknown_rate,
        "forward_perplexity": total.forward,
        "backward_perplexity": total.backward,
    }


def _perplexity_line(result: dict[str, Any]) -> str:
    return (
        f"{result['model']}: perplexity {result['forward_perplexity']:.1f} forward,"
        f" {result['backward_perplexity']:.1f} backward, on {result['targets']:,} targets of"
        f" {result['sentences']:,} sentences, over {result['vocabulary']:,} words;"
        f" {result['unknown_rate']:.2%} unknown"
    )
