"""Pure functions from what a person typed, and from the answer, to the plain values that the page shows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from elmo_tasks.api import Choice, Comparison, ComparisonItem, LayerComparison, Limits
from elmo_tasks.errors import InputError

ORDINALS = ("1st", "2nd", "3rd")


@dataclass(frozen=True)
class Form:
    """What the form holds.

    Attributes:
        word: the word to compare.
        sentences: the sentences as typed, brackets included; no empty ones.
        model: name of a model; ``None`` for the default one.
        layer: the layer to show first; ``None`` for the one the verdict was read from.
    """

    word: str
    sentences: tuple[str, ...]
    model: str | None = None
    layer: str | None = None


def form_from(data: Mapping[str, Any]) -> Form:
    """Read what the browser sent; line breaks become spaces and empty boxes are left out."""
    typed = data.get("sentences")
    lines = (" ".join(str(s).split()) for s in typed) if isinstance(typed, list) else ()
    return Form(
        word=str(data.get("word") or "").strip(),
        sentences=tuple(line for line in lines if line),
        model=str(data["model"]) if data.get("model") else None,
    )


def form_from_query(query: str, limits: Limits) -> Form | None:
    """Read a link made by :func:`query_of`; ``None`` when the query string holds no comparison.

    Raises:
        InputError: the link holds more than a comparison may.
    """
    pairs = parse_qsl(query, keep_blank_values=True)
    sentences = [value for key, value in pairs if key == "s"]
    single = {key: value for key, value in pairs if key in ("word", "model", "layer")}
    if not sentences and "word" not in single:
        return None
    if len(sentences) > limits.max_sentences:
        raise InputError(
            f"This link cannot be opened: it holds {len(sentences)} sentences, and {limits.max_sentences} is the most."
        )
    if any(len(value) > limits.max_characters for value in (*sentences, *single.values())):
        raise InputError(
            f"This link cannot be opened: one of its texts is longer than {limits.max_characters} characters."
        )
    form = form_from({**single, "sentences": sentences})
    return Form(form.word, form.sentences, form.model, single.get("layer"))


def query_of(form: Form, model: str) -> str:
    """The query string that restores a comparison; the page adds the layer it shows."""
    return urlencode([("word", form.word), *(("s", s) for s in form.sentences), ("model", model)])


def note(field: str, kind: str, text: str, choices: Sequence[Choice] = ()) -> dict[str, Any]:
    """A message at a field of the form; ``kind`` is ``"error"`` or ``"hint"``."""
    buttons = [{"label": f"Use {choice.label}", "text": choice.sentence} for choice in choices]
    return {"field": field, "kind": kind, "text": text, "choices": buttons}


def note_of_error(error: InputError) -> dict[str, Any]:
    """The message of an error, at the field it is about."""
    return note(error.field, "error", str(error), error.choices)


def notes_of(comparison: Comparison) -> list[dict[str, Any]]:
    """What a person may want to change in an answer: the other places of a sentence that could have been meant."""
    return [
        note(f"sentence {number}", "hint", _ambiguity(item), item.choices)
        for number, item in enumerate(comparison.items, 1)
        if item.choices
    ]


def _ambiguity(item: ComparisonItem) -> str:
    same = [i for i, token in enumerate(item.tokens) if token.casefold() == item.token.casefold()]
    if len(same) != 1 + len(item.choices):
        return f"More than one word here could be meant: “{item.token}” is compared."
    place = same.index(item.index)
    times = "twice" if len(same) == 2 else f"{len(same)} times"
    return f"“{item.token}” occurs {times} here: the {ordinal(place + 1)} is compared."


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ... for the small numbers of a sentence."""
    return ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"


def editor_value(form: Form, notes: Sequence[dict[str, Any]] = (), revision: int = 0) -> dict[str, Any]:
    """What the form component shows. The revision tells it that an answer came, even when nothing changed."""
    return {
        "word": form.word,
        "sentences": list(form.sentences),
        "model": form.model or "",
        "notes": list(notes),
        "revision": revision,
    }


def layer_title(name: str) -> str:
    """The name of a layer as people read it."""
    if name == "0":
        return "Spelling only"
    return {"mean": "Mean of layers", "words": "The words around it"}.get(name, f"Layer {name}")


def layer_place(name: str) -> str:
    """The name of a layer inside a sentence."""
    if name == "words":
        return "by the words around them"
    return "in the mean of all layers" if name == "mean" else f"at layer {name}"


