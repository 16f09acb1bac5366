"""Present tab: nine steps for a presenter, with live answers of the model.

The content of a step is in its template; the markup of the live parts is in ``templates/present/answers.html``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import Any

from elmo_tasks.api import Certainty, Comparison, IncrementalReading, Service
from elmo_tasks.errors import InputError
from elmo_tasks.messages.text import percent
from elmo_tasks.ui import map_tab, page
from elmo_tasks.ui.compare_answer import layer_sentence, rows_of
from elmo_tasks.ui.compare_form import EXAMPLES, Example, Form, form_from, groups_of, query_of
from elmo_tasks.ui.page import fill, render
from elmo_tasks.ui.parts import FormEvent, custom_form, endpoint, on_submit, revision_of

SHOWN_NEIGHBOURS = 7
#: Static vectors shown side by side.
STATIC_WORDS = ("bank", "plant", "mouse")
#: Comparisons to guess on, in pairs and by groups.
QUIZ = tuple(Example(entry["word"], **entry) for entry in page.EXAMPLES["quiz"])
STORIES = tuple(next(e for e in EXAMPLES if e.title == title) for title in ("bank", "spring", "jam"))
#: Words to start from where the audience has none.
OWN_WORDS = ("bank", "run", "pool", "bass", "bug", "field", "horn", "mass", "pipe", "match", "light", "pitch")
_EITHER = re.compile(r"\{(.+?)\|(.+?)\}")
#: Below this probability the model's answer to a pair of the quiz counts as none.
MIN_CONFIDENCE = 0.6
#: A live part, by its name.
part = partial(fill, "present/answers.html")


@dataclass(frozen=True)
class Turning:
    """Two sentences that are read word by word, side by side."""

    word: str
    senses: tuple[str, str]  # of the dictionary: the meaning of the first sentence, and of the second
    frame: str  # both sentences, with ``{one|other}`` for the word that decides

    @property
    def deciding(self) -> tuple[str, str]:
        """Deciding word of the first sentence, and that of the second."""
        found = _EITHER.search(self.frame)
        assert found is not None
        return found[1], found[2]

    @property
    def sentences(self) -> tuple[str, str]:
        """First sentence and second sentence."""
        return _EITHER.sub(r"\1", self.frame), _EITHER.sub(r"\2", self.frame)

    @property
    def title(self) -> str:
        """Label of the button."""
        return f"{self.word}: {' / '.join(self.deciding)}"


FORMINGS = (
    Turning("bat", ("animal", "sport"), "The bat and the {owl|ball} were lost in the dark."),
    Turning("bow", ("weapon", "ribbon"), "The bow with the {arrows|ribbons} was a present."),
    Turning("cell", ("prison", "biology"), "The cell of the {prisoner|embryo} was smaller than we thought."),
    Turning("organ", ("body", "instrument"), "The organ in the {abdomen|church} was larger than we thought."),
    Turning("crane", ("bird", "machine"), "The crane above the {marsh|skyscraper} moved slowly."),
)


@dataclass(frozen=True)
class Step:
    """Step of the presentation; the page adds its headline to the notes."""

    name: str  # of its template
    title: str
    notes: str  # for the speaker
    kind: str = ""  # a class for the look of the step as a whole


STEPS = (
    Step(
        "stages",
        "From counting words to reading them",
        "Go through the four stages with the word “bank”. Up to the second stage a word is one thing; from the third on, "
        "its sentence decides what it is. ELMo stands between fixed vectors and Transformers: it is old by now, but small "
        "enough to look inside. All answers in the next steps are computed live.",
        "wide",
    ),
    Step(
        "static",
        "One word, one vector",
        "Let people read the lists aloud and call out meanings that they miss. The lists come from vectors trained for this "
        "project; nobody chose their words. Then reveal the explanation.",
    ),
    Step(
        "story",
        "Which sentences belong together?",
        "Let the audience sort the sentences into A and B, by hand or with the buttons, then reveal what the model says.",
    ),
    Step(
        "forming",
        "Watch the meaning turn",
        "Press Play. The two dots are the word in the two sentences: in the middle both meanings are equally likely, at an end "
        "one of them is certain. A meaning is named only where the model is sure enough.",
    ),
    Step(
        "layers",
        "From spelling to context, layer by layer",
        "Move up with the button below or with the slider. “Two random words” is the measuring stick: the cosine of words "
        "that have nothing to do with each other. Which layer is best depends on the model and the sentences.",
    ),
    Step(
        "own",
        "Your word",
        "Take a word from the audience: the box at the bottom of every step leads here. For a word of the dictionary there are "
        "sentences that the model was not taught with; the room’s own sentences work as well. Let the room judge the answer.",
    ),
    Step(
        "landing",
        "Where does your sentence land?",
        "Take a sentence with the word from the audience, or press a ready one, and let people point to where it will land. "
        "Nothing on the map moves: the sentence is read, put where its numbers say, and its meaning is named.",
        "wide",
    ),
    Step(
        "limits",
        "What ELMo cannot do",
        "The sentences come from a test that the model takes now, on words it was never taught. Let people say what is meant, "
        "then reveal what the model finds. Ask which words could have misled it; the screen does not tell.",
    ),
    Step(
        "quiz",
        "The room against the model",
        "Ten pairs of short sentences. Let people raise their hands, press what most say, then reveal. The score stands below "
        "every answer, so you can end after any pair.",
    ),
)


# --- Live parts ---


def stage_markup() -> str:
    """Render the stage with all steps."""
    return render("present/stage.html", steps=STEPS, STORIES=STORIES, FORMINGS=FORMINGS, OWN=OWN_WORDS)


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
            "read": sum(any(letter.isalnum() for letter in token) for token in first.tokens[: pair[0].words]),
            # In percent from the left, where the first meaning is certain.
            "at": [round(50 - 47 * (step.probabilities[0] - step.probabilities[1]), 2) for step in pair],
            "said": [f"“{step.found}”" if step.found else "cannot tell" for step in pair],
        }
        for pair in zip(*(answer.steps for answer in answers), strict=True)
    ]
    texts = [_texts(answer) for answer in answers]
    return part("forming", answers, steps, texts, deciding_word(answers), forming_said(answers))


def deciding_word(answers: tuple[IncrementalReading, IncrementalReading]) -> int:
    """Return the first token that differs between the two sentences."""
    return next(k for k, (one, other) in enumerate(zip(*(a.tokens for a in answers), strict=True)) if one != other)


def _texts(answer: IncrementalReading) -> list[tuple[str, str]]:
    """Split a sentence into words as typed, each with the space after it."""
    edges = [0, *(start for start, _ in answer.offsets[1:]), len(answer.sentence)]
    texts = [answer.sentence[start:end] for start, end in pairwise(edges)]
    return [(text.rstrip(), " " if text.endswith(" ") else "") for text in texts]


def forming_said(answers: tuple[IncrementalReading, IncrementalReading]) -> str:
    """Summarize the two trajectories."""
    at = deciding_word(answers)
    parts = [f"Up to “{answers[0].tokens[at - 1]}” the two sentences are the same, and so are their dots."]
    for number, answer in enumerate(answers, 1):
        last = answer.steps[-1]
        shares = ", ".join(
            f"{sense.key} {percent(share)}" for sense, share in zip(answer.senses, last.probabilities, strict=True)
        )
        found = f"means “{last.found}”" if last.found else "cannot be told"
        parts.append(f"In the end {number} {found} ({shares}).")
    return " ".join(parts)


def own(service: Service, data: FormEvent) -> dict[str, Any]:
    """Render the answer for the presenter's own word, or a note on missing input."""
    form = form_from({"word": data.get("word"), "sentences": str(data.get("sentences") or "").splitlines()})
    ready = service.ready_sentences(form.word) if form.word else None
    typed = ""
    none: dict[str, Any] = {"parts": {"own": ""}}
    if form.word and not form.sentences:
        if ready is None:
            note = f"“{form.word}” is not in the dictionary. Type at least two sentences that use it, one a line."
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
    numbers = {name: [use + 1 for use in uses] for name, uses in groups_of(meant).items()}
    result = outcome(comparison, meant) if meant else ""
    query = query_of(form, comparison.model)
    return {"parts": {"own": part("own", comparison, query, numbers, result, typed)}, "note": "", **shown}


