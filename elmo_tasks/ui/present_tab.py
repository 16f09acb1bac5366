"""Present tab: nine steps for a presenter, with live answers of the model.

The content of a step is in its template; the markup of the live parts is in
``templates/present/answers.html``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

from markupsafe import Markup

from elmo_tasks.api import Certainty, Comparison, IncrementalReading, ModelInfo, Service, group_by
from elmo_tasks.errors import InputError
from elmo_tasks.messages.views import dictionary_note, taught_note
from elmo_tasks.ui import map_tab
from elmo_tasks.ui.compare_answer import layer_sentence, rows_of
from elmo_tasks.ui.compare_form import EXAMPLES, CompareExample, Form, form_from, query_of
from elmo_tasks.ui.parts import FormEvent, custom_form, on_submit
from elmo_tasks.ui.rendering import CONTENT, fill, render
from elmo_tasks.wording import percent

SHOWN_NEIGHBOURS = 7
#: Static vectors shown side by side.
STATIC_WORDS = ("bank", "plant", "mouse")
#: Comparisons to guess on, in pairs and by groups.
QUIZ = tuple(CompareExample(entry["word"], **entry) for entry in CONTENT["quiz"])
STORIES = tuple(
    next(e for e in EXAMPLES if e.title == title) for title in ("bank", "spring", "jam")
)
#: Words to start from where the audience has none.
OWN_WORDS = (
    "bank",
    "run",
    "pool",
    "bass",
    "bug",
    "field",
    "horn",
    "mass",
    "pipe",
    "match",
    "light",
    "pitch",
)
#: Below this probability the model's answer to a pair of the quiz counts as none.
MIN_CONFIDENCE = 0.6
ANSWER_WORDS = {True: "the same", False: "different"}
#: A live part, by its name.
part = partial(fill, "present/answers.html")


class Turning(NamedTuple):
    """Two sentences that are read word by word, side by side."""

    word: str
    senses: Sequence[str]  # of the dictionary: the meaning of the first sentence, and of the second
    deciding: Sequence[str]  # words, one for the gap of the frame in each sentence
    frame: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """First sentence and second sentence."""
        return tuple(self.frame.format(word) for word in self.deciding)

    @property
    def title(self) -> str:
        """Label of the button."""
        return f"{self.word}: {' / '.join(self.deciding)}"


FORMINGS = tuple(Turning(**entry) for entry in CONTENT["turnings"])
#: Each with the name of its template, a title, notes for the speaker, and sometimes the kind of its
#: layout.
STEPS = CONTENT["talk"]


# --- Live parts ---


def stage_markup(models: Sequence[ModelInfo] = ()) -> str:
    """Render the stage with all steps; ``models`` are those on offer, the default one first."""
    note = " ".join(map(dictionary_note, models[0].dictionary_layers)) if models else ""
    return render(
        "present/stage.html",
        steps=STEPS,
        STORIES=STORIES,
        FORMINGS=FORMINGS,
        OWN=OWN_WORDS,
        note=note,
        taught=taught_note(),
    )


def layers(comparison: Comparison) -> str:
    """Render one picture per layer; the page's script shows one of them."""
    pictures = [(layer, layer_sentence(comparison, layer)) for layer in comparison.layers]
    return part("layers", comparison, pictures, rows_of(comparison))


def forming(answers: tuple[IncrementalReading, IncrementalReading]) -> str:
    """Render two sentences read word by word, each with a dot between two meanings."""
    first = answers[0]
    steps = [
        {
            "words": pair[0].words,
            "read": sum(
                any(letter.isalnum() for letter in token)
                for token in first.use.tokens[: pair[0].words]
            ),
            # In percent from the left, where the first meaning is certain.
            "at": [
                round(50 - 47 * (step.probabilities[0] - step.probabilities[1]), 2) for step in pair
            ],
            "findings": [f"“{step.found}”" if step.found else "cannot tell" for step in pair],
        }
        for pair in zip(*(answer.steps for answer in answers), strict=True)
    ]
    texts = [_texts(answer) for answer in answers]
    return part("forming", answers, steps, texts, deciding_word(answers), forming_summary(answers))


