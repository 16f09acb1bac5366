"""Compare tab: compare the uses of a word in several sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import answer, asked, format, saved_page
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.examples import EXAMPLES, known_senses
from elmo_tasks.ui.page import nothing
from elmo_tasks.ui.parts import (
    QUIET,
    SLOW,
    Question,
    build_save_page,
    fails,
    markup,
    on_question,
    revision_of,
    scripted,
)

FAILED = "The program failed on this, not you: whoever runs it finds the reason in its log."
START = format.Form(EXAMPLES[0].word, EXAMPLES[0].sentences)


#: What an answer changes: the form, the answer, and the folds below it.
Answer = tuple[dict[str, Any], str, dict[str, Any], dict[str, Any]]


def respond(service: Service, form: format.Form, revision: int) -> Answer:
    """Answer a form."""
    try:
        if form.whole:
            models: Sequence[str | None] = form.models or [None]
            page = answer.page_of_sentences(
                [service.compare_sentences(form.sentences, model) for model in models], form
            )
            return format.editor_value(form, (), revision), page, *asked.closed()
        if form.others:
            return _respond_by_several(service, form, revision)
        comparison = service.compare(form.word, form.sentences, form.model, form.own_meanings)
    except InputError as error:
        return _refused(form, error, revision)
    shown = format.editor_value(form, format.notes_of(comparison), revision)
    folds = asked.closed(format.query_of(form, comparison.model), format.group_of(comparison))
    return shown, answer.page(comparison, form, service.models()), *folds


def _respond_by_several(service: Service, form: format.Form, revision: int) -> Answer:
    """Answer a form for several models.

    The folds belong to a single model and are closed here.
    """
    models = service.models()
    found = service.side_by_side(form.word, form.sentences, form.models, known_senses(form.word, form.sentences))
    shown = format.editor_value(form, format.notes_of(found.comparisons[0]), revision)
    return shown, answer.page_by_several(found, form, models), *asked.closed()


def file_of(service: Service, question: Question) -> tuple[str, str]:
    """Return the name and text of a saved page, from the link of the shown answer.

    Raises:
        InputError: the link holds no comparison that can be answered.
    """
    form = format.form_from_query(str(question.get("query") or ""), service.limits)
    if form is None:
        raise InputError("Compare some sentences first.")
    found: saved_page.Compared
    if form.whole:
        name = "compare-sentences"
        models: Sequence[str | None] = form.models or [None]
        found = [service.compare_sentences(form.sentences, model) for model in models]
    elif form.others:
        found = service.side_by_side(form.word, form.sentences, form.models, known_senses(form.word, form.sentences))
        name = format.file_stem(found.comparisons[0])
    else:
        found = service.compare(form.word, form.sentences, form.model)
        name = format.file_stem(found)
    return f"{name}.html", saved_page.of_comparison(found, form, service.models())


def respond_to_link(service: Service, query: str) -> Answer:
    """Answer the link that opened the page, or the first example without a link."""
    try:
        form = format.form_from_query(query, service.limits)
    except InputError as error:
        return _refused(START, error, 1)
    return respond(service, form or START, 1)


def _refused(form: format.Form, error: InputError, revision: int) -> Answer:
    shown = format.editor_value(form, [format.note_of_error(error)], revision)
    return shown, nothing("compare", str(error)), *asked.closed()


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
            result = markup(nothing("compare"), "scripts/answer.js")
            folds = asked.build(service)
            markup(answer.how(service.models()))
            build_save_page("compare-page", lambda question: file_of(service, question))

    def on_submit(question: Question) -> Answer:
        return respond(service, format.form_from(question), revision_of(question))

    def on_load(request: gr.Request) -> Answer:
        return respond_to_link(service, str(request.query_params))

    def compare(
        word: str, sentences: list[str], model: str | None = None, own_meanings: str | None = None
    ) -> dict[str, Any]:
        """Compare the uses of a word in 2 to 12 sentences; [brackets] in a sentence mark another word there.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank of the river."], api_name="/compare")``.

        Args:
            word: the word.
            sentences: the sentences that use it.
            model: name of the model; the default one if it is not given.
            own_meanings: meanings of your own, in the format of the dictionary (docs/dictionary.md); they count before ours.

        Returns:
            word, model, items (sentence, tokens, index, token), layers (name, cosine, norms, random_pair_cosine), source (of the
            meanings), meanings (word, key, part_of_speech, gloss), uses (meaning, probability, probabilities, another_meaning,
            certainty), groups (uses of one meaning), certainty ("confident", "tentative" or "abstain"), probability (that all
            groups are right), verdict, headline, same_meaning (the probability that two uses mean the same; empty where that is
            not known).
        """
        return service.compare(word, sentences, model or None, own_meanings or "").to_dict()

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
        return service.compare_sentences(sentences, model or None).to_dict()

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
        return service.side_by_side(word, sentences, asked_of, known_senses(word, sentences)).to_list()

    outputs = [editor, result, *folds]
    # An answer to an earlier question does not stay below the message.
    on_failure = (lambda: (nothing("compare", FAILED), *asked.closed()), [result, *folds])
    on_question(editor, on_submit, outputs, on_failure=on_failure)
    loaded = app.load(on_load, None, outputs, **QUIET)
    loaded.failure(on_failure[0], None, on_failure[1], js=fails(editor), **QUIET)
    endpoint(compare, "a word (a string) and sentences (a list of strings)")
    endpoint(sentences, "sentences (a list of strings)")
    endpoint(side_by_side, "a word (a string), sentences and models (lists of strings)", SLOW)
