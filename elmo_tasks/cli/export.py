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
    from elmo_tasks.bilm.model_files import find_model, has_softmax, load_bilm, load_softmax
    from elmo_tasks.errors import ConfigError
    from elmo_tasks.training.export_bilm import read_checkpoint, write_model

    if args.model.endswith(".ckpt"):
        run = read_checkpoint(Path(args.model))
        write_model(args.folder, run.bilm, run.softmax, run.vocabulary, {"kind": "biLM", "training": run.seen}, args.to)
    else:
        files = find_model(args.model)
        if args.folder.resolve() == files.folder.resolve():
            raise ConfigError(f"{args.folder}: this is the model itself; name another folder to write")
        bilm = load_bilm(files)
        softmax, vocabulary = load_softmax(files) if has_softmax(files) else (None, None)
        card = files.folder / "card.json"
        about = json.loads(card.read_text(encoding="utf-8")) if card.exists() else None
        write_model(args.folder, bilm, softmax, vocabulary, about, args.to)
    print(args.folder)
    return 0
