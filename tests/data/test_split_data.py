"""Labels that can be learned, the shares to validate and test on, and tags in their schemes."""

from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.errors import ConfigError, DataError

TEXTS = [f"It rained for {k} hours." for k in range(40)]


def csv_file(folder: Path, labels: list[str], name: str = "a.csv") -> str:
    (folder / name).write_text(
        "text,label\n" + "".join(f"{t},{y}\n" for t, y in zip(TEXTS, labels, strict=False))
    )
    return str(folder / name)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            ["same"] * 40,
            (
                r"a\.csv: expected two labels or more, found 'same': is label_column the right"
                r" column\?"
            ),
        ),
        (
            [f"w{k}" for k in range(40)],
            "40 different labels in 40 rows, such as 'w0', .* nearly all differ, and nothing can",
        ),
        (
            [f"{k / 7:.3f}" for k in range(40)],
            r"40 different numbers as labels, from 0 to 5\.571: numbers on a scale",
        ),
    ],
)
def test_classes(tmp_path: Path, labels: list[str], message: str):
    with pytest.raises(DataError, match=message):
        ClassificationData(csv_file(tmp_path, labels)).setup()


def test_tags(tmp_path: Path):
    file = tmp_path / "a.conll"
    file.write_text("".join(f"word{k} O\n\n" for k in range(30)))
    with pytest.raises(
        DataError, match=r"a\.conll: every tag is O: there is no entity to learn from"
    ):
        TaggingData(str(file)).setup()
    with pytest.raises(
        DataError, match="expected two tags or more, found 'O': is tag_column the right column"
    ):
        TaggingData(str(file), scheme=None).setup()
    with pytest.raises(
        DataError, match="30 different tags in 30 tokens.* Is tag_column the right column"
    ):
        TaggingData(str(file), scheme=None, token_column=1, tag_column=0).setup()


def test_a_file_goes_before_a_share(tmp_path: Path):
    train, dev = csv_file(tmp_path, ["a", "b"] * 20), csv_file(tmp_path, ["a", "b"] * 3, "dev.csv")
    data = ClassificationData(train, validation=dev, test=dev, validation_share=0.2, test_share=0.2)
    data.setup()
    assert {split: len(rows) for split, rows in data.rows.items()} == {
        "train": 40,
        "validation": 6,
        "test": 6,
    }
    assert (
        f"{train}: texts from “text”, labels from “label”, named by the first line."
        in data.describe()
    )
    assert str(tmp_path) not in data.summary()


