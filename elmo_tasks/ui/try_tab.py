"""Try tab: sentiment, entities and meanings of a text; heads with and without context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import urlencode

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.messages.heads import class_words
from elmo_tasks.messages.meanings import sense_tip
from elmo_tasks.ui.cards import (
    HeadOption,
    chosen_options,
    distinct,
    entity_card,
    head_options,
    marked,
    sentiment_card,
)
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.parts import READ_TEXTS, buttons, choice, folded_head, markup
from elmo_tasks.ui.rendering import CONTENT, nothing, pieces, render
from elmo_tasks.wording import first_capital


class TryExample(NamedTuple):
    """Text that runs on click."""

    title: str  # label of its button
    task: str  # a mode of the tab
    lines: Sequence[str]


#: The first is what the form opens with.
TRY_EXAMPLES = tuple(TryExample(**entry) for entry in CONTENT["try"])
MAX_READINGS = 4
#: The mode that shows all others.
ALL_HEADS = "all"


@dataclass(frozen=True)
class AnswerCard:
    """Answers of the heads of one kind of task, and their look."""

    mode: str  #: the mode of the tab that shows them, also in links
    render: Callable[..., str]  #: the card of a head
    results_of: Callable[[Service, Sequence[str], str], Sequence[Any]]  #: its results
    finding_of: Callable[[Any], Any]  #: what two heads agree on or not, from a result


#: Answer cards by kind of head.
CARDS: Mapping[str, AnswerCard] = {
    "classification": AnswerCard(
        mode="sentiment",
        render=sentiment_card,
        results_of=lambda service, texts, head: service.classify(texts, head),
        finding_of=attrgetter("label"),
    ),
    "tagging": AnswerCard(
        mode="entities",
        render=entity_card,
        results_of=lambda service, texts, head: service.tag(texts, head, MAX_READINGS),
        finding_of=attrgetter("tags"),
    ),
}
#: The modes in order, with the kind of their heads; meanings need none.
MODES = {**{card.mode: kind for kind, card in CARDS.items()}, "meanings": ""}


def lines_of(text: str) -> list[str]:
    """Return the lines that are not empty."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def modes_of(name: str) -> Sequence[str]:
    """Return the mode with this name, or all modes if there is none."""
    return [name] if name in MODES else list(MODES)


def _frame(**parts: Any) -> str:
    """Render the ``cards`` and the tasks whose heads are ``missing``, or the reason for none."""
    shown = {"cards": (), "missing": (), "reason": "", "warning": "", "is_empty": False, **parts}
    return render("try.html", **shown)


def page(service: Service, text: str, mode: str, heads: Mapping[str, Sequence[str]]) -> str:
    """Render the whole answer; ``heads`` lists the compared heads by kind."""
    texts, offered = lines_of(text), service.heads()
    if not texts:
        return _frame(is_empty=True)
    warning = service.language_warning(texts)
    cards, missing = [], []
    for name in modes_of(mode):
        if not (kind := MODES[name]):
            cards += [] if warning else [_meanings(service, texts)]
        elif options := head_options(offered, kind):
            cards.append(_head_cards(service, texts, kind, options, heads.get(kind, ())))
        else:
            missing.append(service.tasks()[kind])
    return _frame(cards=cards, missing=missing, warning=warning)


