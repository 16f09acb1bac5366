"""The Sense map tab: a word in, its uses as marks on a map out; and the words of a text that have two lives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from elmo_tasks.api import ModelInfo, Progress, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import map_page
from elmo_tasks.ui.map_words import view_title
from elmo_tasks.ui.working import working

FOLDER = Path(__file__).parent
FIRST = ("bank", "cell", "python", "jaguar", "bass", "mouse", "spring", "bark")
MOST_GROUPS = 6
SAY_FAILURE = "() => { document.querySelector('.map-editor').dispatchEvent(new Event('failed', { bubbles: true })); }"


@dataclass(frozen=True)
class MapForm:
    """What the form holds.

    Attributes:
        word: the word.
        text: the person's own text.
        name: of the file it came from, if it came from one.
        view: what to compare by; ``None`` for what measures best.
        groups: how many groups; ``None`` to let the data say.
        gallery: whether the example sentences count.
        lives: whether to look for words with two lives, not for one word.
        model: name of a model; ``None`` for the default one.
    """

    word: str
    text: str
    name: str
    view: str | None
    groups: int | None
    gallery: bool
    lives: bool
    model: str | None


def form_from(data: Mapping[str, Any]) -> MapForm:
    """Read what the browser sent."""
    groups = str(data.get("groups") or "")
    return MapForm(
        word=str(data.get("word") or "").strip(),
        text=str(data.get("text") or ""),
        name=str(data.get("name") or ""),
        view=str(data["view"]) if data.get("view") else None,
        groups=int(groups) if groups.isdecimal() else None,
        gallery=data.get("gallery") is not False,
        lives=data.get("lives") is True,
        model=str(data["model"]) if data.get("model") else None,
    )


def respond(service: Service, data: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Answer what the browser sent: what the form shows next (how far the work is, at first), and the markup of the answer."""
    form = form_from(data)
    revision = data.get("revision")
    value: dict[str, Any] = {"revision": revision if isinstance(revision, int) else 0, "busy": "", "note": None}

    def work(progress: Progress) -> str:
        if form.lives:
            return map_page.lives_page(service.two_lives(form.text, form.model, progress))
        found = service.sense_map(
            form.word, form.text, form.view, form.groups, form.gallery, form.name, form.model, progress
        )
        value["view"] = found.view
        return map_page.page(found, service.models())

    try:
        for step in working(work):
            if isinstance(step, str):
                yield {**value, "busy": step}, gr.skip()
            else:
                yield value, step[0]
    except InputError as error:
        yield {**value, "note": {"field": error.field, "text": str(error)}}, map_page.nothing(str(error))


def views_of(models: tuple[ModelInfo, ...]) -> list[dict[str, str]]:
    """What the form offers to compare by."""
    layers = models[0].layers if models else ()
    names = ("both", "words", *layers, *(() if "mean" in layers or len(layers) < 2 else ("mean",)))
    return [{"name": name, "title": view_title(name)} for name in names]


def build(service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    models = service.models()
    words = service.gallery_words()
    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = gr.HTML(
                {"revision": 0, "busy": "", "note": None},
                # The script builds the form with text nodes: nothing a person typed is ever read as a template.
                html_template="",
                js_on_load=(FOLDER / "map_form.js").read_text(encoding="utf-8"),
                apply_default_css=False,
                words=sorted(words),
                first=[word for word in FIRST if word in words] or list(words[:8]),
                views=views_of(models),
                models=[{"name": m.name, "title": m.title} for m in models],
                most_groups=MOST_GROUPS,
            )
        with gr.Column(elem_classes="compare-answer"):
            result = gr.HTML(
                map_page.waiting(),
                js_on_load=(FOLDER / "map_answer.js").read_text(encoding="utf-8"),
                apply_default_css=False,
            )

    def on_submit(event: gr.EventData) -> Iterator[tuple[dict[str, Any], Any]]:
        yield from respond(service, dict(event._data))

    def sense_map(
        word: str,
        text: str = "",
        view: str | None = None,
        n_groups: int | None = None,
        gallery: bool = True,
        model: str | None = None,
    ) -> dict[str, Any]:
        """Map the uses of a word in the example sentences and in your own text, and say into how many groups they fall.

        Example: ``predict("bank", "We sat on the bank. The bank was muddy.", api_name="/sense_map")``.

        Args:
            word: one word; its inflections count.
            text: your own text, at most 2 million characters.
            view: a layer ("1"), "mean", "words" or "both"; what measures best if it is not given.
            n_groups: 1 to 6; left to the data if it is not given.
            gallery: whether the example sentences count.
            model: name of a model; the default one if it is not given.

        Returns:
            word, model, view, views (name, agreement, named, right), uses (sentence, start, end, own, sense, group, x, y,
            nearest), groups (letter, n_uses, words), asked_groups, is_clear, verdict, shown, agreement, n_own,
            n_measured_words.
        """
        texts = (word, text, view or "", model or "")
        if not all(isinstance(t, str) for t in texts) or not isinstance(gallery, bool):
            raise gr.Error(
                "Expected a word, a text and a view as strings, gallery as true or false.", print_exception=False
            )
        if n_groups is not None and (not isinstance(n_groups, int) or isinstance(n_groups, bool)):
            raise gr.Error("Expected n_groups as a whole number.", print_exception=False)
        try:
            return service.sense_map(word, text, view or None, n_groups, gallery, "", model or None).to_dict()
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    def two_lives(text: str, model: str | None = None) -> dict[str, Any]:
        """Rank the content words of a text by how clearly their uses split into groups.

        Example: ``predict("The bank lends. A bank pays. My bank closed. One bank. A river bank. The muddy bank.",
        api_name="/two_lives")``.

        Args:
            text: at most 200,000 characters.
            model: name of a model; the default one if it is not given.

        Returns:
            model, view, words (word, n_uses, score, is_clear, groups), n_sentences, n_candidates, verdict.
        """
        if not isinstance(text, str) or not isinstance(model or "", str):
            raise gr.Error("Expected a text (a string).", print_exception=False)
        try:
            return service.two_lives(text, model or None).to_dict()
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    shared: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 4}
    quiet: dict[str, Any] = {**shared, "api_visibility": "private", "show_progress": "hidden"}
    submitted = editor.submit(on_submit, None, [editor, result], trigger_mode="multiple", **quiet)
    submitted.failure(None, None, None, js=SAY_FAILURE, **quiet)
    gr.api(sense_map, api_name="sense_map", **shared)
    gr.api(two_lives, api_name="two_lives", **shared)
