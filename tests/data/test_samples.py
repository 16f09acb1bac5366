from collections import Counter
from pathlib import Path

import elmo_tasks.data
from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.conll import read_tagged
from elmo_tasks.data.labelled_texts import TextColumns, read_labelled
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.text.tag_schemes import detect_scheme, spans_of

SAMPLES = Path(elmo_tasks.data.__file__).parent / "samples"


def test_entities():
    train, test = (read_tagged(SAMPLES / f"ner_sample_{split}.conll") for split in ("train", "test"))
    assert (len(train), len(test)) == (225, 75)
    assert not {s.tokens for s in train} & {s.tokens for s in test}
    for sentences in (train, test):
        assert detect_scheme(s.tags for s in sentences) == "BIO"
        types = Counter(span.type for s in sentences for span in spans_of(s.tags, "BIO"))
        assert set(types) == {"PER", "LOC", "ORG", "MISC"}
        assert min(types.values()) >= 10
        assert sum(set(s.tags) == {"O"} for s in sentences) > len(sentences) / 4


def test_some_names_have_several_types():
    kinds: dict[str, set[str]] = {}
    for split in ("train", "test"):
        for sentence in read_tagged(SAMPLES / f"ner_sample_{split}.conll"):
            for token, tag in zip(sentence.tokens, sentence.tags, strict=True):
                kinds.setdefault(token, set()).add(tag[2:] or "O")
    for name in ("Jordan", "Paris", "Washington", "May", "Austin", "Chelsea", "Georgia"):
        assert len(kinds[name]) > 1


def test_opinions():
    columns = TextColumns(text=1, label=0)
    train, test = (read_labelled(SAMPLES / f"sentiment_sample_{s}.tsv", columns=columns) for s in ("train", "test"))
    assert Counter(row.label for row in train) == {"positive": 150, "negative": 150}
    assert Counter(row.label for row in test) == {"positive": 50, "negative": 50}
    texts = [row.text for row in (*train, *test)]
    assert len(set(texts)) == 400


def test_they_train():
    entities = TaggingData(str(SAMPLES / "ner_sample_train.conll"), test=str(SAMPLES / "ner_sample_test.conll"))
    opinions = ClassificationData(
        str(SAMPLES / "sentiment_sample_train.tsv"),
        test=str(SAMPLES / "sentiment_sample_test.tsv"),
        text_column=1,
        label_column=0,
    )
    for data, batches in ((entities, 8), (opinions, 10)):
        data.setup()
        assert len(data.train_dataloader()) == batches
    assert len(entities.labels) == 9
    assert opinions.labels == ("negative", "positive")
