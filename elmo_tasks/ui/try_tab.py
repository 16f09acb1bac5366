"""Try tab: sentiment and entities of a text, with and without context."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlencode

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.messages.labels import class_words
from elmo_tasks.messages.meanings import sense_tip
from elmo_tasks.messages.task_kinds import TASK_WORDS
from elmo_tasks.messages.text import first_capital
from elmo_tasks.ui.cards import HeadOption, distinct, entity_card, find, head_options, marked, sentiment_card
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.page import csv_file, pieces, render
from elmo_tasks.ui.parts import READ_TEXTS, SLOW, choice, markup
from elmo_tasks.ui.try_examples import TRY_EXAMPLES

READINGS, MAX_READINGS = 4, 10
#: The mode that shows all others, and names of modes in older links.
ALL = "all"
_RENAMED = {"both": ALL, "feeling": "sentiment", "names": "entities"}
#: A comparable answer for each text, by which two heads agree or not.
Answers: TypeAlias = Sequence[Hashable]


def _sentiment(service: Service, texts: Sequence[str], option: HeadOption, query: str) -> tuple[str, Answers]:
    results = service.classify(texts, option.head.name)
    plain = service.classify(texts, option.baseline.name) if option.baseline else ()
    return sentiment_card(option, results, plain, query), [result.label for result in results]


def _entities(service: Service, texts: Sequence[str], option: HeadOption, query: str) -> tuple[str, Answers]:
    results = service.tag(texts, option.head.name, READINGS)
    plain = service.tag(texts, option.baseline.name, READINGS) if option.baseline else ()
    return entity_card(option, results, plain, query), [result.tags for result in results]


def _meanings(service: Service, texts: Sequence[str], query: str) -> str:
    found = service.senses("\n\n".join(texts))
    marked_pieces = pieces(found.text, [(word.char_start, word.char_end, word) for word in found.words])
    header = ("word", "meaning", "part of speech", "gloss", "probability", "certainty")
    rows = [
        (
            word.token,
            word.meaning.key if word.meaning else "another meaning",
            word.meaning.part_of_speech if word.meaning else "",
            word.meaning.gloss if word.meaning else "",
            word.meant.probability,
            word.meant.certainty.value,
        )
        for word in found.words
    ]
    return render(
        "senses.html",
        found=found,
        pieces=marked_pieces,
        tips=[sense_tip(word) if word else "" for _, word in marked_pieces],
        csv=csv_file(header, rows),
        query=query,
    )


@dataclass(frozen=True)
class HeadMode:
    """Mode answered by trained heads."""

    name: str  #: in links
    title: str
    kind: str  #: of the heads
    answer: Callable[[Service, Sequence[str], HeadOption, str], tuple[str, Answers]]


@dataclass(frozen=True)
class PlainMode:
    """Mode that needs no head."""

    name: str  #: in links
    title: str
    answer: Callable[[Service, Sequence[str], str], str]  #: from texts and the query of their link to markup


#: The modes by name, in order. One more is a function and its template.
MODES: Mapping[str, HeadMode | PlainMode] = {
    mode.name: mode
    for mode in (
        HeadMode("sentiment", "Sentiment", "classification", _sentiment),
        HeadMode("entities", "Entities", "tagging", _entities),
        PlainMode("meanings", "Meanings", _meanings),
    )
}
HEAD_MODES = {mode.kind: mode for mode in MODES.values() if isinstance(mode, HeadMode)}


def lines_of(text: str) -> list[str]:
    """Return the lines that are not empty."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def modes_of(name: str) -> list[HeadMode | PlainMode]:
    """Return the mode of a name, or all."""
    mode = MODES.get(_RENAMED.get(name, name))
    return list(MODES.values()) if mode is None else [mode]


def _frame(**parts: Any) -> str:
    """Render the answer: ``cards`` and the ``missing`` heads, or the reason for none."""
    shown = {"cards": (), "missing": (), "reason": "", "is_empty": False, "is_waiting": False, **parts}
    return render("try.html", kinds=TASK_WORDS, **shown)


