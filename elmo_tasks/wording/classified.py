"""What is said of texts that a head has classified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from elmo_tasks.api import ClassifiedText, WordOcclusion
from elmo_tasks.wording.labels import class_words
from elmo_tasks.wording.text import first_capital, listed, percent


def headline(results: Sequence[ClassifiedText]) -> str:
    """The answer in a few words: ``Positive, 93 % sure``, or how many texts have which label."""
    if len(results) == 1:
        return first_capital(verdict(results[0]))
    counts = Counter(said(result) for result in results).most_common()
    if len(counts) == 1:
        every = "Both texts" if len(results) == 2 else f"All {len(results)} texts"
        return f"{every} are {counts[0][0] if results[0].is_sure else verdict(results[0])}"
    return f"Of {len(results)} texts, {listed([f'{number} {name}' for name, number in counts])}"


def said(result: ClassifiedText) -> str:
    """What is said of a text, in a word."""
    if result.is_sure and result.label is not None:
        return class_words(result.label)
    return "neither" if len(result.probabilities) == 2 else "unclear"


def verdict(result: ClassifiedText) -> str:
    """The label and how sure the model is of it, or that it is of none."""
    if result.label is None or not result.is_sure:
        if len(result.probabilities) != 2:
            return "not clearly any of them"
        one, other = result.probabilities
        return f"neither clearly {class_words(one)} nor {class_words(other)}"
    return f"{class_words(result.label)}, {percent(result.probabilities[result.label])} sure"


def difference(results: Sequence[ClassifiedText], without: Sequence[ClassifiedText]) -> str:
    """What the head says without context, where that is something else; empty where it says the same."""
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
    """What would be if the word were not there."""
    now = _sureness(result)
    then = min(1.0, max(0.0, now - word.change))
    label = class_words(result.label or "")
    if percent(now) == percent(then):
        return f"Without “{word.token}”: still {label} {percent(now)}."
    return f"Without “{word.token}”: {label} {percent(then)} instead of {percent(now)}."


def unweighed(results: Sequence[ClassifiedText]) -> str:
    """Says of which texts no word is weighed, because weighing takes as long as reading the text once for each word; or nothing."""
    found = [str(k) for k, result in enumerate(results, 1) if not result.occlusion and len(result.tokens) > 1]
    if not found:
        return ""
    where = "this text" if len(results) == 1 else f"text{'s' if len(found) > 1 else ''} {listed(found)}"
    return (
        f"Too many words for one question to weigh each of them in {where}; ask about fewer or shorter texts for that."
    )
