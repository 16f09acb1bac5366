from __future__ import annotations

import random

import pytest
from seqeval.metrics import f1_score as span_f1
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from elmo_tasks.heads.head import HeadTask, Prediction
from elmo_tasks.tasks.kind import TaskKind
from elmo_tasks.tasks.kinds import kind_of
from elmo_tasks.tasks.task_scores import TaskScores
from elmo_tasks.text.tag_schemes import SCHEMES, Scheme, labels_of

CLASSES = ("bad", "fair", "good", "never seen")
TYPES = ("LOC", "PER")
TEXTS, TAGS = kind_of("classification"), kind_of("tagging")


def random_classes(seed: int) -> tuple[list[Prediction], list[Prediction]]:
    draw = random.Random(seed)
    gold: list[Prediction] = [draw.choice(CLASSES[:3]) for _ in range(60)]
    return [draw.choice(CLASSES[:3]) if draw.random() < 0.4 else label for label in gold], gold


def random_tags(seed: int, labels: tuple[str, ...]) -> tuple[list[Prediction], list[Prediction]]:
    draw = random.Random(seed)
    gold = [tuple(draw.choice(labels) for _ in range(draw.randrange(9))) for _ in range(40)]
    said = [tuple(draw.choice(labels) if draw.random() < 0.3 else tag for tag in row) for row in gold]
    return list(said), list(gold)


def scored(scores: TaskScores, said: list[Prediction], gold: list[Prediction]) -> dict[str, float]:
    """In batches of 7, so that batches are added up."""
    for k in range(0, len(said), 7):
        scores.update(said[k : k + 7], gold[k : k + 7])
    return scores.compute()


@pytest.mark.parametrize("seed", range(3))
def test_scores_of_classes_are_those_of_scikit_learn(seed: int) -> None:
    said, gold = random_classes(seed)
    scores = TEXTS.scores(HeadTask(CLASSES, 2, 1))
    found = scored(scores, said, gold)
    assert scores.main == "accuracy"
    assert found.pop("accuracy") == pytest.approx(accuracy_score(gold, said))
    by_class = precision_recall_fscore_support(gold, said, labels=CLASSES, zero_division=0)
    for name, values in zip(("precision", "recall", "f1"), by_class[:3], strict=True):
        assert [found.pop(f"{name}/{label}") for label in CLASSES] == pytest.approx(list(values))
    assert found == {}
    assert scores.confusion_matrix() == confusion_matrix(gold, said, labels=CLASSES).tolist()


@pytest.mark.parametrize("scheme", [s for s in SCHEMES if s != "IOB1"])
@pytest.mark.parametrize("seed", range(3))
def test_scores_of_spans_are_those_of_seqeval(scheme: Scheme, seed: int) -> None:
    labels = tuple(labels_of(TYPES, scheme))
    said, gold = random_tags(seed, labels)
    scores = TAGS.scores(HeadTask(labels, 2, 1, scheme))
    found = scored(scores, said, gold)
    assert scores.main == "f1"
    assert found["f1"] == pytest.approx(span_f1([list(r) for r in gold], [list(r) for r in said]))
    flat = [tag for row in gold for tag in row], [tag for row in said for tag in row]
    assert found["accuracy"] == pytest.approx(accuracy_score(*flat))
    assert {name for name in found if "/" in name} == {f"{n}/{t}" for n in ("precision", "recall", "f1") for t in TYPES}
    assert scores.confusion_matrix() == []


def test_tags_without_a_scheme_are_scored_by_accuracy_alone() -> None:
    said, gold = random_tags(0, ("DT", "NN", "VB"))
    scores = TAGS.scores(HeadTask(("DT", "NN", "VB"), 2, 1))
    assert scores.main == "accuracy"
    flat = [tag for row in gold for tag in row], [tag for row in said for tag in row]
    assert scored(scores, said, gold) == {"accuracy": pytest.approx(accuracy_score(*flat))}


