"""The Try the models tab: a text in, its feeling and its names out, with and without context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import entities, sentiment
from elmo_tasks.ui.events import QUIET, SHARED
from elmo_tasks.ui.heads import TRAIN, distinct, find, offers, option
from elmo_tasks.ui.page_files import joined
from elmo_tasks.ui.try_examples import TRY_EXAMPLES

TASKS = {"feeling": "classification", "names": "tagging"}
READINGS = 4
# More than anyone reads; keeps one request from asking for a million.
MOST_READINGS = 10
SAY_FAILURE = "() => { document.querySelector('.try-editor').dispatchEvent(new Event('failed', { bubbles: true })); }"
HOW = """
<details class="card how">
<summary>How this works</summary>
<div>
<p>A language model that is never changed (it is <dfn>frozen</dfn>) reads the text from the left and from the right and
describes every word with a few layers of numbers. A small <dfn>head</dfn> on top was trained on examples: it learned
how much of each layer to use (the <dfn>mix</dfn>) and which numbers go with which answer.</p>
<ul>
<li><b>Push of a word:</b> the program leaves the word out, asks again and compares. It shows what the answer depends
on. It does not show how the model thinks, and leaving out one of two words that say the same changes little.</li>
<li><b>Without context:</b> a head of the same kind that was trained on layer 0 alone, where a word has the same numbers
in every sentence. What it gets wrong and the other gets right is what context buys.</li>
<li><b>Other readings:</b> the next most probable ways to mark the whole sentence.</li>
</ul>
<p>“93&nbsp;% sure” is the model’s own number. A model can be sure and wrong, above all on texts unlike those it was
trained on.</p>
<p>From a program: <code>gradio_client.Client(address).predict(["…"], api_name="/sentiment")</code>, and
<code>"/ner"</code> for names.</p>
</div>
</details>
"""


@dataclass(frozen=True)
class TryForm:
    """What the form holds.

    Attributes:
        texts: the lines that are not empty.
        tasks: what to look for: ``"feeling"``, ``"names"`` or both.
        heads: the chosen head of each kind; ``None`` for the default one.
    """

    texts: tuple[str, ...]
    tasks: tuple[str, ...]
    heads: Mapping[str, str | None]


def form_from(data: Mapping[str, Any]) -> TryForm:
    """Read what the browser sent."""
    lines = (line.strip() for line in str(data.get("text") or "").splitlines())
    task = str(data.get("task"))
    return TryForm(
        texts=tuple(line for line in lines if line),
        tasks=(task,) if task in TASKS else tuple(TASKS),
        heads={kind: str(data[kind]) if data.get(kind) else None for kind in TASKS.values()},
    )


def empty() -> str:
    """What is shown as long as nothing is typed."""
    return (
        '<div class="try-answer"><section class="card quiet"><p class="eyebrow">Nothing to read yet</p>'
        "<h2>Type a sentence, or pick an example.</h2>"
        "<p>The answer appears here while you type.</p></section></div>"
    )


def waiting() -> str:
    """What is shown until the first answer comes: the first question of all has to load the models."""
    return (
        '<div class="try-answer"><section class="card quiet" aria-busy="true"><p>Loading the models and reading…</p>'
        "</section></div>"
    )


def untrained(kinds: tuple[str, ...]) -> str:
    """What is shown where a head is missing: how to train one."""
    what = {"classification": "for feeling (sentiment)", "tagging": "for names (entities)"}
    rows = "".join(f"<p>A model {what[kind]}: <code>{TRAIN[kind]}</code></p>" for kind in kinds)
    return (
        '<section class="card quiet"><p class="eyebrow">No model yet</p><h2>Train one first.</h2>'
        f"<p>In a terminal, in the folder of this project:</p>{rows}<p>Then open this page again.</p></section>"
    )


def page(service: Service, form: TryForm) -> str:
    """The markup of the whole answer.

    Raises:
        InputError: something typed cannot be answered.
    """
    heads = service.heads.offered()
    by_kind = {kind: offers(heads, kind) for kind in TASKS.values()}
    missing = tuple(kind for kind in TASKS.values() if not by_kind[kind])
    if len(missing) == len(TASKS):
        return f'<div class="try-answer">{untrained(missing)}</div>'
    if not form.texts:
        return empty()
    cards = []
    for task in form.tasks:
        kind = TASKS[task]
        offer = find(by_kind[kind], form.heads[kind])
        if offer is None:
            cards.append(untrained((kind,)))
        elif kind == "classification":
            classified = service.heads.classify(form.texts, offer.head.name)
            plain = service.heads.classify(form.texts, offer.twin.name) if offer.twin else ()
            cards.append(sentiment.card(offer, classified, plain))
        else:
            tagged = service.heads.tag(form.texts, offer.head.name, READINGS)
            bare = service.heads.tag(form.texts, offer.twin.name, READINGS) if offer.twin else ()
            cards.append(entities.card(offer, tagged, bare))
    return f'<div class="try-answer">{"".join(cards)}{HOW}</div>'


def options(service: Service) -> dict[str, list[dict[str, str]]]:
    """The heads that the form offers, by kind."""
    heads = service.heads.offered()
    shown: dict[str, list[dict[str, str]]] = {}
    for kind in TASKS.values():
        offered = offers(heads, kind)
        titles = distinct([(offer.head.name, offer.head.title) for offer in offered])
        shown[kind] = [option(offer, title) for offer, title in zip(offered, titles, strict=True)]
    return shown


def respond(service: Service, data: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Answer what the browser sent: what the form shows next, and the markup of the answer (or that it stays)."""
    sent = data.get("revision")
    revision = sent if isinstance(sent, int) else 0
    value: dict[str, Any] = {"revision": revision, "note": ""}
    try:
        markup = page(service, form_from(data))
    except InputError as error:
        return {**value, "note": str(error), "heads": options(service)}, gr.skip() if revision > 1 else empty()
    return {**value, "heads": options(service)}, markup


