"""Nearest uses tab: nearest uses of a word in its sentence, and nearest static words."""

from __future__ import annotations

from collections.abc import Sequence
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
    word: str,
    sentence: str,
    only: str,
    layer: str | None,
    source: str | None,
    names: Sequence[str],
    progress: Progress | None = None,
    meaning: str | None = None,
) -> tuple[str, NearestUses | None]:
    """Render the answer of one or several models; return it with the answer of a single one."""
    word, sentence = word.strip(), " ".join(sentence.split())
    warning = service.language_warning([sentence])
    link = [("tab", "nearest"), ("word", word), ("s", sentence), ("only", only)]
    if len(names) > service.limits.max_models:
        raise InputError(
            f"At most {service.limits.max_models} models stand side by side, not {len(names)}."
        )
    if len(names) > 1:  # each at the layer that is its own choice
        found = [
            service.nearest(
                NearestRequest(word, sentence, only=only, n=_MAX_OF_SEVERAL, model=name), progress
            )
            for name in names
        ]
        query = urlencode([*link, *(("model", name) for name in names)])
        return page(found, query=query, warning=warning), None
    model = names[0] if names else None
    request = NearestRequest(
        word=word,
        sentence=sentence,
        layer=layer,
        only=only,
        source=source,
        model=model,
        complete=False,
        meaning=meaning or "",
    )
    answer = service.nearest(request, progress)
    chosen = {"layer": answer.layer, "source": source, "model": model, "meaning": meaning}
    query = urlencode([*link, *((key, value) for key, value in chosen.items() if value)])
    return page([answer], service.models(), query, warning), answer


def build(service: Service, tab: gr.Tab) -> None:
    """Put the tab's components into the open container and wire their events."""
    models, limits = service.models(), service.limits
    layers = models[0].layers if models else ()
    layers = ("meanings", *layers, *(() if "mean" in layers or len(layers) < 2 else ("mean",)))
    _, first_word, first_sentence = EXAMPLES[0]
    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form card components"):
            folded_head("Your own word and sentence")
            word = gr.Textbox(first_word, label="Word", elem_classes="one-word")
            sentence = gr.Textbox(
                first_sentence,
                label="A sentence with it",
                info=f"At most {limits.max_tokens} words. [Brackets] mark another word in it.",
                max_lines=6,
            )
            repairs = buttons((), "Did you mean", type="index", visible=False)
            only = gr.Radio(WORD_FILTERS, value="all", label="Show uses of")
            button = gr.Button("Find the nearest uses", variant="primary")
            examples = buttons(
                [title for title, _, _ in EXAMPLES],
                "Or try an example",
                type="index",
                elem_classes="samples",
            )
            layer_list = choice(
                [(view_title(name), name) for name in layers],
                value=None,
                label="Compare the uses by",
                visible=False,
            )
            source_list = choice([], label="Look through", visible=False)
            meaning_list = choice([], label="Only in the meaning", visible=False)
            chosen = choice(
                [(model.title, model.name) for model in models],
                value=[model.name for model in models[:1]],
                label="Model, or several to compare",
                multiselect=True,
                max_choices=limits.max_models,
                visible=len(models) > 1,
            )
        with gr.Column(elem_classes="compare-answer"):
            result = markup(nothing("nearest"))
            found = gr.Textbox(visible="hidden")  # not empty once the tab was opened

    def ask(
        values: Sequence[Any], progress: Progress | None = None
    ) -> tuple[str, NearestUses | None]:
        word, sentence, only, layer, source, of_word, names = values
        meant, _, meaning = (of_word or "").rpartition("=")
        return respond(
            service,
            word or "",
            sentence or "",
            only,
            layer,
            source,
            names or (),
            progress,
            meaning if meant == word else "",
        )

    def repaired(place: int, *values: Any) -> Any:
        # Its question is asked again, since nothing is kept of what a button showed.
        _, typed_sentence, *_ = values
        try:
            ask(values)
        except InputError as error:
            if place < len(error.choices):
                return error.choices[place].sentence
        return typed_sentence

    def find(progress: gr.Progress = REPORTED, *values: Any) -> dict[Any, Any]:
        none = {repairs: gr.update(visible=False)}
        try:
            shown, answer = ask(values, reported_by(progress))
        except InputError as error:
            samples = [[choice.sentence] for choice in error.choices]
            offered = {repairs: gr.update(samples=samples, visible=bool(samples))}
            return {result: nothing("nearest", str(error)), **offered}
        if answer is None:
            return {
                result: shown,
                **none,
                layer_list: gr.update(visible=False),
                source_list: gr.update(visible=False),
                meaning_list: gr.update(visible=False),
            }
        layers = [(view_title(name), name) for name in answer.layers]
        sources = [(source_title(name), name) for name in answer.sources]
        # With its word: the meaning of another word, typed since, is not asked for.
        typed_word = values[0]
        meanings = [("any", ""), *((name, f"{typed_word}={name}") for name in answer.meanings)]
        return {
            result: shown,
            **none,
            layer_list: gr.update(choices=layers, value=answer.layer, visible=True),
            source_list: gr.update(choices=sources, value=answer.source, visible=len(sources) > 1),
            meaning_list: gr.update(
                choices=meanings,
                value=f"{typed_word}={answer.meaning}" if answer.meaning else "",
                visible=len(meanings) > 1,
            ),
        }

    def open_tab(
        request: gr.Request, progress: gr.Progress = REPORTED, *values: Any
    ) -> dict[Any, Any]:
        was_found, *typed = values
        query = request.query_params
        if was_found:
            return {found: gr.skip()}
        if query.get("tab") != "nearest" or not query.get("word"):
            return {found: "yes", **find(progress, *typed)}
        link_filter = query.get("only")
        filter_ = link_filter if link_filter in dict(WORD_FILTERS).values() else "all"
        names = list(dict.fromkeys(query.getlist("model")))
        link = (
            query["word"],
            query.get("s") or "",
            filter_,
            query.get("layer"),
            query.get("source"),
            f"{query['word']}={query['meaning']}" if query.get("meaning") else "",
            names,
        )
        filled = {box: value for box, value in zip(inputs, link, strict=True) if value}
        return {found: "yes", **filled, **find(progress, *link)}

    inputs = [word, sentence, only, layer_list, source_list, meaning_list, chosen]
    outputs = [result, repairs, layer_list, source_list, meaning_list]
    options: dict[str, Any] = {**SHARED, "api_visibility": "private", "show_progress_on": result}
    opened = tab.select(
        open_tab, [found, *inputs], [found, *dict.fromkeys([*inputs, *outputs])], **options
    )
    opened.then(None, js="() => elmo.settled('.near-answer')")
    events: list[Any] = [
        *(
            button.click,
            word.submit,
            sentence.submit,
            only.input,
            layer_list.input,
            source_list.input,
            meaning_list.input,
        ),
        examples.click(lambda at: EXAMPLES[at][1:], examples, [word, sentence], **PRIVATE).then,
        repairs.click(repaired, [repairs, *inputs], sentence, **PRIVATE).then,
        chosen.input(
            lambda: (None, None), None, [layer_list, source_list], **PRIVATE
        ).then,  # each model has its own
    ]
    for event in events:
        event(find, inputs, outputs, **options).then(
            None, js="() => elmo.bringAnswer('.near-answer')"
        )