def test_reset_forgets() -> None:
    scores = TEXTS.scores(HeadTask(CLASSES, 2, 1))
    scored(scores, *random_classes(0))
    scores.reset()
    scores.update(["bad", "fair"], ["bad", "good"])
    assert scores.compute()["accuracy"] == 0.5
    assert sum(map(sum, scores.confusion_matrix())) == 2


@pytest.mark.parametrize("scheme", ["BIO", None])
def test_nothing_to_score_is_zero(scheme: Scheme | None) -> None:
    labels = ("O", "B-X", "I-X")
    scores = TAGS.scores(HeadTask(labels, 2, 1, scheme))
    scores.update([], [])
    scores.update([()], [()])  # a sentence without tokens
    assert set(scores.compute().values()) == {0.0}
    classes = TEXTS.scores(HeadTask(CLASSES, 2, 1))
    classes.update([], [])
    assert classes.compute() == {"accuracy": 0.0}
    assert classes.confusion_matrix() == []


def test_the_majority_class_of_training_is_guessed() -> None:
    train = [(["a"], "bad"), (["b"], "good"), (["c"], "good")]
    held_out = [(["a"], "bad"), (["b"], "bad"), (["c"], "bad"), (["d"], "good")]
    assert TEXTS.guesses(train, held_out, None) == {"majority": 0.25}


def test_a_word_is_guessed_to_be_what_it_was_most_often() -> None:
    train = [
        (["we", "saw", "Jordan", "Lee"], ("O", "O", "B-PER", "I-PER")),
        (["Jordan", "is", "far"], ("B-LOC", "O", "O")),
        (["Jordan", "ran"], ("B-PER", "O")),
    ]
    held_out = [
        (["Jordan", "Lee", "ran"], ("B-PER", "I-PER", "O")),  # known: all right
        (["Kim", "left", "Jordan"], ("B-PER", "O", "B-LOC")),  # Kim is new: O; Jordan was a person twice of three times
    ]
    # Predicted: Jordan Lee, Jordan; right: the first. Beside an F1, no accuracy.
    assert TAGS.guesses(train, held_out, "BIO") == {"word f1": pytest.approx(2 * 1 / (2 + 3))}
    assert TAGS.guesses(train, held_out, None) == {
        "word accuracy": pytest.approx(4 / 6),
        "majority": pytest.approx(2 / 6),  # O
    }


def test_tags_without_a_scheme_have_no_span_guess() -> None:
    train = [(["a", "dog"], ("DT", "NN")), (["the", "dog"], ("DT", "NN")), (["dog"], ("NN",))]
    found = TAGS.guesses(train, [(["the", "cat"], ("DT", "NN"))], None)
    assert found == {"majority": 0.5, "word accuracy": 1.0}


def test_nothing_held_out_has_no_guess() -> None:
    assert TEXTS.guesses([(["a"], "bad")], [], None) == {}
    assert TAGS.guesses([(["a"], ("O",))], [], None) == {}


def test_held_out_sentences_without_tokens_are_guessed() -> None:
    assert TAGS.guesses([(["a"], ("O",))], [([], ())], None) == {"majority": 0.0, "word accuracy": 0.0}
    assert TAGS.guesses([(["a"], ("O",))], [([], ())], "BIO") == {"word f1": 0.0}


@pytest.mark.parametrize(("kind", "scheme"), [(TEXTS, None), (TAGS, None), (TAGS, "BIO")])
def test_what_one_scores_without_a_model_is_in_the_metric_of_the_score(kind: TaskKind, scheme: Scheme | None) -> None:
    """A rule is named with words, and an F1 stands beside an F1."""
    labels = CLASSES if kind is TEXTS else ("O", "B-X", "I-X")
    row = "bad" if kind is TEXTS else ("B-X", "O")
    scores = kind.scores(HeadTask(labels, 2, 1, scheme))
    found = kind.guesses([(["a", "b"], row)], [(["a", "b"], row)], scheme)
    assert scores.main == kind.main_score(scheme)
    assert set(found) <= set(kind.guess_rules)
    # Always right on what was learned by heart, and accuracy never is where an F1 is asked.
    assert max(found.values()) == 1.0
    assert all(rule.endswith("f1") for rule in found) == (scores.main == "f1")
