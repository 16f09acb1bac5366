"""What bounds the LSTMs of the published architectures on a CPU: ``python -m benchmarks.lstm_steps``.

Prints how fast one processor multiplies the recurrent weights by 1 to 256 rows, and what the written-out steps that clipping
needs cost beside PyTorch's fused LSTM, which cannot clip. One thread, best processor time of a few.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from elmo_tasks.bilm.projected_lstm import ProjectedLSTM

#: Architecture -> input and projection, cells; sentences and words that are run.
SIZES = {"original": (512, 4096, ((1, 10), (32, 4))), "small": (128, 1024, ((1, 40), (32, 10)))}


def best(run: Callable[[], object], times: int = 4) -> float:
    """Processor seconds, the fastest of a few; one more warms up."""
    seconds = []
    for _ in range(times + 1):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds[1:])


def main() -> None:
    """Measure and print two tables."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    size, cells, _ = SIZES["original"]
    weights = torch.randn(4 * cells, size)
    print(f"| rows times {size} x {4 * cells} | GFLOP/s |\n|---:|---:|")
    for rows in (1, 8, 32, 128, 256):
        x, out = torch.randn(rows, size), torch.empty(rows, 4 * cells)
        speed = 2 * rows * weights.numel() / best(lambda x=x, out=out: torch.mm(x, weights.t(), out=out)) / 1e9  # type: ignore[misc]
        print(f"| {rows} | {speed:.0f} |", flush=True)
    print("\n| one layer, one direction | steps with clipping | fused, without |\n|---|---:|---:|")
    with torch.inference_mode():
        for name, (size, cells, batches) in SIZES.items():
            clipped, fused = ProjectedLSTM(size, cells, size, 3.0, 3.0).eval(), ProjectedLSTM(size, cells, size).eval()
            fused.load_state_dict(clipped.state_dict())
            for sentences, words in batches:
                x = torch.randn(sentences, words, size)
                seconds = [best(lambda x=x, lstm=lstm: lstm(x)) for lstm in (clipped, fused)]  # type: ignore[misc]
                told = " | ".join(f"{1e3 * s:.1f} ms" for s in seconds)
                print(f"| `{name}`, {sentences} x {words} words | {told} |", flush=True)


if __name__ == "__main__":
    main()
