"""A biLM that is trained further with its head."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.prediction import Predictor, load_head
from elmo_tasks.training.export_head import ExportHead
from elmo_tasks.training.run_files import RunCheckpoint
from elmo_tasks.training.task_module import TaskModule
from tests.training.toy_task import (
    opinion_data,
    sentiment,
    trained,
    write_encoder,
    write_static,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*isinstance.treespec, LeafSpec.*", "ignore:The dirpath has changed"
)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TaskModule]:
    """A run in which the biLM learned, with its head in ``run/head``."""
    folder = tmp_path_factory.mktemp("tuned")
    encoder = write_encoder(folder / "toy")
    module = TaskModule(
        sentiment(), str(encoder), layer_store=str(folder / "layers"), encoder_learning_rate=1e-3
    )
    export = ExportHead(str(folder / "run" / "head"), {"title": "Toy opinions"})
    keeps = RunCheckpoint(str(folder / "run"), "val_accuracy")
    trained(
        module,
        opinion_data(folder),
        folder,
        epochs=3,
        callbacks=[keeps, export],
        enable_checkpointing=True,
    )
    return folder, module


def test_its_weights_move_and_the_second_bias_stays(tuned: tuple[Path, TaskModule]) -> None:
    folder, module = tuned
    assert module.tuned is not None
    before = Elmo.load(folder / "toy").bilm.state_dict()
    after = module.tuned.state_dict()
    moved = {name for name, value in after.items() if not torch.equal(value, before[name])}
    assert any(name.startswith("token_encoder") for name in moved)
    assert any(name.startswith("forward_lm") for name in moved)
    assert not any("bias_hh" in name for name in moved)
    assert (
        max((after[name] - before[name]).abs().max().item() for name in moved) < 0.1
    )  # at the lower rate
    assert not (folder / "layers").exists()  # layers that change are not kept


def test_the_card_names_the_tuned_encoder_beside_the_head(tuned: tuple[Path, TaskModule]) -> None:
    folder, module = tuned
    files = find_head(folder / "run" / "head")
    original = Elmo.load(folder / "toy").checksum
    assert files.card["encoder_tuned_from"] == {"name": str(folder / "toy"), "checksum": original}
    assert files.card["training"]["encoder_learning_rate"] == 1e-3
    assert files.card["scores"]["validation"]["rows"] == 24
    beside = folder / "run" / "head-encoder"
    assert files.encoder.checksum == Elmo.load(beside).checksum != original
    card = json.loads((beside / "card.json").read_text())
    assert card["title"] == "toy, trained further with the head “Toy opinions”"
    assert card["tuned_from"]["checksum"] == original
    moved = folder / "elsewhere"
    (folder / "run").rename(moved)
    try:
        predictor = load_head(moved / "head", device="cpu")
        assert predictor.encoder.name == "head-encoder"
        texts = [["it", "was", "warm", "."], ["it", "was", "cold", "rude", "."]]
        live = Predictor(module.encoder, module.head, None).predict_batch(texts)
        for one, other in zip(predictor.predict_batch(texts), live, strict=True):
            assert one.probabilities == pytest.approx(
                other.probabilities, abs=5e-3
            )  # float16 on disk
    finally:
        moved.rename(folder / "run")
    with pytest.raises(ConfigError, match="was trained on the encoder"):
        Predictor.load(files, str(folder / "toy"))


def test_the_best_epoch_has_both_parts(tuned: tuple[Path, TaskModule]) -> None:
    folder, _ = tuned
    saved = torch.load(folder / "run" / "best.ckpt", weights_only=True)["state_dict"]
    assert {name.partition(".")[0] for name in saved} == {"head", "tuned"}
    exported = Elmo.load(folder / "run" / "head-encoder").bilm.state_dict()
    for name, value in exported.items():
        torch.testing.assert_close(value, saved[f"tuned.{name}"], atol=1e-3, rtol=1e-3)


def test_only_a_bilm_can_be_tuned(tmp_path: Path) -> None:
    module = TaskModule(
        sentiment(), str(write_static(tmp_path / "static")), encoder_learning_rate=1e-3
    )
    with pytest.raises(ConfigError, match="is not a biLM, so it stays frozen"):
        trained(module, opinion_data(tmp_path), tmp_path)
    for rate in (0.0, -1.0, float("nan")):
        with pytest.raises(ConfigError, match="expected a number above 0, or null"):
            TaskModule(sentiment(), encoder_learning_rate=rate)
