from collections import Counter
from pathlib import Path

import elmo_tasks.data
from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.conll import read_tagged
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.text.tag_schemes import detect_scheme, spans_of

SAMPLES = Path(elmo_tasks.data.__file__).parent / "samples"


def test_entities():
    train, test = (read_tagged(SAMPLES / f"ner_sample_{split}.conll") for split in ("train", "test"))
    assert not {s.tokens for s in train} & {s.tokens for s in test}
    for sentences in (train, test):
        assert detect_scheme(s.tags for s in sentences) == "BIO"
        types = Counter(span.type for s in sentences for span in spans_of(s.tags, "BIO"))
        assert set(types) == {"PER", "LOC", "ORG", "MISC"}
        assert min(types.values()) >= 10
        assert sum(set(s.tags) == {"O"} for s in sentences) > len(sentences) / 4
    # Some names have several types.
    tags = {(token, tag[2:]) for s in (*train, *test) for token, tag in zip(s.tokens, s.tags, strict=True)}
    for name in ("Jordan", "Paris", "Washington", "May", "Austin", "Chelsea", "Georgia"):
        assert sum(token == name for token, _ in tags) > 1


def test_they_train():
    ner, opinions = str(SAMPLES / "ner_sample_train.conll"), str(SAMPLES / "sentiment_sample_train.tsv")
    entities = TaggingData(ner, test=ner.replace("train", "test"))
    sentiment = ClassificationData(opinions, test=opinions.replace("train", "test"), text_column=1, label_column=0)
    for data, rows, batches in ((entities, (225, 75), 8), (sentiment, (300, 100), 10)):
        data.setup()
        assert (len(data.rows["train"]), len(data.rows["test"]), len(data.train_dataloader())) == (*rows, batches)
    assert len(entities.labels) == 9
    assert sentiment.labels == ("negative", "positive")
    assert Counter(row.target for row in sentiment.rows["train"]) == {0: 150, 1: 150}
    assert len({row.tokens for split in ("train", "test") for row in sentiment.rows[split]}) == 400
