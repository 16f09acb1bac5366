"""Train tab: choose examples, start and watch a run, open the head in Try."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from elmo_tasks.api import Service, TrainingJob
from elmo_tasks.errors import InputError
from elmo_tasks.ui import charts
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.parts import PRIVATE, TRAINING, choice, markup
from elmo_tasks.ui.rendering import nothing, render
from elmo_tasks.ui.train_form import TrainForm, note_update
from elmo_tasks.ui.try_tab import TryTab


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
            self.note: note_update(note),
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
    quiet: dict[str, Any] = {**TRAINING, **PRIVATE}
    if not service.training.offer().allowed:
        markup(render("train_off.html", tasks=service.tasks()))
        return
    with gr.Row(elem_classes="compare train"):
        with gr.Column(elem_classes="compare-form card components"):
            form = TrainForm(service)
        with gr.Column(elem_classes="compare-answer train-column"):
            # As high as the data of the sample, which the first check brings: nothing jumps then.
            data = markup('<div class="data-to-come"></div>', classes="train-data")
            with gr.Column(elem_classes="train-runs"):
                runs = _Runs(service)
    outputs = [*form.outputs, data]
    check_form = partial(form.check, data)

    def store_examples(text: str, kind: str, *values: Any) -> dict[Any, Any]:
        try:
            service.training.store_examples(kind, text)
        except InputError as error:
            return {form.note: note_update(str(error))}
        return form.check(data, kind, *values)

    def open_page(request: gr.Request) -> dict[Any, Any]:
        return runs.show(request.query_params.get("run"))

    def start(*values: Any) -> dict[Any, Any]:
        try:
            job = service.training.start(form.plan(values))
        except InputError as error:
            return {form.note: note_update(str(error))}
        return {form.note: note_update(), **runs.show(job.name)}

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