def deciding_word(answers: tuple[IncrementalReading, IncrementalReading]) -> int:
    """Return the first token that differs between the two sentences."""
    return next(
        k
        for k, (one, other) in enumerate(zip(*(a.use.tokens for a in answers), strict=True))
        if one != other
    )


def _texts(answer: IncrementalReading) -> list[tuple[str, str]]:
    """Split a sentence into words as typed, each with the space after it."""
    edges = [0, *(start for start, _ in answer.offsets[1:]), len(answer.use.sentence)]
    texts = [answer.use.sentence[start:end] for start, end in pairwise(edges)]
    return [(text.rstrip(), " " if text.endswith(" ") else "") for text in texts]


def forming_summary(answers: tuple[IncrementalReading, IncrementalReading]) -> str:
    """Summarize the two trajectories."""
    at = deciding_word(answers)
    parts = [
        f"Up to “{answers[0].use.tokens[at - 1]}” the two sentences are the same, and so are their"
        " dots."
    ]
    for number, answer in enumerate(answers, 1):
        last = answer.steps[-1]
        shares = ", ".join(
            f"{sense.key} {percent(share)}"
            for sense, share in zip(answer.senses, last.probabilities, strict=True)
        )
        found = f"means “{last.found}”" if last.found else "cannot be determined"
        parts.append(f"In the end {number} {found} ({shares}).")
    return " ".join(parts)


def own(service: Service, data: FormEvent) -> dict[str, Any]:
    """Render the answer for the presenter's own word, or a note on missing input."""
    form = form_from(
        {"word": data.get("word"), "sentences": str(data.get("sentences") or "").splitlines()}
    )
    ready = service.ready_sentences(form.word) if form.word else None
    typed = ""
    none: dict[str, Any] = {"parts": {"own": ""}}
    if form.word and not form.sentences:
        if ready is None:
            note = (
                f"“{form.word}” is not in the dictionary. Type at least two sentences that use it,"
                " one a line."
            )
            return {**none, "note": note, "word": form.word}
        typed = form.word if ready.word != form.word.lower() else ""
        form = Form(ready.word, ready.sentences)
    shown = {"word": form.word, "sentences": "\n".join(form.sentences)}
    try:
        comparison = service.compare(form.word, form.sentences)
    except InputError as error:
        return {**none, "note": str(error), **shown}
    known = dict(zip(ready.sentences, ready.meant, strict=True)) if ready else {}
    meant = [known[s] for s in form.sentences] if set(form.sentences) <= set(known) else []
    numbers = {name: [use + 1 for use in uses] for name, uses in group_by(meant).items()}
    result = outcome(comparison, meant) if meant else ""
    query = query_of(form, comparison.model)
    return {
        "parts": {"own": part("own", comparison, query, numbers, result, typed)},
        "note": "",
        **shown,
    }


def outcome(comparison: Comparison, meant: Sequence[str]) -> str:
    """Describe the model's result on uses whose meanings are known."""
    if comparison.spellings_differ:
        return "The spellings differ, so meanings are not compared."
    if not comparison.groups:
        return "The model cannot tell how these group, and says so."
    is_right = set(comparison.groups) == set(group_by(meant).values())
    how = "as they were meant" if is_right else "otherwise than they were meant"
    sure = (
        "and is sure of it" if comparison.certainty is Certainty.CONFIDENT else "without being sure"
    )
    return f"The model sorts them {how}, {sure}."


