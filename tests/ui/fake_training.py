"""Training without training: a run is over after a few looks at it, and every question is noted."""

from __future__ import annotations

from dataclasses import replace

from elmo_tasks.api import (
    DatasetPreview,
    SplitScore,
    TrainingEpoch,
    TrainingJob,
    TrainingOffer,
    TrainingPlan,
)
from elmo_tasks.errors import InputError
from elmo_tasks.service.training_settings import check_plan
from elmo_tasks.tasks import TASKS

PREVIEW = DatasetPreview(
    "the sample that comes with the program",
    300,
    100,
    (("negative", 200), ("positive", 200)),
    examples=((("A warm and funny film.",), ("positive",)), (("Two dull hours.",), ("negative",))),
    seconds=14,
    seconds_per_epoch=0.5,
)
EPOCHS = 3
SCORES = (
    SplitScore("test", "accuracy", 0.83, 100, 0.5),
    SplitScore("validation", "accuracy", 0.8, 45, 0.44),
)


def course(epochs: int) -> tuple[TrainingEpoch, ...]:
    start = TrainingEpoch(0, weights=(0.33, 0.34, 0.33), gamma=1.0)
    later = [
        TrainingEpoch(
            k,
            0.7 - 0.1 * k,
            0.69 - 0.08 * k,
            0.5 + 0.1 * k,
            (0.33 - 0.02 * k, 0.34 + 0.03 * k, 0.33),
            1.1,
        )
        for k in range(1, epochs + 1)
    ]
    return (start, *later)


def job(name: str = "first", looks: int = 9, **changes: object) -> TrainingJob:
    """Return a run after this many polls."""
    running = looks <= EPOCHS
    made = TrainingJob(
        name=name,
        title=name.capitalize(),
        task=TASKS["classification"].words,
        data="the sample that comes with the program",
        status="running" if running else "done",
        phase="training" if running else "",
        created=1_700_000_000.0,
        seconds=5.0 * min(looks, 9),
        seconds_left=4.0 if running else None,
        epochs=EPOCHS,
        step=16 * min(looks, EPOCHS),
        steps=16 * EPOCHS,
        losses=tuple((k / 4, 0.7 - 0.02 * k) for k in range(1, 4 * min(looks, EPOCHS))),
        course=course(min(looks, EPOCHS)),
        layers=("0", "1", "2"),
        best_epoch=None if running else EPOCHS,
        scores=() if running else SCORES,
        head=None if running else "fake-sentiment",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


class FakeTraining:
    """The service of the Train tab."""

    allowed = True

    def __init__(self) -> None:
        self.runs: dict[str, int] = {}
        self.stopped: list[str] = []
        self.resumed: list[str] = []
        self.uploads: dict[str, tuple[str, bytes]] = {}
        self.typed: dict[str, str] = {}
        self.kept: list[tuple[str, str]] = []

    def offer(self) -> TrainingOffer:
        hub = (("sst2", "classification", "Film reviews"), ("conll2003", "tagging", "News"))
        return TrainingOffer(self.allowed, hub)

    def store_upload(self, name: str, content: bytes) -> str:
        key = f"upload-{len(self.uploads)}"
        self.uploads[key] = (name, content)
        return key

    def examples(self, kind: str) -> str:
        return self.typed.get(kind, "")

    def store_examples(self, kind: str, text: str) -> None:
        self.typed[kind] = text

    def keep_example(self, kind: str, line: str) -> int:
        self.kept.append((kind, line))
        self.typed[kind] = f"{self.examples(kind)}{line}\n"
        return len(self.typed[kind].splitlines())

    def preview(self, plan: TrainingPlan) -> DatasetPreview:
        if plan.source == "hub":
            return replace(PREVIEW, title=plan.data, rows=0, test_rows=0, labels=(), examples=())
        if plan.source == "sample":
            return PREVIEW
        name, rows = (
            "your examples",
            [line.split(": ", 1) for line in self.examples(plan.kind).splitlines()],
        )
        if plan.source == "upload":
            name, content = self.uploads[plan.data]
            rows = [line.split("\t") for line in content.decode().splitlines()]
        if any(len(row) != 2 for row in rows):
            line = 1 + [len(row) for row in rows].index(1)
            raise InputError(f"{name}, line {line}: expected 2 columns, found 1", field="file")
        preview = replace(
            PREVIEW,
            title=name,
            labels=tuple((label, 1) for label in dict.fromkeys(row[0] for row in rows)),
            examples=tuple(((row[1],), (row[0],)) for row in rows[:4]),
        )
        if plan.source == "examples":
            return preview
        return replace(
            preview,
            columns=("column 1", "column 2"),
            text_column=plan.text_column or "column 2",
            label_column=plan.label_column or "column 1",
            header=bool(plan.header),
        )

    def start(self, plan: TrainingPlan) -> TrainingJob:
        check_plan(plan)
        name = plan.name or f"run-{len(self.runs) + 1}"
        self.runs[name] = 0
        return job(name, 0)

    def resume(self, name: str) -> TrainingJob:
        self.resumed.append(name)
        self.runs[name] = 0
        return job(name, 0)

    def stop(self, name: str) -> TrainingJob:
        self.stopped.append(name)
        self.runs[name] = 99
        return job(name, 99)

    def delete(self, name: str) -> None:
        if name not in self.runs:
            raise InputError(f"There is no run “{name}”.", field="delete")
        del self.runs[name]

    def jobs(self) -> tuple[TrainingJob, ...]:
        for name in self.runs:
            self.runs[name] += 1
        return tuple(job(name, looks) for name, looks in reversed(self.runs.items()))
