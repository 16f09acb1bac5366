"""The card and the files of classified texts."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ClassifiedText, WordOcclusion
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.heads import Offer, about_line, by_head, json_data
from elmo_tasks.ui.page import render
from elmo_tasks.ui.spans import pieces
from elmo_tasks.wording.classified import difference, headline, said, tip, unweighed, verdict

STEPS = (0.02, 0.08, 0.2, 0.4)


def step(push: float) -> str:
    """The class of a word's tint: ``for1`` to ``for4``, ``against1`` to ``against4``, or empty."""
    reached = sum(abs(push) >= least for least in STEPS)
    return "" if not reached else f"{'for' if push > 0 else 'against'}{reached}"


def words(result: ClassifiedText) -> list[tuple[str, WordOcclusion | None]]:
    """The text as typed, in pieces, each word with what leaving it out changes."""
    return pieces(result.text, ((word.start, word.end, word) for word in result.occlusion))


def card(
    offer: Offer, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = (), base: str | None = None
) -> str:
    """The whole answer of a classifier.

    Args:
        offer: the head.
        results: what it says.
        without: what its baseline says, if it has one.
        base: what examples that a person puts right are added to when they are trained on, see
            :attr:`~elmo_tasks.api.TrainingJob.base`; ``None`` where nothing can be trained.
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
        step=step,
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
    rows: list[list[str | float]] = []
    for name, number, result in by_head(offer, results, without):
        first: list[str | float] = [str(number), name, result.label]
        first += [result.probabilities.get(label, 0.0) for label in classes]
        words: list[list[str | float]] = [[word.token, word.change] for word in result.occlusion] or [["", ""]]
        rows += [[*first, *word, result.text] for word in words]
    return csv_file(header, rows)