def respond(service: Service, event: FormEvent) -> dict[str, Any]:
    """Answer a request of the stage: a step, or a part of one."""
    value: dict[str, Any] = {"revision": event.get("revision"), "note": None}
    ask, at = event.get("ask"), event.get("choice")
    choice = at if type(at) is int else 0
    if ask == "own":
        return {**value, **own(service, event)}
    if ask == "pair":
        return {**value, **quiz_pair(choice % len(QUIZ))}
    if ask == "reveal":
        return {**value, **reveal(service, QUIZ[choice % len(QUIZ)], str(event.get("guess") or ""))}
    story, turning = STORIES[choice % len(STORIES)], FORMINGS[choice % len(FORMINGS)]
    compare = cache(lambda: service.compare(story.word, story.sentences))

    def turn() -> str:
        one, other = (
            service.incremental_reading(turning.word, s, turning.senses) for s in turning.sentences
        )
        return forming((one, other))

    near = partial(service.static_neighbours, n=SHOWN_NEIGHBOURS)
    parts: dict[str, tuple[str, Callable[[], str]]] = {
        "neighbours": ("all", lambda: part("neighbours", [near(word) for word in STATIC_WORDS])),
        "landing": ("all", lambda: map_tab.stage(service)),
        "mistakes": ("all", lambda: part("mistakes", service.dictionary_test())),
        "story": ("story", lambda: part("story", compare())),
        "layers": ("story", lambda: layers(compare())),
        "forming": ("forming", turn),
    }
    if ask in ("story", "forming"):
        return {
            **value,
            "parts": {
                name: _rendered(make) for name, (group, make) in parts.items() if group == ask
            },
        }
    first = quiz_pair(0)
    return {
        **value,
        **first,
        "parts": {**first["parts"], **{name: _rendered(make) for name, (_, make) in parts.items()}},
    }


def _rendered(make: Callable[[], str]) -> str:
    """Render a part, or the reason for its missing answer; other parts are unaffected."""
    try:
        return make()
    except InputError as error:
        return Markup('<p class="problem">{}</p>').format(error)


# --- Quiz ---


def model_answer(comparison: Comparison) -> tuple[bool | None, str]:
    """Return the model's answer and its sentence; ``None`` if undecided or uncalibrated."""
    if not comparison.same_meaning:
        return None, "cannot tell."
    same = comparison.same_meaning[0][1]
    if max(same, 1 - same) < MIN_CONFIDENCE:
        return None, f"cannot tell: “the same” gets {percent(same)}."
    return (
        same >= 0.5,
        f"{ANSWER_WORDS[same >= 0.5]}, {percent(min(max(same, 1 - same), 0.9999))} likely.",
    )


def quiz_pair(at: int) -> dict[str, Any]:
    """Return the markup of a pair, without its result."""
    return {"at": at, "parts": {"pair": part("quiz_pair", at, len(QUIZ), QUIZ[at]), "result": ""}}


def reveal(service: Service, pair: CompareExample, guess: str) -> dict[str, Any]:
    """Return the markup of a pair's result and who was right; a room may have no ``guess``."""
    one, other = pair.meant
    meant = (
        f"Both mean the same: {one}."
        if one == other
        else f"They mean different things: {one}, then {other}."
    )
    model, sentence = model_answer(service.compare(pair.word, pair.sentences))
    right = None if model is None else model == (one == other)
    room: tuple[str, bool] | None = None
    if guess in ("same", "different"):
        room = f"{ANSWER_WORDS[guess == 'same']}.", (guess == "same") == (one == other)
    markup = part("quiz_result", meant, (sentence, right), room)
    return {"parts": {"result": markup}, "model": right, "room": room[1] if room else None}


# --- Components and endpoints ---


def build(service: Service) -> None:
    """Add the tab's components and events; the first request is sent on opening."""
    value: dict[str, Any] = {"parts": {}, "note": None}
    stage = custom_form(
        "present",
        "scripts/present.js",
        value=value,
        markup=stage_markup(service.models()),
        pairs=len(QUIZ),
    )
    map_tab.build_landing(service, "present-landing")
    on_submit(stage, lambda event: respond(service, event), stage)
