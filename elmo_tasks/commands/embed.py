"""``embed``: vectors of a text file in HDF5, in the format of the ``allennlp elmo`` command."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

HELP = "vectors of every token of a text file, to HDF5"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("input", type=Path, help="text file: one sentence per line, tokens separated by spaces")
    parser.add_argument("output", type=Path, help="HDF5 file: a data set per line number, and sentence_to_index")
    parser.add_argument("--model", help="name or folder of a biLM (default: the bundled one)")
    parser.add_argument("--batch-size", type=int, default=64, help="sentences at a time (default: 64)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, ... (default: cpu)")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--all", action="store_const", const="all", dest="which", help="all layers: (layers, tokens, dim)"
    )
    which.add_argument("--top", action="store_const", const="top", dest="which", help="the top layer: (tokens, dim)")
    which.add_argument(
        "--average", action="store_const", const="average", dest="which", help="their mean: (tokens, dim)"
    )


def run(args: argparse.Namespace) -> int:
    """Encode line by line; the file appears only when it is whole."""
    import h5py
    from tqdm import tqdm

    from elmo_tasks.encoders.elmo import Elmo
    from elmo_tasks.errors import ConfigError
    from elmo_tasks.files import whole_file
    from elmo_tasks.layers.device import checked_device

    if args.batch_size < 1:
        raise ConfigError(f"--batch-size {args.batch_size}: expected at least 1")
    lines = [line.strip() for line in _lines(args.input)]
    if not args.output.parent.is_dir():
        raise ConfigError(f"{args.output}: the folder {args.output.parent} does not exist")
    if args.output.is_dir() or (args.output.exists() and args.output.samefile(args.input)):
        raise ConfigError(f"{args.output}: this is a folder or the input itself; name a new file")
    elmo = Elmo.load(args.model, device=checked_device(args.device))
    with (
        whole_file(args.output) as partial,
        h5py.File(partial, "w") as file,
        tqdm(total=len(lines), unit="sentence") as bar,
    ):
        number = 0
        for layers in elmo.encode_batches((line.split() for line in lines), args.batch_size):
            for k in range(len(layers)):
                vectors = layers.sentence(k).float().cpu()
                chosen = {"all": vectors, "top": vectors[-1], "average": vectors.mean(dim=0)}[args.which]
                file.create_dataset(str(number), data=chosen.numpy(), dtype="float32")
                number += 1
            bar.update(len(layers))
        # A sentence that comes twice has the same vectors twice; its index is the last, as AllenNLP wrote it.
        index = {line: str(k) for k, line in enumerate(lines)}
        table = file.create_dataset("sentence_to_index", (1,), dtype=h5py.string_dtype())
        table[0] = json.dumps(index)
    return 0


def _lines(path: Path) -> Iterator[str]:
    from elmo_tasks.errors import DataError
    from elmo_tasks.text.vocabulary import open_text

    if not path.is_file():
        raise DataError(f"{path}: no such file; expected one sentence per line, tokens separated by spaces")
    return open_text(path)