def test_widened_spans_are_reported(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text(
        "".join(
            f'{{"text": "{name} slept.", "spans": [[0, 2, "PER"]]}}\n' for name in ("Ada", "Bo")
        )
    )
    data = TaggingData(str(file))
    data.setup()
    assert (
        f"{file}: 1 spans that began or ended inside a word were widened to the word."
        in data.describe()
    )


@pytest.fixture
def csv(tmp_path: Path) -> str:
    """200 texts, 10 % of them rare."""
    file = tmp_path / "a.csv"
    rows = "".join(
        f"It rained for {k} hours.,{'rare' if k % 10 == 0 else 'often'}\n" for k in range(200)
    )
    file.write_text(f"text,label\n{rows}")
    return str(file)


def labels_of(data: ClassificationData, split: str) -> Counter[str]:
    return Counter(label for _, label in data.labelled(split))  # type: ignore[arg-type, misc]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shares_are_stratified_and_nested(csv: str, seed: int):
    found = []
    for share in (0.01, 0.1, 0.5, 1.0):
        data = ClassificationData(
            csv, validation_share=0.2, test_share=0.1, train_share=share, seed=seed
        )
        data.setup()
        assert labels_of(data, "validation") == {"often": 36, "rare": 4}
        assert labels_of(data, "test") == {"often": 18, "rare": 2}
        assert labels_of(data, "train") == {
            "often": max(1, round(126 * share)),
            "rare": max(1, round(14 * share)),
        }
        found.append(set(data.tokens("train")))
    assert all(small < large for small, large in pairwise(found))


IOB1 = (
    "U.N. I-ORG\nwarns O\nEU I-ORG\nIran B-ORG\n\nPeter I-PER\nBlackburn I-PER\nran O\n\nit"
    " O\nrained O\n"
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "train").write_text(IOB1)
    (tmp_path / "dev").write_text("Ann I-PER\nsat O\n\nhere O\n")
    return {"train": str(tmp_path / "train"), "validation": str(tmp_path / "dev")}


def tags_of(data: TaggingData, split: Any = "train") -> list[list[str]]:
    return [[data.labels[k] for k in row.target] for row in data.rows[split]]


def made(**arguments: Any) -> TaggingData:
    data = TaggingData(**arguments)
    data.setup()
    return data


def test_iob1_becomes_bioes_or_bio(files: dict[str, str]):
    data = made(**files, scheme="BIOES")
    assert data.labels == (
        "O",
        "B-ORG",
        "I-ORG",
        "E-ORG",
        "S-ORG",
        "B-PER",
        "I-PER",
        "E-PER",
        "S-PER",
    )
    assert tags_of(data) == [["S-ORG", "O", "S-ORG", "S-ORG"], ["B-PER", "E-PER", "O"], ["O", "O"]]
    assert tags_of(data, "validation") == [["S-PER", "O"], ["O"]]
    data = made(**files)
    assert data.labels == ("O", "B-ORG", "I-ORG", "B-PER", "I-PER")
    assert tags_of(data)[0] == ["B-ORG", "O", "B-ORG", "B-ORG"]
    summary = (
        "train 3 rows, 9 tokens; validation 2 rows, 3 tokens. 5 labels: O, B-ORG, I-ORG, B-PER,"
        " I-PER."
    )
    assert data.summary() == summary


def test_tags_without_a_scheme(tmp_path: Path):
    (tmp_path / "pos").write_text("The DT\ndog NN\n-LRB- -LRB-\n")
    data = made(train=str(tmp_path / "pos"), scheme=None)
    assert data.labels == ("-LRB-", "DT", "NN")
    assert data.tokens("train") == (("The", "dog", "("),)
    assert (
        made(train=str(tmp_path / "pos"), scheme=None, plain_tokens=False).tokens("train")[0][2]
        == "-LRB-"
    )


def test_batches(files: dict[str, str]):
    data = made(**files, batch_size=2)
    rows: list[int] = []
    for batch in data.train_dataloader():
        assert batch.target.dtype == batch.index.dtype == torch.long
        assert batch.target.shape == (len(batch), max(map(len, batch.tokens)))
        for tokens, tags, index in zip(
            batch.tokens, batch.target, batch.index.tolist(), strict=True
        ):
            assert tokens == data.tokens("train")[index]
            assert tuple(tags[: len(tokens)].tolist()) == data.rows["train"][index].target
            assert not tags[len(tokens) :].any()
        rows += batch.index.tolist()
    assert sorted(rows) == [0, 1, 2]


def test_only_training_sentences_are_cut(files: dict[str, str]):
    data = made(**files, max_tokens=1, scheme="BIOES")
    assert tags_of(data) == [
        ["S-ORG"],
        ["S-PER"],
        ["O"],
    ]  # a name that is cut in two is well formed
    assert tags_of(data, "validation") == [["S-PER", "O"], ["O"]]
    assert data.truncated == {"train": 3, "validation": 0}
    assert "Rows cut at 1 tokens: 3 of train." in data.summary()


@pytest.fixture
def hundred(tmp_path: Path) -> str:
    (tmp_path / "train").write_text("\n".join(f"w{k} B-X\n" for k in range(100)))
    return str(tmp_path / "train")


def test_samples_and_shares(hundred: str):
    data = made(train=hundred, limit_train=20, validation_share=0.1)
    train, held_out = set(data.tokens("train")), set(data.tokens("validation"))
    assert (len(train), len(held_out), len(train & held_out)) == (20, 10, 0)
    again, other = (
        made(train=hundred, limit_train=20, validation_share=0.1, seed=k) for k in (1, 2)
    )
    assert again.tokens("train") == data.tokens("train") != other.tokens("train")
    few, more = (
        set(made(train=hundred, train_share=share).tokens("train")) for share in (0.1, 0.4)
    )
    assert (len(few), len(more), few < more) == (10, 40, True)
    with pytest.raises(
        DataError, match=r"a share of 0\.001 of 100 rows leaves nothing to validate on"
    ):
        made(train=hundred, validation_share=0.001)
    with pytest.raises(DataError, match=r"a share of 0\.5 of 100 rows leaves nothing to train on"):
        made(train=hundred, validation_share=0.5, test_share=0.5)


def test_no_sentence_is_in_two_shares(tmp_path: Path):
    # 40 of them come twice
    (tmp_path / "train").write_text("\n".join(f"w{k % 60} B-X\n" for k in range(100)))
    data = made(train=str(tmp_path / "train"), validation_share=0.2, test_share=0.2)
    train, held_out, test = (data.tokens(split) for split in ("train", "validation", "test"))
    for a, b in combinations((train, held_out, test), 2):
        assert not set(a) & set(b)
    assert len(train) + len(held_out) + len(test) == 100  # none is lost
    (tmp_path / "same").write_text("w B-X\n\n" * 10)
    with pytest.raises(DataError, match=r"a share of 0\.2 of 10 rows leaves nothing to train on"):
        made(train=str(tmp_path / "same"), validation_share=0.2)


def test_a_share_to_test_on_is_the_same_for_all_seeds(hundred: str):
    one, two = (made(train=hundred, validation_share=0.1, test_share=0.2, seed=k) for k in (1, 2))
    assert one.tokens("test") == two.tokens("test")
    assert one.tokens("validation") != two.tokens("validation")
    splits = [set(one.tokens(split)) for split in ("train", "validation", "test")]
    assert [len(s) for s in splits] == [70, 10, 20]
    assert len(set.union(*splits)) == 100
    one.setup("test")
    assert one.has("test")
    assert not made(train=hundred, validation_share=0.1).has("test")


@pytest.mark.parametrize(
    ("dev", "arguments", "message"),
    [
        (
            "x I-LOC\n",
            {},
            (
                r"dev: 'LOC': no such entity type in the training data, .*train, which has 'ORG',"
                r" 'PER'"
            ),
        ),
        ("a O\nx B-PER\nb O\n", {}, r"dev: the tags look like BIO, those of .*train like IOB1"),
        (
            "a O\n\nx PER\n",
            {"source_scheme": "IOB1"},
            r"dev, sentence of line 3: token 1: 'PER' is not a tag of the scheme",
        ),
        (
            "x E-PER\n",
            {"source_scheme": "IOB1"},
            r"dev, sentence of line 1: token 1: 'E-PER' is not a tag of the scheme IOB1",
        ),
        (
            "x DT\n",
            {"scheme": None},
            r"dev: 'DT': no such tag in the training data, .*train, which has 'B-ORG', 'I-ORG'",
        ),
    ],
)
def test_wrong_validation_tags(
    files: dict[str, str], dev: str, arguments: dict[str, Any], message: str
):
    Path(files["validation"]).write_text(dev)
    with pytest.raises(DataError, match=message):
        made(**files, **arguments)


def test_no_scheme(files: dict[str, str]):
    Path(files["train"]).write_text("a DT\n")
    with pytest.raises(
        DataError, match=r"'DT' is not a tag .* Set source_scheme to IOB1, .* or scheme to null if"
    ):
        made(**files)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, r"data\.batch_size: expected 1 or more, found 0"),
        ({"limit_train": 0}, r"data\.limit_train: expected 1 or more, found 0"),
        ({"max_tokens": -1}, r"data\.max_tokens: expected 1 or more, found -1"),
        (
            {"validation_share": 1.0},
            r"data\.validation_share: expected a share from 0 to below 1, found 1\.0",
        ),
        ({"train_share": 0.0}, r"data\.train_share: expected a share above 0, up to 1, found 0\.0"),
        ({"train_share": 1.5}, r"data\.train_share: expected a share above 0, up to 1, found 1\.5"),
        ({"scheme": "IOB1"}, r"data\.scheme: expected BIO, BIOES or null, found 'IOB1'"),
        (
            {"scheme": None, "source_scheme": "BIO"},
            r"data\.source_scheme is BIO, but data\.scheme is null",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        TaggingData(train="nothing is read here", **arguments)


def test_stages_read_only_their_splits(files: dict[str, str]):
    data = TaggingData(**files)
    with pytest.raises(ConfigError, match=r"data\.test: nothing to test on"):
        data.setup("test")
    with pytest.raises(ConfigError, match=r"data\.validation: nothing to validate on"):
        TaggingData(train=files["train"]).setup("validate")
    data = TaggingData(train=files["train"], validation="nowhere", test=files["validation"])
    data.setup("test")
    assert [len(batch) for batch in data.test_dataloader()] == [2]
    with pytest.raises(DataError, match="nowhere: no such file"):
        data.setup("fit")
