"""The card and the files of classified texts."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ClassifiedText, WordOcclusion
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.heads import Offer, about_line, by_head, json_data
from elmo_tasks.ui.heat import tint
from elmo_tasks.ui.page import pieces, render
from elmo_tasks.wording.classified import difference, headline, said, tip, unweighed, verdict

STEPS = (0.02, 0.08, 0.2, 0.4)


def words(result: ClassifiedText) -> list[tuple[str, WordOcclusion | None]]:
    """The text as typed, in pieces, each word with what leaving it out changes."""
    return pieces(result.text, ((word.start, word.end, word) for word in result.occlusion))


def card(
    offer: Offer, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = (), base: str | None = None
) -> str:
    """The whole answer of a classifier, and of its baseline ``without`` context, if it has one.

    Examples that a person puts right are added to ``base`` when they are trained on, see :attr:`~elmo_tasks.api.TrainingJob.base`;
    it is ``None`` where nothing can be trained.
    """
    return render(
        "sentiment.html",
        results=results,
        without=without,
        headline=headline(results),
        difference=difference(results, without) if without else "",
        about=about_line(offer, baseline=bool(without)),
        verdict=verdict,
        said=said,
        words=words,
        step=lambda push: tint(push, STEPS),
        tip=tip,
        base=base,
        unweighed=unweighed(results),
        has_occlusion=any(result.occlusion for result in results),
        csv=csv_text(offer, results, without),
        data=json_data(offer, results, without),
    )


def csv_text(offer: Offer, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = ()) -> str:
    """One row per word, or per text where no word was left out."""
    classes = list(results[0].probabilities)
    header = ["text number", "head", "label", *(f"probability of {name}" for name in classes), "word", "push", "text"]
    rows = []
    for name, number, result in by_head(offer, results, without):
        first = (number, name, result.label, *(result.probabilities.get(label, 0.0) for label in classes))
        words: list[tuple[object, ...]] = [(word.token, word.change) for word in result.occlusion] or [("", "")]
        rows += [(*first, *word, result.text) for word in words]
    return csv_file(header, rows)
