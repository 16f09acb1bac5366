"""``join``: join static word vectors with an encoder's vectors of single words."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path

HELP = "join static word vectors with those of a transformer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("static", help="static vectors: a name in checkpoints/ or a folder")
    parser.add_argument(
        "--teacher", required=True, help="name or folder of the encoder whose context-free layer is read"
    )
    parser.add_argument("--about-teacher", default="", help="what the teacher is and its licence, for the card")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.add_argument("--size", type=int, default=128, help="numbers per vector (default: 128)")
    parser.add_argument("--title", default="Static word vectors, joined", help="one line for the card")


def run(args: argparse.Namespace) -> int:
    """Read the words, join, write the folder."""
    from tqdm import tqdm

    from elmo_tasks import encoders
    from elmo_tasks.encoders.static_vectors import StaticVectors, static_folder
    from elmo_tasks.recipes.static_vectors import TEACHER_WEIGHT, VECTORS_FOLDER, join_vectors, write_vectors

    VECTORS_FOLDER.check(args.out)
    static, teacher = StaticVectors.load(args.static), encoders.load(args.teacher, "cpu")
    with tqdm(total=len(static), unit=" words") as bar:
        joined = join_vectors(static, teacher, args.size, step=bar.update)
    card = json.loads((static_folder(args.static) / "card.json").read_text(encoding="utf-8"))
    name = args.out.resolve().name
    words = ["python", "-m", "elmo_tasks", "join", Path(args.static).name, "--teacher", Path(args.teacher).name]
    words += ["--out", args.out.name if args.out.is_absolute() else str(args.out), "--size", str(args.size)]
    write_vectors(
        args.out,
        joined,
        {
            "name": name,
            "title": args.title,
            "commands": [card["command"], shlex.join(words)],
            "sources": card.get("sources", []),
            "teacher": {"name": Path(args.teacher).name, "about": args.about_teacher, "weight": TEACHER_WEIGHT},
            "kind": card.get("kind", "static"),
        },
    )
    print(f"{args.out}: {len(joined)} words of {joined.width} numbers")
    return 0
