"""``checksums``: write or verify the weight checksums on a folder's card."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "write the checksums of weights on the card beside them, after a change of yours"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("folders", type=Path, nargs="+", help="folders of models, heads or static vectors")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; say whether the weights are those of the card"
    )


def run(args: argparse.Namespace) -> int:
    """Write the checksums on each card, or compare them."""
    from elmo_tasks.bilm.weight_checksums import CARD_NAME, KEY, verify, weights_in, write_card
    from elmo_tasks.errors import ConfigError, WeightsError
    from elmo_tasks.files import read_json

    for folder in args.folders:
        files = weights_in(folder) if folder.is_dir() else []
        if not files:
            raise ConfigError(f"{folder}: expected a folder with weights (*.safetensors or *.hdf5)")
        path = folder / CARD_NAME
        try:
            card = read_json(path) if path.exists() else {}
        except ValueError as error:
            raise ConfigError(f"{path}: expected a JSON object ({error}); mend or delete it first") from None
        if not isinstance(card, dict):
            raise ConfigError(f"{path}: expected a JSON object, found {type(card).__name__}; mend or delete it first")
        if not args.check:
            write_card(folder, card)
            print(f"{folder}: {', '.join(file.name for file in files)}")
            continue
        verify(files)
        if missing := [file.name for file in files if file.name not in card.get(KEY, {})]:
            raise WeightsError(f"{path}: no checksum of {', '.join(missing)}; run `elmo-tasks checksums {folder}`")
        print(f"{folder}: as the card says")
    return 0
