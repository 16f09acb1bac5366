"""The terms of the field, where a text first uses them."""

import pytest

from elmo_tasks.messages.terms import TERMS, first_terms


def test_each_term_is_explained_where_it_first_comes():
    pieces = first_terms(
        "At layer 2 their cosines average 0.30 (two random words 0.16); a cosine of layer 1 says less."
    )
    assert [(text, why) for text, why in pieces if why] == [
        ("layer 2", TERMS["layer"]),
        ("cosines", TERMS["cosine"]),
        ("two random words", TERMS["two random words"]),
    ]


@pytest.mark.parametrize(
    "text", ["A vector.", "no term here", "", "Vectors & <b>norms</b> of a layer", "cosinesque players"]
)
def test_the_pieces_are_the_text(text):
    assert "".join(piece for piece, _ in first_terms(text)) == text


def test_a_word_that_only_looks_like_a_term_is_none():
    assert not any(why for _, why in first_terms("Players enormously like vectorial cosinesque things."))
