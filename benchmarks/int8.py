"""What int8 costs and gains, called by ``python -m benchmarks.speed --precision int8``: cosines to
float32, speed, memory.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path

import torch

from benchmarks import allennlp_peer
from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import write_hdf5
from elmo_tasks.bilm.int8 import to_int8
from elmo_tasks.bilm.published import MODELS
from elmo_tasks.encoders.elmo import Elmo

Sentences = list[list[str]]
InTurn = Callable[..., dict[str, float]]
#: Sentences at once -> how many sentences are read.
BATCHES = {1: 8, 8: 16, 32: 32}


def closeness(models: Sequence[str], sentences: Sentences) -> None:
    """Print the cosine of each token's vector in int8 to that in float32, by layer."""
    print("| model | layer | mean | 1st percentile | least |\n|---|---:|---:|---:|---:|")
    for name in models:
        exact = _model(name)
        rounded = Elmo(to_int8(deepcopy(exact.bilm)), name)
        found = []
        for start in range(0, len(sentences), 32):
            batch = sentences[start : start + 32]
            expected, layers = exact.encode(batch), rounded.encode(batch)
            # [L, B, T]
            cosines = torch.nn.functional.cosine_similarity(expected.values, layers.values, dim=-1)
            found.append(cosines[:, expected.mask])
        for layer, cosines in enumerate(torch.cat(found, dim=1).double()):
            first = float(cosines.quantile(0.01))
            print(
                f"| `{name}` | {layer} | {cosines.mean():.4f} | {first:.4f} |"
                f" {cosines.min():.4f} |",
                flush=True,
            )


def speed(
    models: Sequence[str],
    sentences: Sentences,
    site_packages: Path | None,
    rounds: int,
    in_turn: InTurn,
) -> None:
    """Print milliseconds a sentence, and megabytes of the weights, in float32 and in int8, and by
    AllenNLP where it is here.
    """
    print(
        "\n| model | at once | AllenNLP | float32 | int8 | int8 to float32 | int8 to AllenNLP |"
        " memory |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in models:
        exact = _model(name)
        rounded = Elmo(to_int8(deepcopy(exact.bilm)), name)
        memory = ", ".join(
            f"{len(pickle.dumps(elmo.bilm)) / 1e6:.0f} MB" for elmo in (exact, rounded)
        )
        peer = _peer(name, exact.bilm, site_packages)
        for size, number in BATCHES.items():
            few = sorted(sentences[:number], key=len)
            batches = [few[k : k + size] for k in range(0, number, size)]
            sides = {
                "exact": partial(_each, exact.encode, batches),
                "rounded": partial(_each, rounded.encode, batches),
            }
            if peer is not None:
                sides["peer"] = partial(_each, partial(allennlp_peer.layers_of, peer), batches)
            found = {
                side: 1e3 * seconds / number for side, seconds in in_turn(rounds, **sides).items()
            }
            theirs = f"{found['peer']:.1f} ms" if peer is not None else ""
            beside = f"{found['peer'] / found['rounded']:.1f}x" if peer is not None else ""
            print(
                f"| `{name}` | {size} | {theirs} | {found['exact']:.1f} ms | {found['rounded']:.1f}"
                f" ms | {found['exact'] / found['rounded']:.1f}x | {beside} | {memory} |",
                flush=True,
            )


def _each(encode: Callable[[Sentences], object], batches: Sequence[Sentences]) -> None:
    for batch in batches:
        encode(batch)


def _model(name: str) -> Elmo:
    """A model by name; one that is published gets random weights in its shape."""
    if name not in MODELS:
        return Elmo.load(name)
    torch.manual_seed(0)
    return Elmo(BiLM(MODELS[name].options), name)


def _peer(name: str, bilm: BiLM, site_packages: Path | None) -> object | None:
    if name not in MODELS:  # our own models are not converted for allennlp
        return None
    with tempfile.TemporaryDirectory() as folder:
        options, weights = Path(folder, "options.json"), Path(folder, "weights.hdf5")
        options.write_text(MODELS[name].options_text, encoding="utf-8")
        write_hdf5(weights, bilm)
        peer: object | None = allennlp_peer.load(options, weights, site_packages)
    return peer
