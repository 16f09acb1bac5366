"""A single wrong bit in any weights is detected."""

import json
import lzma
import re
from pathlib import Path

import h5py
import pytest
import torch

from elmo_tasks.__main__ import main
from elmo_tasks.bilm.model_files import find_model, load_bilm, load_softmax
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.files import write_json
from elmo_tasks.heads.head import HeadTask
from elmo_tasks.heads.head_files import Source, build_head, find_head, write_head
from elmo_tasks.heads.sentiment import SentimentHead
from elmo_tasks.recipes.static_vectors import write_vectors
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.export_bilm import ExportBiLM, write_model
from elmo_tasks.weights.folders import MODEL_FOLDER, FolderKind
from tests.bilm.tiny import tiny

NOTES = FolderKind("notes", re.compile(r"note\.json"))


def write(folder: Path, text: str) -> None:
    with NOTES.written(folder) as partial:
        write_json(partial / "note.json", {"text": text})


def test_an_older_version_is_replaced(tmp_path):
    write(tmp_path / "a", "old")
    write(tmp_path / "a", "new")
    assert "new" in (tmp_path / "a" / "note.json").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755  # everybody may read it
    assert (tmp_path / "a" / "note.json").stat().st_mode & 0o777 == 0o644


def test_the_folder_of_a_calibrated_and_probed_model_may_be_replaced():
    assert (CHECKPOINTS / "elmo-mini" / "meanings.json").is_file()
    MODEL_FOLDER.check(CHECKPOINTS / "elmo-mini")


def test_a_language_model_checks_its_folder_before_the_training(tmp_path):
    (tmp_path / "thesis.docx").write_text("mine")
    with pytest.raises(ConfigError, match=r"holds something that is not a model \(thesis.docx\)"):
        ExportBiLM(str(tmp_path)).setup(None, None, "fit")


def test_an_error_changes_nothing(tmp_path):
    write(tmp_path / "a", "old")
    with pytest.raises(KeyboardInterrupt), NOTES.written(tmp_path / "a"):
        raise KeyboardInterrupt
    assert "old" in (tmp_path / "a" / "note.json").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_older_file_comes_back_when_replacing_fails(tmp_path, monkeypatch):
    write(tmp_path / "a", "old")
    rename = Path.rename

    def refuse_once(self, target):
        if Path(target).name == "a" and not self.name.endswith("-old"):
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_once)
    with pytest.raises(OSError, match="no"):
        write(tmp_path / "a", "new")
    assert "old" in (tmp_path / "a" / "note.json").read_text()


