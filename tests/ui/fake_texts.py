"""Two texts without a model: a word that is in both moved as far as its texts are long."""

from __future__ import annotations

from dataclasses import replace

from elmo_tasks.api import MapRequest, MovedWord, Progress, Said, TwoTexts
from elmo_tasks.errors import InputError
from tests.ui.fake_map import FakeMap


class FakeTexts:
    """What the Two texts tab asks."""

    def set_against(
        self,
        first: str,
        second: str,
        word: str = "",
        names: tuple[str, str] = ("", ""),
        model: str | None = None,
        progress: Progress | None = None,
    ) -> TwoTexts:
        if word == "crash":
            raise RuntimeError("a secret detail")
        if not first.strip() or not second.strip():
            raise InputError("Paste both texts.", field="second" if first.strip() else "first")
        if word and not (word in first and word in second):
            raise InputError(f"Both texts must use “{word}”.", field="word")
        called = (names[0] or "the first text", names[1] or "the second text")
        n = (len(first.splitlines()), len(second.splitlines()))
        rows = (
            MovedWord(word or "bank", *n, 0.61, 0.42, 0.001, 6.2, True),
            MovedWord("tree", 4, 4, 0.3, 0.31, 0.6, -0.2, False),
        )
        if not word:
            said = Said("“bank” moved much more.", "Looked at all 2.")
            return TwoTexts("fake-small", "both", called, n, rows, 2, None, said)
        drawn = FakeMap().sense_map(MapRequest(word, f"{first}\n{second}", n_groups=2, gallery=False))
        of_first = sum(word in line for line in first.splitlines())
        uses = tuple(replace(use, own=False, group=int(k >= of_first)) for k, use in enumerate(drawn.uses))
        groups = tuple(
            replace(group, n_uses=sum(use.group == g for use in uses)) for g, group in enumerate(drawn.groups)
        )
        drawn = replace(drawn, uses=uses, groups=groups)
        said = Said(f"The two texts use “{word}” differently: {n[0]} uses, {n[1]} uses.", "Judge by the sentences.")
        return TwoTexts("fake-small", "both", called, n, rows[:1], 1, drawn, said)
