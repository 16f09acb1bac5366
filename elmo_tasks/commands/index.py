"""``index``: the vectors of every word of a corpus, to search for the nearest uses."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "vectors of every word of your own text, to search for the nearest uses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("text", nargs="+", type=Path, help="text files (.txt, or .csv with a column sentence or text)")
    parser.add_argument("--out", type=Path, required=True, help="folder to write; interrupted, it goes on where it was")
    parser.add_argument("--model", help="name or folder of a biLM (default: the bundled one)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, ... (default: cpu)")
    parser.add_argument("--title", help="what the app calls it (default: the name of the folder)")


def run(args: argparse.Namespace) -> int:
    """Read, say how large it will be, encode."""
    from elmo_tasks.corpus.text_files import read_corpus
    from elmo_tasks.corpus.use_index import build_index, size_of
    from elmo_tasks.encoders.elmo import Elmo
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.text.tokens import tokenize

    sentences = read_corpus(args.text)
    n_tokens = sum(len(tokenize(sentence)) for sentence in sentences)
    elmo = Elmo.load(args.model, device=checked_device(args.device))
    size = size_of(n_tokens, elmo.n_layers, elmo.width) / 1e6
    print(f"{len(sentences):,} sentences, {n_tokens:,} words and signs: about {size:,.0f} MB", flush=True)
    index = build_index(elmo, sentences, args.out, args.title or args.out.resolve().name)
    print(f"{args.out}: {len(index):,} vectors by {elmo.name}. Look it through: python app.py --index {args.out}")
    return 0