def outcome(comparison: Comparison, meant: Sequence[str]) -> str:
    """Describe the model's result on uses whose meanings are known."""
    if comparison.spellings_differ:
        return "The spellings differ, so meanings are not compared."
    if not comparison.groups:
        return "The model cannot tell how these group, and says so."
    is_right = set(comparison.groups) == set(groups_of(meant).values())
    how = "as they were meant" if is_right else "otherwise than they were meant"
    sure = "and is sure of it" if comparison.certainty is Certainty.CONFIDENT else "without being sure"
    return f"The model sorts them {how}, {sure}."


def respond(service: Service, event: FormEvent) -> dict[str, Any]:
    """Answer a request: ``all``, ``story`` or ``forming`` (with a choice), or ``own``."""
    value: dict[str, Any] = {"revision": revision_of(event), "note": None}
    ask, at = event.get("ask"), event.get("choice")
    if ask == "own":
        return {**value, **own(service, event)}
    choice = at if type(at) is int else 0
    story, turning = STORIES[choice % len(STORIES)], FORMINGS[choice % len(FORMINGS)]
    compare = cache(lambda: service.compare(story.word, story.sentences))

    def turn() -> str:
        one, other = (service.incremental_reading(turning.word, s, turning.senses) for s in turning.sentences)
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
    wanted = (ask,) if ask in ("story", "forming") else ("all", "story", "forming")
    return {**value, "parts": {name: _rendered(make) for name, (group, make) in parts.items() if group in wanted}}


