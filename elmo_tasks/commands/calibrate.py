"""``calibrate``: what a cosine means at each layer of a model."""

from __future__ import annotations

import argparse

HELP = "measure what a cosine means at each layer of a model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--model", help="name or folder of a biLM (default: the bundled one)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, ... (default: cpu)")
    parser.add_argument(
        "--beside", action="store_true", help="keep the result beside the model, not in the user's cache"
    )


def run(args: argparse.Namespace) -> int:
    """Measure, keep, print a table."""
    from elmo_tasks.encoders.elmo import Elmo
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.serving.calibrations import cached_path, measure, write_calibration

    elmo = Elmo.load(args.model, device=checked_device(args.device))
    assert elmo.files is not None
    calibration = measure(elmo, elmo.files.checksum)
    write_calibration(
        calibration,
        elmo.files.folder / "calibration.json" if args.beside else cached_path(calibration.checksum),
    )
    print("layer   two random words   sets named   pairs right   right if all were named")
    for k, layer in enumerate(calibration.layers):
        mark = "*" if k == calibration.verdict_layer else " "
        told = (
            f"{layer.named:>10.0%}   {layer.right:>11.0%}   {layer.right_of_all:>23.0%}"
            if layer.same_sense
            else f"{'-':>10}   {'-':>11}   {'-':>23}"
        )
        print(f"{layer.name:>5}{mark}   {layer.random_pair_cosine:>15.3f}   {told}")
    print("* the layer behind the verdict; measured on the words of the gallery that were not fitted on")
    return 0