def _checked(texts: Any, head: Any, what: str) -> None:
    # Gradio does not check the types of a request; a string would be taken for a list of letters.
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in (*texts, head or "")):
        raise gr.Error(f"Expected {what} (a list of strings) and a head (a string).", print_exception=False)


def build(service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = gr.HTML(
                {"revision": 0, "note": "", "heads": options(service)},
                html_template="",
                js_on_load=joined("make.js", "try_form.js"),
                apply_default_css=False,
                examples=[{"title": e.title, "task": e.task, "text": "\n".join(e.lines)} for e in TRY_EXAMPLES],
                most=service.limits.max_texts,
                most_words=service.limits.max_tokens,
            )
        with gr.Column(elem_classes="compare-answer"):
            result = gr.HTML(
                waiting()
                if service.heads.offered()
                else f'<div class="try-answer">{untrained(tuple(TASKS.values()))}</div>',
                js_on_load=joined("word_tips.js", "try_answer.js"),
                apply_default_css=False,
            )

    def on_submit(event: gr.EventData) -> tuple[dict[str, Any], Any]:
        return respond(service, dict(event._data))

    def sentiment_endpoint(texts: list[str], head: str | None = None) -> list[dict[str, Any]]:
        """Say how texts sound: label, probabilities, and the push of every word (what leaving it out changes).

        Example: ``predict(["A warm and funny film.", "The room was cold."], api_name="/sentiment")``.

        Args:
            texts: the texts.
            head: name of a classification head; the default one if it is not given.

        Returns:
            For each text: text, tokens, label, probabilities by class, pushes (token, start, end, push).
        """
        _checked(texts, head, "texts")
        try:
            return [result.to_dict() for result in service.heads.classify(texts, head or None)]
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    def ner_endpoint(sentences: list[str], head: str | None = None, n_readings: int = 1) -> list[dict[str, Any]]:
        """Find the names in sentences, or tag their words.

        Example: ``predict(["Ada Marsh flew from Oslo to Lima."], api_name="/ner")``.

        Args:
            sentences: the sentences.
            head: name of a tagging head; the default one if it is not given.
            n_readings: how many readings to give, the best one and its runners-up; 1 to 10.

        Returns:
            For each sentence: text, tokens, tags, spans (type, confidence, where), probability, runners_up.
        """
        _checked(sentences, head, "sentences")
        if not isinstance(n_readings, int) or isinstance(n_readings, bool) or not 1 <= n_readings <= MOST_READINGS:
            raise gr.Error(f"Expected n_readings as a whole number from 1 to {MOST_READINGS}.", print_exception=False)
        try:
            return [result.to_dict() for result in service.heads.tag(sentences, head or None, n_readings)]
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    # The form sends one question at a time and the newest text after it; "multiple" lets no click of its get lost.
    submitted = editor.submit(on_submit, None, [editor, result], trigger_mode="multiple", **QUIET)
    submitted.failure(None, None, None, js=SAY_FAILURE, **QUIET)
    gr.api(sentiment_endpoint, api_name="sentiment", **SHARED)
    gr.api(ner_endpoint, api_name="ner", **SHARED)
