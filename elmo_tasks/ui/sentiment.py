"""The markup and the files of classified texts. What came from a person or a model goes through :func:`html.escape`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from elmo_tasks.api import ClassifiedText, WordPush
from elmo_tasks.ui.downloads import actions, csv_file
from elmo_tasks.ui.format import number_text
from elmo_tasks.ui.heads import Offer, about_line, by_head, json_data
from elmo_tasks.ui.plain_words import class_words, first_capital, listed, percent

STEPS = (0.02, 0.08, 0.2, 0.4)
LEGEND = (
    '<p class="key"><span><span class="word for3">word</span> speaks for the label</span>'
    '<span><span class="word against3">word</span> speaks against it</span>'
    "<span>The stronger the colour, the more the answer depends on the word.</span></p>"
)


def headline(results: Sequence[ClassifiedText]) -> str:
    """The answer in a few words: ``Positive, 93 % sure``, or how many texts have which label."""
    if len(results) == 1:
        return first_capital(verdict(results[0]))
    counts = Counter(result.label for result in results).most_common()
    if len(counts) == 1:
        every = "Both texts" if len(results) == 2 else f"All {len(results)} texts"
        return f"{every} are {class_words(counts[0][0])}"
    return f"Of {len(results)} texts, {listed([f'{number} {class_words(label)}' for label, number in counts])}"


def verdict(result: ClassifiedText) -> str:
    """The label and how sure the model is of it."""
    return f"{class_words(result.label)}, {percent(result.probabilities[result.label])} sure"


def difference(results: Sequence[ClassifiedText], without: Sequence[ClassifiedText]) -> str:
    """One sentence that says what the head says when it sees no context."""
    pairs = list(zip(results, without, strict=True))
    changed = [(number, other) for number, (one, other) in enumerate(pairs, 1) if one.label != other.label]
    if changed and len(pairs) == 1:
        return f"Without context, the model says {verdict(changed[0][1])}."
    if changed:
        parts = []
        for label in dict.fromkeys(other.label for _, other in changed):
            numbers = [str(number) for number, other in changed if other.label == label]
            texts = f"text {numbers[0]} is" if len(numbers) == 1 else f"texts {listed(numbers)} are"
            parts.append(f"{texts} {class_words(label)}")
        rest = "" if len(changed) == len(pairs) else "; it says the same of the rest" if len(pairs) > 2 else ""
        return f"Without context, the model says that {listed(parts)}{rest}."
    one, other = max(pairs, key=lambda pair: abs(_sureness(pair[0]) - _sureness(pair[1])))
    if abs(_sureness(one) - _sureness(other)) < 0.1:
        return "Both say the same here, with and without context."
    where = "" if len(pairs) == 1 else f" of text {results.index(one) + 1}"
    sure = f"{percent(_sureness(other))} without context, {percent(_sureness(one))} with it"
    return f"Both say the same here, but are not equally sure{where}: {sure}."


def _sureness(result: ClassifiedText) -> float:
    return result.probabilities[result.label]


def step(push: float) -> str:
    """The class of a word's tint: ``for1`` to ``for4``, ``against1`` to ``against4``, or empty."""
    reached = sum(abs(push) >= least for least in STEPS)
    return "" if not reached else f"{'for' if push > 0 else 'against'}{reached}"


def tip(result: ClassifiedText, push: WordPush) -> str:
    """What would be if the word were not there."""
    now = _sureness(result)
    then = min(1.0, max(0.0, now - push.push))
    label = class_words(result.label)
    if percent(now) == percent(then):
        return f"Without “{push.token}”: still {label} {percent(now)}."
    return f"Without “{push.token}”: {label} {percent(then)} instead of {percent(now)}."


