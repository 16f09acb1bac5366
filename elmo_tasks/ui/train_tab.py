"""The Train tab: choose examples, start a run, watch it learn, open what it learned."""

from __future__ import annotations

import base64
import binascii
import contextlib
from collections.abc import Mapping
from typing import Any

import gradio as gr

from elmo_tasks.api import DataLook, Service, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.ui import train_data, train_page
from elmo_tasks.ui.events import PRIVATE, revision_of
from elmo_tasks.ui.page_files import joined

SAY_FAILURE = "() => { document.querySelector('.train-editor').dispatchEvent(new Event('failed', { bubbles: true })); }"
#: What the form starts with, by kind.
DEFAULTS = {
    "classification": {"epochs": 30, "hidden": 64, "learning_rate": 0.001},
    "tagging": {"epochs": 30, "hidden": 100, "learning_rate": 0.001},
}


def plan_from(data: Mapping[str, Any]) -> TrainingPlan:
    """Read what the browser sent; numbers that are none stay what they are, to be refused with words."""
    kind = str(data.get("kind"))
    kind = kind if kind in DEFAULTS else "classification"
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
        **numbers,
    )


def upload_from(data: Mapping[str, Any], limit: int) -> tuple[str, bytes] | None:
    """The file that came along: its name, for reading only, and its bytes.

    Raises:
        InputError: it is larger than allowed, or broken on the way.
    """
    sent = data.get("file")
    if not isinstance(sent, dict):
        return None
    name, content = str(sent.get("name") or "unnamed"), str(sent.get("content") or "")
    if len(content) > limit * 4 / 3 + 4:
        raise InputError(f"“{name[-60:]}” is larger than {limit / 1e6:.0f} MB, which is the most.", field="file")
    try:
        return name, base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise InputError("The file did not arrive whole. Choose it again.", field="file") from None


def respond(service: Service, data: Mapping[str, Any]) -> tuple[dict[str, Any], Any, Any]:
    """Answer the form: what it shows next, the markup of the data, and that of the runs (or that they stay)."""
    value: dict[str, Any] = {"revision": revision_of(data), "note": "", "field": ""}
    plan = plan_from(data)
    try:
        upload = upload_from(data, service.training.offer().max_upload)
        if upload is not None:
            value["data"] = service.training.keep_upload(*upload)
            plan = plan_from({**data, "data": value["data"]})
        if plan.source == "upload" and not plan.data:
            return value, train_data.choose_file(), gr.skip()
        look = service.training.look(plan)
    except InputError as error:
        value |= {"note": str(error), "field": error.field or "file", "look": None}
        return value, train_data.problem(str(error)) if plan.source == "upload" else gr.skip(), gr.skip()
    value["look"] = _for_form(look)
    markup = train_data.card(look, plan.kind)
    if data.get("action") != "start":
        return value, markup, gr.skip()
    try:
        job = service.training.start(plan)
    except InputError as error:
        return {**value, "note": str(error), "field": error.field}, markup, gr.skip()
    return {**value, "started": job.name}, markup, train_page.page(service.training.jobs(), job.name)


def respond_to_runs(service: Service, data: Mapping[str, Any]) -> Any:
    """Answer the list of runs: the markup of what there is now, or that it stays."""
    if not service.training.offer().allowed:
        return train_page.off()
    shown = str(data["shown"]) if data.get("shown") else None
    if data.get("action") == "stop":
        # If it is over already, what is shown says so.
        with contextlib.suppress(InputError):
            service.training.stop(str(data.get("run")))
    markup = train_page.page(service.training.jobs(), shown)
    return gr.skip() if train_page.digest_of(markup) == data.get("seen") else markup


def _for_form(look: DataLook) -> dict[str, Any]:
    return {
        "columns": list(look.columns),
        "text_column": look.text_column,
        "label_column": look.label_column,
        "header": look.header,
        "seconds": look.seconds,
        "seconds_per_epoch": look.seconds_per_epoch,
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

    gr.api(training_runs, api_name="training_runs", **shared)
    if not offer.allowed:
        gr.HTML(train_page.off(), js_on_load=None, apply_default_css=False)
        return
    with gr.Row(elem_classes="compare train"):
        with gr.Column(elem_classes="compare-form"):
            editor = gr.HTML(
                {"revision": 0, "note": "", "field": ""},
                # The script builds the form with text nodes: nothing a person typed is ever read as a template.
                html_template="",
                js_on_load=joined("make.js", "train_form.js"),
                apply_default_css=False,
                defaults=DEFAULTS,
                hub=[{"name": name, "kind": kind, "title": title} for name, kind, title in offer.hub],
                most=offer.max_upload,
            )
        with gr.Column(elem_classes="compare-answer train-column"):
            shown = gr.HTML("", js_on_load=None, apply_default_css=False, elem_classes="train-data")
            runs = gr.HTML(
                train_page.waiting(),
                js_on_load=joined("train_runs.js"),
                apply_default_css=False,
                elem_classes="train-runs",
            )

    def on_form(event: gr.EventData) -> tuple[dict[str, Any], Any, Any]:
        return respond(service, dict(event._data))

    def on_runs(event: gr.EventData) -> Any:
        return respond_to_runs(service, dict(event._data))

    asked = editor.submit(on_form, None, [editor, shown, runs], trigger_mode="multiple", **quiet)
    asked.failure(None, None, None, js=SAY_FAILURE, **quiet)
    runs.submit(on_runs, None, runs, trigger_mode="multiple", **quiet)
