"""The markup of what is in a data set, before anything is trained on it. Everything from a file is escaped."""

from __future__ import annotations

from html import escape

from elmo_tasks.api import DataLook
from elmo_tasks.ui.plain_words import class_words, type_note

_MOST_LABELS = 12


def card(look: DataLook, kind: str) -> str:
    """Rows, labels and the first rows."""
    if not look.rows:
        return (
            '<section class="card data"><p class="eyebrow">The data</p>'
            f"<h2>“{escape(look.title)}” is downloaded when training begins.</h2>"
            '<p class="reasons">That needs a network; without one the run fails and says so. At most 5,000 rows are '
            "trained on, so that it does not take all day.</p></section>"
        )
    unit = "texts" if kind == "classification" else "sentences"
    return (
        f'<section class="card data"><p class="eyebrow">{escape(_capital(look.title))}</p>'
        f'<div role="status"><h2>{look.rows + look.test_rows:,} {unit}, {_labels_sentence(look)}</h2>'
        f'<p class="reasons">{_split_sentence(look, unit)}{_warning(look)}</p></div>'
        f'<div class="data-parts">{_counts(look)}{_examples(look, kind)}</div></section>'
    )


def problem(message: str) -> str:
    """What is shown when the data cannot be used: the message as it is, with its lines."""
    return (
        '<section class="card quiet data-problem" role="status"><p class="eyebrow">This cannot be trained on yet</p>'
        f"<pre>{escape(message)}</pre><p>Change the file or the choice of its columns, then choose it again.</p></section>"
    )


def choose_file() -> str:
    """What is shown as long as no file was chosen."""
    return (
        '<section class="card quiet"><p class="eyebrow">The data</p><h2>Choose a file to see what is in it.</h2>'
        "<p>It stays on the machine that runs this app.</p></section>"
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text.startswith("the ") else text


def _labels_sentence(look: DataLook) -> str:
    number = len(look.labels)
    kinds = {"texts": "label", "names": "kind of name", "words": "tag"}[look.counted]
    plural = {"label": "labels", "kind of name": "kinds of names", "tag": "tags"}[kinds]
    return f"{number} {kinds if number == 1 else plural}."


def _split_sentence(look: DataLook, unit: str) -> str:
    if not look.test_rows:
        return "No test texts could be kept apart: the labels are too rare."
    return (
        f"{look.rows:,} are learned from (some of them are held back to pick the best round); "
        f"{look.test_rows:,} {unit} are kept apart for the test at the end."
    )


def _warning(look: DataLook) -> str:
    if look.counted != "texts" or not look.labels:
        return ""
    (top, most), total = look.labels[0], sum(number for _, number in look.labels)
    if most / total > 0.8:
        return (
            f" {round(100 * most / total)}\u00a0% of the texts are “{escape(top)}”: always saying that is right as often, so a "
            "high score means little here."
        )
    return ""


def _counts(look: DataLook) -> str:
    most = look.labels[0][1]
    rows = "".join(
        f"<li><span>{escape(_note(name, look.counted))}</span>"
        f'<i aria-hidden="true"><b style="width:{100 * number / most:.1f}%"></b></i><span>{number:,}</span></li>'
        for name, number in look.labels[:_MOST_LABELS]
    )
    rest = len(look.labels) - _MOST_LABELS
    more = f'<p class="hint">and {rest} more</p>' if rest > 0 else ""
    return f'<div><h3>How often each comes</h3><ul class="counts" role="list">{rows}</ul>{more}</div>'


def _note(name: str, counted: str) -> str:
    note = type_note(name) if counted != "texts" else class_words(name)
    return f"{name} ({note})" if note and note != name.lower() and note != name else name


def _examples(look: DataLook, kind: str) -> str:
    rows = []
    for words, labels in look.examples:
        if kind == "classification":
            rows.append(f'<li><b class="label">{escape(labels[0])}</b><p>{escape(words[0])}</p></li>')
            continue
        shown = " ".join(
            escape(word) if tag == "O" else f"<mark>{escape(word)}<small>{escape(tag)}</small></mark>"
            for word, tag in zip(words, labels, strict=True)
        )
        rows.append(f"<li><p>{shown}</p></li>")
    return f'<div><h3>The first rows</h3><ul class="samples" role="list">{"".join(rows)}</ul></div>'
