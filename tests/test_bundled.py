"""Bundled files are found from every folder; files of the user come first."""

from pathlib import Path

import pytest
import yaml

from elmo_tasks import bundled
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import read_json

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


def test_files_of_the_working_folder_come_first(elsewhere):
    own = elsewhere / "lightning_configs" / "ner_sample.yaml"
    own.parent.mkdir()
    own.write_text("mine")
    assert bundled.find("lightning_configs/ner_sample.yaml") == "lightning_configs/ner_sample.yaml"


def test_a_configuration_has_a_name(elsewhere):
    assert (
        Path(bundled.find_config("ner_sample"))
        == REPOSITORY / "lightning_configs" / "ner_sample.yaml"
    )
    assert Path(bundled.find_config("lightning_configs/ner_sample.yaml")).is_file()
    with pytest.raises(
        ConfigError,
        match="there is no configuration 'no_such': expected a file, or one of .*ner_sample",
    ):
        bundled.find_config("no_such")
    (elsewhere / "ner_sample").write_text("mine")
    assert bundled.find_config("ner_sample") == "ner_sample"


def test_the_bundled_model_is_that_of_its_last_configuration():
    config = yaml.safe_load((bundled.CONFIGS / "bilm_mini_senses.yaml").read_text())
    elmo = Elmo.load("elmo-mini")
    settings, options = config["model"]["init_args"], elmo.bilm.options
    assert [list(pair) for pair in options.char_cnn.filters] == settings["filters"]
    assert (options.lstm.dim, options.lstm.projection_dim) == (
        settings["dim"],
        settings["projection_dim"],
    )
    _, vocabulary = elmo.language_model.predictions()
    assert len(vocabulary.words) == config["data"]["init_args"]["vocabulary_size"]
    assert sum(path.stat().st_size for path in elmo.folder.iterdir()) < 38_000_000


def test_its_card_describes_all_parts_of_its_training():
    training = read_json(bundled.CHECKPOINTS / "elmo-mini" / "card.json")["training"]
    for count in ("steps", "positions", "seconds"):
        assert sum(part[count] for part in training["parts"]) == training[count]
    assert training["positions"] >= 100_000_000
