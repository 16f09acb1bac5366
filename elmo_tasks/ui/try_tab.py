"""The Try tab: a text in, its feeling and its names out, with and without context."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import gradio as gr

from elmo_tasks.api import Service, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.ui.cards import Offer, distinct, feeling_card, find, names_card, offers, option
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.page import render
from elmo_tasks.ui.parts import READ_TEXTS, SLOW, Question, markup, on_question, revision_of, scripted
from elmo_tasks.ui.try_examples import TRY_EXAMPLES
from elmo_tasks.wording.task_kinds import TASK_WORDS

TASKS = {words.task: kind for kind, words in TASK_WORDS.items()}
READINGS = 4
#: What a head says of each text, to be compared with another head's.
Answers: TypeAlias = Sequence[Hashable]
# More than anyone reads; keeps one request from asking for a million.
MOST_READINGS = 10


@dataclass(frozen=True)
class TryForm:
    """What the form holds."""

    texts: tuple[str, ...]  # the lines that are not empty
    tasks: tuple[str, ...]  # ``"feeling"``, ``"names"`` or both
    heads: Mapping[str, tuple[str, ...]]  # of each kind, side by side; none for the default one


def form_from(data: Mapping[str, Any]) -> TryForm:
    """Read what the browser sent."""
    lines = (line.strip() for line in str(data.get("text") or "").splitlines())
    task = str(data.get("task"))
    return TryForm(
        texts=tuple(line for line in lines if line),
        tasks=(task,) if task in TASKS else tuple(TASKS),
        heads={kind: _named(data.get(kind)) for kind in TASKS.values()},
    )


def _named(sent: Any) -> tuple[str, ...]:
    """The heads of a kind as the browser sends them: a list of names, each once."""
    return tuple(dict.fromkeys(str(name) for name in sent if name)) if isinstance(sent, list) else ()


def _frame(**parts: Any) -> str:
    """The answer: ``cards`` and the kinds whose head is ``missing``, or nothing yet (``is_empty``, ``is_waiting``)."""
    shown = {"cards": (), "missing": (), "is_empty": False, "is_waiting": False, **parts}
    return render("try.html", kinds=TASK_WORDS, **shown)


def page(service: Service, form: TryForm) -> str:
    """The markup of the whole answer.

    Raises:
        InputError: something typed cannot be answered.
    """
    heads = service.heads.offered()
    by_kind = {kind: offers(heads, kind) for kind in TASKS.values()}
    missing = [kind for kind in TASKS.values() if not by_kind[kind]]
    if len(missing) == len(TASKS):
        return _frame(missing=missing)
    if not form.texts:
        return _frame(is_empty=True)
    cards = []
    for kind in (TASKS[task] for task in form.tasks):
        if len(form.heads[kind]) > service.limits.max_models:
            raise InputError(f"At most {service.limits.max_models} models stand side by side.")
        found = [find(by_kind[kind], name) for name in form.heads[kind] or (None,)]
        chosen = list(dict.fromkeys(offer for offer in found if offer is not None))
        answers = [CARDS[kind](service, form.texts, offer) for offer in chosen]
        if len(answers) > 1:
            cards.append(_side_by_side(kind, [markup for markup, _ in answers], [said for _, said in answers]))
        else:
            cards += [markup for markup, _ in answers]
    return _frame(cards=cards, missing=[kind for kind in missing if kind in map(TASKS.get, form.tasks)])


def _side_by_side(kind: str, cards: Sequence[str], said: Sequence[Answers]) -> str:
    """Several heads on the same texts, and on how many of these they say the same."""
    alike = sum(len(set(of_text)) == 1 for of_text in zip(*said, strict=True))
    unit = TASK_WORDS[kind].unit
    n = len(said[0])
    told = f"The {len(cards)} models say the same of {alike} of {n} {unit}."
    if n == 1:
        told = f"The {len(cards)} models {'say the same' if alike else 'do not say the same'} here."
    return render("try_several.html", told=told, cards=cards)


def _feeling(service: Service, texts: Sequence[str], offer: Offer) -> tuple[str, Answers]:
    classified = service.heads.classify(texts, offer.head.name)
    plain = service.heads.classify(texts, offer.baseline.name) if offer.baseline else ()
    return feeling_card(offer, classified, plain, _base(service, offer)), [text.label for text in classified]


def _base(service: Service, offer: Offer) -> str | None:
    """What corrected examples of a head are added to: its own rows, or a sample of its labels; ``None`` where training is off."""
    if not service.training.offer().allowed:
        return None
    if offer.head.own:
        return next((job.base for job in service.training.jobs() if job.head == offer.head.name), "")
    sample = service.training.look(TrainingPlan(offer.head.kind))
    return "sample" if {label for label, _ in sample.labels} == set(offer.head.labels) else ""


def _names(service: Service, texts: Sequence[str], offer: Offer) -> tuple[str, Answers]:
    tagged = service.heads.tag(texts, offer.head.name, READINGS)
    bare = service.heads.tag(texts, offer.baseline.name, READINGS) if offer.baseline else ()
    return names_card(offer, tagged, bare, _base(service, offer)), [sentence.tags for sentence in tagged]


#: What answers for each kind of task.
CARDS: Mapping[str, Callable[[Service, Sequence[str], Offer], tuple[str, Answers]]] = {
    "classification": _feeling,
    "tagging": _names,
}


def options(service: Service) -> dict[str, list[dict[str, str]]]:
    """The heads that the form offers, by kind."""
    heads = service.heads.offered()
    shown: dict[str, list[dict[str, str]]] = {}
    for kind in TASKS.values():
        offered = offers(heads, kind)
        titles = distinct([(offer.head.name, offer.head.title) for offer in offered])
        shown[kind] = [option(offer, title) for offer, title in zip(offered, titles, strict=True)]
    return shown


def respond(service: Service, question: Question) -> tuple[dict[str, Any], Any]:
    """Answer what the browser sent: what the form shows next, and the markup of the answer (or that it stays)."""
    value: dict[str, Any] = {"revision": revision_of(question), "note": ""}
    shown: Any
    try:
        shown = page(service, form_from(question))
    except InputError as error:
        value["note"] = str(error)
        shown = gr.skip() if value["revision"] > 1 else _frame(is_empty=True)
    return {**value, "heads": options(service)}, shown


def build(service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = scripted(
                "try",
                "scripts/try_form.js",
                value={"note": "", "heads": options(service)},
                examples=[{"title": e.title, "task": e.task, "text": "\n".join(e.lines)} for e in TRY_EXAMPLES],
                kinds=[asdict(words) for words in TASK_WORDS.values()],
                most=service.limits.max_texts,
                most_words=service.limits.max_tokens,
                most_models=service.limits.max_models,
            )
        with gr.Column(elem_classes="compare-answer"):
            first = _frame(is_waiting=True) if service.heads.offered() else _frame(missing=list(TASKS.values()))
            result = markup(first, "scripts/word_tips.js", "scripts/try_answer.js")

    def sentiment_endpoint(texts: list[str], head: str | None = None) -> list[dict[str, Any]]:
        """Say how texts sound: label, probabilities, and the occlusion of every word (what leaving it out changes).

        Example: ``predict(["A warm and funny film.", "The room was cold."], api_name="/sentiment")``.

        Args:
            texts: the texts.
            head: name of a classification head; the default one if it is not given.

        Returns:
            For each text: text, tokens, label, is_sure, probabilities by class, occlusion (token, start, end, change); none for
            texts of more words than one request may have weighed, the shortest texts first.
        """
        return [result.to_dict() for result in service.heads.classify(texts, head or None)]

    def ner_endpoint(sentences: list[str], head: str | None = None, n_readings: int = 1) -> list[dict[str, Any]]:
        """Find the names in sentences, or tag their words.

        Example: ``predict(["Ada Marsh flew from Oslo to Lima."], api_name="/ner")``.

        Args:
            sentences: the sentences.
            head: name of a tagging head; the default one if it is not given.
            n_readings: how many readings to give, the best one and its runners-up; 1 to 10.

        Returns:
            For each sentence: text, tokens, tags, spans (type, confidence, where), probability, runners_up.
        """
        if not 1 <= n_readings <= MOST_READINGS:
            raise InputError(f"Expected {of_readings}.")
        return [result.to_dict() for result in service.heads.tag(sentences, head or None, n_readings)]

    on_question(editor, lambda question: respond(service, question), [editor, result], **READ_TEXTS)
    of_readings = f"n_readings as a whole number from 1 to {MOST_READINGS}"
    endpoint(sentiment_endpoint, "texts (a list of strings) and a head (a string)", SLOW)
    endpoint(ner_endpoint, "sentences (a list of strings) and a head (a string)", n_readings=of_readings)
