"""The Compare tab: a word and a few sentences in, the answer, the picture and the numbers out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import answer, format
from elmo_tasks.ui.examples import EXAMPLES

FOLDER = Path(__file__).parent
START = format.Form(EXAMPLES[0].word, EXAMPLES[0].sentences)
FAILED = "The program failed on this; its log says why."
# A fault of ours, not of what was typed: gradio has logged it, and the form says so in plain words.
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


def build(app: gr.Blocks, service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    limits = service.limits

    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = gr.HTML(
                format.editor_value(START),
                # The script builds the form with text nodes: nothing a person typed is ever read as a template.
                html_template="",
                js_on_load=(FOLDER / "editor.js").read_text(encoding="utf-8"),
                apply_default_css=False,
                examples=[{"title": e.title, "word": e.word, "sentences": list(e.sentences)} for e in EXAMPLES],
                models=[{"name": m.name, "title": m.title} for m in service.models()],
                most=limits.max_sentences,
                fewest=limits.min_sentences,
            )
        with gr.Column(elem_classes="compare-answer"):
            result = gr.HTML(
                answer.waiting(),
                js_on_load=(FOLDER / "answer.js").read_text(encoding="utf-8"),
                apply_default_css=False,
            )

    def on_submit(event: gr.EventData) -> tuple[dict[str, Any], str]:
        sent = dict(event._data)
        revision = sent.get("revision")
        return respond(service, format.form_from(sent), revision + 1 if isinstance(revision, int) else 1)

    def on_load(request: gr.Request) -> tuple[dict[str, Any], str]:
        return respond_to_link(service, str(request.query_params))

    def compare(word: str, sentences: list[str], model: str | None = None) -> dict[str, Any]:
        """Compare the uses of a word in 2 to 12 sentences; [brackets] in a sentence mark another word there."""
        # Gradio does not check the types of a request; a string would be taken for a list of letters.
        if not isinstance(sentences, list) or not all(
            isinstance(text, str) for text in (word, *sentences, model or "")
        ):
            raise gr.Error("Expected a word (a string) and sentences (a list of strings).", print_exception=False)
        try:
            return service.compare(word, sentences, model or None).to_dict()
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    shared: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 4}
    quiet: dict[str, Any] = {**shared, "api_visibility": "private", "show_progress": "hidden"}
    for event in (
        editor.submit(on_submit, None, [editor, result], **quiet),
        app.load(on_load, None, [editor, result], **quiet),
    ):
        event.failure(lambda: answer.nothing(FAILED), None, result, js=SAY_FAILURE, **quiet)
    gr.api(compare, api_name="compare", **shared)
