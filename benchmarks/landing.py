"""Where uses that are held out of a sense map land on it: ``python -m benchmarks.landing``.

For every word of the gallery whose groups are named, with the view that the map opens with. A use held out of the map: the map is
drawn from the others, and the sense of most uses of the group it lands in is compared with its own. An everyday sentence: one of
those that people type, in a sense that the map has, on the whole map. A sense held out: all its uses are taken from the map, and
land on it; the right answer is "between". Words are halved: the threshold from which on a group is named is chosen on one half (the
least that is right often enough), and the figures are those of the other half, and of all words at the threshold in use.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders import load
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.clustering import Groups, SplitRule, split_uses
from elmo_tasks.senses.gallery import everyday_uses, gallery_words
from elmo_tasks.senses.landing import LEAST_SILHOUETTE, land
from elmo_tasks.senses.marked_vectors import marked_vectors
from elmo_tasks.senses.uses import FoundUse, gallery_use, gallery_uses
from elmo_tasks.serving.drawn_maps import rule_of
from elmo_tasks.serving.map_calibrations import load_map_calibration

#: What is named is to be right so often, on the words that the threshold is chosen on.
RIGHT = 0.85


class Landed(NamedTuple):
    """One use: how it was held out, the silhouette it landed with, and whether the nearest group is of its sense."""

    kind: str
    silhouette: float
    is_right: bool


def landed(
    kind: str, vectors: NDArray[np.float32], senses: Sequence[str], groups: Groups, use: NDArray[np.float32], own: str
) -> Landed:
    """Let a use land on a map."""
    found = land(vectors, groups, use)
    there = [senses[k] for k in groups[found.order[0]]]
    return Landed(kind, found.silhouette, max(sorted(set(there)), key=there.count) == own)


def of_word(
    word: str, uses: Sequence[FoundUse], vectors: NDArray[np.float32], n_gallery: int, rule: SplitRule, every: int
) -> list[Landed]:
    """All that lands on the maps of a word; nothing where its groups are not named."""
    senses = [use.sense or "" for use in uses]
    known, known_senses = vectors[:n_gallery], senses[:n_gallery]
    whole = split_uses(known, rule)
    if not whole.is_clear:
        return []
    found = [
        landed("everyday", known, known_senses, whole.groups, vectors[k], senses[k])
        for k in range(n_gallery, len(uses))
        if senses[k] in known_senses
    ]
    for k in range(0, n_gallery, every):
        others = [j for j in range(n_gallery) if j != k]
        split = split_uses(known[others], rule)
        if split.is_clear:
            found.append(landed("use", known[others], [senses[j] for j in others], split.groups, known[k], senses[k]))
    for sense in sorted(set(known_senses)) if len(set(known_senses)) > 2 else []:
        others = [j for j in range(n_gallery) if senses[j] != sense]
        split = split_uses(known[others], rule)
        if split.is_clear:
            found += [
                landed("sense", known[others], [senses[j] for j in others], split.groups, known[k], sense)
                for k in range(n_gallery)
                if senses[k] == sense
            ]
    return found


def threshold(found: Sequence[Landed]) -> float:
    """The least silhouette from which on uses that are not new senses are right as often as is asked."""
    ranked = sorted((one for one in found if one.kind != "sense"), key=lambda one: -one.silhouette)
    right = np.cumsum([one.is_right for one in ranked]) / np.arange(1, len(ranked) + 1)
    enough = [k for k in np.flatnonzero(right >= RIGHT) if k >= len(ranked) // 40]
    return ranked[int(enough[-1])].silhouette if enough else 1.0


def line(title: str, found: Sequence[Landed], least: float) -> str:
    """One line of the table for each way to hold out."""
    lines = []
    for kind in ("use", "everyday", "sense"):
        mine = [one for one in found if one.kind == kind]
        named = [one for one in mine if one.silhouette >= least]
        right = f"{np.mean([one.is_right for one in named]):>6.1%}" if named and kind != "sense" else "     –"
        lines.append(f"{title:<24} {kind:<9} {len(mine):>5}   {len(named) / max(1, len(mine)):>6.1%}   {right}")
    return "\n".join(lines)


def read(
    encoder: Encoder, static: StaticVectors, view: str, words: Sequence[str]
) -> dict[str, tuple[list[FoundUse], NDArray[np.float32], int]]:
    """The uses of each word, those of the gallery first, and their vectors."""
    everyday = [(entry.word, gallery_use(entry)) for entry in everyday_uses()]
    uses = {word: (known := [*gallery_uses(word)], [use for other, use in everyday if other == word]) for word in words}
    together = [use for known, typed in uses.values() for use in (*known, *typed)]
    vectors = marked_vectors(encoder, static, together).view(view)
    found, start = {}, 0
    for word, (known, typed) in uses.items():
        end = start + len(known) + len(typed)
        found[word] = ([*known, *typed], vectors[start:end], len(known))
        start = end
    return found


def main() -> None:
    """Measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="name or folder of a model (default: the bundled one)")
    parser.add_argument("--every", type=int, default=1, help="hold out every so many uses of a word (default: 1, all)")
    parser.add_argument("--words", type=int, help="so many words of the gallery, at even distances (default: all)")
    args = parser.parse_args()
    encoder, static = load(args.model), StaticVectors.load()
    known = load_map_calibration(encoder, static)
    if known is None:
        parser.error(f"the map of {encoder.name} was not measured yet: elmo-tasks calibrate --map")
    rule = rule_of(known, known.best)
    chosen = gallery_words()[:: max(1, len(gallery_words()) // args.words)] if args.words else gallery_words()
    words = {
        word: of_word(word, uses, vectors, n, rule, args.every)
        for word, (uses, vectors, n) in read(encoder, static, known.best, chosen).items()
    }
    drawn = sorted(word for word, found in words.items() if found)
    random.Random(0).shuffle(drawn)
    first, second = ([one for word in drawn[half::2] for one in words[word]] for half in (0, 1))
    print(f"{encoder.name}, view {known.best}: groups are named for {len(drawn)} of {len(words)} words")
    print(f"{'words, threshold':<24} {'held out':<9} {'n':>5}    named    right")
    least = threshold(first)
    print(line(f"other half, {least:.3f}", second, least))
    print(line(f"all, {LEAST_SILHOUETTE:.3f} (in use)", [*first, *second], LEAST_SILHOUETTE))
    print(line("all, named always", [*first, *second], -1.0))


if __name__ == "__main__":
    main()
