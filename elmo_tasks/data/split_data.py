"""Base data module for labelled data: splits read in setup, and their loaders."""

from __future__ import annotations

import hashlib
import inspect
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, Literal, TypeVar

import pytorch_lightning as pl
import torch
from torch.nn.utils.rnn import pad_sequence

from elmo_tasks.data.batches import BatchLoader, RowBatch
from elmo_tasks.data.records import LabelledText, TaggedSentence, content_of
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.tag_schemes import Scheme

Split = Literal["train", "validation", "test"]
RecordT = TypeVar("RecordT", bound=TaggedSentence | LabelledText)
Target = TypeVar("Target")

_SPLITS_OF_STAGE: dict[str | None, tuple[Split, ...]] = {
    None: ("train", "validation", "test"),
    "fit": ("train", "validation"),
    "validate": ("validation",),
    "test": ("test",),
}
_MOST_IN_BOTH = 0.05  #: of the rows; a few short sentences stand in any two files
_VERBS: dict[Split, str] = {"validation": "validate", "test": "test"}


@dataclass(frozen=True)
class InputRow(Generic[Target]):
    """Row as model input: tokens, and a target id or one id per token."""

    tokens: tuple[str, ...]
    target: Target
    #: the tags, where some are not among the labels of the training data
    gold: tuple[str, ...] | None = None


