"""A worksheet for a class: sentences to sort by hand, and on a page of its own what the program says. It prints on A4."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from elmo_tasks.api import Comparison, ModelInfo, SenseMap
from elmo_tasks.ui.format import group_of
from elmo_tasks.ui.page import joined, render
from elmo_tasks.wording.map_words import about
from elmo_tasks.wording.models import title_of
from elmo_tasks.wording.sense_maps import in_quotes

#: Sentences of a sheet that is made from a map, as far as they can be shared out: they fit a page.
MOST_SENTENCES = 10


@dataclass(frozen=True)
class Line:
    """A sentence to sort."""

    sentence: str
    start: int  # of the word in it
    end: int
    group: int | None  # that the program puts it in, if it says
    meant: str  # the meaning that it was written for, where that is known


@dataclass(frozen=True)
class Sheet:
    """What a worksheet asks and answers."""

    word: str  # empty where the sentences mark words of their own
    about: str  # the same in quotes, as the sentences have it, or "the marked words"
    lines: tuple[Line, ...]  # mixed
    n_meanings: int  # groups that pupils are to make; 0 where nobody is told
    n_groups: int  # groups that the program names; 0 where it does not say
    said: str
    model: str


def of_map(answer: SenseMap) -> Sheet:
    """A sheet of the most typical uses of each group of a map, or of its first uses where no groups are named."""
    if answer.groups:
        share = max(1, MOST_SENTENCES // len(answer.groups))
        chosen = [use for group in answer.groups for use in group.typical[:share]]
    else:
        step = max(1, len(answer.uses) // MOST_SENTENCES)
        chosen = list(range(0, len(answer.uses), step))[:MOST_SENTENCES]
    uses = [answer.uses[k] for k in chosen]
    lines = [Line(use.sentence, use.start, use.end, use.group, use.sense or "") for use in uses]
    return _sheet(answer, about(answer), lines, _n_meanings(lines, len(answer.groups)))


def _n_meanings(lines: Sequence[Line], n_groups: int) -> int:
    """How many groups to ask for: never another number than the meanings that the answers list."""
    meant = [line.meant for line in lines]
    if not any(meant):
        return n_groups
    known = len(set(meant))
    # Some of the sentences are a person's own: nobody knows how many meanings they add.
    return known if all(meant) and known > 1 else 0


def of_comparison(comparison: Comparison) -> Sheet:
    """A sheet of the sentences of a comparison."""
    uses = zip(comparison.items, group_of(comparison), strict=True)
    lines = [Line(item.sentence, item.start, item.end, group, "") for item, group in uses]
    called = in_quotes((comparison.word,)) if comparison.word else "the marked words"
    return _sheet(comparison, called, lines, len(comparison.groups))


def _sheet(answer: SenseMap | Comparison, called: str, lines: list[Line], n_meanings: int) -> Sheet:
    """The lines in an order that tells nothing, and is the same each time."""
    mixed = sorted(lines, key=lambda line: line.sentence)
    random.Random(answer.word).shuffle(mixed)
    said = answer.said.headline
    return Sheet(answer.word, called, tuple(mixed), n_meanings, len(answer.groups), said, answer.model)


def page(sheet: Sheet, models: Sequence[ModelInfo], made: date) -> str:
    """The file: the sheet, and its answers on a page of their own."""
    return render(
        "worksheet.html",
        sheet=sheet,
        style=Markup(joined("styles/worksheet.css")),  # ours alone
        model=title_of(sheet.model, models),
        made=made.isoformat(),
    )
