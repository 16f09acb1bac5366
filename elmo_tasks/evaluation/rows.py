"""The lines of the table of an evaluation, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

from elmo_tasks.messages.views import COLUMN_REMARKS, column_title

Unit = Literal["percent", "index", "plain"]
_SHOWN: dict[Unit, str] = {"percent": "{:.1f}", "index": "{:.3f}", "plain": "{:.1f}"}


@dataclass(frozen=True)
class Row:
    """One measure, in every view that it is defined for."""

    task: str  #: the test it is of, as ``--only`` names it
    title: str  #: title of the measure
    scores: Mapping[str, float] = field(default_factory=dict)  #: by view; shares of 1 where the unit is percent
    unit: Unit = "percent"  #: how they are shown
    without: float | None = None  #: score of the baseline
    without_name: str = ""  #: of the baseline
    high_is_good: bool = True  #: False for neutral measures, and those that are better if low
    note: str = ""  #: how it was measured
    is_main: bool = True  #: True for the main score of its test

    def shown(self, score: float | None) -> str:
        """A number as the table has it."""
        return "-" if score is None else _SHOWN[self.unit].format(100 * score if self.unit == "percent" else score)

    @property
    def is_above_layer_0(self) -> bool | None:
        """True if the best contextual layer is above layer 0; None if undefined."""
        contextual = [score for view, score in self.scores.items() if view.isdecimal() and view != "0"]
        if not self.high_is_good or not contextual or "0" not in self.scores:
            return None
        return max(contextual) > self.scores["0"]


@dataclass(frozen=True)
class Evaluation:
    """Results of an encoder on the tests."""

    model: str  #: its name
    checksum: str  #: of its weights
    views: tuple[str, ...]  #: the columns
    rows: tuple[Row, ...]  #: the lines
    missing: Mapping[str, str] = field(default_factory=dict)  #: tests that were not measured, and why
    seconds: Mapping[str, float] = field(default_factory=dict)  #: of processor time, by test

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        rows = [{**vars(row), "scores": dict(row.scores)} for row in self.rows]
        return {**vars(self), "rows": rows, "missing": dict(self.missing), "seconds": dict(self.seconds)}

    @classmethod
    def of_dict(cls, raw: Mapping[str, Any]) -> Evaluation:
        """Parse the output of :meth:`to_dict`.

        Raises:
            KeyError, TypeError: it is something else.
        """
        known = {field.name: raw[field.name] for field in fields(cls) if field.name in raw}
        rows = tuple(Row(**row) for row in raw["rows"])
        return cls(**{**known, "views": tuple(raw["views"]), "rows": rows})

    def to_markdown(self) -> str:
        """Format a table with the best score of each row in bold, and notes below."""
        layers = [view for view in self.views if view.isdecimal()]
        titles = " | ".join(column_title(view, layers) for view in self.views)
        lines = [f"| {self.model} | {titles} | without a model |"]
        lines.append("|---|" + "---:|" * (len(self.views) + 1))
        lines += [self._line(row) for row in self.rows]
        blank = " |" * len(self.views)
        lines += [f"| {task} | not measured: {why} |{blank}" for task, why in self.missing.items()]
        return "\n".join([*lines, "", *self._remarks()])

    def _line(self, row: Row) -> str:
        best = max(row.scores.values(), default=None) if row.high_is_good and len(row.scores) > 1 else None
        cells = []
        for view in self.views:
            score = row.scores.get(view)
            text = row.shown(score)
            cells.append(f"**{text}**" if best is not None and text == row.shown(best) else text)
        without = row.shown(row.without)
        return (
            f"| {row.title} | {' | '.join(cells)} | {without}{f' ({row.without_name})' if row.without_name else ''} |"
        )

    def _remarks(self) -> list[str]:
        remarks = [remark for view, remark in COLUMN_REMARKS.items() if view in self.views]
        remarks += list(dict.fromkeys(row.note for row in self.rows if row.note))
        if compared := [row for row in self.rows if row.is_above_layer_0 is not None]:
            below = [row.title for row in compared if not row.is_above_layer_0]
            remarks.append(
                f"The best layer that reads the sentence is above layer 0 in {len(compared) - len(below)} of {len(compared)} "
                f"lines{'' if not below else '; not in ' + ', '.join(below)}."
            )
        minutes = sum(self.seconds.values()) / 60
        remarks.append(f"Measured in {minutes:.1f} minutes of processor time.")
        return [f"- {remark}" for remark in remarks]


Label = TypeVar("Label", bound=Hashable)


def rows_by_label(labels: Iterable[Label]) -> dict[Label, list[int]]:
    """Positions of each label, the labels in the order of their first appearance."""
    rows: dict[Label, list[int]] = {}
    for k, label in enumerate(labels):
        rows.setdefault(label, []).append(k)
    return rows
