"""Train tab: choose examples, start and watch a run, open the head in Try."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from elmo_tasks.api import DatasetPreview, Service, TaskWords, TrainingJob, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.messages import training
from elmo_tasks.ui import charts
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.parts import PRIVATE, choice, endpoint, markup, take_upload
from elmo_tasks.ui.rendering import nothing, render
from elmo_tasks.ui.try_tab import TryTab
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
    ("Layer 0 alone: no context", "0"),
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


def focus_of(jobs: Sequence[TrainingJob], shown: str | None = None) -> TrainingJob | None:
    """Return the run to show: the chosen one, else the one that is running, else the newest."""
    running = next((job for job in jobs if job.status == "running"), jobs[0] if jobs else None)
    return next((job for job in jobs if job.name == shown), running)


def page(jobs: Sequence[TrainingJob], focus: TrainingJob | None) -> str:
    """Render one run, the list of all, and the explanation."""
    return render(
        "train.html",
        run=card(focus) if focus is not None else "",
        jobs=jobs,
        is_live=any(job.status == "running" for job in jobs),
        when=when,
    )


def card(job: TrainingJob) -> str:
    """Render the state of a run, or its result."""
    return render(
        "train_run.html",
        job=job,
        percentage=round(100 * min(1.0, job.step / job.steps)) if job.steps else 0,
        is_live=job.status == "running",
        losses=charts.losses(job),
        scores=charts.scores(job),
        weights=charts.weights(job),
        metric="Share right" if job.metric == "accuracy" else "F1",
        csv=csv_text(job),
        data=job.to_dict(),
        query=urlencode({"tab": "train", "run": job.name}),
    )


def when(created: float) -> str:
    """Format a time as ``3 Nov, 14:05``."""
    moment = time.localtime(created)
    return f"{moment.tm_mday}\u00a0{time.strftime('%b', moment)}, {time.strftime('%H:%M', moment)}"


def csv_text(job: TrainingJob) -> str:
    """Return the rounds as a spreadsheet, then the final scores."""
    weights = [f"weight of layer {name}" for name in job.layers]
    losses = ("training loss", "validation loss")
    header = ("what", "round", *losses, "metric", "score", "without a model", *weights, "gamma")
    empty = ("",) * len(weights)
    rows: list[Sequence[object]] = []
    for e in job.course:
        numbers = (e.train_loss, e.validation_loss, job.metric, e.score)
        rows.append(("round", e.epoch, *numbers, "", *(e.weights or empty), e.gamma))
    for s in job.scores:
        rows.append((s.split, "", "", "", s.metric, s.value, s.guess, *empty, ""))
    return csv_file(header, rows)


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


def _note(text: str = "") -> Any:
    """Return the update of a note: an error, or nothing."""
    return gr.update(value=render("note.html", text=text) if text else "", visible=bool(text))


class _Form:
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
        self.file = gr.File(
            label="Your file", file_types=list(words.endings), visible=False, height=120
        )
        self.file_hint = gr.HTML(_hint(words.files), visible=False)
        self.data = gr.Textbox(visible="hidden")  # the id of the upload
        with gr.Row(visible=False) as self.columns:
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
        others = [
            self.examples,
            self.count,
            self.file,
            self.file_hint,
            self.columns,
            self.note,
            self.takes,
        ]
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
            self.file: gr.update(value=None, file_types=list(words.endings)),
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
            self.note: _note(),
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
            self.note: _note(),
        }
        if path is None:
            return changes
        name, content = path.replace("\\", "/").rpartition("/")[2], take_upload(str(path))
        try:
            if content is None:
                raise InputError("The file did not arrive whole. Choose it again.")
            changes[self.data] = self.service.training.store_upload(name, content)
        except InputError as error:
            changes[self.note] = _note(str(error))
        return changes


class _Runs:
    """Components of the list of runs, and the actions on the shown run."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.shown = choice([], label="Run", visible=False)
        self.digest = gr.Textbox(visible="hidden")
        with gr.Row(
            elem_classes="run-buttons"
        ):  # above the run: below its charts they would be out of sight
            self.stop = gr.Button("Stop and keep the best", visible=False)
            self.resume = gr.Button("Resume", visible=False)
            self.open = gr.Button("Open it in Try", variant="primary", visible=False)
            self.delete = gr.Button("Delete", visible=False)
        with gr.Row(visible=False) as self.asking:
            self.sure = gr.Button("Delete it with its model and its data", variant="stop")
            self.cancel = gr.Button("Cancel")
        self.note = gr.HTML(visible=False)
        self.page = markup(nothing("train"), "scripts/remembered.js", "scripts/watched.js")
        self.timer = gr.Timer(1.0, active=False)
        #: What :meth:`show` may change.
        parts = (
            self.page,
            self.digest,
            self.shown,
            self.stop,
            self.resume,
            self.open,
            self.delete,
            self.asking,
        )
        self.outputs: list[Any] = [*parts, self.note, self.timer]

    def show(self, shown: str | None = None, seen: str = "", note: str = "") -> dict[Any, Any]:
        """Return the updates since the last page shown."""
        jobs = self.service.training.jobs()
        focus = focus_of(jobs, shown)
        content = page(jobs, focus)
        digest = hashlib.blake2b(content.encode(), digest_size=8).hexdigest()
        if digest == seen and not note:
            return {self.digest: gr.skip()}
        is_running = bool(focus and focus.status == "running")
        is_over = bool(focus and not is_running)
        stop = (
            "Stop at once, keep nothing" if focus and focus.stopping else "Stop and keep the best"
        )
        return {
            self.page: gr.skip() if digest == seen else content,
            self.digest: digest,
            self.shown: gr.update(
                choices=[(f"{job.title} ({when(job.created)})", job.name) for job in jobs],
                value=focus.name if focus else None,
                visible=len(jobs) > 1,
            ),
            self.stop: gr.update(value=stop, visible=is_running),
            self.resume: gr.update(visible=bool(focus and focus.can_resume)),
            self.open: gr.update(visible=bool(focus and is_over and focus.head)),
            self.delete: gr.update(visible=is_over),
            self.asking: gr.update(visible=False),
            self.note: _note(note),
            self.timer: gr.Timer(active=any(job.status == "running" for job in jobs)),
        }

    def act(self, action: str, name: str | None) -> dict[Any, Any]:
        """Stop, resume or delete the run that is shown."""
        try:
            getattr(self.service.training, action)(str(name))
        except InputError as error:
            return self.show(name, note=str(error))
        return self.show(None if action == "delete" else name)


