"""The probing tests, the paper's results, and the file of our results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from elmo_tasks.errors import DataError
from elmo_tasks.evaluation.plots import Bar, Panel, bar_chart
from elmo_tasks.evaluation.rows import Evaluation, Row
from elmo_tasks.files import read_json, write_json
from elmo_tasks.layers import MEAN

#: Tests of :mod:`elmo_tasks.evaluation.suite`, in the order of the table: from the form of words to their meaning.
PROBES = ("pos", "chunks", "ner", "sentiment", "wsd", "wic", "coarsewsd", "cosimlex")
#: Name of the file in a model's folder.
NAME = "probe.json"


@dataclass(frozen=True)
class Published:
    """Results of the paper's ELMo, layer by layer."""

    task: str  #: the test
    data: str  #: the data set
    scores: Mapping[str, float]  #: by layer
    without: float | None  #: the baseline there
    without_name: str  #: of the baseline
    source: str  #: paper and table
    same_data: bool  #: True if our test is the same


#: The two tests that Peters et al. (2018), section 5.3, probe by layer.
PUBLISHED = (
    Published("pos", "Penn Treebank", {"1": 0.973, "2": 0.968}, None, "", "Peters et al., 2018, table 6", False),
    Published(
        "wsd", "the same sets", {"1": 0.674, "2": 0.690}, 0.659, "first sense", "Peters et al., 2018, table 5", True
    ),
)


def read_probes(path: Path) -> Evaluation:
    """Read the file of ``elmo-tasks evaluate --probes --out``.

    Raises:
        DataError: it cannot be read, or is something else.
    """
    try:
        evaluation = Evaluation.of_dict(read_json(path))
        if {row.task for row in evaluation.rows} <= set(PROBES):
            return evaluation
        what = "other tests"
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = repr(error)[:200]
    raise DataError(f"{path}: expected what elmo-tasks evaluate --probes --out wrote ({what})")


def write_probes(path: Path, evaluation: Evaluation, command: str, layers: Sequence[str]) -> None:
    """Write results with the command and a description of each layer."""
    write_json(path, {"command": command, "layers": list(layers), **evaluation.to_dict()})


def joined(earlier: Evaluation, new: Evaluation) -> Evaluation:
    """Join two result sets of one model, in the order of :data:`PROBES`."""
    rows = sorted((*earlier.rows, *new.rows), key=lambda row: PROBES.index(row.task))
    return replace(new, rows=tuple(rows), seconds={**earlier.seconds, **new.seconds})


def _published(evaluation: Evaluation, task: str) -> list[Published]:
    """The paper's figures of a test, if the model has such layers."""
    return [paper for paper in PUBLISHED if paper.task == task and set(paper.scores) <= set(evaluation.views)]


def beside_published(evaluation: Evaluation) -> Evaluation:
    """Add the paper's results below each test, for the layers that the model has."""
    rows: list[Row] = []
    for task in dict.fromkeys(row.task for row in evaluation.rows):
        rows += [row for row in evaluation.rows if row.task == task]
        for paper in _published(evaluation, task):
            title = f"↳ the paper’s ELMo, {paper.data} ({paper.source})"
            rows.append(Row(task, title, paper.scores, "percent", paper.without, paper.without_name, is_main=False))
    return replace(evaluation, rows=tuple(rows))


def plot(evaluation: Evaluation, layers: Sequence[str]) -> str:
    """Draw the main score of each test as bars, by layer, beside the paper's, as SVG."""
    panels = []
    for row in evaluation.rows:
        if row.is_main:
            bars = [
                Bar("mean of the layers" if view == MEAN else f"{view}: {layers[int(view)]}", score, row.shown(score))
                for view, score in row.scores.items()
            ]
            for paper in _published(evaluation, row.task):
                data = "" if paper.same_data else f", {paper.data}"
                bars += [
                    Bar(f"the paper’s ELMo, layer {k}{data}", score, row.shown(score), is_faint=True)
                    for k, score in paper.scores.items()
                ]
            mark = None if not row.without else (row.without, f"{row.without_name}: {row.shown(row.without)}")
            panels.append(Panel(row.title, bars, mark))
    return bar_chart(f"What each layer of {evaluation.model} knows", panels)
