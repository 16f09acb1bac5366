from __future__ import annotations

import ast
import random
import re
from pathlib import Path
from typing import get_args

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import f1_score
from seqeval.metrics.sequence_labeling import precision_recall_fscore_support as span_scores
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support
from torch import distributed, multiprocessing

from elmo_tasks.bundled import CONFIGS
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.heads.head import HeadTask, Prediction
from elmo_tasks.heads.head_files import default_head, find_head
from elmo_tasks.tasks import CLASSIFICATION, TAGGING, TASKS, find_task
from elmo_tasks.tasks.task import Task
from elmo_tasks.tasks.task_scores import Counts, TagScores, TaskScores, span_counts
from elmo_tasks.text.tag_schemes import Scheme, labels_of
from elmo_tasks.ui.try_tab import CARDS

LIBRARY = Path(__file__).resolve().parents[2] / "elmo_tasks"


@pytest.mark.parametrize("kind", TASKS.values(), ids=lambda kind: kind.name)
def test_every_kind_is_complete(kind: Task) -> None:
    assert kind.data.kind == kind.name
    assert set(kind.uploads.values()) <= set(kind.file_formats)
    assert (CONFIGS / f"{kind.sample}.yaml").is_file()
    assert find_head(default_head(kind.name)).kind == kind.name


def test_the_bundled_tasks_have_a_card_in_try() -> None:
    assert set(CARDS) == set(TASKS)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(
        ConfigError, match="there is no kind of task 'parsing', only classification, tagging"
    ):
        find_task("parsing")


def test_only_the_code_of_a_task_compares_its_name() -> None:
    """Code that compares names of tasks would have to change for a third task."""
    asking = set()
    for path in LIBRARY.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare) and any(
                isinstance(part, ast.Constant) and part.value in TASKS
                for part in (node.left, *node.comparators)
            ):
                asking.add(path.relative_to(LIBRARY).as_posix())
    assert asking == set()


CLASSES = ("bad", "fair", "good", "never seen")
TYPES = ("LOC", "ORG", "PER")
LABELS = tuple(labels_of(TYPES, "BIO"))
Rows = list[Prediction]

PREDICTED: Rows = [("B-PER", "I-PER", "O", "B-LOC"), ("O", "I-ORG", "B-PER"), ("O", "O"), ()]
GOLD: Rows = [("B-PER", "I-PER", "O", "B-ORG"), ("O", "B-ORG", "I-ORG"), ("O", "O"), ()]


def tag_scores(labels: tuple[str, ...] = LABELS, scheme: Scheme | None = "BIO") -> TaskScores:
    return TAGGING.scores(HeadTask(labels, 2, 1, scheme))


def random_classes(seed: int) -> tuple[Rows, Rows]:
    draw = random.Random(seed)
    gold: Rows = [draw.choice(CLASSES[:3]) for _ in range(60)]
    return [draw.choice(CLASSES[:3]) if draw.random() < 0.4 else label for label in gold], gold


def random_tags(seed: int, labels: tuple[str, ...] = LABELS) -> tuple[Rows, Rows]:
    """Tags that break their scheme often, and others that agree with most of them."""
    draw = random.Random(seed)
    gold = [tuple(draw.choice(labels) for _ in range(draw.randrange(12))) for _ in range(40)]
    return [
        tuple(draw.choice(labels) if draw.random() < 0.3 else tag for tag in row) for row in gold
    ], list(gold)


def scored(scores: TaskScores, predicted: Rows, gold: Rows) -> dict[str, float]:
    """In batches of 7, so that batches are added up."""
    for k in range(0, len(predicted), 7):
        scores.update(predicted[k : k + 7], gold[k : k + 7])
    return scores.compute()


def assert_as_seqeval(predicted: Rows, gold: Rows, scheme: Scheme) -> None:
    metric = tag_scores(tuple(labels_of(TYPES, scheme)), scheme)
    scores = scored(metric, predicted, gold)
    assert metric.main == "f1"
    lists = [list(row) for row in gold], [list(row) for row in predicted]
    assert scores["f1"] == pytest.approx(f1_score(*lists))
    assert [scores["precision"], scores["recall"]] == pytest.approx(
        span_scores(*lists, average="micro", zero_division=0)[:2]
    )
    by_type = zip(*span_scores(*lists, average=None, zero_division=0), strict=True)
    counts = span_counts(predicted, gold, scheme)
    for type_, (precision, recall, f1, support) in zip(counts, by_type, strict=True):
        own = [scores[f"{score}/{type_}"] for score in ("precision", "recall", "f1")]
        assert own == pytest.approx([precision, recall, f1])
        assert counts[type_].gold == support
    flat = [tag for row in gold for tag in row], [tag for row in predicted for tag in row]
    assert scores["accuracy"] == pytest.approx(accuracy_score(*flat))
    assert {name for name in scores if "/" in name} == {
        f"{score}/{type_}" for score in ("precision", "recall", "f1") for type_ in TYPES
    }
    assert metric.confusion_matrix() == []


