from __future__ import annotations

import pytest

from elmo_tasks.text.word_forms import are_inflections, may_be_forms_of_one_word


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bank", "banks"),
        ("bank", "banked"),
        ("bank", "banking"),
        ("bank", "banker"),
        ("run", "ran"),
        ("run", "running"),
        ("run", "runner"),
        ("play", "player"),
        ("play", "playful"),
        ("bark", "barking"),
        ("beauty", "beautiful"),
        ("beauty", "beauties"),
        ("happy", "happily"),
        ("culture", "cultural"),
        ("discharge", "discharged"),
        ("decorate", "decorator"),
        ("mouse", "mice"),
        ("leaf", "leaves"),
        ("be", "was"),
        ("lie", "lay"),
        ("lay", "laid"),
        ("mother", "motherhood"),
    ],
)
def test_forms(one: str, other: str) -> None:
    assert may_be_forms_of_one_word(one, other)
    assert may_be_forms_of_one_word(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bank", "ban"),
        ("bank", "shore"),
        ("bank", "bankrupt"),
        ("can", "canal"),
        ("car", "care"),
        ("see", "seed"),
        ("plan", "plane"),
        ("contract", "contrast"),
        ("the", "they"),
        ("on", "one"),
        ("a", "as"),
        ("run", "was"),
        ("bank", "."),
        ("", "bank"),
        ("...", "..."[:2]),
    ],
)
def test_not_forms(one: str, other: str) -> None:
    assert not may_be_forms_of_one_word(one, other)
    assert not may_be_forms_of_one_word(other, one)


@pytest.mark.parametrize(
    ("base", "forms"),
    [
        ("fast", "faster fastest"),
        ("wet", "wetter wettest"),
        ("mean", "meaner meanest meant means"),
        ("happy", "happier happiest"),
        ("large", "larger largest"),
        ("free", "freer freest"),
        ("dry", "drier driest"),
        ("far", "further farthest"),
        ("dream", "dreamt dreamed dreams"),
        ("learn", "learnt learned"),
        ("spell", "spelt"),
        ("leap", "leapt"),
        ("stride", "strode strides"),
        ("crisis", "crises"),
    ],
)
def test_inflections(base: str, forms: str) -> None:
    for form in forms.split():
        assert are_inflections(base, form)
        assert are_inflections(form, base)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("bank", "banker"),
        ("read", "reader"),
        ("for", "forest"),
        ("dig", "digest"),
        ("earn", "earnest"),
        ("numb", "number"),
        ("corn", "corner"),
        ("flow", "flower"),
        ("inter", "interest"),
        ("happy", "unhappy"),
        ("happier", "happen"),
    ],
)
def test_not_inflections(a: str, b: str) -> None:
    assert not are_inflections(a, b)
    assert not are_inflections(b, a)
