from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ModelCheckpoint
from torch import Tensor

from elmo_tasks.data.classification import ClassificationData, tokens_of
from elmo_tasks.errors import ConfigError, DataError

BY_PLACE: dict[str, Any] = {"text_column": 1, "label_column": 0}


class NotesRows(pl.LightningModule):
    """The least that Lightning trains: it notes which rows it saw."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen: list[list[int]] = []
        self.validated: list[int] = []

    def training_step(self, batch: Any, batch_idx: int) -> Tensor:
        self.seen.append(batch.index.tolist())
        return self.weight.sum()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.validated += batch.index.tolist()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def trainer(folder: Path, **arguments: Any) -> pl.Trainer:
    quiet = {
        "logger": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "enable_checkpointing": False,
    }
    return pl.Trainer(
        accelerator="cpu", default_root_dir=folder, num_sanity_val_steps=0, **(quiet | arguments)
    )


@pytest.fixture
def train(tmp_path: Path) -> str:
    file = tmp_path / "train.tsv"
    file.write_text(
        "".join(f"{k % 2}\tIt's film number {'very ' * (k % 5)}{k}.\n" for k in range(40))
    )
    return str(file)


def made(**arguments: Any) -> ClassificationData:
    data = ClassificationData(**arguments)
    data.setup()
    return data


def test_text_is_tokenized(train: str):
    data = made(train=train, **BY_PLACE)
    assert data.labels == ("0", "1")
    assert data.tokens("train")[0] == ("It", "'s", "film", "number", "0", ".")
    batches = list(data.train_dataloader())
    assert sorted(index for batch in batches for index in batch.index.tolist()) == list(range(40))
    for batch in batches:
        assert batch.target.dtype == torch.long
        assert batch.tokens == tuple(data.tokens("train")[k] for k in batch.index)
        assert batch.target.tolist() == [k % 2 for k in batch.index.tolist()]
        assert batch.to("cpu").tokens == batch.tokens
    assert data.val_dataloader() == []


def test_tokens():
    assert tokens_of("wo n't -LRB- 2\u00a01/2 ``", pretokenized=True) == [
        "wo",
        "n't",
        "(",
        "2\u00a01/2",
        '"',
    ]
    assert tokens_of("wo n't -LRB-", pretokenized=True, plain_tokens=False) == [
        "wo",
        "n't",
        "-LRB-",
    ]
    assert tokens_of("won't", pretokenized=False) == ["wo", "n't"]


def test_long_texts_are_cut_and_counted(train: str):
    data = made(train=train, test=train, max_tokens=7, **BY_PLACE)
    assert max(len(tokens) for tokens in data.tokens("test")) == 7
    assert data.truncated == {"train": 24, "test": 24}
    assert "Rows cut at 7 tokens: 24 of train, 24 of test." in data.summary()


def test_label_names_order_merge_and_leave_out(tmp_path: Path):
    file = tmp_path / "trees.txt"
    file.write_text("(3 (2 It) (4 works))\n(0 (2 It) (1 fails))\n(2 (2 It) (2 is))\n")
    names = {"4": "positive", "3": "positive", "2": None, "1": "negative", "0": "negative"}
    given = {"file_format": "trees", "phrases": True, "pretokenized": True, "label_names": names}
    data = made(train=str(file), test=str(file), **given)
    assert data.labels == ("positive", "negative")
    expected = {
        "works": "positive",
        "It works": "positive",
        "fails": "negative",
        "It fails": "negative",
    }
    assert [(" ".join(row.tokens), data.labels[row.target]) for row in data.rows["train"]] == [
        *expected.items()
    ]
    assert [" ".join(tokens) for tokens in data.tokens("test")] == ["It works", "It fails"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label_names": {"0": "negative"}}, r"train\.tsv: label_names says nothing about '1'"),
        (
            {"label_names": {"0": "a", "1": "b", "2": "c"}},
            r"train\.tsv: label_names has 'c', but no training row has it",
        ),
        (
            {"label_names": {"0": "a", "1": "a"}},
            r"expected two labels or more, found 'a': is label_column the right column",
        ),
        ({"label_names": {"0": None, "1": None}}, r"expected two labels or more, found none"),
        (
            {"validation": "dev.tsv"},
            r"dev\.tsv: 'neutral': no such label in the training data, .*train\.tsv, which has '0'",
        ),
    ],
)
def test_wrong_labels(
    train: str, arguments: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(Path(train).parent)
    Path("dev.tsv").write_text("neutral\tso so\n0\tbad\n")
    with pytest.raises(DataError, match=message):
        made(train=train, **BY_PLACE, **arguments)


def test_phrases_and_shares_do_not_mix():
    for share in ("validation_share", "test_share"):
        with pytest.raises(
            ConfigError, match=f"data.{share} would score on pieces of training sentences"
        ):
            ClassificationData(train="x", phrases=True, **{share: 0.1})
    with pytest.raises(
        ConfigError, match=r"data\.phrases needs files of trees; the hub data set 'sst2' has none"
    ):
        ClassificationData(train="train", hub="sst2", phrases=True)


def test_lightning_gives_each_epoch_its_order_and_resumes_within_one(train: str, tmp_path: Path):
    def data() -> ClassificationData:
        return ClassificationData(train=train, validation=train, batch_size=8, **BY_PLACE)

    whole = NotesRows()
    trainer(tmp_path, max_epochs=2).fit(whole, data())
    assert len(whole.seen) == 10
    assert sorted(row for batch in whole.seen[:5] for row in batch) == list(range(40))
    assert whole.seen[:5] != whole.seen[5:]
    assert whole.validated == whole.validated[:40] * 2

    keep = ModelCheckpoint(
        dirpath=tmp_path, filename="{step}", every_n_train_steps=1, save_top_k=-1
    )
    trainer(tmp_path, max_epochs=2, callbacks=[keep], enable_checkpointing=True).fit(
        NotesRows(), data()
    )
    for step in (3, 5, 7):
        rest = NotesRows()
        trainer(tmp_path, max_epochs=2).fit(
            rest, data(), ckpt_path=str(tmp_path / f"step={step}.ckpt")
        )
        assert rest.seen == whole.seen[step:]
