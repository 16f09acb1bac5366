"""What it costs a model that its two directions never meet: uses told apart by both sides at once, and by each side alone.

ELMo's vector of a word is two lists of numbers side by side, one from the words before it and one from the words after it, and a
cosine compares each list with its own kind only: a word that tells the sense to the left in one sentence and to the right in the
other goes unnoticed. How much that takes away is shown on bags of words, and on any encoder that reads both sides, when it may read
only one at a time.

    python -m benchmarks.two_halves --model elmo-mini
"""

from __future__ import annotations

import argparse

import numpy as np

from elmo_tasks.encoders import Encoder, load
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.evaluation.ordering import KnownUse, Vectors, held_out_of_several_senses, pairs_in_order
from elmo_tasks.senses.gallery import everyday_uses, gallery
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import unit
from elmo_tasks.uses import Use, use_vectors


def bags(static: StaticVectors, sides: list[list[str]]) -> Vectors:
    """``[n, S]`` the static vectors of each side's words, rare ones weighing more, around zero; not brought to one length."""
    found = np.zeros((len(sides), static.width), np.float32)
    for k, side in enumerate(sides):
        if side:
            weights = rarity(np.array([static.share_of(word) for word in side]))
            found[k] = (unit(static.vectors_of(side).cpu().numpy()) * weights[:, None]).sum(axis=0)
    return found - found.mean(axis=0)


def encoded(encoder: Encoder, uses: list[Use], layers: list[int]) -> Vectors:
    """``[n, D]`` the mean of some layers, around zero."""
    found: Vectors = use_vectors(encoder, uses)[layers].mean(dim=0).numpy()
    return found - found.mean(axis=0)


def measured(
    chosen: list[KnownUse], static: StaticVectors, encoder: Encoder | None, layers: list[int]
) -> dict[str, float]:
    """Share of pairs in order, by what is compared."""
    uses = [gallery_use(use) for use in chosen]
    words, senses = [use.word for use in chosen], [use.sense for use in chosen]

    def score(vectors: Vectors) -> float:
        return pairs_in_order(unit(vectors), words, senses)

    before, after = ([list(u.tokens[: u.start]) for u in uses], [list(u.tokens[u.end :]) for u in uses])
    left, right = bags(static, before), bags(static, after)
    found = {
        "bag of both sides": score(left + right),
        "bags of the two sides, side by side": score(np.hstack([left, right])),
    }
    if encoder is not None:
        upto = [Use.of_tokens(u.tokens[: u.end], u.start, u.end) for u in uses]
        back = [Use.of_tokens(u.tokens[u.start :], 0, u.end - u.start) for u in uses]
        halves = [encoded(encoder, side, layers) for side in (upto, back)]
        found[f"{encoder.name}, whole sentence"] = score(encoded(encoder, list(uses), layers))
        found[f"{encoder.name}, each side alone, side by side"] = score(np.hstack(halves))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="an encoder; by default only bags are measured")
    parser.add_argument(
        "--layers", type=int, nargs="+", default=[-1], help="its layers whose mean is taken; the last by default"
    )
    arguments = parser.parse_args()
    static, encoder = StaticVectors.load(), load(arguments.model) if arguments.model else None
    columns = {
        name: measured(held_out_of_several_senses(uses), static, encoder, arguments.layers)
        for name, uses in (("everyday", everyday_uses()), ("gallery", gallery()))
    }
    print(f"Pairs of uses in order, %, held-out words; bags of {static.name}")
    print(f"| compared by | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for row in columns["everyday"]:
        print(f"| {row} | {' | '.join(f'{100 * column[row]:.1f}' for column in columns.values())} |")


if __name__ == "__main__":
    main()
