"""``evaluate``: perplexity of a biLM on held-out text, forward and backward, over its whole vocabulary."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

HELP = "perplexity of a biLM on held-out text"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--model", help="name or folder of a biLM that has its softmax (default: the bundled one)")
    parser.add_argument("--text", type=Path, required=True, help="tokenized text, one sentence per line, plain or .xz")
    parser.add_argument(
        "--index",
        type=Path,
        help="table (source, first_line, last_line): only lines of the sources on the model's card",
    )
    parser.add_argument("--device", default="cpu", help="cpu, cuda, ... (default: cpu)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Read, measure, print."""
    from tqdm import tqdm

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
    bilm, softmax = load_bilm(files).to(device), softmax.to(device)
    total = Perplexity()
    with tqdm(total=len(sentences), unit="sentence") as bar:
        for batch in sentence_batches(sentences, vocabulary):
            b = batch.to(device)
            total += sentence_losses(bilm, softmax, b.characters, b.words, b.lengths, b.targets, UNKNOWN_ID)
            bar.update(len(b.words))
    result = {
        "model": files.name,
        "sentences": len(sentences),
        "targets": total.n_targets,
        "vocabulary": len(vocabulary),
        "unknown_rate": total.unknown_rate,
        "forward_perplexity": total.forward,
        "backward_perplexity": total.backward,
    }
    if args.json:
        print(json.dumps(result))
    else:
        print(
            f"{files.name}: perplexity {total.forward:.1f} forward, {total.backward:.1f} backward, on {total.n_targets:,} targets "
            f"of {len(sentences):,} sentences, over {len(vocabulary):,} words; {total.unknown_rate:.2%} unknown"
        )
    return 0
