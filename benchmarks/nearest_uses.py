"""How many of the five nearest uses of a word have its sense, by what they are compared by: ``python -m benchmarks.nearest_uses``.

Asked are the uses of the gallery, each without itself, and the short everyday uses whose sense the gallery has, all among the
uses of the gallery: 200 words, nothing of which was fitted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.gallery import EverydayUse, GalleryUse, everyday_uses, gallery, gallery_words
from elmo_tasks.senses.marked_vectors import words_around
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import view_names, view_of
from elmo_tasks.serving.loaded_models import LoadedModel
from elmo_tasks.serving.session import Session
from elmo_tasks.uses import read_uses

NEAREST = 5


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="name or folder of the model (default: the bundled one)")
    loaded = Session(parser.parse_args().model).loaded.model()
    names = view_names(loaded.names)
    right = {name: np.zeros(2) for name in names}
    asked = np.zeros(2)
    for word in gallery_words():
        entries = [use for use in gallery() if use.word == word]
        senses = np.array([use.sense for use in entries])
        everyday = [use for use in everyday_uses() if use.word == word and use.sense in senses]
        known, typed = views(loaded, entries, names), views(loaded, everyday, names)
        asked += NEAREST * len(entries), NEAREST * len(everyday)
        for name in names:
            among = known[name] @ known[name].T
            np.fill_diagonal(among, -2)
            right[name][0] += hits(among, senses, senses)
            if everyday:
                right[name][1] += hits(typed[name] @ known[name].T, np.array([use.sense for use in everyday]), senses)
    print(f"| compared by | {asked[0] / NEAREST:,.0f} uses of the gallery | {asked[1] / NEAREST:,.0f} everyday uses |")
    print("|---|---:|---:|")
    for name in names:
        print(f"| {name} | " + " | ".join(f"{100 * share:.1f} %" for share in right[name] / asked) + " |")


def views(
    loaded: LoadedModel, entries: Sequence[GalleryUse] | Sequence[EverydayUse], names: Sequence[str]
) -> dict[str, NDArray[np.float32]]:
    """``[n, D]`` of length 1 in each view."""
    if not entries:
        return {}
    uses = [gallery_use(entry) for entry in entries]
    layers = np.asarray(read_uses(loaded.encoder, uses).layers)
    around = np.stack([words_around(loaded.static, use) for use in uses])
    return {name: view_of(name, layers, loaded.names, around) for name in names}


def hits(cosines: NDArray[np.float32], asked: NDArray[np.str_], senses: NDArray[np.str_]) -> int:
    """How many of the nearest of each use have its sense."""
    near = np.argsort(-cosines, axis=1)[:, :NEAREST]
    return int((senses[near] == asked[:, None]).sum())


if __name__ == "__main__":
    main()
