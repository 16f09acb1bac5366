"""The model in training: what its configuration makes, whole, and ready to be gone on with."""

from pathlib import Path

import yaml

from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.files import read_json

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "training" / "elmo-mini-senses"
CONFIG = yaml.safe_load((REPOSITORY / "lightning_configs" / "bilm_mini_senses.yaml").read_text())


def test_it_has_the_sizes_of_its_configuration():
    asked, options = CONFIG["model"]["init_args"], BiLMOptions.load(FOLDER / "options.json")
    assert [list(pair) for pair in options.char_cnn.filters] == asked["filters"]
    assert (options.lstm.dim, options.lstm.projection_dim) == (asked["dim"], asked["projection_dim"])


def test_the_files_are_small_and_what_the_card_says():
    assert max(path.stat().st_size for path in FOLDER.iterdir()) < 10_000_000
    card = read_json(FOLDER / "card.json")
    assert card["training"]["positions"] >= CONFIG["data"]["init_args"]["max_tokens"]
    assert "static-joint" in " ".join(card["learned_from"])


def test_it_reads_and_knows_what_words_it_would_write():
    elmo = Elmo.load(str(FOLDER))  # files whose sums are not those on the card are refused
    layers = elmo.encode([["The", "bank", "lends", "money", "."]])
    assert layers.values.shape == (3, 1, 5, 256)
    assert layers.values.isfinite().all()
    _, vocabulary = elmo.language_model.predictions()
    assert len(vocabulary.words) == CONFIG["data"]["init_args"]["vocabulary_size"]


def test_the_next_part_begins_where_this_one_ended():
    positions = read_json(FOLDER / "card.json")["training"]["positions"]
    assert f"skip_tokens {positions}" in (REPOSITORY / "docs" / "language_model.md").read_text(encoding="utf-8")
