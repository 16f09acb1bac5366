from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.tag_schemes import (
    Scheme,
    Span,
    allowed_transitions,
    continuations,
    convert,
    detect_scheme,
    labels_of,
    spans_of,
    split_tag,
    tags_of,
    types_of,
)

# Two spans of one type that touch, one of another type that touches them, and one alone at the end.
SPANS = [Span(1, 3, "PER"), Span(3, 4, "PER"), Span(4, 6, "LOC"), Span(7, 8, "creative-work")]
SPELLED: dict[Scheme, str] = {
    "IOB1": "O I-PER I-PER B-PER I-LOC I-LOC O I-creative-work",
    "BIO": "O B-PER I-PER B-PER B-LOC I-LOC O B-creative-work",
    "BIOES": "O B-PER E-PER S-PER B-LOC E-LOC O S-creative-work",
}


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[Span], int]:
    """Spans in order that share no token, and the length of their sentence."""
    spans, at = [], 0
    for gap, length, type_ in draw(
        st.lists(
            st.tuples(st.integers(0, 2), st.integers(1, 4), st.sampled_from("XYZ")), max_size=5
        )
    ):
        spans.append(Span(at + gap, at + gap + length, type_))
        at += gap + length
    return spans, at + draw(st.integers(0, 2))


def any_tags(scheme: Scheme) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(labels_of("XY", scheme)), max_size=9)


@pytest.mark.parametrize("scheme", SPELLED)
def test_spelling(scheme: Scheme) -> None:
    tags = SPELLED[scheme].split()
    assert tags_of(reversed(SPANS), 8, scheme) == tags
    assert spans_of(tags, scheme) == SPANS


@pytest.mark.parametrize("source", SPELLED)
@pytest.mark.parametrize("target", SPELLED)
def test_conversion(source: Scheme, target: Scheme) -> None:
    assert convert(SPELLED[source].split(), source, target) == SPELLED[target].split()


@pytest.mark.parametrize("scheme", SPELLED)
@given(sentence=sentences())
def test_there_and_back(scheme: Scheme, sentence: tuple[list[Span], int]) -> None:
    spans, length = sentence
    assert spans_of(tags_of(spans, length, scheme), scheme) == spans


@pytest.mark.parametrize("scheme", SPELLED)
def test_well_formed_tags_come_back(scheme: Scheme) -> None:
    @given(any_tags(scheme))
    def check(tags: list[str]) -> None:
        well_formed = convert(tags, scheme, scheme)
        assert convert(well_formed, scheme, scheme) == well_formed
        assert spans_of(well_formed, scheme) == spans_of(tags, scheme)

    check()


@pytest.mark.parametrize("scheme", SPELLED)
def test_any_tags_are_read_as_the_conll_scorer_reads_them(scheme: Scheme) -> None:
    @given(any_tags(scheme))
    def check(tags: list[str]) -> None:
        assert spans_of(tags, scheme) == [
            Span(start, last + 1, type_) for type_, start, last in get_entities(tags)
        ]

    check()


@pytest.mark.parametrize(
    ("scheme", "tags", "spans"),
    [
        ("BIO", "O I-X I-X", [Span(1, 3, "X")]),
        ("BIO", "B-X I-Y", [Span(0, 1, "X"), Span(1, 2, "Y")]),
        ("BIOES", "B-X O", [Span(0, 1, "X")]),
        ("BIOES", "E-X E-X", [Span(0, 1, "X"), Span(1, 2, "X")]),
        ("BIOES", "S-X I-X E-X", [Span(0, 1, "X"), Span(1, 3, "X")]),
        ("BIOES", "B-X I-X L-X U-Y", [Span(0, 3, "X"), Span(3, 4, "Y")]),
        ("IOB1", "B-X I-X", [Span(0, 2, "X")]),
        ("BIO", "", []),
    ],
)
def test_reading(scheme: Scheme, tags: str, spans: list[Span]) -> None:
    assert spans_of(tags.split(), scheme) == spans


@pytest.mark.parametrize("tag", ["E-X", "X", "B", "B-", "BX", "BI-X", "", "o", "-X", "L-X", "IX-Y"])
def test_a_tag_of_no_scheme(tag: str) -> None:
    message = rf"token 2: '{tag}' is not a tag of the scheme BIO, which has O and B-TYPE, I-TYPE"
    with pytest.raises(DataError, match=message):
        spans_of(["O", tag], "BIO")


