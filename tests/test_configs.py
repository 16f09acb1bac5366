"""Every configuration in lightning_configs/ is built, and runs for one batch."""

from pathlib import Path

import pytest
import yaml

from elmo_tasks.__main__ import main

REPOSITORY = Path(__file__).resolve().parents[1]
CONFIGS = sorted((REPOSITORY / "lightning_configs").glob("*.yaml"))
TEXT = "The kettle sang .\nNobody heard it , because the rain was louder .\n" * 40


def test_there_are_some():
    assert CONFIGS


@pytest.mark.slow
@pytest.mark.parametrize("path", [c for c in CONFIGS if c.stem.startswith("bilm_")], ids=lambda p: p.stem)
def test_a_bilm_config_runs_for_one_batch(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)
    raw = yaml.safe_load(path.read_text())
    raw["data"]["init_args"] |= {"files": ["text.txt"], "held_out": "text.txt", "held_out_index": None, "batch_size": 2}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(raw))
    fast = ["--trainer.fast_dev_run=true", "--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false"]
    for stage in ("fit", "validate", "test"):
        assert main([stage, "--config", "config.yaml", *fast]) == 0
    assert "forward_perplexity" in capsys.readouterr().out


def test_an_unknown_key_is_an_error(tmp_path, capsys):
    raw = yaml.safe_load(CONFIGS[0].read_text())
    raw["model"]["init_args"]["lerning_rate"] = 1
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(raw))
    with pytest.raises(SystemExit):
        main(["fit", "--config", str(tmp_path / "config.yaml")])
    assert "lerning_rate" in capsys.readouterr().err
