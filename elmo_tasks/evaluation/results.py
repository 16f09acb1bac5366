"""Results of an evaluation, as Markdown and JSON, beside the paper's."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from elmo_tasks.charts import Bar, Panel, bar_chart
from elmo_tasks.errors import DataError
from elmo_tasks.files import read_json, write_json
from elmo_tasks.layers import MEAN
from elmo_tasks.messages.views import COLUMN_REMARKS, column_title

ScoreUnit = Literal["percent", "index", "plain"]
_SHOWN: dict[ScoreUnit, str] = {"percent": "{:.1f}", "index": "{:.3f}", "plain": "{:.1f}"}


@dataclass(frozen=True)
class ResultRow:
    """One measure, in every view that it is defined for."""

    task: str  #: the test it is of, as ``--only`` names it
    title: str
    #: by view; shares of 1 where the unit is percent
    scores: Mapping[str, float] = field(default_factory=dict)
    unit: ScoreUnit = "percent"  #: how they are shown
    without: float | None = None  #: score of the baseline
    without_name: str = ""  #: of the baseline
    high_is_good: bool = True  #: False for neutral measures, and those that are better if low
    note: str = ""  #: how it was measured
    is_main: bool = True  #: True for the main score of its test

    def shown(self, score: float | None) -> str:
        """Format a number for the table."""
        return (
            "-"
            if score is None
            else _SHOWN[self.unit].format(100 * score if self.unit == "percent" else score)
        )

    @property
    def is_above_layer_0(self) -> bool | None:
        """True if the best contextual layer is above layer 0; None if undefined."""
        contextual = [
            score for view, score in self.scores.items() if view.isdecimal() and view != "0"
        ]
        if not self.high_is_good or not contextual or "0" not in self.scores:
            return None
        return max(contextual) > self.scores["0"]


@dataclass(frozen=True)
class Evaluation:
    """Results of an encoder on the tests."""

    model: str  #: its name
    checksum: str  #: of its weights
    views: tuple[str, ...]  #: the columns
    rows: tuple[ResultRow, ...]  #: the rows of the table
    #: tests that were not measured, and why
    missing: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)  #: of processor time, by test

    def to_dict(self) -> dict[str, Any]:
        """Return the contents of a JSON file."""
        rows = [{**vars(row), "scores": dict(row.scores)} for row in self.rows]
        return {
            **vars(self),
            "rows": rows,
            "missing": dict(self.missing),
            "seconds": dict(self.seconds),
        }

    @classmethod
    def of_dict(cls, raw: Mapping[str, Any]) -> Evaluation:
        """Parse the output of :meth:`to_dict`."""
        values = {field.name: raw[field.name] for field in fields(cls) if field.name in raw}
        return cls(
            **{
                **values,
                "views": tuple(raw["views"]),
                "rows": tuple(ResultRow(**row) for row in raw["rows"]),
            }
        )

    def to_markdown(self) -> str:
        """Format a table with the best score of each row in bold, and notes below."""
        layers = [view for view in self.views if view.isdecimal()]
        titles = " | ".join(column_title(view, layers) for view in self.views)
        lines = [
            f"| {self.model} | {titles} | without a model |",
            "|---|" + "---:|" * (len(self.views) + 1),
        ]
        lines += [self._line(row) for row in self.rows]
        blank = " |" * len(self.views)
        lines += [f"| {task} | not measured: {why} |{blank}" for task, why in self.missing.items()]
        return "\n".join([*lines, "", *self._remarks()])

    def _line(self, row: ResultRow) -> str:
        best = (
            row.shown(max(row.scores.values()))
            if row.high_is_good and len(row.scores) > 1
            else None
        )
        cells = [row.shown(row.scores.get(view)) for view in self.views]
        cells = [f"**{cell}**" if cell == best else cell for cell in cells]
        without = row.shown(row.without) + (f" ({row.without_name})" if row.without_name else "")
        return f"| {' | '.join([row.title, *cells, without])} |"

    def _remarks(self) -> list[str]:
        remarks = [remark for view, remark in COLUMN_REMARKS.items() if view in self.views]
        remarks += list(dict.fromkeys(row.note for row in self.rows if row.note))
        if compared := [row for row in self.rows if row.is_above_layer_0 is not None]:
            below = [row.title for row in compared if not row.is_above_layer_0]
            remarks.append(
                "The best layer that reads the sentence is above layer 0 in"
                f" {len(compared) - len(below)} of {len(compared)}"
                f" lines{'' if not below else '; not in ' + ', '.join(below)}."
            )
        remarks.append(
            f"Measured in {sum(self.seconds.values()) / 60:.1f} minutes of processor time."
        )
        return [f"- {remark}" for remark in remarks]


Label = TypeVar("Label", bound=Hashable)


def rows_by_label(labels: Iterable[Label]) -> dict[Label, list[int]]:
    """Return the positions of each label; labels are in the order of their first one."""
    rows: dict[Label, list[int]] = {}
    for k, label in enumerate(labels):
        rows.setdefault(label, []).append(k)
    return rows


# --- The probing tests, and the paper's results. ---

#: Tests of :mod:`elmo_tasks.evaluation.suite`, in the order of the table: from the form of words to
#: their meaning.
PROBES = ("pos", "chunks", "ner", "sentiment", "wsd", "wic", "coarsewsd", "cosimlex")
#: Name of the file in a model's folder.
NAME = "probe.json"


@dataclass(frozen=True)
class Published:
    """Results of the paper's ELMo, layer by layer."""

    task: str
    data: str  #: the data set
    scores: Mapping[str, float]  #: by layer
    without: float | None  #: score of the baseline
    without_name: str  #: of the baseline
    source: str  #: paper and table
    same_data: bool  #: True if our test is the same