def card(offer: Offer, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = ()) -> str:
    """The whole answer of a classifier; ``without`` holds what its twin says, if it has one."""
    many = len(results) > 1
    rows = []
    for number, result in enumerate(results, 1):
        heading = f"Text {number}: {first_capital(verdict(result))}"
        sides = _side(result, "With context" if without else "", "")
        if without:
            other = without[number - 1]
            same = other.label == result.label
            name = f"Without context{'' if same else ': ' + class_words(other.label)}"
            sides += _side(other, name, " without" if same else " without differs")
        rows.append(
            f'<li class="text">{f"<h3>{escape(heading)}</h3>" if many else ""}'
            f'<div class="{"pair" if without else "single"}">{sides}</div></li>'
        )
    about = f'<p class="reasons">{escape(difference(results, without))}</p>' if without else ""
    has_pushes = any(result.pushes for result in results)
    return (
        '<section class="card task" aria-labelledby="feeling-answer"><p class="eyebrow">Feeling: how does it sound?</p>'
        f'<div role="status"><h2 id="feeling-answer">{escape(headline(results))}</h2>{about}</div>'
        f'<p class="meta">{escape(about_line(offer, twin=bool(without)))}</p>'
        f'<ol class="texts" role="list" data-picture="">{"".join(rows)}</ol>{LEGEND if has_pushes else ""}'
        f"{_numbers(results, without) if has_pushes else ''}"
        f"{actions('sentiment', csv_text(offer, results, without), json_data(offer, results, without))}</section>"
    )


def _side(result: ClassifiedText, name: str, kind: str) -> str:
    title = f'<p class="side-title">{escape(name)}</p>' if name else ""
    hint = '<p class="tip" role="status">Point at a word, or tap it, to see what happens without it.</p>'
    return (
        f'<div class="side{kind}">{title}{_bars(result)}<div class="pushes"><p class="words" dir="auto">{_words(result)}</p>'
        f"{hint if result.pushes else ''}</div></div>"
    )


def _bars(result: ClassifiedText) -> str:
    rows = []
    for label, probability in result.probabilities.items():
        chosen = label == result.label
        rows.append(
            f"<li{' class=chosen' if chosen else ''}><span>{escape(first_capital(class_words(label)))}</span>"
            f'<i aria-hidden="true"><b style="width:{100 * probability:.1f}%"></b></i>'
            f"<span>{percent(probability)}</span></li>"
        )
    return f'<ul class="bars" role="list" aria-label="How sure the model is">{"".join(rows)}</ul>'


def _words(result: ClassifiedText) -> str:
    parts: list[str] = []
    at = 0
    for push in result.pushes:
        if push.start < at or push.end <= push.start:
            continue
        # One stop of the tab key for all words of a text; the arrow keys go from word to word.
        stop = "-1" if parts else "0"
        parts.append(escape(result.text[at : push.start]))
        parts.append(
            f'<span class="word {step(push.push)}" tabindex="{stop}" data-tip="{escape(tip(result, push))}">'
            f"{escape(result.text[push.start : push.end])}</span>"
        )
        at = push.end
    return "".join(parts) + escape(result.text[at:])


def _numbers(results: Sequence[ClassifiedText], without: Sequence[ClassifiedText]) -> str:
    head = '<th scope="col">Text</th><th scope="col">Word</th><th scope="col" class="number">Push</th>'
    head += '<th scope="col" class="number">Without context</th>' if without else ""
    rows = []
    for number, result in enumerate(results, 1):
        others = without[number - 1].pushes if without else ()
        for at, push in enumerate(result.pushes):
            other = _signed(others[at].push) if at < len(others) else ""
            last = f'<td class="number">{other}</td>' if without else ""
            rows.append(
                f'<tr><th scope="row">{number}</th><td>{escape(push.token)}</td>'
                f'<td class="number">{_signed(push.push)}</td>{last}</tr>'
            )
    twin = " Without context: for the label that that model gives." if without else ""
    return (
        '<details class="more"><summary>Show the numbers</summary>'
        '<p class="hint">The push of a word: the probability of the text’s label with the word minus that without it. '
        f"▲ speaks for the label, ▼ against it.{twin}</p>"
        '<div class="scroll tall" role="region" tabindex="0" aria-label="Push of every word"><table class="list">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _signed(value: float) -> str:
    text = number_text(value)
    return text if text == "0.00" else f"▼ {text}" if value < 0 else f"▲ +{text}"


def csv_text(offer: Offer, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = ()) -> str:
    """One row per word, or per text where there are no pushes."""
    classes = list(results[0].probabilities)
    header = ["text number", "head", "label", *(f"probability of {name}" for name in classes), "word", "push", "text"]
    rows: list[list[str | float]] = []
    for name, number, result in by_head(offer, results, without):
        first: list[str | float] = [str(number), name, result.label]
        first += [result.probabilities.get(label, 0.0) for label in classes]
        words: list[list[str | float]] = [[push.token, push.push] for push in result.pushes] or [["", ""]]
        rows += [[*first, *word, result.text] for word in words]
    return csv_file(header, rows)
