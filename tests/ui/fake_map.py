"""Maps and nearest uses without a model: a few words decide, so that every answer can be checked by
hand."""

from __future__ import annotations

import math
import time

from elmo_tasks import api
from elmo_tasks.errors import InputError
from elmo_tasks.messages.answers import nearest_answer
from elmo_tasks.messages.meanings import map_verdict, nothing_to_draw, projected_answer
from elmo_tasks.senses.use_sources import base_word, use_to_project
from elmo_tasks.service.validation import find_use
from elmo_tasks.text.uses import Use

USES = {
    "bank": (
        ("The bank lent us money for the house.", "money"),
        ("A bank clerk counted the coins.", "money"),
        ("My bank sent a letter about the loan.", "money"),
        ("Reeds grew on the bank of the stream.", "river"),
        ("We sat on the bank and fished.", "river"),
        ("Ducks slept on the muddy bank.", "river"),
        ("Boats lay on the bank at low water.", "river"),
    ),
    "muddle": tuple((f"A muddle of number {k} is here.", "one") for k in range(8)),
}
# The talk's own word; it is not among those on offer, which the tab would open with.
TALK = {
    "case": tuple((sentence.replace("bank", "case"), sense) for sentence, sense in USES["bank"])
}
NAMES = {"money": "a firm that lends money", "river": "the land beside a river", "one": "a mess"}
VIEWS = tuple(api.MapView(name) for name in ("meanings", "0", "1", "2", "mean", "words"))
#: Of the other model, which has more layers.
LARGE_VIEWS = tuple(api.MapView(name) for name in ("meanings", "0", "1", "2", "3", "mean", "words"))


def use_at(sentence: str, start: int, end: int) -> Use:
    """A use of the characters of a sentence."""
    tokens = (sentence[:start], sentence[start:end], sentence[end:])
    return Use(
        tokens=tokens,
        token_start=1,
        token_end=2,
        sentence=sentence,
        char_start=start,
        char_end=end,
    )


