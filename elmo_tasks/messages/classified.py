"""Sentences about texts that a head has classified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from elmo_tasks.api import ClassifiedText, WordOcclusion
from elmo_tasks.messages.labels import class_words
from elmo_tasks.messages.text import first_capital, listed, percent

# Labels with closer probabilities count as undecided.
_MIN_MARGIN = 0.05


def headline(results: Sequence[ClassifiedText]) -> str:
    """Return the answer: ``Positive, 93 % sure``, or how many texts have which label."""
    if len(results) == 1:
        return first_capital(verdict(results[0]))
    counts = Counter(said(result) for result in results).most_common()
    if len(counts) == 1:
        every = "Both texts" if len(results) == 2 else f"All {len(results)} texts"
        return f"{every} are {counts[0][0] if is_clear(results[0]) else verdict(results[0])}"
    return f"Of {len(results)} texts, {listed([f'{number} {name}' for name, number in counts])}"


def is_clear(result: ClassifiedText) -> bool:
    """Return whether one label is probable enough, and clearly more so than the next."""
    best, *others = sorted(result.probabilities.values(), reverse=True) or [0.0]
    return result.is_sure and (not others or best - others[0] >= _MIN_MARGIN)


def said(result: ClassifiedText) -> str:
    """Return the label of a text in a word, or that none is clear."""
    if is_clear(result) and result.label is not None:
        return class_words(result.label)
    return "neither" if len(result.probabilities) == 2 else "unclear"


def verdict(result: ClassifiedText) -> str:
    """Return the label with its probability, or that none is clear."""
    if result.label is None or not is_clear(result):
        if len(result.probabilities) != 2:
            return "not clearly any of them"
        one, other = result.probabilities
        return f"neither clearly {class_words(one)} nor {class_words(other)}"
    return f"{class_words(result.label)}, {percent(result.probabilities[result.label])} sure"


def difference(results: Sequence[ClassifiedText], without: Sequence[ClassifiedText]) -> str:
    """Say what the head without context says where that differs; empty where it is the same."""
    pairs = list(zip(results, without, strict=True))
    changed = [(number, other) for number, (one, other) in enumerate(pairs, 1) if said(one) != said(other)]
    if not changed:
        return ""
    if len(pairs) == 1:
        return f"Without context, the model says {verdict(changed[0][1])}."
    parts = []
    for name in dict.fromkeys(said(other) for _, other in changed):
        numbers = [str(number) for number, other in changed if said(other) == name]
        texts = f"text {numbers[0]} is" if len(numbers) == 1 else f"texts {listed(numbers)} are"
        parts.append(f"{texts} {name}")
    rest = "" if len(changed) == len(pairs) else "; it says the same of the rest" if len(pairs) > 2 else ""
    return f"Without context, the model says that {listed(parts)}{rest}."


def _sureness(result: ClassifiedText) -> float:
    return result.probabilities.get(result.label or "", 0.0)


def tip(result: ClassifiedText, word: WordOcclusion) -> str:
    """Say what the label would be without the word."""
    now = _sureness(result)
    then = min(1.0, max(0.0, now - word.change))
    label = class_words(result.label or "")
    if percent(now) == percent(then):
        return f"Without “{word.token}”: still {label} {percent(now)}."
    return f"Without “{word.token}”: {label} {percent(then)} instead of {percent(now)}."


def unweighed(results: Sequence[ClassifiedText]) -> str:
    """Name the texts too long for occlusion; empty if there are none."""
    found = [str(k) for k, result in enumerate(results, 1) if not result.occlusion and len(result.tokens) > 1]
    if not found:
        return ""
    where = "this text" if len(results) == 1 else f"text{'s' if len(found) > 1 else ''} {listed(found)}"
    return (
        f"Too many words for one question to weigh each of them in {where}; ask about fewer or shorter texts for that."
    )
