"""What a model's card says of it, in sentences for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def told(folder: Path | None) -> tuple[str, ...]:
    """How a model was trained, and on what; nothing if it has no card, or a card that says nothing of it."""
    if folder is None:
        return ()
    try:
        card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    if not isinstance(card, dict):
        return ()
    sentences = []
    tasks = _texts(card.get("learned_from"))
    if tasks:
        sentences.append(f"It was trained to predict {'; and '.join(tasks)}.")
    training = card.get("training")
    positions = training.get("positions") if isinstance(training, dict) else None
    if isinstance(positions, int) and positions > 0:
        config = card.get("config")
        start = config.get("start_from") if isinstance(config, dict) and "parts" not in (training or {}) else None
        read = f"read {positions / 1e6:.1f} million words and sentence ends, forwards and backwards."
        sentences.append(
            f"It went on from {Path(start).name} and {read}" if isinstance(start, str) else f"It has {read}"
        )
        if alone := _language_model_alone(training, len(tasks)):
            sentences.append(f"The first {alone / 1e6:.1f} million of them taught it only the first of these tasks.")
    sources = card.get("sources")
    if names := _texts([s.get("what") for s in sources if isinstance(s, dict)] if isinstance(sources, list) else None):
        sentences.append(f"Its text comes from: {'; '.join(dict.fromkeys(names))}.")
    return tuple(sentences)


def _language_model_alone(training: Any, n_tasks: int) -> int:
    """Positions of the first part of a training, if that part had one task and the whole has more; else 0."""
    parts = training.get("parts")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], dict) else {}
    positions = first.get("positions")
    one_of_more = len(_texts(first.get("learned_from"))) == 1 < n_tasks
    return positions if one_of_more and isinstance(positions, int) else 0


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