def page(service: Service, text: str, mode: str, heads: Mapping[str, Sequence[str]]) -> str:
    """Render the whole answer; ``heads`` lists the compared heads by kind.

    Raises:
        InputError: the text cannot be answered.
    """
    texts, offered, modes = lines_of(text), service.heads(), modes_of(mode)
    options = {kind: head_options(offered, kind) for kind in HEAD_MODES}
    missing = [m.kind for m in modes if isinstance(m, HeadMode) and not options[m.kind]]
    if len(missing) == len(modes):
        return _frame(missing=missing)
    if not texts:
        return _frame(is_empty=True)
    cards = []
    for chosen in modes:
        if isinstance(chosen, PlainMode):
            cards.append(chosen.answer(service, texts, urlencode({"tab": "try", "look": chosen.name, "t": text})))
        elif options[chosen.kind]:
            cards.append(_head_cards(service, texts, chosen, options[chosen.kind], heads.get(chosen.kind, ())))
    return _frame(cards=cards, missing=missing)


def _head_cards(
    service: Service, texts: Sequence[str], mode: HeadMode, options: Sequence[HeadOption], names: Sequence[str]
) -> str:
    if len(names) > service.limits.max_models:
        raise InputError(f"At most {service.limits.max_models} models stand side by side.")
    found = [find(options, name) for name in names or (None,)]
    chosen = list(dict.fromkeys(option for option in found if option is not None))
    link = [("tab", "try"), ("look", mode.name), ("t", "\n".join(texts)), *((mode.kind, o.head.name) for o in chosen)]
    answers = [mode.answer(service, texts, option, urlencode(link)) for option in chosen]
    if len(answers) == 1:
        return answers[0][0]
    n = len(texts)
    alike = sum(len(set(of_text)) == 1 for of_text in zip(*(answer for _, answer in answers), strict=True))
    agreement = f"The {len(answers)} models say the same of {alike} of {n} {TASK_WORDS[mode.kind].unit}."
    if n == 1:
        agreement = f"The {len(answers)} models {'say the same' if alike else 'do not say the same'} here."
    return render("try_several.html", told=agreement, cards=[card for card, _ in answers])


class _Correction:
    """Components to correct an answer of one kind and keep it as an example."""

    def __init__(self, service: Service, kind: str) -> None:
        self.service, self.kind, self.is_label = service, kind, TASK_WORDS[kind].one_label
        what = "label" if self.is_label else "entities or tags"
        with gr.Accordion(f"Not right? Correct the {what}", open=False, visible=False) as self.fold:
            self.text = choice([], label="Text", visible=False)
            self.label = choice([], label="The right label is", visible=self.is_label)
            self.line = gr.Textbox(
                label="The sentence with its entities",
                info="Square brackets around an entity, its type behind them: [Ada Marsh](PER). A tag: word/TAG.",
                visible=not self.is_label,
            )
            self.keep = gr.Button("Keep as an example", size="sm")
            self.kept = gr.HTML()
            self.train = gr.Button("Train with them", size="sm", visible=False)

    @property
    def outputs(self) -> list[Any]:
        """Components that an answer changes."""
        return [self.fold, self.text, self.label, self.line, self.kept]

    def show(self, text: str, mode: str, heads: Sequence[str]) -> dict[Any, Any]:
        """Return the updates for a new answer."""
        texts = lines_of(text)
        options = head_options(self.service.heads(), self.kind)
        is_asked = HEAD_MODES[self.kind] in modes_of(mode) and bool(texts and options)
        changes = {self.fold: gr.update(visible=is_asked), self.kept: ""}
        if is_asked:
            choices = [(f"{number}: {line[:80]}", line) for number, line in enumerate(texts, 1)]
            changes[self.text] = gr.update(choices=choices, value=texts[0], visible=len(texts) > 1)
            changes |= self.propose(texts[0], heads)
        return changes

    def propose(self, text: str, heads: Sequence[str]) -> dict[Any, Any]:
        """Return the prediction of the first head for one text, as a draft to correct."""
        name = heads[0] if heads else None
        option = find(head_options(self.service.heads(), self.kind), name)
        if option is None:
            return {self.kept: ""}
        name = option.head.name
        if not self.is_label:
            (tagged,) = self.service.tag([text], name)
            return {self.line: marked(tagged)}
        (result,) = self.service.classify([text], name, occlusion=False)
        choices = [(first_capital(class_words(label)), label) for label in option.head.labels]
        return {self.label: gr.update(choices=choices, value=result.label)}

    def store(self, text: str, label: str | None, line: str) -> dict[Any, Any]:
        """Store the corrected text, and report the number of examples."""
        try:
            example = f"{label}: {text}" if self.is_label else line
            count = self.service.training.keep_example(self.kind, example)
        except InputError as error:
            return {self.kept: render("note.html", text=str(error))}
        words = f"{count} example{'' if count == 1 else 's'} kept. Train reads them."
        return {self.kept: render("hint.html", text=words), self.train: gr.update(visible=True)}


