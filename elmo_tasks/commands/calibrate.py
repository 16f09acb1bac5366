"""``calibrate``: fit a model's meaning of cosines and of Sense map groups."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_tasks.commands.arguments import add_device, data_folder
from elmo_tasks.wording.views import views_name

if TYPE_CHECKING:
    from elmo_tasks.encoders.encoder import Encoder
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.evaluation.reader import Reader
    from elmo_tasks.senses.calibration import Calibration, Reading

# The command may take longer: four times as many sets as on first use give better thresholds.
_SETS = 4

HELP = "measure what a cosine means at each layer of a model, or how far groups of its uses are meanings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--model", help="name or folder of an encoder (default: the bundled one)")
    add_device(parser)
    parser.add_argument(
        "--beside", action="store_true", help="keep the result beside the model, not in the user's cache"
    )
    parser.add_argument(
        "--data",
        type=Path,
        help="folder of the data sets of `evaluate` (default: ELMO_SHARED_DATA, or ../shared/data); if SemCor is there, the "
        "probabilities are checked on pairs of its uses",
    )
    parser.add_argument(
        "--map",
        action="store_true",
        help="measure instead how well the groups of the Sense map match known senses; until then none are named",
    )


def add_no_calibration(parser: argparse._ActionsContainer) -> None:
    """The argument of other commands that goes without all this."""
    parser.add_argument(
        "--no-calibration",
        action="store_true",
        help="do not measure first what a cosine means in a model that came without it; nothing is said of meanings then",
    )


def run(args: argparse.Namespace) -> int:
    """Measure, keep, print a table."""
    from tqdm import tqdm

    from elmo_tasks.encoders import load
    from elmo_tasks.encoders.static_vectors import StaticVectors
    from elmo_tasks.evaluation.reader import Reader
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.senses.expected_words import ExpectedWords
    from elmo_tasks.serving.calibrations import cached_path, measure, write_calibration

    encoder = load(args.model, checked_device(args.device))
    static = StaticVectors.load()
    if args.map:
        return _of_map(encoder, static, args.beside)
    expected = ExpectedWords.load(encoder, static)
    with tqdm(total=100, unit="%", desc="reading sentences of known senses") as bar:
        calibration = measure(
            encoder, static, expected, lambda share: bar.update(round(100 * share) - bar.n), times=_SETS
        )
    write_calibration(
        calibration,
        encoder.folder / "calibration.json" if args.beside and encoder.folder else cached_path(calibration.checksum),
    )
    print("| read by | two random words | sets named | right of those named | calibration error of pairs |")
    print("|---|---|---|---|---|")
    for reading in calibration.readings:
        random_pair = getattr(reading, "random_pair_cosine", None)
        # Where nothing is named, nothing is right of it.
        numbers = [reading.named, reading.right if reading.named else None, reading.error]
        told = ["–" if value is None or not reading.same_sense else f"{100 * value:.1f} %" for value in numbers]
        cells = [_name(reading), "–" if random_pair is None else f"{random_pair:.3f}", *told]
        print(f"| {' | '.join(cells)} |")
    if not encoder.reads_sentence:
        print(
            f"\n{encoder.name} does not read the sentence: a word has one vector, and uses of it cannot be told apart."
        )
        return 0
    print(f"\nThe verdict is read by: {_name(calibration.selected_reading)}.")
    print("Measured on the half of the words that nothing was fitted on. A grouping is right where all of it is.\n")
    by_size(calibration.selected_reading)
    print("\nprobability of one meaning, in tenths: mean probability / share that have one / pairs")
    for mean, share, n in calibration.selected_reading.reliability:
        print(f"  {mean:.2f} / {share:.2f} / {n:,}")
    _on_semcor(data_folder(args.data), calibration, Reader(encoder, static, expected))
    return 0


def _of_map(encoder: Encoder, static: StaticVectors, beside: bool) -> int:
    """Mean adjusted Rand index of groups and senses over gallery words, by view."""
    from tqdm import tqdm

    from elmo_tasks.files import write_json
    from elmo_tasks.serving.map_calibrations import measure_map, paths

    found = measure_map(encoder, static, passing=lambda views: tqdm(views, unit="view", desc="grouping known uses"))
    *near, cached = paths(encoder, found.checksum)
    path = near[0] if beside and near else cached
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, found.to_dict())
    print(f"{encoder.name}, {found.n_words} words of the gallery, {found.n_uses} uses\n")
    print(
        "| compared by | index, number known | index, own number | named | named of one sense | pairs right | number right |"
    )
    print("|---|---|---|---|---|---|---|")
    for view in found.views:
        right = [f"{100 * share:.0f} %" if view.named else "–" for share in (view.right, view.number_right)]
        named = [f"{100 * share:.0f} %" for share in (view.named, view.named_of_one_sense)]
        cells = [f"{view.agreement:.3f}", f"{view.own_number:.3f}", *named, *right]
        print(f"| {view.name}{'*' if view.name == found.best else ''} | {' | '.join(cells)} |")
    print("\n* what the map opens with; named and right: on the words that the rule was not fitted on")
    return 0


def by_size(reading: Reading) -> None:
    """Sets of each collection and size: those in several senses, then those in one."""
    print(
        "| sentences | uses | in several senses: named | right | leaning | right | in one: split | named as one | error "
        "| of one meaning | if several: told | right |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for size in reading.by_size:
        of_one = [size.split, size.one_named] if size.one else [None, None]
        right = size.right if size.named else None
        if_several = [size.if_several, size.right_if_several if size.if_several else None]
        shares = [
            size.named,
            right,
            size.leaning,
            size.right_leaning,
            *of_one,
            size.error,
            size.error_of_one,
            *if_several,
        ]
        told = ["–" if share is None else f"{100 * share:.0f} %" for share in shares]
        print(f"| {size.collection} | {size.size or 'all'} | {' | '.join(told)} |")


def _on_semcor(data: Path, calibration: Calibration, reader: Reader) -> None:
    from elmo_tasks.evaluation.calibration_check import check_on_semcor
    from elmo_tasks.evaluation.nearest_sense import ALL_WORDS

    path = data / ALL_WORDS[0]
    if not path.is_file():
        print(f"\nNot checked on SemCor: {path} is not here.")
        return
    n_pairs, checks = check_on_semcor(calibration, reader, path)
    print(
        f"\nOn {n_pairs:,} pairs of uses of one lemma in SemCor, half of them in one sense, half in senses of different "
        "files of WordNet:\n"
    )
    print("| read by | pairs right | named | right of those named | calibration error |\n|---|---|---|---|---|")
    for found in checks:
        right, named, error = (f"{100 * value:.1f} %" for value in (found.right, found.named, found.error))
        of_named = f"{100 * found.right_when_named:.1f} %" if found.named else "–"
        print(f"| {_name(calibration.reading(found.name))} | {right} | {named} | {of_named} | {error} |")


def _name(reading: Reading) -> str:
    return views_name(reading.views or (reading.name,))