def _head_cards(
    service: Service,
    texts: Sequence[str],
    kind: str,
    options: Sequence[HeadOption],
    names: Sequence[str],
) -> str:
    """Render the card of a head, or those of several and on how many texts they agree."""
    if len(names) > service.limits.max_models:
        raise InputError(f"At most {service.limits.max_models} models stand side by side.")
    chosen = chosen_options(options, names)
    words = service.tasks()[kind]
    card = CARDS[kind]
    link = [("tab", "try"), ("look", card.mode), ("t", "\n".join(texts))]
    query = urlencode([*link, *((kind, option.head.name) for option in chosen)])
    answers = [card.results_of(service, texts, option.head.name) for option in chosen]
    without = [
        card.results_of(service, texts, option.baseline.name) if option.baseline else ()
        for option in chosen
    ]
    cards = [card.render(*of_head, query) for of_head in zip(chosen, answers, without, strict=True)]
    if len(cards) == 1:
        return cards[0]
    findings = zip(*(map(card.finding_of, of_head) for of_head in answers), strict=True)
    equal = sum(len(set(of_text)) == 1 for of_text in findings)
    agreement = f"The {len(cards)} models say the same of {equal} of {len(texts)} {words.unit}."
    if words.one_label and len({frozenset(option.head.labels) for option in chosen}) > 1:
        agreement = "These models have different labels."
    elif len(texts) == 1:
        agreement = (
            f"The {len(cards)} models {'say the same' if equal else 'do not say the same'} here."
        )
    return render("try_several.html", agreement=agreement, cards=cards)


def _meanings(service: Service, texts: Sequence[str]) -> str:
    senses = service.disambiguate("\n\n".join(texts))
    data = senses.to_dict()
    columns = ("token", "meaning", "part_of_speech", "gloss", "probability", "certainty")
    rows = [
        [word[key] or "another meaning" if key == "meaning" else word[key] for key in columns]
        for word in data["words"]
    ]
    return render(
        "senses.html",
        senses=senses,
        pieces=pieces(
            senses.text, [(word.use.char_start, word.use.char_end, word) for word in senses.words]
        ),
        tip=sense_tip,
        csv=csv_file(
            ("word", "meaning", "part of speech", "gloss", "probability", "certainty"), rows
        ),
        data=data,
        query=urlencode({"tab": "try", "look": "meanings", "t": "\n".join(texts)}),
    )


class _Correction:
    """Components to correct an answer of one kind and keep it as an example."""

    def __init__(self, service: Service, kind: str) -> None:
        self.service = service
        self.kind = kind
        self.is_label = service.tasks()[kind].one_label
        what = "label" if self.is_label else "entities or tags"
        with gr.Accordion(
            f"Not right? Correct the {what}",
            open=False,
            visible=False,
            elem_classes="card components",
        ) as self.fold:
            self.text = choice([], label="Text", visible=False)
            self.draft: gr.Dropdown | gr.Textbox
            if self.is_label:
                self.draft = choice([], label="The right label is")
            else:
                info = (
                    "Square brackets around an entity, its type behind them: [Ada"
                    " Marsh]\u2060(PER). A tag: word/TAG."
                )
                self.draft = gr.Textbox(label="The sentence with its entities", info=info)
            self.keep = gr.Button("Keep as an example")
            self.kept = gr.HTML()
            self.train = gr.Button("Train with them", visible=False)
        #: What an answer changes.
        self.outputs: list[Any] = [self.fold, self.text, self.draft, self.kept]

    def show(self, texts: Sequence[str], mode: str, heads: Sequence[str]) -> dict[Any, Any]:
        """Return the updates for a new answer."""
        if not texts or CARDS[self.kind].mode not in modes_of(mode) or not self._options():
            return {self.fold: gr.update(visible=False), self.kept: ""}
        choices = [(f"{number}: {line[:80]}", line) for number, line in enumerate(texts, 1)]
        return {
            self.fold: gr.update(visible=True),
            self.kept: "",
            self.text: gr.update(choices=choices, value=texts[0], visible=len(texts) > 1),
            **self.propose(texts[0], heads),
        }

    def propose(self, text: str, heads: Sequence[str]) -> dict[Any, Any]:
        """Return the prediction of the first head for one text, as a draft to correct."""
        head = chosen_options(self._options(), heads)[0].head
        if not self.is_label:
            (tagged,) = self.service.tag([text], head.name)
            return {self.draft: marked(tagged)}
        (result,) = self.service.classify([text], head.name, occlusion=False)
        choices = [(first_capital(class_words(label)), label) for label in head.labels]
        return {self.draft: gr.update(choices=choices, value=result.label)}

    def _options(self) -> Sequence[HeadOption]:
        return head_options(self.service.heads(), self.kind)

    def store(self, text: str, draft: str | None) -> dict[Any, Any]:
        """Store the corrected text, and report the number of examples."""
        try:
            example = f"{draft}: {text}" if self.is_label else draft
            count = self.service.training.keep_example(self.kind, example or "")
        except InputError as error:
            return {self.kept: render("note.html", text=str(error))}
        words = f"{count} example{'' if count == 1 else 's'} kept. Train reads them."
        return {self.kept: render("hint.html", text=words), self.train: gr.update(visible=True)}


