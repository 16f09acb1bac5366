"""Prediction of a missing word: each direction, both joined, and a cloze head.

    python -m benchmarks.gaps

On the gallery and the everyday uses, whose word is taken out: how well the word that stood there is guessed, among the words that
all of them know, and how well two uses are told apart by what is expected in their places, on words that nothing was fitted on.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch import Tensor

from elmo_tasks.encoders import Encoder, load
from elmo_tasks.encoders.cloze_files import load_cloze
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.evaluation.ordering import KnownUse, held_out_of_several_senses, pairs_in_order
from elmo_tasks.senses.expected_words import ExpectedWords, OneAnswer, TwoAnswers, WordsInPlaces
from elmo_tasks.senses.gallery import everyday_uses, gallery
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.uses import Use, read_uses


def answers(encoder: Encoder, static: StaticVectors) -> dict[str, WordsInPlaces]:
    """Return the available predictors of a missing word."""
    assert encoder.language_model is not None, "no language model"
    output, cloze = encoder.language_model.predictions(), load_cloze(encoder, static)
    assert output is not None, "the model has no output layer"
    softmax, vocabulary = output
    found: dict[str, WordsInPlaces] = {
        "two answers, joined": TwoAnswers(softmax.weight, softmax.bias, vocabulary.words, len(vocabulary))
    }
    return found | ({} if cloze is None else {"cloze head": OneAnswer(cloze, static)})


def guessed(told: dict[str, WordsInPlaces], encoder: Encoder, uses: list[Use]) -> dict[str, tuple[float, float, float]]:
    """Mean negative log-probability, top-1 and top-10 accuracy of the original words."""
    shared = sorted(set.intersection(*(set(of.words) for of in told.values())))
    place = {word: k for k, word in enumerate(shared)}
    asked = [use for use in uses if use.word.lower() in place]
    answer = torch.tensor([place[use.word.lower()] for use in asked])
    losses: dict[str, list[Tensor]] = {name: [] for name in told}
    for start in range(0, len(asked), 64):  # 50,000 probabilities a place
        batch, right = asked[start : start + 64], answer[start : start + 64, None]
        read = read_uses(encoder, batch)
        assert read.before is not None
        assert read.after is not None
        for name, of in told.items():
            columns = torch.tensor(
                [k for _, k in sorted((word, k) for k, word in enumerate(of.words) if word in place)]
            )
            chances = of(batch, read.before, read.after)[:, columns].log_softmax(dim=-1)
            own = chances.gather(1, right)
            losses[name].append(torch.stack([-own[:, 0], (chances > own).sum(dim=1).float()]))
    print(f"{len(asked):,} places, {len(shared):,} words to choose among")
    found = {name: torch.cat(parts, dim=1) for name, parts in losses.items()}
    return {
        name: (float(loss.mean()), float((rank == 0).float().mean()), float((rank < 10).float().mean()))
        for name, (loss, rank) in found.items()
    }


def in_order(expected: ExpectedWords, encoder: Encoder, chosen: list[KnownUse]) -> float:
    """Ordering score of pairs by the centred predictions in their places."""
    uses = [gallery_use(use) for use in chosen]
    vectors = expected(uses, read_uses(encoder, uses))
    vectors = vectors - vectors.mean(axis=0)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return pairs_in_order(vectors, [use.word for use in chosen], [use.sense for use in chosen])


@torch.no_grad()
def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="name or folder of a biLM with its output layer (default: the bundled one)")
    arguments = parser.parse_args()
    encoder, static = load(arguments.model, "cpu"), StaticVectors.load()
    told = answers(encoder, static)
    collections: dict[str, list[KnownUse]] = {"everyday": list(everyday_uses()), "gallery": list(gallery())}
    found = guessed(told, encoder, [gallery_use(use) for uses in collections.values() for use in uses])
    print(
        f"\n| | loss | first guess | first ten | {' | '.join(f'order, {name}' for name in collections)} |\n|---|{'---:|' * 5}"
    )
    for name, (loss, first, ten) in found.items():
        expected = ExpectedWords(told[name], static)
        orders = [in_order(expected, encoder, held_out_of_several_senses(uses)) for uses in collections.values()]
        print(
            f"| {name} | {loss:.2f} | {first:.1%} | {ten:.1%} | {' | '.join(f'{100 * order:.1f}' for order in orders)} |"
        )


if __name__ == "__main__":
    main()