class TryTab:
    """Components of the tab, also used by the Train tab."""

    def __init__(self, service: Service) -> None:
        self.service, limits = service, service.limits
        modes = [(mode.title, mode.name) for mode in MODES.values()]
        self.head: dict[str, gr.Dropdown] = {}
        with gr.Row(elem_classes="compare"):
            with gr.Column(elem_classes="compare-form card components"):
                self.text = gr.Textbox(
                    "\n".join(TRY_EXAMPLES[0].lines),
                    label="Your text",
                    info=f"One sentence a line, at most {limits.max_texts} of {limits.max_tokens} words.",
                    placeholder="Type a sentence…",
                    lines=4,
                    max_lines=16,
                    elem_id="try-text",
                )
                self.mode = gr.Radio([*modes, ("All", ALL)], value=TRY_EXAMPLES[0].task, label="Look for")
                for kind in HEAD_MODES:
                    self.head[kind] = choice(
                        [], label=TASK_WORDS[kind].model, multiselect=True, max_choices=limits.max_models, visible=False
                    )
                titles = [[example.title] for example in TRY_EXAMPLES]
                self.examples = gr.Dataset(
                    components=[gr.Textbox(visible=False)], samples=titles, type="index", label="Or try an example"
                )
            with gr.Column(elem_classes="compare-answer"):
                first = _frame(is_waiting=True) if service.heads() else _frame(missing=list(HEAD_MODES))
                self.result = markup(first, "scripts/word_tips.js", "scripts/try_answer.js")
                self.corrections = (
                    [_Correction(service, kind) for kind in HEAD_MODES] if service.training.offer().allowed else []
                )

    @property
    def inputs(self) -> list[Any]:
        """Components of a request."""
        return [self.text, self.mode, *self.head.values()]

    @property
    def outputs(self) -> list[Any]:
        """Components that an answer changes."""
        corrections = [part for correction in self.corrections for part in correction.outputs]
        return [self.result, *self.head.values(), *corrections]

    @property
    def train_buttons(self) -> dict[str, gr.Button]:
        """Buttons that lead to the Train tab, by kind."""
        return {correction.kind: correction.train for correction in self.corrections}

    def answer(self, text: str, mode: str, *heads: Sequence[str] | None) -> dict[Any, Any]:
        """Answer the form."""
        chosen = {kind: list(names or ()) for kind, names in zip(self.head, heads, strict=True)}
        changes = self._show_heads(mode, chosen)
        try:
            changes[self.result] = page(self.service, text or "", mode, chosen)
            for correction in self.corrections:
                changes |= correction.show(text or "", mode, chosen[correction.kind])
        except InputError as error:
            changes[self.result] = _frame(reason=str(error))
            changes |= {correction.fold: gr.update(visible=False) for correction in self.corrections}
        return changes

    def _show_heads(self, mode: str, chosen: Mapping[str, Sequence[str]]) -> dict[Any, Any]:
        """Return the updated lists of heads, since heads may be trained or deleted."""
        offered, changes = self.service.heads(), {}
        for kind, box in self.head.items():
            options = head_options(offered, kind)
            names = [option.head.name for option in options]
            titles = distinct([(option.head.name, option.head.title) for option in options])
            known = [name for name in chosen[kind] if name in names] or names[:1]
            visible = len(options) > 1 and HEAD_MODES[kind] in modes_of(mode)
            changes[box] = gr.update(choices=list(zip(titles, names, strict=True)), value=known, visible=visible)
        return changes

    def open_link(self, request: gr.Request) -> dict[Any, Any]:
        """Fill the form from a link to this tab, and answer it."""
        query = request.query_params
        if query.get("tab") != "try":
            return {self.text: gr.skip()}
        text, mode = "\n".join(TRY_EXAMPLES[0].lines), TRY_EXAMPLES[0].task
        if query.get("t") is not None:
            text, look = str(query["t"]), str(query.get("look"))
            mode = _RENAMED.get(look, look if look in MODES else ALL)
        heads = [list(dict.fromkeys(query.getlist(kind)))[: self.service.limits.max_models] for kind in self.head]
        return {self.text: text, self.mode: mode, **self.answer(text, mode, *heads)}

    def opened_by(self, button: gr.Button, run: gr.Dropdown, tabs: gr.Tabs) -> None:
        """Let a button of the Train tab open the head of a run here."""

        def open_head(run: str) -> dict[Any, Any]:
            name = next((job.head for job in self.service.training.jobs() if job.name == run), None)
            head = next((head for head in self.service.heads() if head.name == name), None)
            if head is None:
                return {tabs: gr.skip()}
            return {
                tabs: gr.Tabs(selected="try"),
                self.mode: HEAD_MODES[head.kind].name,
                self.head[head.kind]: [head.name],
            }

        outputs = [tabs, self.mode, *self.head.values()]
        event = button.click(open_head, run, outputs, **READ_TEXTS)
        event.then(self.answer, self.inputs, self.outputs, **READ_TEXTS)


