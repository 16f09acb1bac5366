"""The Two texts tab: a word in one text against another, and the words whose use moved most."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import gradio as gr

from elmo_tasks.api import Progress, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import texts_page
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.parts import MAP_USES, SLOW, Question, markup, on_question, revision_of, scripted
from elmo_tasks.ui.texts_example import FIRST, NAMES, SECOND, WORD
from elmo_tasks.ui.working import answered


def respond(service: Service, data: Question) -> Iterator[tuple[dict[str, Any], Any]]:
    """Answer what the browser sent, as :func:`elmo_tasks.ui.map_tab.respond`."""
    value: dict[str, Any] = {"revision": revision_of(data), "busy": "", "note": None}
    word = "" if data.get("all") is True else str(data.get("word") or "")

    def work(progress: Progress) -> str:
        if not word.strip() and data.get("all") is not True:
            raise InputError("Type a word that both texts use.", field="word")
        names = (str(data.get("first_name") or ""), str(data.get("second_name") or ""))
        texts = (str(data.get("first") or ""), str(data.get("second") or ""))
        model = str(data["model"]) if data.get("model") else None
        found = service.texts.set_against(*texts, word, names, model, progress)
        return texts_page.page(found, service.models())

    yield from answered(value, work, texts_page.nothing)


def build(service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    models = service.models()
    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = scripted(
                "texts",
                "scripts/texts_form.js",
                example={"first": FIRST, "second": SECOND, "names": list(NAMES), "word": WORD},
                models=[{"name": m.name, "title": m.title} for m in models],
            )
        with gr.Column(elem_classes="compare-answer"):
            result = markup(texts_page.nothing(), "scripts/map_answer.js")

    def two_texts(first: str, second: str, word: str = "", model: str | None = None) -> dict[str, Any]:
        """Say how far the use of a word moved from one text to another, or which words moved most.

        Example: ``predict("A dark cell. " * 4, "A living cell. " * 4, "cell", api_name="/two_texts")``.

        Args:
            first: a text of at most 500,000 characters.
            second: another one.
            word: the word; all content words that both use if it is not given.
            model: name of a model; the default one if it is not given.

        Returns:
            model, view, names, n_sentences, words (word, n_first, n_second, distance, chance, p, score, stands_out),
            n_candidates, map (as /sense_map, its groups the two texts; null without a word), verdict, headline, sees.
        """
        return service.texts.set_against(first, second, word, ("", ""), model or None).to_dict()

    on_question(editor, partial(respond, service), [editor, result], **MAP_USES)
    endpoint(two_texts, "two texts and a word (strings)", SLOW)
