"""Sentences about a sense map: its contents, their origins, and placed sentences."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import EXAMPLES, INDEX, TEXT_A, TEXT_B, MapUse, Message, ProjectedMeaning, SenseGroup, SenseMap
from elmo_tasks.messages.text import listed, percent, quoted

_SOURCES = {EXAMPLES: "dictionary", TEXT_A: "text A", TEXT_B: "text B", INDEX: "your index"}


def source_name(source: str) -> str:
    """Return the title of an origin of uses."""
    return _SOURCES.get(source, source)


def nothing_to_draw(word: str, has_text: bool, examples: bool) -> str:
    """Explain an empty map, and suggest a remedy."""
    if has_text:
        return f"Your text has no use of {quoted(word)}. Type another word, or paste a text that has it."
    if not examples:
        return f"Paste a text that uses {quoted(word)}, or let the examples of the dictionary count."
    return f"{quoted(word)} is not in the dictionary. Paste your own text that uses it, or choose another word."


def map_verdict(
    word: str,
    uses: Sequence[MapUse],
    groups: Sequence[SenseGroup],
    are_meanings: bool,
    is_calibrated: bool,
    *,
    has_one_meaning: bool,
) -> Message:
    """Describe the contents of a map.

    ``are_meanings`` is True if the groups are meanings of the dictionary, ``is_calibrated`` if the model can tell which
    one a use has, ``has_one_meaning`` for a word on the list of words with one everyday meaning.
    """
    counted = f"{_number(len(uses), 'use')} of “{word}”"
    if are_meanings:
        own = [use for use in uses if use.own]
        if not own:
            return Message(
                f"{counted} in {_number(len(groups), 'meaning')}.",
                "The meanings are those of the dictionary; where the uses lie is computed.",
            )
        if not is_calibrated:
            reason = "This model was not calibrated, so nothing is said of the meanings in your text."
            return Message(f"{counted}.", reason)
        n_unsure = sum(not use.is_sure for use in own)
        unsure = f" Unsure, and pale on the map: {n_unsure} of {len(own)}." if n_unsure else ""
        has = f"{'has' if len(own) == 1 else 'have'} {_number(len({use.group for use in own}), 'meaning')}"
        return Message(
            f"Your {_number(len(own), 'use')} of “{word}” {has}.",
            f"The meanings are those of the dictionary; which one a use of yours has is computed.{unsure}",
        )
    if has_one_meaning:
        return Message(f"{counted}, a word with one everyday meaning.", "It is on this project’s list of such words.")
    if groups:
        return Message(
            f"{counted} in {len(groups)} clusters.",
            "The word is not in the dictionary, so the clusters have no names, and they may be topics or turns of phrase.",
        )
    return Message(f"{counted}, too few or too alike for clusters.", "The word is not in the dictionary.")


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def texts_compared(answer: SenseMap) -> list[tuple[str, list[float]]]:
    """Return each group's name and its share of the uses in text A and in text B.

    The result is empty unless there are two texts.
    """
    columns = [answer.sources.index(source) for source in (TEXT_A, TEXT_B) if source in answer.sources]
    if len(columns) < 2 or not answer.groups:
        return []
    totals = {c: max(1, sum(group.by_source[c] for group in answer.groups)) for c in columns}
    return [(group.name, [group.by_source[c] / totals[c] for c in columns]) for group in answer.groups]


def typed_otherwise(answer: SenseMap) -> str:
    """Note that the examples are of another form of the typed word; else empty."""
    if not answer.examples_of or answer.word.lower() in {word.lower() for word in answer.examples_of}:
        return ""
    return f"You typed “{answer.word}”; the examples are those of {listed([f'“{w}”' for w in answer.examples_of])}."


def shown_words(answer: SenseMap) -> str:
    """Describe the limits of the picture."""
    if answer.shown >= 0.995:
        return "The map shows all differences between the uses."
    return (
        f"The map shows {percent(answer.shown)} of the differences between the uses: near marks can be further apart than they "
        "look. The numbers in the list use all of them."
    )


def own_words(answer: SenseMap) -> str:
    """Count the uses from the user's own text; some may not be on the map."""
    on_map = sum(use.own for use in answer.uses)
    if answer.n_own <= on_map:
        return ""
    return f"Your text has {answer.n_own:,} uses; {on_map} of them, at even distances, are on the map."


def read_as(answer: SenseMap) -> str:
    """State how the user's tables were read; empty for running text."""
    return " ".join(f"Read from {source_name(source)}: {description}." for source, description in answer.read_as)


def use_name(use: MapUse, number: int, answer: SenseMap) -> str:
    """Describe a mark for a screen reader."""
    group = f", {answer.groups[use.group].name}" if use.group is not None else ""
    unsure = "" if use.is_sure or use.group is None or not answer.are_meanings else ", unsure"
    return f"Use {number + 1}{group}{unsure}{f', from {source_name(use.source)}' if use.own else ''}: {use.sentence}"


def projected_answer(meanings: Sequence[ProjectedMeaning], *, is_sure: bool) -> str:
    """Describe the place of a sentence by the probabilities of its meanings.

    The most probable meaning comes first.
    """
    if not meanings:
        return "It lands beside its nearest uses. Nothing is said of its meaning."
    first = meanings[0]
    where = "" if first.group is not None else " No use on this map has it."
    if is_sure:
        return f"It means: {first.name} ({percent(first.probability)}).{where}"
    if len(meanings) == 1:
        return f"It may mean: {first.name} ({percent(first.probability)}).{where}"
    second = meanings[1]
    return (
        f"Unsure: {first.name} ({percent(first.probability)}), or {second.name} ({percent(second.probability)}).{where}"
    )
