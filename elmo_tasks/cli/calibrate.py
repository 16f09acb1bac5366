"""``calibrate``: fit what tells meanings apart in an encoder, on the dictionary."""

from __future__ import annotations

import argparse

from elmo_tasks.cli.arguments import add_device
from elmo_tasks.errors import ConfigError

HELP = "fit what tells the meanings of words apart in an encoder, on the dictionary"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--model", help="name or folder of an encoder (default: the bundled one)")
    add_device(parser)
    parser.add_argument(
        "--beside", action="store_true", help="keep the result beside the model, not in the user's cache"
    )
    parser.add_argument(
        "--max-uses", type=int, help="read only about so many sentences of the dictionary (default: all)"
    )


def add_no_calibration(parser: argparse._ActionsContainer) -> None:
    """Add the option of other commands that goes without all this."""
    parser.add_argument(
        "--no-calibration",
        action="store_true",
        help="do not fit first what tells meanings apart in a model that came without it; nothing is said of meanings then",
    )


def run(args: argparse.Namespace) -> int:
    """Fit, keep, and print what was fitted."""
    from tqdm import tqdm

    from elmo_tasks.encoders import load
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.senses.calibrate import calibrate
    from elmo_tasks.senses.disambiguation import write_calibration
    from elmo_tasks.senses.expected_words import ExpectedWords
    from elmo_tasks.senses.lexicon import bundled_lexicon
    from elmo_tasks.service.loaded_models import cached_folder

    encoder = load(args.model, checked_device(args.device))
    if not encoder.reads_sentence:
        raise ConfigError(
            f"{encoder.name} does not read the sentence: a word has one vector, and its uses cannot be told apart"
        )
    if args.beside and encoder.folder is None:
        raise ConfigError(f"--beside: {encoder.name} has no folder of its own; leave the option out")
    static = StaticVectors.load()
    expected = ExpectedWords.load(encoder, static)
    lexicon = bundled_lexicon()
    with tqdm(total=100, unit="%", desc="reading the dictionary") as bar:
        calibration, centroids = calibrate(
            encoder, static, expected, lexicon, args.max_uses, lambda share: bar.update(round(100 * share) - bar.n)
        )
    folder = encoder.folder if args.beside and encoder.folder else cached_folder(calibration.checksum)
    write_calibration(folder, calibration, centroids)
    if args.beside:
        from elmo_tasks.bilm.weight_checksums import refresh_card

        refresh_card(folder)
    weights = ", ".join(f"{view} {weight:.1f}" for view, weight in calibration.weights.items())
    print(f"{encoder.name}: fitted on the dictionary, of which {len(centroids):,} meanings were read")
    print(f"views and their weights: {weights}")
    print(
        f"projection: {'kept' if calibration.projection is not None else 'no better than the views as they are, not kept'}"
    )
    print(f"written to {folder}; measure it with: elmo-tasks evaluate --senses --model {args.model or encoder.name}")
    return 0
