"""Cost of a frozen encoder: ``python -m benchmarks.head_training``.

The entity head of lightning_configs/ner_conll2003.yaml (without static vectors) learns from the
same made-up sentences three ways, in turn, so that a change in the machine's speed meets all: with
the layers of each batch at hand in memory (the head's own time), with the layers read from a layer
cache on disk, and with the encoder run for each batch. Once with the bundled biLM, and once with
random weights of the size of the published ``original``.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.layer_cache import LayerCache
from elmo_tasks.heads.head import HeadTask, TokenFeatures, characters_of
from elmo_tasks.heads.ner import NerHead
from elmo_tasks.layers import Layers
from elmo_tasks.text.tag_schemes import labels_of

LABELS = labels_of(["LOC", "MISC", "ORG", "PER"], "BIOES")
ORIGINAL = BiLMOptions(
    LSTMOptions(4096, 512, 2, 3.0, 3.0, True),
    CharCNNOptions(((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024)), 2, 16),
)
Sentences = list[tuple[str, ...]]


def batches(n: int, size: int) -> list[Sentences]:
    """Zipf-distributed random sentences in batches of similar length, as CoNLL-2003."""
    r = np.random.default_rng(0)
    words = ["".join(r.choice(list("etaoinshrdlu"), size=r.integers(2, 12))) for _ in range(20_000)]
    p = 1 / np.arange(1, len(words) + 1)
    lengths = np.sort(r.gamma(2.0, 7.3, size=n * size).astype(int) + 1).reshape(n, size)
    return [
        [tuple(words[k] for k in r.choice(len(words), size=t, p=p / p.sum())) for t in row]
        for row in lengths
    ]


def seconds_of_an_epoch(
    layers_of: Callable[[int], Layers],
    data: Sequence[Sentences],
    head: NerHead,
    device: torch.device,
) -> float:
    """Train on every batch once; the seconds from the layers to the optimizer's step."""
    optimizer = torch.optim.AdamW(head.parameters(), lr=1e-3)
    head.train()
    if device.type == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    for k, sentences in enumerate(data):
        layers = layers_of(k).to(device)
        features = TokenFeatures(*characters_of(sentences)).to(device)
        tags = _tags(layers.mask)
        with torch.autocast(device.type, torch.bfloat16):
            loss = head.loss(layers.values, layers.mask, tags, features)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(head.parameters(), 5.0)
        optimizer.step()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def _tags(mask: Tensor) -> Tensor:
    """All outside: which tags are right costs nothing."""
    return torch.zeros(mask.shape, dtype=torch.long, device=mask.device)


def measure(
    elmo: Elmo, data: list[Sentences], rounds: int, device: torch.device
) -> dict[str, list[float]]:
    """Seconds of an epoch each way, round by round."""
    sentences = [words for batch in data for words in batch]
    size = len(data[0])
    head = NerHead(HeadTask(LABELS, elmo.width, elmo.n_layers, "BIOES"), character_filters=64).to(
        device
    )
    found: dict[str, list[float]] = {"own": [], "store": [], "live": []}
    with tempfile.TemporaryDirectory() as folder:
        store = LayerCache.build(elmo, sentences, folder)
        ready = [
            store.batch(range(k * size, (k + 1) * size), batch).to(device)
            for k, batch in enumerate(data)
        ]
        ways: dict[str, Callable[[int], Layers]] = {
            "own": ready.__getitem__,
            "store": lambda k: store.batch(range(k * size, (k + 1) * size), data[k]),
            "live": lambda k: elmo.encode(data[k]),
        }
        for _ in range(rounds + 1):
            for way, layers_of in ways.items():
                found[way].append(seconds_of_an_epoch(layers_of, data, head, device))
    return {way: seconds[1:] for way, seconds in found.items()}  # the first round warms up


def main() -> None:
    """Measure both encoders and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--batches", type=int, default=40, help="of an epoch with the bundled biLM")
    parser.add_argument(
        "--original-batches",
        type=int,
        default=4,
        help="of an epoch with weights of the original's size",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    device = torch.device(args.device)
    where = (
        torch.cuda.get_device_name()
        if device.type == "cuda"
        else f"{os.cpu_count()} cores, {torch.get_num_threads()} threads"
    )
    print(
        f"{where}, batches of {args.batch_size} sentences, Python {platform.python_version()},"
        f" torch {torch.__version__}"
    )
    columns = f"{'own time of the head':>22}{'from the store':>18}{'encoder each time':>20}"
    print(f"{'encoder':<32}{columns}")
    torch.manual_seed(0)
    for name, make, n in (
        ("elmo-mini", lambda: Elmo.load("elmo-mini", device=device), args.batches),
        (
            "random, size of original",
            lambda: Elmo(BiLM(ORIGINAL).to(device), "random-original"),
            args.original_batches,
        ),
    ):
        found = measure(make(), batches(n, args.batch_size), args.rounds, device)
        own = statistics.median(found["own"]) / n * 1000
        ratios = {
            way: statistics.median(b / a for a, b in zip(found["own"], found[way], strict=True))
            for way in ("store", "live")
        }
        print(
            f"{name:<32}{own:>13.0f} ms/batch{ratios['store']:>16.2f} x{ratios['live']:>18.2f} x",
            flush=True,
        )


if __name__ == "__main__":
    main()
