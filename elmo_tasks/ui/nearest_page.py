"""The markup of the Nearest uses tab. What came from a person or a model goes through :func:`html.escape`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from elmo_tasks.api import ModelInfo, NearestUses, NearUse
from elmo_tasks.ui.downloads import actions, csv_file
from elmo_tasks.ui.format import headline, layer_place, number_text

HOW = """
<details class="card how">
<summary>How this works</summary>
<div>
<p>On the left the model has read your sentence, and before it every word of every sentence it looks through. Each of those
uses is a list of numbers (a <dfn>vector</dfn>), and all of them are compared with yours: none is left out. What points most
nearly the same way (the highest <dfn>cosine</dfn>) is shown, at most one use of each sentence.</p>
<p>On the right every word has one vector, whatever the sentence (as in word2vec). All meanings of a word are mixed in it, so
the answer is the same for every sentence you type. In the paper that introduced ELMo, one table shows this for the word
“play”: without context its neighbours come from games and sports; with context they are uses of “play” in the same sense.</p>
<ul>
<li><b>Other words only</b> shows what plays the same part in its sentence.</li>
<li><b>A cosine alone says little:</b> compare it with that of two random words.</li>
<li><b>Your own text:</b> in a terminal, <code>python -m elmo_tasks index my_text.txt --out my_index</code>, then
<code>python app.py --index my_index</code>. In place of the file, <code>hub:NAME</code> reads a data set on the
Hugging Face hub.</li>
</ul>
<p>From a program: <code>gradio_client.Client(address).predict("play", "They won the play-off.", api_name="/nearest")</code></p>
<p>From: Peters and others, <cite>Deep contextualized word representations</cite>, 2018, table 4.</p>
</div>
</details>
"""


def waiting() -> str:
    """What is shown until the first answer comes; the very first one has to read all example sentences."""
    return (
        '<div class="near-answer"><section class="card quiet" aria-busy="true"><p>Reading the example sentences…</p>'
        "</section></div>"
    )


def nothing(reason: str) -> str:
    """What is shown when there is no answer; the reason stands at the form as well."""
    return (
        '<div class="near-answer"><section class="card quiet" role="status"><p class="eyebrow">No answer yet</p>'
        f"<h2>{escape(reason)}</h2></section></div>"
    )


def source_title(name: str) -> str:
    """What is searched, as people read it."""
    return "the example sentences" if name == "gallery" else f"your index “{name}”"


def page(answer: NearestUses, models: Sequence[ModelInfo], query: str = "") -> str:
    """The answer in words, the uses beside the words that are near without context, the explanation."""
    first, rest = headline(answer.answer)
    title = next((m.title for m in models if m.name == answer.model), answer.model)
    random = number_text(answer.random_pair_cosine)
    return (
        '<div class="near-answer"><section class="card verdict">'
        f'<p class="eyebrow">“{escape(answer.word)}” among {answer.n_tokens:,} uses of words</p>'
        f'<div role="status"><h2>{escape(first)}</h2><p class="reasons">{escape(rest)}</p></div>'
        f'<p class="asked">{_marked(answer.sentence, answer.start, answer.end)}</p>'
        f'<p class="meta">Looked through {escape(source_title(answer.source))} {escape(layer_place(answer.layer))}, '
        f"read by {escape(title)}. Two random words: {random}.</p>"
        '<div class="near-pair" data-picture=""><section aria-label="With context"><h3>In this sentence</h3>'
        f"{_uses(answer)}</section>"
        f'<section class="without" aria-label="Without context"><h3>In any sentence</h3>{_static(answer)}</section></div>'
        f"{actions(f'nearest-{_slug(answer.word)}', csv_text(answer), answer.to_dict(), query)}</section>{HOW}</div>"
    )


def _uses(answer: NearestUses) -> str:
    if not answer.uses:
        return '<p class="hint">Nothing was found. Let other words count, too.</p>'
    floor = min(answer.random_pair_cosine, min(use.cosine for use in answer.uses))
    mixed = len({use.same_word for use in answer.uses}) > 1
    rows = "".join(_row(use, floor, mixed) for use in answer.uses)
    return f'<ol class="hits" role="list">{rows}</ol>'


def _row(use: NearUse, floor: float, mixed: bool) -> str:
    share = max(0.0, (use.cosine - floor) / max(1.0 - floor, 1e-6))
    kind = '<span class="kind">same word</span>' if use.same_word else '<span class="kind other">other word</span>'
    kind = kind if mixed else ""
    return (
        f'<li><b class="number">{number_text(use.cosine)}</b><i style="--w:{100 * share:.1f}%"></i>'
        f"<p>{_marked(use.sentence, use.start, use.end)} {kind}</p></li>"
    )


def _static(answer: NearestUses) -> str:
    if not answer.static:
        return f'<p class="hint">“{escape(answer.word)}” is not among the words that have a vector without context.</p>'
    rows = "".join(
        f'<li><b class="number">{number_text(n.cosine)}</b><p>{escape(n.word)}</p></li>' for n in answer.static
    )
    return f'<p class="hint">One vector a word: the same for every sentence.</p><ol class="hits words" role="list">{rows}</ol>'


def _marked(sentence: str, start: int, end: int) -> str:
    return f"{escape(sentence[:start])}<mark>{escape(sentence[start:end])}</mark>{escape(sentence[end:])}"


def csv_text(answer: NearestUses) -> str:
    """The uses, then the words without context, as a spreadsheet."""
    rows: list[tuple[str | float, ...]] = [
        ("in this sentence", u.token, u.cosine, "yes" if u.same_word else "no", u.sentence) for u in answer.uses
    ]
    rows += [("in any sentence", n.word, n.cosine, "", "") for n in answer.static]
    return csv_file(("near", "word", "cosine", "same word", "sentence"), rows)


def _slug(word: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") or "word"
