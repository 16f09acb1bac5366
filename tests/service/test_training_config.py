"""The written configuration is that of the sample, with what the plan changes; jsonargparse takes it."""

from pathlib import Path

import pytest
import yaml

from elmo_tasks.api import TrainingPlan
from elmo_tasks.data.row_files import HUB_DATA_SETS
from elmo_tasks.service.training_jobs import config_for
from elmo_tasks.tasks import TASKS

ABOUT = {"title": "yes: [no]", "data": "x", "licence": "y"}


def config(tmp_path: Path, spans: bool = True, **plan):
    return config_for(TrainingPlan(**{"kind": "classification", **plan}), "elmo-mini", 3, tmp_path, ABOUT, spans)


def test_numbers_of_the_plan_are_in_it(tmp_path):
    found = config(tmp_path, epochs=7, hidden=33, learning_rate=0.01)
    assert found["trainer"]["max_epochs"] == 7
    assert found["model"]["init_args"]["learning_rate"] == 0.01
    assert found["model"]["init_args"]["head"]["init_args"]["hidden"] == 33
    names = config(tmp_path, kind="tagging", hidden=44)
    assert names["model"]["init_args"]["head"]["init_args"]["lstm_hidden"] == 44


@pytest.mark.parametrize(("layers", "weights"), [("learned", None), ("0", [1, 0, 0]), ("mean", [1 / 3] * 3)])
def test_layers_are_fixed_weights_or_learned(tmp_path, layers, weights):
    head = config(tmp_path, layers=layers)["model"]["init_args"]["head"]["init_args"]
    assert head.get("fixed_weights") == weights


def test_every_file_it_names_is_below_the_run(tmp_path):
    for kind in ("classification", "tagging"):
        for source in ("sample", "upload"):
            text = yaml.safe_dump(config(tmp_path, kind=kind, source=source))
            assert "runs/" not in text
            assert "elmo_tasks/data" not in text


def test_tags_that_are_no_spans_are_scored_as_words(tmp_path):
    found = config(tmp_path, kind="tagging", source="upload", spans=False)
    assert found["data"]["init_args"]["scheme"] is None
    checkpoint = next(c for c in found["trainer"]["callbacks"] if c["class_path"].endswith("RunCheckpoint"))
    assert checkpoint["init_args"]["monitor"] == "val_accuracy"


def test_every_public_data_set_that_is_known_can_be_asked_for(tmp_path):
    offered = {name: kind for kind in TASKS.values() for name in kind.hub}
    assert set(offered) == set(HUB_DATA_SETS)
    for name, kind in offered.items():
        assert (HUB_DATA_SETS[name][1] == "tokens") == (kind.name == "tagging")
        data = config(tmp_path, kind=kind.name, source="hub", data=name)["data"]["init_args"]
        assert data["hub"] == name
        assert data["limit_train"] == 5_000
        assert (data.get("validation") is None) == bool(data["validation_share"])


def test_a_name_that_looks_like_yaml_stays_a_name(tmp_path):
    from jsonargparse import ArgumentParser

    from elmo_tasks.training.export_head import ExportHead

    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config(tmp_path)))
    export = yaml.safe_load((tmp_path / "c.yaml").read_text())["trainer"]["callbacks"][-1]
    parser = ArgumentParser(parser_mode="yaml", exit_on_error=False)
    parser.add_class_arguments(ExportHead, "export")
    assert parser.parse_object({"export": export["init_args"]}).export.about["title"] == "yes: [no]"
