"""Pretraining tokens per second: ``python -m benchmarks.pretraining_speed``.

Both train the same biLM (the shape of lightning_configs/bilm_mini.yaml) on the same made-up text
whose word frequencies follow Zipf's law, in turn, so that a change in the machine's speed meets
both. Plain is what the layers of PyTorch do without further thought: float32, ``Conv1d`` and
autograd through a softmax over the sample. The last row has the losses of context bags beside. With
``--sizes``, ours at three sizes of the LSTMs instead, and how large the files of each are in
float16.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_tasks.bilm import char_cnn
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.data.language_batches import StreamBatch
from elmo_tasks.recipes.context_bags import ContextBagLoss, ContextBagModule
from elmo_tasks.text.characters import character_ids
from elmo_tasks.training.bilm_module import BiLMModule

FILTERS = [(1, 16), (2, 32), (3, 64), (4, 96), (5, 128), (6, 192)]
WIDE = [(1, 32), (2, 64), (3, 128), (4, 224), (5, 256), (6, 320)]  # of elmo-mini
VOCABULARY, WORDS, STEPS = 50_003, 200_000, 20
#: Cells of an LSTM, and its output size.
SIZES = ((512, 128), (768, 192), (1024, 256))
#: Which are plain, and which have context bags.
WAYS = {
    "plain: float32, Conv1d, autograd": (True, False),
    "this project: bfloat16, windows, fused loss": (False, False),
    "  with context bags and pairs": (False, True),
}


def batches(n: int, batch_size: int) -> list[StreamBatch]:
    """Random words by Zipf's law, spelled with random letters."""
    r = np.random.default_rng(0)
    spelled = [
        "".join(r.choice(list("etaoinshrdlu"), size=r.integers(2, 12))) for _ in range(WORDS)
    ]
    p = 1 / np.arange(1, WORDS + 1)
    found = []
    for _ in range(n):
        ids = r.choice(WORDS, size=(2, batch_size, STEPS + 1), p=p / p.sum())
        distinct, words = np.unique(ids[:, :, :-1], return_inverse=True)
        targets = np.where(ids[:, :, 1:] < VOCABULARY - 3, ids[:, :, 1:] + 3, 2)
        table = torch.tensor([character_ids(spelled[k]) for k in distinct])
        found.append(
            StreamBatch(
                table,
                torch.from_numpy(words.reshape(2, batch_size, STEPS)),
                torch.from_numpy(targets),
                torch.from_numpy(distinct + 3),
            )
        )
    return found


class _PlainSoftmax(LMSoftmax):
    def sampled_loss(self, hidden: Tensor, targets: Tensor, n_draws: int) -> Tensor:
        drawn = (
            (torch.rand(n_draws).double() * np.log(len(self.weight) + 1))
            .exp()
            .long()
            .sub_(1)
            .unique()
        )
        scores = F.linear(
            hidden, self.weight[drawn], self.bias[drawn] - self._log_expected_count(drawn, n_draws)
        )
        right = (
            (hidden * self.weight[targets]).sum(-1)
            + self.bias[targets]
            - self._log_expected_count(targets, n_draws)
        )
        scores = scores.masked_fill(drawn == targets.unsqueeze(1), float("-inf"))
        return F.cross_entropy(
            torch.cat([right.unsqueeze(1), scores], dim=1), torch.zeros_like(targets)
        )


def _plain_pool(x: Tensor, convolution: nn.Module) -> Tensor:
    scores: Tensor = convolution(x.transpose(1, 2))
    return scores.amax(dim=-1)


def of_size(dim: int, projection: int) -> BiLMModule:
    """A biLM with the character encoder of elmo-mini."""
    module = BiLMModule(filters=WIDE, dim=dim, projection_dim=projection)
    module.softmax = LMSoftmax(VOCABULARY, projection)
    return module


def run(
    data: list[StreamBatch],
    plain: bool,
    device: torch.device,
    bags: bool = False,
    module: BiLMModule | None = None,
) -> float:
    """Median seconds of a step, of a model or of a small one."""
    ours = char_cnn._convolve_and_pool
    if module is None:
        module = _with_bags() if bags else BiLMModule(filters=FILTERS)
        module.softmax = (_PlainSoftmax if plain else LMSoftmax)(VOCABULARY, 128)
    module.to(device)
    module.log = module.log_dict = lambda *args, **kwargs: None  # type: ignore[method-assign,assignment]
    module.__dict__["_trainer"] = type("", (), {"world_size": 1})()
    optimizer = torch.optim.Adam((p for p in module.parameters() if p.requires_grad), lr=1e-3)
    char_cnn._convolve_and_pool = _plain_pool if plain else ours
    seconds = []
    try:
        for batch in data:
            start = time.perf_counter()
            with torch.autocast(device.type, torch.bfloat16, enabled=not plain):
                loss = module.training_step(batch.to(device), 0)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            optimizer.step()
            if device.type == "cuda":
                torch.cuda.synchronize()
            seconds.append(time.perf_counter() - start)
    finally:
        char_cnn._convolve_and_pool = ours
    return statistics.median(seconds[2:])


def _with_bags() -> ContextBagModule:
    module = ContextBagModule(filters=FILTERS)
    module.side_bags = ContextBagLoss(
        128, torch.randn(36_001, 100), torch.randint(36_001, (WORDS + 3,))
    )
    return module


def _print_sizes(data: list[StreamBatch], tokens: int, rounds: int, device: torch.device) -> None:
    rates: dict[tuple[int, int], list[float]] = {size: [] for size in SIZES}
    for _ in range(rounds):
        for size, values in rates.items():
            values.append(tokens / run(data, False, device, module=of_size(*size)))
    print("| LSTM | M parameters | MB, float16 | with its softmax | words/s | ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    for (dim, projection), values in rates.items():
        module = of_size(dim, projection)
        assert module.softmax is not None
        n, n_softmax = (
            sum(p.numel() for p in part.parameters()) for part in (module.bilm, module.softmax)
        )
        ratio = statistics.median(
            value / first for value, first in zip(values, rates[SIZES[0]], strict=True)
        )
        sizes = f"{n / 1e6:.1f} | {2 * n / 1e6:.1f} | {2 * (n + n_softmax) / 1e6:.1f}"
        print(
            f"| {dim} → {projection} | {sizes} | {statistics.median(values):,.0f} | {ratio:.2f} |"
        )


def main() -> None:
    """Measure both in turn and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--sizes", action="store_true", help="compare sizes of the LSTMs")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    device = torch.device(args.device)
    data = batches(args.steps, args.batch_size)
    tokens = args.batch_size * STEPS
    if args.sizes:
        _print_sizes(data, tokens, args.rounds, device)
        return
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(args.rounds):
        for name, (plain, bags) in WAYS.items():
            rates[name].append(tokens / run(data, plain, device, bags))
    where = torch.cuda.get_device_name() if device.type == "cuda" else f"{os.cpu_count()} cores"
    print(
        f"{where}, {args.batch_size} streams x {STEPS} words, Python {platform.python_version()},"
        f" torch {torch.__version__}"
    )
    for name, values in rates.items():
        print(f"{name:<46} {statistics.median(values):8,.0f} tokens/s")
    plain_rates, ours, _ = rates.values()
    ratios = [b / a for a, b in zip(plain_rates, ours, strict=True)]
    print(f"{'ratio (median of the rounds)':<46} {statistics.median(ratios):8.2f}")


if __name__ == "__main__":
    main()
