"""What is said of trained heads."""

from __future__ import annotations

from elmo_tasks.wording.text import number, percent


def score_line(metric: str, value: float, data: str) -> str:
    """``F1 0.87 on CoNLL-2003 test``."""
    return f"{metric} {value:.2f} on {data}"


def score_text(metric: str, value: float) -> str:
    """A score as people read it: accuracy in percent, F1 as it is."""
    return percent(value) if metric == "accuracy" else number(value)
