"""Linear probes of a layer: parts of speech, chunks, entities and sentiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from elmo_tasks.data.labelled_texts import read_labelled
from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.tables import TextColumns
from elmo_tasks.data.tag_files import read_tagged
from elmo_tasks.encoders.batches import ProgressStep
from elmo_tasks.evaluation.reader import Reader, progress
from elmo_tasks.evaluation.results import ResultRow
from elmo_tasks.heads.crf import CRF
from elmo_tasks.tasks import find_task
from elmo_tasks.tasks.task_scores import micro, span_counts
from elmo_tasks.text.tag_schemes import Scheme, convert, detect_scheme

POS = ("tagging/ud_ewt/en_ewt-ud-train.conllu.xz", "tagging/ud_ewt/en_ewt-ud-dev.conllu.xz")
CHUNKS = ("tagging/conll2000/train.txt", "tagging/conll2000/test.txt")
NER = ("ner/conll2003/eng.train", "ner/conll2003/eng.testa")
SST2 = ("sentiment/sst2/train.tsv", "sentiment/sst2/dev.tsv")

CLASS_STEPS = 1500
_TOKENS_A_STEP = 512
SPAN_STEPS = 1000
_SENTENCES_A_STEP = 32
_MAX_RATE = 0.01

TokenVectors = NDArray[np.floating]
TagLists = Sequence[Sequence[str]]
#: Vectors ``[n, D]`` of all training tokens and of all test tokens, and a progress callback -> a
#: score.
ProbeScore = Callable[[TokenVectors, TokenVectors, ProgressStep], float]


def parts_of_speech(reader: Reader, data: Path) -> list[ResultRow]:
    """Universal parts of speech of the English Web Treebank, by softmax regression."""
    train, dev = (read_tagged(data / file, tag_column="upos") for file in POS)
    labels, gold = ([tag for sentence in split for tag in sentence.tags] for split in (train, dev))

    def score(train_rows: TokenVectors, test_rows: TokenVectors, step: ProgressStep) -> float:
        return class_accuracy(train_rows, labels, test_rows, gold, step)

    splits = {"UD EWT, train": _tokens(train), "UD EWT, dev": _tokens(dev)}
    scores = _by_layer(reader, splits, "parts of speech", CLASS_STEPS, score)
    baseline = _baseline(train, dev, None)["word accuracy"]
    note = (
        f"Parts of speech: a linear layer, {CLASS_STEPS:,} steps on the training part of UD English"
        " EWT."
    )
    how = "commonest tag of the word"
    return [
        ResultRow(
            "pos",
            "Parts of speech, UD EWT dev, accuracy",
            scores,
            without=baseline,
            without_name=how,
            note=note,
        )
    ]


def _spans(
    reader: Reader, data: Path, files: tuple[str, str], task: str, corpus: str, title: str
) -> list[ResultRow]:
    """Non-nested spans, by a linear layer and a CRF."""
    train, held_out = (_in_bioes(read_tagged(data / file)) for file in files)
    tags, gold = ([sentence.tags for sentence in split] for split in (train, held_out))
    name = title.partition(",")[0]

    def score(train_rows: TokenVectors, test_rows: TokenVectors, step: ProgressStep) -> float:
        predicted = span_tags(
            train_rows, tags, test_rows, [len(row) for row in gold], "BIOES", step
        )
        return micro(span_counts(predicted, gold, "BIOES").values()).f1

    splits = {f"{corpus}, train": _tokens(train), corpus: _tokens(held_out)}
    scores = _by_layer(reader, splits, name.lower(), SPAN_STEPS, score)
    baseline = _baseline(train, held_out, "BIOES")["word f1"]
    note = (
        f"{name}: a linear layer and a CRF, {SPAN_STEPS:,} steps on the training part of {corpus}."
    )
    return [
        ResultRow(
            task,
            title,
            scores,
            without=baseline,
            without_name="commonest tag of the word",
            note=note,
        )
    ]


chunks = partial(
    _spans, files=CHUNKS, task="chunks", corpus="CoNLL-2000", title="Chunks, CoNLL-2000 test, F1"
)
entities = partial(
    _spans, files=NER, task="ner", corpus="CoNLL-2003", title="Entities, CoNLL-2003 dev, F1"
)


def _by_layer(
    reader: Reader,
    splits: Mapping[str, Sequence[tuple[str, ...]]],
    what: str,
    steps: int,
    score: ProbeScore,
) -> dict[str, float]:
    """Score of each layer, given vectors of the training and held-out sentences."""
    train_vectors, test_vectors = (
        reader.tokens(sentences, name) for name, sentences in splits.items()
    )
    scores = {}
    for (view, train_rows), (_, test_rows) in zip(train_vectors, test_vectors, strict=True):
        with progress(f"{what}, {view}", steps, "step") as bar:
            scores[view] = score(train_rows, test_rows, bar.update)
    return scores


def _tokens(sentences: Sequence[TaggedSentence]) -> list[tuple[str, ...]]:
    return [sentence.tokens for sentence in sentences]


def _baseline(
    train: Sequence[TaggedSentence], held_out: Sequence[TaggedSentence], scheme: Scheme | None
) -> dict[str, float]:
    train_pairs, pairs = (
        [(sentence.tokens, sentence.tags) for sentence in split] for split in (train, held_out)
    )
    return find_task("tagging").baseline_scores(train_pairs, pairs, scheme)


def _in_bioes(sentences: Sequence[TaggedSentence]) -> list[TaggedSentence]:
    scheme = detect_scheme(sentence.tags for sentence in sentences)
    return [
        TaggedSentence(s.tokens, tuple(convert(s.tags, scheme, "BIOES")), s.line) for s in sentences
    ]


def sentiment(reader: Reader, data: Path) -> list[ResultRow]:
    """Sentences of SST-2, by softmax regression on the mean of their tokens."""
    train, dev = (
        read_labelled(data / file, columns=TextColumns(text=0, label=1, header=False))
        for file in SST2
    )
    sentences = [[tuple(row.text.split()) for row in split] for split in (train, dev)]
    labels, gold = ([row.label for row in split] for split in (train, dev))
    lengths = [np.array([len(sentence) for sentence in split]) for split in sentences]

    def score(train_rows: TokenVectors, test_rows: TokenVectors, step: ProgressStep) -> float:
        train_vectors, test_vectors = (
            np.add.reduceat(rows.astype(np.float32), np.cumsum(n) - n) / n[:, None]
            for rows, n in zip((train_rows, test_rows), lengths, strict=True)
        )
        return class_accuracy(train_vectors, labels, test_vectors, gold, step)

    splits = dict(zip(("SST-2, train", "SST-2, dev"), sentences, strict=True))
    scores = _by_layer(reader, splits, "sentiment", CLASS_STEPS, score)
    commonest = Counter(labels).most_common(1)[0][0]
    baseline = sum(label == commonest for label in gold) / len(gold)
    note = (
        f"Sentiment: a linear layer on the mean of the tokens, {CLASS_STEPS:,} steps on the"
        " training part of SST-2."
    )
    title = "Sentiment, SST-2 dev, accuracy"
    return [
        ResultRow(
            "sentiment", title, scores, without=baseline, without_name="commonest class", note=note
        )
    ]


def _standardizer(train: TokenVectors) -> Callable[[TokenVectors], Tensor]:
    """Standardize vectors by those of the training part, so that one rate suits all."""
    sample = train[:: max(1, len(train) // 20_000)].astype(np.float32)
    mean, deviation = sample.mean(axis=0), sample.std(axis=0) + 1e-6
    return lambda rows: torch.from_numpy((rows.astype(np.float32) - mean) / deviation)


def class_accuracy(
    train: TokenVectors,
    train_labels: Sequence[str],
    held_out: TokenVectors,
    held_out_labels: Sequence[str],
    step: ProgressStep | None = None,
) -> float:
    """Accuracy on ``[m, D]`` vectors of softmax regression, trained on ``[n, D]``.

    The number of steps and the seed are fixed. Labels that do not occur in training count as wrong.
    """
    ids = {label: k for k, label in enumerate(sorted(set(train_labels)))}
    target = torch.tensor([ids[label] for label in train_labels])
    standardize, generator = _standardizer(train), torch.Generator().manual_seed(0)
    linear = _zero_linear(train.shape[1], len(ids))

    def loss() -> Tensor:
        chosen = torch.randint(len(train), (_TOKENS_A_STEP,), generator=generator)
        return nn.functional.cross_entropy(
            linear(standardize(train[chosen.numpy()])), target[chosen]
        )

    _minimize([*linear.parameters()], loss, CLASS_STEPS, step)
    with torch.no_grad():
        predicted = linear(standardize(held_out)).argmax(dim=1)
    gold = torch.tensor([ids.get(label, -1) for label in held_out_labels])
    return float((predicted == gold).double().mean())


def span_tags(
    train: TokenVectors,
    train_tags: TagLists,
    held_out: TokenVectors,
    lengths: Sequence[int],
    scheme: Scheme,
    step: ProgressStep | None = None,
) -> list[tuple[str, ...]]:
    """Predict held-out tags by a linear layer and a CRF.

    The number of steps and the seed are fixed. ``[n, D]`` and ``[m, D]`` are the vectors of all
    tokens, sentence by sentence, and ``lengths`` the tokens of each held-out sentence.
    """
    labels = tuple(sorted({tag for row in train_tags for tag in row}))
    ids = {label: k for k, label in enumerate(labels)}
    standardize, random = _standardizer(train), np.random.default_rng(0)
    linear = _zero_linear(train.shape[1], len(labels))
    torch.manual_seed(0)
    crf = CRF(labels, scheme)
    places = _places([len(row) for row in train_tags])
    # Sentences of similar length share a batch, so that little is padding; a few of the shortest
    # are dropped, so that all batches are full.
    order = np.argsort([len(row) for row in train_tags], kind="stable")
    order = order[len(order) % _SENTENCES_A_STEP :] if len(order) > _SENTENCES_A_STEP else order
    batches = _cut(order, _SENTENCES_A_STEP)

    def loss() -> Tensor:
        chosen = batches[random.integers(len(batches))]
        emissions, mask = _padded(linear, standardize, train, [places[k] for k in chosen])
        tags = torch.zeros(mask.shape, dtype=torch.long)
        tags[mask] = torch.tensor([ids[tag] for k in chosen for tag in train_tags[k]])
        return -crf(emissions, tags, mask, reduction="token_mean")

    _minimize([*linear.parameters(), *crf.parameters()], loss, SPAN_STEPS, step)
    predicted: list[tuple[str, ...]] = [()] * len(lengths)
    places = _places(lengths)
    with torch.no_grad():
        for chosen in _cut(np.argsort(lengths, kind="stable"), 4 * _SENTENCES_A_STEP):
            decoded = crf.decode(
                *_padded(linear, standardize, held_out, [places[k] for k in chosen])
            )
            for k, row in zip(chosen, decoded, strict=True):
                predicted[k] = tuple(labels[tag] for tag in row)
    return predicted


def _zero_linear(width: int, n_labels: int) -> nn.Linear:
    linear = nn.Linear(width, n_labels)
    nn.init.zeros_(linear.weight)  # a convex loss needs no random start
    nn.init.zeros_(linear.bias)
    return linear


def _minimize(
    parameters: Sequence[Tensor], loss: Callable[[], Tensor], steps: int, step: ProgressStep | None
) -> None:
    optimizer = torch.optim.Adam(parameters, _MAX_RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        schedule.step()
        if step is not None:
            step(1)


def _cut(rows: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    return np.split(rows, range(size, len(rows), size))


def _places(lengths: Sequence[int]) -> list[tuple[int, int]]:
    return list(pairwise(np.concatenate([[0], np.cumsum(lengths)]).astype(int).tolist()))


def _padded(
    linear: nn.Linear,
    standardize: Callable[[TokenVectors], Tensor],
    rows: TokenVectors,
    places: Sequence[tuple[int, int]],
) -> tuple[Tensor, Tensor]:
    """Padded emissions ``[B, T, K]`` and mask ``[B, T]`` of some sentences."""
    lengths = torch.tensor([end - start for start, end in places])
    mask = torch.arange(int(lengths.max())) < lengths.unsqueeze(1)
    emissions = torch.zeros(*mask.shape, linear.out_features)
    emissions[mask] = linear(
        standardize(np.concatenate([rows[start:end] for start, end in places]))
    )
    return emissions, mask
