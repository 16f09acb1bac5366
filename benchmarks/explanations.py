"""What Why and Expected words cost, and how far to trust them: ``python -m benchmarks.explanations``.

Cost: processor seconds on one core, for six sentences of twelve words. Trust: on the gallery, whether three other ways of hiding
put the same word first, and what the model gives to the word that stands there, told by one side, by both, and by both with the
frequency divided out.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from itertools import combinations

import torch
from torch import Tensor

from elmo_tasks.bilm.model_files import load_softmax
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.senses.attribution import WAYS, cosine_changes, decisive, hidden
from elmo_tasks.senses.expected_words import log_frequencies, states_around, told_by_all
from elmo_tasks.senses.gallery import gallery
from elmo_tasks.serving.session import Session
from elmo_tasks.text.mentions import Mention, find_mention
from elmo_tasks.text.vocabulary import UNKNOWN_ID
from elmo_tasks.uses import use_vectors

OTHER_WAYS = (",", "it", "people")
SENTENCES = [
    "The bank refused our first loan because my monthly salary was low .",
    "Grey herons were nesting quietly along the muddy bank of our river .",
    "She opened two savings accounts at the bank beside the post office .",
    "After the flood one river bank had gone and small boats drifted .",
    "A young clerk at the bank counted cash and checked my passport .",
    "We pulled our canoe onto the grassy bank before the storm came .",
]


def cost(session: Session, runs: int) -> None:
    """Print the processor seconds of each answer."""
    calls: dict[str, Callable[[], object]] = {
        "compare": lambda: session.compare("bank", SENTENCES),
        "why (compares, too)": lambda: session.why.explain("bank", SENTENCES),
        "expected words": lambda: session.substitutes("bank", SENTENCES),
    }
    for name, call in calls.items():
        start = time.process_time()
        call()
        first = time.process_time() - start
        later = []
        for _ in range(runs):
            start = time.process_time()
            call()
            later.append(time.process_time() - start)
        print(f"{name:30} first {first:.2f} s, then {statistics.median(later):.3f} s")


def trust_in_words(elmo: Elmo, n_pairs: int, layer: int) -> None:
    """Print how often other ways of hiding put the same word first: for all pairs, and for those with a decisive word."""
    uses: dict[tuple[str, str], list[tuple[Mention, str]]] = {}
    for use in gallery():
        mention = find_mention(use.word, use.sentence)
        uses.setdefault((use.word, mention.token.text), []).append((mention, use.sense))
    pairs = [(a, b) for known in uses.values() for (a, one), (b, other) in combinations(known, 2) if one != other]
    random.Random(0).shuffle(pairs)
    agreed: list[bool] = []
    agreed_named: list[bool] = []
    for pair in pairs[:n_pairs]:
        changes = torch.cat([_changes(elmo, pair, own, layer) for own in (0, 1)], dim=1)  # [ways, n]
        named = decisive(changes[: len(WAYS)].numpy(), apart=True)
        first = changes[: len(WAYS)].mean(dim=0).argmax().item()
        same = changes[len(WAYS) :].mean(dim=0).argmax().item() == first
        agreed.append(same)
        if named is not None:
            agreed_named.append(same)
    print(f"\n{len(agreed)} pairs in different senses, layer {layer}: other ways of hiding put the same word first")
    print(f"  all pairs                  {statistics.mean(agreed):.0%}")
    if agreed_named:
        print(f"  {len(agreed_named)} with a decisive word  {statistics.mean(agreed_named):.0%}")


def _changes(elmo: Elmo, pair: tuple[Mention, Mention], own: int, layer: int) -> Tensor:
    use, other = pair[own].use, pair[1 - own].use
    places = [k for k in range(len(use.tokens)) if k != use.start]
    without = [hidden(use, k, way) for way in (*WAYS, *OTHER_WAYS) for k in places]
    one, two, *found = use_vectors(elmo, [use, other, *without])[layer]
    cosine = float(cosine_changes(one, two, 0.0))
    return cosine_changes(torch.stack(found), two, cosine).reshape(len(WAYS) + len(OTHER_WAYS), -1)


@torch.no_grad()
def trust_in_guesses(elmo: Elmo) -> None:
    """Print what the model gives to the word that stands there."""
    if elmo.files is None:
        return
    softmax, vocabulary = load_softmax(elmo.files)
    mentions = [find_mention(use.word, use.sentence) for use in gallery()]
    known = [m for m in mentions if vocabulary.id_of(m.token.text) != UNKNOWN_ID]
    frequency = log_frequencies(len(vocabulary))
    found: dict[str, list[tuple[Tensor, Tensor]]] = {}
    for start in range(0, len(known), 64):  # 50,000 probabilities a word: all words at once would not fit into memory
        batch = known[start : start + 64]
        top = elmo.states([[token.text for token in m.tokens] for m in batch]).layers[-1]
        states = states_around(top, torch.tensor([m.index + 1 for m in batch]))
        ahead, back = (softmax(state).log_softmax(dim=-1) for state in states)
        targets = torch.tensor([vocabulary.id_of(m.token.text) for m in batch])
        for name, told in (
            ("before", ahead),
            ("after", back),
            ("both, product only", told_by_all((ahead, back), torch.zeros(len(vocabulary)))),
            ("both, frequency divided out", told_by_all((ahead, back), frequency)),
        ):
            own = told.gather(1, targets[:, None])
            found.setdefault(name, []).append((own.squeeze(1), (told > own).sum(dim=1)))
    print(f"\n{len(known)} gallery words: mean negative log-probability, among the first 8 guesses")
    for name, parts in found.items():
        chances, ranks = (torch.cat(column) for column in zip(*parts, strict=True))
        print(f"  {name:28} {-chances.mean():.2f}  {(ranks < 8).float().mean():.1%}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="name or folder (default: the bundled one)")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=1000, help="gallery pairs for the trust in words (default: 1000)")
    parser.add_argument("--layer", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    cost(Session(args.model), args.runs)
    elmo = Elmo.load(args.model)
    trust_in_guesses(elmo)
    if args.pairs:
        trust_in_words(elmo, args.pairs, args.layer)


if __name__ == "__main__":
    main()
