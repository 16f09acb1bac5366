"""Maps of the uses of a word: the picture, and sentences that land on it.

A use is one mark, in the shape, colour and letter of its group; a star is on uses of one's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from elmo_tasks.api import LandedUse, MapRequest, SenseMap, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.page import fill, render
from elmo_tasks.ui.parts import SLOW, Question, on_question, revision_of, scripted
from elmo_tasks.wording import map_words
from elmo_tasks.wording.map_words import use_name

# The plot that marks are kept apart for; on other screens the places are percentages of it.
WIDTH, HEIGHT = 720.0, 440.0
MARGIN = 22.0
#: Of the groups, as styles/groups.css draws them elsewhere: circle, square, diamond, hexagon, dome, leaf.
SHAPES = (
    "M0-12a12 12 0 1 0 .01 0z",
    "M-10.5-10.5h21v21h-21z",
    "M0-14L14 0L0 14L-14 0z",
    "M-7-12h14l7 12l-7 12h-14l-7-12z",
    "M-11.5 11V0a11.5 11.5 0 0 1 23 0V11z",
    "M-11-11H0A11 11 0 0 1 11 0V11H0A11 11 0 0 1-11 0z",
)
STAR = "M0-5.4L1.6-1.7 5.6-1.3 2.6 1.4 3.5 5.4 0 3.3-3.5 5.4-2.6 1.4-5.6-1.3-1.6-1.7z"
#: Of the Present tab: a word whose groups are its meanings, and sentences of ours that the bundled model was not fitted on.
WORD = "case"
READY = (
    "Her lawyer says that we will lose the case.",
    "The vet found a case of flu among the horses.",
    "This is a strange case.",
)


def mark_size(n: int) -> float:
    """How large marks are drawn, 1 being 24 pixels: many need to be small."""
    return 1.0 if n <= 40 else 0.75 if n <= 100 else 0.5


def picture(answer: SenseMap) -> str:
    """The map as inline SVG; the page's script tells what a mark stands for."""
    size = mark_size(len(answer.uses))
    points = [(use.x, use.y) for use in answer.uses]
    scale = scale_of(points)
    return render(
        "map_picture.html",
        uses=answer.uses,
        places=apart(points, 27 * size),
        across=100 * scale / WIDTH,
        up=100 * scale / HEIGHT,
        groups=answer.groups,
        size=size,
        name=lambda use, number: use_name(use, number, answer),
        SHAPES=SHAPES,
        STAR=STAR,
    )


def shape(group: int | None) -> str:
    """The mark of a group, for the list of groups and for tables."""
    return render("map_sign.html", group=group, SHAPES=SHAPES)


def by_group(answer: SenseMap) -> list[int]:
    """The uses, those of one group together, those in none at the end."""
    last = len(answer.groups)
    return sorted(range(len(answer.uses)), key=lambda k: (last if (at := answer.uses[k].group) is None else at, k))


def scale_of(points: Sequence[tuple[float, float]]) -> float:
    """How many pixels of a plot of :data:`WIDTH` x :data:`HEIGHT` one unit of the places is: so many that they fill it."""
    tallest = max((abs(y) for _, y in points), default=0.0) or 1.0
    widest = max((abs(x) for x, _ in points), default=0.0) or 1.0
    return min((WIDTH / 2 - MARGIN) / widest, (HEIGHT / 2 - MARGIN) / tallest)


def apart(points: Sequence[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """Places from -1..1 to percent of the plot, moved a little where marks would cover each other.

    Args:
        points: ``(x, y)``, y upwards.
        least: distance to keep, in pixels of a plot of :data:`WIDTH` x :data:`HEIGHT`.
    """
    scale = scale_of(points)
    places = [[WIDTH / 2 + x * scale, HEIGHT / 2 - y * scale] for x, y in points]
    for _ in range(60 if len(points) <= 120 else 12):
        moved = False
        for i in range(len(places)):
            for j in range(i):
                dx, dy = places[i][0] - places[j][0], places[i][1] - places[j][1]
                distance = math.hypot(dx, dy)
                if distance >= least:
                    continue
                if distance < 1e-6:  # on one spot: each goes its own way
                    dx, dy, distance = math.cos(2.4 * i), math.sin(2.4 * i), 1.0
                    push = least / 2
                else:
                    push = (least - distance) / 2
                for k, sign in ((i, 1), (j, -1)):
                    places[k][0] = min(WIDTH - MARGIN, max(MARGIN, places[k][0] + sign * push * dx / distance))
                    places[k][1] = min(HEIGHT - MARGIN, max(MARGIN, places[k][1] + sign * push * dy / distance))
                moved = True
        if not moved:
            break
    return [(100 * x / WIDTH, 100 * y / HEIGHT) for x, y in places]


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


def respond_to_sentence(service: Service, data: Question) -> dict[str, Any]:
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


def build_landing(service: Service, name: str = "landing") -> None:
    """Put the part that lets sentences land on the maps of its tab into the open container."""
    part = scripted(name, "scripts/landing.js", classes="landing-part")
    on_question(part, lambda question: respond_to_sentence(service, question), part)


def landing_for_programs(service: Service) -> None:
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
