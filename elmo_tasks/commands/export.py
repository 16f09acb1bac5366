"""``export``: a biLM from one file format to the other."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

HELP = "write a biLM in the published HDF5 layout, or as safetensors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--model", required=True, help="name, folder, or the .ckpt file of a pretraining run")
    parser.add_argument("--to", required=True, choices=("hdf5", "safetensors"), help="format to write")
    parser.add_argument("folder", type=Path, help="folder to write: options.json, weights, and what else the model has")


def run(args: argparse.Namespace) -> int:
    """Read the model, write the folder."""
    from elmo_tasks.bilm.model_files import find_model, load_bilm, load_softmax
    from elmo_tasks.errors import WeightsError
    from elmo_tasks.training.export_bilm import read_checkpoint, write_model

    if args.model.endswith(".ckpt"):
        bilm, softmax, vocabulary, seen = read_checkpoint(Path(args.model))
        write_model(args.folder, bilm, softmax, vocabulary, {"kind": "biLM", "training": seen}, args.to)
    else:
        files = find_model(args.model)
        bilm = load_bilm(files)
        try:
            output = load_softmax(files)
        except WeightsError:
            output = (None, None)  # the published models have no softmax to write
        card = files.folder / "card.json"
        about = json.loads(card.read_text(encoding="utf-8")) if card.exists() else None
        write_model(args.folder, bilm, *output, card=about, to=args.to)
    print(args.folder)
    return 0