@pytest.mark.parametrize("seed", range(3))
def test_scores_of_classes_are_those_of_scikit_learn(seed: int) -> None:
    predicted, gold = random_classes(seed)
    metric = CLASSIFICATION.scores(HeadTask(CLASSES, 2, 1))
    scores = scored(metric, predicted, gold)
    assert metric.main == "accuracy"
    assert scores.pop("accuracy") == pytest.approx(accuracy_score(gold, predicted))
    by_class = precision_recall_fscore_support(gold, predicted, labels=CLASSES, zero_division=0)
    for name, values in zip(("precision", "recall", "f1"), by_class[:3], strict=True):
        assert [scores.pop(f"{name}/{label}") for label in CLASSES] == pytest.approx(list(values))
    macro = precision_recall_fscore_support(gold, predicted, average="macro", zero_division=0)[2]
    assert scores.pop("macro_f1") == pytest.approx(macro)
    assert scores == {}
    assert metric.confusion_matrix() == confusion_matrix(gold, predicted, labels=CLASSES).tolist()


def test_spans_by_hand() -> None:
    assert span_counts(PREDICTED, GOLD, "BIO") == {
        "LOC": Counts(0, 1, 0),
        "ORG": Counts(0, 1, 2),
        "PER": Counts(1, 2, 1),
    }
    scores = scored(tag_scores(), PREDICTED, GOLD)
    assert scores["precision"] == pytest.approx(1 / 4)
    assert scores["recall"] == pytest.approx(1 / 3)
    assert scores["f1"] == pytest.approx(2 / 7)
    assert scores["f1/PER"] == pytest.approx(2 / 3)
    assert scores["f1/LOC"] == scores["recall/LOC"] == scores["precision/ORG"] == 0
    assert len(scores) == 13


def test_hand_written_spans_as_seqeval() -> None:
    assert_as_seqeval(PREDICTED, GOLD, "BIO")
    assert_as_seqeval([("I-PER", "I-LOC", "B-LOC")], [("B-PER", "B-LOC", "I-LOC")], "BIO")
    assert_as_seqeval([("B-PER", "O", "E-PER")], [("S-PER", "O", "S-PER")], "BIOES")


@pytest.mark.parametrize("scheme", get_args(Scheme))
@given(st.data())
def test_any_spans_as_seqeval(scheme: Scheme, data: st.DataObject) -> None:
    labels = st.sampled_from(labels_of(TYPES, scheme))
    pairs = data.draw(
        st.lists(st.lists(st.tuples(labels, labels), max_size=6), min_size=1, max_size=4)
    )
    predicted, gold = ([tuple(pair[side] for pair in row) for row in pairs] for side in (0, 1))
    if span_counts(predicted, gold, scheme):  # seqeval has no answer where there is no span at all
        assert_as_seqeval(list(predicted), list(gold), scheme)


def test_tags_without_a_scheme_are_scored_by_accuracy_alone() -> None:
    labels = ("DT", "NN", "VB")
    predicted, gold = random_tags(0, labels)
    metric = tag_scores(labels, None)
    assert metric.main == "accuracy"
    flat = [tag for row in gold for tag in row], [tag for row in predicted for tag in row]
    assert scored(metric, predicted, gold) == {"accuracy": pytest.approx(accuracy_score(*flat))}


@pytest.mark.parametrize("scheme", ["BIO", None])
def test_nothing_to_score_is_zero(scheme: Scheme | None) -> None:
    metric = tag_scores(scheme=scheme)
    metric.update([], [])
    metric.update([()], [()])  # a sentence without tokens
    assert set(metric.compute().values()) == {0.0}
    classes = CLASSIFICATION.scores(HeadTask(CLASSES, 2, 1))
    classes.update([], [])
    assert classes.compute() == {"accuracy": 0.0, "macro_f1": 0.0}
    assert classes.confusion_matrix() == []


