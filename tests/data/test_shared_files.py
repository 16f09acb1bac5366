"""Complete published data sets have the sizes of their descriptions."""

from collections import Counter
from pathlib import Path

import pytest

from elmo_tasks.data.labelled_texts import TextColumns, read_labelled
from elmo_tasks.data.tag_files import read_tagged
from elmo_tasks.text.tag_schemes import detect_scheme, spans_of

pytestmark = pytest.mark.nightly

BY_PLACE = TextColumns(text=0, label=1)


@pytest.mark.parametrize(
    ("file", "scheme", "sentences", "tokens", "entities"),
    [
        (
            "conll2003/eng.train",
            "IOB1",
            14_041,
            203_621,
            {"LOC": 7140, "PER": 6600, "ORG": 6321, "MISC": 3438},
        ),
        (
            "conll2003/eng.testa",
            "IOB1",
            3_250,
            51_362,
            {"PER": 1842, "LOC": 1837, "ORG": 1341, "MISC": 922},
        ),
        (
            "conll2003/eng.testb",
            "IOB1",
            3_453,
            46_435,
            {"LOC": 1668, "ORG": 1661, "PER": 1617, "MISC": 702},
        ),
        ("wnut17/wnut17train.conll", "BIO", 3_394, 62_730, 1_975),
        ("wnut17/emerging.dev.conll", "BIO", 1_009, 15_733, 836),
        ("wnut17/emerging.test.annotated", "BIO", 1_287, 23_394, 1_079),
        ("ncbi_disease/train.tsv", "BIO", 5_424, 135_701, 5_134),
        ("ncbi_disease/devel.tsv", "BIO", 923, 23_969, 787),
        ("ncbi_disease/test.tsv", "BIO", 940, 24_497, 960),
        ("bc5cdr/train.tsv", "BIO", 4_560, 118_170, {"Chemical": 5203, "Disease": 4182}),
        ("bc5cdr/devel.tsv", "BIO", 4_581, 117_453, {"Chemical": 5347, "Disease": 4246}),
        ("bc5cdr/test.tsv", "BIO", 4_797, 124_750, {"Chemical": 5385, "Disease": 4424}),
    ],
)
def test_entities(
    shared_data: Path,
    file: str,
    scheme: str,
    sentences: int,
    tokens: int,
    entities: int | dict[str, int],
):
    read = read_tagged(shared_data / "ner" / file)
    assert (len(read), sum(len(s.tokens) for s in read)) == (sentences, tokens)
    found = detect_scheme(s.tags for s in read)
    assert found == scheme
    types = Counter(span.type for s in read for span in spans_of(s.tags, found))
    assert entities in (types, sum(types.values()))


@pytest.mark.parametrize(
    ("file", "sentences", "tokens"),
    [
        ("ud_ewt/en_ewt-ud-dev.conllu.xz", 2_001, 25_147),
        ("ud_ewt/en_ewt-ud-test.conllu.xz", 2_077, 25_094),
        ("ud_ewt/en_ewt-ud-train.conllu.xz", 12_544, 204_577),
        ("gum/gum-dev.conllu.xz", 1_575, 28_119),
        ("conll2000/test.txt", 2_012, 47_377),
        ("ptb_sample/ptb_sample_pos.conll.xz", 3_914, 94_084),
    ],
)
def test_parts_of_speech(shared_data: Path, file: str, sentences: int, tokens: int):
    column = "upos" if ".conllu" in file else 1
    read = read_tagged(shared_data / "tagging" / file, tag_column=column)
    assert (len(read), sum(len(s.tokens) for s in read)) == (sentences, tokens)


@pytest.mark.parametrize(
    ("file", "columns", "labels"),
    [
        ("sst2/train.tsv", BY_PLACE, {"1": 3610, "0": 3310}),
        ("sst2/dev.tsv", BY_PLACE, {"1": 444, "0": 428}),
        ("sst2/test.tsv", BY_PLACE, {"1": 909, "0": 912}),
        ("sst5/dev.tsv", BY_PLACE, {"0": 139, "1": 289, "2": 229, "3": 279, "4": 165}),
        ("imdb/train.tsv.xz", TextColumns(escaped_newlines=True), {"1": 12_500, "0": 12_500}),
    ],
)
def test_opinions(shared_data: Path, file: str, columns: TextColumns, labels: dict[str, int]):
    read = read_labelled(shared_data / "sentiment" / file, columns=columns)
    assert Counter(row.label for row in read) == labels
    assert not any("\\n" in row.text for row in read)


@pytest.mark.parametrize(
    ("split", "trees", "phrases"),
    [("dev", 1_101, 41_447), ("test", 2_210, 82_600), ("train", 8_544, 318_582)],
)
def test_trees(shared_data: Path, split: str, trees: int, phrases: int):
    folder = shared_data / "sentiment" / "sst5"
    sentences = read_labelled(folder / f"trees_{split}.txt", "trees")
    assert len(sentences) == trees
    assert len(read_labelled(folder / f"trees_{split}.txt", "trees", phrases=True)) == phrases
    table = read_labelled(folder / f"{split}.tsv", columns=BY_PLACE)
    # The table lost the tokens with a no-break space in them; the trees have them.
    assert (
        sum(a != b for a, b in zip(sentences, table, strict=True))
        == sum("\u00a0" in a.text for a in sentences)
        <= 3
    )
