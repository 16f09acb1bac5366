"""What is said beside a sense map."""

from __future__ import annotations

from elmo_tasks.api import MapUse, SenseMap
from elmo_tasks.wording.sense_maps import MATCH_WELL, in_quotes, match_words, words_on_map
from elmo_tasks.wording.text import number, percent


def measured(answer: SenseMap) -> str:
    """How well this view was measured to work, and how well it did here; empty where that is not known."""
    said = []
    view = answer.shown_view
    mostly_own = 2 * sum(use.own for use in answer.uses) > len(answer.uses)
    is_better_known = answer.agreement is not None and answer.agreement < MATCH_WELL
    if (
        answer.groups
        and answer.asked_groups is None
        and view.right is not None
        and not mostly_own
        and not is_better_known
    ):
        said.append(
            f"In a test with other words, groups clear enough to be named had {percent(view.right)} of the pairs of uses rightly "
            "together or apart."
        )
    if answer.agreement is not None:
        said.append(f"Here {match_words(answer.agreement)} (index {number(answer.agreement)}).")
    return " ".join(said)


def forms(answer: SenseMap) -> tuple[str, ...]:
    """The forms of the word that the sentences on the map have: that of the examples is not always the one that was typed."""
    return words_on_map(answer.word, answer.examples_of, any(use.own for use in answer.uses))


def about(answer: SenseMap) -> str:
    """The same as a title: whose sentences these are."""
    return in_quotes(forms(answer))


def typed_otherwise(answer: SenseMap) -> str:
    """What the person who typed the word is told where all sentences have another form of it."""
    if answer.word.lower() in {form.lower() for form in forms(answer)}:
        return ""
    return f"You typed “{answer.word}”; the example sentences have {about(answer)}."


def well_placed(answer: SenseMap) -> str:
    """How many example sentences stand in the group that is called by their meaning."""
    known = [use for use in answer.uses if use.sense and use.group is not None]
    right = sum(use.group is not None and use.sense == answer.groups[use.group].meant for use in known)
    if not known or not all(group.meant for group in answer.groups):
        return ""
    return f"{right} of {len(known)} sentences stand in the group of their meaning."


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
    rest = f"the other {len(answer.uses) - on_map} are our example sentences of {in_quotes(answer.examples_of or (answer.word,))}"
    return f"{said[:-1]}; {rest}. {_forms(answer)}".rstrip()


def _forms(answer: SenseMap) -> str:
    """Whether the two kinds of sentences spell the word in different forms, which would be taken for meanings."""
    own, examples = (
        {use.sentence[use.start : use.end].lower() for use in answer.uses if use.own == kind} for kind in (True, False)
    )
    if not own - examples or not examples - own:
        return ""
    return (
        f"They spell the word otherwise ({in_quotes(sorted(own - examples))} in your text, {in_quotes(sorted(examples - own)[:3])} "
        "in ours), and the letters alone move uses apart: leave the example sentences out to see the meanings in your text."
    )


def use_name(use: MapUse, number: int, answer: SenseMap) -> str:
    """A mark as a screen reader says it."""
    group = f", group {answer.groups[use.group].letter}" if use.group is not None else ""
    return f"Use {number + 1}{group}{', from your text' if use.own else ''}: {use.sentence}"
