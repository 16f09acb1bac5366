"""Nearest uses tab: nearest uses of a word in its sentence, and nearest static words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from elmo_tasks.api import Message, ModelInfo, NearestRequest, NearestUses, Progress, Service
from elmo_tasks.errors import InputError
from elmo_tasks.messages.answers import nearest_by_several
from elmo_tasks.messages.views import view_title
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.parts import (
    PRIVATE,
    REPORTED,
    SHARED,
    buttons,
    choice,
    folded_head,
    markup,
    reported_by,
)
from elmo_tasks.ui.rendering import CONTENT, nothing, render
from elmo_tasks.wording import slug

#: What the form offers: title, word, sentence. None of the sentences is in the dictionary.
EXAMPLES = CONTENT["nearest"]
WORD_FILTERS = [("All", "all"), ("Same word", "same"), ("Other words", "other")]
#: Number of uses shown per model when several are compared.
_MAX_OF_SEVERAL = 10


def source_title(name: str) -> str:
    """Return the title of the searched source."""
    return "the dictionary" if name == "dictionary" else f"your index “{name}”"


def page(
    answers: Sequence[NearestUses],
    models: Sequence[ModelInfo] = (),
    query: str = "",
    warning: str = "",
) -> str:
    """Render the answer of one model, or those of several side by side."""
    first, several = answers[0], len(answers) > 1
    # Static vectors for comparison: the requested ones, or the bundled ones.
    reading = [answer for answer in answers if answer.reads_sentence] if several else answers
    words = [answer for answer in answers if not answer.reads_sentence] or [first]
    return render(
        "nearest.html",
        several=several,
        warning=warning,
        answer=first,
        message=Message(nearest_by_several(first.word, reading, first.sense))
        if several
        else first.message,
        models=models,
        reading=reading,
        words=words,
        source=source_title(first.source),
        floor=min(first.random_pair_cosine, *(use.cosine for use in first.uses), 1.0),
        is_mixed=len({use.same_word for use in first.uses}) > 1,
        name=f"nearest-{slug(first.word)}",
        csv=csv_text(reading, words),
        data=None if several else first.to_dict(),
        query=query,
    )


def csv_text(reading: Sequence[NearestUses], words: Sequence[NearestUses]) -> str:
    """Return the uses near the sentence, then the words near the word alone, as a spreadsheet."""
    uses = [
        (
            answer.model,
            "in this sentence",
            u.use.word,
            u.cosine,
            u.same_word,
            u.use.sentence,
            u.sense,
            u.probability,
        )
        for answer in reading
        for u in answer.uses
    ]
    near = [
        (a.vectors, "in any sentence", n.word, n.cosine, "", "", "", None)
        for a in words
        for n in a.static
    ]
    header = ("model", "near", "word", "cosine", "same word", "sentence", "meaning", "probability")
    return csv_file(header, [*uses, *near])


def respond(
    service: Service,
    request: NearestRequest,
    names: Sequence[str],
    progress: Progress | None = None,
) -> tuple[str, NearestUses | None]:
    """Render the answer of one or several models; return it with the answer of a single one."""
    word, sentence = request.word.strip(), " ".join(request.sentence.split())
    warning = service.language_warning([sentence])
    link = [("tab", "nearest"), ("word", word), ("s", sentence), ("only", request.only)]
    if len(names) > service.limits.max_models:
        raise InputError(
            f"At most {service.limits.max_models} models stand side by side, not {len(names)}."
        )
    if len(names) > 1:  # each at the layer that is its own choice
        shared = NearestRequest(word, sentence, only=request.only, n=_MAX_OF_SEVERAL)
        found = [service.nearest(replace(shared, model=name), progress) for name in names]
        query = urlencode([*link, *(("model", name) for name in names)])
        return page(found, query=query, warning=warning), None
    model = names[0] if names else None
    answer = service.nearest(
        replace(request, word=word, sentence=sentence, model=model, complete=False), progress
    )
    chosen = {
        "layer": answer.layer,
        "source": request.source,
        "model": model,
        "meaning": request.meaning,
    }
    query = urlencode([*link, *((key, value) for key, value in chosen.items() if value)])
    return page([answer], service.models(), query, warning), answer


class _Form:
    """Components of the tab, and the answers to their events."""

    def __init__(self, service: Service) -> None:
        self.service = service
        with gr.Row(elem_classes="compare"):
            with gr.Column(elem_classes="compare-form card components"):
                self._add_query()
                self._add_choices()
            with gr.Column(elem_classes="compare-answer"):
                self.result = markup(nothing("nearest"))
                #: Not empty once the tab was opened.
                self.found = gr.Textbox(visible="hidden")
        #: Components of a request, and those that its answer changes.
        lists = [self.layer, self.source, self.meaning]
        self.inputs: list[Any] = [self.word, self.sentence, self.only, *lists, self.models]
        self.outputs: list[Any] = [self.result, self.repairs, *lists]

    def _add_query(self) -> None:
        _, first_word, first_sentence = EXAMPLES[0]
        folded_head("Your own word and sentence")
        self.word = gr.Textbox(first_word, label="Word", elem_classes="one-word")
        most = self.service.limits.max_tokens
        self.sentence = gr.Textbox(
            first_sentence,
            label="A sentence with it",
            info=f"At most {most} words. [Brackets] mark another word in it.",
            max_lines=6,
        )
        self.repairs = buttons((), "Did you mean", type="index", visible=False)
        self.only = gr.Radio(WORD_FILTERS, value="all", label="Show uses of")
        self.button = gr.Button("Find the nearest uses", variant="primary")
        titles = [title for title, _, _ in EXAMPLES]
        self.examples = buttons(titles, "Or try an example", type="index", elem_classes="samples")

    def _add_choices(self) -> None:
        models = self.service.models()
        layers = models[0].layers if models else ()
        layers = ("meanings", *layers, *(() if "mean" in layers or len(layers) < 2 else ("mean",)))
        self.layer = choice(
            [(view_title(name), name) for name in layers],
            value=None,
            label="Compare the uses by",
            visible=False,
        )
        self.source = choice([], label="Look through", visible=False)
        self.meaning = choice([], label="Only in the meaning", visible=False)
        self.models = choice(
            [(model.title, model.name) for model in models],
            value=[model.name for model in models[:1]],
            label="Model, or several to compare",
            multiselect=True,
            max_choices=self.service.limits.max_models,
            visible=len(models) > 1,
        )

    def _respond(
        self, values: Sequence[Any], progress: Progress | None = None
    ) -> tuple[str, NearestUses | None]:
        word, sentence, only, layer, source, of_word, names = values
        meant, _, meaning = (of_word or "").rpartition("=")
        request = NearestRequest(
            word=word or "",
            sentence=sentence or "",
            layer=layer,
            only=only,
            source=source,
            meaning=meaning if meant == word else "",
        )
        return respond(self.service, request, names or (), progress)

    def repaired(self, place: int, *values: Any) -> Any:
        """Return the sentence of a pressed button."""
        # The request is repeated, since the choices that a button showed are not stored.
        _, typed_sentence, *_ = values
        try:
            self._respond(values)
        except InputError as error:
            if place < len(error.choices):
                return error.choices[place].sentence
        return typed_sentence

    def find(self, progress: gr.Progress = REPORTED, *values: Any) -> dict[Any, Any]:
        """Answer the form."""
        none = {self.repairs: gr.update(visible=False)}
        try:
            shown, answer = self._respond(values, reported_by(progress))
        except InputError as error:
            samples = [[choice.sentence] for choice in error.choices]
            offered = {self.repairs: gr.update(samples=samples, visible=bool(samples))}
            return {self.result: nothing("nearest", str(error)), **offered}
        if answer is None:
            hidden = dict.fromkeys(
                (self.layer, self.source, self.meaning), gr.update(visible=False)
            )
            return {self.result: shown, **none, **hidden}
        layers = [(view_title(name), name) for name in answer.layers]
        sources = [(source_title(name), name) for name in answer.sources]
        # With its word: the meaning of a word that was typed before is not requested.
        typed_word = values[0]
        meanings = [("any", ""), *((name, f"{typed_word}={name}") for name in answer.meanings)]
        return {
            self.result: shown,
            **none,
            self.layer: gr.update(choices=layers, value=answer.layer, visible=True),
            self.source: gr.update(choices=sources, value=answer.source, visible=len(sources) > 1),
            self.meaning: gr.update(
                choices=meanings,
                value=f"{typed_word}={answer.meaning}" if answer.meaning else "",
                visible=len(meanings) > 1,
            ),
        }

    def open_tab(
        self, request: gr.Request, progress: gr.Progress = REPORTED, *values: Any
    ) -> dict[Any, Any]:
        """Answer the form, filled from a link to this tab, when the tab is first opened."""
        was_found, *typed = values
        query = request.query_params
        if was_found:
            return {self.found: gr.skip()}
        if query.get("tab") != "nearest" or not query.get("word"):
            return {self.found: "yes", **self.find(progress, *typed)}
        link_filter = query.get("only")
        link = (
            query["word"],
            query.get("s") or "",
            link_filter if link_filter in dict(WORD_FILTERS).values() else "all",
            query.get("layer"),
            query.get("source"),
            f"{query['word']}={query['meaning']}" if query.get("meaning") else "",
            list(dict.fromkeys(query.getlist("model"))),
        )
        filled = {box: value for box, value in zip(self.inputs, link, strict=True) if value}
        return {self.found: "yes", **filled, **self.find(progress, *link)}


def build(service: Service, tab: gr.Tab) -> None:
    """Put the tab's components into the open container and wire their events."""
    form = _Form(service)
    options: dict[str, Any] = {
        **SHARED,
        "api_visibility": "private",
        "show_progress_on": form.result,
    }
    outputs = [form.found, *dict.fromkeys([*form.inputs, *form.outputs])]
    opened = tab.select(form.open_tab, [form.found, *form.inputs], outputs, **options)
    opened.then(None, js="() => elmo.settled('.near-answer')")
    query, views = [form.word, form.sentence], [form.layer, form.source]
    events: list[Any] = [
        *(form.button.click, form.word.submit, form.sentence.submit),
        *(box.input for box in (form.only, form.layer, form.source, form.meaning)),
        form.examples.click(lambda at: EXAMPLES[at][1:], form.examples, query, **PRIVATE).then,
        form.repairs.click(
            form.repaired, [form.repairs, *form.inputs], form.sentence, **PRIVATE
        ).then,
        # Each model has its own views and sources.
        form.models.input(lambda: (None, None), None, views, **PRIVATE).then,
    ]
    for event in events:
        event(form.find, form.inputs, form.outputs, **options).then(
            None, js="() => elmo.bringAnswer('.near-answer')"
        )
