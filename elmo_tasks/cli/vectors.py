"""``vectors``: static word vectors (word2vec) from text of one's own."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from pathlib import Path

HELP = "train static word vectors on text"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add = parser.add_argument
    add("text", nargs="+", help="tokenized text, one sentence per line, plain or .xz; patterns with * are allowed")
    add("--out", type=Path, required=True, help="folder to write: words, vectors and their card")
    add("--size", type=int, default=100, help="numbers per vector (default: 100)")
    add("--words", type=int, default=36_000, help="keep the most frequent words (default: 36000)")
    add("--min-count", type=int, default=5, help="leave out words that come less often (default: 5)")
    add("--algorithm", choices=("cbow", "skip-gram"), default="cbow", help="of word2vec (default: cbow)")
    add("--epochs", type=int, default=10, help="how often to read the text (default: 10)")
    add("--window", type=int, default=5, help="words to each side, at most (default: 5)")
    add("--workers", type=int, default=2, help="threads; with one, runs can be repeated (default: 2)")
    add("--seed", type=int, default=1, help="of all draws (default: 1)")
    add("--title", default="Static word vectors", help="one line for the card")
    add(
        "--sources",
        type=Path,
        metavar="CARD",
        help="a card.json whose sources, with their licences, go on the new card",
    )


def run(args: argparse.Namespace) -> int:
    """Read the text, train, write the folder."""
    # gensim takes a while to import, and no other command needs it.
    from elmo_tasks.recipes.static_vectors import VECTORS_FOLDER, StaticSettings, train_vectors, write_vectors

    VECTORS_FOLDER.check(args.out)
    settings = StaticSettings(
        size=args.size,
        words=args.words,
        min_count=args.min_count,
        algorithm=args.algorithm,
        window=args.window,
        epochs=args.epochs,
        seed=args.seed,
    )
    sources = _sources(args.sources) if args.sources is not None else []
    name = args.out.resolve().name
    vectors, card = train_vectors(_files(args.text), settings, args.workers, name)
    about = {"name": name, "title": args.title, "command": _command(args), "sources": sources}
    write_vectors(args.out, vectors, {**about, **card})
    training = card["training"]
    share = training["tokens_in_vocabulary"] / training["tokens"]
    print(
        f"{args.out}: {len(vectors)} words of {vectors.width} numbers, {share:.1%} of {training['tokens']} tokens, "
        f"{training['seconds']} seconds"
    )
    return 0


def _files(patterns: Sequence[str]) -> list[Path]:
    from elmo_tasks.errors import DataError

    found: dict[Path, None] = {}  # in order; a file that two patterns name is read once
    for pattern in patterns:
        path = Path(pattern)
        found_here = path.parent.glob(path.name) if path.name else ()
        matches = [path] if path.is_file() else sorted(p for p in found_here if p.is_file())
        if not matches:
            raise DataError(f"'{pattern}' matches no file; expected text, one sentence per line, plain or .xz")
        found |= dict.fromkeys(matches)
    return list(found)


def _sources(card: Path) -> list[dict[str, str]]:
    from elmo_tasks.errors import ConfigError

    try:
        sources = json.loads(card.read_text(encoding="utf-8"))["sources"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"--sources {card}: expected a JSON object with a list 'sources' ({error})") from None
    if not isinstance(sources, list):
        raise ConfigError(f"--sources {card}: expected a list 'sources', found {type(sources).__name__}")
    return sources


def _command(args: argparse.Namespace) -> str:
    """Return the command line for the card, with absolute paths cut to their names."""

    def shown(path: str | Path) -> str:
        return Path(path).name if Path(path).is_absolute() else str(path)

    words = ["python", "-m", "elmo_tasks", "vectors", *map(shown, args.text), "--out", shown(args.out)]
    for name in ("size", "words", "min_count", "algorithm", "epochs", "window", "workers", "seed", "title"):
        words += [f"--{name.replace('_', '-')}", str(getattr(args, name))]
    if args.sources is not None:
        words += ["--sources", shown(args.sources)]
    return shlex.join(words)
