"""The Train tab: choose examples, start a run, watch it learn, open what it learned."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from typing import Any

import gradio as gr

from elmo_tasks.api import DataLook, Service, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.ui import train_page
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.parts import PRIVATE, Question, markup, on_question, revision_of, scripted, take_upload
from elmo_tasks.wording.task_kinds import TASK_WORDS
from elmo_tasks.wording.text import duration

#: What the form starts with, by kind.
DEFAULTS = {
    kind: {"epochs": words.epochs, "hidden": words.hidden, "learning_rate": words.learning_rate}
    for kind, words in TASK_WORDS.items()
}


def plan_from(data: Question) -> TrainingPlan:
    """Read what the browser sent; numbers that are none stay what they are, to be refused with words."""
    kind = str(data.get("kind"))
    kind = kind if kind in DEFAULTS else next(iter(DEFAULTS))
    header = data.get("header")
    numbers: dict[str, Any] = {
        field: default if data.get(field) in (None, "") else data[field] for field, default in DEFAULTS[kind].items()
    }
    return TrainingPlan(
        kind=kind,
        source=str(data.get("source") or "sample"),
        data=str(data.get("data") or ""),
        name=str(data.get("name") or ""),
        text_column=str(data["text_column"]) if data.get("text_column") else None,
        label_column=str(data["label_column"]) if data.get("label_column") else None,
        header=header if isinstance(header, bool) else None,
        layers=str(data.get("layers") or "learned"),
        base=str(data.get("base") or ""),
        balanced=data.get("balanced") is True,
        **numbers,
    )


def upload_from(question: Question) -> tuple[str, bytes] | None:
    """The file that came along: its name, for reading only, and its bytes.

    Raises:
        InputError: it is not there.
    """
    sent = question.get("file")
    if not isinstance(sent, dict):
        return None
    content = take_upload(sent.get("path"))
    if content is None:
        raise InputError("The file did not arrive whole. Choose it again.", field="file")
    return str(sent.get("name") or "unnamed"), content


def respond(service: Service, question: Question) -> tuple[dict[str, Any], Any, Any, Any]:
    """Answer the form: what it shows next, the data, the runs and the state of these (or that they stay)."""
    plan = plan_from(question)
    value: dict[str, Any] = {"revision": revision_of(question), "note": "", "field": ""}
    value["bases"] = _bases(service, plan.kind)
    stays = (gr.skip(), gr.skip())
    try:
        upload = upload_from(question)
        if upload is not None:
            value["data"] = service.training.keep_upload(*upload)
            plan = plan_from({**question, "data": value["data"]})
        if plan.source == "upload" and not plan.data:
            return value, train_page.no_data(), *stays
        look = service.training.look(plan)
    except InputError as error:
        value |= {"note": str(error), "field": error.field or "file", "look": None}
        return value, train_page.no_data(str(error)) if plan.source == "upload" else gr.skip(), *stays
    value["look"] = _for_form(look, plan)
    data = train_page.data_card(look, plan.kind)
    if question.get("action") != "start":
        return value, data, *stays
    try:
        job = service.training.start(plan)
    except InputError as error:
        return {**value, "note": str(error), "field": error.field}, data, *stays
    runs, state = train_page.page(service.training.jobs(), job.name)
    return {**value, "started": job.name}, data, runs, {"revision": 0, "note": "", **state}


def _bases(service: Service, kind: str) -> list[dict[str, str]]:
    """What more examples of a kind can be added to: the sample, and the runs whose rows are here."""
    runs = [job for job in service.training.jobs() if job.kind == kind and job.base == job.name]
    return [
        {"name": "sample", "title": "the sample that comes with the program"},
        *({"name": job.name, "title": f"the rows of “{job.title}”"} for job in runs),
    ]


def respond_to_runs(service: Service, question: Question) -> tuple[Any, dict[str, Any]]:
    """Answer the list of runs, after what it asks to do with one: its markup, or that it stays, and its state."""
    if not service.training.offer().allowed:
        off = {"revision": revision_of(question), "digest": "", "shown": "", "live": False}
        return train_page.no_runs(is_off=True), off
    action, run, note = question.get("action"), str(question.get("run")), ""
    if action == "stop":
        # If it is over already, what is shown says so.
        with contextlib.suppress(InputError):
            service.training.stop(run)
    try:
        if action == "delete":
            service.training.delete(run)
        elif action == "rename":
            service.training.rename(run, str(question.get("title") or ""))
    except InputError as error:
        note = str(error)
    runs, state = train_page.page(service.training.jobs(), str(question.get("shown") or ""))
    shown = gr.skip() if state["digest"] == question.get("seen") else runs
    return shown, {"revision": revision_of(question), "note": note, **state}


def _for_form(look: DataLook, plan: TrainingPlan) -> dict[str, Any]:
    rounds = plan.epochs if isinstance(plan.epochs, int) and 1 <= plan.epochs <= 200 else None
    return {
        "columns": list(look.columns),
        "text_column": look.text_column,
        "label_column": look.label_column,
        "header": look.header,
        "takes": duration(look.seconds + rounds * look.seconds_per_epoch) if rounds else "",
    }


def build(service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    offer = service.training.offer()
    shared: dict[str, Any] = {"concurrency_id": "train", "concurrency_limit": 2}
    quiet = {**shared, **PRIVATE}

    def training_runs() -> list[dict[str, Any]]:
        """The training runs on this machine, the newest first: name, status, scores, and how each round went.

        Example: ``predict(api_name="/training_runs")``.
        """
        return [job.to_dict() for job in service.training.jobs()]

    endpoint(training_runs, slots=shared)
    if not offer.allowed:
        markup(train_page.no_runs(is_off=True))
        return
    with gr.Row(elem_classes="compare train"):
        with gr.Column(elem_classes="compare-form"):
            editor = scripted(
                "train",
                "scripts/typed.js",
                "scripts/train_form.js",
                value={"note": "", "field": ""},
                kinds=[asdict(words) for words in TASK_WORDS.values()],
                hub=[{"name": name, "kind": kind, "title": title} for name, kind, title in offer.hub],
                most=offer.max_upload,
            )
        with gr.Column(elem_classes="compare-answer train-column"):
            shown = markup("", classes="train-data")
            runs = markup(train_page.no_runs(), classes="train-runs")
            state = scripted(
                "runs", "scripts/train_runs.js", value={"digest": "", "shown": "", "live": False}, classes="unseen"
            )
    on_question(editor, lambda question: respond(service, question), [editor, shown, runs, state], **quiet)
    on_question(state, lambda question: respond_to_runs(service, question), [runs, state], **quiet)
