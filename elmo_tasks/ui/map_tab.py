"""Sense map tab: the uses of a word as marks on a map, where more sentences land.

A mark has the shape, colour and letter of its meaning; a star marks the user's own uses, and
uncertain ones are pale.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import gradio as gr
import numpy as np

from elmo_tasks.api import MapRequest, ModelInfo, Progress, SenseMap, Service
from elmo_tasks.errors import InputError
from elmo_tasks.messages.views import map_title
from elmo_tasks.ui import class_link, parts
from elmo_tasks.ui.class_link import ClassRoom
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.rendering import CONTENT, fill, nothing, render
from elmo_tasks.ui.saved_page import saved_page
from elmo_tasks.wording import number, slug

#: Words to start with.
FIRST_WORDS = ("bank", "bar", "case", "spring", "deck", "fire", "bond", "java")
#: Characters of the user's text that a link may hold: servers refuse addresses much longer than
#: 8,000 characters.
MAX_IN_LINK = 2_000
#: Field of a map request by its key in a link.
IN_LINK = {
    **{field: field for field in ("word", "view", "model", "examples", "index")},
    **{"t": "text", "u": "text_b"},
}
# Size of the plot on which marks are spread; other screens use positions in percent of it.
WIDTH = 720.0
HEIGHT = 440.0
MARGIN = 22.0


def picture(answer: SenseMap) -> str:
    """Draw the map as inline SVG; the page's script labels the marks."""
    size = mark_size(len(answer.uses))
    points = [(use.x, use.y) for use in answer.uses]
    scale = scale_of(points)
    return render(
        "map_picture.html",
        answer=answer,
        places=apart(points, 27 * size),
        across=100 * scale / WIDTH,
        up=100 * scale / HEIGHT,
        size=size,
    )


def mark_size(n: int) -> float:
    """Return the size of a mark (1 is 24 pixels); smaller if there are many."""
    return 1.0 if n <= 40 else 0.75 if n <= 100 else 0.5


def scale_of(points: Sequence[tuple[float, float]]) -> float:
    """Return the pixels per unit of the positions with which they fill the plot."""
    tallest = max((abs(y) for _, y in points), default=0.0) or 1.0
    widest = max((abs(x) for x, _ in points), default=0.0) or 1.0
    return min((WIDTH / 2 - MARGIN) / widest, (HEIGHT / 2 - MARGIN) / tallest)