class TryTab:
    """Components of the tab, also used by the Train tab."""

    def __init__(self, service: Service) -> None:
        self.service = service
        limits = service.limits
        tasks = service.tasks()
        self.head: dict[str, gr.Dropdown] = {}
        with gr.Row(elem_classes="compare"):
            with gr.Column(elem_classes="compare-form card components"):
                folded_head("Your own text")
                self.text = gr.Textbox(
                    "\n".join(TRY_EXAMPLES[0].lines),
                    label="Your text",
                    info=(
                        f"One sentence a line, at most {limits.max_texts} of {limits.max_tokens}"
                        " words."
                    ),
                    placeholder="Type a sentence…",
                    lines=4,
                    max_lines=16,
                    elem_id="try-text",
                )
                modes = [(mode.capitalize(), mode) for mode in (*MODES, ALL_HEADS)]
                self.mode = gr.Radio(modes, value=TRY_EXAMPLES[0].task, label="Look for")
                for kind in CARDS:
                    self.head[kind] = choice(
                        [],
                        label=tasks[kind].model,
                        multiselect=True,
                        max_choices=limits.max_models,
                        visible=False,
                    )
                titles = [example.title for example in TRY_EXAMPLES]
                self.examples = buttons(
                    titles, "Or try an example", type="index", elem_classes="samples"
                )
            with gr.Column(elem_classes="compare-answer"):
                without = [tasks[kind] for kind in CARDS]
                first = nothing("try") if service.heads() else _frame(missing=without)
                self.result = markup(first, "scripts/word_tips.js", "scripts/remembered.js")
                kinds = CARDS if service.training.offer().allowed else ()
                self.corrections = [_Correction(service, kind) for kind in kinds]
                markup(render("try_how.html"))
        #: Components of a request, and those that its answer changes.
        self.inputs: list[Any] = [self.text, self.mode, *self.head.values()]
        corrections = [part for correction in self.corrections for part in correction.outputs]
        self.outputs: list[Any] = [self.result, *self.head.values(), *corrections]

    def answer(self, text: str, mode: str, *heads: Sequence[str] | None) -> dict[Any, Any]:
        """Answer the form."""
        chosen = {kind: list(names or ()) for kind, names in zip(self.head, heads, strict=True)}
        changes = self._show_heads(mode, chosen)
        try:
            changes[self.result] = page(self.service, text or "", mode, chosen)
            for correction in self.corrections:
                changes |= correction.show(lines_of(text or ""), mode, chosen[correction.kind])
        except InputError as error:
            changes[self.result] = _frame(reason=str(error))
            changes |= {
                correction.fold: gr.update(visible=False) for correction in self.corrections
            }
        return changes

    def _show_heads(self, mode: str, chosen: Mapping[str, Sequence[str]]) -> dict[Any, Any]:
        """Return the updated lists of heads, since heads may be trained or deleted."""
        offered, changes = self.service.heads(), {}
        for kind, box in self.head.items():
            options = head_options(offered, kind)
            names = [option.head.name for option in options]
            titles = distinct([(option.head.name, option.head.title) for option in options])
            kept = [option.head.name for option in chosen_options(options, chosen[kind])]
            visible = len(options) > 1 and CARDS[kind].mode in modes_of(mode)
            changes[box] = gr.update(
                choices=list(zip(titles, names, strict=True)), value=kept, visible=visible
            )
        return changes

    def open_link(self, request: gr.Request) -> dict[Any, Any]:
        """Fill the form from a link to this tab, and answer it."""
        query = request.query_params
        if query.get("tab") != "try":
            return {self.text: gr.skip()}
        text, mode = "\n".join(TRY_EXAMPLES[0].lines), TRY_EXAMPLES[0].task
        if query.get("t") is not None:
            text, modes = str(query["t"]), modes_of(str(query.get("look")))
            mode = modes[0] if len(modes) == 1 else ALL_HEADS
        heads = [
            list(dict.fromkeys(query.getlist(kind)))[: self.service.limits.max_models]
            for kind in self.head
        ]
        return {self.text: text, self.mode: mode, **self.answer(text, mode, *heads)}

    def opened_by(self, button: gr.Button, run: gr.Dropdown, tabs: gr.Tabs) -> None:
        """Let a button of the Train tab open the head of a run here."""

        def open_head(run: str) -> dict[Any, Any]:
            jobs = {job.name: job for job in self.service.training.jobs()}
            name = jobs[run].head if run in jobs else None
            head = next((head for head in self.service.heads() if head.name == name), None)
            if head is None or head.kind not in CARDS:
                return {tabs: gr.skip()}
            # On the first texts of its own data: the example of another head says nothing.
            text = "\n".join(jobs[run].examples) or gr.skip()
            mode = CARDS[head.kind].mode
            # With the choices: gradio checks a value that an event has set against those that it
            # was set with.
            lists = self._show_heads(
                mode, {kind: [head.name] if kind == head.kind else [] for kind in self.head}
            )
            opened = gr.Tabs(selected="try")
            return {tabs: opened, self.text: text, self.mode: mode, **lists}

        outputs = [tabs, self.text, self.mode, *self.head.values()]
        event = button.click(open_head, run, outputs, **READ_TEXTS)
        event.then(self.answer, self.inputs, self.outputs, **READ_TEXTS)


