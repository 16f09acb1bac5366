"""What the verdict's parts were chosen by: ``python -m benchmarks.selected_view``.

Everything is measured on the half of the gallery's words that calibrations are fitted on; the held-out half is not looked at.
Prints the cross-validated log-loss at even odds of every reading of two uses (a coin's is 0.693), of the words around a use
as related words weigh more, and of the words that the model expects as more of them are asked for; and how well the groups of
the sense map match the senses with each layer beside the words around a use (adjusted Rand index, own number of groups).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.layers.views import layer_names
from elmo_tasks.senses.calibration_fit import WordUses, halves, losses
from elmo_tasks.senses.clustering import agreement, split_uses
from elmo_tasks.senses.expected_words import EXPECTED, ExpectedWords
from elmo_tasks.senses.gallery import gallery
from elmo_tasks.senses.sense_map_calibration import ALWAYS_NAMED
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import WORDS, surroundings, unit
from elmo_tasks.serving.calibrations import known_uses


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="name or folder of a biLM with its output layer (default: the bundled one)")
    args = parser.parse_args()
    elmo, static = Elmo.load(args.model), StaticVectors.load()
    names = layer_names(elmo.n_layers)
    words = known_uses(elmo, static, ExpectedWords.load(elmo, static))
    words = {word: words[word] for word in sorted(words)}
    of_all = losses(names, words)
    print(f"{elmo.name}: log-loss of each reading, the best first")
    for views, loss in sorted(of_all.items(), key=lambda item: item[1]):
        print(f"  {loss:.4f}  {' + '.join(views)}")
    best = min(of_all, key=lambda views: of_all[views])
    print(f"\nrelated words around a use weigh more: log-loss of the words alone, and of {' + '.join(best)}")
    for strength in (0.0, 1.0, 2.0, 3.0):
        found = losses(names, _with_surroundings(words, static, strength))
        print(f"  {strength:.0f}: {found[(WORDS,)]:.4f}  {found[best]:.4f}")
    print(f"\nmost frequent words that are asked for: log-loss of the expected words alone, and of {' + '.join(best)}")
    for most in (3_000, 10_000, 30_000):
        expected = ExpectedWords.load(elmo, static, most)
        if expected is not None:
            found = losses(names, known_uses(elmo, static, expected))
            print(f"  {most:,}: {found[(EXPECTED,)]:.4f}  {found[best]:.4f}")
    print("\ngroups of the sense map by the words around a use and a layer: adjusted Rand index")
    fitted = [words[word] for word in halves(list(words))[0]]
    print(f"  no layer: {np.mean([_index(word, word.others[WORDS]) for word in fitted]):.4f}")
    for k, name in enumerate(names):
        print(f"  {name}: {np.mean([_index(word, _beside(word, k)) for word in fitted]):.4f}")


def _with_surroundings(words: Mapping[str, WordUses], static: StaticVectors, strength: float) -> dict[str, WordUses]:
    around: dict[str, list[NDArray[np.float32]]] = {}
    for entry in gallery():
        use = gallery_use(entry)
        shares = np.array([static.share_of(token) for token in use.tokens])
        vectors = static.vectors_of(use.tokens).cpu().numpy()
        around.setdefault(entry.word, []).append(surroundings(vectors, shares, use.start, strength))
    return {word: replace(uses, others={**uses.others, WORDS: np.stack(around[word])}) for word, uses in words.items()}


def _beside(word: WordUses, layer: int) -> NDArray[np.float32]:
    return unit(np.concatenate([unit(word.vectors[layer].numpy()), unit(word.others[WORDS])], axis=1))


def _index(word: WordUses, vectors: NDArray[np.floating]) -> float:
    return agreement(split_uses(unit(vectors), ALWAYS_NAMED).groups, word.senses)


if __name__ == "__main__":
    main()
