"""What another spelling does to a word: the sentence, the picture and the numbers. What was typed is escaped."""

from __future__ import annotations

import re
from html import escape

from elmo_tasks.api import RespelledLayer, Respelling
from elmo_tasks.ui.downloads import actions, csv_file
from elmo_tasks.ui.format import layer_place, layer_title, number_text

# From here on the vector is the same for all a person could tell.
_SAME = 0.995
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


def mean(layer: RespelledLayer) -> float:
    """The mean cosine over the sentences."""
    return sum(layer.cosine) / len(layer.cosine)


def share_kept(layer: RespelledLayer) -> float:
    """Where the mean lies between two random words (0) and the same vector (1); what lies outside is cut off."""
    room = max(1.0 - layer.random_pair_cosine, 1e-6)
    return min(1.0, max(0.0, (mean(layer) - layer.random_pair_cosine) / room))


def headline(result: Respelling) -> str:
    """How far the word moved, without more than the numbers carry."""
    first, top = result.layers[0], _top(result)
    pair = f"“{result.word}” and “{result.spelling}”"
    if all(mean(layer) >= _SAME for layer in result.layers):
        return f"To the model {pair} are the same."
    return (
        f"By its letters alone “{result.spelling}” keeps a cosine of {number_text(mean(first))} with “{result.word}”; "
        f"{layer_place(top.name)}, with the sentence around it, {number_text(mean(top))}."
    )


def reasons(result: Respelling) -> str:
    """Whether the sentence brings the two together."""
    first, top = result.layers[0], _top(result)
    if all(mean(layer) >= _SAME for layer in result.layers):
        return ""
    low, high = share_kept(first), share_kept(top)
    if low == 0.0:
        start = "Their spellings look no more alike to the model than two random words."
    else:
        start = f"Two random words score {number_text(first.random_pair_cosine)} there."
    if high > low + 0.1:
        return f"{start} Measured against two random words of each layer, the sentence around it brings them closer."
    if high < low - 0.1:
        return f"{start} Measured against two random words of each layer, the sentence around it does not bring them closer."
    return f"{start} Measured against two random words of each layer, the sentence around it changes little."


def _top(result: Respelling) -> RespelledLayer:
    """The highest layer that is no mean."""
    return next(layer for layer in reversed(result.layers) if layer.name != "mean")


def waiting() -> str:
    """What is shown before anything was typed."""
    return '<div class="respelling"></div>'


def nothing(message: str) -> str:
    """What is shown when it cannot be answered."""
    return f'<div class="respelling"><p class="note error" role="alert">{escape(message)}</p></div>'


def page(result: Respelling) -> str:
    """The answer."""
    top = len(result.layers)
    bars = "".join(
        f"<li><span>{escape(layer_title(layer.name))}</span>"
        f'<i style="--random:{100 * max(0.0, layer.random_pair_cosine):.1f}%" aria-hidden="true">'
        f'<b style="width:{100 * max(0.0, mean(layer)):.1f}%"></b></i>'
        f'<span class="number">{number_text(mean(layer))}</span></li>'
        for layer in result.layers
    )
    names = "".join(f'<th scope="col" class="number">{escape(layer_title(layer.name))}</th>' for layer in result.layers)
    rows = "".join(
        f'<tr><th scope="row">{at + 1}</th><td>{_marked(sentence)}</td>'
        + "".join(f'<td class="number">{number_text(layer.cosine[at])}</td>' for layer in result.layers)
        + "</tr>"
        for at, sentence in enumerate(result.sentences)
    )
    random = "".join(f'<td class="number">{number_text(layer.random_pair_cosine)}</td>' for layer in result.layers)
    name = re.sub(r"[^a-z0-9]+", "-", f"{result.word}-{result.spelling}".lower()).strip("-") or "word"
    return (
        f'<div class="respelling"><div role="status"><h3>{escape(headline(result))}</h3><p>{escape(reasons(result))}</p></div>'
        f'<ul class="kept-bars" role="list" data-picture="" style="--layers:{top}">{bars}</ul>'
        '<p class="hint">Cosine of the word as it stood and of the new spelling in its place, mean of the sentences; 1.00 is the '
        "same vector. Line across: two random words.</p>"
        '<div class="scroll tall" role="region" tabindex="0" aria-label="Every sentence"><table class="list figures">'
        f'<thead><tr><th scope="col">Use</th><th scope="col">Sentence</th>{names}</tr></thead><tbody>{rows}'
        f'<tr><th scope="row"></th><td>Two random words</td>{random}</tr></tbody></table></div>'
        f"{actions(f'spelling-{name}', csv_text(result), result.to_dict())}</div>"
    )


def _marked(sentence: str) -> str:
    """The sentence with its bracketed word marked; brackets without a partner, which a person typed, stay."""
    found = _BRACKETED.search(sentence)
    if found is None:
        return escape(sentence)
    before, after = sentence[: found.start()], sentence[found.end() :]
    return f"{escape(before)}<mark>{escape(found[1])}</mark>{escape(after)}"


def csv_text(result: Respelling) -> str:
    """One row per layer and sentence."""
    rows: list[list[str | float]] = [
        [layer.name, sentence, result.word, result.spelling, layer.cosine[at], layer.random_pair_cosine]
        for layer in result.layers
        for at, sentence in enumerate(result.sentences)
    ]
    return csv_file(["layer", "sentence", "word", "spelling", "cosine", "two random words"], rows)
