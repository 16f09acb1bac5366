"""The Sense map tab: a word in, its uses as marks on a map out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from elmo_tasks.api import MapRequest, ModelInfo, Progress, SenseMap, Service
from elmo_tasks.ui import maps, saved_page
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.examples import words as chosen_words
from elmo_tasks.ui.maps import request_from
from elmo_tasks.ui.page import csv_file, nothing, render
from elmo_tasks.ui.parts import MAP_USES, SLOW, Question, answered, build_save_page, markup, on_question, scripted
from elmo_tasks.wording.map_words import measured, own_words, shown_words, typed_otherwise
from elmo_tasks.wording.models import title_of
from elmo_tasks.wording.text import slug
from elmo_tasks.wording.views import map_title

#: Words to start with.
FIRST = chosen_words("map")
MOST_GROUPS = 6
#: Characters of one's own text that a link may hold: servers refuse addresses much longer than 8,000 characters.
MOST_IN_LINK = 2_000


def page(
    answer: SenseMap,
    models: Sequence[ModelInfo],
    query: str = "",
    left_out: str = "",
    revision: int = 0,
    *,
    saved: bool = False,
) -> str:
    """A map: the answer in words, the picture, the uses, the explanation; ``left_out`` is what its link does not hold.

    A ``saved`` page has no forms and no buttons that need the app.
    """
    reasons = (answer.said.reasons, typed_otherwise(answer), own_words(answer), measured(answer))
    known = [view for view in answer.views if view.agreement is not None]
    return render(
        "map.html",
        answer=answer,
        reasons=" ".join(filter(None, reasons)),
        model=title_of(answer.model, models),
        picture=maps.picture(answer),
        shape=maps.shape,
        shown=shown_words(answer),
        order=maps.by_group(answer),
        views=sorted(known, key=lambda view: -(view.agreement or 0.0)),
        name=f"sense-map-{slug(answer.word)}",
        csv=csv_text(answer),
        data=answer.to_dict(),
        query=query,
        left_out=left_out,
        revision=revision,
        saved=saved,
    )


def file_of(answer: SenseMap, models: Sequence[ModelInfo]) -> tuple[str, str]:
    """Return the name and the text of a saved page with a map, which needs no server."""
    text = saved_page.page(f"“{answer.word}” in {len(answer.uses)} sentences", page(answer, models, saved=True))
    return f"sense-map-{slug(answer.word)}.html", text


def csv_text(answer: SenseMap) -> str:
    """All uses as a spreadsheet."""
    header = ("use", "group", "sense in the gallery", "from", "word", "sentence", "x", "y", "nearest use", "cosine")
    rows = []
    for place, use in enumerate(answer.uses, 1):
        letter = None if use.group is None else answer.groups[use.group].letter
        near = (use.nearest[0][0] + 1, use.nearest[0][1]) if use.nearest else (None, None)
        text = ("own text" if use.own else "gallery", use.sentence[use.start : use.end], use.sentence)
        rows.append((place, letter, use.sense, *text, use.x, use.y, *near))
    return csv_file(header, rows)


def link_of(asked: MapRequest) -> tuple[str, str]:
    """The query string that ``map_form.js`` reads, and what it leaves out: too long a text."""
    fits = len(asked.text) <= MOST_IN_LINK
    pairs = {
        "tab": "map",
        "word": asked.word,
        "view": asked.view or "",
        "groups": str(asked.n_groups or ""),
        "model": asked.model or "",
        "gallery": "" if asked.gallery else "no",
        "index": "yes" if asked.index else "",
        "t": asked.text if fits else "",
    }
    query = urlencode({key: value for key, value in pairs.items() if value.strip()})
    return query, "" if fits else ", without your own text: it is too long for a link"


def respond(service: Service, data: Question) -> Iterator[tuple[dict[str, Any], Any]]:
    """Answer what the browser sent: what the form shows next (how far the work is, at first), and the markup of the answer."""
    asked = request_from(data)

    def work(value: dict[str, Any], progress: Progress) -> str:
        found = service.maps.sense_map(asked, progress)
        value["view"] = found.view
        value["views"] = [{"name": v.name, "title": map_title(v.name, v.sees)} for v in found.views]
        return page(found, service.models(), *link_of(replace(asked, view=found.view)), value["revision"])

    yield from answered(data, "map", work)


def views_of(models: tuple[ModelInfo, ...]) -> list[dict[str, str]]:
    """What the form offers to compare by until the first answer, which says what its model can be compared by."""
    layers = models[0].layers if models else ()
    names = ("both", "words", *layers, *(() if "mean" in layers or len(layers) < 2 else ("mean",)))
    return [{"name": name, "title": map_title(name)} for name in names]


def build(service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    models = service.models()
    words = service.maps.words()
    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = scripted(
                "map",
                "scripts/map_form.js",
                words=sorted(words),
                first=[word for word in FIRST if word in words] or list(words[:8]),
                views=views_of(models),
                models=[{"name": m.name, "title": m.title} for m in models],
                most_groups=MOST_GROUPS,
                index=service.maps.index_title(),
            )
        with gr.Column(elem_classes="compare-answer"):
            result = markup(nothing("map"), "scripts/map_answer.js")
            maps.build_landing(service)
            build_save_page(
                "map-page",
                lambda question: file_of(service.maps.sense_map(request_from(question.get("map"))), service.models()),
            )

    def sense_map(
        word: str,
        text: str = "",
        view: str | None = None,
        n_groups: int | None = None,
        gallery: bool = True,
        model: str | None = None,
        index: bool = False,
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
            index: whether the index that the app was started with counts, too.

        Returns:
            word, model, view, views (name, agreement, named, right, sees), uses (sentence, start, end, own, sense, group, x, y,
            nearest), groups (letter, n_uses, words, typical, meant), asked_groups, is_clear, verdict, headline, shown, agreement,
            n_own, n_measured_words, examples_of.
        """
        asked = MapRequest(word, text, view or None, n_groups, gallery, model=model or None, index=index)
        return service.maps.sense_map(asked).to_dict()

    on_question(editor, partial(respond, service), [editor, result], **MAP_USES)
    expected = "a word, a text and a view as strings, gallery and index as true or false"
    endpoint(sense_map, expected, SLOW, n_groups="n_groups as a whole number")
    maps.landing_for_programs(service)
