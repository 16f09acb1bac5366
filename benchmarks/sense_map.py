"""How well the groups of the sense map match the senses of the gallery: ``python -m benchmarks.sense_map``.

For each view of the model: the adjusted Rand index of groups and senses, averaged over the words of the gallery (1: the same,
0: chance), and how often groups are named, and rightly so, on the words that the rule for naming was not fitted on. ``--keep``
writes what was measured beside the model, or into the user's cache, where the app reads it.
"""

from __future__ import annotations

import argparse

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.files import write_json
from elmo_tasks.serving.map_calibrations import NAME, load_map_calibration, measure_map, paths


def main() -> None:
    """Measure, print a table, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="name or folder of a biLM (default: the bundled one)")
    parser.add_argument("--keep", choices=("beside", "cache"), help="where to write what was measured")
    parser.add_argument("--print", action="store_true", help="measure nothing, print what is kept")
    args = parser.parse_args()
    elmo, static = Elmo.load(args.model), StaticVectors.load()
    found = load_map_calibration(elmo, static) if args.print else measure_map(elmo, static)
    if found is None:
        parser.error(f"{elmo.name} was not measured yet: leave out --print, and add --keep beside or --keep cache")
    if args.keep:
        path = next(p for p in paths(elmo, found.checksum) if (p.name == NAME) == (args.keep == "beside"))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, found.to_dict())
    print(f"{elmo.name}, {found.n_words} words of the gallery, {found.n_uses} uses")
    print("view      index, number known   index, own number   named   named of one sense   pairs right   number right")
    for view in found.views:
        mark = "*" if view.name == found.best else " "
        print(
            f"{view.name:>6}{mark}   {view.agreement:>19.3f}   {view.own_number:>17.3f}   {view.named:>5.0%}   "
            f"{view.named_of_one_sense:>18.0%}   {view.right:>11.0%}   {view.number_right:>12.0%}"
        )
    print("* what the map opens with; named and right: on the words that the rule was not fitted on")


if __name__ == "__main__":
    main()
