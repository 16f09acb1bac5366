"""A word in two texts, and the words whose use moved most from one to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from elmo_tasks.api import MapView, MovedWord, Progress, SenseMap, TwoTexts
from elmo_tasks.errors import InputError
from elmo_tasks.senses.clustering import directions
from elmo_tasks.senses.content_words import content_words
from elmo_tasks.senses.landing import on_paper
from elmo_tasks.senses.outlier_scores import OUTLIER, outlier_scores
from elmo_tasks.senses.shift import FEWEST_EACH, Shift, shift
from elmo_tasks.senses.uses import FoundUse, base_word, evenly, sentences_of, uses_in
from elmo_tasks.serving.drawn_maps import MapDrawer, cut, lowest_sees, map_points, named_groups, part
from elmo_tasks.text.word_forms import folded
from elmo_tasks.wording.text import quoted
from elmo_tasks.wording.two_texts import FIRST, SECOND, moved_verdict, word_verdict

MOST_CHARACTERS = 500_000
_MOST_USES = 100  # of a text on the map
_MOST_USES_EACH = 30  # of a text, where many words are compared
_MOST_WORDS = 40


class TextsSideBySide:
    """Implements :class:`elmo_tasks.api.TwoTextService`."""

    def __init__(self, drawer: MapDrawer) -> None:
        self._drawer = drawer

    def set_against(
        self,
        first: str,
        second: str,
        word: str = "",
        names: tuple[str, str] = ("", ""),
        model: str | None = None,
        progress: Progress | None = None,
    ) -> TwoTexts:
        """See :meth:`elmo_tasks.api.TwoTextService.set_against`."""
        for text, which in ((first, "first"), (second, "second")):
            if not text.strip():
                raise InputError(f"Paste the {which} text.", field=which)
            if len(text) > MOST_CHARACTERS:
                raise InputError(
                    f"The {which} text has {len(text):,} characters; the most is {MOST_CHARACTERS:,}. Use a part of it.",
                    field=which,
                )
        sides = (sentences_of(first), sentences_of(second))
        called = (names[0].strip()[:60] or FIRST, names[1].strip()[:60] or SECOND)
        if word.strip():
            return self._word(word.strip(), sides, called, model, progress)
        return self._words(sides, called, model, progress)

    def _word(
        self,
        word: str,
        sides: tuple[list[str], list[str]],
        names: tuple[str, str],
        model: str | None,
        progress: Progress | None,
    ) -> TwoTexts:
        base_word(word)
        (one, n_one), (other, n_other) = (uses_in(word, sentences, _MOST_USES) for sentences in sides)
        for n, name in ((n_one, names[0]), (n_other, names[1])):
            if n < FEWEST_EACH:
                times = {0: "does not use", 1: "uses only once"}.get(n, f"uses only {n} times")
                raise InputError(
                    f"The {name} {times} {quoted(word)}; at least {FEWEST_EACH} uses in each text are needed.",
                    field="word",
                )
        encoder = self._drawer.encoder(model)
        view = self._drawer.viewed.best_view(encoder)
        uses = tuple(replace(use, own=False) for use in (*one, *other))  # a star marks one's own among examples
        vectors = self._drawer.viewed.in_view(encoder, view, uses, part(progress, "Reading the sentences"))
        found = shift(vectors[: len(one)], vectors[len(one) :])
        groups = (tuple(range(len(one))), tuple(range(len(one), len(uses))))
        paper = on_paper(directions(vectors))
        said = word_verdict(word, names, (n_one, n_other), found.distance, found.chance, found.p)
        drawn = SenseMap(
            word=word,
            model=encoder.name,
            view=view,
            views=(MapView(view),),
            uses=map_points(uses, vectors, paper, groups),
            groups=named_groups(self._drawer.viewed.static, uses, groups, word),
            asked_groups=2,
            is_clear=False,
            said=said,
            shown=round(paper.shown, 4),
            agreement=None,
            n_own=n_one + n_other,
            n_measured_words=0,
        )
        row = _moved(word, (n_one, n_other), found, False)
        sizes = (len(sides[0]), len(sides[1]))
        return TwoTexts(encoder.name, view, names, sizes, (row,), 1, drawn, said, lowest_sees(view, encoder))

    def _words(
        self, sides: tuple[list[str], list[str]], names: tuple[str, str], model: str | None, progress: Progress | None
    ) -> TwoTexts:
        one, other = ({folded(w.word): w for w in content_words(sentences, FEWEST_EACH)} for sentences in sides)
        # By the text that has fewer: a word that one of them hardly has says little, however often it is in the other.
        both = sorted(one.keys() & other.keys(), key=lambda w: (-min(len(one[w].uses), len(other[w].uses)), w))
        if not both:
            raise InputError(
                f"No content word comes {FEWEST_EACH} times in both texts. Paste longer ones.", field="second"
            )
        chosen = [
            (w, evenly(one[w].uses, _MOST_USES_EACH), evenly(other[w].uses, _MOST_USES_EACH))
            for w in both[:_MOST_WORDS]
        ]
        encoder = self._drawer.encoder(model)
        view = self._drawer.viewed.best_view(encoder)
        # All words are read at once, then cut apart by how many uses each has.
        together: list[FoundUse] = [use for _, a, b in chosen for use in (*a, *b)]
        vectors = self._drawer.viewed.in_view(encoder, view, together, part(progress, "Reading the texts"))
        parts = cut(vectors, [uses for _, a, b in chosen for uses in (a, b)])
        shifts = [shift(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        apart = outlier_scores([found.score for found in shifts], [len(a) + len(b) for _, a, b in chosen])
        words = [
            _moved(w, (len(one[w].uses), len(other[w].uses)), found, bool(out >= OUTLIER and found.p <= 0.05))
            for (w, _, _), found, out in zip(chosen, shifts, apart, strict=True)
        ]
        words.sort(key=lambda moved: (-moved.stands_out, -moved.score))
        said = moved_verdict(words, names, len(both), FEWEST_EACH)
        sizes, sees = (len(sides[0]), len(sides[1])), lowest_sees(view, encoder)
        return TwoTexts(encoder.name, view, names, sizes, tuple(words), len(both), None, said, sees)


def _moved(word: str, n: Sequence[int], found: Shift, stands_out: bool) -> MovedWord:
    distance, chance, p, score = (
        round(float(value), 4) for value in (found.distance, found.chance, found.p, found.score)
    )
    return MovedWord(word, n[0], n[1], distance, chance, p, score, stands_out)
