"""How long a run is going to take, roughly: from its size, corrected by how long earlier runs took on this machine."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from elmo_tasks.api import DataLook
from elmo_tasks.tasks.kinds import kind_of

#: Seconds to begin and to score; measured as :class:`elmo_tasks.tasks.kind.Cost` was.
START = 14.0
_HUB_ROWS = 6_000
_RECENT = 5


def estimate(look: DataLook, kind: str, factor: float = 1.0) -> DataLook:
    """The look with its times.

    Args:
        look: the data.
        kind: of the task.
        factor: see :func:`pace`.
    """
    rows, cost = look.rows or _HUB_ROWS, kind_of(kind).cost
    return replace(
        look,
        seconds=round(factor * (START + cost.read * (rows + look.test_rows)), 1),
        seconds_per_epoch=round(factor * cost.epoch * rows, 3),
    )


def pace(earlier: Sequence[dict[str, Any]]) -> float:
    """How much longer the last finished runs took than their size alone says, within reason.

    Args:
        earlier: states of earlier runs.
    """
    done = sorted((s for s in earlier if s.get("status") == "done"), key=lambda s: -float(s["created"]))[:_RECENT]
    ratios = [
        (s["ended"] - s["started"]) / (s["estimate"] / s.get("pace", 1.0))
        for s in done
        if s.get("estimate") and s.get("ended") and s.get("started")
    ]
    return min(8.0, max(0.2, statistics.median(ratios))) if ratios else 1.0
