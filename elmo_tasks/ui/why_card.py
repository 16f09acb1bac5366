"""The markup and the files of an explanation. What came from a person or a model goes through :func:`html.escape`."""

from __future__ import annotations

from html import escape

from elmo_tasks.api import Explanation, HiddenWord, Sides
from elmo_tasks.ui import format
from elmo_tasks.ui.downloads import actions, csv_file
from elmo_tasks.ui.plain_words import first_capital
from elmo_tasks.ui.uses import badge, group_of

TITLE = "Why?"
LEAD = "What two of the uses hang on: hide the words around them, one at a time."
# Shares of the way from two random words to identical; half of all words of the gallery stay below the first step.
STEPS = (0.01, 0.03, 0.08, 0.16)
HOW = """
<details class="more"><summary>How this works</summary>
<div class="explain">
<p><b>Hiding a word.</b> The program hides one word of one of the two sentences, lets the model read the sentence again
and looks how far the cosine moves. This model never learned what a gap is, so every way of hiding leaves a trace of its
own. The program therefore hides each word in three ways (it leaves it out, it writes “something” in its place, it
writes “the”) and shows the mean. It names a word only if all three ways put that word first and it makes up at least
half of all that moves the cosine its way. Small changes mean little, and two words that say the same can stand in for
each other: hiding one then changes nothing.</p>
<p><b>The words around it</b> speak in the verdict, so they are asked first: each counts as one fixed vector, rare words and
words that go with this one more than others, without their order; hiding a word takes it out of that sum. Choose a layer to
ask ELMo itself.</p>
<p><b>Before and after.</b> ELMo never reads both sides at once. Each layer above the spelling is two lists of numbers
side by side: one was made by reading from the first word up to this one, the other by reading from the last word back
to this one. So there are two half-views, and each can be compared by itself. Each is held against its own two random
words. One side is named only if it is clearly ahead at every layer.</p>
<p>This shows what the numbers hang on. It does not show that the model understood the word, or why a person would tell
the two apart.</p>
<p>From a program: <code>gradio_client.Client(address).predict("bank", ["…", "…"], api_name="/why")</code></p>
</div></details>
"""
LEGEND = (
    '<p class="key"><span><span class="word for3">word</span> sets the two apart</span>'
    '<span><span class="word against3">word</span> holds them together</span>'
    "<span>The stronger the colour, the more the cosine moves when the word is hidden.</span></p>"
)


def question(explanation: Explanation) -> str:
    """What is answered."""
    a, b = (use + 1 for use in explanation.pair)
    return f"What sets {a} and {b} apart?" if explanation.apart else f"What holds {a} and {b} together?"


def reason(explanation: Explanation) -> str:
    """The numbers behind the answer, and what keeps it from naming a word."""
    where = format.layer_place(explanation.layer)
    now = format.number_text(explanation.cosine)
    stick = f"Two random words have {format.number_text(explanation.random_pair_cosine)}."
    if not explanation.words:
        return f"Their cosine {where} is {now}. {stick}"
    sign = 1 if explanation.apart else -1
    top = explanation.decisive or max(explanation.words, key=lambda word: sign * word.change)
    then = format.number_text(explanation.cosine + top.change)
    if explanation.decisive is not None:
        return f"With it, their cosine {where} is {now}; with it hidden, {then}. {stick}"
    if sign * top.change <= 0:
        more = "more" if explanation.apart else "less"
        return f"Their cosine {where} is {now}, and hiding any one word makes them no {more} alike. {stick}"
    name = f"“{top.token}” in sentence {top.use + 1}"
    if now == then:
        return f"Their cosine {where} is {now}; hiding {name} moves it most, and hardly at all. {stick}"
    if not any(c.isalnum() for c in top.token):
        because = "which is no word"
    elif agreed(explanation, top):
        because = "less than all other words together"
    else:
        because = "but the three ways of hiding do not agree on the word"
    return f"Hiding {name} moves their cosine {where} most, from {now} to {then}, {because}. {stick}"


def agreed(explanation: Explanation, top: HiddenWord) -> bool:
    """Whether every way of hiding moves the cosine most at this word."""
    sign = 1 if explanation.apart else -1
    return all(
        max(explanation.words, key=lambda word: sign * word.changes[way]) == top for way in range(len(explanation.ways))
    )


