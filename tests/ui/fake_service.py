"""A service without a model: the same numbers for the same sentences, and every error the real one
raises."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from elmo_tasks import api
from elmo_tasks.errors import InputError
from elmo_tasks.messages.answers import (
    SIDE_ANSWERS,
    agreement_answer,
    no_sentence_answer,
    sentences_answer,
    why_answer,
)
from elmo_tasks.messages.meanings import meanings_answer, not_english_answer, text_answer
from elmo_tasks.service.own_meanings import expanded, own_entries
from elmo_tasks.service.validation import check_choice, check_number, find_uses
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Mention, Use
from tests.ui.fake_heads import FakeHeads
from tests.ui.fake_map import FakeMap, FakeNearest
from tests.ui.fake_present import FakePresent
from tests.ui.fake_training import FakeTraining

TOPICS = {
    "money": "loan savings cash mortgage lender rates salary shares",
    "water": "river reeds flood boats canoe shore shells waves",
    "tree": "trunk redwood moss oaks beetles pine",
    "dog": "guard puppy carrier",
}
LAYERS = ("0", "1", "2", "mean")
RANDOM_PAIR = {"0": 0.01, "1": 0.16, "2": 0.12, "mean": 0.1}
CEILING = {"1": 0.82, "2": 0.74, "mean": 0.86}
#: Ways of hiding a word, and words that separate uses.
WAYS = ("", "something", "the")
TOPIC_WORDS = {"loan", "river", "cash", "muddy", "loans"}


def _noise(*parts: str) -> float:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=4).digest()[0] / 255


def _topic(item: Mention) -> str:
    words = {token.casefold() for token in item.tokens}
    return next((name for name, keys in TOPICS.items() if words & set(keys.split())), "other")


def _use_meaning(best: int, n: int, *, sure: bool) -> api.UseMeaning:
    """Sure of its topic, or between it and another meaning."""
    top = 0.9 if sure else 0.5
    rest = (0.98 - top) / max(1, n - 1)
    probabilities = tuple(top if k == best else round(rest, 4) for k in range(n))
    certainty = api.Certainty.CONFIDENT if sure else api.Certainty.TENTATIVE
    return api.UseMeaning(probabilities, round(1 - sum(probabilities), 4), best, certainty)


def _others(comparison: api.Comparison, use: int) -> list[Use]:
    mention = comparison.uses[use].use
    tokens = tokenize(mention.sentence)
    return [
        Use.in_sentence(mention.sentence, tokens, at)
        for at in range(len(tokens))
        if at != mention.token_start
    ]


def _word(number: int, word: Use) -> api.WordEffect:
    at_start = -0.05 if word.token_start == 0 else 0.0
    change = 0.2 if word.token in TOPIC_WORDS else at_start
    return api.WordEffect(word, change, number, (change,) * len(WAYS))


def unjudged(comparison: api.Comparison) -> api.Comparison:
    """The same, where no meaning is predicted."""
    return replace(comparison, uses=tuple(api.JudgedUse(judged.use) for judged in comparison.uses))


def _place(text: str, match: re.Match[str]) -> Mention:
    tokens = tokenize(text)
    at = next(k for k, token in enumerate(tokens) if token.start == match.start())
    return Mention.in_sentence(text, tokens, at)


def _views(layers: tuple[api.LayerComparison, ...], n: int) -> api.Views:
    """One vector per word, two mixes, features, and products that give the cosines of each
    layer."""
    ones = tuple((1.0,) * n for _ in range(n))
    mixes = tuple(
        api.HeadMix(
            kind=kind,
            head=f"fake-{kind}",
            weights=(0.2, 0.3, 0.5),
            view=replace(layers[at], name=f"mix-{kind}"),
        )
        for at, kind in ((1, "tagging"), (2, "classification"))
    )
    nothing = tuple((0.0,) * n for _ in range(n))
    products = tuple(
        tuple(layers[a].cosine if a == b else nothing for b in range(3)) for a in range(3)
    )
    return api.Views(
        one_vector=api.LayerComparison(
            name="static", cosine=ones, norms=(1.0,) * n, random_pair_cosine=0.02
        ),
        mixes=mixes,
        features=replace(layers[2], name="meanings"),
        products=products,
        random_products=products,
    )


class FakeService(FakeMap, FakeNearest, FakeHeads, FakePresent):
    """Group the uses by a few topic words; ``muddle`` is undecided, ``crash`` a program error."""

    limits = api.Limits()

    def __init__(self) -> None:
        self.training = FakeTraining()

    def models(self) -> tuple[api.ModelInfo, ...]:
        return (
            api.ModelInfo(
                "fake-small",
                "Fake small (for tests)",
                ("0", "1", "2"),
                ("It has read <b>two</b> words.",),
                ("2",),
            ),
            api.ModelInfo("fake-large", "Fake large (for tests)", ("0", "1", "2")),
        )

    def compare(
        self, word: str, sentences: Sequence[str], model: str | None = None, own_meanings: str = ""
    ) -> api.Comparison:
        own_entries(expanded(own_meanings, word))
        names = [m.name for m in self.models()]
        chosen = model or names[0]
        check_choice(chosen, names, "model", "model")
        if word == "crash":
            raise RuntimeError("a secret detail")
        items = tuple(find_uses(word, sentences))
        groups: dict[str, list[int]] = {}
        for use, item in enumerate(items):
            groups.setdefault(_topic(item), []).append(use)
        layers = tuple(self._layer(name, items, chosen) for name in LAYERS)
        uses = range(len(items))
        is_clear = word.casefold() != "muddle"
        found = [tuple(group) for group in groups.values()] if is_clear else []
        same = (
            tuple(
                tuple(0.9 if any({a, b} <= {*g} for g in found) else 0.1 for b in uses)
                for a in uses
            )
            if found
            else ()
        )
        meanings = tuple(api.Meaning(word, name, "noun", f"the {name} kind") for name in groups)
        meant = tuple(
            _use_meaning(k, len(groups), sure=bool(found)) for k in self._topics(groups, len(items))
        )
        certainty = api.Certainty.CONFIDENT if found else api.Certainty.ABSTAIN
        probability = 0.9 if found else 0.3
        return api.Comparison(
            word=word,
            model=chosen,
            uses=tuple(
                api.JudgedUse(item, meanings, meaning)
                for item, meaning in zip(items, meant, strict=True)
            ),
            layers=layers,
            message=meanings_answer(word, meant, probability, certainty),
            verdict_layer="2",
            source=api.MeaningSource.DICTIONARY,
            meanings=meanings,
            groups=tuple(found),
            certainty=certainty,
            probability=probability,
            same_meaning=same,
            n_words=1200,
            views=_views(layers, len(items)),
        )

    def entry_text(self, word: str) -> str:
        return "bank\n  money, noun: a firm\n    The [bank] lent cash." if word == "bank" else ""

    @staticmethod
    def _topics(groups: dict[str, list[int]], n: int) -> list[int]:
        return [
            next(k for k, uses in enumerate(groups.values()) if use in uses) for use in range(n)
        ]

    def disambiguate(
        self, text: str, model: str | None = None, own_meanings: str = ""
    ) -> api.TextSenses:
        """Knows two meanings of "bank"; of the second time on it is unsure."""
        meanings = (
            api.Meaning("bank", "money", "noun", "a firm <b>with</b> money"),
            api.Meaning("bank", "river", "noun", "land"),
        )
        words = tuple(
            api.JudgedUse(_place(text, m), meanings, _use_meaning(0, 2, sure=k == 0))
            for k, m in enumerate(re.finditer(r"\bbanks?\b", text))
        )
        answer_message = text_answer(len(words), max(0, len(words) - 1), 1200)
        return api.TextSenses(model or "fake-small", text, words, len(text.split()), answer_message)

    def language_warning(self, texts: Sequence[str]) -> str:
        is_german = any("nicht" in text for text in texts)
        return not_english_answer("German").headline if is_german else ""

    def substitutes(
        self, word: str, sentences: Sequence[str], model: str | None = None
    ) -> api.Substitutes:
        """The same words in every place."""
        comparison = self.compare(word, sentences, model)
        if comparison.model == "fake-large":
            raise InputError(
                "“fake-large” gives vectors but does not predict words.", field="model"
            )
        candidates = (
            api.Candidate("place", 0.5),
            api.Candidate("<b>", 0.25),
            api.Candidate(word, 0.0004),
        )
        return api.Substitutes(
            word=word,
            model=comparison.model,
            uses=tuple(judged.use for judged in comparison.uses),
            candidates=(candidates,) * len(comparison.uses),
        )

    def side_by_side(
        self, word: str, sentences: Sequence[str], models: Sequence[str], senses: Sequence[str] = ()
    ) -> api.SideBySide:
        """The large model is undecided; the known senses decide whether the small one is right."""
        found = []
        for name in models:
            comparison = self.compare(word, sentences, name)
            if name == "fake-large":
                answer_message = no_sentence_answer(name, one_spelling=True)
                none = dict.fromkeys(("meanings", "groups", "same_meaning"), ())
                comparison = replace(
                    unjudged(comparison),
                    source=api.MeaningSource.NONE,
                    certainty=api.Certainty.ABSTAIN,
                    message=answer_message,
                    **none,
                )
            found.append(comparison)
        wanted = [
            [use for use, sense in enumerate(senses) if sense == one]
            for one in dict.fromkeys(senses)
        ]
        right = tuple(
            api.partition(one.groups) == api.partition(wanted) if senses and one.groups else None
            for one in found
        )
        groupings = {one.model: api.partition(one.groups) if one.groups else None for one in found}
        is_right = [one.model for one, judged in zip(found, right, strict=True) if judged]
        return api.SideBySide(
            comparisons=tuple(found),
            senses=tuple(senses),
            right=right,
            message=agreement_answer(groupings, is_right if senses else None),
        )

    def _layer(self, name: str, items: tuple[Mention, ...], model: str) -> api.LayerComparison:
        def cosine(a: Mention, b: Mention) -> float:
            if a is b:
                return 1.0
            if name == "0":
                same = a.token.casefold() == b.token.casefold()
                return 1.0 if same else 0.3 * _noise(*sorted((a.token, b.token)))
            low = CEILING[name] - (0.0 if _topic(a) == _topic(b) else 0.35)
            return low - 0.14 * _noise(name, model, *sorted((a.sentence, b.sentence)))

        matrix = tuple(tuple(cosine(a, b) for b in items) for a in items)
        norms = tuple(
            12 + 6 * _noise("norm", name, item.token if name == "0" else item.sentence)
            for item in items
        )
        lengths = tuple(
            tuple(12 + 6 * _noise("norm", name, token) for token in item.tokens) for item in items
        )
        return api.LayerComparison(name, matrix, norms, RANDOM_PAIR[name], token_norms=lengths)

    def explain(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
    ) -> api.Explanation:
        comparison = self.compare(word, sentences, model)
        if any("breakwhy" in sentence for sentence in sentences):
            raise RuntimeError("a secret detail")
        a, b = pair or (0, len(comparison.uses) - 1)
        if not 0 <= a < b < len(comparison.uses):
            raise InputError(
                f"Choose two different uses, counted from 0 to {len(comparison.uses) - 1}.",
                field="pair",
            )
        layer_view = next(
            (found for found in comparison.layers[1:] if found.name == (layer or "2")), None
        )
        if layer_view is None:
            raise InputError("There is no such layer; choose one of 1, 2, mean.", field="layer")
        words = tuple(_word(use, other) for use in (a, b) for other in _others(comparison, use))
        named = next((found for found in words if found.use.token in TOPIC_WORDS), None)
        uses = [comparison.uses[use].use for use in (a, b)]
        answer = why_answer(uses, words, named, [])
        sides = (
            api.DirectionSimilarity("1", 0.5, 0.8, 0.2, 0.2),
            api.DirectionSimilarity("2", 0.4, 0.7, 0.1, 0.1),
        )
        return api.Explanation(
            comparison=comparison,
            pair=(a, b),
            layer=layer_view.name,
            cosine=layer_view.cosine[a][b],
            random_pair_cosine=layer_view.random_pair_cosine,
            apart=True,
            message=api.Message(answer, SIDE_ANSWERS["before"]),
            decisive=named,
            ways=WAYS,
            words=words,
            skipped=0,
            sides=sides,
            side="before",
        )

    def sentence_similarity(
        self, sentences: Sequence[str], model: str | None = None
    ) -> api.SentenceComparison:
        check_number(sentences)
        words = [
            {word.strip(".").casefold() for word in sentence.split()} for sentence in sentences
        ]
        cosine = tuple(tuple(len(a & b) / len(a | b) for b in words) for a in words)
        layers = tuple(
            api.SentenceLayer(name, cosine, 0.2, 3, 20, 24) for name in ("0", "1", "mean")
        )
        name = model or "fake-small"
        return api.SentenceComparison(
            model=name,
            sentences=tuple(sentences),
            layers=layers,
            shown="1",
            message=sentences_answer(layers[1], name),
        )