def number_text(value: float) -> str:
    """Two decimals, with a true minus sign and never a negative zero."""
    text = f"{value:.2f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def pairs_of(layer: LayerComparison) -> list[tuple[int, int, float]]:
    """All pairs of uses with their cosine, the closest first."""
    size = len(layer.cosine)
    pairs = [(a, b, layer.cosine[a][b]) for a in range(size) for b in range(a + 1, size)]
    return sorted(pairs, key=lambda pair: -pair[2])


def layer_sentence(comparison: Comparison, layer: LayerComparison) -> str:
    """One sentence that says what the picture of a layer shows."""
    pairs = pairs_of(layer)
    (a, b, high), (c, d, low) = pairs[0], pairs[-1]
    if layer.name == "0":
        if low > 0.995:
            return (
                "This is the view without context: it sees letters only, so the same spelling gives the same vector "
                "and every use scores 1.00. Move the slider to let the model read the sentences."
            )
        return (
            "This is the view without context: it sees letters only, so the numbers say how alike the spellings are, "
            "whatever the sentences mean. One spelling scores 1.00 everywhere."
        )
    where = layer_place(layer.name)
    where = where[0].upper() + where[1:]
    if len(pairs) == 1:
        return f"{where} the two uses have a cosine of {number_text(high)}."
    return (
        f"{where}, uses {a + 1} and {b + 1} are the closest ({number_text(high)}); "
        f"{c + 1} and {d + 1} are the furthest apart ({number_text(low)})."
    )


def snippet(item: ComparisonItem, width: int = 16) -> tuple[str, str, str]:
    """The compared word and a little text on either side, cut between words."""
    before, after = item.sentence[: item.start], item.sentence[item.end :]
    if len(before) > width:
        cut = before[-width:]
        before = "…" + (cut.split(" ", 1)[1] if " " in cut.rstrip() else cut)
    if len(after) > width:
        cut = after[:width]
        after = (cut.rsplit(" ", 1)[0] if " " in cut.lstrip() else cut) + "…"
    return before, item.sentence[item.start : item.end], after


def display_order(comparison: Comparison) -> tuple[int, ...]:
    """The uses, those of one group next to each other."""
    grouped = [use for group in comparison.groups for use in group]
    return (*grouped, *(use for use in range(len(comparison.items)) if use not in grouped))


def csv_cell(value: str | float) -> str:
    """A cell that no spreadsheet runs as a formula: text that begins like one gets a leading apostrophe."""
    if isinstance(value, float):
        return f"{value:.6f}"
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def csv_text(comparison: Comparison) -> str:
    """All layers as a spreadsheet: one row per layer and use, then the probabilities that two uses mean the same."""
    out = io.StringIO()
    writer = csv.writer(out)
    uses = range(1, len(comparison.items) + 1)
    header = ["layer", "use", "word", "sentence", "norm", *(f"cosine with {n}" for n in uses), "two random words"]
    writer.writerow(header)
    for layer in comparison.layers:
        for number, item in enumerate(comparison.items, 1):
            row: list[str | float] = [layer.name, str(number), item.token, item.sentence, layer.norms[number - 1]]
            row += [*layer.cosine[number - 1], layer.random_pair_cosine]
            writer.writerow([csv_cell(cell) for cell in row])
    for number, (item, chances) in enumerate(zip(comparison.items, comparison.same_meaning, strict=False), 1):
        row = ["probability of the same meaning", str(number), item.token, item.sentence, "", *chances, ""]
        writer.writerow([csv_cell(cell) for cell in row])
    return out.getvalue()


def csv_name(comparison: Comparison) -> str:
    """A file name that every system takes."""
    return f"compare-{re.sub(r'[^a-z0-9]+', '-', comparison.word.lower()).strip('-') or 'word'}.csv"


_READ_FROM = {"words": "from the words around it", "expected": "from the words expected in its place"}


def read_by(comparison: Comparison, model: str) -> str:
    """What the verdict was read from, and how often that is right; nothing where nothing could be read."""
    if not comparison.read_from:
        return ""
    parts = [_READ_FROM.get(view, layer_place(view)) for view in comparison.read_from]
    right = round(100 * comparison.right_when_clear)
    tested = (
        f" In a test with other words, groupings that were clear enough to be named had {right} % of their pairs right."
    )
    said = f"Read {', '.join(parts[:-1])}{' and ' if len(parts) > 1 else ''}{parts[-1]}, by {model}."
    if comparison.read_from == ("words",):
        said = f"Read {parts[0]}, without {model}."
    return said + (tested if comparison.groups and comparison.right_when_clear else "")


def headline(verdict: str) -> tuple[str, str]:
    """The first sentence of a verdict, which is the answer, and what follows it."""
    first, stop, rest = verdict.partition(". ")
    return (first + stop.rstrip(), rest) if stop else (verdict, "")
