"""Where downloaded models are looked for, and what the published ones are."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import torch

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.model_cache import cache_folder, files_of, locate
from elmo_tasks.bilm.published import MODELS, published
from elmo_tasks.errors import ConfigError, WeightsError


def test_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ELMO_TASKS_CACHE", raising=False)
    assert cache_folder().name == "elmo-tasks"
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert cache_folder(tmp_path / "given") == tmp_path / "given"


def test_cache_folder_where_the_home_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ELMO_TASKS_CACHE", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    usual = tmp_path / "home" / "cache" / "elmo-tasks"
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: usual)
    assert cache_folder() == usual
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    assert cache_folder().parent == tmp_path / "temporary"
    usual.mkdir(parents=True)  # what was downloaded there is still read
    assert cache_folder() == usual


def test_locate(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"is not downloaded: .*options.json does not exist.*download small`, or"):
        locate("small", tmp_path)
    files = files_of(published("small"), tmp_path)
    files[0].parent.mkdir(parents=True)
    for path in files:
        path.touch()
    assert locate("small", tmp_path) == files
    with pytest.raises(ConfigError, match="no published ELMo model"):
        locate("huge", tmp_path)


@pytest.mark.parametrize("name", MODELS)
def test_published_figures(name: str) -> None:
    with torch.device("meta"):
        state = BiLM(MODELS[name].options).state_dict()
    padding = 16  # the row of the character table that is not in the file
    assert sum(v.numel() for k, v in state.items() if "bias_hh" not in k) - padding == MODELS[name].n_parameters
    if name == "medium":
        assert hashlib.md5(MODELS[name].options_text.encode()).hexdigest() == "aeac76d300b134be74077f60f3f9af68"