def build(app: gr.Blocks, service: Service, tab: gr.Tab) -> TryTab:
    """Put the tab's components into the open container and wire their events."""
    shown = TryTab(service)

    def select(
        request: gr.Request, text: str, mode: str, *heads: list[str] | None
    ) -> dict[Any, Any]:
        if request.query_params.get("tab") == "try" and not any(heads):
            # the page was opened by a link, which is answered by itself
            return {shown.result: gr.skip()}
        return shown.answer(text, mode, *heads)

    tab.select(select, shown.inputs, shown.outputs, **READ_TEXTS)
    app.load(shown.open_link, None, [shown.text, shown.mode, *shown.outputs], **READ_TEXTS)
    # Not the text's `input`, which gradio does not send for pasted and deleted text.
    edits = [shown.text.change, shown.mode.input, *(box.input for box in shown.head.values())]
    gr.on(
        edits, shown.answer, shown.inputs, shown.outputs, trigger_mode="always_last", **READ_TEXTS
    )
    texts = [("\n".join(example.lines), example.task) for example in TRY_EXAMPLES]
    picked = shown.examples.click(
        lambda at: texts[at], shown.examples, [shown.text, shown.mode], **READ_TEXTS
    )
    picked.then(shown.answer, shown.inputs, shown.outputs, **READ_TEXTS)
    for correction in shown.corrections:
        head = shown.head[correction.kind]
        typed = [correction.text.input, correction.text.blur]
        gr.on(typed, correction.propose, [correction.text, head], correction.outputs, **READ_TEXTS)
        values = [correction.text, correction.draft]
        correction.keep.click(
            correction.store, values, [correction.kept, correction.train], **READ_TEXTS
        )
    return shown
