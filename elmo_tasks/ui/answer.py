"""The markup of an answer. Everything that came from a person or a model goes through :func:`html.escape`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from elmo_tasks.api import Comparison, LayerComparison, ModelInfo
from elmo_tasks.ui import format, heat
from elmo_tasks.ui.downloads import copy_link, png
from elmo_tasks.ui.plain_words import percent
from elmo_tasks.ui.uses import LETTERS, badge, group_of, marked

_HOW = """
<details class="card how">
<summary>How this works</summary>
<div>
<p>The model reads every sentence and describes the word with a list of numbers, a <dfn>vector</dfn>. The
<dfn>cosine</dfn> of two vectors says how alike they are: 1.00 is identical. What two random words score is the
measuring stick: only what lies clearly above it means anything, and numbers of different layers or models cannot be
compared directly.</p>
<ul>
<li><b>Spelling only</b> (layer 0) looks at the letters of the word and at nothing around it.</li>
<li><b>The layers above</b> read the sentence from the left and from the right and change the vector with it.</li>
<li><b>The mean of layers</b> includes the spelling, so uses of one spelling always look more alike there.</li>
<li><b>The length</b> (norm) of a vector says how strongly the model reacts, not what the word means.</li>
</ul>
<p><b>Who speaks.</b> The numbers of each layer are shown as they are. The groups and the percentages are read from whatever
tells the meanings of words apart best in a test: for the small model that is one layer <em>together with</em> the words that the
model itself would have written in its place, and with the words around it, each as one fixed vector that no sentence changes.
(Of the three, the words around it know most.) The percentages hold if one meaning and two meanings are equally likely
beforehand. Two or three uses are grouped only where the model is 85 % sure, more of them where groupings as sure were mostly
right in that test; else the answer is “cannot tell”.</p>
<p>Sentences built alike (“I ate an apple”, “I ate a carrot”) come out alike whatever the word is. Choose sentences that
differ in topic and wording. A small model makes mistakes: trust a clear pattern more than a single number.</p>
{models}
<p>From a program: <code>gradio_client.Client(address).predict("bank", ["…", "…"], api_name="/compare")</code></p>
</div>
</details>
"""


def how(models: Sequence[ModelInfo]) -> str:
    """The fold that explains the page and the models."""
    about = "\n".join(
        f"<p><b>{escape(model.name)}.</b> {escape(' '.join(model.about))}</p>" for model in models if model.about
    )
    return _HOW.replace("{models}", about)


def waiting() -> str:
    """What is shown until the first answer comes."""
    return '<div class="answer"><section class="card quiet" aria-busy="true"><p>Comparing…</p></section></div>'


def nothing(reason: str) -> str:
    """What is shown when there is no answer; the reason stands at the field as well."""
    return (
        '<div class="answer"><section class="card quiet" role="status"><p class="eyebrow">No answer yet</p>'
        f"<h2>{escape(reason)}</h2><p>Change it in the form, then compare again.</p></section></div>"
    )


def page(comparison: Comparison, form: format.Form, models: Sequence[ModelInfo]) -> str:
    """The whole answer: verdict, uses, one panel per layer (the page's script shows one of them)."""
    names = [layer.name for layer in comparison.layers]
    wanted = form.layer if form.layer in names else comparison.verdict_layer
    shown = wanted if wanted in names else names[0]
    groups = group_of(comparison)
    query = format.query_of(form, comparison.model)
    panels = "".join(_panel(comparison, layer, groups, hidden=layer.name != shown) for layer in comparison.layers)
    return (
        f'<div class="answer" data-layer="{escape(shown)}" '
        f'data-query="{escape(query)}">'
        f"{verdict_section(comparison, groups, models)}"
        f'<section class="card numbers" aria-label="The numbers, layer by layer">{_slider(names, shown)}{panels}'
        f"{_actions(comparison, query)}</section></div>"
    )


def verdict_section(comparison: Comparison, groups: list[int | None], models: Sequence[ModelInfo]) -> str:
    """The answer in words, and the sentences in their groups."""
    headline, reasons = format.headline(comparison.verdict)
    title = next((m.title for m in models if m.name == comparison.model), comparison.model)
    sections = []
    for number, group in enumerate(comparison.groups):
        aside = " · on its own" if len(group) == 1 else ""
        sections.append(
            f'<section class="group g{number % 6}"><h3>Group {LETTERS[number]}{aside}</h3>'
            f"{_uses(comparison, group, groups)}</section>"
        )
    rest = [use for use, group in enumerate(groups) if group is None]
    if rest:
        heading = "In no group" if comparison.groups else "No clear groups"
        sections.append(f'<section class="group gnone"><h3>{heading}</h3>{_uses(comparison, rest, groups)}</section>')
    subject = f"“{escape(comparison.word)}”" if comparison.word else "The marked words"
    unsure = "" if comparison.groups else " unsure"
    read_by = format.read_by(comparison, title)
    meta = f'<p class="meta">{escape(read_by)}</p>' if read_by else ""
    return (
        f'<section class="card verdict{unsure}">'
        f'<p class="eyebrow">{subject} in {len(comparison.items)} sentences</p>'
        f'<div role="status"><h2>{escape(headline)}</h2><p class="reasons">{escape(reasons)}</p></div>'
        f'{meta}<div class="groups">{"".join(sections)}</div></section>'
    )


def _uses(comparison: Comparison, uses: Sequence[int], groups: list[int | None]) -> str:
    rows = (f"<li>{badge(use, groups[use])}<p>{marked(comparison.items[use])}</p></li>" for use in uses)
    return f'<ol role="list">{"".join(rows)}</ol>'


def _slider(names: Sequence[str], shown: str) -> str:
    at = names.index(shown)
    stops = "".join(
        f'<button type="button" tabindex="-1" data-stop="{i}" aria-current="{str(i == at).lower()}">'
        f"{escape(format.layer_title(name))}</button>"
        for i, name in enumerate(names)
    )
    titles = escape("|".join(format.layer_title(name) for name in names))
    return (
        f'<div class="layers" style="--stops:{len(names)}" data-names="{escape("|".join(names))}" '
        f'data-titles="{titles}">'
        f'<label for="compare-layer">Layer: how much the model has read</label>'
        f'<input id="compare-layer" type="range" min="0" max="{len(names) - 1}" step="1" value="{at}" '
        f'aria-valuetext="{escape(format.layer_title(shown))}"><div class="stops">{stops}</div></div>'
    )


def _panel(comparison: Comparison, layer: LayerComparison, groups: list[int | None], *, hidden: bool) -> str:
    baseline = format.number_text(layer.random_pair_cosine)
    return (
        f'<div class="panel" data-panel="{escape(layer.name)}"{" hidden" if hidden else ""}>'
        f'<p class="reading">{escape(format.layer_sentence(comparison, layer))} '
        f'<span class="baseline">Two random words: <b>{baseline}</b></span></p>'
        f"{heat_map(comparison, layer, groups)}{legend(baseline)}"
        f'<div class="tables">{pairs_table(comparison, layer, groups)}{norms_table(comparison, layer, groups)}</div></div>'
    )


def heat_map(comparison: Comparison, layer: LayerComparison, groups: list[int | None]) -> str:
    """The cosine of every two uses as a coloured table."""
    order = format.display_order(comparison)
    edges = {at for at in range(1, len(order)) if groups[order[at]] != groups[order[at - 1]]}
    head = "".join(
        f'<th scope="col"{" class=edge" if at in edges else ""}>{badge(use, groups[use])}</th>'
        for at, use in enumerate(order)
    )
    rows = []
    for at, use in enumerate(order):
        before, word, after = (escape(part) for part in format.snippet(comparison.items[use]))
        cells = "".join(
            _cell(layer.cosine[use][other], layer.random_pair_cosine, same=use == other, edge=across in edges)
            for across, other in enumerate(order)
        )
        rows.append(
            f'<tr{" class=edge" if at in edges else ""}><th scope="row"><span class="rowhead">'
            f'{badge(use, groups[use])}<span class="snippet">{before}<b>{word}</b>{after}</span></span></th>'
            f"{cells}</tr>"
        )
    title = f"Cosine of every two uses, {format.layer_title(layer.name)}"
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(title)}" data-picture="{escape(title)}">'
        f'<table class="map">'
        f"<caption>{escape(title)}</caption><thead><tr><td></td>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(cosine: float, floor: float, *, same: bool, edge: bool) -> str:
    text = format.number_text(cosine)
    edge_class = " edge" if edge else ""
    if same:
        return f'<td class="self{edge_class}">{text}</td>'
    c = heat.cell_colours(heat.share_of(cosine, floor))
    style = f"--b:{c.background};--t:{c.text};--bd:{c.background_dark};--td:{c.text_dark}"
    return f'<td class="heat{edge_class}" style="{style}">{text}</td>'