def apart(points: Sequence[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """Return places in percent of the plot, marks ``gap`` pixels apart; y points upwards."""
    size, scale = np.array([WIDTH, HEIGHT]), scale_of(points)
    places = size / 2 + np.reshape(points, (-1, 2)) * [scale, -scale]
    turns = 2.4 * np.arange(len(places))[:, None] + [0, math.pi / 2]
    places += 1e-6 * np.cos(turns)  # move marks at the same position in different directions
    for _ in range(60):
        ways = places[:, None] - places
        distances = np.linalg.norm(ways, axis=2)
        np.fill_diagonal(distances, np.inf)
        pushes = np.maximum(0, gap / distances - 1) / 2
        if not pushes.any():
            break
        steps = (pushes[..., None] * ways).sum(axis=1) / np.maximum(
            1, np.count_nonzero(pushes, axis=1, keepdims=True)
        )
        places = np.clip(places + steps, MARGIN, size - MARGIN)
    return [(float(x), float(y)) for x, y in 100 * places / size]


def page(answer: SenseMap, models: Sequence[ModelInfo], request: MapRequest | None = None) -> str:
    """Render a map; without its ``request`` as a page to save, without the app."""
    last = len(answer.groups)
    order = sorted(
        range(len(answer.uses)),
        key=lambda k: (last if (at := answer.uses[k].group) is None else at, k),
    )
    query, left_out = link_of(request) if request else ("", "")
    return render(
        "map.html",
        answer=answer,
        models=models,
        picture=picture(answer),
        order=order,
        near=[
            [(other, cosine, number(cosine)) for other, cosine in use.nearest[:5]]
            for use in answer.uses
        ],
        name=f"sense-map-{slug(answer.word)}",
        csv=csv_text(answer),
        data=answer.to_dict(),
        query=query,
        left_out=left_out,
        # What the script sends with a sentence to place. `drawn` tells this map from another drawn
        # by the same request.
        request=request and {**dataclasses.asdict(request), "drawn": time.time_ns()},
    )


def file_of(answer: SenseMap, models: Sequence[ModelInfo]) -> tuple[str, str]:
    """Return the name and the text of a saved page with a map, which needs no server."""
    text = saved_page(f"“{answer.word}” in {len(answer.uses)} sentences", page(answer, models))
    return f"sense-map-{slug(answer.word)}.html", text


def csv_text(answer: SenseMap) -> str:
    """Return all uses as a spreadsheet."""
    header = (
        "use",
        "group",
        "meaning",
        "probability",
        "from",
        "word",
        "sentence",
        "x",
        "y",
        "nearest use",
        "cosine",
    )
    rows = []
    for place, use in enumerate(answer.uses, 1):
        group = None if use.group is None else answer.groups[use.group]
        meaning = (group.letter, group.name) if group else (None, None)
        near = (use.nearest[0][0] + 1, use.nearest[0][1]) if use.nearest else (None, None)
        text = (use.source, use.use.word, use.use.sentence)
        rows.append((place, *meaning, use.probability, *text, use.x, use.y, *near))
    return csv_file(header, rows)


def request_from(data: Any) -> MapRequest:
    """Parse the fields of a map request that come from the browser."""
    sent = data if isinstance(data, dict) else {}
    word, text, view, name, model, text_b = (
        str(sent.get(key) or "") for key in ("word", "text", "view", "name", "model", "text_b")
    )
    with_examples, with_index = sent.get("examples") is not False, sent.get("index") is True
    return MapRequest(
        word=word.strip(),
        text=text,
        view=view or None,
        examples=with_examples,
        name=name,
        model=model or None,
        index=with_index,
        text_b=text_b,
    )


def link_of(request: MapRequest) -> tuple[str, str]:
    """Return the query string of a map, and a remark if its text is too long for it."""
    fits = len(request.text) + len(request.text_b) <= MAX_IN_LINK
    values = (
        dataclasses.asdict(request)
        if fits
        else {**dataclasses.asdict(request), "text": "", "text_b": ""}
    )
    values |= {
        "examples": "" if request.examples else "no",
        "index": "yes" if request.index else "",
    }
    pairs = {key: values[field] or "" for key, field in IN_LINK.items()}
    query = urlencode(
        {"tab": "map", **{key: value for key, value in pairs.items() if value.strip()}}
    )
    return query, "" if fits else ", without your own text: it is too long for a link"


def linked(query: Mapping[str, str]) -> dict[str, Any]:
    """Return the form's values from a link; the inverse of :func:`link_of`."""
    values = {field: query.get(key) for key, field in IN_LINK.items()}
    texts = {field: values[field] or "" for field in ("text", "text_b")}
    flags = {"examples": values["examples"] != "no", "index": values["index"] == "yes"}
    return {**values, **texts, **flags, "name": ""}


def respond(
    service: Service, sent: Mapping[str, Any], progress: Progress | None = None
) -> tuple[str, SenseMap]:
    """Draw the map of a form: its markup, and the answer; without a text, examples count."""
    has_text = bool(f"{sent.get('text') or ''}{sent.get('text_b') or ''}".strip())
    request = request_from({**sent, "examples": bool(sent.get("examples")) or not has_text})
    found = service.sense_map(request, progress)
    return page(found, service.models(), dataclasses.replace(request, view=found.view)), found


def respond_to_sentence(service: Service, event: parts.FormEvent) -> dict[str, Any]:
    """Place a sentence on the map: position, nearest uses and markup, or a note."""
    value: dict[str, Any] = {"revision": event.get("revision"), "note": "", "landed": None}
    sentence = str(event.get("sentence") or "")
    try:
        found = service.project_use(sentence, request_from(event.get("map")))
    except InputError as error:
        return {**value, "note": str(error)}
    place = {
        "x": found.x,
        "y": found.y,
        "near": [near.position for near in found.nearest],
        "group": found.group,
    }
    markup = fill("landing.html", "landed", found, service.language_warning([sentence]))
    return {**value, "landed": {**place, "markup": markup}}


def stage(service: Service) -> str:
    """Render the map of the talk's word, and the form for a sentence."""
    found = service.sense_map(MapRequest(CONTENT["landing"]["word"]))
    return fill("landing.html", "stage", found, picture(found), CONTENT["landing"]["ready"])


def build_landing(service: Service, name: str = "landing") -> None:
    """Add the part that places sentences on the maps of its tab."""
    part = parts.custom_form(name, "scripts/landing.js", classes="landing-part")
    parts.on_submit(part, lambda event: respond_to_sentence(service, event), part)


@dataclasses.dataclass(frozen=True)
class _OwnText:
    """The fold for the user's own text."""

    fold: gr.Accordion
    text: gr.Textbox
    name: gr.Textbox  # of the file that the text came from
    text_b: gr.Textbox
    examples: gr.Checkbox


def _add_own_text() -> _OwnText:
    """Add the fold, with the buttons that fill and clear it."""
    with gr.Accordion("Your own text", open=False) as fold:
        text = gr.Textbox(
            label="Text with the word in it",
            info=(
                "Also a .txt, .csv, .tsv or .jsonl file, up to 2 MB. Up to 300 uses are drawn."
                " Nothing is kept."
            ),
            placeholder="Paste sentences, a chapter, messages…",
            lines=4,
            max_lines=12,
        )
        name = gr.Textbox(visible="hidden")
        file_note = gr.HTML()
        with gr.Row():
            file = gr.Button("Open a file", size="sm")
            clear = gr.Button("Clear", size="sm")
        text_b = gr.Textbox(
            label="Text B, if you want to compare two",
            placeholder="A second text, to compare the first with…",
            lines=3,
            max_lines=12,
        )
        examples = gr.Checkbox(label="Draw the examples of the dictionary, too")
    content = [text, name, file_note]
    file.click(None, content, content, js="elmo.openText")
    clear.click(lambda: [""] * 4, None, [*content, text_b], **parts.PRIVATE)
    examples.input(None, js="() => elmo.edited('.map-answer', 'Draw it again')")
    return _OwnText(fold, text, name, text_b, examples)


class _Form:
    """Components of the tab, and the answers to their events."""

    def __init__(self, service: Service, room: ClassRoom | None) -> None:
        self.service = service
        self.models = service.models()
        self.words = service.dictionary_words()
        with gr.Row(elem_classes="compare"):
            with gr.Column(elem_classes="compare-form card components"):
                self._add_query()
                self._add_choices()
            with gr.Column(elem_classes="compare-answer"):
                self._add_answer(room)
        boxes = {
            **{"word": self.word, "view": self.view, "model": self.model, "index": self.index},
            **{"text": self.own.text, "text_b": self.own.text_b, "name": self.own.name},
            "examples": self.own.examples,
        }
        #: Components of a request by its fields.
        self.fields = {field.name: boxes[field.name] for field in dataclasses.fields(MapRequest)}

    def _add_query(self) -> None:
        first = [word for word in FIRST_WORDS if word in self.words] or list(self.words[:8])
        parts.folded_head("Your own word or text")
        self.word = gr.Textbox(
            first[0] if first else "",
            label="Word",
            info="For a word that is not in the dictionary, paste your own text.",
            elem_classes="one-word",
        )
        index = self.service.index_title
        self.index = gr.Checkbox(
            bool(index), label=f"Draw its uses in my index “{index}”, too", visible=bool(index)
        )
        self.own = _add_own_text()
        self.button = gr.Button("Draw the map", variant="primary")
        self.start = parts.buttons(first, "Words to start with", elem_classes="samples")

    def _add_choices(self) -> None:
        words, models = self.words, self.models
        self.listed = gr.Dropdown(
            sorted(words),
            value=self.word.value or None,
            label=f"Or one of the {len(words):,} words with several meanings",
        )
        layers = models[0].layers if models else ()
        mean = () if "mean" in layers or len(layers) < 2 else ("mean",)
        views = ("meanings", *layers, *mean, "words")
        self.view = parts.choice(
            [(map_title(name), name) for name in views], label="Compare the uses by"
        )
        titles = [(model.title, model.name) for model in models]
        self.model = parts.choice(titles, label="Model", visible=len(models) > 1)

    def _add_answer(self, room: ClassRoom | None) -> None:
        self.result = parts.markup(nothing("map"), "scripts/map_answer.js")
        #: Not empty once the tab was opened.
        self.drawn = gr.Textbox(visible="hidden")
        build_landing(self.service)
        if room is not None:
            room.language_warning = self.service.language_warning
            class_link.build(room)
        parts.build_save_page("map-page", self._saved)

    def _saved(self, event: parts.FormEvent) -> tuple[str, str]:
        return file_of(self.service.sense_map(request_from(event.get("map"))), self.models)

    def draw(self, progress: gr.Progress = parts.REPORTED, *values: Any) -> dict[Any, Any]:
        """Answer the form."""
        sent = dict(zip(self.fields, values, strict=True))
        try:
            shown, found = respond(self.service, sent, parts.reported_by(progress))
        except InputError as error:
            return {self.result: nothing("map", str(error))}
        views = [(map_title(view.name, view.sees), view.name) for view in found.views]
        named = (entry for entry in (*found.examples_of, found.word) if entry in self.words)
        return {
            self.result: shown,
            self.view: gr.update(choices=views, value=found.view),
            self.listed: next(named, None),
        }

    def open_tab(
        self, request: gr.Request, progress: gr.Progress = parts.REPORTED, *values: Any
    ) -> dict[Any, Any]:
        """Answer the form, filled from a link to this tab, when the tab is first opened."""
        was_drawn, *typed = values
        if was_drawn:
            return {self.drawn: gr.skip()}
        query = request.query_params
        if query.get("tab") != "map" or not query.get("word"):
            return {self.drawn: "yes", **self.draw(progress, *typed)}
        link = linked(query)
        filled = {box: link[field] for field, box in self.fields.items() if link[field] is not None}
        return {
            self.drawn: "yes",
            self.own.fold: gr.update(open=bool(link["text"] or link["text_b"])),
            **filled,
            **self.draw(progress, *(link[field] for field in self.fields)),
        }


def build(service: Service, tab: gr.Tab, room: ClassRoom | None = None) -> None:
    """Put the tab's components into the open container and wire their events."""
    form = _Form(service, room)
    inputs = list(form.fields.values())
    options: dict[str, Any] = {
        **{"concurrency_id": "uses", "concurrency_limit": 2},
        **{"api_visibility": "private", "show_progress_on": form.result},
    }
    outputs = [form.result, form.drawn, form.own.fold, form.listed, *inputs]
    opened = tab.select(form.open_tab, [form.drawn, *inputs], outputs, **options)
    opened.then(None, js="() => elmo.settled('.map-answer')")
    word, view = form.word, form.view
    events: list[Any] = [
        *(form.button.click, word.submit, view.input, form.index.input),
        form.start.click(lambda sample: sample[0], form.start, word, **parts.PRIVATE).then,
        form.listed.input(lambda chosen: chosen, form.listed, word, **parts.PRIVATE).then,
        # Each model has views of its own.
        form.model.input(lambda: None, None, view, **parts.PRIVATE).then,
    ]
    for event in events:
        event(form.draw, inputs, [form.result, view, form.listed], **options).then(
            None, js="() => elmo.bringAnswer('.map-answer')"
        )
