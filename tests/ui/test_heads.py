from dataclasses import replace

from elmo_tasks.api import HeadInfo, Score
from elmo_tasks.ui import cards


def test_baselines_are_not_offered_by_themselves(service):
    assert [(o.head.name, o.baseline and o.baseline.name) for o in cards.head_options(service.heads(), "tagging")] == [
        ("fake-ner", "fake-ner-static"),
        ("fake-medical", None),
        ("fake-pos", None),
    ]


def test_a_baseline_that_is_not_here_is_none():
    lonely = HeadInfo("a", "A", "tagging", ("PER",), "m", None, "gone")
    assert cards.head_options([lonely], "tagging") == (cards.HeadOption(lonely, None),)


def test_a_head_that_is_gone_gives_way_to_the_default(service):
    offered = cards.head_options(service.heads(), "tagging")
    assert cards.find(offered, "gone") is offered[0]
    assert cards.find(offered, "fake-pos") is offered[2]
    assert cards.find((), "x") is None


def test_score_in_one_line():
    head = HeadInfo("a", "A", "tagging", (), "m", Score("F1", 0.8749, "CoNLL-2003 test"))
    assert cards.score_line(head) == "F1 0.87 on CoNLL-2003 test"
    assert cards.score_line(replace(head, score=None)) == "not measured yet"
    baseline = replace(head, score=Score("F1", 0.7, "CoNLL-2003 test"))
    assert cards.about_line(cards.HeadOption(head, baseline), baseline=True).endswith(
        "without context: F1 0.70 on CoNLL-2003 test"
    )
    assert "without" not in cards.about_line(cards.HeadOption(head, baseline), baseline=False)


def test_two_heads_of_one_title_are_told_apart():
    assert cards.distinct([("a", "Names"), ("a-2", "Names"), ("b", "Tags")]) == ["Names: a", "Names: a-2", "Tags"]