def _rendered(make: Callable[[], str]) -> str:
    """Render a part, or the reason for its missing answer; other parts are unaffected."""
    try:
        return make()
    except InputError as error:
        return part("problem", str(error))


# --- Quiz ---


def model_says(comparison: Comparison) -> tuple[bool | None, str]:
    """Return the model's answer and its sentence; ``None`` if undecided or uncalibrated."""
    if not comparison.same_meaning:
        return None, "cannot tell."
    same = comparison.same_meaning[0][1]
    if max(same, 1 - same) < MIN_CONFIDENCE:
        return None, f"cannot tell: “the same” gets {percent(same)}."
    return same >= 0.5, f"{_same_or_not(same >= 0.5)}, {percent(max(same, 1 - same))} likely."


def _same_or_not(same: bool) -> str:
    return "the same" if same else "different"


def reveal(at: int, guess: str, comparison: Comparison) -> dict[str, Any]:
    """Return the markup of a pair's result and who was right; a room may have no ``guess``."""
    one, other = QUIZ[at].meant
    meant = f"Both mean the same: {one}." if one == other else f"They mean different things: {one}, then {other}."
    model, sentence = model_says(comparison)
    right = None if model is None else model == (one == other)
    room: tuple[str, bool] | None = None
    if guess in ("same", "different"):
        room = f"{_same_or_not(guess == 'same')}.", (guess == "same") == (one == other)
    markup = part("quiz_result", meant, (sentence, right), room)
    return {"at": at, "markup": markup, "model": right, "room": room[1] if room else None}


def respond_to_quiz(event: FormEvent, compare: Callable[[int], Comparison]) -> dict[str, Any]:
    """Answer the quiz: show a ``pair``, or ``reveal`` one."""
    value: dict[str, Any] = {"revision": revision_of(event), "note": ""}
    at = event.get("at")
    at = at if type(at) is int and 0 <= at < len(QUIZ) else 0
    try:
        if event.get("ask") == "reveal":
            value["result"] = reveal(at, str(event.get("guess") or ""), compare(at))
        else:
            value["pair"] = {"at": at, "markup": part("quiz_pair", at, len(QUIZ), compare(at))}
    except InputError as error:
        value["note"] = str(error)
    return value


# --- Components and endpoints ---


def build(service: Service) -> None:
    """Add the tab's components and events; the first request is sent on opening."""
    stage = custom_form("present", "scripts/present.js", value={"parts": {}, "note": None}, markup=stage_markup())
    quiz = custom_form("quiz", "scripts/quiz.js", classes="unseen", n=len(QUIZ))
    map_tab.build_landing(service, "present-landing")
    compare = cache(lambda at: service.compare(QUIZ[at].word, QUIZ[at].sentences))
    on_submit(stage, lambda event: respond(service, event), stage)
    on_submit(quiz, lambda event: respond_to_quiz(event, compare), quiz)

    def meaning_forms(
        word: str, sentence: str, senses: list[str] | None = None, model: str | None = None
    ) -> dict[str, Any]:
        """Follow two meanings of a word while its sentence is read word by word.

        Example: ``predict("case", "The first case of flu came on Monday.", ["legal", "illness"], api_name="/meaning_forms")``.

        Args:
            word: a word of the dictionary, such as "bank".
            sentence: a sentence of at most 40 words that uses it.
            senses: keys of two of its meanings in the dictionary; the first two if they are not given.
            model: name of the model; the default one if it is not given.

        Returns:
            The two meanings; for each step from the word to the end the words read, the probabilities of the first and of the
            second meaning, and the likeliest of all meanings of the word (null where the model is not sure).
        """
        return service.incremental_reading(word, sentence, senses or None, model or None).to_dict()

    def static_neighbours(word: str, n: int = 12) -> dict[str, Any]:
        """Find the words nearest to a word among static vectors, which read no sentence.

        Example: ``predict("bank", 5, api_name="/static_neighbours")``.

        Args:
            word: one word.
            n: how many neighbours; 1 to 50.

        Returns:
            word, vectors (their name), vocabulary (its size), neighbours (word, cosine), nearest first.
        """
        return service.static_neighbours(word, n).to_dict()

    endpoint(meaning_forms, "a word and a sentence (strings) and senses (a list of two strings)")
    endpoint(static_neighbours, "a word (a string) and n (a whole number)")
