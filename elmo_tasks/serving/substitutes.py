"""What the model would have written in the place of a word; it takes the output layer that the model was trained with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_tasks.api import ComparisonItem, Guess, Limits, Substitutes, WrittenHere
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import InputError
from elmo_tasks.senses.content_words import is_stop_word
from elmo_tasks.senses.substitutes import beside_the_word, log_frequencies, told_by_all, told_by_both
from elmo_tasks.serving.asked_uses import find_uses, item_of, use_of
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.text.word_forms import may_be_forms_of_one_word
from elmo_tasks.uses import read_uses
from elmo_tasks.wording.text import listed

#: How many guesses are given of each kind.
N_GUESSES = 8
#: A word is named as the answer where it is so probable, and among the first so many of what both sides alone say …
LEAST_NAMED, AMONG_FIRST = 0.2, 3
#: … if both sides alone give it so much, and the word that stands there is among so many guesses of theirs: where it is not, the
#: model does not know the place. Without these two bounds 350 of 1,589 sentences have a named word, and 66 % of the words come
#: closer to the sense of their sentence than to the word's others; within them 30 have one, and 80 % do, as
#: benchmarks/substitutes.py prints. Of the first 66 sentences with a word that were read, most words beyond the bounds were wrong
#: at a glance ("Which [branch] did you check out": station), most within them were not ("tennis [match]": medal).
LEAST_OF_BOTH, LAST_KNOWN = 0.1, 50


# Of the likeliest words, forms of the word itself and words like "the" are passed over.
_MOST_LOOKED_AT = 60


@dataclass(frozen=True)
class _Output:
    """The output layer of a model, and what is known of its words.

    Attributes:
        softmax: vector -> score of each word.
        vocabulary: the ``V`` words.
        is_word: ``[V]`` whether it is one that a person would write in the place of a word: no mark, no punctuation.
        log_frequency: ``[V]`` log-probability of the word on its own.
    """

    softmax: LMSoftmax
    vocabulary: Vocabulary
    is_word: Tensor
    log_frequency: Tensor


class Writer:
    """Lets a language model fill the place of a word. The output layer is loaded when it is first asked for.

    Args:
        encoder: gives an encoder by name, the default one for ``None``; refuses a name that is not on offer.
        limits: how much one request may hold.
    """

    def __init__(self, encoder: Callable[[str | None], Encoder], limits: Limits | None = None) -> None:
        self._encoder, self._limits = encoder, limits or Limits()
        self._outputs: dict[str, _Output] = {}
        self._lock = threading.Lock()

    @torch.no_grad()
    def written(self, word: str, sentences: Sequence[str], model: str | None = None) -> Substitutes:
        """See :meth:`elmo_tasks.api.SubstituteService.written`."""
        items = tuple(item_of(mention) for mention in find_uses(word, sentences, self._limits))
        encoder = self._encoder(model)
        output = self._output(encoder)
        asked = [use_of(item) for item in items]
        beside = [beside_the_word(use) for use in asked]
        read = read_uses(encoder, [*asked, *(ahead for ahead, _ in beside), *(back for _, back in beside)])
        n = len(items)
        assert read.before is not None  # a language model reads in two directions
        assert read.after is not None
        states = (read.before[:n], read.after[:n], read.before[n : 2 * n], read.after[2 * n :])
        sides = [output.softmax(state.to(encoder.device)).float().cpu().log_softmax(dim=-1) for state in states]
        before, after = sides[:2]
        both = told_by_both(before, after, output.log_frequency)
        alike = told_by_all(sides, output.log_frequency)
        uses = []
        for use, item in enumerate(items):
            one, other, joint = (_guesses(told[use], output, item.token) for told in (before, after, both))
            rank, probability = _own(both[use], output, item.token)
            others = _guesses(alike[use], output, item.token, others=True)
            uses.append(WrittenHere(use, one, other, joint, rank, probability, others))
        return Substitutes(word.strip(), encoder.name, items, tuple(uses), len(output.vocabulary), answer(items, uses))

    def _output(self, encoder: Encoder) -> _Output:
        with self._lock:
            if encoder.name not in self._outputs:
                softmax, vocabulary = _predictions(encoder)
                is_word = torch.tensor([w not in SPECIAL_WORDS and w[:1].isalnum() for w in vocabulary.words])
                softmax.to(encoder.device).requires_grad_(False)
                self._outputs[encoder.name] = _Output(softmax, vocabulary, is_word, log_frequencies(len(vocabulary)))
            return self._outputs[encoder.name]


def _predictions(encoder: Encoder) -> tuple[LMSoftmax, Vocabulary]:
    if encoder.language_model is None:
        raise InputError(
            f"“{encoder.name}” cannot write words: it was not trained to predict a word from what stands before it, or after. "
            "Choose another model for this.",
            field="model",
        )
    found = encoder.language_model.predictions()
    if found is None:
        raise InputError(
            f"The model “{encoder.name}” gives vectors but cannot write words: the part that turns vectors into words was "
            "never published with it. Choose another model for this.",
            field="model",
        )
    return found


def _guesses(log_probabilities: Tensor, output: _Output, token: str, others: bool = False) -> tuple[Guess, ...]:
    """The likeliest words; with ``others`` only content words that are no forms of the word itself."""
    n = min(_MOST_LOOKED_AT if others else N_GUESSES, int(output.is_word.sum()))
    best = log_probabilities.masked_fill(~output.is_word, -torch.inf).topk(n)
    words = [output.vocabulary.words[k] for k in best.indices.tolist()]
    found = (
        Guess(word, round(probability, 6), may_be_forms_of_one_word(word.lower(), token.lower()))
        for word, probability in zip(words, best.values.exp().tolist(), strict=True)
    )
    return tuple(guess for guess in found if not others or not (guess.is_form or is_stop_word(guess.word)))[:N_GUESSES]


def _own(log_probabilities: Tensor, output: _Output, token: str) -> tuple[int | None, float | None]:
    """Rank and probability of the word that stands there."""
    if token not in output.vocabulary:
        return None, None
    own = log_probabilities[output.vocabulary.id_of(token)]
    rank = int(((log_probabilities > own) & output.is_word).sum()) + 1
    return rank, round(float(own.exp()), 9)


def answer(items: Sequence[ComparisonItem], uses: Sequence[WrittenHere]) -> str:
    """What is likely enough to be named, where the model knows nothing of a place, and whether the word itself is likely."""
    where: dict[str, list[int]] = {}
    unknown = []
    for found in uses:
        if _is_unknown(found):
            unknown.append(found.use + 1)
        elif (word := named(found)) is not None:
            where.setdefault(word, []).append(found.use + 1)
    parts = [f"“{word}” in {_sentences(numbers)}" for word, numbers in where.items()]
    n_rest = len(uses) - len(unknown) - sum(map(len, where.values()))
    told = [f"Of other words the model would most likely have written {listed(parts)}"] if parts else []
    if unknown:
        places = "these places" if len(unknown) == len(uses) else _sentences(unknown)
        told.append(f"{'it' if told else 'The model'} does not know what would fit in {places}")
    if n_rest and told:
        told.append("in the rest no other word stands out")
    first = f"{'; '.join(told) or 'No other word stands out in these places'}."
    spellings = {item.token for item in items}
    name = f"“{spellings.pop()}” itself" if len(spellings) == 1 else "The word that stands there"
    among = [found.use + 1 for found in uses if found.rank is not None and found.rank <= N_GUESSES]
    if not among:
        return f"{first} {name} is not among its {N_GUESSES} likeliest words in any of them."
    if len(among) == len(uses):
        return f"{first} {name} is among its {N_GUESSES} likeliest words in all of them."
    return f"{first} {name} is among its {N_GUESSES} likeliest words in {_sentences(among)} only."


def _is_unknown(found: WrittenHere) -> bool:
    """Whether the word that stands there, which fits, is so unlikely to the model that its other guesses say nothing."""
    return found.rank is not None and found.rank > LAST_KNOWN


def named(found: WrittenHere) -> str | None:
    """The other word that is likely enough to be named, if there is one and the model knows the place."""
    if _is_unknown(found):
        return None
    best = found.alike[0] if found.alike else None
    from_both = {guess.word: guess.probability for guess in found.both[:AMONG_FIRST]}
    if best is None or best.probability < LEAST_NAMED or from_both.get(best.word, 0.0) < LEAST_OF_BOTH:
        return None
    return best.word


def _sentences(numbers: Sequence[int]) -> str:
    return f"sentence {numbers[0]}" if len(numbers) == 1 else f"sentences {listed(numbers)}"
