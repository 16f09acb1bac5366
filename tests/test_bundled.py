"""What comes with the program is found from every folder, and what a person has there comes first."""

from pathlib import Path

import pytest

from elmo_tasks import bundled

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_checkout_has_them_beside_the_package():
    assert bundled.CHECKPOINTS == REPOSITORY / "checkpoints"
    assert bundled.CONFIGS == REPOSITORY / "lightning_configs"


@pytest.mark.parametrize(
    "path",
    [
        "lightning_configs/ner_sample.yaml",
        "elmo_tasks/data/samples/ner_sample_train.conll",
        "checkpoints/elmo-mini/vocabulary.txt.xz",
        "checkpoints/elmo-mini",
    ],
)
def test_paths_of_the_repository_are_found_from_elsewhere(path):
    assert Path(bundled.find(path)) == REPOSITORY / path


@pytest.mark.parametrize(
    "path", ["checkpoints/elmo-maxi", "checkpoints/../pyproject.toml", "my.tsv", "checkpoints", ""]
)
def test_other_paths_stay_as_they_are(path):
    assert bundled.find(path) == path


def test_what_lies_in_the_working_folder_comes_first(elsewhere):
    own = elsewhere / "lightning_configs" / "ner_sample.yaml"
    own.parent.mkdir()
    own.write_text("mine")
    assert bundled.find("lightning_configs/ner_sample.yaml") == "lightning_configs/ner_sample.yaml"


def test_a_configuration_has_a_name(elsewhere):
    assert Path(bundled.find_config("ner_sample")) == REPOSITORY / "lightning_configs" / "ner_sample.yaml"
    assert Path(bundled.find_config("lightning_configs/ner_sample.yaml")).is_file()
    assert bundled.find_config("no_such") == "no_such"
    (elsewhere / "ner_sample").write_text("mine")
    assert bundled.find_config("ner_sample") == "ner_sample"
