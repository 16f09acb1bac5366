"""The form of the Train tab: what a head learns, from which examples, and a look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import gradio as gr

from elmo_tasks.api import DatasetPreview, Service, TaskWords, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.messages import training
from elmo_tasks.ui.parts import choice, take_upload
from elmo_tasks.ui.rendering import render
from elmo_tasks.wording import duration, first_capital

_MAX_LABELS = 12
_LABELS = {
    "texts": ("label", "labels"),
    "names": ("kind of entity", "kinds of entities"),
    "words": ("tag", "tags"),
}
_SOURCES = [
    ("Sample", "sample"),
    ("My examples", "examples"),
    ("My own file", "upload"),
    ("Public data", "hub"),
]
_LAYERS = [
    ("Learn how much of each", "learned"),
    ("Layer 0 alone: each word by itself", "0"),
    ("All alike, not learned", "mean"),
]
#: The fields of the form: those of a plan, and the public data set.
FIELDS = (*(field.name for field in fields(TrainingPlan)), "hub")


def plan_from(tasks: Mapping[str, TaskWords], **data: Any) -> TrainingPlan:
    """Read the form; out-of-range numbers are kept for validation to reject."""
    kind = data["kind"] if data.get("kind") in tasks else next(iter(tasks))
    words = tasks[kind]
    source = data.get("source") or "sample"
    defaults = {field: getattr(words, field) for field in ("epochs", "hidden", "learning_rate")}
    numbers = {
        field: default if data.get(field) in (None, "") else data[field]
        for field, default in defaults.items()
    }
    columns = (
        [data.get("text_column"), data.get("label_column")] if source == "upload" else [None, None]
    )
    text_column, label_column = (str(column) if column else None for column in columns)
    return TrainingPlan(
        kind=kind,
        source=source,
        data=str(data.get({"hub": "hub", "upload": "data"}.get(source, "")) or ""),
        name=data.get("name") or "",
        text_column=text_column,
        label_column=label_column,
        header=data.get("header") if text_column else None,
        layers=data.get("layers") or "learned",
        with_examples=data.get("with_examples") is True and source in ("sample", "upload"),
        balanced=data.get("balanced") is True and words.one_label,
        **numbers,
    )


def data_card(preview: DatasetPreview, unit: str) -> str:
    """Render rows, counted in ``unit``, their labels and the first ones."""
    number = len(preview.labels)
    return render(
        "train_data.html",
        preview=preview,
        title=first_capital(preview.title) if preview.title.startswith("the ") else preview.title,
        counted=lambda n: f"{n:,} {unit.removesuffix('s') if n == 1 else unit}",
        labels=f"{number} {_LABELS[preview.counted][number != 1]}" if preview.rows else "",
        warning=training.balance_warning(preview),
        counts=[
            (training.label_name(name, preview.counted), count)
            for name, count in preview.labels[:_MAX_LABELS]
        ],
        rest=len(preview.labels) - _MAX_LABELS,
        spans=_spans,
    )


def _spans(words: Sequence[str], tags: Sequence[str]) -> list[tuple[str, str]]:
    """Join the words of each span; return each piece with its type or tag, empty outside."""
    pieces: list[tuple[str, str]] = []
    for word, tag in zip(words, tags, strict=True):
        name = tag[2:] if tag[:2] in ("B-", "I-") else "" if tag == "O" else tag
        if tag[:2] == "I-" and pieces and pieces[-1][1] == name:
            pieces[-1] = (f"{pieces[-1][0]} {word}", name)
        else:
            pieces.append((word, name))
    return pieces


def _hint(text: str) -> str:
    return render("hint.html", text=text)


def note_update(text: str = "") -> Any:
    """Return the update of a note: an error, or nothing."""
    return gr.update(value=render("note.html", text=text) if text else "", visible=bool(text))


class TrainForm:
    """Components of the form, and the events between them."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.tasks = service.tasks()
        offer = service.training.offer()
        first = next(iter(self.tasks))
        words = self.tasks[first]
        self.hub_of = {
            kind: [(title, name) for name, of, title in offer.hub if of == kind]
            for kind in self.tasks
        }
        kinds = [(entry.choice, entry.kind) for entry in self.tasks.values()]
        self.kind = gr.Radio(kinds, value=first, label="What should it learn?", info=words.about)
        self.source = gr.Radio(_SOURCES, value="sample", label="From which examples?")
        label, info = "Your examples, one a line", words.typing
        self.examples = gr.Textbox(
            label=label, info=info, lines=5, max_lines=16, interactive=True, visible="hidden"
        )
        self.count = gr.HTML(visible=False)
        # Of every kind: gradio checks an upload against the list with which the page was made.
        endings = sorted({ending for task in self.tasks.values() for ending in task.endings})
        self.file = gr.File(label="Your file", file_types=endings, visible=False, height=120)
        self.file_hint = gr.HTML(_hint(words.files), visible=False)
        self.data = gr.Textbox(visible="hidden")  # the id of the upload
        with gr.Column(visible=False) as self.columns:
            with gr.Row():
                self.text_column = choice([], label="Texts are in")
                self.label_column = choice([], label="Labels are in")
            self.header = gr.Checkbox(label="The first line names the columns")
        self.hub = choice(self.hub_of[first], label="Data set", visible=False)
        self.with_examples = gr.Checkbox(
            label="Add my examples", info="Typed here, or kept in Try."
        )
        self.name = gr.Textbox(label="Name", placeholder="made from the data’s name", max_length=60)
        self.epochs = gr.Number(
            words.epochs, label="Rounds", info="How often it goes through all examples."
        )
        with gr.Accordion("More settings", open=False):
            self.layers = gr.Dropdown(
                _LAYERS, value="learned", label="Layers of the language model"
            )
            self.balanced = gr.Checkbox(label="Rare labels weigh as much as frequent ones")
            with gr.Row():
                self.hidden = gr.Number(
                    words.hidden, label="Hidden size", info="Size of the head’s hidden layer."
                )
                rate, info = words.learning_rate, "How big its steps are."
                self.learning_rate = gr.Number(rate, label="Learning rate", step=0.0001, info=info)
        self.note = gr.HTML(visible=False)
        self.takes = gr.HTML()
        self.start = gr.Button("Start training", variant="primary")
        #: Components of :data:`FIELDS`, and all that change with them.
        self.inputs: list[Any] = [getattr(self, field) for field in FIELDS]
        files = [self.file, self.file_hint, self.columns]
        others = [self.examples, self.count, *files, self.note, self.takes]
        self.outputs: list[Any] = [*self.inputs, *others]

    def plan(self, values: Sequence[Any]) -> TrainingPlan:
        """Read the values of :attr:`inputs`."""
        return plan_from(self.tasks, **dict(zip(FIELDS, values, strict=True)))

    def fill(self, kind: str) -> dict[Any, Any]:
        """Return the updates for a change of the kind."""
        words = self.tasks[kind]
        hub = self.hub_of[kind]
        return {
            self.kind: gr.update(value=kind, info=words.about),
            self.examples: gr.update(value=self.service.training.examples(kind), info=words.typing),
            self.file: None,
            self.file_hint: _hint(words.files),
            self.data: "",
            self.hub: gr.update(choices=hub, value=hub[0][1] if hub else None),
            self.epochs: words.epochs,
            self.hidden: words.hidden,
            self.learning_rate: words.learning_rate,
        }

    def preview(self, plan: TrainingPlan) -> tuple[str, DatasetPreview | None]:
        """Return the card of a plan's data, read as in training, and the preview if usable."""
        if plan.source == "upload" and not plan.data:
            return render("train_data_none.html", message="", is_file=True), None
        if plan.source == "examples" and not self.service.training.examples(plan.kind).strip():
            return render("train_data_none.html", message="", is_file=False), None
        try:
            preview = self.service.training.preview(plan)
        except InputError as error:
            return render(
                "train_data_none.html", message=str(error), is_file=plan.source == "upload"
            ), None
        return data_card(preview, self.tasks[plan.kind].unit), preview

    def check(self, shown: gr.HTML, *values: Any) -> dict[Any, Any]:
        """Return the updates of the form and the data card for a plan."""
        plan = self.plan(values)
        source = plan.source
        card, preview = self.preview(plan)
        columns = preview.columns if preview else ()
        count = training.count_line(self.service.training.examples(plan.kind))
        changes: dict[Any, Any] = {
            shown: card,
            self.takes: "",
            self.note: note_update(),
            self.examples: gr.update(visible=True if source == "examples" else "hidden"),
            self.count: gr.update(value=_hint(count), visible=source == "examples" and bool(count)),
            self.file: gr.update(visible=source == "upload"),
            self.file_hint: gr.update(visible=source == "upload"),
            self.hub: gr.update(visible=source == "hub"),
            self.with_examples: gr.update(visible=source in ("sample", "upload") and bool(count)),
            self.balanced: gr.update(visible=self.tasks[plan.kind].one_label),
            self.columns: gr.update(visible=source == "upload" and len(columns) > 1),
        }
        if preview and isinstance(plan.epochs, int) and 1 <= plan.epochs <= 200:
            seconds = duration(preview.seconds + plan.epochs * preview.seconds_per_epoch)
            changes[self.takes] = _hint(
                f"Takes {seconds} on a machine like this; the page says more once it runs."
            )
        if preview and len(columns) > 1:
            for box, chosen in (
                (self.text_column, preview.text_column),
                (self.label_column, preview.label_column),
            ):
                names = columns if chosen in columns else (chosen or "", *columns)
                changes[box] = gr.update(choices=list(names), value=chosen)
            changes[self.header] = gr.update(
                value=bool(preview.header), visible=preview.header is not None
            )
        return changes

    def upload(self, path: str | None) -> dict[Any, Any]:
        """Store a file that gradio received."""
        changes = {
            self.data: "",
            self.text_column: None,
            self.label_column: None,
            self.note: note_update(),
        }
        if path is None:
            return changes
        name, content = path.replace("\\", "/").rpartition("/")[2], take_upload(str(path))
        try:
            if content is None:
                raise InputError("The file did not arrive whole. Choose it again.")
            changes[self.data] = self.service.training.store_upload(name, content)
        except InputError as error:
            changes[self.note] = note_update(str(error))
        return changes
