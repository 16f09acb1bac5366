"""The live parts of the Present tab as markup. What came from a person or a model goes through :func:`html.escape`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from elmo_tasks.api import Comparison, ComparisonItem, FormingStep, MeaningForms, StaticNeighbours
from elmo_tasks.ui import format, heat
from elmo_tasks.ui.plain_words import listed
from elmo_tasks.ui.present_examples import Story

LETTERS = "ABCDEFGHIJKL"


def _marked(item: ComparisonItem) -> str:
    before, word, after = item.sentence[: item.start], item.sentence[item.start : item.end], item.sentence[item.end :]
    return f"{escape(before)}<mark>{escape(word)}</mark>{escape(after)}"


def _badge(use: int, group: int | None = None) -> str:
    kind = "none" if group is None else str(group % 6)
    name = f"sentence {use + 1}" + ("" if group is None else f", group {LETTERS[group]}")
    return f'<span class="badge g{kind}" role="img" aria-label="{name}"><span>{use + 1}</span></span>'


def _json(value: object) -> str:
    return escape(json.dumps(value))


def problem(message: str) -> str:
    """What stands in the place of a part that cannot be answered."""
    return f'<p class="problem">{escape(message)}</p>'


def waiting(what: str) -> str:
    """What stands there until the answer comes."""
    return f'<p class="soft" aria-busy="true">{escape(what)}</p>'


# --- Static vectors ---


def neighbours(answers: Sequence[StaticNeighbours]) -> str:
    """The nearest words of a few words, side by side."""
    columns = "".join(
        f"<section><h3>{escape(a.word)}</h3><ol>"
        + "".join(f"<li>{escape(n.word)} <small>{format.number_text(n.cosine)}</small></li>" for n in a.neighbours)
        + "</ol></section>"
        for a in answers
    )
    where = f"Nearest by cosine among {answers[0].vocabulary:,} words, {escape(answers[0].vectors)}." if answers else ""
    return f'<div class="lists">{columns}</div><p class="soft">{where}</p>'


# --- A word in several sentences ---


def story(comparison: Comparison) -> str:
    """The sentences to guess on, and behind the reveal the groups that the model finds."""
    rows = "".join(
        f"<li>{_badge(use)}<p>{_marked(item)}</p>"
        f'<span class="pick" role="group" aria-label="Your group for sentence {use + 1}">'
        + "".join(
            f'<button type="button" class="plain" data-pick="{name}" aria-pressed="false" '
            f'aria-label="{name}, sentence {use + 1}">{name}</button>'
            for name in "AB"
        )
        + "</span></li>"
        for use, item in enumerate(comparison.items)
    )
    return (
        f'<div class="guess" data-groups="{_json(comparison.groups)}"><ol class="uses" role="list" data-before>{rows}</ol>'
        f'<div data-reveal hidden>{groups(comparison)}<p class="agree" hidden></p></div></div>'
    )


def groups(comparison: Comparison) -> str:
    """The verdict, and the sentences by group."""
    headline, reasons = format.headline(comparison.verdict)
    found = list(comparison.groups) or [tuple(range(len(comparison.items)))]
    sections = []
    for number, group in enumerate(found):
        known = number if comparison.groups else None
        heading = f"Group {LETTERS[number]}" if comparison.groups else "No clear groups"
        uses = "".join(f"<li>{_badge(use, known)}<p>{_marked(comparison.items[use])}</p></li>" for use in group)
        kind = "none" if known is None else number % 6
        sections.append(
            f'<section class="group g{kind}"><h4>{heading}</h4><ol role="list" class="uses">{uses}</ol></section>'
        )
    return (
        f'<h3 class="said-verdict">{escape(headline)}</h3>'
        f'<div class="sorted">{"".join(sections)}</div><p class="soft">{escape(reasons)}</p>'
    )


def layers(comparison: Comparison) -> str:
    """One picture per layer; the page's script shows one of them."""
    names = [layer.name for layer in comparison.layers]
    titles = [format.layer_title(name) for name in names]
    order = format.display_order(comparison)
    group_of = {use: number for number, group in enumerate(comparison.groups) for use in group}
    head = "".join(f'<th scope="col">{_badge(use, group_of.get(use))}</th>' for use in order)
    panels = []
    for number, layer in enumerate(comparison.layers):
        body = []
        for use in order:
            before, word, after = (escape(part) for part in format.snippet(comparison.items[use]))
            cells = "".join(_cell(layer.cosine[use][other], layer.random_pair_cosine, use == other) for other in order)
            body.append(
                f'<tr><th scope="row">{_badge(use, group_of.get(use))} '
                f'<span class="snippet">{before}<b>{word}</b>{after}</span></th>{cells}</tr>'
            )
        panels.append(
            f'<div data-layer="{number}"{" hidden" if number else ""}><div class="scroll" role="region" tabindex="0" '
            f'aria-label="{escape(titles[number])}"><table class="big-map"><caption>Cosine of every two uses, '
            f"{escape(titles[number])}</caption><thead><tr><td></td>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
            f'</table></div><p class="reading">{escape(format.layer_sentence(comparison, layer))} Two random words: '
            f"{format.number_text(layer.random_pair_cosine)}.</p></div>"
        )
    return (
        f'<div class="slide-layers" data-titles="{_json(titles)}"><div class="slider">'
        f'<label for="present-layer">Layer: <output>{escape(titles[0])}</output></label>'
        f'<input id="present-layer" type="range" min="0" max="{len(names) - 1}" step="1" value="0" '
        f'aria-valuetext="{escape(titles[0])}"></div>{"".join(panels)}</div>'
    )


