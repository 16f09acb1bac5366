"""Speed against peers: ``python -m benchmarks.speed --text FILE``.

Both sides of a ratio run in turn in one process, on one thread, and the median of the rounds is
taken; time is processor time, so that other programs on the machine count little. The encoder has
random weights in the published layout, the same for both sides. ``--precision int8`` prints what
int8 costs and gains, and nothing else. ``--pictures FOLDER`` draws how time grows with the length
of a sentence and with the size of a corpus.
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torchcrf

from benchmarks import allennlp_peer, int8
from benchmarks.line_chart import line_chart
from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import write_hdf5
from elmo_tasks.bilm.published import MODELS
from elmo_tasks.encoders.batches import CorpusEncoding
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.heads.crf import CRF
from elmo_tasks.text.vocabulary import open_text

BATCH, OUR_BATCH = 32, 128
Sentences = list[list[str]]


def in_turn(rounds: int, **sides: Callable[[], object]) -> dict[str, float]:
    """Median processor seconds of each side; the first round warms up."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds + 1):
        for name, side in sides.items():
            start = time.process_time()
            side()
            found[name].append(time.process_time() - start)
    return {name: statistics.median(seconds[1:]) for name, seconds in found.items()}


def row(what: str, other: str, found: dict[str, float]) -> None:
    """Print one line of the table."""
    theirs, ours = (1e3 * found[name] for name in ("theirs", "ours"))
    print(
        f"| {what} | {other} | {theirs:,.1f} ms | {ours:,.1f} ms | {theirs / ours:.1f}x |",
        flush=True,
    )