class SplitData(pl.LightningDataModule, ABC, Generic[RecordT, Target]):
    """Labelled rows in up to three splits. No file is read before :meth:`setup`.

    The training split is always read whole, because the labels come from it.

    Args:
        train: file, or split of ``hub``.
        validation: file, or split of ``hub``.
        test: file, or split of ``hub``.
        hub: ``conll2003``, ``sst2``, ``sst5``, ``imdb``, or a hub id; ``train``, ``validation`` and
            ``test`` then name its splits.
        batch_size: rows of a batch, over all processes.
        limit_train: number of rows to train on, drawn by ``seed``.
        validation_share: validate on this share of the training rows, drawn by ``seed`` with the
            labels in the same proportions.
        test_share: test on this share of them; drawn without ``seed``, so that all seeds are tested
            on the same rows. Rows with the same content go into the same split.
        more: further training files, each read in its own format; one that is listed twice counts
            twice. The shares and limits apply to all files together.
        train_share: train on this share of the remaining rows, drawn by ``seed`` with the labels in
            the same proportions; a smaller share is a subset of a larger one.
        max_tokens: number of tokens to read of each text, in every split; tagged sentences are cut
            in training only.
        seed: of the order and of all draws.
    """

    #: name of the kind of task that the rows are for, one of :mod:`elmo_tasks.tasks`
    kind: ClassVar[str]
    #: how tags spell spans; ``None`` for tags without spans, and for rows without tags
    scheme: Scheme | None = None

    def __init__(
        self,
        train: str,
        *,
        validation: str | None = None,
        test: str | None = None,
        hub: str | None = None,
        batch_size: int = 32,
        max_tokens: int | None = None,
        limit_train: int | None = None,
        validation_share: float = 0.0,
        test_share: float = 0.0,
        train_share: float = 1.0,
        seed: int = 1,
        more: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        if more and hub is not None:
            raise ConfigError(
                f"data.more: expected no further files beside the hub data set '{hub}', found"
                f" {len(more)}"
            )
        for name, number in (
            ("batch_size", batch_size),
            ("limit_train", limit_train),
            ("max_tokens", max_tokens),
        ):
            if number is not None and number < 1:
                raise ConfigError(f"data.{name}: expected 1 or more, found {number}")
        for name, share in (("validation_share", validation_share), ("test_share", test_share)):
            if not 0 <= share < 1:
                raise ConfigError(f"data.{name}: expected a share from 0 to below 1, found {share}")
        if not 0 < train_share <= 1:
            raise ConfigError(
                f"data.train_share: expected a share above 0, up to 1, found {train_share}"
            )
        self.sources: dict[Split, str | None] = {
            "train": train,
            "validation": validation,
            "test": test,
        }
        self.more = tuple(more)
        self.hub = hub
        self.batch_size = batch_size
        self.seed = seed
        self.max_tokens = max_tokens
        self.limit_train, self.train_share = limit_train, train_share
        # A given file overrides a share; then no training rows are held out for that split.
        self.shares: dict[Split, float] = {
            "test": 0.0 if test is not None else test_share,
            "validation": 0.0 if validation is not None else validation_share,
        }
        self.notes: list[str] = []
        self.rows: dict[Split, list[InputRow[Target]]] = {}
        self.truncated: dict[Split, int] = {}
        self.ids: dict[str, int] = {}  # of the labels, after setup
        self._loader: BatchLoader[RowBatch] | None = None
        self._position: dict[str, Any] = {"epoch": 0, "next_batch": 0}

    @abstractmethod
    def read(self, split: Split, source: str) -> list[RecordT]:
        """Read a file, or a split of the hub data set."""

    @abstractmethod
    def learn_labels(self, records: Sequence[RecordT]) -> Sequence[str]:
        """Return the labels of the training rows."""

    @abstractmethod
    def make_rows(self, split: Split, records: Sequence[RecordT]) -> list[InputRow[Target]]:
        """Convert rows to tokens and ids; count truncations in ``truncated``."""

    def collate(self, split: Split, rows: Sequence[int]) -> RowBatch:
        """Collate rows into one batch."""
        chosen = [self.rows[split][k] for k in rows]
        targets = [torch.tensor(row.target) for row in chosen]
        target = (
            pad_sequence(targets, batch_first=True) if targets[0].dim() else torch.stack(targets)
        )
        return RowBatch(tuple(row.tokens for row in chosen), target, torch.tensor(rows))

    def setup(self, stage: str | None = None) -> None:
        """Read the splits that this stage needs, each once."""
        for split, verb in _VERBS.items():
            if stage == verb and not self.has(split):
                raise ConfigError(
                    f"data.{split}: nothing to {verb} on; give a file, or data.{split}_share"
                )
        if not self.ids:
            self._read_train()
        for split in _SPLITS_OF_STAGE.get(stage, ()):
            source = self.sources[split]
            if split not in self.rows and source is not None:
                self.rows[split] = self.make_rows(split, self.read(split, source))
                self._note_overlap(split, self.rows[split])

    def check_split(self, split: Split) -> None:
        """Validate a split that is needed later, after :meth:`setup`, without keeping it."""
        source = self.sources[split]
        if source is None or split in self.rows:
            return
        trial = copy(self)
        trial.notes, trial.truncated = [], {}
        try:
            self._note_overlap(split, trial.make_rows(split, trial.read(split, source)))
        except DataError as error:
            advice = f"Where it belongs to other data, leave it out: --data.init_args.{split} null"
            raise DataError(f"{error}. {advice}") from None

    def _note_overlap(self, split: Split, rows: Sequence[InputRow[Target]]) -> None:
        """Note that a good part of the rows to score on are training rows, too."""
        learned = {row.tokens for row in self.rows.get("train", ())}
        number = sum(row.tokens in learned for row in rows)
        if number > _MOST_IN_BOTH * len(rows):
            self.notes.append(
                f"{self.name_of(split)}: {number:,} OF {len(rows):,} ROWS ARE IN THE TRAINING DATA,"
                " TOO: the scores will be better than on new rows."
            )

    def _read_train(self) -> None:
        source = self.sources["train"]
        assert source is not None
        records = [record for file in (source, *self.more) for record in self.read("train", file)]
        self.take_labels(self.learn_labels(records))
        # A text has the stratum of its label; sentences are in one stratum.
        strata = [record.label if isinstance(record, LabelledText) else "" for record in records]
        rest = list(range(len(records)))
        draws: list[tuple[Split, int]] = [("test", 0)] if self.shares["test"] else []
        for split, seed in [*draws, ("validation", self.seed)]:
            share = self.shares[split]
            # Drawn also without a share: this is the order of the training rows.
            order = torch.randperm(
                len(rest), generator=torch.Generator().manual_seed(seed)
            ).tolist()
            rest = [rest[k] for k in order]
            if not share:
                continue
            size = round(len(records) * share)
            by_content: dict[str | tuple[str, ...], list[int]] = {}
            for k in rest if size else []:
                by_content.setdefault(content_of(records[k]), []).append(k)
            drawn: set[int] = set()
            left = _quotas([strata[k] for k in rest], size)
            for rows in by_content.values():
                stratum = strata[rows[0]]
                if left[stratum] > 0:
                    drawn.update(rows)
                    left[stratum] -= len(rows)
            if not 0 < len(drawn) < len(rest):
                raise DataError(
                    f"{self.name_of('train')}: a share of {share} of {len(records)} rows leaves"
                    f" nothing to {'train' if size else _VERBS[split]} on"
                )
            self.rows[split] = self.make_rows(split, [records[k] for k in sorted(drawn)])
            rest = [k for k in rest if k not in drawn]
        if self.train_share < 1:
            rest = _subsample(rest, strata, self.train_share)
        self.rows["train"] = self.make_rows(
            "train", [records[k] for k in sorted(rest[: self.limit_train])]
        )

    def has(self, split: Split) -> bool:
        """Check if a split exists: given directly, or drawn from the training rows."""
        return self.sources[split] is not None or bool(self.shares.get(split))

    def name_of(self, split: Split) -> str:
        """Return the name of a split in messages."""
        source = self.sources[split]
        if self.hub is not None:
            return f"{self.hub}, split '{source}'"
        return (
            " + ".join([str(source), *dict.fromkeys(self.more)])
            if split == "train"
            else str(source)
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Names by id, after :meth:`setup`."""
        assert self.ids, "call setup first"
        return tuple(self.ids)

    def tokens(self, split: Split) -> tuple[tuple[str, ...], ...]:
        """Return the tokens of every row of a split, by the ``index`` of a batch."""
        return tuple(row.tokens for row in self.rows[split])

    def labelled(self, split: Split) -> list[tuple[tuple[str, ...], str | tuple[str, ...]]]:
        """Return the tokens and label names of the rows of a split."""
        tokens = self.tokens(split)
        return list(zip(tokens, self.gold(split, range(len(tokens))), strict=True))

    def gold(self, split: Split, rows: Iterable[int]) -> list[str | tuple[str, ...]]:
        """Return the label names of some rows of a split."""
        names = self.labels

        def named(row: InputRow[Target]) -> str | tuple[str, ...]:
            if row.gold is not None:
                return row.gold
            target: Any = row.target
            return names[target] if isinstance(target, int) else tuple(names[k] for k in target)

        return [named(self.rows[split][k]) for k in rows]

    def reading(self) -> dict[str, Any]:
        """Settings for reading other files the same way, without file names and sampling."""
        about_the_run = {*inspect.signature(SplitData).parameters, "phrases", "lower_case"} - {
            "max_tokens"
        }
        return {
            name: value
            for name, value in self.hparams.items()
            if name not in about_the_run and name[0] != "_"
        }

    def take_labels(self, labels: Sequence[str]) -> None:
        """Use the labels of a trained head, without reading the training split."""
        self.ids = {label: k for k, label in enumerate(labels)}

    def made_of(self) -> dict[str, str]:
        """Return the properties that a resumed run must share with the run of its checkpoint."""
        digest = hashlib.sha256(
            repr([self.labels, self.rows["train"]]).encode("utf-8", "surrogatepass")
        ).hexdigest()
        return {
            "the training rows": digest[:12],
            "data.batch_size": str(self.batch_size),
            "data.seed": str(self.seed),
        }

    def summary(self) -> str:
        """Summarize the data in one paragraph."""
        parts = [
            f"{split} {len(rows):,} rows, {sum(len(row.tokens) for row in rows):,} tokens"
            for split, rows in sorted(
                self.rows.items(), key=lambda item: list(self.sources).index(item[0])
            )
        ]
        cut = [f"{number:,} of {split}" for split, number in self.truncated.items() if number]
        cut_text = f" Rows cut at {self.max_tokens} tokens: {', '.join(cut)}." if cut else ""
        return f"{'; '.join(parts)}. {len(self.labels)} labels: {', '.join(self.labels)}.{cut_text}"

    def describe(self) -> str:
        """Summarize the data and how they were read, for the start of a run."""
        return "\n".join([self.summary(), *self.notes])

    def _loader_of(self, split: Split, shuffle: bool) -> BatchLoader[RowBatch]:
        rank, world = (
            (self.trainer.global_rank, self.trainer.world_size) if self.trainer else (0, 1)
        )
        lengths = [len(row.tokens) for row in self.rows[split]]
        return BatchLoader(
            lengths=lengths,
            batch_size=self.batch_size,
            collate=partial(self.collate, split),
            shuffle=shuffle,
            seed=self.seed,
            rank=rank,
            world_size=world,
        )

    def train_dataloader(self) -> BatchLoader[RowBatch]:
        """Return shuffled batches; each process takes its share of each."""
        self._loader = self._loader_of("train", shuffle=True)
        self._loader.load_state_dict(self._position)
        return self._loader

    def val_dataloader(self) -> BatchLoader[RowBatch] | list[Any]:
        """Return batches by length, if there are any; each process takes its share."""
        return self._loader_of("validation", shuffle=False) if "validation" in self.rows else []

    def test_dataloader(self) -> BatchLoader[RowBatch]:
        """Return batches by length; each process takes its share."""
        return self._loader_of("test", shuffle=False)

    def state_dict(self) -> dict[str, Any]:
        """Return the position of training within its epoch."""
        return {"batches": self._loader.state_dict() if self._loader else self._position}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the position of training within its epoch."""
        self._position = state_dict["batches"]


def shared(tokens: Iterable[str]) -> tuple[str, ...]:
    """Intern tokens, which saves memory: a long text has few distinct words."""
    return tuple(sys.intern(token) for token in tokens)


def _subsample(order: Sequence[int], strata: Sequence[str], share: float) -> list[int]:
    """Take the first share of each stratum, at least one row, so that shares are nested."""
    by_stratum: dict[str, list[int]] = {}
    for k in order:
        by_stratum.setdefault(strata[k], []).append(k)
    taken = {k for rows in by_stratum.values() for k in rows[: max(1, round(len(rows) * share))]}
    return [k for k in order if k in taken]


def _quotas(strata: Sequence[str], size: int) -> dict[str, int]:
    """Allocate ``size`` rows to the strata in proportion (largest remainders)."""
    exact = {stratum: number * size / len(strata) for stratum, number in Counter(strata).items()}
    allocated = {stratum: int(number) for stratum, number in exact.items()}
    by_remainder = sorted(exact, key=lambda stratum: (allocated[stratum] - exact[stratum], stratum))
    for stratum in by_remainder[: size - sum(allocated.values())]:
        allocated[stratum] += 1
    return allocated
