"""The Present tab: nine steps for a person in front of an audience, with live answers of the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import format, maps, present_parts, present_steps, quiz
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.examples import ready_uses
from elmo_tasks.ui.parts import Question, on_question, revision_of, scripted
from elmo_tasks.ui.present_examples import FAILURES, FORMINGS, STATIC_WORDS, STORIES

SHOWN_NEIGHBOURS = 7
FIRST = 2


def neighbours(service: Service) -> str:
    """Render the static neighbours of the words that the page shows."""
    return present_parts.part(
        "neighbours", [service.present.neighbours(word, SHOWN_NEIGHBOURS) for word in STATIC_WORDS]
    )


def forming(service: Service, choice: int) -> str:
    """Render two sentences that are read word by word."""
    chosen = FORMINGS[choice]
    one, other = (service.present.forms(chosen.word, sentence, chosen.senses) for sentence in chosen.sentences)
    return present_parts.forming((one, other))


def failure(service: Service, choice: int) -> str:
    """Render a word that the bundled model does not read well."""
    chosen = FAILURES[choice]
    return present_parts.failure(service.compare(chosen.word, chosen.sentences), chosen)


class Ready(NamedTuple):
    """Sentences that are ready for a word."""

    word: str  # as the gallery has it (tables: table)
    sentences: list[tuple[str, str]]  # each with its sense; none for a word that is not in the gallery
    by_rule: bool  # whether they were chosen as those that the bundled model keeps apart best


def ready_sentences(service: Service, word: str) -> Ready:
    """Typical sentences of two senses of a word of the gallery."""
    senses = service.present.senses(word)
    known = {sense.name: sense.sentences for sense in senses}
    base = senses[0].word if senses else word
    found = [(known[sense][number], sense) for sense, number in ready_uses(base) if number < len(known.get(sense, ()))]
    # A word that the file does not know: the first sentences of its first two senses.
    first = [(sentence, sense) for sense in list(known)[:2] for sentence in known[sense][:FIRST]]
    return Ready(base, found or first, bool(found))


def own(service: Service, data: Question) -> dict[str, Any]:
    """The presenter's own word: its answer, or what is missing."""
    lines = str(data.get("sentences") or "").splitlines()
    form = format.form_from({"word": data.get("word"), "sentences": lines})
    base, found, by_rule = ready_sentences(service, form.word) if form.word else Ready("", [], False)
    ready = dict(found)
    typed = ""
    none: dict[str, Any] = {"parts": {"own": ""}}
    if form.word and not form.sentences:
        typed = form.word if ready and base != form.word.lower() else ""
        form = format.Form(base if ready else form.word, tuple(ready))
        if not form.sentences:
            note = f"No sentences are ready for “{form.word}”. Type at least two that use it, one a line."
            return {**none, "note": note, "word": form.word}
    shown = {"word": form.word, "sentences": "\n".join(form.sentences)}
    try:
        comparison = service.compare(form.word, form.sentences)
    except InputError as error:
        return {**none, "note": str(error), **shown}
    meant = [ready[s] for s in form.sentences] if set(form.sentences) <= set(ready) else []
    by_rule = by_rule and set(form.sentences) == set(ready)  # some of them may have been taken away
    query = format.query_of(form, comparison.model)
    return {
        "parts": {"own": present_parts.own(comparison, query, meant, typed, by_rule)},
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
    is_all = ask not in ("story", "forming", "failure")
    choice = at if isinstance(at, int) and not isinstance(at, bool) and not is_all else 0
    parts: dict[str, Callable[[], str]] = {}
    if is_all:
        parts["neighbours"] = lambda: neighbours(service)
        parts["landing"] = lambda: maps.stage(service)
    if is_all or ask == "story":
        chosen = STORIES[choice % len(STORIES)]
        compare = cache(lambda: service.compare(chosen.word, chosen.sentences))
        parts["story"] = lambda: present_parts.part("story", compare())
        parts["layers"] = lambda: present_parts.layers(compare())
    if is_all or ask == "forming":
        parts["forming"] = lambda: forming(service, choice % len(FORMINGS))
    if is_all or ask == "failure":
        parts["failure"] = lambda: failure(service, choice % len(FAILURES))
    return {**value, "parts": {name: _rendered(make) for name, make in parts.items()}}


def _rendered(make: Callable[[], str]) -> str:
    """Render a part, or the reason why it has no answer: the other parts stay."""
    try:
        return make()
    except InputError as error:
        return present_parts.part("problem", str(error))


def build(service: Service) -> None:
    """Put the tab's component into the open container and wire its event; nothing is asked before the tab is opened."""
    stage = scripted("present", "scripts/present.js", value={"parts": {}, "note": None}, markup=present_steps.markup())

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
        return service.present.forms(word, sentence, senses or None, model or None).to_dict()

    def static_neighbours(word: str, n: int = 12) -> dict[str, Any]:
        """Find the words nearest to a word among static vectors, where a word has one vector whatever the sentence.

        Example: ``predict("bank", 5, api_name="/static_neighbours")``.

        Args:
            word: one word.
            n: how many neighbours; 1 to 50.

        Returns:
            word, vectors (their name), vocabulary (its size), neighbours (word, cosine), nearest first.
        """
        return service.present.neighbours(word, n).to_dict()

    maps.build_landing(service, "present-landing")
    quiz.build(service)
    on_question(stage, lambda question: respond(service, question), stage)
    endpoint(meaning_forms, "a word and a sentence (strings) and senses (a list of two strings)")
    endpoint(static_neighbours, "a word (a string) and n (a whole number)")
