"""The what-ifs below the layer weights: mix the layers by hand, and misspell the word. The uses are those of Compare."""

from __future__ import annotations

import re
from typing import Any

import gradio as gr

from elmo_tasks.api import LayerProducts, RespelledLayer, Respelling, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import heat
from elmo_tasks.ui.cards import distinct
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.examples import EXAMPLES
from elmo_tasks.ui.format import Form, form_from_query, snippet
from elmo_tasks.ui.page import csv_file, render
from elmo_tasks.ui.parts import Question, markup, on_question, revision_of, scripted
from elmo_tasks.wording.text import first_capital, listed, number, slug
from elmo_tasks.wording.views import READS_LETTERS, view_place

# From here on the vector is the same for all a person could tell.
_SAME = 0.995
# Two cosines that differ by less are not told apart.
_CLEAR = 0.02
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


def mean(layer: RespelledLayer) -> float:
    """The mean cosine over the sentences."""
    return sum(layer.cosine) / len(layer.cosine)


def headline(result: Respelling) -> str:
    """How far the word moved, without more than the numbers carry."""
    first, top = result.layers[0], _top(result)
    pair = f"“{result.word}” and “{result.spelling}”"
    if all(mean(layer) >= _SAME for layer in result.layers):
        return f"To the model {pair} are the same."
    return (
        f"By its {_parts(first)} alone “{result.spelling}” keeps a cosine of {number(mean(first))} with “{result.word}”; "
        f"{view_place(top.name)}, with the sentence around it, {number(mean(top))}."
    )


def reasons(result: Respelling) -> str:
    """What comes from the letters, and what from the sentence: an unrelated word in the same place is the measuring stick."""
    first, top = result.layers[0], _top(result)
    if all(mean(layer) >= _SAME for layer in result.layers):
        return ""
    parts = _parts(first)
    letters, more = mean(first) - first.unrelated_cosine, mean(top) - top.unrelated_cosine
    place, names = view_place(top.name), listed([f"“{word}”" for word in result.unrelated])
    baseline = (
        f"Unrelated words in its place ({names}) keep {number(first.unrelated_cosine)} by their {parts} and "
        f"{number(top.unrelated_cosine)} {place}, on average."
    )
    knows = ": that is what the character layer knows" if parts == "letters" else ""
    by_letters = (
        f"By its {parts} the new spelling is no closer than these."
        if letters <= _CLEAR
        else f"By its {parts} the new spelling is closer than these{knows}."
    )
    in_place = (
        "it is no closer: there the sentence counts, whatever word stands in it."
        if more <= _CLEAR
        else f"it is still closer by {number(more)}."
    )
    return f"{baseline} {by_letters} {first_capital(place)} {in_place}"


def _parts(lowest: RespelledLayer) -> str:
    """What the lowest layer sees of a word."""
    return "letters" if lowest.sees in ("", READS_LETTERS) else "word pieces"


def _top(result: Respelling) -> RespelledLayer:
    """The highest layer that is no mean."""
    return next(layer for layer in reversed(result.layers) if layer.name != "mean")


def nothing(message: str = "") -> str:
    """What is shown where there is no answer: before a question, or with the reason, which stands at the form as well."""
    return render("respelling.html", result=None, message=message)


def page(result: Respelling) -> str:
    """The answer."""
    return render(
        "respelling.html",
        result=result,
        headline=headline(result),
        reasons=reasons(result),
        mean=mean,
        marked=marked,
        name=f"spelling-{slug(f'{result.word}-{result.spelling}')}",
        csv=csv_text(result),
        data=result.to_dict(),
    )


def marked(sentence: str) -> tuple[str, str, str]:
    """A sentence before its bracketed word, that word, and what follows; brackets without a partner, which a person typed, stay."""
    found = _BRACKETED.search(sentence)
    return (sentence[: found.start()], found[1], sentence[found.end() :]) if found else (sentence, "", "")


def csv_text(result: Respelling) -> str:
    """One row per layer and sentence."""
    header = ("layer", "sentence", "word", "spelling", "cosine", "unrelated words in its place", "two random words")
    pair = (result.word, result.spelling)
    rows = [
        (layer.name, sentence, *pair, cosine, layer.unrelated_cosine, layer.random_pair_cosine)
        for layer in result.layers
        for sentence, cosine in zip(result.sentences, layer.cosine, strict=True)
    ]
    return csv_file(header, rows)


def form_of(service: Service, query: str) -> Form:
    """The comparison that the Compare tab shows; the first example if it shows none."""
    form = form_from_query(query, service.limits) if query else None
    return form or Form(EXAMPLES[0].word, EXAMPLES[0].sentences)


def respond(service: Service, data: Question) -> tuple[dict[str, Any], Any]:
    """Answer what the browser sent: what the mixer needs, and the markup of the spelling (or that it stays)."""
    value: dict[str, Any] = {"revision": revision_of(data), "note": "", "action": data.get("action")}
    try:
        form = form_of(service, str(data.get("query") or ""))
        if data.get("action") == "respell":
            result = service.what_if.respell(form.word, form.sentences, str(data.get("spelling") or ""), form.model)
            return value, page(result)
        products = service.what_if.layer_products(form.word, form.sentences, form.model)
    except InputError as error:
        if data.get("action") == "respell":
            return value, nothing(str(error))
        return {**value, "note": str(error)}, gr.skip()
    return {**value, **_for_mixer(products), "heads": _heads(service, len(products.layers))}, gr.skip()


def _for_mixer(products: LayerProducts) -> dict[str, Any]:
    return {
        "word": products.word,
        "layers": list(products.layers),
        "uses": [{"snippet": list(snippet(item)), "sentence": item.sentence} for item in products.items],
        "products": [[[list(row) for row in m] for m in line] for line in products.products],
    }


def _heads(service: Service, n_layers: int) -> list[dict[str, Any]]:
    """Heads whose learned weights can be put in."""
    found = [entry for entry in service.heads.layer_weights() if entry.learned and len(entry.layers) == n_layers]
    titles = distinct([(entry.head, entry.title) for entry in found])
    return [{"title": title, "weights": list(e.final.weights)} for title, e in zip(titles, found, strict=True)]


def build(service: Service) -> None:
    """Put the components into the open container and wire their events."""
    mixer = scripted(
        "what_if", "scripts/what_if.js", value={"note": ""}, colours=[heat.cosine_style(k / 100, 0) for k in range(101)]
    )
    answer = markup(nothing(), classes="respelling-answer")

    def what_if_endpoint(word: str, sentences: list[str], spelling: str, model: str | None = None) -> dict[str, Any]:
        """Put another spelling in the place of a word and say how far its vector moves, layer by layer.

        Example: ``predict("bank", ["We sat on the bank of the river."], "shore", api_name="/what_if")``.

        Args:
            word: the word as it stands in the sentences.
            sentences: 1 to 12 sentences; [brackets] mark another word in one.
            spelling: what to put in its place, one word.
            model: name of a model; the default one if it is not given.

        Returns:
            word, spelling, model, sentences, and for each layer: name, cosine (one a sentence), random_pair_cosine,
            unrelated_cosine, sees.
        """
        return service.what_if.respell(word, sentences, spelling, model or None).to_dict()

    on_question(mixer, lambda question: respond(service, question), [mixer, answer])
    endpoint(what_if_endpoint, "a word, a spelling (strings) and sentences (a list of strings)")
