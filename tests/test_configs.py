"""Every configuration in lightning_configs/ is built, and runs for one batch."""

import lzma
from pathlib import Path
from typing import Any

import pytest
import yaml

from elmo_tasks.__main__ import main
from elmo_tasks.heads.head_files import find_head

REPOSITORY = Path(__file__).resolve().parents[1]
CONFIGS = sorted((REPOSITORY / "lightning_configs").glob("*.yaml"))
TEXT = (
    "The kettle sang in our old house .\nNobody heard it because the rain was much louder than five"
    " singing birds .\n" * 60
)


def test_each_configuration_is_of_a_tested_kind():
    assert {config.stem.split("_")[0] for config in CONFIGS} == {
        "bilm",
        "cloze",
        "ner",
        "pos",
        "sentiment",
        "char",
    }


LANGUAGE = {  # settings of the data, stages, and what the last one prints
    "bilm": (
        {"held_out": "text.txt", "held_out_index": None, "batch_size": 2},
        ("fit", "validate", "test"),
        "forward_perplexity",
    ),
    "char": ({"batch_size": 4, "held_out_share": 0.5}, ("fit", "validate"), "val_cosine"),
    "cloze": (
        {"held_out": "text.txt", "held_out_index": None},
        ("fit", "validate"),
        "val_first_ten",
    ),
}


@pytest.mark.ci
@pytest.mark.parametrize(
    "path", [c for c in CONFIGS if c.stem.split("_")[0] in LANGUAGE], ids=lambda p: p.stem
)
def test_a_config_of_language_runs_for_one_batch(path, tmp_path, monkeypatch, capsys):
    # common words may be gaps in a text this short
    monkeypatch.setattr("elmo_tasks.recipes.cloze._FREQUENT_SHARE", 1.0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)
    settings, stages, printed = LANGUAGE[path.stem.split("_")[0]]
    raw = yaml.safe_load(path.read_text())
    raw["data"]["init_args"] |= {"files": ["text.txt"], **settings}
    if (
        path.stem.startswith("bilm") and "start_from" in raw["model"]["init_args"]
    ):  # made by another run
        raw["model"]["init_args"] |= {"start_from": None, "freeze_reader": False}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(raw))
    fast = [
        "--trainer.fast_dev_run=true",
        "--trainer.accelerator=cpu",
        "--trainer.enable_progress_bar=false",
    ]
    for stage in stages:
        assert main([stage, "--config", "config.yaml", *fast]) == 0
    assert printed in capsys.readouterr().out


TASKS = [c for c in CONFIGS if c.stem.startswith(("ner_", "sentiment_", "pos_"))]
_OF_CI = ("ner_conll2003", "ner_sample", "pos_transformer", "sentiment_sample")
OF_CI_AND_NIGHTLY = [
    pytest.param(path, marks=() if path.stem in _OF_CI else pytest.mark.nightly) for path in TASKS
]
PEOPLE, PLACES = ("Ada", "Bo", "Cleo"), ("Rome", "Oslo", "Lima")
FILES_OF_TASKS = ("train", "validation", "test")


def words_of(k: int) -> list[tuple[str, str]]:
    """A sentence with BIO tags."""
    return [
        (PEOPLE[k % 3], "B-X"),
        ("went", "O"),
        ("to", "O"),
        (PLACES[k % 3], "B-Y"),
        ("City", "I-Y"),
        (".", "O"),
    ]


def columns(separator: str, before: int = 0) -> str:
    """Tokens and BIO tags, with other columns between them."""
    lines = [
        "".join(separator.join([w, *["-"] * before, t]) + "\n" for w, t in words_of(k))
        for k in range(8)
    ]
    return "\n".join(lines)


def conllu() -> str:
    tags = ("PROPN", "VERB", "ADP", "PROPN", "NOUN", "PUNCT")
    rows = [
        "".join(
            "\t".join([str(n), word, "_", tag, *["_"] * 6]) + "\n"
            for n, ((word, _), tag) in enumerate(zip(words_of(k), tags, strict=True), start=1)
        )
        for k in range(8)
    ]
    return "# text = one\n" + "\n".join(rows)


def trees() -> str:
    return "".join(f"({k % 5} (2 It) ({k % 5} (2 was) ({k % 5} word{k % 5})))\n" for k in range(10))


def reviews() -> str:
    return "label\ttext\n" + "".join(
        f"{k % 2}\tIt was word{k % 2} of {k}.\\nReally.\n" for k in range(20)
    )


# Small files for each entry of a configuration.
CONTENT = {
    "ner_conll2003": lambda: columns(" ", before=2).replace("B-", "I-"),  # IOB1
    "ner_wnut17": lambda: columns("\t"),
    "ner_bc5cdr": lambda: columns("\t"),
    "pos_ewt": conllu,
    "pos_transformer": conllu,
    "sentiment_sst5": trees,
    "sentiment_sst2": trees,
    "sentiment_imdb": reviews,
}
QUIET = ("--trainer.accelerator=cpu", "--trainer.max_epochs=1", "--trainer.limit_train_batches=1")


