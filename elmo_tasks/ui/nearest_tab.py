"""Nearest uses tab: the nearest uses of any word to a word in a sentence.

Its neighbours without context stand beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from elmo_tasks.api import ModelInfo, NearestUses, Progress, Service
from elmo_tasks.errors import InputError
from elmo_tasks.messages.answers import nearest_by_several
from elmo_tasks.messages.text import slug
from elmo_tasks.messages.views import title_of, view_title
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.page import csv_file, nothing, render
from elmo_tasks.ui.parts import Question, answered, markup, on_question, scripted

#: What the form offers: title, word, sentence. None of the sentences is in the dictionary.
EXAMPLES = (
    ("bank: river", "bank", "Herons were nesting in the reeds along the muddy bank of the river."),
    ("play: on stage", "play", "Her new play about two sisters opened at the theatre to loud applause."),
    ("play: in a match", "play", "A brilliant play in the last minute won the match for the visitors."),
    ("cell: prison", "cell", "The guard locked the prisoner in his cell for the night."),
    ("cell: body", "cell", "Under the microscope we watched a single cell divide."),
    ("crane: bird", "crane", "A crane with grey feathers stood in the shallow water of the marsh."),
    ("crane: machine", "crane", "The crane lifted the steel beams to the top of the new building."),
    ("match: fire", "match", "He struck a match and lit the candle."),
    ("jam: fruit", "jam", "She spread strawberry jam on her toast."),
)
#: Of each of several models, so many uses are shown.
_MOST_OF_SEVERAL = 10


def source_title(name: str) -> str:
    """Return the title of the searched source."""
    return "the dictionary" if name == "dictionary" else f"your index “{name}”"


def page(answer: NearestUses, models: Sequence[ModelInfo], query: str = "") -> str:
    """Render the answer: uses, neighbours without context, and explanation."""
    floor = min(answer.random_pair_cosine, *(use.cosine for use in answer.uses), 1.0)
    return render(
        "nearest.html",
        answer=answer,
        model=title_of(answer.model, models),
        source=source_title(answer.source),
        share=lambda cosine: max(0.0, (cosine - floor) / max(1.0 - floor, 1e-6)),
        is_mixed=len({use.same_word for use in answer.uses}) > 1,
        name=f"nearest-{slug(answer.word)}",
        csv=csv_text(answer),
        data=answer.to_dict(),
        query=query,
    )


def csv_text(answer: NearestUses) -> str:
    """Return the uses, then the words without context, as a spreadsheet."""
    uses = [
        ("in this sentence", u.token, u.cosine, u.same_word, u.sentence, u.sense, u.probability) for u in answer.uses
    ]
    words = [("in any sentence", n.word, n.cosine, "", "", "", None) for n in answer.static]
    return csv_file(("near", "word", "cosine", "same word", "sentence", "meaning", "probability"), [*uses, *words])


def page_of_several(answers: Sequence[NearestUses], sense: str = "", query: str = "") -> str:
    """Render the answers of several models to one query.

    ``sense`` is the meaning of the word there, if known.
    """
    first = answers[0]
    reading = [answer for answer in answers if answer.reads_sentence]
    # Static vectors for comparison: the requested ones, or the bundled ones.
    words = [answer for answer in answers if not answer.reads_sentence] or [first]
    return render(
        "nearest_several.html",
        first=first,
        headline=nearest_by_several(first.word, reading, sense),
        sense=sense,
        reading=reading,
        words=words,
        name=f"nearest-{slug(first.word)}",
        csv=csv_of_several(reading, words),
        query=query,
    )


def csv_of_several(reading: Sequence[NearestUses], words: Sequence[NearestUses]) -> str:
    """Return the content of the columns as a spreadsheet."""
    uses = [
        (answer.model, "in this sentence", use.token, use.cosine, use.sentence, use.sense)
        for answer in reading
        for use in answer.uses
    ]
    near = [(a.vectors, "in any sentence", near.word, near.cosine, "", "") for a in words for near in a.static]
    return csv_file(("model", "near", "word", "cosine", "sentence", "meaning"), [*uses, *near])


def respond(service: Service, data: Question) -> Iterator[tuple[dict[str, Any], Any]]:
    """Answer a form of the page: the next form state, and the markup of the answer.

    The form state reports progress first.
    """
    word, sentence = str(data.get("word") or "").strip(), " ".join(str(data.get("sentence") or "").split())
    layer, source = (str(data[key]) if data.get(key) else None for key in ("layer", "source"))
    sent = data.get("models")
    models = [str(name) for name in sent if name] if isinstance(sent, list) else []

    def work(value: dict[str, Any], progress: Progress) -> str:
        only = str(data.get("only") or "all")
        if len(models) > service.limits.max_models:
            raise InputError(f"At most {service.limits.max_models} models stand side by side, not {len(models)}.")
        if len(models) > 1:  # each at the layer that is its own choice
            return by_several(only, progress)
        model = next(iter(models), None)
        found = service.nearest(word, sentence, layer, only, source, model=model, progress=progress)
        value["layer"], value["source"] = found.layer, found.source
        value["layers"] = [{"name": name, "title": view_title(name)} for name in found.layers]
        value["sources"] = [{"name": name, "title": source_title(name)} for name in found.sources]
        kept = {"word": word, "s": sentence, "layer": found.layer, "only": only, "source": source, "model": model}
        query = urlencode({"tab": "nearest", **{key: text for key, text in kept.items() if text}})
        return page(found, service.models(), query)

    def by_several(only: str, progress: Progress) -> str:
        found = [service.nearest(word, sentence, None, only, None, _MOST_OF_SEVERAL, name, progress) for name in models]
        kept = [("tab", "nearest"), ("word", word), ("s", sentence), ("only", only), *(("model", m) for m in models)]
        return page_of_several(found, found[0].sense, urlencode(kept))

    yield from answered(data, "nearest", work)


def build(service: Service) -> None:
    """Put the tab's components into the open container and wire their events."""
    models = service.models()
    layers = models[0].layers if models else ()
    layers = ("meanings", *layers, *(() if "mean" in layers or len(layers) < 2 else ("mean",)))
    with gr.Row(elem_classes="compare"):
        with gr.Column(elem_classes="compare-form"):
            editor = scripted(
                "nearest",
                "scripts/nearest_form.js",
                examples=[{"title": title, "word": word, "sentence": sentence} for title, word, sentence in EXAMPLES],
                layers=[{"name": name, "title": view_title(name)} for name in layers],
                most_words=service.limits.max_tokens,
                most_models=service.limits.max_models,
                models=[{"name": m.name, "title": m.title} for m in models],
            )
        with gr.Column(elem_classes="compare-answer"):
            result = markup(nothing("nearest"))

    def nearest(
        word: str,
        sentence: str,
        layer: str | None = None,
        only: str = "all",
        source: str | None = None,
        n: int = 15,
        model: str | None = None,
    ) -> dict[str, Any]:
        """Find the uses of any word that are nearest to a word in a sentence.

        Example: ``predict("bank", "We sat on the bank of the river.", api_name="/nearest")``.

        Args:
            word: the word; [brackets] in the sentence mark another one.
            sentence: its sentence.
            layer: "meanings" (what meanings are read from), "0", "1", ... or "mean"; the first if it is not given.
            only: "all", "same" (this word only) or "other" (other words only).
            source: "dictionary", or the title of the index that the app was started with.
            n: how many uses, 1 to 50.
            model: name of a model; the default one if it is not given.

        Returns:
            word, sentence, start, end, model, layer, layers, source, sources, n_tokens, only, random_pair_cosine,
            uses (sentence, start, end, token, cosine, same_word, sense, probability), static (word, cosine), answer, headline,
            vectors (name of the static vectors), reads_sentence, sense (empty where nothing is said of it), probability (null for
            an example, whose meaning is known).
        """
        return service.nearest(word, sentence, layer or None, only, source or None, n, model or None).to_dict()

    on_question(editor, partial(respond, service), [editor, result])
    endpoint(nearest, "strings, and n as a whole number")
