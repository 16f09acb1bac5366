"""What the model would have written in the place of a word; it takes the output layer that the model was trained with."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_tasks.api import ComparisonItem, Guess, Said, Substitutes, WrittenHere
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.encoders.cloze_files import load_cloze
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import InputError
from elmo_tasks.senses.content_words import is_stop_word
from elmo_tasks.senses.expected_words import OneAnswer, beside_the_word, log_frequencies, told_by_all
from elmo_tasks.serving.asked_uses import find_uses, item_of, use_of
from elmo_tasks.serving.loaded_models import LoadEncoder, LoadStatic
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.text.word_forms import may_be_forms_of_one_word
from elmo_tasks.uses import read_uses
from elmo_tasks.wording.answers import written_answer

#: How many guesses are given of each kind.
N_GUESSES = 8
#: A word is named as the answer where it is so probable, and among the first so many of what both sides alone say …
LEAST_NAMED, AMONG_FIRST = 0.2, 3
#: … if both sides alone give it so much, and the word that stands there is among so many guesses of theirs: where it is not, the
#: model does not know the place. Within these bounds 29 of 1,589 sentences have a named word, and 86 % of the words come closer to
#: the sense of their sentence than to the word's others of a model without a cloze head. Of
#: the first 66 sentences with a word that were read, most words beyond the bounds were wrong at a glance ("Which [branch] did you
#: check out": station), most within them were not ("tennis [match]": medal).
LEAST_OF_BOTH, LAST_KNOWN = 0.1, 50
#: Where both sides were read at once, a word is named that is so probable, whether or not the word that stands there is: of 1,589
#: sentences 51 have one, and 80 % of these words are right; from .2 on 144, and 74 %.
LEAST_AT_ONCE = 0.3

# Of the likeliest words, forms of the word itself and words like "the" are passed over.
_MOST_LOOKED_AT = 60
# By Zipf's law a word of so many times the rank comes so many times less often.
_RARELY = 10


@dataclass(frozen=True)
class _Words:
    """Words that can be written."""

    words: Sequence[str]  #: the ``V`` words as they are shown
    place: Mapping[str, int]  #: where each of them is, as it is looked up
    #: ``[V]`` whether it is one that a person would write in the place of a word: no mark, no punctuation
    is_word: Tensor
    lowers: bool = False  #: whether a word is looked up in small letters

    @classmethod
    def of(cls, words: Sequence[str], shown: Sequence[str] | None = None) -> _Words:
        is_word = torch.tensor([w not in SPECIAL_WORDS and w[:1].isalnum() for w in words])
        return cls(shown or words, {word: k for k, word in enumerate(words)}, is_word, shown is not None)

    def find(self, token: str) -> int | None:
        """Where a word is; ``None`` if it is not there."""
        return self.place.get(token.lower() if self.lowers else token)


@dataclass(frozen=True)
class _Output:
    """What a model writes with."""

    softmax: LMSoftmax  #: vector of one side -> score of each word
    words: _Words  #: the words of the softmax
    log_frequency: Tensor  #: ``[V]`` log-probability of each of them on its own
    cloze: OneAnswer | None  #: answers from both sides at once; ``None`` for a model that has no such part
    its_words: _Words  #: the words that it chooses among


class Writer:
    """Lets a language model fill the place of a word. What it writes with is loaded when it is first asked for."""

    def __init__(self, encoder: LoadEncoder, static: LoadStatic) -> None:
        self._encoder, self._static = encoder, static
        self._outputs: dict[str, _Output] = {}
        self._lock = threading.Lock()

    @torch.no_grad()
    def written(self, word: str, sentences: Sequence[str], model: str | None = None) -> Substitutes:
        """See :meth:`elmo_tasks.api.SubstituteService.written`."""
        items = tuple(item_of(mention) for mention in find_uses(word, sentences))
        encoder = self._encoder(model)
        output = self._output(encoder)
        asked = [use_of(item) for item in items]
        n, beside = len(items), [] if output.cloze else [beside_the_word(use) for use in asked]
        read = read_uses(encoder, [*asked, *(ahead for ahead, _ in beside), *(back for _, back in beside)])
        assert read.before is not None  # a language model reads in two directions
        assert read.after is not None
        ahead, back = read.before[-1], read.after[-1]
        states = (ahead[:n], back[:n], *((ahead[n : 2 * n], back[2 * n :]) if beside else ()))
        sides = [output.softmax(state.to(encoder.device)).float().cpu().log_softmax(dim=-1) for state in states]
        before, after = sides[:2]
        if output.cloze:
            both, alike = output.cloze(asked, read.before, read.after), None
        else:
            both, alike = told_by_all((before, after), output.log_frequency), told_by_all(sides, output.log_frequency)
        uses = []
        for use, item in enumerate(items):
            one, other = (_guesses(told[use], output.words, item.token) for told in (before, after))
            joint = _guesses(both[use], output.its_words, item.token)
            rank, probability = _own(both[use], output.its_words, item.token)
            others = () if alike is None else _guesses(alike[use], output.words, item.token, others=True)
            uses.append(WrittenHere(use, one, other, joint, rank, probability, others))
        found = (word.strip(), encoder.name, items, tuple(uses), len(output.its_words.words))
        return Substitutes(*found, answer(items, uses), output.cloze is not None)

    def _output(self, encoder: Encoder) -> _Output:
        with self._lock:
            if encoder.name not in self._outputs:
                softmax, vocabulary = _predictions(encoder)
                softmax.to(encoder.device).requires_grad_(False)
                words, static = _Words.of(vocabulary.words), self._static()
                head = load_cloze(encoder, static)
                cloze = None if head is None else OneAnswer(head, static)
                its = words if cloze is None else _Words.of(cloze.words, as_written(cloze.words, vocabulary.words))
                self._outputs[encoder.name] = _Output(softmax, words, log_frequencies(len(vocabulary)), cloze, its)
            return self._outputs[encoder.name]


def as_written(words: Sequence[str], vocabulary: Sequence[str]) -> list[str]:
    """Words in small letters as a vocabulary, most frequent first, nearly always has them: Paris, but museum, despite its names."""
    rank: dict[str, int] = {}
    first: dict[str, str] = {}
    for k, word in enumerate(vocabulary, start=1):
        rank[word] = k
        first.setdefault(word.lower(), word)
    return [
        first[word] if word in first and rank.get(word, len(rank) * _RARELY) > _RARELY * rank[first[word]] else word
        for word in words
    ]


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


def _guesses(log_probabilities: Tensor, known: _Words, token: str, others: bool = False) -> tuple[Guess, ...]:
    """The likeliest words; with ``others`` only content words that are no forms of the word itself."""
    n = min(_MOST_LOOKED_AT if others else N_GUESSES, int(known.is_word.sum()))
    best = log_probabilities.masked_fill(~known.is_word, -torch.inf).topk(n)
    words = [known.words[k] for k in best.indices.tolist()]
    found = (
        Guess(word, round(probability, 6), may_be_forms_of_one_word(word.lower(), token.lower()))
        for word, probability in zip(words, best.values.exp().tolist(), strict=True)
    )
    return tuple(guess for guess in found if not others or not (guess.is_form or is_stop_word(guess.word)))[:N_GUESSES]


def _own(log_probabilities: Tensor, known: _Words, token: str) -> tuple[int | None, float | None]:
    """Rank and probability of the word that stands there."""
    place = known.find(token)
    if place is None:
        return None, None
    own = log_probabilities[place]
    rank = int(((log_probabilities > own) & known.is_word).sum()) + 1
    return rank, round(float(own.exp()), 9)


def answer(items: Sequence[ComparisonItem], uses: Sequence[WrittenHere]) -> Said:
    """What is likely enough to be named, where the model knows nothing of a place, and whether the word itself is likely."""
    found = [(use.use + 1, named(use)) for use in uses]
    unknown = [use.use + 1 for use in uses if named(use) is None and _is_unknown(use)]
    among = [use.use + 1 for use in uses if use.rank is not None and use.rank <= N_GUESSES]
    spellings = {item.token for item in items}
    return written_answer(found, unknown, among, N_GUESSES, spellings.pop() if len(spellings) == 1 else None)


def _is_unknown(found: WrittenHere) -> bool:
    """Whether the word that stands there, which fits, is so unlikely to the model that its other guesses say nothing."""
    return found.rank is not None and found.rank > LAST_KNOWN


def named(found: WrittenHere) -> str | None:
    """The other word that is likely enough to be named, if there is one and the model knows the place."""
    if not found.alike:
        others = (guess for guess in found.both if not (guess.is_form or is_stop_word(guess.word)))
        first = next(others, None)
        return first.word if first is not None and first.probability >= LEAST_AT_ONCE else None
    if _is_unknown(found):
        return None
    best = found.alike[0]
    from_both = {guess.word: guess.probability for guess in found.both[:AMONG_FIRST]}
    if best.probability < LEAST_NAMED or from_both.get(best.word, 0.0) < LEAST_OF_BOTH:
        return None
    return best.word
