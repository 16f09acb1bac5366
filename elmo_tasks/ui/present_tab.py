"""The Present tab: eleven steps for a person in front of an audience, with live answers of the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import format, landing, present_landing, present_parts, present_steps
from elmo_tasks.ui.parts import SHARED, Question, on_question, revision_of, scripted
from elmo_tasks.ui.present_examples import FAILURES, FORMINGS, STATIC_WORDS, STORIES

SHOWN_NEIGHBOURS = 7
# Ready sentences of one's own word: enough to see groups, few enough for a screen.
SENTENCES_A_SENSE = 2
SENSES_SHOWN = 3
ABOUT = "run"


def part(make: Callable[[], str]) -> str:
    """A part, or in its place the reason why there is none: the others stay."""
    try:
        return make()
    except InputError as error:
        return present_parts.problem(str(error))


def neighbours(service: Service) -> str:
    """The static neighbours of the words that the page shows."""
    return present_parts.neighbours([service.present.neighbours(word, SHOWN_NEIGHBOURS) for word in STATIC_WORDS])


def senses(service: Service) -> str:
    """How many senses of the word the gallery has."""
    return present_parts.senses(service.present.senses(ABOUT))


def story(service: Service, choice: int) -> dict[str, str]:
    """The sentences to guess on, and the same comparison layer by layer."""
    chosen = STORIES[choice]
    try:
        comparison = service.compare(chosen.word, chosen.sentences)
    except InputError as error:
        return dict.fromkeys(("story", "layers"), present_parts.problem(str(error)))
    return {"story": present_parts.story(comparison), "layers": present_parts.layers(comparison)}


def forming(service: Service, choice: int) -> str:
    """A sentence that is read word by word."""
    chosen = FORMINGS[choice]
    return present_parts.forming(service.present.forms(chosen.word, chosen.sentence, chosen.senses))


def failure(service: Service, choice: int) -> str:
    """A word that the bundled model does not read well."""
    chosen = FAILURES[choice]
    return present_parts.failure(service.compare(chosen.word, chosen.sentences), chosen)


def everything(service: Service) -> dict[str, str]:
    """All live parts as the page opens."""
    return {
        "neighbours": part(lambda: neighbours(service)),
        "senses": part(lambda: senses(service)),
        **story(service, 0),
        "forming": part(lambda: forming(service, 0)),
        "failure": part(lambda: failure(service, 0)),
        "landing": part(lambda: present_landing.markup(service)),
    }


def ready_sentences(service: Service, word: str) -> list[str]:
    """Sentences of the gallery for a word, some of each sense; none for a word that is not in it."""
    found = service.present.senses(word)[:SENSES_SHOWN]
    return [sentence for sense in found for sentence in sense.sentences[:SENTENCES_A_SENSE]]


def own(service: Service, data: Question) -> dict[str, Any]:
    """The presenter's own word: its answer, or what is missing."""
    lines = str(data.get("sentences") or "").splitlines()
    form = format.form_from({"word": data.get("word"), "sentences": lines})
    if form.word and not form.sentences:
        form = format.Form(form.word, tuple(ready_sentences(service, form.word)))
        if not form.sentences:
            note = f"Type at least two sentences that use “{form.word}”, one a line."
            return {"parts": {"own": ""}, "note": note, "word": form.word}
    shown = {"word": form.word, "sentences": "\n".join(form.sentences)}
    try:
        comparison = service.compare(form.word, form.sentences)
    except InputError as error:
        return {"parts": {"own": ""}, "note": str(error), **shown}
    return {
        "parts": {"own": present_parts.own(comparison, format.query_of(form, comparison.model))},
        "note": "",
        **shown,
    }


def respond(service: Service, data: Question) -> dict[str, Any]:
    """Answer what the page asks: ``all``, ``story``, ``forming``, ``failure`` (with a choice) or ``own``."""
    value: dict[str, Any] = {"revision": revision_of(data), "note": None}
    ask = data.get("ask")
    if ask == "own":
        return {**value, **own(service, data)}
    at = data.get("choice")
    choice = at if isinstance(at, int) and not isinstance(at, bool) else 0
    if ask == "story":
        return {**value, "parts": story(service, choice % len(STORIES))}
    if ask == "forming":
        return {**value, "parts": {"forming": part(lambda: forming(service, choice % len(FORMINGS)))}}
    if ask == "failure":
        return {**value, "parts": {"failure": part(lambda: failure(service, choice % len(FAILURES)))}}
    return {**value, "parts": everything(service)}


def build(service: Service, tabs: Sequence[str] = tuple(present_steps.TABS)) -> None:
    """Put the tab's component into the open container and wire its event; nothing is asked before the tab is opened.

    Args:
        service: answers.
        tabs: ids of the tabs that the last step links to.
    """
    stage = scripted(
        "present",
        "scripts/present.js",
        value={"parts": {}, "note": None},
        markup=present_steps.markup(tabs),
    )

    def meaning_forms(
        word: str, sentence: str, senses: list[str] | None = None, model: str | None = None
    ) -> dict[str, Any]:
        """Follow a word between two of its known senses while its sentence is read word by word.

        Example: ``predict("case", "The first case of flu came on Monday.", ["legal", "illness"], api_name="/meaning_forms")``.

        Args:
            word: one of the words of the gallery, such as "bank".
            sentence: a sentence of at most 40 words that uses it.
            senses: names of two senses of the word; its first two if they are not given.
            model: name of the model; the default one if it is not given.

        Returns:
            The senses; for each step from the word to the end the words read, the cosines to the average use of the first and
            of the second sense, and which it is nearer to (null where that cannot be told); where the known uses lie.
        """
        names = senses or []
        if not isinstance(names, list) or not all(
            isinstance(text, str) for text in (word, sentence, *names, model or "")
        ):
            raise gr.Error(
                "Expected a word and a sentence (strings) and senses (a list of two strings).", print_exception=False
            )
        try:
            return service.present.forms(word, sentence, names or None, model or None).to_dict()
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    def static_neighbours(word: str, n: int = 12) -> dict[str, Any]:
        """Find the words nearest to a word among static vectors, where a word has one vector whatever the sentence.

        Example: ``predict("bank", 5, api_name="/static_neighbours")``.

        Args:
            word: one word.
            n: how many neighbours; 1 to 50.

        Returns:
            word, vectors (their name), vocabulary (its size), neighbours (word, cosine), nearest first.
        """
        if not isinstance(word, str) or not isinstance(n, int) or isinstance(n, bool):
            raise gr.Error("Expected a word (a string) and n (a whole number).", print_exception=False)
        try:
            return service.present.neighbours(word, n).to_dict()
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    landing.build(service, "present-landing")
    on_question(stage, lambda question: respond(service, question), stage)
    gr.api(meaning_forms, api_name="meaning_forms", **SHARED)
    gr.api(static_neighbours, api_name="static_neighbours", **SHARED)