def test_every_task_config_is_tried():
    assert {c.stem for c in TASKS} == set(CONTENT) | {"ner_sample", "sentiment_sample"}


def run_dir(folder: Path) -> list[str]:
    return [
        "--run_dir",
        str(folder / "run"),
        "--model.init_args.layer_store",
        str(folder / "layers"),
    ]


def with_own_files(path: Path, folder: Path) -> dict[str, Any]:
    """Return the configuration with small files in place of its own; the samples keep theirs."""
    raw: dict[str, Any] = yaml.safe_load(path.read_text())
    data = raw["data"]["init_args"]
    if path.stem not in CONTENT:
        return raw
    for split in FILES_OF_TASKS:
        if data.get(split) is not None:
            own = folder / Path(data[split]).name
            text = CONTENT[path.stem]()
            if own.suffix == ".xz":
                with lzma.open(own, "wt", encoding="utf-8") as file:
                    file.write(text)
            else:
                own.write_text(text)
            data[split] = str(own)
    if raw["model"]["init_args"]["encoder"].startswith(
        "hub:"
    ):  # not here: a tiny one made at random stands in for it
        from tests.encoders.tiny_transformers import tiny_bert

        raw["model"]["init_args"]["encoder"] = str(tiny_bert(folder / "bert", cased=True))
    return raw


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", OF_CI_AND_NIGHTLY, ids=lambda p: p.stem)
def test_a_task_config_runs_for_one_batch(path, tmp_path, monkeypatch, capsys):
    """All of it: the layers, a batch, validation, the checkpoint, the exported head and its
    scores."""
    monkeypatch.chdir(REPOSITORY)
    raw = with_own_files(path, tmp_path)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(raw))
    common = ["--config", str(tmp_path / "config.yaml"), *run_dir(tmp_path)]
    assert main(["fit", *common, *QUIET]) == 0
    files = find_head(tmp_path / "run" / "head")
    data = raw["data"]["init_args"]
    assert files.task.scheme == data.get("scheme")
    has_test = data.get("test") is not None or bool(data.get("test_share"))
    assert set(files.card["scores"]) == ({"validation", "test"} if has_test else {"validation"})
    assert {row["epoch"] for row in files.card["layer_weights"]["epochs"]} == {0, 1}
    best = str(tmp_path / "run" / "best.ckpt")
    for stage in ("validate", "test") if has_test else ("validate",):
        capsys.readouterr()
        assert main([stage, *common, "--ckpt_path", best, "--trainer.accelerator=cpu"]) == 0
        main_score = files.card["scores"]["validation"]["main"]
        assert f"{'val' if stage == 'validate' else 'test'}_{main_score}" in capsys.readouterr().out
    assert {p.name for p in (tmp_path / "run").iterdir()} == {
        "best.ckpt",
        "last.ckpt",
        "config.yaml",
        "head",
    } | {
        f"{log}{stage}"
        for log in ("csv", "tensorboard")
        for stage in ("", "-validate", *(("-test",) if has_test else ()))
    }


@pytest.mark.parametrize("path", TASKS, ids=lambda p: p.stem)
def test_a_task_config_keeps_one_form(path):
    raw = yaml.safe_load(path.read_text())
    data, trainer = raw["data"]["init_args"], raw["trainer"]
    assert ("validation" in data) != bool(data.get("validation_share"))
    run = f"runs/{path.stem}"
    assert trainer["default_root_dir"] == run
    settings = {
        c["class_path"].rpartition(".")[2]: c.get("init_args", {}) for c in trainer["callbacks"]
    }
    assert settings["RunCheckpoint"]["dirpath"] == run
    assert settings["ExportHead"]["folder"] == f"{run}/head"
    assert {"title", "data", "licence"} == set(settings["ExportHead"]["about"])
    # F1 of spans where there are spans, else accuracy or the F1 over classes; both callbacks look
    # at the same.
    scores = {"val_f1"} if data.get("scheme") else {"val_accuracy", "val_macro_f1"}
    watched = {settings[name]["monitor"] for name in ("EarlyStopping", "RunCheckpoint")}
    assert len(watched) == 1
    assert watched <= scores
    assert f"--config lightning_configs/{path.name}" in path.read_text().splitlines()[0]


@pytest.mark.parametrize(
    "place", [("model",), ("data",), ("trainer",), ("model", "head")], ids=".".join
)
@pytest.mark.parametrize("name", ["bilm_mini", "ner_sample", "sentiment_sample"])
def test_an_unknown_key_of_a_task_config_is_an_error(name, place, tmp_path, capsys):
    path = REPOSITORY / "lightning_configs" / f"{name}.yaml"
    raw = yaml.safe_load(path.read_text())
    inner = raw
    for key in place:
        inner = inner.get(key, inner)  # a language model has no head
        inner = inner.get("init_args", inner)
    inner["lerning_rate"] = 1
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(raw))
    assert (
        main(["fit", "--config", str(tmp_path / "config.yaml"), "--run_dir", str(tmp_path / "run")])
        == 2
    )
    assert "lerning_rate" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
