"""The what-ifs below the layer weights: mix the layers by hand, and misspell the word. The uses are those of Compare."""

from __future__ import annotations

from typing import Any

import gradio as gr

from elmo_tasks.api import LayerProducts, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import heat, what_if
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.examples import EXAMPLES
from elmo_tasks.ui.format import Form, form_from_query, snippet
from elmo_tasks.ui.heads import distinct
from elmo_tasks.ui.parts import Question, markup, on_question, revision_of, scripted


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
            return value, what_if.page(result)
        products = service.what_if.layer_products(form.word, form.sentences, form.model)
    except InputError as error:
        if data.get("action") == "respell":
            return value, what_if.nothing(str(error))
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
        "what_if",
        "scripts/what_if.js",
        value={"note": ""},
        colours=[heat.cosine_style(k / 100, 0) for k in range(101)],
    )
    answer = markup(what_if.nothing(), classes="respelling-answer")

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
