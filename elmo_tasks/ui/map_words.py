"""What the Sense map says in words."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import MapUse, SenseMap
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.wording.text import listed, number, percent


def measured(answer: SenseMap) -> str:
    """How well this view was measured to work, and how well it did here; empty where that is not known."""
    said = []
    view = answer.shown_view
    mostly_own = 2 * sum(use.own for use in answer.uses) > len(answer.uses)
    if answer.groups and answer.asked_groups is None and view.right is not None and not mostly_own:
        said.append(
            f"In a test with other words, groups clear enough to be named had {percent(view.right)} of the pairs of uses rightly "
            "together or apart."
        )
    if answer.agreement is not None:
        said.append(f"Here {match_words(answer.agreement)} (index {number(answer.agreement)}).")
    return " ".join(said)


def match_words(agreement: float) -> str:
    """An adjusted Rand index in words."""
    if agreement > 0.99:
        return "the groups are exactly the meanings that the example sentences were written for"
    if agreement >= 0.65:
        return "the groups match the meanings that the example sentences were written for well, not fully"
    if agreement >= 0.3:
        return "the groups match the meanings that the example sentences were written for in part"
    return "the groups do not match the meanings that the example sentences were written for"


def senses_of_groups(answer: SenseMap) -> list[str]:
    """For each group the sense that most of its example sentences were written for; empty where no sense has more than half."""
    found = []
    for group in range(len(answer.groups)):
        senses = [use.sense for use in answer.uses if use.group == group and use.sense]
        most = max(senses, key=senses.count, default="")
        found.append(most if 2 * senses.count(most) > len(senses) else "")
    return found


def shown_words(answer: SenseMap) -> str:
    """What the picture leaves out."""
    if answer.shown >= 0.995:
        return "The map shows all differences between the uses."
    return (
        f"The map shows {percent(answer.shown)} of the differences between the uses: near marks can be further apart than they "
        "look. The numbers in the list use all of them."
    )


def own_words(answer: SenseMap) -> str:
    """How many uses came from the person's own text."""
    on_map = sum(use.own for use in answer.uses)
    if not answer.n_own:
        return ""
    if on_map < answer.n_own:
        return (
            f"Your text has {answer.n_own:,} uses; {on_map} of them, at even distances, are on the map (with a star)."
        )
    said = f"{on_map} of the uses {'is' if on_map == 1 else 'are'} from your text (with a star)."
    if on_map == len(answer.uses):
        return said
    rest = f"the other {len(answer.uses) - on_map} are our example sentences of {_quoted(answer.examples_of or (answer.word,))}"
    return f"{said[:-1]}; {rest}. {_forms(answer)}".rstrip()


def _forms(answer: SenseMap) -> str:
    """Whether the two kinds of sentences spell the word in different forms, which would be taken for meanings."""
    own, examples = (
        {use.sentence[use.start : use.end].lower() for use in answer.uses if use.own == kind} for kind in (True, False)
    )
    if not own - examples or not examples - own:
        return ""
    return (
        f"They spell the word otherwise ({_quoted(sorted(own - examples))} in your text, {_quoted(sorted(examples - own)[:3])} "
        "in ours), and the letters alone move uses apart: leave the example sentences out to see the meanings in your text."
    )


def _quoted(words: Sequence[str]) -> str:
    return listed([f"“{word}”" for word in words])


def use_name(use: MapUse, number: int, answer: SenseMap) -> str:
    """A mark as a screen reader says it."""
    group = f", group {answer.groups[use.group].letter}" if use.group is not None else ""
    return f"Use {number + 1}{group}{', from your text' if use.own else ''}: {use.sentence}"


def csv_text(answer: SenseMap) -> str:
    """All uses as a spreadsheet."""
    header = ("use", "group", "sense in the gallery", "from", "word", "sentence", "x", "y", "nearest use", "cosine")
    rows = []
    for place, use in enumerate(answer.uses, 1):
        near = use.nearest[0] if use.nearest else None
        rows.append(
            (
                str(place),
                answer.groups[use.group].letter if use.group is not None else "",
                use.sense or "",
                "own text" if use.own else "gallery",
                use.sentence[use.start : use.end],
                use.sentence,
                use.x,
                use.y,
                str(near[0] + 1) if near else "",
                near[1] if near else "",
            )
        )
    return csv_file(header, rows)