def test_something_else_is_left_alone(tmp_path):
    (tmp_path / "diary.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"holds something that is not notes \(diary.txt\)"):
        write(tmp_path, "x")
    with pytest.raises(ConfigError, match="a file of this name is in the way"):
        write(tmp_path / "diary.txt", "x")


def a_model(folder: Path, to: str = "safetensors") -> Path:
    words = Vocabulary([*SPECIAL_WORDS, "ka", "lo"])
    write_model(
        folder,
        tiny(),
        LMSoftmax(len(words), tiny().options.lstm.projection_dim),
        words,
        {"title": "t"},
        to,
    )
    return folder


def flip(path: Path) -> None:
    """One bit of one of the last numbers: the file still opens, and no number is infinite."""
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("to", ["safetensors", "hdf5"])
def test_one_flipped_bit_in_a_model_is_refused(tmp_path, to):
    folder = a_model(tmp_path / "m", to)
    load_bilm(find_model(folder))
    name = "weights.hdf5" if to == "hdf5" else "bilm.safetensors"
    if to == "hdf5":
        with h5py.File(folder / name, "r+") as file:
            file["CNN"]["b_cnn_0"][0] += 1e-6
    else:
        flip(folder / name)
    with pytest.raises(
        WeightsError,
        match=rf"m/{name}: damaged, or not the file that card.json .* `elmo-tasks model checksums ",
    ):
        load_bilm(find_model(folder))


def test_the_output_layer_and_its_words_are_checked_too(tmp_path):
    folder = a_model(tmp_path / "m")
    load_softmax(find_model(folder))
    flip(folder / "softmax.safetensors")
    load_bilm(find_model(folder))  # which does not read it
    with pytest.raises(WeightsError, match="softmax.safetensors: damaged"):
        load_softmax(find_model(folder))
    other = a_model(tmp_path / "other")
    words = "\n".join([*SPECIAL_WORDS, "ka", "lu"])
    (other / "vocabulary.txt.xz").write_bytes(lzma.compress(words.encode()))
    with pytest.raises(WeightsError, match="vocabulary.txt.xz: damaged, or not the file"):
        load_softmax(find_model(other))


def test_one_flipped_bit_in_a_head_or_in_static_vectors_is_refused(tmp_path):
    head = SentimentHead(HeadTask(("bad", "good"), 6, 3), "attention", lstm_hidden=3)
    write_head(tmp_path / "h", head, Source("toy", "abc"))
    build_head(find_head(tmp_path / "h"))
    flip(tmp_path / "h" / "head.safetensors")
    with pytest.raises(WeightsError, match="h/head.safetensors: damaged"):
        build_head(find_head(tmp_path / "h"))
    write_vectors(
        tmp_path / "v", StaticVectors(["ka", "lo"], torch.ones(2, 3), [2, 1]), {"title": "t"}
    )
    StaticVectors.load(tmp_path / "v")
    flip(tmp_path / "v" / "vectors.safetensors")
    with pytest.raises(WeightsError, match="v/vectors.safetensors: damaged"):
        StaticVectors.load(tmp_path / "v")


@pytest.mark.parametrize("card", [None, "{}", "[1]", "no json", '{"sha256": {}}'])
def test_weights_without_checksums_are_accepted(tmp_path, card):
    folder = a_model(tmp_path / "m")
    flip(folder / "bilm.safetensors")
    (folder / "card.json").unlink()
    if card is not None:
        (folder / "card.json").write_text(card)
    load_bilm(find_model(folder))


@pytest.mark.parametrize(
    "sums", ["7", '["x"]', '{"bilm.safetensors": 7}', '{"bilm.safetensors": "abc"}']
)
def test_malformed_checksums_are_refused(tmp_path, sums):
    folder = a_model(tmp_path / "m")
    (folder / "card.json").write_text(f'{{"sha256": {sums}}}')
    with pytest.raises(
        WeightsError, match="card.json: 'sha256' should give the SHA-256 of each file of weights"
    ):
        load_bilm(find_model(folder))


def test_the_command_writes_and_compares(tmp_path, capsys):
    folder = a_model(tmp_path / "m")
    flip(folder / "bilm.safetensors")
    assert main(["model", "checksums", "--check", str(folder)]) == 2
    assert "bilm.safetensors: damaged" in capsys.readouterr().err
    assert main(["model", "checksums", str(folder)]) == 0
    assert "bilm.safetensors, softmax.safetensors, vocabulary.txt.xz" in capsys.readouterr().out
    assert json.loads((folder / "card.json").read_text())["title"] == "t"
    assert main(["model", "checksums", "--check", str(folder)]) == 0
    load_bilm(find_model(folder))
    (folder / "card.json").unlink()
    assert main(["model", "checksums", "--check", str(folder)]) == 2
    assert "no checksum of bilm.safetensors, softmax.safetensors" in capsys.readouterr().err
    for card in ("no", "[1]"):
        (folder / "card.json").write_text(card)
        assert main(["model", "checksums", str(folder)]) == 2
        assert "card.json: expected a JSON object" in capsys.readouterr().err
    assert main(["model", "checksums", str(tmp_path)]) == 2
    assert "expected a folder with weights" in capsys.readouterr().err


def test_bundled_weights_fit_their_cards(capsys):
    folders = [str(path.parent) for path in CHECKPOINTS.glob("*/card.json")]
    assert len(folders) > 5
    assert main(["model", "checksums", "--check", *folders]) == 0
