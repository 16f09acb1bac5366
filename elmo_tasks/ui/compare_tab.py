"""Compare tab: compare the uses of a word in several sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from elmo_tasks.api import Comparison, Service, SideBySide
from elmo_tasks.errors import InputError
from elmo_tasks.ui import compare_answer, compare_details, compare_form, parts
from elmo_tasks.ui.compare_answer import Compared
from elmo_tasks.ui.compare_form import Form
from elmo_tasks.ui.rendering import nothing, render

FAILED = "The program failed on this, not you: whoever runs it finds the reason in its log."
START = Form(compare_form.EXAMPLES[0].word, tuple(compare_form.EXAMPLES[0].sentences))
#: What an answer changes: the form, the answer, and the folds below it.
Changes = tuple[dict[str, Any], str, dict[str, Any], dict[str, Any]]


def answer_to(service: Service, form: Form) -> Compared:
    """Answer a form: by one model, by several, or for whole sentences."""
    if form.whole:
        models: Sequence[str | None] = form.models[: service.limits.max_models] or [None]
        return [service.sentence_similarity(form.sentences, model) for model in models]
    if form.others:
        senses = compare_form.known_senses(form.word, form.sentences)
        return service.side_by_side(form.word, form.sentences, form.models, senses)
    return service.compare(form.word, form.sentences, form.model, form.own_meanings)


def respond(service: Service, form: Form, revision: int | None) -> Changes:
    """Answer a form, or say at its field why not."""
    try:
        answer = answer_to(service, form)
    except InputError as error:
        note = compare_form.note(error.field, "error", str(error), error.choices)
        shown = compare_form.editor_value(form, [note], revision)
        return shown, nothing("compare", str(error)), *compare_details.closed()
    first = answer.comparisons[0] if isinstance(answer, SideBySide) else answer
    notes, folds = (
        compare_form.notes_of(first) if isinstance(first, Comparison) else (),
        compare_details.closed(),
    )
    if isinstance(answer, Comparison):  # the folds explain one model
        folds = compare_details.closed(
            compare_form.query_of(form, answer.model), compare_answer.group_of(answer)
        )
    template = "" if form.whole else service.entry_text(form.word)
    shown = compare_form.editor_value(form, notes, revision, template)
    return shown, compare_answer.page(answer, form, service.models()), *folds


def file_of(service: Service, event: parts.FormEvent) -> tuple[str, str]:
    """Return the name and text of a saved page, from the link of the shown answer.

    Raises:
        InputError: the link holds no comparison that can be answered.
    """
    form = compare_form.form_from_query(str(event.get("query") or "")) or Form("", ())
    answer = answer_to(service, form)
    return f"{compare_answer.names_of(answer)[1]}.html", compare_answer.saved(
        answer, form, service.models()
    )


def respond_to_link(service: Service, query: str) -> Changes:
    """Answer the link that opened the page, or the first example without a link."""
    return respond(service, compare_form.form_from_query(query) or START, 1)


def build(app: gr.Blocks, service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    limits = service.limits

    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = parts.custom_form(
                "compare",
                "scripts/editor.js",
                value=compare_form.editor_value(START),
                examples=[
                    {"title": e.title, "word": e.word, "sentences": list(e.sentences)}
                    for e in compare_form.EXAMPLES
                ],
                models=[{"name": m.name, "title": m.title} for m in service.models()],
                most_models=limits.max_models,
                most=limits.max_sentences,
                fewest=limits.min_sentences,
                most_words=limits.max_tokens,
            )
        with gr.Column(elem_classes="compare-answer"):
            result = parts.markup(nothing("compare"), "scripts/answer.js")
            folds = compare_details.build(service)
            parts.markup(render("compare_how.html"))
            parts.build_save_page("compare-page", lambda event: file_of(service, event))

    def submit(event: parts.FormEvent) -> Changes:
        return respond(service, compare_form.form_from(event), event.get("revision"))

    def load(request: gr.Request) -> Changes:
        return respond_to_link(service, str(request.query_params))

    outputs = [editor, result, *folds]
    # An answer to an earlier request does not stay below the message.
    on_failure = (lambda: (nothing("compare", FAILED), *compare_details.closed()), [result, *folds])
    parts.on_submit(editor, submit, outputs, on_failure=on_failure)
    loaded = app.load(load, None, outputs, **parts.QUIET)
    loaded.failure(on_failure[0], None, on_failure[1], js=parts.error_script(editor), **parts.QUIET)
