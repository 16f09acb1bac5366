"""What a second encoder would add to what the verdict reads: ``python -m benchmarks.second_reader FOLDER``.

Its vectors of the known uses (one layer, the last by default, around their mean) stand beside the layers, the words around and the
words expected, and all are calibrated together as by ``calibrate``. With a transformer this is what a verdict could name that asks
one while the program runs, which ours does not.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from elmo_tasks.commands.calibrate import by_size
from elmo_tasks.encoders import load
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.layers.views import layer_names
from elmo_tasks.senses.calibration_fit import calibrate
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.gallery import everyday_uses, gallery
from elmo_tasks.senses.known_sets import WordUses
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import unit
from elmo_tasks.serving.calibrations import EVERYDAY, known_uses, random_pairs
from elmo_tasks.uses import Use, read_uses
from elmo_tasks.wording.text import percent

_SETS = 4  # as `calibrate`


def beside(words: dict[str, WordUses], second: Encoder, layer: int) -> dict[str, WordUses]:
    """The same uses with what the second encoder makes of them as one more view."""
    uses: dict[str, list[Use]] = {}
    for collection, entries in (("gallery", gallery()), (EVERYDAY, everyday_uses())):
        for entry in entries:
            uses.setdefault(f"{entry.word}/{collection}", []).append(gallery_use(entry))
    read = {key: read_uses(second, uses[key]).layers[layer].numpy().astype(np.float32) for key in words}
    middle = np.concatenate(list(read.values())).mean(axis=0)
    return {
        key: replace(word, others={**word.others, second.name: unit(read[key] - middle)}) for key, word in words.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("second", help="name or folder of the second encoder")
    parser.add_argument("--layer", type=int, default=-1, help="its layer (default: the last)")
    parser.add_argument("--model", help="name or folder of the first (default: the bundled one)")
    args = parser.parse_args()
    encoder, second, static = load(args.model, "cpu"), load(args.second, "cpu"), StaticVectors.load()
    words = known_uses(encoder, static, ExpectedWords.load(encoder, static))
    for found in (words, beside(words, second, args.layer)):
        calibration = calibrate(layer_names(encoder.n_layers), found, random_pairs(encoder), "", _SETS)
        reading = calibration.selected_reading
        print(
            f"\nRead by {', '.join(reading.views)}: {percent(reading.named)} of the sets named, {percent(reading.right)} right.\n"
        )
        by_size(reading)


if __name__ == "__main__":
    main()
