"""What is in a data set, before anything is trained on it."""

from __future__ import annotations

from elmo_tasks.api import DataLook
from elmo_tasks.ui.page import render
from elmo_tasks.wording.labels import class_words, type_note
from elmo_tasks.wording.task_kinds import TASK_WORDS
from elmo_tasks.wording.text import percent

_MOST_LABELS = 12
_UNEVEN = 4
_LABELS = {"texts": ("label", "labels"), "names": ("kind of name", "kinds of names"), "words": ("tag", "tags")}


def card(look: DataLook, kind: str) -> str:
    """Rows, labels and the first rows."""
    number = len(look.labels)
    return render(
        "train_data.html",
        look=look,
        title=look.title[:1].upper() + look.title[1:] if look.title.startswith("the ") else look.title,
        unit=TASK_WORDS[kind].unit,
        labels=f"{number} {_LABELS[look.counted][number != 1]}" if look.rows else "",
        warning=_warning(look),
        counts=[(_note(name, look.counted), count) for name, count in look.labels[:_MOST_LABELS]],
        rest=len(look.labels) - _MOST_LABELS,
    )


def problem(message: str) -> str:
    """What is shown when the data cannot be used: the message as it is, with its lines."""
    return render("train_data_none.html", message=message)


def choose_file() -> str:
    """What is shown as long as no file was chosen."""
    return render("train_data_none.html", message="")


def _warning(look: DataLook) -> str:
    if look.counted != "texts" or not look.labels:
        return ""
    (top, most), (rarest, least) = look.labels[0], look.labels[-1]
    total = sum(number for _, number in look.labels)
    remedy = "“Rare labels weigh as much” under More settings makes up for some of it."
    if most / total > 0.8:
        return (
            f"{percent(most / total)} of the texts are “{top}”: always saying that is right as often, so a high score means "
            f"little here. {remedy}"
        )
    if most >= _UNEVEN * least:
        return f"“{top}” comes {most // least} times as often as “{rarest}”, which the head may seldom say. {remedy}"
    return ""


def _note(name: str, counted: str) -> str:
    note = type_note(name) if counted != "texts" else class_words(name)
    return f"{name} ({note})" if note and note != name.lower() and note != name else name