def build(app: gr.Blocks, service: Service, tab: gr.Tab) -> TryTab:
    """Put the tab's components into the open container and wire their events."""
    shown = TryTab(service)

    def choose(index: int) -> tuple[str, str]:
        example = TRY_EXAMPLES[index]
        return "\n".join(example.lines), example.task

    def sentiment_endpoint(texts: list[str], head: str | None = None) -> list[dict[str, Any]]:
        """Classify texts: label, probabilities, and the occlusion of every word (what leaving it out changes).

        Example: ``predict(["A warm and funny film.", "The room was cold."], api_name="/sentiment")``.

        Args:
            texts: the texts.
            head: name of a classification head; the default one if it is not given.

        Returns:
            For each text: text, tokens, label, is_sure, probabilities by class, occlusion (token, start, end, change); none for
            texts of more words than one request may have weighed, the shortest texts first.
        """
        return [result.to_dict() for result in service.classify(texts, head or None)]

    def senses(text: str, model: str | None = None, own_meanings: str | None = None) -> dict[str, Any]:
        """Find the meaning of each word of a text that the dictionary has several meanings of.

        Example: ``predict("She sat on the bank and watched the boats.", api_name="/senses")``.

        Args:
            text: English text of at most 2,000 words.
            model: name of a model; the default one if it is not given.
            own_meanings: meanings of your own, in the format of the dictionary (docs/dictionary.md); they count before ours.

        Returns:
            model, text, headline, and words: token, start, end, word, meaning (null for another one), part_of_speech, gloss,
            probability, certainty.
        """
        return service.senses(text, model or None, own_meanings or "").to_dict()

    def ner_endpoint(sentences: list[str], head: str | None = None, n_readings: int = 1) -> list[dict[str, Any]]:
        """Find the entities in sentences, or tag their words.

        Example: ``predict(["Ada Marsh flew from Oslo to Lima."], api_name="/ner")``.

        Args:
            sentences: the sentences.
            head: name of a tagging head; the default one if it is not given.
            n_readings: how many readings to give, the best one and its runners-up; 1 to 10.

        Returns:
            For each sentence: text, tokens, tags, spans (type, confidence, where), probability, runners_up.
        """
        if not 1 <= n_readings <= MAX_READINGS:
            raise InputError(f"Expected {of_readings}.")
        return [result.to_dict() for result in service.tag(sentences, head or None, n_readings)]

    def select(request: gr.Request, text: str, mode: str, *heads: list[str] | None) -> dict[Any, Any]:
        if request.query_params.get("tab") == "try" and not any(heads):
            return {shown.result: gr.skip()}  # the page was opened by a link, which is answered by itself
        return shown.answer(text, mode, *heads)

    tab.select(select, shown.inputs, shown.outputs, **READ_TEXTS)
    app.load(shown.open_link, None, [shown.text, shown.mode, *shown.outputs], **READ_TEXTS)
    asked = [shown.text.input, shown.mode.input, *(box.input for box in shown.head.values())]
    gr.on(asked, shown.answer, shown.inputs, shown.outputs, trigger_mode="always_last", **READ_TEXTS)
    picked = shown.examples.click(choose, shown.examples, [shown.text, shown.mode], **READ_TEXTS)
    picked.then(shown.answer, shown.inputs, shown.outputs, **READ_TEXTS)
    for correction in shown.corrections:
        head = shown.head[correction.kind]
        correction.text.input(correction.propose, [correction.text, head], correction.outputs, **READ_TEXTS)
        values = [correction.text, correction.label, correction.line]
        correction.keep.click(correction.store, values, [correction.kept, correction.train], **READ_TEXTS)
    of_readings = f"n_readings as a whole number from 1 to {MAX_READINGS}"
    endpoint(sentiment_endpoint, "texts (a list of strings) and a head (a string)", SLOW)
    endpoint(senses, "a text (a string)")
    endpoint(ner_endpoint, "sentences (a list of strings) and a head (a string)", n_readings=of_readings)
    return shown
