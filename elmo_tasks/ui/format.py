"""Pure functions from form input and answers to the plain values on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any
from urllib.parse import parse_qsl, urlencode

from elmo_tasks.api import Choice, Comparison, ComparisonItem, LayerComparison, Limits
from elmo_tasks.errors import InputError
from elmo_tasks.messages.text import first_capital, listed, number, ordinal, slug
from elmo_tasks.messages.views import READS_LETTERS, view_place
from elmo_tasks.ui.page import csv_file


@dataclass(frozen=True)
class Form:
    """Content of the comparison form."""

    word: str
    sentences: tuple[str, ...]  # as typed, brackets included; no empty ones
    model: str | None = None  # the default one if ``None``
    layer: str | None = None  # to show first; the one the verdict was read from if ``None``
    others: tuple[str, ...] = ()  # models to compare with
    whole: bool = False  # whether whole sentences are compared, without a word
    own_meanings: str = ""  # meanings that the person gives, in the format of the dictionary

    @property
    def models(self) -> list[str]:
        """All models of the form."""
        return [self.model, *self.others] if self.model else []


def form_from(data: Mapping[str, Any]) -> Form:
    """Read what the browser sent; line breaks become spaces and empty boxes are left out."""
    typed, sent = data.get("sentences"), data.get("models")
    models = [str(name) for name in sent if name] if isinstance(sent, list) else []
    lines = (" ".join(str(s).split()) for s in typed) if isinstance(typed, list) else ()
    return Form(
        word=str(data.get("word") or "").strip(),
        sentences=tuple(line for line in lines if line),
        model=next(iter(models), None),
        others=tuple(models[1:]),
        whole=bool(data.get("whole")),
        own_meanings=str(data.get("own") or "").replace("\r\n", "\n").rstrip(),
    )


def form_from_query(query: str, limits: Limits) -> Form | None:
    """Read a link made by :func:`query_of`; ``None`` without a comparison.

    Raises:
        InputError: the link holds more than a comparison may.
    """
    pairs = parse_qsl(query, keep_blank_values=True)
    sentences = [value for key, value in pairs if key == "s"]
    models = [value for key, value in pairs if key == "model"]
    single = {key: value for key, value in pairs if key in ("word", "layer", "whole", "own")}
    if not sentences and "word" not in single:
        return None
    problem = ""
    if len(sentences) > limits.max_sentences:
        problem = f"it holds {len(sentences)} sentences, and {limits.max_sentences} is the most."
    elif len(models) > limits.max_models:
        problem = f"it names {len(models)} models, and {limits.max_models} is the most."
    elif any(
        len(value) > limits.max_characters
        for value in (*sentences, *models, *(v for key, v in single.items() if key != "own"))
    ):
        problem = f"one of its texts is longer than {limits.max_characters} characters."
    if problem:
        raise InputError(f"This link cannot be opened: {problem}")
    form = form_from({**single, "sentences": sentences, "models": models})
    return replace(form, layer=single.get("layer"))


def query_of(form: Form, *models: str) -> str:
    """Return the query string that restores a comparison by these models.

    The page adds the layer that it shows.
    """
    start = [("whole", "1")] if form.whole else [("word", form.word)]
    if form.own_meanings and not form.whole:
        start.append(("own", form.own_meanings))
    return urlencode([*start, *(("s", s) for s in form.sentences), *(("model", m) for m in models)])


def note(field: str, kind: str, text: str, choices: Sequence[Choice] = ()) -> dict[str, Any]:
    """Return a message at a field of the form; ``kind`` is ``"error"`` or ``"hint"``."""
    buttons = [{"label": f"Use {choice.label}", "text": choice.sentence} for choice in choices]
    return {"field": field, "kind": kind, "text": text, "choices": buttons}


def note_of_error(error: InputError) -> dict[str, Any]:
    """Return the message of an error, at the field that caused it."""
    return note(error.field, "error", str(error), error.choices)


def notes_of(comparison: Comparison) -> list[dict[str, Any]]:
    """Return hints on an answer: other places of a sentence that may be meant."""
    return [
        note(f"sentence {place}", "hint", _ambiguity(item), item.choices)
        for place, item in enumerate(comparison.items, 1)
        if item.choices
    ]


def _ambiguity(item: ComparisonItem) -> str:
    same = [i for i, token in enumerate(item.tokens) if token.casefold() == item.token.casefold()]
    if len(same) != 1 + len(item.choices):
        return f"More than one word here could be meant: “{item.token}” is compared."
    place = same.index(item.index)
    times = "twice" if len(same) == 2 else f"{len(same)} times"
    return f"“{item.token}” occurs {times} here: the {ordinal(place + 1)} is compared."


def editor_value(form: Form, notes: Sequence[dict[str, Any]] = (), revision: int = 0) -> dict[str, Any]:
    """Return the value of the form component.

    The revision marks a new answer, even when nothing else changed.
    """
    return {
        "word": form.word,
        "sentences": list(form.sentences),
        "models": form.models,
        "whole": form.whole,
        "own": form.own_meanings,
        "notes": list(notes),
        "revision": revision,
    }


def pairs_of(layer: LayerComparison) -> list[tuple[int, int, float]]:
    """Return all pairs of uses with their cosine, the most similar first."""
    pairs = combinations(range(len(layer.cosine)), 2)
    return sorted(((a, b, layer.cosine[a][b]) for a, b in pairs), key=lambda pair: -pair[2])


def layer_sentence(comparison: Comparison, layer: LayerComparison) -> str:
    """Describe the picture of a layer in a sentence."""
    pairs = pairs_of(layer)
    (a, b, high), (c, d, low) = pairs[0], pairs[-1]
    if layer.sees not in ("", READS_LETTERS):
        alone = f"This view reads no other word: it sees {layer.sees}."
        return f"{alone} Every use scores 1.00." if low > 0.995 else alone
    if layer.name == "0":
        if low > 0.995:
            said = (
                "This is the view without context: it sees letters only, so the same spelling gives the same vector and "
                "every use scores 1.00."
            )
            return f"{said} Move the slider to let the model read the sentences."
        return (
            "This is the view without context: it sees letters only, so the numbers say how alike the spellings are, "
            "whatever the sentences mean. One spelling scores 1.00 everywhere."
        )
    where = first_capital(view_place(layer.name))
    if len(pairs) == 1:
        return f"{where} the two uses have a cosine of {number(high)}."
    highest, lowest = _with_cosine(pairs, high), _with_cosine(pairs, low)
    said = f"{where} alone, {highest} have the highest cosine ({number(high)}), {lowest} the lowest ({number(low)})."
    if not rests_on_more(comparison):
        return said
    if not comparison.groups:  # the highest would be read as the answer that is not given
        return f"{said} That does not say which go together."
    group = {use: k for k, uses in enumerate(comparison.groups) for use in uses}
    if len(comparison.groups) > 1 and (group.get(a) != group.get(b) or (c in group and group[c] == group.get(d))):
        return f"{said} This layer alone would group them differently."
    return said


def rests_on_more(comparison: Comparison) -> bool:
    """Check if the answer uses more than the cosines of one layer."""
    return bool(comparison.same_meaning)


def _with_cosine(pairs: Sequence[tuple[int, int, float]], cosine: float) -> str:
    """Name the uses that have this cosine as written, or note that there are many."""
    found = [(a + 1, b + 1) for a, b, other in pairs if number(other) == number(cosine)]
    if len(found) == 1:
        return listed(found[0])
    return listed([f"{a} with {b}" for a, b in found]) if len(found) == 2 else "several pairs"


def snippet(item: ComparisonItem, width: int = 16) -> tuple[str, str, str]:
    """Return the compared word with a little text on either side, cut between words."""
    before, after = item.sentence[: item.start], item.sentence[item.end :]
    if len(before) > width:
        cut = before[-width:]
        before = "…" + (cut.split(" ", 1)[1] if " " in cut.rstrip() else cut)
    if len(after) > width:
        cut = after[:width]
        after = (cut.rsplit(" ", 1)[0] if " " in cut.lstrip() else cut) + "…"
    return before, item.sentence[item.start : item.end], after


def display_order(comparison: Comparison) -> tuple[int, ...]:
    """Order the uses so that those of one meaning are adjacent."""
    groups = group_of(comparison)
    return tuple(sorted(range(len(groups)), key=lambda use: (groups[use] is None, groups[use] or 0, use)))


def csv_text(comparison: Comparison) -> str:
    """Return all layers as a spreadsheet.

    It has one row per layer and use, then the probabilities that two uses share a meaning.
    """
    uses = range(1, len(comparison.items) + 1)
    header = ["layer", "use", "word", "sentence", "norm", *(f"cosine with {n}" for n in uses), "two random words"]
    rows = [
        (layer.name, n, item.token, item.sentence, norm, *cosines, layer.random_pair_cosine)
        for layer in comparison.layers
        for n, item, norm, cosines in zip(uses, comparison.items, layer.norms, layer.cosine, strict=True)
    ]
    sure = [
        ("probability of the same meaning", n, item.token, item.sentence, "", *chances, "")
        for n, item, chances in zip(uses, comparison.items, comparison.same_meaning, strict=False)
    ]
    return csv_file(header, [*rows, *sure])


def file_stem(comparison: Comparison) -> str:
    """Return the file name of a comparison, without the extension."""
    return f"compare-{slug(comparison.word)}"


def group_of(comparison: Comparison) -> list[int | None]:
    """Return the group of each use; ``None`` where it is in none."""
    sets = [uses for _, uses in comparison.cards] or list(comparison.groups)
    groups = {use: at for at, uses in enumerate(sets) for use in uses}
    return [groups.get(use) for use in range(len(comparison.items))]