def step(explanation: Explanation, change: float) -> str:
    """The class of a word's tint: ``for1`` to ``for4`` (sets apart), ``against1`` to ``against4``, or empty."""
    share = abs(change) / max(1 - explanation.random_pair_cosine, 1e-6)
    reached = sum(share >= least for least in STEPS)
    return "" if not reached else f"{'for' if change > 0 else 'against'}{reached}"


def body(explanation: Explanation) -> str:
    """The whole answer, below the fold's title."""
    return (
        f'<div role="status"><p class="asked-question">{escape(question(explanation))}</p>'
        f'<h2>{escape(explanation.answer)}</h2><p class="reasons">{escape(reason(explanation))}</p></div>'
        f"{_choosers(explanation)}{picture(explanation)}{_numbers(explanation)}{sides(explanation)}"
        f"{actions('why', csv_text(explanation), explanation.to_dict())}{HOW}"
    )


def picture(explanation: Explanation, *, tips: bool = True) -> str:
    """The two sentences, each word tinted by what hiding it does; ``tips`` adds what the page's script needs."""
    groups = group_of(explanation.comparison)
    rows = "".join(
        f'<li>{badge(use, groups[use])}<p class="words" dir="auto">{_words(explanation, use, tips)}</p></li>'
        for use in explanation.pair
    )
    skipped = (
        f'<p class="hint">The sentences are long: the {explanation.skipped} words furthest from the compared word were '
        "not hidden.</p>"
        if explanation.skipped
        else ""
    )
    tip = '<p class="tip" role="status">Point at a word, or tap it, to see what happens without it.</p>' if tips else ""
    return f'<div class="pushes"><ol class="two" role="list" data-picture="">{rows}</ol>{tip}{LEGEND}{skipped}</div>'


def _words(explanation: Explanation, use: int, tips: bool) -> str:
    item = explanation.comparison.items[use]
    pieces = [(word.start, word.end, _word(explanation, word, tips)) for word in explanation.words if word.use == use]
    pieces.append((item.start, item.end, f"<mark>{escape(item.sentence[item.start : item.end])}</mark>"))
    parts: list[str] = []
    at = 0
    for start, end, markup in sorted(pieces):
        if start < at or end <= start:
            continue
        parts += [escape(item.sentence[at:start]), markup]
        at = end
    return "".join(parts).replace('tabindex="-1"', 'tabindex="0"', 1) + escape(item.sentence[at:])


def _word(explanation: Explanation, word: HiddenWord, tips: bool) -> str:
    sentence = explanation.comparison.items[word.use].sentence
    now = format.number_text(explanation.cosine)
    then = format.number_text(explanation.cosine + word.change)
    same = f"still {now}" if now == then else f"{then} instead of {now}"
    tip = escape(f"With “{word.token}” hidden: cosine {same}.")
    # One stop of the tab key for all words of a sentence; the arrow keys go from word to word.
    more = f' tabindex="-1" data-tip="{tip}"' if tips else ""
    shown = escape(sentence[word.start : word.end])
    return f'<span class="word {step(explanation, word.change)}"{more}>{shown}</span>'


def _choosers(explanation: Explanation) -> str:
    n = len(explanation.comparison.items)
    pairs = "".join(
        f'<option value="{a},{b}"{" selected" if (a, b) == explanation.pair else ""}>{a + 1} and {b + 1}</option>'
        for a in range(n)
        for b in range(a + 1, n)
    )
    layers = "".join(
        f'<option value="{escape(layer.name)}"{" selected" if layer.name == explanation.layer else ""}>'
        f"{escape(format.layer_title(layer.name))}</option>"
        for layer in explanation.comparison.layers[1:]
    )
    if "words" in explanation.comparison.read_from:
        chosen = " selected" if explanation.layer == "words" else ""
        layers = f'<option value="words"{chosen}>{escape(format.layer_title("words"))}</option>{layers}'
    return (
        '<div class="choosers"><span><label for="why-pair">Uses</label><select id="why-pair" name="pair" autocomplete="off">'
        f'{pairs}</select></span><span><label for="why-layer">Layer</label>'
        f'<select id="why-layer" name="layer" autocomplete="off">{layers}</select></span></div>'
    )


def _numbers(explanation: Explanation) -> str:
    return (
        '<details class="more"><summary>Show the numbers</summary>'
        '<p class="hint">Change: the cosine with the word hidden minus the cosine with it, on the mean of the three ways. '
        f"▲ hiding makes the two more alike, ▼ less.</p>{table(explanation)}</details>"
    )