def build(app: gr.Blocks, service: Service, tabs: gr.Tabs, tab: gr.Tab, try_page: TryTab) -> None:
    """Put the tab's components into the open container and wire their events."""
    slots: dict[str, Any] = {"concurrency_id": "train", "concurrency_limit": 2}
    quiet: dict[str, Any] = {**slots, **PRIVATE}

    def training_runs() -> list[dict[str, Any]]:
        """List the training runs on this machine, the newest first: name, status, scores, rounds.

        Example: ``predict(api_name="/training_runs")``.
        """
        return [job.to_dict() for job in service.training.jobs()]

    endpoint(training_runs, slots=slots)
    if not service.training.offer().allowed:
        markup(render("train_off.html", tasks=service.tasks()))
        return
    with gr.Row(elem_classes="compare train"):
        with gr.Column(elem_classes="compare-form card components"):
            form = _Form(service)
        with gr.Column(elem_classes="compare-answer train-column"):
            data = markup("", classes="train-data")
            with gr.Column(elem_classes="train-runs"):
                runs = _Runs(service)
    outputs = [*form.outputs, data]
    check_form = partial(form.check, data)

    def store_examples(text: str, kind: str, *values: Any) -> dict[Any, Any]:
        try:
            service.training.store_examples(kind, text)
        except InputError as error:
            return {form.note: _note(str(error))}
        return form.check(data, kind, *values)

    def open_page(request: gr.Request) -> dict[Any, Any]:
        return runs.show(request.query_params.get("run"))

    def start(*values: Any) -> dict[Any, Any]:
        try:
            job = service.training.start(form.plan(values))
        except InputError as error:
            return {form.note: _note(str(error))}
        return {form.note: _note(), **runs.show(job.name)}

    def open_from_try(kind: str) -> dict[Any, Any]:
        shown = {tabs: gr.Tabs(selected="train"), form.source: "sample", form.with_examples: True}
        return {**form.fill(kind), **shown}

    def then_check(event: Any) -> None:
        event.then(check_form, form.inputs, outputs, **quiet)

    then_check(app.load(open_page, None, runs.outputs, **quiet))
    then_check(tab.select(service.training.examples, form.kind, form.examples, **quiet))
    tab.select(runs.show, [runs.shown, runs.digest], runs.outputs, **quiet)
    then_check(form.kind.input(form.fill, form.kind, outputs, **quiet))
    then_check(form.file.upload(form.upload, form.file, outputs, **quiet))
    then_check(form.file.clear(form.upload, form.file, outputs, **quiet))
    # Not `input`, which gradio does not send for pasted and deleted text.
    values = [form.examples, *form.inputs]
    form.examples.change(store_examples, values, outputs, trigger_mode="always_last", **quiet)
    changed = [form.source.input, form.hub.input, form.with_examples.input, form.text_column.input]
    changed += [form.label_column.input, form.header.input, form.epochs.change]
    gr.on(changed, check_form, form.inputs, outputs, trigger_mode="always_last", **quiet)
    form.start.click(start, form.inputs, [form.note, *runs.outputs], **quiet)
    runs.timer.tick(runs.show, [runs.shown, runs.digest], runs.outputs, **quiet)
    runs.shown.input(runs.show, [runs.shown, runs.digest], runs.outputs, **quiet)
    for name, button in (("stop", runs.stop), ("resume", runs.resume), ("delete", runs.sure)):
        button.click(partial(runs.act, name), runs.shown, runs.outputs, **quiet)
    runs.delete.click(lambda: gr.update(visible=True), None, runs.asking, **quiet)
    runs.cancel.click(lambda: gr.update(visible=False), None, runs.asking, **quiet)
    try_page.opened_by(runs.open, runs.shown, tabs)
    for correction in try_page.corrections:
        opened = correction.train.click(
            partial(open_from_try, correction.kind), None, [tabs, *outputs], **quiet
        )
        then_check(opened)
