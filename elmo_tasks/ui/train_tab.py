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

#: Options of every event of the tab.
_QUIET: dict[str, Any] = {**TRAINING, **PRIVATE}


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
        self.shown = choice([], label="Run", visible=False, elem_classes="card components")
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

    def open_page(request: gr.Request) -> dict[Any, Any]:
        return runs.show(request.query_params.get("run"))

    check = _Check(form, data)
    check.after(app.load(open_page, None, runs.outputs, **_QUIET))
    check.after(tab.select(service.training.examples, form.kind, form.examples, **_QUIET))
    tab.select(runs.show, [runs.shown, runs.digest], runs.outputs, **_QUIET)
    _wire_form(form, check)
    _wire_runs(form, runs)
    try_page.opened_by(runs.open, runs.shown, tabs)
    _wire_corrections(form, check, tabs, try_page)


class _Check:
    """Checks the form and shows its data, after an event of the form or of another tab."""

    def __init__(self, form: TrainForm, data: gr.HTML) -> None:
        self.form = form
        self.data = data
        self.outputs: list[Any] = [*form.outputs, data]

    def __call__(self, *values: Any) -> dict[Any, Any]:
        """Return the updates of the form and of its data."""
        return self.form.check(self.data, *values)

    def after(self, event: Any) -> None:
        """Check the form once an event has changed it."""
        event.then(self, self.form.inputs, self.outputs, **_QUIET)


def _wire_form(form: TrainForm, check: _Check) -> None:
    """Let the form be checked whenever a part of it changes."""

    def store_examples(text: str, kind: str, *values: Any) -> dict[Any, Any]:
        try:
            form.service.training.store_examples(kind, text)
        except InputError as error:
            return {form.note: note_update(str(error))}
        return check(kind, *values)

    check.after(form.kind.input(form.fill, form.kind, check.outputs, **_QUIET))
    check.after(form.file.upload(form.upload, form.file, check.outputs, **_QUIET))
    check.after(form.file.clear(form.upload, form.file, check.outputs, **_QUIET))
    latest: dict[str, Any] = {"trigger_mode": "always_last", **_QUIET}
    # Not `input`, which gradio does not send for pasted and deleted text.
    values = [form.examples, *form.inputs]
    form.examples.change(store_examples, values, check.outputs, **latest)
    changed = [form.source.input, form.hub.input, form.with_examples.input, form.text_column.input]
    changed += [form.label_column.input, form.header.input, form.epochs.change]
    gr.on(changed, check, form.inputs, check.outputs, **latest)


def _wire_runs(form: TrainForm, runs: _Runs) -> None:
    """Let the form start a run, and the buttons above a run act on it."""

    def start(*values: Any) -> dict[Any, Any]:
        try:
            job = form.service.training.start(form.plan(values))
        except InputError as error:
            return {form.note: note_update(str(error))}
        return {form.note: note_update(), **runs.show(job.name)}

    form.start.click(start, form.inputs, [form.note, *runs.outputs], **_QUIET)
    runs.timer.tick(runs.show, [runs.shown, runs.digest], runs.outputs, **_QUIET)
    runs.shown.input(runs.show, [runs.shown, runs.digest], runs.outputs, **_QUIET)
    for name, button in (("stop", runs.stop), ("resume", runs.resume), ("delete", runs.sure)):
        button.click(partial(runs.act, name), runs.shown, runs.outputs, **_QUIET)
    runs.delete.click(lambda: gr.update(visible=True), None, runs.asking, **_QUIET)
    runs.cancel.click(lambda: gr.update(visible=False), None, runs.asking, **_QUIET)


def _wire_corrections(form: TrainForm, check: _Check, tabs: gr.Tabs, try_page: TryTab) -> None:
    """Let the buttons of Try open the form, to train with the corrected examples."""

    def open_from_try(kind: str) -> dict[Any, Any]:
        shown = {tabs: gr.Tabs(selected="train"), form.source: "sample", form.with_examples: True}
        return {**form.fill(kind), **shown}

    for correction in try_page.corrections:
        opens = partial(open_from_try, correction.kind)
        check.after(correction.train.click(opens, None, [tabs, *check.outputs], **_QUIET))