#: The two tests that Peters et al. (2018), section 5.3, probe by layer.
PUBLISHED = (
    Published(
        task="pos",
        data="Penn Treebank",
        scores={"1": 0.973, "2": 0.968},
        without=None,
        without_name="",
        source="Peters et al., 2018, table 6",
        same_data=False,
    ),
    Published(
        task="wsd",
        data="the same sets",
        scores={"1": 0.674, "2": 0.690},
        without=0.659,
        without_name="first sense",
        source="Peters et al., 2018, table 5",
        same_data=True,
    ),
)


def read_probes(path: Path) -> Evaluation:
    """Read the file of ``elmo-tasks evaluate --probes --out``."""
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
    """Return the paper's results of a test, if the model has such layers."""
    return [
        paper
        for paper in PUBLISHED
        if paper.task == task and set(paper.scores) <= set(evaluation.views)
    ]


def beside_published(evaluation: Evaluation) -> Evaluation:
    """Add the paper's results below each test, for the layers that the model has."""
    rows: list[ResultRow] = []
    for task, places in rows_by_label(row.task for row in evaluation.rows).items():
        rows += [evaluation.rows[k] for k in places]
        for paper in _published(evaluation, task):
            title = f"↳ the paper’s ELMo, {paper.data} ({paper.source})"
            rows.append(
                ResultRow(
                    task=task,
                    title=title,
                    scores=paper.scores,
                    unit="percent",
                    without=paper.without,
                    without_name=paper.without_name,
                    is_main=False,
                )
            )
    return replace(evaluation, rows=tuple(rows))


def plot(evaluation: Evaluation, layers: Sequence[str]) -> str:
    """Draw the main score of each test as bars, by layer, beside the paper's, as SVG."""
    panels = []
    for row in (row for row in evaluation.rows if row.is_main):
        names = {
            view: "mean of the layers" if view == MEAN else f"{view}: {layers[int(view)]}"
            for view in row.scores
        }
        bars = [Bar(names[view], score, row.shown(score)) for view, score in row.scores.items()]
        for paper in _published(evaluation, row.task):
            data = "" if paper.same_data else f", {paper.data}"
            for k, score in paper.scores.items():
                bars.append(
                    Bar(
                        f"the paper’s ELMo, layer {k}{data}", score, row.shown(score), is_faint=True
                    )
                )
        mark = (
            None
            if not row.without
            else (row.without, f"{row.without_name}: {row.shown(row.without)}")
        )
        panels.append(Panel(row.title, bars, mark))
    return bar_chart(f"What each layer of {evaluation.model} knows", panels)
