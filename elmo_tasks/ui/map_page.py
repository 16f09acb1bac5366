"""The markup of the Sense map tab. What came from a person or a model goes through :func:`html.escape`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from elmo_tasks.api import MapUse, ModelInfo, SenseGroup, SenseMap, TwoLives
from elmo_tasks.ui import map_picture
from elmo_tasks.ui.downloads import actions, csv_file
from elmo_tasks.ui.format import headline, number_text
from elmo_tasks.ui.map_words import csv_text, measured, own_words, shown_words, view_place, view_title
from elmo_tasks.ui.plain_words import percent


def how(answer: SenseMap | None = None) -> str:
    """The explanation, with what was measured of each view."""
    return f"""
<details class="card how">
<summary>How this works</summary>
<div>
<p>Every use of the word becomes a list of numbers, a <dfn>vector</dfn>. Uses whose vectors point the same way get marks
that lie close together. Then the program looks for groups of marks with gaps between them.</p>
<ul>
<li><b>ELMo’s layers</b> describe a word by reading its whole sentence. The small model that comes with the program
notices how a sentence is built more than what it is about.</li>
<li><b>The words around it</b> describe a use by the other words of its sentence, each with one fixed vector, in no
order. That is not ELMo. It knows topics well and is the yardstick here.</li>
<li><b>Both</b> puts layer 1 and these words side by side.</li>
<li><b>The number of groups</b> is the one with the widest gaps (the silhouette). It is held against the gaps that
the same number of points without any groups shows. If it is not clearly above that, no groups are named: a guess would
look like knowledge.</li>
<li><b>The words of a group</b> stand around its uses, are like other words there, and unlike the words around the other
groups. They are a hint at what the group is about, not its name.</li>
<li><b>More of your own text</b> than fits here: in a terminal, <code>python -m elmo_tasks index my_text.txt --out
my_index</code> (or <code>hub:NAME</code> for a data set on the Hugging Face hub), then <code>python app.py --index
my_index</code>.</li>
</ul>
{_views(answer) if answer is not None else ""}
<p>From a program: <code>gradio_client.Client(address).predict("bank", api_name="/sense_map")</code>, and
<code>predict("…a chapter…", api_name="/two_lives")</code>.</p>
</div>
</details>
"""


def waiting() -> str:
    """What is shown until the first map is drawn."""
    return (
        '<div class="map-answer"><section class="card quiet" aria-busy="true"><p>Drawing the map…</p></section></div>'
    )


def nothing(reason: str) -> str:
    """What is shown when there is no map; the reason stands at the form as well."""
    return (
        '<div class="map-answer"><section class="card quiet" role="status"><p class="eyebrow">No map yet</p>'
        f"<h2>{escape(reason)}</h2></section></div>"
    )


def page(answer: SenseMap, models: Sequence[ModelInfo], query: str = "", left_out: str = "") -> str:
    """A map: the answer in words, the picture, the uses, the explanation.

    Args:
        answer: the map.
        models: for the title of the model.
        query: of the link that draws it again.
        left_out: what that link does not hold.
    """
    first, rest = headline(answer.verdict)
    title = next((m.title for m in models if m.name == answer.model), answer.model)
    reasons = " ".join(part for part in (rest, own_words(answer), measured(answer)) if part)
    return (
        f'<div class="map-answer" data-word="{escape(answer.word)}" data-view="{escape(answer.view)}">'
        f'<section class="card verdict{"" if answer.groups else " unsure"}">'
        f'<p class="eyebrow">“{escape(answer.word)}”, compared {escape(view_place(answer.view))}</p>'
        f'<div role="status"><h2>{escape(first)}</h2><p class="reasons">{escape(reasons)}</p></div>'
        f'<p class="meta">Read by {escape(title)}</p>'
        f"{_groups(answer)}{map_picture.picture(answer)}"
        '<p class="hint">Point at a mark, tap it, or go to it with the arrow keys to read its sentence.</p>'
        '<div class="told" aria-live="polite"></div>'
        f'<p class="hint">{escape(shown_words(answer))}</p></section>'
        f'<section class="card numbers"><h3>All {len(answer.uses)} uses</h3>{_table(answer)}'
        f"{actions(f'sense-map-{_slug(answer.word)}', csv_text(answer), answer.to_dict(), query, left_out)}</section>"
        f"{how(answer)}</div>"
    )


def lives_page(answer: TwoLives, query: str = "", left_out: str = "") -> str:
    """The words of a text, those whose uses split most clearly first; each opens its map; the link as in :func:`page`."""
    first, rest = headline(answer.verdict)
    rows = []
    for word in answer.words:
        groups = "; ".join(f"{g.letter}: {', '.join(g.words) or '–'} ({g.n_uses})" for g in word.groups)
        rows.append(
            f'<tr><th scope="row"><button type="button" class="plain" data-map="{escape(word.word)}" '
            f'aria-label="Map of “{escape(word.word)}”">{escape(word.word)}</button></th>'
            f'<td>{escape(groups)}</td><td class="number">{word.n_uses}</td>'
            f"<td>{'stands out' if word.is_clear else 'usual'}</td>"
            f'<td class="number">{number_text(word.score)}</td></tr>'
        )
    header = ("word", "uses", "stands out", "score", "groups")
    table = csv_file(
        header,
        (
            (
                w.word,
                str(w.n_uses),
                "yes" if w.is_clear else "no",
                w.score,
                "; ".join(f"{g.letter}: {' '.join(g.words)}" for g in w.groups),
            )
            for w in answer.words
        ),
    )
    return (
        f'<div class="map-answer"><section class="card verdict"><p class="eyebrow">Words with two lives in your text of '
        f'{answer.n_sentences:,} sentences</p><div role="status"><h2>{escape(first)}</h2>'
        f'<p class="reasons">{escape(rest)}</p></div>'
        f'<p class="meta">Compared {escape(view_place(answer.view))}</p></section>'
        '<section class="card numbers"><h3>The words, the clearest split first</h3>'
        '<p class="hint">Choose a word to see its uses on a map. The score says how far its split is clearer than '
        "those of the other words of this text: 0 is usual, 2.5 or more stands out.</p>"
        '<div class="scroll tall" role="region" tabindex="0" aria-label="Words of the text" data-picture="">'
        '<table class="list lives"><thead>'
        '<tr><th scope="col">Word</th><th scope="col">Groups (uses)</th><th scope="col" class="number">Uses</th>'
        f'<th scope="col">Split</th><th scope="col" class="number">Score</th></tr></thead><tbody>{"".join(rows)}</tbody>'
        f"</table></div>{actions('two-lives', table, answer.to_dict(), query, left_out)}</section>{how()}</div>"
    )


def _groups(answer: SenseMap) -> str:
    if not answer.groups:
        return ""
    rows = "".join(_group(number, group) for number, group in enumerate(answer.groups))
    return f'<ul class="senses" role="list" data-picture="">{rows}</ul>'


def _group(number: int, group: SenseGroup) -> str:
    words = escape(", ".join(group.words)) or "no characteristic words"
    uses = f"{group.n_uses} use{'' if group.n_uses == 1 else 's'}"
    return f"<li>{map_picture.shape(number)}<span><b>{uses}</b> {words}</span></li>"


def marked(use: MapUse) -> str:
    """The sentence with the word marked."""
    before, word, after = use.sentence[: use.start], use.sentence[use.start : use.end], use.sentence[use.end :]
    return f"{escape(before)}<mark>{escape(word)}</mark>{escape(after)}"


def _table(answer: SenseMap) -> str:
    order = sorted(range(len(answer.uses)), key=lambda k: (_last(answer.uses[k].group), k))
    rows = []
    for k in order:
        use = answer.uses[k]
        near = " ".join(f"{other}:{cosine:.2f}" for other, cosine in use.nearest)
        sense = escape(use.sense) if use.sense else "★ your text" if use.own else ""
        rows.append(
            f'<tr data-row="{k}" data-near="{near}"><th scope="row">{map_picture.shape(use.group)}</th>'
            f"<td>{marked(use)}</td><td>{sense}</td></tr>"
        )
    return (
        '<div class="scroll tall" role="region" tabindex="0" aria-label="All uses"><table class="list map-uses"><thead><tr>'
        '<th scope="col">Group</th><th scope="col">Sentence</th><th scope="col">Written for</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _last(group: int | None) -> int:
    return 99 if group is None else group


def _views(answer: SenseMap) -> str:
    known = [view for view in answer.views if view.agreement is not None]
    if not known:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(view_title(v.name))}{" (shown)" if v.name == answer.view else ""}</th>'
        f'<td class="number">{number_text(v.agreement or 0.0)}</td><td class="number">{percent(v.named or 0.0)}</td>'
        f'<td class="number">{percent(v.right or 0.0) if v.named else "–"}</td></tr>'
        for v in sorted(known, key=lambda v: -(v.agreement or 0.0))
    )
    return (
        f"<p>How well groups found like this match the meanings that the example sentences of "
        f"{answer.n_measured_words} words were written for. The index (adjusted Rand) is 1 if they are the same and 0 if "
        "chance did as well. The other two are counted on words that the rule for naming was not fitted on.</p>"
        '<div class="scroll" role="region" tabindex="0" aria-label="What was measured"><table class="list measured"><thead><tr>'
        '<th scope="col">Compared by</th>'
        '<th scope="col" class="number">Index</th><th scope="col" class="number">Groups named</th>'
        f'<th scope="col" class="number">Pairs right then</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _slug(word: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") or "word"
