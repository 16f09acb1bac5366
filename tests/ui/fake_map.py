"""Maps and nearest uses without a model: a few words decide, so that every answer can be checked by hand."""

from __future__ import annotations

import math
import time

from elmo_tasks.api import (
    LandedUse,
    MapRequest,
    MapUse,
    MapView,
    NearestUses,
    NearOnMap,
    NearUse,
    Progress,
    Said,
    SenseGroup,
    SenseMap,
    StaticNeighbour,
)
from elmo_tasks.errors import InputError

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
TALK = {"case": tuple((sentence.replace("bank", "case"), sense) for sentence, sense in USES["bank"])}
VIEWS = (
    MapView("0"),
    MapView("1", 0.2, 0.1, 0.85),
    MapView("2", 0.25, 0.12, 0.85),
    MapView("mean", 0.22, 0.1, 0.85),
    MapView("words", 0.5, 0.4, 0.82),
    MapView("both", 0.57, 0.5, 0.84),
)
#: Of the other model, which has more layers and is not measured.
LARGE_VIEWS = tuple(MapView(name) for name in ("0", "1", "2", "3", "mean", "words", "both"))


class FakeMap:
    """What the Sense map tab asks."""

    def words(self) -> tuple[str, ...]:
        return tuple(USES)

    def index_title(self) -> str:
        return "my letters"

    def sense_map(self, asked: MapRequest, progress: Progress | None = None) -> SenseMap:
        word, text, n_groups = asked.word, asked.text, asked.n_groups
        if word == "crash":
            raise RuntimeError("a secret detail")
        if not word.strip():
            raise InputError("Type a word to map.", field="word")
        if "slowly" in text and progress is not None:
            for share in (0.2, 0.6):
                progress("Reading the sentences", share)
                time.sleep(0.9)
        own = [(line.strip(), None) for line in text.splitlines() if word in line]
        own += [("A spring in my letters.", None)] if asked.index and word == "spring" else []
        known = [*((USES | TALK).get(word, ()) if asked.gallery else ())]
        if not known and not own:
            raise InputError(f"There are no example sentences for “{word}”.", field="text" if text else "word")
        rows = [*known, *own]
        clear = word != "muddle"
        n = n_groups or 2
        shown = clear or n_groups is not None
        uses = []
        for k, (sentence, sense) in enumerate(rows):
            group = (0 if sense == "river" else 1) if n == 2 and clear else k % n
            start = max(sentence.find(word), 0)
            angle = 2.4 * k
            near = tuple((other, round(0.9 - 0.01 * other, 4)) for other in range(len(rows)) if other != k)[:8]
            uses.append(
                MapUse(
                    sentence,
                    start,
                    start + len(word),
                    k >= len(known),
                    sense,
                    group if shown else None,
                    round((0.6 if group else -0.6) + 0.3 * math.cos(angle), 4),
                    round(0.3 * math.sin(angle), 4),
                    near,
                )
            )
        words = (("stream", "muddy"), ("money", "loan"), ("third",), (), (), ())
        groups = tuple(
            SenseGroup("ABCDEF"[g], len(own_uses), words[g], own_uses, _meant([uses[k].sense for k in own_uses]))
            for g in range(n if shown else 0)
            for own_uses in [tuple(k for k, use in enumerate(uses) if use.group == g)]
        )
        listed = ", ".join(f"{g.letter} ({', '.join(g.words)} …)" for g in groups)
        said = (
            Said(
                f"{len(uses)} uses of “{word}” in {n} groups, as you asked: {listed}.",
                "That they are groups of meaning is not sure.",
            )
            if n_groups
            else Said(f"{len(uses)} uses of “{word}”, probably {n} meanings: {listed}.")
            if clear
            else Said(
                f"The model is not sure whether these {len(uses)} uses of “{word}” have one meaning or several.",
                "Paste more.",
            )
        )
        agreement = 1.0 if clear and known and n == 2 else None
        return SenseMap(
            word,
            asked.model or "fake-small",
            asked.view or "both",
            LARGE_VIEWS if asked.model == "fake-large" else VIEWS,
            tuple(uses),
            groups,
            n_groups,
            clear,
            said,
            0.42,
            agreement,
            len(own),
            60,
        )

    def land(self, sentence: str, on: MapRequest) -> LandedUse:
        drawn = self.sense_map(on)
        if on.word not in sentence:
            raise InputError(f"The sentence does not use “{on.word}”.", field="sentence")
        start, group = sentence.index(on.word), 0 if "river" in sentence else 1 if "money" in sentence else None
        near = tuple(
            NearOnMap(k, round(0.8 - 0.1 * n, 2), use.sentence, use.start, use.end, use.group)
            for n, (k, use) in enumerate((k, use) for k, use in enumerate(drawn.uses) if group in (None, use.group))
        )
        place = {0: (-0.6, 0.1), 1: (0.6, 0.1), None: (0.0, 3.0)}[group]
        nearness = tuple(0.5 if group == at else 0.1 for at in range(len(drawn.groups)))
        names = [f"{g.letter} ({g.meant})" if on.by_meaning else g.letter for g in drawn.groups]
        said = "It lands between the groups." if group is None else f"It lands in group {names[group]}."
        end = start + len(on.word)
        return LandedUse(sentence, start, end, *place, group, drawn.groups, nearness, near[:5], said)


def _meant(senses: list[str | None]) -> str:
    """The one sense that they have, if it is one."""
    return str(senses[0]) if len(set(senses)) == 1 and senses[0] else ""


class FakeNearest:
    """What the Nearest uses tab asks."""

    def uses(
        self,
        word: str,
        sentence: str,
        layer: str | None = None,
        only: str = "all",
        source: str | None = None,
        n: int = 15,
        model: str | None = None,
        progress: Progress | None = None,
    ) -> NearestUses:
        if word == "crash":
            raise RuntimeError("a secret detail")
        if word not in sentence:
            raise InputError(f"The sentence does not contain “{word}”.", field="sentence")
        start = sentence.index(word)
        rows = [
            (line, line.index("bank"), "bank", 0.9 - 0.05 * k, word == "bank", sense)
            for k, (line, sense) in enumerate(USES["bank"])
        ]
        rows.insert(1, ("The lake shore was quiet.", 9, "shore", 0.87, word == "shore", ""))
        uses = tuple(
            NearUse(line, at, at + len(token), token, round(cosine, 6), same, known if token == "bank" else "")
            for line, at, token, cosine, same, known in rows
            if only == "all" or (only == "same") == same
        )[:n]
        static = (StaticNeighbour("lender", 0.7), StaticNeighbour("banks", 0.65)) if word == "bank" else ()
        return NearestUses(
            word,
            sentence,
            start,
            start + len(word),
            model or "fake-small",
            layer or "2",
            ("0", "1", "2", "mean"),
            source or "gallery",
            ("gallery", "my letters"),
            1200,
            only,
            0.12,
            uses,
            static,
            Said(
                "The nearest use is “bank” with a cosine of 0.90, where two random words have 0.12.",
                "Most are of this word.",
            )
            if uses
            else Said(f"There is no other use of “{word}” here."),
            "fake-words",
            model != "fake-large",
        )