class FakeMap:
    """The service of the Sense map tab."""

    index_title = "my letters"

    def dictionary_words(self) -> tuple[str, ...]:
        return tuple(USES)

    def sense_map(
        self, request: api.MapRequest, progress: api.Progress | None = None
    ) -> api.SenseMap:
        word, text = request.word, request.text
        if word == "crash":
            raise RuntimeError("a secret detail")
        base_word(word)
        if "slowly" in text and progress is not None:
            for share in (0.2, 0.6):
                progress("Reading the sentences", share)
                time.sleep(0.9)
        known = (USES | TALK).get(word, ())
        rows = [
            (sentence, sense, api.EXAMPLES)
            for sentence, sense in (known if request.examples else ())
        ]
        for source, own in ((api.TEXT_A, text), (api.TEXT_B, request.text_b)):
            lines = [line.strip() for line in own.splitlines() if word in line]
            rows += [
                (line, "river" if "river" in line else "money" if known else "", source)
                for line in lines
            ]
        if request.index and word == "spring":
            rows.append(("A spring in my letters.", "", api.INDEX))
        if not rows:
            message = nothing_to_draw(word, bool(text), request.examples)
            raise InputError(message, field="text" if text else "word")
        keys = sorted({sense for _, sense, _ in rows if sense})
        sources = tuple(dict.fromkeys(source for _, _, source in rows))
        uses = []
        for k, (sentence, sense, source) in enumerate(rows):
            group = keys.index(sense) if sense else None
            start = max(sentence.find(word), 0)
            near = tuple(
                (other, round(0.9 - 0.01 * other, 4)) for other in range(len(rows)) if other != k
            )[:8]
            is_example = source == api.EXAMPLES
            x, y = (0.6 if group else -0.6) + 0.3 * math.cos(2.4 * k), 0.3 * math.sin(2.4 * k)
            chance = None if is_example or group is None else 0.55 if "unsure" in sentence else 0.95
            uses.append(
                api.MapUse(
                    use=use_at(sentence, start, start + len(word)),
                    source=source,
                    group=group,
                    probability=chance,
                    is_sure=is_example or "unsure" not in sentence,
                    x=round(x, 4),
                    y=round(y, 4),
                    nearest=near,
                )
            )
        groups = []
        for g, key in enumerate(keys):
            members = [k for k, use in enumerate(uses) if use.group == g]
            by_source = tuple(sum(uses[k].source == source for k in members) for source in sources)
            groups.append(
                api.SenseGroup("ABCDEF"[g], key, NAMES[key], len(members), members[0], by_source)
            )
        verdict = map_verdict(
            word, uses, groups, are_meanings=bool(known), is_calibrated=True, has_one_meaning=False
        )
        model, views = (
            request.model or "fake-small",
            LARGE_VIEWS if request.model == "fake-large" else VIEWS,
        )
        drawn = (
            tuple(uses),
            tuple(groups),
            bool(known),
            verdict,
            0.42,
            sum(use.own for use in uses),
            sources,
        )
        examples_of = (word,) if api.EXAMPLES in sources else ()
        return api.SenseMap(word, model, request.view or "meanings", views, *drawn, examples_of)

    def project_use(self, sentence: str, request: api.MapRequest) -> api.ProjectedUse:
        drawn = self.sense_map(request)
        use = use_to_project(request.word, sentence)
        best = "river" if "river" in sentence else "money"
        group = next((g for g, found in enumerate(drawn.groups) if found.key == best), None)
        near = tuple(
            api.NearUse(use.use, round(0.8 - 0.1 * n, 2), position=k, group=use.group)
            for n, (k, use) in enumerate(
                (k, use) for k, use in enumerate(drawn.uses) if use.group == group
            )
        )
        meanings = (
            api.ProjectedMeaning(NAMES[best], 0.9, group),
            api.ProjectedMeaning("another meaning", 0.1, None),
        )
        return api.ProjectedUse(
            use=use,
            x=-0.6 if group == 0 else 0.6,
            y=0.1,
            group=group,
            is_sure=True,
            meanings=meanings,
            nearest=near[:5],
            message=projected_answer(meanings, is_sure=True),
        )


class FakeNearest:
    """The service of the Nearest uses tab."""

    def nearest(
        self, request: api.NearestRequest, progress: api.Progress | None = None
    ) -> api.NearestUses:
        word, sentence = request.word, request.sentence
        if word == "crash":
            raise RuntimeError("a secret detail")
        use = find_use(word, sentence, "sentence")
        sense = "river" if "Herons" in sentence else ""
        rows = [
            (line, line.index("bank"), "bank", 0.9 - 0.05 * k, word == "bank", sense)
            for k, (line, sense) in enumerate(USES["bank"])
        ]
        rows.insert(1, ("The lake shore was quiet.", 9, "shore", 0.87, word == "shore", ""))
        uses = tuple(
            api.NearUse(
                use=use_at(line, at, at + len(token)),
                cosine=round(cosine, 6),
                same_word=same,
                sense=known if token == "bank" else "",
            )
            for line, at, token, cosine, same, known in rows
            if (request.only == "all" or (request.only == "same") == same)
            and (not request.meaning or known == request.meaning)
        )[: request.n]
        static = (
            (api.StaticNeighbour("lender", 0.7), api.StaticNeighbour("banks", 0.65))
            if word == "bank"
            else ()
        )
        return api.NearestUses(
            word=word,
            use=use,
            model=request.model or "fake-small",
            layer=request.layer or "meanings",
            layers=("meanings", "0", "1", "2", "mean"),
            source=request.source or "dictionary",
            sources=("dictionary", "my letters"),
            n_tokens=1200,
            only=request.only,
            random_pair_cosine=0.12,
            uses=uses,
            static=static,
            message=nearest_answer(word, uses, request.only, 0.12, sense),
            vectors="fake-words",
            reads_sentence=request.model != "fake-large",
            sense=sense,
            meaning=request.meaning,
            meanings=("money", "river") if word == "bank" else (),
        )
