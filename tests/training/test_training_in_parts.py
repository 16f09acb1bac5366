"""The bundled model is what its last configuration makes, with a card about all parts of its training."""

from pathlib import Path

import yaml

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.files import read_json

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "checkpoints" / "elmo-mini"
CONFIG = yaml.safe_load((REPOSITORY / "lightning_configs" / "bilm_mini_senses.yaml").read_text())


def test_the_model_is_that_of_its_configuration():
    elmo = Elmo.load(str(FOLDER))
    settings, options = CONFIG["model"]["init_args"], elmo.bilm.options
    assert [list(pair) for pair in options.char_cnn.filters] == settings["filters"]
    assert (options.lstm.dim, options.lstm.projection_dim) == (settings["dim"], settings["projection_dim"])
    _, vocabulary = elmo.language_model.predictions()
    assert len(vocabulary.words) == CONFIG["data"]["init_args"]["vocabulary_size"]
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 36_000_000


def test_the_card_describes_all_parts():
    training = read_json(FOLDER / "card.json")["training"]
    for count in ("steps", "positions", "seconds"):
        assert sum(part[count] for part in training["parts"]) == training[count]
    assert training["positions"] >= 100_000_000
