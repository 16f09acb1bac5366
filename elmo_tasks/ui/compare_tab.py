"""The Compare tab: a word and a few sentences in, the answer, the picture and the numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import answer, asked, format, handouts, report, sentences_page, several
from elmo_tasks.ui.examples import EXAMPLES, known_senses
from elmo_tasks.ui.parts import QUIET, SHARED, SLOW, Question, fails, markup, on_question, revision_of, scripted
from elmo_tasks.ui.uses import group_of

FAILED = "The program failed on this, not you: whoever runs it finds the reason in its log."
START = format.Form(EXAMPLES[0].word, EXAMPLES[0].sentences)


#: What an answer changes: the form, the answer, and the folds below it.
Answer = tuple[dict[str, Any], str, dict[str, Any], dict[str, Any]]


def respond(service: Service, form: format.Form, revision: int) -> Answer:
    """Answer a form."""
    try:
        if form.whole:
            models: Sequence[str | None] = form.models or [None]
            page = sentences_page.page([service.sentences.compare(form.sentences, model) for model in models], form)
            return format.editor_value(form, (), revision), page, asked.closed("why"), asked.closed("substitutes")
        if form.others:
            return _respond_by_several(service, form, revision)
        comparison = service.compare(form.word, form.sentences, form.model)
    except InputError as error:
        return _refused(form, error, revision)
    shown = format.editor_value(form, format.notes_of(comparison), revision)
    of = (format.query_of(form, comparison.model), group_of(comparison))
    folds = (asked.closed("why", *of), asked.closed("substitutes", *of))
    return shown, answer.page(comparison, form, service.models()), *folds


def _respond_by_several(service: Service, form: format.Form, revision: int) -> Answer:
    """The same for each model; what is folded below is of one model, and closed here."""
    models = service.models()
    found = service.side_by_side(form.word, form.sentences, form.models, known_senses(form.word, form.sentences))
    shown = format.editor_value(form, format.notes_of(found.comparisons[0]), revision)
    return shown, several.page(found, form, models), asked.closed("why"), asked.closed("substitutes")


def respond_to_link(service: Service, query: str) -> Answer:
    """Answer the link the page was opened with; without one, the first example."""
    try:
        form = format.form_from_query(query, service.limits)
    except InputError as error:
        return _refused(START, error, 1)
    return respond(service, form or START, 1)


def _refused(form: format.Form, error: InputError, revision: int) -> Answer:
    shown = format.editor_value(form, [format.note_of_error(error)], revision)
    return shown, answer.nothing(str(error)), asked.closed("why"), asked.closed("substitutes")


def respond_report(service: Service, question: Question) -> dict[str, Any]:
    """The report of the comparison that the page shows, with what was asked beside it: the file's name and its text.

    What it holds is computed anew from the link: nothing a person sends is kept here.
    """
    made: dict[str, Any] = {"revision": revision_of(question), "name": "", "text": ""}
    try:
        form = format.form_from_query(str(question.get("query") or ""), service.limits)
        if form is None:
            return made
        comparison = service.compare(form.word, form.sentences, form.model)
        explanation = substitutes = None
        if question.get("pair"):
            pair, layer = asked.pair_of(question["pair"]), str(question.get("layer") or "") or None
            explanation = service.why.explain(form.word, form.sentences, pair, layer, form.model, comparison)
        if question.get("substitutes"):
            substitutes = service.substitutes.written(form.word, form.sentences, form.model)
    except InputError:  # the page shows an answer, so this is a request that somebody wrote by hand
        return made
    link = str(question.get("link") or "")
    text = report.page(comparison, service.models(), date.today(), link, explanation, substitutes)
    return {**made, "name": report.file_name(comparison), "text": text}


def build(app: gr.Blocks, service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    limits = service.limits

    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = scripted(
                "compare",
                "scripts/editor.js",
                value=format.editor_value(START),
                examples=[{"title": e.title, "word": e.word, "sentences": list(e.sentences)} for e in EXAMPLES],
                models=[{"name": m.name, "title": m.title} for m in service.models()],
                most_models=limits.max_models,
                most=limits.max_sentences,
                fewest=limits.min_sentences,
                most_words=limits.max_tokens,
            )
        with gr.Column(elem_classes="compare-answer"):
            result = markup(answer.nothing(), "scripts/answer.js")
            folds = asked.build(service)
            markup(answer.how(service.models()))
            saved = scripted("report", "scripts/handouts.js", value={"name": "", "text": ""}, classes="download-slot")
            handouts.build(service, "compare-handout", handouts.of_comparison)

    def on_submit(question: Question) -> Answer:
        return respond(service, format.form_from(question), revision_of(question))

    def on_load(request: gr.Request) -> Answer:
        return respond_to_link(service, str(request.query_params))

    def compare(word: str, sentences: list[str], model: str | None = None) -> dict[str, Any]:
        """Compare the uses of a word in 2 to 12 sentences; [brackets] in a sentence mark another word there.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank of the river."], api_name="/compare")``.

        Args:
            word: the word.
            sentences: the sentences that use it.
            model: name of the model; the default one if it is not given.

        Returns:
            word, model, items (sentence, tokens, index, token), layers (name, cosine, norms, random_pair_cosine), groups,
            groups_if_several, voice, probability, verdict, headline, read_from, same_meaning (the probability that two uses
            mean the same; empty where that is not known).
        """
        # Gradio does not check the types of a request; a string would be taken for a list of letters.
        if not isinstance(sentences, list) or not all(
            isinstance(text, str) for text in (word, *sentences, model or "")
        ):
            raise gr.Error("Expected a word (a string) and sentences (a list of strings).", print_exception=False)
        return service.compare(word, sentences, model or None).to_dict()

    def sentences(sentences: list[str], model: str | None = None) -> dict[str, Any]:
        """Compare 2 to 12 whole sentences.

        Example: ``predict(["The film was good.", "I enjoyed that movie."], api_name="/sentences")``.

        Args:
            sentences: the sentences.
            model: name of the model; the default one if it is not given.

        Returns:
            model, sentences, layers (name, cosine, unconnected: the mean of two unconnected sentences; reworded, related and tests:
            see told), shown (the layer that did best in the test), answer, headline, told (what that can tell, as measured).
        """
        if not isinstance(sentences, list) or not all(isinstance(text, str) for text in (*sentences, model or "")):
            raise gr.Error("Expected sentences (a list of strings).", print_exception=False)
        return service.sentences.compare(sentences, model or None).to_dict()

    def side_by_side(word: str, sentences: list[str], models: list[str] | None = None) -> list[dict[str, Any]]:
        """Compare the uses of a word by two or three models.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank."], api_name="/side_by_side")``.

        Args:
            word: the word.
            sentences: 2 to 12 sentences; [brackets] in a sentence mark another word there.
            models: names of the models; the first three on offer if they are not given.

        Returns:
            for each model what /compare answers, and right: whether its groups are the known meanings, or null.
        """
        asked_of = [model.name for model in service.models()[: limits.max_models]] if models is None else models
        lists = (sentences, asked_of)
        if not all(
            isinstance(texts, list) and all(isinstance(text, str) for text in (word, *texts)) for texts in lists
        ):
            raise gr.Error(
                "Expected a word (a string), sentences and models (lists of strings).", print_exception=False
            )
        return service.side_by_side(word, sentences, asked_of, known_senses(word, sentences)).to_list()

    outputs = [editor, result, *folds]
    # An answer to an earlier question does not stay below the message.
    on_failure = (lambda: (answer.nothing(FAILED), asked.closed("why"), asked.closed("substitutes")), [result, *folds])
    on_question(editor, on_submit, outputs, on_failure=on_failure)
    loaded = app.load(on_load, None, outputs, **QUIET)
    loaded.failure(on_failure[0], None, on_failure[1], js=fails(editor), **QUIET)
    on_question(saved, lambda question: respond_report(service, question), saved)
    gr.api(compare, api_name="compare", **SHARED)
    gr.api(sentences, api_name="sentences", **SHARED)
    gr.api(side_by_side, api_name="side_by_side", **SLOW)
