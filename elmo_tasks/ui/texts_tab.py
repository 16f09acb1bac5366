"""The Two texts tab: a word in one text against another, and the words whose use moved most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import gradio as gr

from elmo_tasks.api import ModelInfo, Progress, Service, TwoTexts
from elmo_tasks.errors import InputError
from elmo_tasks.ui import maps
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.page import csv_file, nothing, render
from elmo_tasks.ui.parts import MAP_USES, SLOW, Question, answered, markup, on_question, scripted
from elmo_tasks.wording.map_words import shown_words
from elmo_tasks.wording.models import title_of

NAMES = ("a biologist’s notebook", "a prisoner’s diary")
WORD = "cell"
FIRST = """\
Under the microscope every cell of the leaf looked like a small green room.
The cell divides in two, and each half grows a wall of its own.
Viruses enter the cell through its outer membrane.
We stained one cell with iodine so that its nucleus stood out.
A red blood cell carries oxygen and has no nucleus at all.
The sugar passes slowly from one cell to the next.
In a young root the cell is still thin and full of water.
By the evening a cell in the third dish had died.
"""
SECOND = """\
They locked me in a cell without a window.
The guard opened the cell at six and pushed in a bowl of soup.
My cell measures four steps by three.
Somebody before me had scratched a calendar into the wall of the cell.
In the next cell an old man sang at night.
After the trial they moved me to a cell with two other men.
The door of the cell closes with a sound that I hear in my dreams.
From the cell I could smell the rain in the yard.
"""


_HEADER = ("word", "uses in the first", "uses in the second", "distance", "chance", "p", "score", "stands out")


def page(answer: TwoTexts, models: Sequence[ModelInfo]) -> str:
    """A word on one map in the colours of its two texts, or the words that moved most."""
    rows = [(w.word, w.n_first, w.n_second, w.distance, w.chance, w.p, w.score, w.stands_out) for w in answer.words]
    return render(
        "texts.html",
        answer=answer,
        model=title_of(answer.model, models),
        picture=maps.picture(answer.map) if answer.map else "",
        shape=maps.shape,
        shown=shown_words(answer.map) if answer.map else "",
        csv=csv_file(_HEADER, rows),
        data=answer.to_dict(),
    )


def respond(service: Service, data: Question) -> Iterator[tuple[dict[str, Any], Any]]:
    """Answer what the browser sent, as :func:`elmo_tasks.ui.map_tab.respond`."""
    word = "" if data.get("all") is True else str(data.get("word") or "")

    def work(value: dict[str, Any], progress: Progress) -> str:
        if not word.strip() and data.get("all") is not True:
            raise InputError("Type a word that both texts use.", field="word")
        names = (str(data.get("first_name") or ""), str(data.get("second_name") or ""))
        texts = (str(data.get("first") or ""), str(data.get("second") or ""))
        model = str(data["model"]) if data.get("model") else None
        found = service.texts.set_against(*texts, word, names, model, progress)
        return page(found, service.models())

    yield from answered(data, "texts", work)


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
            result = markup(nothing("texts"), "scripts/map_answer.js")

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
