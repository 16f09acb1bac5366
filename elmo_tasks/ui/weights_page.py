"""The markup of the Layer weights tab. What came from a model goes through :func:`html.escape`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from elmo_tasks.api import LayerWeights, MixWeights
from elmo_tasks.ui import weights, weights_charts
from elmo_tasks.ui.downloads import actions, only_png
from elmo_tasks.ui.format import number_text

HOW = """
<details class="card how">
<summary>How this works</summary>
<div>
<p>The language model describes every word once in each of its layers. Layer 0 sees the letters of the word only; the
layers above it see the rest of the sentence too. A head reads one list of numbers per word, a <dfn>mix</dfn>: each
layer times its weight, added up, and the sum times <dfn>gamma</dfn>. The weights are made positive and to sum to
100&nbsp;% (a softmax). They and gamma are learned together with the head; the language model itself stays as it is.</p>
<ul>
<li><b>A weight</b> says how much of the mix a layer makes up. It does not say what the layer knows: a head can do well
with a layer it draws little from, and layers hold much of the same.</li>
<li><b>Gamma</b> makes the whole mix larger or smaller, for the head that reads it. It says nothing about the layers.</li>
<li><b>Runs</b> are trainings of the same head from other random numbers. Where their shares overlap, a difference
between two layers may be chance.</li>
</ul>
<p>From: Peters and others, <cite>Deep contextualized word representations</cite>, 2018, section 3.2.</p>
</div>
</details>
"""


def waiting() -> str:
    """What is shown until the weights are there."""
    return '<div class="weights-answer"><section class="card quiet" aria-busy="true"><p>Reading the weights…</p></section></div>'


def failed() -> str:
    """What is shown when the weights could not be read; the log says why."""
    return (
        '<div class="weights-answer"><section class="card quiet" role="status"><p class="eyebrow">No answer</p>'
        "<h2>The weights could not be read; the program’s log says why.</h2></section></div>"
    )


def nothing() -> str:
    """What is shown when no head has learned weights."""
    return (
        '<div class="weights-answer"><section class="card quiet"><p class="eyebrow">Nothing to show yet</p>'
        "<h2>No trained head with learned layer weights is here.</h2><p>In a terminal, in the folder of this project: "
        "<code>make train-ner</code> or <code>make train-sentiment</code>. Then open this page again.</p></section>"
        f"{HOW}</div>"
    )


def page(all_weights: Sequence[LayerWeights]) -> str:
    """One panel for each head (the page's script shows one of them), all heads side by side, and the explanation."""
    entries = weights.learned(all_weights)
    if not entries:
        return nothing()
    options = "".join(f'<option value="{at}">{escape(entry.title)}</option>' for at, entry in enumerate(entries))
    chooser = (
        '<div class="card chooser"><label for="weights-head">Trained head</label>'
        f'<select id="weights-head" autocomplete="off">{options}</select></div>'
    )
    panels = "".join(
        f'<div class="head-panel" data-head="{at}" data-name="{escape(entry.head)}"{" hidden" if at else ""}>'
        f"{_head(entry, at)}</div>"
        for at, entry in enumerate(entries)
    )
    many = len(entries) > 1
    return (
        f'<div class="weights-answer">{chooser if many else ""}{panels}{_overview(entries) if many else ""}{HOW}</div>'
    )


def _head(entry: LayerWeights, number: int) -> str:
    course = weights.course(entry)
    query = urlencode([("tab", "weights"), ("head", entry.head)])
    lines = (
        f'<section class="card numbers" aria-label="Over the epochs"><h3>How training got there</h3>'
        f'<p class="reading">{escape(course)}</p>'
        f'<div class="charts" data-picture="Layer weights of “{escape(entry.title)}”">'
        f"{weights_charts.weight_lines(entry)}{weights_charts.gamma_line(entry)}</div>"
        f"{_table(entry, entry.epochs, 'Every epoch', 'Epoch')}{only_png(f'layer-weights-{number + 1}-epochs')}</section>"
        if course
        else ""
    )
    return (
        f'<section class="card verdict"><p class="eyebrow">Layer weights of a head</p><div role="status">'
        f"<h2>{escape(weights.sentence(entry))}</h2>"
        f'<p class="reasons">{escape(weights.certainty(entry))}</p></div>'
        f'<div class="beside"><div class="bars-side" data-picture="">{weights_charts.bars(entry)}</div>'
        f"{_table(entry, entry.runs or (entry.final,), 'Every run', 'Run (seed)')}</div>"
        f"{actions(f'layer-weights-{number + 1}', weights.csv_text(entry), entry.to_dict(), query)}</section>{lines}"
    )


def _table(entry: LayerWeights, mixes: Sequence[MixWeights], caption: str, first: str) -> str:
    scored = any(mix.score is not None for mix in mixes)
    caption += "; score: on validation data" if scored else ""
    names = "".join(f'<th scope="col" class="number">Layer {escape(name)}</th>' for name in entry.layers)
    last = '<th scope="col" class="number">Score</th>' if scored else ""
    rows = []
    for mix in mixes:
        start = str(mix.seed) if first != "Epoch" else "start" if mix.epoch == 0 else str(mix.epoch)
        mark = " (loaded)" if first != "Epoch" and mix.seed == entry.final.seed and len(mixes) > 1 else ""
        cells = "".join(f'<td class="number">{number_text(weight)}</td>' for weight in mix.weights)
        score = f'<td class="number">{"" if mix.score is None else number_text(mix.score)}</td>' if scored else ""
        rows.append(
            f'<tr><th scope="row">{start}{mark}</th>{cells}<td class="number">{number_text(mix.gamma)}</td>{score}</tr>'
        )
    return (
        f'<div class="scroll tall" role="region" tabindex="0" aria-label="{caption}"><table class="list figures">'
        f'<caption>{caption}</caption><thead><tr><th scope="col">{first}</th>{names}'
        f'<th scope="col" class="number">Gamma</th>{last}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _overview(entries: Sequence[LayerWeights]) -> str:
    longest = max(entries, key=lambda entry: len(entry.layers))
    names = "".join(f'<th scope="col" class="number">Layer {escape(name)}</th>' for name in longest.layers)
    rows = []
    for entry in entries:
        cells = [number_text(weight) for weight in entry.final.weights]
        cells += [""] * (len(longest.layers) - len(cells))
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in (*cells, number_text(entry.final.gamma)))
        rows.append(
            f'<tr><th scope="row">{escape(entry.title)}</th>{numbers}<td class="number">{len(entry.runs)}</td></tr>'
        )
    return (
        '<section class="card numbers" aria-label="All heads side by side"><h3>All heads side by side</h3>'
        f'<p class="reading">{escape(weights.overview_sentence(entries))}</p>{weights_charts.stacked(entries)}'
        '<div class="scroll tall" role="region" tabindex="0" aria-label="All heads"><table class="list figures">'
        f'<thead><tr><th scope="col">Head</th>{names}<th scope="col" class="number">Gamma</th>'
        f'<th scope="col" class="number">Runs</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        f"{only_png('layer-weights-all')}</section>"
    )
