"""The Compare tab: a word and a few sentences in, the answer, the picture and the numbers out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import answer, asked, format, report
from elmo_tasks.ui.events import QUIET, SHARED, revision_of
from elmo_tasks.ui.examples import EXAMPLES
from elmo_tasks.ui.page_files import joined

START = format.Form(EXAMPLES[0].word, EXAMPLES[0].sentences)
FAILED = "The program failed on this; its log says why."
# A fault of ours, not of what was typed: gradio has logged it, and the form says so in plain words.
SAY_NO_REPORT = "() => { document.querySelector('.answer').dispatchEvent(new Event('unsaved', { bubbles: true })); }"
SAY_FAILURE = "() => { document.querySelector('.editor').dispatchEvent(new Event('failed', { bubbles: true })); }"


def respond(service: Service, form: format.Form, revision: int) -> tuple[dict[str, Any], str]:
    """Answer a form: what the form shows next, and the markup of the answer."""
    try:
        comparison = service.compare(form.word, form.sentences, form.model)
    except InputError as error:
        return format.editor_value(form, [format.note_of_error(error)], revision), answer.nothing(str(error))
    shown = format.editor_value(form, format.notes_of(comparison), revision)
    return shown, answer.page(comparison, form, service.models())


def respond_to_link(service: Service, query: str) -> tuple[dict[str, Any], str]:
    """Answer the link the page was opened with; without one, the first example."""
    try:
        form = format.form_from_query(query, service.limits)
    except InputError as error:
        return format.editor_value(START, [format.note_of_error(error)], 1), answer.nothing(str(error))
    return respond(service, form or START, 1)


def respond_report(service: Service, data: Mapping[str, Any]) -> dict[str, Any]:
    """The report of the comparison that the page shows, with what was asked beside it: the file's name and its text.

    What it holds is computed anew from the link: nothing a person sends is kept here.
    """
    number = data.get("number")
    made: dict[str, Any] = {"number": number if isinstance(number, int) else 0, "name": "", "text": ""}
    try:
        form = format.form_from_query(str(data.get("query") or ""), service.limits)
        if form is None:
            return made
        comparison = service.compare(form.word, form.sentences, form.model)
        explanation = substitutes = None
        if data.get("pair"):
            pair, layer = asked.pair_of(data["pair"]), str(data.get("layer") or "") or None
            explanation = service.why.explain(form.word, form.sentences, pair, layer, form.model)
        if data.get("substitutes"):
            substitutes = service.substitutes.written(form.word, form.sentences, form.model)
    except InputError:  # the page shows an answer, so this is a request that somebody wrote by hand
        return made
    link = str(data.get("link") or "")
    text = report.page(comparison, service.models(), date.today(), link, explanation, substitutes)
    return {**made, "name": report.file_name(comparison), "text": text}


def build(app: gr.Blocks, service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    limits = service.limits

    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = gr.HTML(
                format.editor_value(START),
                # The script builds the form with text nodes: nothing a person typed is ever read as a template.
                html_template="",
                js_on_load=joined("make.js", "editor.js"),
                apply_default_css=False,
                examples=[{"title": e.title, "word": e.word, "sentences": list(e.sentences)} for e in EXAMPLES],
                models=[{"name": m.name, "title": m.title} for m in service.models()],
                most=limits.max_sentences,
                fewest=limits.min_sentences,
                most_words=limits.max_tokens,
            )
        with gr.Column(elem_classes="compare-answer"):
            result = gr.HTML(
                answer.waiting(),
                js_on_load=joined("answer.js"),
                apply_default_css=False,
            )
            folds = asked.build(service)
            gr.HTML(answer.how(service.models()), apply_default_css=False, js_on_load=None)
            saved = gr.HTML(
                {"number": 0, "name": "", "text": ""},
                html_template="",
                js_on_load=joined("save_report.js"),
                apply_default_css=False,
                elem_classes="download-slot",
            )

    def with_folds(shown: dict[str, Any], markup: str) -> tuple[dict[str, Any], str, str, str]:
        return shown, markup, *asked.below(markup)

    def on_submit(event: gr.EventData) -> tuple[dict[str, Any], str, str, str]:
        sent = dict(event._data)
        return with_folds(*respond(service, format.form_from(sent), revision_of(sent)))

    def on_load(request: gr.Request) -> tuple[dict[str, Any], str, str, str]:
        return with_folds(*respond_to_link(service, str(request.query_params)))

    def on_report(event: gr.EventData) -> dict[str, Any]:
        return respond_report(service, dict(event._data))

    def compare(word: str, sentences: list[str], model: str | None = None) -> dict[str, Any]:
        """Compare the uses of a word in 2 to 12 sentences; [brackets] in a sentence mark another word there.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank of the river."], api_name="/compare")``.

        Args:
            word: the word.
            sentences: the sentences that use it.
            model: name of the model; the default one if it is not given.

        Returns:
            word, model, items (sentence, tokens, index, token), layers (name, cosine, norms, random_pair_cosine), groups,
            verdict, read_from, same_meaning (the probability that two uses mean the same; empty where that is not known).
        """
        # Gradio does not check the types of a request; a string would be taken for a list of letters.
        if not isinstance(sentences, list) or not all(
            isinstance(text, str) for text in (word, *sentences, model or "")
        ):
            raise gr.Error("Expected a word (a string) and sentences (a list of strings).", print_exception=False)
        try:
            return service.compare(word, sentences, model or None).to_dict()
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    for event in (
        editor.submit(on_submit, None, [editor, result, *folds], trigger_mode="multiple", **QUIET),
        app.load(on_load, None, [editor, result, *folds], **QUIET),
    ):
        event.failure(lambda: (answer.nothing(FAILED), "", ""), None, [result, *folds], js=SAY_FAILURE, **QUIET)
    wanted = result.submit(on_report, None, saved, **QUIET)
    wanted.failure(None, None, None, js=SAY_NO_REPORT, **QUIET)
    gr.api(compare, api_name="compare", **SHARED)
