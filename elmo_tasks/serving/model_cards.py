"""What a model's card says of it, in sentences for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from elmo_tasks.bilm.model_files import ModelFiles


def told(files: ModelFiles) -> tuple[str, ...]:
    """How a model was trained, and on what; nothing if it has no card, or a card that says nothing of it."""
    try:
        card = json.loads((files.folder / "card.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    if not isinstance(card, dict):
        return ()
    sentences = []
    if tasks := _texts(card.get("learned_from")):
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
    sources = card.get("sources")
    if names := _texts([s.get("what") for s in sources if isinstance(s, dict)] if isinstance(sources, list) else None):
        sentences.append(f"Its text comes from: {'; '.join(dict.fromkeys(names))}.")
    return tuple(sentences)


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