def crf(rounds: int) -> None:
    """Compare the CRF with pytorch-crf: equality, loss with gradients, decoding."""
    torch.manual_seed(0)
    ours = CRF([f"tag{k}" for k in range(17)])
    theirs = torchcrf.CRF(17, batch_first=True)
    theirs.load_state_dict(ours.state_dict())
    emissions = torch.randn(BATCH, 50, 17, requires_grad=True)
    tags, mask = torch.randint(17, (BATCH, 50)), torch.ones(BATCH, 50, dtype=torch.bool)

    def loss(model: torchcrf.CRF) -> torch.Tensor:
        model.zero_grad()
        emissions.grad = None
        value: torch.Tensor = -model(emissions, tags, mask=mask, reduction="mean")
        value.backward()
        return value.detach()

    torch.testing.assert_close(loss(ours), loss(theirs), rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(ours.transitions.grad, theirs.transitions.grad, rtol=1e-4, atol=1e-5)
    decoded = emissions.detach()
    assert ours.decode(decoded, mask) == theirs.decode(decoded, mask)
    shape = f"batch {BATCH} x 50 tokens x 17 tags"
    row(
        f"CRF loss and gradients, {shape}",
        "pytorch-crf 0.7.2",
        in_turn(10 * rounds, theirs=lambda: loss(theirs), ours=lambda: loss(ours)),
    )
    row(
        f"CRF decoding, {shape}",
        "pytorch-crf 0.7.2",
        in_turn(
            10 * rounds,
            theirs=lambda: theirs.decode(decoded, mask),
            ours=lambda: ours.decode(decoded, mask),
        ),
    )


def encoder(name: str, sentences: Sentences, site_packages: Path | None, rounds: int) -> Elmo:
    """Compare a published biLM architecture with AllenNLP's, and batching by length."""
    model = MODELS[name]
    torch.manual_seed(0)
    bilm = BiLM(model.options)
    elmo = Elmo(bilm, name)
    with tempfile.TemporaryDirectory() as folder:
        options, weights = Path(folder, "options.json"), Path(folder, "weights.hdf5")
        options.write_text(model.options_text, encoding="utf-8")
        write_hdf5(weights, bilm)
        peer = allennlp_peer.load(options, weights, site_packages)
    batches = [sentences[k : k + BATCH] for k in range(0, len(sentences), BATCH)]
    corpus = CorpusEncoding(elmo, sentences, batch_size=BATCH)
    shape = f"{len(sentences)} sentences of 5 to 60 words, batch {BATCH}"
    found = in_turn(
        rounds, theirs=lambda: [elmo.encode(batch) for batch in batches], ours=lambda: _all(corpus)
    )
    row(f"`embed` by length, `{name}`, {shape}", "ours as the lines come", found)
    if peer is None:
        print(f"| `{name}` | AllenNLP is not here: see benchmarks/allennlp_peer.py | | | |")
        return elmo
    few = sentences[:4]
    ours = elmo.states(few).layers
    theirs = allennlp_peer.layers_of(peer, few)
    torch.testing.assert_close(ours, theirs[:, :, : ours.shape[2]], atol=1e-5, rtol=0)
    large = CorpusEncoding(elmo, sentences, batch_size=OUR_BATCH)
    found = in_turn(
        rounds,
        theirs=lambda: [allennlp_peer.layers_of(peer, b) for b in batches],
        ours=lambda: _all(corpus),
        large=lambda: _all(large),
    )
    row(f"`{name}`, {shape}", "AllenNLP 2.10.1", found)
    row(
        f"`{name}`, ours in batches of {OUR_BATCH}",
        "AllenNLP 2.10.1",
        {**found, "ours": found["large"]},
    )
    alone = sentences[:8]
    found = in_turn(
        rounds,
        theirs=lambda: [allennlp_peer.layers_of(peer, [s]) for s in alone],
        ours=lambda: [elmo.encode([s]) for s in alone],
    )
    row(f"`{name}`, one sentence (8 in turn)", "AllenNLP 2.10.1", found)
    return elmo


def growth(elmo: Elmo, sentences: Sentences, folder: Path) -> None:
    """Draw how time grows."""
    words = [word for sentence in sentences for word in sentence]
    lengths = [10, 50, 100, 250, 500, 1000, 2000]
    seconds = [in_turn(1, ours=lambda n=n: elmo.encode([words[:n]]))["ours"] for n in lengths]  # type: ignore[misc]
    line_chart(
        folder / "speed-length.svg",
        f"One sentence, {elmo.name}",
        "words",
        lengths,
        "seconds",
        seconds,
    )
    sizes = [16, 32, 64, 128, len(sentences)]
    seconds = [
        in_turn(1, ours=lambda n=n: _all(CorpusEncoding(elmo, sentences[:n])))["ours"]  # type: ignore[misc]
        for n in sizes
    ]
    line_chart(
        folder / "speed-corpus.svg",
        f"A corpus, {elmo.name}",
        "sentences",
        sizes,
        "seconds",
        seconds,
    )


def _all(corpus: CorpusEncoding) -> None:
    for start, stop in corpus.blocks():
        corpus.block(start, stop)


def _sentences(path: Path, n: int) -> Sentences:
    found = [line.split() for line in open_text(path)]
    found = [words for words in found if 5 <= len(words) <= 60]
    random.Random(0).shuffle(found)
    return found[:n]


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--text",
        type=Path,
        required=True,
        help="a text file, one tokenized sentence a line, plain or .xz",
    )
    parser.add_argument("--allennlp", type=Path, help="site-packages with AllenNLP 2.10.1 alone")
    parser.add_argument(
        "--models", nargs="*", default=["small"], help="published architectures (default: small)"
    )
    parser.add_argument("--sentences", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pictures", type=Path, help="folder for the pictures of growth")
    parser.add_argument("--precision", choices=("float32", "int8"), default="float32")
    args = parser.parse_args()
    torch.set_num_threads(1)
    sentences = _sentences(args.text, args.sentences)
    versions = (
        f"Python {platform.python_version()}, torch {torch.__version__},"
        f" {torch.backends.cpu.get_cpu_capability()}"
    )
    print(
        f"CPU ({_processor()}), 1 thread, {args.precision}; {versions}. Median processor time of"
        f" {args.rounds} rounds.\n"
    )
    if args.precision == "int8":
        int8.closeness(args.models, sentences)
        int8.speed(args.models, sentences, args.allennlp, args.rounds, in_turn)
        return
    print("| what | beside | theirs | ours | ratio |\n|---|---|---:|---:|---:|")
    crf(args.rounds)
    elmo: Any = None
    for name in args.models:
        elmo = encoder(name, sentences, args.allennlp, args.rounds)
        if args.pictures:
            growth(elmo, sentences, args.pictures)
            args.pictures = None


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    names = (
        [line for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    return names[0].split(":")[1].strip() if names else platform.processor()


if __name__ == "__main__":
    main()