def _cell(cosine: float, floor: float, same: bool) -> str:
    if same:
        return '<td class="self">1.00</td>'
    c = heat.cell_colours(heat.share_of(cosine, floor))
    style = f"--b:{c.background};--t:{c.text};--bd:{c.background_dark};--td:{c.text_dark}"
    return f'<td class="heat" style="{style}">{format.number_text(cosine)}</td>'


# --- What fails ---


def failure(comparison: Comparison, example: Story) -> str:
    """What was meant, and behind the reveal what the model says."""
    meant: dict[str, list[int]] = {}
    for use, sense in enumerate(example.meant):
        meant.setdefault(sense, []).append(use)
    expected = {tuple(uses) for uses in meant.values()}
    if not comparison.groups:
        verdict = "The model cannot tell these apart, and says so."
    elif set(comparison.groups) == expected:
        verdict = "This model gets it right."
    else:
        verdict = "The model is sure here, and wrong."
    rows = "".join(
        f'<li>{_badge(use)}<p>{_marked(item)} <small class="soft">({escape(example.meant[use])})</small></p></li>'
        for use, item in enumerate(comparison.items)
    )
    means = "; ".join(f"{sense}: {listed([str(use + 1) for use in uses])}" for sense, uses in meant.items())
    return (
        f'<ol class="uses" role="list">{rows}</ol><p class="soft">What we meant: {escape(means)}.</p>'
        f'<div data-reveal hidden><h3 class="said-verdict">{verdict}</h3>'
        f'<p class="soft">It says: {escape(format.headline(comparison.verdict)[0])}</p></div>'
    )


# --- A meaning that forms ---


