import datasets
import pytest

from elmo_tasks.data.row_files import hub_texts
from elmo_tasks.errors import DataError


@pytest.fixture
def data_set(tmp_path, monkeypatch):
    """A stand-in for the hub: `datasets` reads a folder by its path as it reads a data set by its name."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "train.csv").write_text("id,review\n1,The bank lends.\n2,A muddy bank.\n3,\n", encoding="utf-8")
    (folder / "test.csv").write_text("id,review\n4,One more.\n", encoding="utf-8")
    return str(folder)


def test_texts_are_read(tmp_path, data_set):
    assert list(hub_texts(data_set)) == ["The bank lends.", "A muddy bank.", ""]
    assert list(hub_texts(data_set, split="test")) == ["One more."]
    assert list(hub_texts(data_set, most=2)) == ["The bank lends.", "A muddy bank."]
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "train.jsonl").write_text('{"tokens": ["A", "bank", "."]}\n', encoding="utf-8")
    assert list(hub_texts(str(tmp_path / "words"))) == ["A bank ."]


@pytest.mark.parametrize(("options", "message"), [
    ({"column": "body"}, "no column 'body'; it has id, review"),
    ({"column": "id"}, "row 1: column 'id': expected text, found int"),
    ({"split": "dev"}, 'Unknown split "dev"'),
    ({"config": "x"}, "'x' not found"),
    ({"split": "dev", "most": 2}, "dev"),
])  # fmt: skip
def test_what_is_wrong_is_said(data_set, options, message):
    with pytest.raises(DataError, match=message):
        list(hub_texts(data_set, **options))


def test_without_a_network_it_says_what_to_do(monkeypatch):
    def unreachable(*args, **options):
        raise ConnectionError("Couldn't reach 'some/set' on the Hub")

    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    with pytest.raises(DataError, match=r"Couldn't reach .* This needs a network\. .*copy its cache"):
        list(hub_texts("some/set"))
