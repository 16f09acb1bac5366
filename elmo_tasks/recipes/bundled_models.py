"""Recipe: rebuild the bundled models that no longer match their inputs.

    python -m elmo_tasks.recipes.bundled_models            # names what is stale
    python -m elmo_tasks.recipes.bundled_models --run      # makes it again, in order: hours

``make bundled`` calls it. ``checkpoints/made_from.json`` keeps a checksum of the inputs of each
step. A step is stale when the checksum of its inputs has changed, or when an earlier step that it
reads from is stale.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.bundled import CHECKPOINTS, ROOT
from elmo_tasks.errors import DataError
from elmo_tasks.files import atomic_write

MADE_FROM = CHECKPOINTS / "made_from.json"
_MODEL = "checkpoints/elmo-mini"
_BILM = (f"{_MODEL}/bilm*", f"{_MODEL}/options.json", f"{_MODEL}/vocabulary*")
_DICTIONARY = ("elmo_tasks/senses/lexicon/*.txt", "elmo_tasks/senses/one_meaning.txt")
_STATIC = ("checkpoints/static-joint/vectors*",)


@dataclass(frozen=True)
class BuildStep:
    """One part of the bundled models: its inputs and its commands."""

    name: str
    inputs: tuple[str, ...]  #: patterns below the project's folder
    commands: tuple[tuple[str, ...], ...]  #: arguments of Python
    after: tuple[str, ...] = ()  #: steps whose result it reads
    needs: tuple[str, ...] = ()  #: files that are not in the project
    copied: tuple[str, str] | None = None  #: a folder that is made, and its place


def _head(
    name: str, *settings: str, config: str = "", data: str = "", calibrated_on: str = ""
) -> BuildStep:
    """Describe a bundled head, which ``fit`` trains from a configuration."""
    config = config or name
    own = (f"elmo_tasks/data/{data}/*",) if data else ()
    fit = ("-m", "elmo_tasks", "fit", "--config", config, "--run_dir", f"runs/{name}")
    commands: list[tuple[str, ...]] = [(*fit, "--overwrite", *settings)]
    if calibrated_on:
        of_run = ("--head", f"runs/{name}/head", "--data", calibrated_on)
        commands.append(("-m", "elmo_tasks", "calibrate", *of_run))
    return BuildStep(
        name=f"head {name}",
        inputs=(*_BILM, *_STATIC, f"lightning_configs/{config}.yaml", *own),
        commands=tuple(commands),
        needs=("../shared/data",),
        copied=(f"runs/{name}/head", f"checkpoints/{name}"),
    )


# For heads that read each word without its context: layer 0 alone, and no LSTM above it.
_WITHOUT_CONTEXT = (
    "--model.init_args.head.init_args.fixed_weights=[1,0,0]",
    "--model.init_args.head.init_args.lstm_hidden=0",
)
_VALIDATION = "elmo_tasks/data/sentiment/validation.tsv"
STEPS = (
    BuildStep(
        name="cloze head",
        inputs=(*_BILM, "lightning_configs/cloze_mini.yaml"),
        commands=(("-m", "elmo_tasks", "fit", "--config", "cloze_mini", "--overwrite"),),
        needs=("../shared/data/corpus",),
    ),
    _head("pos"),
    BuildStep(
        name="meanings",
        inputs=(*_BILM, *_DICTIONARY, f"{_MODEL}/cloze.safetensors", *_STATIC),
        commands=(
            ("-m", "elmo_tasks", "calibrate", "--beside"),
            ("-m", "elmo_tasks", "model", "checksums", _MODEL),
        ),
        after=("cloze head", "head pos"),
    ),
    BuildStep(
        name="words of meanings",
        inputs=(*_DICTIONARY, *_STATIC),
        commands=(
            ("-m", "elmo_tasks.recipes.meaning_words"),
            ("-m", "elmo_tasks", "model", "checksums", "checkpoints/static-joint"),
        ),
    ),
    BuildStep(
        name="frequencies of meanings",
        inputs=(f"{_MODEL}/meanings.*",),
        commands=(
            (
                *("-m", "elmo_tasks.service.meaning_frequencies"),
                *("--text", "../shared/data/corpus/wiki_simplewiki*"),
            ),
        ),
        after=("meanings",),
        needs=("../shared/data/corpus",),
    ),
    BuildStep(
        name="probes",
        inputs=_BILM,
        commands=(
            (
                *("-m", "elmo_tasks", "evaluate", "--probes", "--model", "elmo-mini"),
                *("--data", "../shared/data", "--out", f"{_MODEL}/probe.json"),
            ),
        ),
        needs=("../shared/data",),
    ),
    _head("ner", data="names"),
    _head("ner-layer0", *_WITHOUT_CONTEXT, config="ner", data="names"),
    _head("sentiment", data="sentiment", calibrated_on=_VALIDATION),
    _head(
        "sentiment-layer0",
        *_WITHOUT_CONTEXT,
        "--model.init_args.head.init_args.pooling=mean",
        config="sentiment",
        data="sentiment",
        calibrated_on=_VALIDATION,
    ),
    BuildStep(
        name="pictures",
        inputs=(f"{_MODEL}/*.json", "checkpoints/*/head.json", "elmo_tasks/ui/**/*"),
        commands=(("docs/screenshots.py",),),
        after=("meanings", "head ner", "head sentiment"),
    ),
)


def checksum(patterns: Sequence[str], root: Path = ROOT) -> str:
    """Return the SHA-256 of all files of some patterns, names included."""
    digest = hashlib.sha256()
    for pattern in patterns:
        for path in sorted(path for path in root.glob(pattern) if path.is_file()):
            if "__pycache__" not in path.parts:
                digest.update(path.relative_to(root).as_posix().encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def stale(
    steps: Sequence[BuildStep], made_from: Mapping[str, str], root: Path = ROOT
) -> list[BuildStep]:
    """Return the steps whose inputs have changed, and those that read from one of them."""
    found: dict[str, BuildStep] = {}
    for step in steps:
        is_changed = made_from.get(step.name) != checksum(step.inputs, root)
        if is_changed or any(name in found for name in step.after):
            found[step.name] = step
    return list(found.values())


def make(step: BuildStep, root: Path = ROOT) -> None:
    """Run the commands of a step; DataError if a file that it needs is missing."""
    for need in step.needs:
        if not (root / need).exists():
            raise DataError(f"{step.name}: expected {need}, which is not part of the project")
    for command in step.commands:
        subprocess.run([sys.executable, *command], cwd=root, check=True)
    if step.copied is not None:
        source, target = (root / part for part in step.copied)
        shutil.copytree(source, target, dirs_exist_ok=True)


def main() -> None:
    """Name the stale steps; with ``--run``, make them again one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", action="store_true", help="rebuild the stale parts")
    parser.add_argument(
        "--accept",
        action="store_true",
        help="write the present checksums: all parts were made from the present inputs",
    )
    args = parser.parse_args()
    made_from = json.loads(MADE_FROM.read_text()) if MADE_FROM.exists() else {}
    todo = stale(STEPS, made_from)
    for step in todo:
        print(f"stale: {step.name}")
        if args.run:
            make(step)
        if args.run or args.accept:
            made_from[step.name] = checksum(step.inputs)
            atomic_write(MADE_FROM, json.dumps(made_from, indent=1) + "\n")
    if not todo:
        print("All bundled models fit their inputs.")


if __name__ == "__main__":
    main()
