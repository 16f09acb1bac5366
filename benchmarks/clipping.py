"""How often clipping acts in a biLM: ``python -m benchmarks.clipping --model original --text FILE``.

The published models keep cells and outputs within 3 from 0, at each step. Where a model came without such bounds, it is counted
how often bounds at 3 would have acted in it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor

from elmo_tasks.bilm.projected_lstm import ProjectedLSTM, State
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.text.vocabulary import open_text

BOUND = 3.0


class Counter:
    """Steps an LSTM as the model does, and counts what lies outside the bounds before it is clipped."""

    def __init__(self, lstm: ProjectedLSTM) -> None:
        self.lstm = lstm
        self.cells = self.clipped_cells = self.outputs = self.clipped_outputs = 0

    def __call__(self, x: Tensor, state: State | None = None, lengths: Tensor | None = None) -> tuple[Tensor, State]:
        """Like :meth:`ProjectedLSTM.forward`, of one sentence."""
        lstm, steps = self.lstm, []
        h, c = (
            (x.new_zeros(len(x), n) for n in (lstm.proj_size, lstm.hidden_size))
            if state is None
            else (s[0] for s in state)
        )
        from_input = torch.nn.functional.linear(x, lstm.weight_ih_l0, lstm.bias_ih_l0)
        for t in range(x.shape[1]):
            i, f, g, o = (from_input[:, t] + h @ lstm.weight_hh_l0.t()).chunk(4, dim=-1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            self.cells += c.numel()
            self.clipped_cells += int((c.abs() > BOUND).sum())
            c = c if lstm.cell_clip is None else c.clamp(-lstm.cell_clip, lstm.cell_clip)
            h = (torch.sigmoid(o) * torch.tanh(c)) @ lstm.weight_hr_l0.t()
            self.outputs += h.numel()
            self.clipped_outputs += int((h.abs() > BOUND).sum())
            h = h if lstm.proj_clip is None else h.clamp(-lstm.proj_clip, lstm.proj_clip)
            steps.append(h)
        return torch.stack(steps, dim=1), (h.unsqueeze(0), c.unsqueeze(0))


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="elmo-mini", help="a biLM: a name or a folder (default: elmo-mini)")
    parser.add_argument(
        "--text", type=Path, required=True, help="a text file, one tokenized sentence a line, plain or .xz"
    )
    parser.add_argument("--sentences", type=int, default=500)
    args = parser.parse_args()
    elmo = Elmo.load(args.model, device="cpu")
    before = [line.split()[:200] for line, _ in zip(open_text(args.text), range(args.sentences), strict=False)]
    expected = elmo.states(before[:1]).layers
    lstms = {name: module for name, module in elmo.bilm.named_modules() if isinstance(module, ProjectedLSTM)}
    counters = {name: Counter(lstm) for name, lstm in lstms.items()}
    for name, lstm in lstms.items():
        lstm.forward = counters[name]  # type: ignore[method-assign,assignment]
    with torch.inference_mode():
        torch.testing.assert_close(elmo.states(before[:1]).layers, expected, atol=1e-5, rtol=1e-5)  # the same model
        for sentence in before:
            elmo.states([sentence])
    print(f"{args.model}, {len(before)} sentences: share of numbers further than {BOUND:g} from 0 before any clipping")
    print("| layer | cells | outputs |\n|---|---:|---:|")
    for name, counter in counters.items():
        print(
            f"| {name} | {counter.clipped_cells / counter.cells:.4%} | {counter.clipped_outputs / counter.outputs:.4%} |"
        )


if __name__ == "__main__":
    main()
