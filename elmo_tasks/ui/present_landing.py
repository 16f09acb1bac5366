"""The step of the Present tab where the audience's sentences land on a map."""

from __future__ import annotations

from elmo_tasks.api import MapRequest, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import map_picture
from elmo_tasks.ui.page import fill
from elmo_tasks.wording import map_words

#: A word whose groups are its meanings, and sentences of ours that the bundled model was not fitted on.
WORD = "case"
READY = (
    "Her lawyer says that we will lose the case.",
    "The vet found a case of flu among the horses.",
    "This is a strange case.",
)


def markup(service: Service, word: str = WORD, ready: tuple[str, ...] = READY) -> str:
    """The map of the word with the form that lets sentences land on it, or the reason why there is none."""
    try:
        found = service.maps.sense_map(MapRequest(word))
    except InputError as error:
        return fill("present/answers.html", "problem", str(error))
    placed = map_words.well_placed(found)
    return fill("landing.html", "stage", found, map_picture.picture(found), map_picture.shape, ready, placed)
