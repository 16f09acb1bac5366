"""Request of the Compare tab: its form, links, messages at fields, and examples.

The sentences of an example differ in syntax and topic and are rich in context words: parallel
sentences ("I ate an apple", "I ate a carrot") look alike to a language model whatever the word is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, urlencode

from elmo_tasks.api import Comparison
from elmo_tasks.errors import Choice
from elmo_tasks.text.tokens import HTML_TAG
from elmo_tasks.text.uses import Mention
from elmo_tasks.ui.rendering import CONTENT
from elmo_tasks.wording import listed, ordinal


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


def form_from_query(query: str) -> Form | None:
    """Read a link made by :func:`query_of`; ``None`` without a comparison."""
    values = parse_qs(query, keep_blank_values=True)
    if not {"s", "word"} & values.keys():
        return None
    single = {key: of_key[-1] for key, of_key in values.items()}
    lists = {"sentences": values.get("s"), "models": values.get("model")}
    return replace(form_from({**single, **lists}), layer=single.get("layer"))


def query_of(form: Form, *models: str) -> str:
    """Return the query that restores a comparison by these models; the page adds its layer."""
    start = [("whole", "1")] if form.whole else [("word", form.word)]
    if form.own_meanings and not form.whole:
        start.append(("own", form.own_meanings))
    return urlencode([*start, *(("s", s) for s in form.sentences), *(("model", m) for m in models)])


def note(field: str, kind: str, text: str, choices: Sequence[Choice] = ()) -> dict[str, Any]:
    """Return a message at a field of the form; ``kind`` is ``"error"`` or ``"hint"``."""
    buttons = [{"label": f"Use {choice.label}", "text": choice.sentence} for choice in choices]
    return {"field": field, "kind": kind, "text": text, "choices": buttons}


def notes_of(comparison: Comparison) -> list[dict[str, Any]]:
    """Return hints on an answer: other places of a sentence that may be meant, and HTML in it."""
    notes = []
    for place, judged in enumerate(comparison.uses, 1):
        use, field = judged.use, f"sentence {place}"
        if use.choices:
            notes.append(note(field, "hint", _ambiguity(use), use.choices))
        elif tags := listed(list(dict.fromkeys(HTML_TAG.findall(use.sentence)))):
            before, word, after = use.parts
            plain = Choice(
                "the sentence without them", HTML_TAG.sub("", f"{before}[{word}]{after}")
            )
            notes.append(note(field, "hint", f"HTML tags are read as words here: {tags}.", [plain]))
    return notes


def _ambiguity(use: Mention) -> str:
    same = [k for k, token in enumerate(use.tokens) if token.casefold() == use.token.casefold()]
    if len(same) != 1 + len(use.choices):
        return f"More than one word here could be meant: “{use.shown}” is compared."
    times = "twice" if len(same) == 2 else f"{len(same)} times"
    return (
        f"“{use.shown}” occurs {times} here: the {ordinal(same.index(use.token_start) + 1)} is"
        " compared."
    )


def editor_value(
    form: Form, notes: Sequence[dict[str, Any]] = (), revision: int | None = 0, template: str = ""
) -> dict[str, Any]:
    """Return the value of the form component.

    The ``revision`` marks a new answer; the ``template`` is the entry of the word, to make one's
    own meanings from.
    """
    return {
        "word": form.word,
        "sentences": list(form.sentences),
        "models": form.models,
        "whole": form.whole,
        "own": form.own_meanings,
        "notes": list(notes),
        "template": template,
        "revision": revision,
    }


# --- Examples ---


@dataclass(frozen=True)
class CompareExample:
    """Comparison that runs on click, or a pair of the quiz."""

    title: str  # label of its button
    word: str
    sentences: Sequence[str]  # ``[brackets]`` mark another word
    # meaning of the word in each sentence; of several words, the closest two share it
    meant: Sequence[str]
    is_one_word: bool = True


#: The first is what the page opens with.
EXAMPLES = tuple(CompareExample(**entry) for entry in CONTENT["compare"])


def known_senses(word: str, sentences: Sequence[str]) -> tuple[str, ...]:
    """Return the meaning of the word in each sentence, if all are of one example."""
    for example in EXAMPLES:
        meanings = (
            dict(zip(example.sentences, example.meant, strict=True)) if example.is_one_word else {}
        )
        if (
            example.word == word
            and sentences
            and all(sentence in meanings for sentence in sentences)
        ):
            return tuple(meanings[sentence] for sentence in sentences)
    return ()
