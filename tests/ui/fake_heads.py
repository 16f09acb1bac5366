"""Heads without a model: a few words and places decide, so that every answer can be checked by
hand."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping, Sequence

from elmo_tasks import api
from elmo_tasks.service.validation import check_choice, checked_rows
from elmo_tasks.tasks import TASKS
from elmo_tasks.text.uses import Use

CLASSES, CONLL = ("negative", "positive"), ("PER", "ORG", "LOC", "MISC")


def _head(name, title, labels, score=None, baseline=None, own=False):
    kind = "classification" if labels is CLASSES else "tagging"
    scored = api.Score(*score, "a test of fakes") if score else None
    return api.HeadInfo(name, f"{title} (fake)", kind, labels, "fake-small", scored, baseline, own)


HEADS = (
    _head(
        "fake-sentiment",
        "Film and hotel reviews",
        CLASSES,
        ("accuracy", 0.874),
        "fake-sentiment-static",
    ),
    _head("fake-sentiment-static", "Reviews without context", CLASSES),
    _head("fake-ner", "Names in the news", CONLL, ("F1", 0.871), "fake-ner-static"),
    _head("fake-ner-static", "Names without context", CONLL),
    _head("fake-medical", "Drugs and diseases", ("Chemical", "Disease"), own=True),
    _head("fake-pos", "Parts of speech", ("NOUN", "VERB", "DET", "PUNCT", "ZZ")),
)
WORDS = {
    **dict.fromkeys(["good", "kind", "lovely", "clean", "wonderful", "laughed", "great"], 1.6),
    **dict.fromkeys(["bad", "dull", "cold", "bored", "lost", "long", "nobody", "sorry"], -1.6),
}
PERSON_NEXT = {"scored", "wrote", "said", "left", "beat", "thanked"}
BOTH = ("Jordan", "Washington", "Paris")  # people, or places
NAMES = {
    **dict.fromkeys(("Maria Lindholm", "Tom Abara"), "PER"),
    **dict.fromkeys(("Nordbank", "Iberia Rail"), "ORG"),
    **dict.fromkeys(("Nairobi", "Lisbon", "Ghana", "Oslo", *BOTH), "LOC"),
    "Kenyan": "MISC",
}
MEDICAL = {
    **dict.fromkeys(("ibuprofen", "aspirin", "Metformin"), "Chemical"),
    **dict.fromkeys(("arthritis", "diabetes", "kidney failure"), "Disease"),
}


def _tokens(text: str) -> list[tuple[str, int, int]]:
    return [(m[0], m.start(), m.end()) for m in re.finditer(r"\w+|[^\w\s]", text)]


def _positive(tokens: Sequence[str], *, context: bool) -> float:
    total = 0.2
    flip = 1
    for token in (t.lower() for t in tokens):
        if context and token in ("not", "never"):
            flip = -1
        elif token in WORDS:
            total += flip * WORDS[token]
            flip = 1
    return 1 / (1 + math.exp(-total))


def _check(texts: Sequence[str], head: str | None, kind: str) -> str:
    names = [h.name for h in HEADS if h.kind == kind]
    chosen = head or names[0]
    check_choice(chosen, names, "head", "head")
    checked_rows(texts, "text" if kind == "classification" else "sentence")
    for text in texts:
        if "crash" in text:
            raise RuntimeError("a secret detail")
        if "slowly" in text:
            time.sleep(0.8)
    return chosen


def scores(*values: float, mean: float | None = None) -> tuple[api.LayerScore, ...]:
    layers = tuple(api.LayerScore(str(k), value) for k, value in enumerate(values))
    return layers if mean is None else (*layers, api.LayerScore("mean", mean))


PAPER = api.PaperScores(
    "Other Bank", "Paper, table 6", (api.LayerScore("1", 0.973), api.LayerScore("2", 0.968)), False
)
POS = api.ProbeResult(
    "pos",
    "Tags, dev, accuracy",
    "percent",
    scores(0.879, 0.936, 0.934, mean=0.93),
    0.861,
    "by rote",
    "How.",
    PAPER,
)
LIKENESS = api.ProbeResult(
    "cosimlex", "Likeness", "index", scores(-0.1, 0.42, 0.3, mean=0.4), 0.0, "chance", "How."
)
STATIC = api.ProbeResult(
    "pos", "Tags, dev, accuracy", "percent", scores(0.85), 0.861, "by rote", "How."
)
LAYERS = ("the letters of the word", "LSTM layer 1", "LSTM layer 2")


class FakeHeads:
    """Answers of heads, and measurements of the layers of two models; the third has none."""

    limits = api.Limits()
    on_offer = HEADS

    def tasks(self) -> Mapping[str, api.TaskWords]:
        return {name: task.words for name, task in TASKS.items()}

    def heads(self) -> tuple[api.HeadInfo, ...]:
        return self.on_offer

    def classify(
        self, texts: Sequence[str], head: str | None = None, occlusion: bool = True
    ) -> tuple[api.ClassifiedText, ...]:
        chosen = _check(texts, head, "classification")
        return tuple(
            self._classified(text, context="static" not in chosen, occlusion=occlusion)
            for text in texts
        )

    def _classified(self, text: str, *, context: bool, occlusion: bool) -> api.ClassifiedText:
        spans = _tokens(text)
        tokens = [token for token, _, _ in spans]
        positive = _positive(tokens, context=context)
        label = "positive" if positive >= 0.5 else "negative"

        def push(at: int) -> float:
            change = positive - _positive([*tokens[:at], *tokens[at + 1 :]], context=context)
            return change if label == "positive" else -change

        found = tuple(
            api.WordEffect(
                use=Use(
                    tokens=tuple(tokens),
                    token_start=at,
                    token_end=at + 1,
                    sentence=text,
                    char_start=start,
                    char_end=end,
                ),
                change=push(at),
            )
            for at, (_, start, end) in enumerate(spans)
        )
        chances = {"negative": 1 - positive, "positive": positive}
        return api.ClassifiedText(text, tuple(tokens), label, chances, found if occlusion else ())

    def tag(
        self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1
    ) -> tuple[api.TaggedText, ...]:
        chosen = _check(sentences, head, "tagging")
        return tuple(self._tagged(sentence, chosen, n_readings) for sentence in sentences)

    def _tagged(self, sentence: str, head: str, n_readings: int) -> api.TaggedText:
        spans = _tokens(sentence)
        tokens = tuple(token for token, _, _ in spans)
        offsets = tuple((start, end) for _, start, end in spans)
        readings = (
            self._parts_of_speech(tokens)
            if head == "fake-pos"
            else self._names(sentence, spans, head)
        )
        return api.TaggedText(sentence, tokens, offsets, readings[0], tuple(readings[1:n_readings]))

    def _parts_of_speech(self, tokens: tuple[str, ...]) -> list[api.TagReading]:
        def tag(token: str) -> str:
            if not token[0].isalnum():
                return "PUNCT"
            if token.lower() in ("the", "a", "an"):
                return "DET"
            return "VERB" if token.endswith("ed") else "NOUN" if len(token) > 2 else "ZZ"

        best = tuple(tag(token) for token in tokens)
        other = tuple("VERB" if name == "NOUN" else name for name in best)
        return [
            api.TagReading(best, (), 0.8),
            *([api.TagReading(other, (), 0.1)] if other != best else []),
        ]

    def _names(
        self, sentence: str, spans: list[tuple[str, int, int]], head: str
    ) -> list[api.TagReading]:
        context = "static" not in head
        gazetteer = MEDICAL if head == "fake-medical" else NAMES
        entities: list[api.Entity] = []
        for name, kind in gazetteer.items():
            for match in re.finditer(rf"\b{re.escape(name)}\b", sentence):
                inside = [
                    at
                    for at, (_, start, end) in enumerate(spans)
                    if start >= match.start() and end <= match.end()
                ]
                after = spans[inside[-1] + 1][0] if inside[-1] + 1 < len(spans) else ""
                person = context and name in BOTH and after in PERSON_NEXT
                confidence = 0.97 if name not in BOTH else 0.88 if context else 0.61
                entities.append(
                    api.Entity(
                        inside[0],
                        inside[-1] + 1,
                        "PER" if person else kind,
                        confidence,
                        match.start(),
                        match.end(),
                    )
                )
        entities.sort(key=lambda e: e.start)
        readings = [self._reading(entities, len(spans), 0.84)]
        for entity in entities:
            rest = [e for e in entities if e is not entity]
            other = (
                "Disease" if entity.type == "Chemical" else "LOC" if entity.type == "ORG" else "ORG"
            )
            changed = api.Entity(
                entity.start, entity.end, other, 0.08, entity.start_char, entity.end_char
            )
            readings.append(
                self._reading(sorted([*rest, changed], key=lambda e: e.start), len(spans), 0.07)
            )
            readings.append(self._reading(rest, len(spans), 0.004))
        return sorted(readings, key=lambda r: -r.probability)

    def _reading(
        self, entities: list[api.Entity], length: int, probability: float
    ) -> api.TagReading:
        tags = ["O"] * length
        for entity in entities:
            tags[entity.start : entity.end] = [f"I-{entity.type}"] * (entity.end - entity.start)
            tags[entity.start] = f"B-{entity.type}"
        return api.TagReading(tuple(tags), tuple(entities), probability)

    def layer_weights(self) -> tuple[api.LayerWeights, ...]:
        layers, pos = ("0", "1", "2"), api.MixWeights((0.25, 0.62, 0.13), 0.9)
        return (
            self._weights("fake-sentiment", (0.21, 0.42, 0.37), 1.42, clear=False),
            self._weights("fake-ner", (0.18, 0.52, 0.30), 1.31, clear=True),
            api.LayerWeights("fake-pos", "Parts of speech (fake)", layers, pos, (), (pos,)),
            api.LayerWeights(
                "fake-ner-static",
                "Set by hand",
                ("0",),
                api.MixWeights((1.0,), 1.0),
                (),
                (),
                learned=False,
            ),
        )

    def _weights(
        self, head: str, final: tuple[float, ...], gamma: float, *, clear: bool
    ) -> api.LayerWeights:
        title = next(h.title for h in HEADS if h.name == head)
        epochs = []
        for epoch in range(11):
            share = 1 - math.exp(-epoch / 3)
            weights = [1 / 3 + share * (weight - 1 / 3) for weight in final]
            scale = sum(weights)
            score = None if epoch == 0 else 0.7 + 0.17 * share
            epochs.append(
                api.MixWeights(
                    tuple(w / scale for w in weights), 1 + share * (gamma - 1), epoch, 1, score
                )
            )
        shift = 0.03 if clear else 0.06
        runs = tuple(
            api.MixWeights(
                (final[0], final[1] + move, final[2] - move),
                gamma + move,
                0,
                seed,
                0.86 + move / 10,
            )
            for seed, move in ((1, 0.0), (2, shift), (3, -shift))
        )
        return api.LayerWeights(
            head,
            title,
            ("0", "1", "2"),
            api.MixWeights(final, gamma, 0, 1, 0.86),
            tuple(epochs),
            runs,
        )

    def probes(self) -> tuple[api.ModelProbes, ...]:
        return (
            api.ModelProbes("fake-small", LAYERS, "probe --model fake-small", (POS, LIKENESS)),
            api.ModelProbes(
                "fake-large", LAYERS, "probe --model fake-large", (), "It was not measured yet."
            ),
            api.ModelProbes(
                "fake-static", ("one vector for each word",), "probe --model fake-static", (STATIC,)
            ),
        )