def test_a_type_may_have_a_dash() -> None:
    assert split_tag("U-Y-z", "BIOES") == ("S", "Y-z")


def test_labels() -> None:
    assert labels_of(["PER", "LOC", "PER"], "BIO") == ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")
    assert labels_of(["X"], "BIOES") == ("O", "B-X", "I-X", "E-X", "S-X")
    assert types_of(["O", "U-Y", "B-X", "L-X"], "BIOES") == ("X", "Y")
    with pytest.raises(DataError, match=r"^'E-X' is not a tag of the scheme BIO"):
        types_of(["E-X"], "BIO")


@pytest.mark.parametrize("scheme", SPELLED)
def test_detection(scheme: Scheme) -> None:
    assert detect_scheme([["O"], [], SPELLED[scheme].split()]) == scheme


def test_detection_knows_the_other_spelling() -> None:
    assert detect_scheme([["U-X", "O"]]) == "BIOES"


def test_detection_tolerates_one_error_in_a_hundred() -> None:
    assert detect_scheme([["I-X"]] * 200 + [["O", "B-X"]] * 2) == "IOB1"
    assert detect_scheme([["B-X", "E-X"]] * 200 + [["O", "B-X"]] * 2) == "BIOES"


@pytest.mark.parametrize(
    ("sequences", "message"),
    [
        ([], "is unclear: no token has a tag other than O"),
        ([["O", "O"], []], "is unclear: no token has a tag other than O"),
        (
            [["O"], ["B-X", "O", "I-Y"], ["B-X"]],
            r"2 spans begin as only BIO writes them \(first 'B-X' as token 1 of sentence 2\), "
            r"and 1 as only IOB1 does \(first 'I-Y' as token 3 of sentence 2\)",
        ),
        (
            [["B-X", "O", "S-X"]],
            r"0 tags E- \(L-\) and 1 tags S- \(U-\), as only BIOES has, but 1 tags B-",
        ),
        ([["O"], ["O", "NOUN"]], r"sentence 2, token 2: 'NOUN' is not a tag of the scheme BIOES"),
    ],
)
def test_detection_does_not_guess(sequences: list[list[str]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        detect_scheme(sequences)


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@given(sentence=sentences())
def test_well_formed_sequences_are_allowed(
    scheme: Scheme, sentence: tuple[list[Span], int]
) -> None:
    allowed = allowed_transitions(labels_of("XYZ", scheme), scheme)
    tags = tags_of(*sentence, scheme)
    assert not set(pairwise(tags)) - allowed.pairs
    assert allowed.starts.issuperset(tags[:1])
    assert allowed.ends.issuperset(tags[-1:])


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
def test_allowed_sequences_are_well_formed(scheme: Scheme) -> None:
    allowed = allowed_transitions(labels_of("XY", scheme), scheme)

    @given(any_tags(scheme))
    def check(tags: list[str]) -> None:
        passes = allowed.pairs.issuperset(pairwise(tags))
        passes &= allowed.starts.issuperset(tags[:1]) and allowed.ends.issuperset(tags[-1:])
        assert passes == (convert(tags, scheme, scheme) == tags)

    check()


def test_constraints_of_iob1() -> None:
    with pytest.raises(ConfigError, match="constraints exist for BIO and BIOES, not for IOB1"):
        allowed_transitions(["O"], "IOB1")


def test_continuations() -> None:
    assert continuations(["O", "B-X", "I-X", "B-Y", "I-Y"], "BIO") == {
        ("B-X", "I-X"),
        ("I-X", "I-X"),
        ("B-Y", "I-Y"),
        ("I-Y", "I-Y"),
    }
    pairs = continuations(["O", "B-X", "I-X", "L-X", "U-X"], "BIOES")
    assert pairs == {("B-X", "I-X"), ("B-X", "L-X"), ("I-X", "I-X"), ("I-X", "L-X")}
    assert pairs <= allowed_transitions(["O", "B-X", "I-X", "L-X", "U-X"], "BIOES").pairs