def table(explanation: Explanation) -> str:
    """Every word that was hidden, with its change in each way of hiding."""
    groups = group_of(explanation.comparison)
    head = "".join(f'<th scope="col" class="number">{escape(_way(way))}</th>' for way in explanation.ways)
    rows = "".join(
        f'<tr><th scope="row">{badge(word.use, groups[word.use])}</th><td>{escape(word.token)}</td>'
        f'<td class="number">{_signed(word.change)}</td>'
        + "".join(f'<td class="number">{_signed(change)}</td>' for change in word.changes)
        + "</tr>"
        for word in explanation.words
    )
    return (
        '<div class="scroll tall" role="region" tabindex="0" aria-label="Every word"><table class="list">'
        '<thead><tr><th scope="col">Use</th><th scope="col">Word</th><th scope="col" class="number">Change</th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _way(way: str) -> str:
    return f"as “{way}”" if way else "left out"


def _signed(value: float) -> str:
    text = format.number_text(value)
    return text if text == "0.00" else f"▼ {text}" if value < 0 else f"▲ +{text}"


def sides(explanation: Explanation) -> str:
    """The two half-views side by side: what each has read, and how alike the two uses are in it."""
    if not explanation.sides:
        return ""
    halves = (
        ("Reading up to the word", "before", [(s, s.before, s.random_before) for s in explanation.sides]),
        ("Reading back to the word", "after", [(s, s.after, s.random_after) for s in explanation.sides]),
    )
    columns = "".join(
        f'<div class="side"><p class="side-title">{title}</p><ol class="two" role="list">{_half(explanation, side)}</ol>'
        f'<ul class="bars" role="list" aria-label="{title}: how alike the two uses are">{_bars(rows)}</ul></div>'
        for title, side, rows in halves
    )
    return (
        '<section class="half-views" aria-label="Before or after the word"><h3>Before or after the word?</h3>'
        f'<p class="reading">{escape(explanation.side_answer)}</p><div class="pair" data-picture="">{columns}</div>'
        '<p class="hint">The bar: how far the two half-views stand from two random words (empty) on the way to identical '
        "(full). The number: their cosine.</p></section>"
    )


def _half(explanation: Explanation, side: str) -> str:
    groups = group_of(explanation.comparison)
    rows = []
    for use in explanation.pair:
        item = explanation.comparison.items[use]
        word = f"<mark>{escape(item.sentence[item.start : item.end])}</mark>"
        before, after = escape(item.sentence[: item.start]), escape(item.sentence[item.end :])
        if side == "before":
            text = f'{before}{word}<span class="unread">{after}</span>'
        else:
            text = f'<span class="unread">{before}</span>{word}{after}'
        rows.append(f'<li>{badge(use, groups[use])}<p dir="auto">{text}</p></li>')
    return "".join(rows)


def _bars(rows: list[tuple[Sides, float, float]]) -> str:
    return "".join(
        f'<li class="chosen"><span>{escape(format.layer_title(layer.layer))}</span>'
        f'<i aria-hidden="true"><b style="width:{100 * min(1.0, max(0.0, (cosine - random) / max(1 - random, 1e-6))):.1f}%">'
        f"</b></i><span>{format.number_text(cosine)}</span></li>"
        for layer, cosine, random in rows
    )


def csv_text(explanation: Explanation) -> str:
    """One row for each hidden word, then one for each half of a layer."""
    ways = [first_capital(_way(way)) for way in explanation.ways]
    header = ["use", "word", "position", "layer", "cosine", "change when hidden", *ways, "sentence"]
    rows: list[list[str | float]] = []
    for word in explanation.words:
        first: list[str | float] = [str(word.use + 1), word.token, str(word.index + 1), explanation.layer]
        sentence = explanation.comparison.items[word.use].sentence
        rows.append([*first, explanation.cosine, word.change, *word.changes, sentence])
    blank: list[str | float] = [""] * len(ways)
    pair = " and ".join(str(use + 1) for use in explanation.pair)
    for layer in explanation.sides:
        for name, cosine in (("before the word", layer.before), ("after the word", layer.after)):
            rows.append([pair, f"half-view {name}", "", layer.layer, cosine, "", *blank, ""])
    return csv_file(header, rows)
