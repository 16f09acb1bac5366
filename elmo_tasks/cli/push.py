"""``model push``: a head or a biLM to the Hugging Face hub, with a model card."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elmo_tasks.errors import ConfigError
from elmo_tasks.files import read_json
from elmo_tasks.weights import hub
from elmo_tasks.weights.folders import CARD_NAME

#: Folder of a head's encoder that is pushed along.
_ENCODER = "encoder"
_KINDS = {"head.json": "head", "options.json": "biLM", "words.txt.xz": "static vectors"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="folder of a head, a biLM or static vectors")
    parser.add_argument(
        "address", metavar="hub:OWNER/NAME", help="where to push it; created if it does not exist"
    )
    text = "push the encoder of a head along (default: only if it is not a bundled one)"
    parser.add_argument("--with-encoder", action="store_true", help=text)
    parser.add_argument("--private", action="store_true", help="a new repository is private")
    parser.set_defaults(action=run)


def run(args: argparse.Namespace) -> int:
    """Copy the files to push, write the card, and upload them."""
    folder = args.folder
    if not folder.is_dir() and (found := _bundled(folder)) is not None:
        folder = found
    if (folder / "head" / "head.json").is_file():  # the folder of a run
        folder = folder / "head"
    kind = next((kind for name, kind in _KINDS.items() if (folder / name).is_file()), None)
    if kind is None:
        raise ConfigError(
            f"{folder}: expected a folder with {', '.join(_KINDS)}, as training leaves it"
        )
    hub.parse_address(args.address)
    with hub.temporary_folder() as copy:
        for path in folder.iterdir():
            if path.is_file() and path.name != "README.md" and not path.name.startswith("."):
                shutil.copyfile(path, copy / path.name)
        if kind == "head":
            _add_encoder(folder, copy, always=args.with_encoder)
        (copy / "README.md").write_text(model_card(folder, kind, args.address), encoding="utf-8")
        print(hub.upload(copy, args.address, args.private))
    return 0


def _bundled(name: Path) -> Path | None:
    from elmo_tasks.bundled import CHECKPOINTS

    place = CHECKPOINTS / name
    return place if len(name.parts) == 1 and place.is_dir() else None


def _add_encoder(folder: Path, copy: Path, *, always: bool) -> None:
    """Copy a head's encoder beside it, where loading the head finds it by its checksum."""
    from elmo_tasks.bilm.model_files import bundled_models
    from elmo_tasks.encoders.transformer_files import is_transformer
    from elmo_tasks.heads.head_files import find_head
    from elmo_tasks.prediction import resolve_source

    files = find_head(folder)
    if is_transformer(files.encoder.name) or (
        files.encoder.name in bundled_models() and not always
    ):
        return
    from elmo_tasks.encoders import find

    source = find(resolve_source(files, "encoder")).folder
    if source is not None:
        shutil.copytree(source, copy / _ENCODER, ignore=shutil.ignore_patterns(".*", "README.md"))


def model_card(folder: Path, kind: str, address: str) -> str:
    """Return the model card in Markdown, made from ``card.json`` and ``head.json``."""
    card: Mapping[str, Any] = (
        read_json(folder / CARD_NAME) if (folder / CARD_NAME).is_file() else {}
    )
    title = str(card.get("title") or address.rpartition("/")[2])
    tags = ["elmo", "elmo-tasks", kind.replace(" ", "-").lower()]
    front = [
        "---",
        "library_name: elmo-tasks",
        "language: en",
        "tags:",
        *(f"- {tag}" for tag in tags),
        "---",
    ]
    parts = ["\n".join(front), f"# {title}"]
    if card.get("data"):
        parts.append(f"Trained on: {card['data']}.")
    if card.get("licence"):
        parts.append(f"Licence: {card['licence']}.")
    if sources := card.get("sources"):
        rows = [
            f"- {source.get('what', '')}: {source.get('licence', '')}"
            for source in sources
            if isinstance(source, dict)
        ]
        parts.append("Text and licences:\n\n" + "\n".join(rows))
    if kind == "head":
        parts += _of_head(folder, card)
        use = (
            f'from elmo_tasks import load_head\n\nhead = load_head("{address}")\nhead.predict(["Ada'
            ' flew to Oslo."])'
        )
    else:
        use = f'from elmo_tasks import Elmo\n\nelmo = Elmo.load("{address}")'
    parts.append(f"```python\n{use}\n```")
    parts.append("A commit, tag or branch can be named: `" + address + "@REVISION`.")
    return "\n\n".join(parts) + "\n"


def _of_head(folder: Path, card: Mapping[str, Any]) -> list[str]:
    config = read_json(folder / "head.json")
    encoder = config["encoder"]
    parts = [
        f"It reads the encoder `{encoder['name']}` (SHA-256 of its weights:"
        f" `{encoder['checksum']}`), and no other."
    ]
    rows = [
        f"| {split} | {name} | {value:.4g} |"
        for split, scores in (card.get("scores") or {}).items()
        if isinstance(scores, dict)
        for name, value in scores.items()
        if isinstance(value, float | int) and not isinstance(value, bool)
    ]
    if rows:
        parts.append("| Split | Score | |\n|---|---|---:|\n" + "\n".join(rows))
    epochs = (card.get("layer_weights") or {}).get("epochs") or []
    best = card.get("training", {}).get("best_epoch")
    last = epochs[-1] if epochs else None
    chosen = next((row for row in epochs if row.get("epoch") == best), last)
    if chosen:
        parts.append(
            "Weights of the layers in its mix: "
            + ", ".join(f"{weight:.2f}" for weight in chosen["weights"])
            + "."
        )
    parts.append("Labels: " + json.dumps(config["task"]["labels"], ensure_ascii=False))
    return parts
