"""A sentence that lands on the map of its word: what the page asks, and what it draws."""

from __future__ import annotations

from typing import Any

from elmo_tasks.api import LandedUse, MapRequest, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.map_picture import picture, shape
from elmo_tasks.ui.page import fill
from elmo_tasks.ui.parts import SLOW, Question, on_question, revision_of, scripted
from elmo_tasks.wording import map_words

#: Of the Present tab: a word whose groups are its meanings, and sentences of ours that the bundled model was not fitted on.
WORD = "case"
READY = (
    "Her lawyer says that we will lose the case.",
    "The vet found a case of flu among the horses.",
    "This is a strange case.",
)


def request_from(data: Any) -> MapRequest:
    """Which map the page shows, as it asked for it."""
    asked = data if isinstance(data, dict) else {}
    groups = str(asked.get("groups") or "")
    return MapRequest(
        word=str(asked.get("word") or "").strip(),
        text=str(asked.get("text") or ""),
        view=str(asked["view"]) if asked.get("view") else None,
        n_groups=int(groups) if groups.isdecimal() else None,
        gallery=asked.get("gallery") is not False,
        name=str(asked.get("name") or ""),
        model=str(asked["model"]) if asked.get("model") else None,
        index=asked.get("index") is True,
        by_meaning=asked.get("by_meaning") is True,
    )


def respond(service: Service, data: Question) -> dict[str, Any]:
    """Answer a sentence: its place, its nearest uses and the markup that tells of it; or a note."""
    value: dict[str, Any] = {"revision": revision_of(data), "note": "", "landed": None}
    asked = request_from(data.get("map"))
    try:
        found = service.maps.land(str(data.get("sentence") or ""), asked)
    except InputError as error:
        return {**value, "note": str(error)}
    place = {"x": found.x, "y": found.y, "near": [near.position for near in found.nearest], "group": found.group}
    return {**value, "landed": {**place, "markup": markup(found, asked.by_meaning)}}


def markup(found: LandedUse, by_meaning: bool = False) -> str:
    """What is told of a sentence that has landed; its groups are called by their letters, or ``by_meaning``."""
    signs = {at: shape(at) for at in (None, *range(len(found.groups)))}
    names = [f"{g.letter} ({g.meant})" if by_meaning and g.meant else f"Group {g.letter}" for g in found.groups]
    return fill("landing.html", "landed", found, signs, names)


def stage(service: Service, word: str = WORD, ready: tuple[str, ...] = READY) -> str:
    """The map of the word with the form that lets sentences land on it, or the reason why there is none."""
    try:
        found = service.maps.sense_map(MapRequest(word))
    except InputError as error:
        return fill("present/answers.html", "problem", str(error))
    placed = map_words.well_placed(found)
    return fill("landing.html", "stage", found, picture(found), shape, ready, placed)


def build(service: Service, name: str = "landing") -> None:
    """Put the part that lets sentences land on the maps of its tab into the open container."""
    part = scripted(name, "scripts/landing.js", classes="landing-part")
    on_question(part, lambda question: respond(service, question), part)


def for_programs(service: Service) -> None:
    """The same for programs."""

    def land(
        word: str,
        sentence: str,
        text: str = "",
        view: str | None = None,
        n_groups: int | None = None,
        gallery: bool = True,
        model: str | None = None,
    ) -> dict[str, Any]:
        """Put a sentence on the map of its word, where nothing else moves, and say in which group it lands.

        Example: ``predict("bank", "The bank was covered with reeds.", api_name="/land")``.

        Args:
            word: one word; its inflections count.
            sentence: uses the word; brackets mark which of several places is meant.
            text: your own text, if the map is drawn from it.
            view: as in ``/sense_map``.
            n_groups: 1 to 6; left to the data if it is not given.
            gallery: whether the example sentences are on the map.
            model: name of a model; the default one if it is not given.

        Returns:
            sentence, start, end, x, y, group (null between groups), groups, nearness to each, nearest (position, cosine,
            sentence, start, end, group), verdict.
        """
        asked = MapRequest(word, text, view or None, n_groups, gallery, model=model or None)
        return service.maps.land(sentence, asked).to_dict()

    expected = "a word, a sentence, a text and a view as strings"
    one = {"n_groups": "n_groups as a whole number", "gallery": "gallery as true or false"}
    endpoint(land, expected, SLOW, **one)