def legend(baseline: str) -> str:
    """What the colours of the map stand for."""
    style = f"--l:{','.join(heat.LIGHT)};--d:{','.join(heat.DARK)}"
    return (
        f'<div class="legend" style="{style}" data-picture=""><span>{baseline} or less: like two random words</span><i></i>'
        "<span>1.00: identical</span></div>"
    )


def pairs_table(comparison: Comparison, layer: LayerComparison, groups: list[int | None]) -> str:
    """All pairs with their cosine, closest first; the chance of one meaning stands beside the layer of the verdict."""
    sure = comparison.same_meaning if layer.name == comparison.verdict_layer else ()
    one_word = " one-word" if len({item.token for item in comparison.items}) == 1 else ""
    rows = "".join(
        f'<tr><th scope="row">{badge(a, groups[a])} {badge(b, groups[b])}</th>'
        f"<td>{escape(comparison.items[a].token)} – {escape(comparison.items[b].token)}</td>"
        f'<td class="number">{format.number_text(value)}</td>'
        f'<td class="number">{format.number_text(value - layer.random_pair_cosine)}</td>'
        f"{f'<td class=number>{percent(sure[a][b])}</td>' if sure else ''}</tr>"
        for a, b, value in format.pairs_of(layer)
    )
    same = '<th scope="col" class="number">Same meaning</th>' if sure else ""
    return (
        '<div class="scroll tall" role="region" tabindex="0" aria-label="Pairs, closest first">'
        f'<table class="list{one_word}">'
        "<caption>Pairs, closest first</caption>"
        '<thead><tr><th scope="col">Uses</th><th scope="col">Words</th><th scope="col" class="number">Cosine</th>'
        f'<th scope="col" class="number">Above random</th>{same}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def norms_table(comparison: Comparison, layer: LayerComparison, groups: list[int | None]) -> str:
    """The length of every vector."""
    rows = "".join(
        f'<tr><th scope="row">{badge(use, groups[use])}</th><td>{escape(item.token)}</td>'
        f'<td class="number">{format.number_text(layer.norms[use])}</td></tr>'
        for use, item in enumerate(comparison.items)
    )
    return (
        '<div class="scroll tall" role="region" tabindex="0" aria-label="Vector lengths"><table class="list">'
        "<caption>Vector lengths</caption>"
        '<thead><tr><th scope="col">Use</th><th scope="col">Word</th><th scope="col" class="number">Norm</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _actions(comparison: Comparison, query: str) -> str:
    # The byte order mark tells spreadsheets that the file is UTF-8.
    data = quote("\ufeff" + format.csv_text(comparison))
    return (
        f'<div class="actions">{copy_link(query)}{png(format.csv_name(comparison).removesuffix(".csv"))}'
        f'<a class="plain" download="{escape(format.csv_name(comparison))}" href="data:text/csv;charset=utf-8,{data}">'
        'Download CSV</a><button type="button" class="plain" data-report>Download report</button>'
        '<span class="said" role="status"></span></div>'
    )
