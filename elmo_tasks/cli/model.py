"""``model``: download and convert models, train static vectors, write checksums."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import fields
from glob import glob
from pathlib import Path
from typing import Any

from tqdm import tqdm

from elmo_tasks.bilm import published
from elmo_tasks.bilm.download import copy_in, fetch
from elmo_tasks.cli import push
from elmo_tasks.errors import ConfigError, DataError, WeightsError
from elmo_tasks.files import read_json
from elmo_tasks.weights import folders
from elmo_tasks.weights.cache import CACHE_VARIABLE

HELP = (
    "download, convert or share a model, train static word vectors, or write the checksums of"
    " weights"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the actions and their arguments."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, text, describe in (
        (
            "download",
            "download published ELMo weights, or take them from a file",
            _add_download,
        ),
        (
            "export",
            "write a biLM in the published HDF5 layout, or as safetensors",
            _add_export,
        ),
        ("vectors", "train static word vectors on text", _add_vectors),
        (
            "push",
            "push a head, a biLM or static vectors to the Hugging Face hub, with a model card",
            push.add_arguments,
        ),
        (
            "checksums",
            "write the checksums of weights on the card beside them, after you changed the weights",
            _add_checksums,
        ),
    ):
        describe(actions.add_parser(name, help=text, description=text))


def _add_download(parser: argparse.ArgumentParser) -> None:
    sizes = ", ".join(
        f"{model.name} {model.smallest_bytes / 1e6:.0f} MB" for model in published.MODELS.values()
    )
    parser.add_argument("name", choices=list(published.MODELS), help=f"which model ({sizes})")
    text = "take an offline copy: the weights, or weights and options, or a folder with both"
    parser.add_argument("--from", dest="sources", nargs="+", type=Path, metavar="FILE", help=text)
    parser.add_argument(
        "--cache", type=Path, metavar="DIR", help=f"folder of models (default: ${CACHE_VARIABLE})"
    )
    parser.set_defaults(action=_download)


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", required=True, help="name, folder, or the .ckpt file of a pretraining run"
    )
    parser.add_argument(
        "--to", required=True, choices=("hdf5", "safetensors"), help="format to write"
    )
    text = "folder to write: options.json, weights, and the model's other files"
    parser.add_argument("folder", type=Path, help=text)
    parser.set_defaults(action=_export)


def _add_vectors(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    text = "tokenized text, one sentence per line, plain or .xz; patterns with * are allowed"
    add("text", nargs="+", help=text)
    add("--out", type=Path, required=True, help="folder to write: words, vectors and their card")
    add("--size", type=int, default=100, help="numbers per vector (default: 100)")
    add("--words", type=int, default=36_000, help="keep the most frequent words (default: 36000)")
    text = "leave out words that occur less often (default: 5)"
    add("--min-count", type=int, default=5, help=text)
    text = "word2vec algorithm (default: cbow)"
    add("--algorithm", choices=("cbow", "skip-gram"), default="cbow", help=text)
    add("--epochs", type=int, default=10, help="how often to read the text (default: 10)")
    add("--window", type=int, default=5, help="words to each side, at most (default: 5)")
    text = "threads; with one, runs can be repeated (default: 2)"
    add("--workers", type=int, default=2, help=text)
    add("--seed", type=int, default=1, help="seed of all random numbers (default: 1)")
    add("--title", default="Static word vectors", help="one line for the card")
    text = "a card.json whose sources, with licences, go on the new card"
    add("--sources", type=Path, metavar="CARD", help=text)
    parser.set_defaults(action=_vectors)


def _add_checksums(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders", type=Path, nargs="+", help="folders of models, heads or static vectors"
    )
    text = "change nothing; check the weights against the card"
    parser.add_argument("--check", action="store_true", help=text)
    parser.set_defaults(action=_checksums)


def run(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    return int(args.action(args))


def _download(args: argparse.Namespace) -> int:
    """Print the paths of the files; progress goes to standard error."""
    bars: dict[str, tqdm] = {}

    def report(name: str, done: int, total: int | None) -> None:
        if name not in bars:
            # disable=None: no bar outside a terminal.
            bars[name] = tqdm(
                desc=name, total=total, initial=done, unit="B", unit_scale=True, disable=None
            )
        bars[name].total = total
        bars[name].update(done - bars[name].n)

    try:
        if args.sources:
            options, weights = copy_in(args.name, args.sources, cache=args.cache)
        else:
            options, weights = fetch(args.name, cache=args.cache, report=report)
    except KeyboardInterrupt:
        print(
            f"Stopped. `{published.command(args.name)}` continues a download where it stopped.",
            file=sys.stderr,
        )
        return 130
    finally:
        for bar in bars.values():
            bar.close()
    print(options, weights, sep="\n")
    if args.cache is not None:
        print(
            f"To have it found by name, set {CACHE_VARIABLE}={args.cache.absolute()}",
            file=sys.stderr,
        )
    return 0


def _export(args: argparse.Namespace) -> int:
    from elmo_tasks.bilm.model_files import find_model, has_softmax, load_bilm, load_softmax
    from elmo_tasks.training.export_bilm import read_checkpoint, write_model

    if args.model.endswith(".ckpt"):
        model = read_checkpoint(Path(args.model))
        write_model(args.folder, *model[:3], {"kind": "biLM", "training": model[3]}, args.to)
    else:
        files = find_model(args.model)
        if args.folder.resolve() == files.folder.resolve():
            raise ConfigError(
                f"{args.folder}: this is the model itself; name another folder to write"
            )
        bilm = load_bilm(files)
        softmax, vocabulary = load_softmax(files) if has_softmax(files) else (None, None)
        card = files.folder / "card.json"
        about = read_json(card) if card.exists() else None
        write_model(args.folder, bilm, softmax, vocabulary, about, args.to)
    print(args.folder)
    return 0


def _vectors(args: argparse.Namespace) -> int:
    # gensim takes a while to import, and no other command needs it.
    from elmo_tasks.recipes.static_vectors import (
        VECTORS_FOLDER,
        StaticSettings,
        train_vectors,
        write_vectors,
    )

    VECTORS_FOLDER.check(args.out)
    values = vars(args)
    names = {field.name for field in fields(StaticSettings)}
    settings = StaticSettings(**{name: values[name] for name in names & values.keys()})
    sources = [] if args.sources is None else _card(args.sources).get("sources")
    if not isinstance(sources, list):
        raise ConfigError(
            f"--sources {args.sources}: expected a list 'sources', found {type(sources).__name__}"
        )
    name = args.out.resolve().name
    vectors, card = train_vectors(_files(args.text), settings, args.workers, name)
    about = {"name": name, "title": args.title, "command": _command(args), "sources": sources}
    write_vectors(args.out, vectors, {**about, **card})
    training = card["training"]
    share = training["tokens_in_vocabulary"] / training["tokens"]
    print(
        f"{args.out}: {len(vectors)} words of {vectors.width} numbers, {share:.1%} of"
        f" {training['tokens']} tokens, {training['seconds']} seconds"
    )
    return 0


def _files(patterns: Sequence[str]) -> list[Path]:
    """Return the files in order, each once."""
    files: dict[Path, None] = {}
    for pattern in patterns:
        paths = [Path(path) for path in sorted(glob(pattern)) if Path(path).is_file()]
        if not paths:
            raise DataError(
                f"'{pattern}' matches no file; expected text, one sentence per line, plain or .xz"
            )
        files |= dict.fromkeys(paths)
    return list(files)


def _card(path: Path) -> dict[str, Any]:
    try:
        card = read_json(path)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path}: expected a JSON object ({error}); correct or delete it first"
        ) from None
    if not isinstance(card, dict):
        raise ConfigError(
            f"{path}: expected a JSON object, found {type(card).__name__}; correct or delete it"
            " first"
        )
    return card


def _command(args: argparse.Namespace) -> str:
    """Return the command line for the card, with absolute paths cut to their names."""

    def shown(value: Any) -> str:
        return Path(value).name if Path(str(value)).is_absolute() else str(value)

    words = ["elmo-tasks", "model", "vectors", *map(shown, args.text)]
    names = "out size words min_count algorithm epochs window workers seed title sources"
    for name in names.split() if args.sources else names.split()[:-1]:
        words += [f"--{name.replace('_', '-')}", shown(getattr(args, name))]
    return shlex.join(words)


def _checksums(args: argparse.Namespace) -> int:
    for folder in args.folders:
        files = folders.weights_in(folder) if folder.is_dir() else []
        if not files:
            raise ConfigError(f"{folder}: expected a folder with weights (*.safetensors or *.hdf5)")
        path = folder / folders.CARD_NAME
        card = _card(path) if path.exists() else {}
        if not args.check:
            folders.write_card(folder, card)
            print(f"{folder}: {', '.join(file.name for file in files)}")
            continue
        folders.verify(files)
        if missing := [
            file.name for file in files if file.name not in card.get(folders.CHECKSUM_KEY, {})
        ]:
            command = f"elmo-tasks model checksums {folder}"
            raise WeightsError(f"{path}: no checksum of {', '.join(missing)}; run `{command}`")
        print(f"{folder}: as the card says")
    return 0