def forming(answer: MeaningForms) -> str:
    """A sentence that is read word by word, and a dot between two poles."""
    first, second = answer.senses
    shown = [*answer.known[0], *answer.known[1], *(a - b for a, b in (step.cosines for step in answer.steps))]
    low, high = min(shown), max(shown)
    room = max(high - low, 1e-6) * 0.06

    def at(difference: float) -> float:
        """In percent from the left, where the first sense is."""
        return 100 * (high + room - difference) / (high - low + 2 * room)

    ticks = "".join(
        f'<i class="tick g{pole}" style="left:{at(value):.2f}%"></i>'
        for pole, part in enumerate(answer.known)
        for value in part
    )
    steps: list[dict[str, Any]] = [
        {
            "words": step.words,
            "at": round(at(step.cosines[0] - step.cosines[1]), 2),
            "cosines": [format.number_text(value) for value in step.cosines],
            "nearer": step.nearer or "",
            "said": _step_said(answer, step),
        }
        for step in answer.steps
    ]
    edges = [0, *(start for start, _ in answer.offsets[1:]), len(answer.sentence)]
    words = "".join(
        f'<span data-word="{k}">{"<mark>" if k == answer.index else ""}'
        f"{escape(answer.sentence[edges[k] : edges[k + 1]].rstrip())}{'</mark>' if k == answer.index else ''}</span>"
        f"{' ' if answer.sentence[edges[k] : edges[k + 1]].endswith(' ') else ''}"
        for k in range(len(answer.tokens))
    )
    last = len(steps) - 1
    return (
        f'<div class="forming" data-steps="{_json(steps)}" data-index="{answer.index}"><p class="sentence">{words}</p>'
        f'<div class="poles"><span class="pole g0"><b>{escape(first.name)}</b><small>{escape(first.gloss)}</small></span>'
        f'<span class="pole g1"><b>{escape(second.name)}</b><small>{escape(second.gloss)}</small></span></div>'
        f'<div class="line" aria-hidden="true"><i class="middle" style="left:{at(answer.middle):.2f}%"></i>{ticks}'
        f'<b class="mover" style="left:{steps[0]["at"]}%"></b></div>'
        f'<p class="numbers-line"><span>cosine <b data-cosine="0">{steps[0]["cosines"][0]}</b></span>'
        f'<span class="leaning" data-said>{escape(steps[0]["said"])}</span>'
        f'<span>cosine <b data-cosine="1">{steps[0]["cosines"][1]}</b></span></p>'
        f'<div class="slider"><button type="button" class="primary" data-play>Play</button>'
        f'<label for="present-words">Words read: <output>{steps[0]["words"]}</output> of {len(answer.tokens)}</label>'
        f'<input id="present-words" type="range" min="0" max="{last}" step="1" value="0"></div>'
        f'<p class="soft" data-end hidden>{escape(_forming_said(answer))}</p>{_forming_table(answer)}</div>'
    )


def _step_said(answer: MeaningForms, step: FormingStep) -> str:
    return f"nearer to “{step.nearer}”" if step.nearer else "cannot tell"


def _forming_said(answer: MeaningForms) -> str:
    """What the whole movement amounts to, and how far it can be trusted."""
    total = len(answer.known[0]) + len(answer.known[1])
    trust = f"The small marks are {total} known uses: {answer.right} of them lie on their own side of the dashed middle"
    if not answer.can_tell:
        return f"{trust}. That is too few to name a side: with this word the model cannot tell these two senses apart."
    trust += (
        ", but the spelling alone (capitals, endings) puts as many there, so do not read this as meaning."
        if answer.right_by_spelling >= answer.right
        else "."
    )
    names = [step.nearer for step in answer.steps]
    known = [name for name in names if name]
    if not known:
        return f"{trust} Here it stays where it cannot be told."
    turned = max((k + 1 for k, name in enumerate(names) if name != names[-1]), default=0)
    if names[-1] is None:
        return f"{trust} In the end it cannot be told."
    if not turned:
        return f"{trust} The first reading stays: “{names[-1]}” from the word itself to the end of the sentence."
    word = answer.tokens[answer.steps[turned].words - 1]
    return f"{trust} It is “{names[-1]}” from the word “{word}” on."


def _forming_table(answer: MeaningForms) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(" ".join(answer.tokens[max(0, step.words - 3) : step.words]))}</th>'
        f'<td class="number">{format.number_text(step.cosines[0])}</td>'
        f'<td class="number">{format.number_text(step.cosines[1])}</td><td>{escape(_step_said(answer, step))}</td></tr>'
        for step in answer.steps
    )
    first, second = (escape(sense.name) for sense in answer.senses)
    return (
        '<details class="more"><summary>All steps as a table</summary><div class="scroll" role="region" tabindex="0" '
        'aria-label="All steps"><table class="list"><caption>Cosine to the average use of each sense</caption><thead><tr>'
        f'<th scope="col">Read so far, the last words</th><th scope="col" class="number">{first}</th>'
        f'<th scope="col" class="number">{second}</th><th scope="col">Nearer</th></tr></thead><tbody>{rows}</tbody>'
        "</table></div></details>"
    )


# --- The presenter's own word ---


def own(comparison: Comparison, query: str) -> str:
    """The answer to the presenter's own word."""
    return f'{groups(comparison)}<p><a class="plain" href="?{escape(query)}">Open in Compare, with all numbers</a></p>'