def _score_a_share(rank: int, folder: str) -> None:
    """Score 39 sentences in the first of two processes, and one without spans in the second."""
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2
    )
    try:
        predicted, gold = random_tags(0)
        predicted[39] = gold[39] = ("O",) * 3
        share = slice(0, 39) if rank == 0 else slice(39, 40)
        metric, idle = tag_scores(), tag_scores()
        alone = TagScores(HeadTask(LABELS, 2, 1, "BIO"), True)
        metric.update(predicted[share], gold[share])
        if rank == 0:
            idle.update(predicted, gold)
        alone.update(predicted, gold)
        # Twice: a sum that was kept would count the other process again.
        torch.save([m.compute() for m in (metric, metric, idle, alone)], f"{folder}/{rank}.pt")
    finally:
        distributed.destroy_process_group()


@pytest.mark.nightly
@pytest.mark.skipif(not distributed.is_available(), reason="this PyTorch has no torch.distributed")
def test_two_processes(tmp_path: Path) -> None:
    multiprocessing.spawn(_score_a_share, (str(tmp_path),), nprocs=2)
    predicted, gold = random_tags(0)
    predicted[39] = gold[39] = ("O",) * 3
    expected = scored(tag_scores(), predicted, gold)
    assert 0 < expected["f1"] < 1
    for rank in range(2):
        assert torch.load(tmp_path / f"{rank}.pt", weights_only=True) == [expected] * 4


@pytest.mark.parametrize(
    ("predicted", "gold", "error", "message"),
    [
        ([("O",)], [], ValueError, "zip() argument 2 is shorter than argument 1"),
        ([("O",), ("O",)], [("O",), ()], ValueError, "zip() argument 2 is shorter than argument 1"),
        ([("NOUN",)], [("O",)], DataError, "token 1: 'NOUN' is not a tag of the scheme BIO"),
    ],
)
def test_tags_that_cannot_be_scored(
    predicted: Rows, gold: Rows, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        tag_scores().update(predicted, gold)


def test_the_baseline_of_texts_is_the_majority_class_of_training() -> None:
    train = [(["a"], "bad"), (["b"], "good"), (["c"], "good")]
    held_out = [(["a"], "bad"), (["b"], "bad"), (["c"], "bad"), (["d"], "good")]
    assert CLASSIFICATION.baseline_scores(train, held_out, None) == {"majority": 0.25}


def test_the_baseline_of_words_is_their_most_frequent_tag() -> None:
    train = [
        (["we", "saw", "Jordan", "Lee"], ("O", "O", "B-PER", "I-PER")),
        (["Jordan", "is", "far"], ("B-LOC", "O", "O")),
        (["Jordan", "ran"], ("B-PER", "O")),
    ]
    held_out = [
        (["Jordan", "Lee", "ran"], ("B-PER", "I-PER", "O")),  # known: all right
        (
            ["Kim", "left", "Jordan"],
            ("B-PER", "O", "B-LOC"),
        ),  # Kim is new: O; Jordan was a person twice of three times
    ]
    # Predicted: Jordan Lee, Jordan; correct: the first. Beside an F1, no accuracy.
    assert TAGGING.baseline_scores(train, held_out, "BIO") == {
        "word f1": pytest.approx(2 * 1 / (2 + 3))
    }
    assert TAGGING.baseline_scores(train, held_out, None) == {
        "word accuracy": pytest.approx(4 / 6),
        "majority": pytest.approx(2 / 6),  # O
    }


def test_baselines_of_nothing() -> None:
    train = [(["a"], ("O",))]
    assert CLASSIFICATION.baseline_scores([(["a"], "bad")], [], None) == {}
    assert TAGGING.baseline_scores(train, [], None) == {}
    assert TAGGING.baseline_scores(train, [([], ())], None) == {
        "majority": 0.0,
        "word accuracy": 0.0,
    }
    assert TAGGING.baseline_scores(train, [([], ())], "BIO") == {"word f1": 0.0}


@pytest.mark.parametrize(
    ("task", "scheme"), [(CLASSIFICATION, None), (TAGGING, None), (TAGGING, "BIO")]
)
def test_baselines_are_in_the_metric_of_the_main_score(task: Task, scheme: Scheme | None) -> None:
    labels = CLASSES if task is CLASSIFICATION else ("O", "B-X", "I-X")
    row = "bad" if task is CLASSIFICATION else ("B-X", "O")
    metric = task.scores(HeadTask(labels, 2, 1, scheme))
    baselines = task.baseline_scores([(["a", "b"], row)], [(["a", "b"], row)], scheme)
    assert metric.main == task.main_score(scheme)
    assert set(baselines) <= set(task.baselines)
    assert max(baselines.values()) == 1.0  # what was learned by heart
    assert all(name.endswith("f1") for name in baselines) == (metric.main == "f1")
