"""Parts of speech, chunks and names, by the cheapest heads there are, so that the layers and not the head make the difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.tagging_readers import read_tagged
from elmo_tasks.evaluation.probing import CLASS_STEPS, SPAN_STEPS, class_accuracy, span_tags
from elmo_tasks.evaluation.reader import Reader, progress
from elmo_tasks.evaluation.rows import Row
from elmo_tasks.tasks.kinds import kind_of
from elmo_tasks.tasks.span_scores import SpanCounts, span_counts
from elmo_tasks.text.tag_schemes import convert, detect_scheme

POS = ("tagging/ud_ewt/en_ewt-ud-train.conllu.xz", "tagging/ud_ewt/en_ewt-ud-dev.conllu.xz")
CHUNKS = ("tagging/conll2000/train.txt", "tagging/conll2000/test.txt")
NER = ("ner/conll2003/eng.train", "ner/conll2003/eng.testa")


def parts_of_speech(reader: Reader, data: Path) -> list[Row]:
    """Universal parts of speech of the English Web Treebank, by softmax regression."""
    train, dev = (read_tagged(data / file, tag_column="upos") for file in POS)
    known, asked = reader.tokens(_tokens(train), "UD EWT, train"), reader.tokens(_tokens(dev), "UD EWT, dev")
    labels, gold = ([tag for sentence in split for tag in sentence.tags] for split in (train, dev))
    scores = {}
    for (view, mine), (_, wanted) in zip(known.layers(), asked.layers(), strict=True):
        with progress(f"parts of speech, {view}", CLASS_STEPS, "step") as bar:
            scores[view] = class_accuracy(mine, labels, wanted, gold, bar.update)
    least = kind_of("tagging").guesses(_pairs(train), _pairs(dev), None)["word accuracy"]
    note = f"Parts of speech: a linear layer, {CLASS_STEPS:,} steps on the training part of UD English EWT."
    how = "commonest tag of the word"
    return [Row("pos", "Parts of speech, UD EWT dev, accuracy", scores, without=least, without_name=how, note=note)]


def chunks(reader: Reader, data: Path) -> list[Row]:
    """Chunks (phrases without what is nested in them) of CoNLL-2000, by a linear layer and a CRF."""
    return [_spans(reader, data, CHUNKS, "chunks", "CoNLL-2000", "Chunks, CoNLL-2000 test, F1")]


def names(reader: Reader, data: Path) -> list[Row]:
    """Entities of CoNLL-2003, by a linear layer and a CRF."""
    return [_spans(reader, data, NER, "ner", "CoNLL-2003", "Entities, CoNLL-2003 dev, F1")]


def _spans(reader: Reader, data: Path, files: tuple[str, str], task: str, corpus: str, title: str) -> Row:
    train, held_out = (_in_bioes(read_tagged(data / file)) for file in files)
    known, asked = reader.tokens(_tokens(train), f"{corpus}, train"), reader.tokens(_tokens(held_out), corpus)
    tags, gold = ([sentence.tags for sentence in split] for split in (train, held_out))
    what, scores = title.partition(",")[0], {}
    for (view, mine), (_, wanted) in zip(known.layers(), asked.layers(), strict=True):
        with progress(f"{what.lower()}, {view}", SPAN_STEPS, "step") as bar:
            said = span_tags(mine, tags, wanted, [len(row) for row in gold], "BIOES", bar.update)
        scores[view] = sum(span_counts(said, gold, "BIOES").values(), SpanCounts()).f1
    least = kind_of("tagging").guesses(_pairs(train), _pairs(held_out), "BIOES")["word f1"]
    note = f"{what}: a linear layer and a CRF, {SPAN_STEPS:,} steps on the training part of {corpus}."
    return Row(task, title, scores, without=least, without_name="commonest tag of the word", note=note)


def _tokens(sentences: Sequence[TaggedSentence]) -> list[tuple[str, ...]]:
    return [sentence.tokens for sentence in sentences]


def _pairs(sentences: Sequence[TaggedSentence]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(sentence.tokens, sentence.tags) for sentence in sentences]


def _in_bioes(sentences: Sequence[TaggedSentence]) -> list[TaggedSentence]:
    scheme = detect_scheme(sentence.tags for sentence in sentences)
    return [TaggedSentence(s.tokens, tuple(convert(s.tags, scheme, "BIOES")), s.line) for s in sentences]
