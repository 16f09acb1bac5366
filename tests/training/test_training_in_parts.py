"""The bundled model, trained in parts: what its last configuration makes, whole, and ready to be gone on with."""

from pathlib import Path

import yaml

from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.files import read_json

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "checkpoints" / "elmo-mini"
CONFIG = yaml.safe_load((REPOSITORY / "lightning_configs" / "bilm_mini_senses.yaml").read_text())


def test_it_has_the_sizes_of_its_configuration():
    asked, options = CONFIG["model"]["init_args"], BiLMOptions.load(FOLDER / "options.json")
    assert [list(pair) for pair in options.char_cnn.filters] == asked["filters"]
    assert (options.lstm.dim, options.lstm.projection_dim) == (asked["dim"], asked["projection_dim"])


def test_its_files_are_small():
    sizes = [path.stat().st_size for path in FOLDER.iterdir()]
    assert max(sizes) < 10_000_000
    assert sum(sizes) < 36_000_000


def test_the_card_tells_of_all_parts():
    training = read_json(FOLDER / "card.json")["training"]
    for count in ("steps", "positions", "seconds"):
        assert sum(part[count] for part in training["parts"]) == training[count]
    assert training["positions"] >= 100_000_000


def test_it_reads_and_knows_what_words_it_would_write():
    elmo = Elmo.load(str(FOLDER))  # files whose sums are not those on the card are refused
    layers = elmo.encode([["The", "bank", "lends", "money", "."]])
    assert layers.values.shape == (3, 1, 5, 256)
    assert layers.values.isfinite().all()
    _, vocabulary = elmo.language_model.predictions()
    assert len(vocabulary.words) == CONFIG["data"]["init_args"]["vocabulary_size"]
