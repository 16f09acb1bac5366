import pytest

from elmo_tasks import wording
from elmo_tasks.messages import views
from elmo_tasks.messages.heads import class_words, counted, type_note


def plain(words):
    return words.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("say", "cases"),
    [
        (
            wording.percent,
            {
                0: "0 %",
                0.004: "under 1 %",
                0.5: "50 %",
                0.934: "93 %",
                0.996: "over 99 %",
                1: "100 %",
            },
        ),
        (wording.short_percent, {0.001: "<1", 0.5: "50", 0.999: ">99"}),
        (wording.number, {1.0: "1.00", -0.001: "0.00", -0.126: "−0.13", 0.005: "0.01"}),
        (wording.signed, {0.001: "0.00", 0.2: "▲ +0.20", -0.2: "▼ −0.20"}),
        (wording.listed, {(): "", "a": "a", "ab": "a and b", (1, 2, 3): "1, 2 and 3"}),
        (
            wording.ordinal,
            {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 22: "22nd", 1001: "1,001st"},
        ),
        (
            wording.duration,
            {
                2: "a few seconds",
                44: "about 40 seconds",
                200: "about 3 minutes",
                9000: "about 2.5 hours",
            },
        ),
        (wording.slug, {"Bank": "bank", "../x": "x", "🙂": "word"}),
        (
            class_words,
            {
                "pos": "positive",
                "NEG": "negative",
                "very_positive": "very positive",
                "World": "World",
            },
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_values_in_words(say, cases):
    assert {value: plain(say(value)) for value in cases} == cases


def test_types_and_scores_in_words():
    assert [counted(*what) for what in (("PER", 1), ("PER", 3), ("GPE", 2))] == [
        "1 person",
        "3 people",
        "2 GPE",
    ]
    assert [type_note(name) for name in ("Disease", "MISC", "ZZ")] == ["disease", "other name", ""]
    assert wording.score_line("F1", 0.8749, "CoNLL-2003 test") == "F1 0.87 on CoNLL-2003 test"
    assert [plain(wording.score_text(name, 0.5)) for name in ("accuracy", "F1")] == ["50 %", "0.50"]


@pytest.mark.parametrize(
    ("view", "sees", "titles", "places"),
    [
        (
            "0",
            "the letters of the word",
            ["Layer 0: the word alone"] * 2,
            ["at layer 0", "by the letters of the word only"],
        ),
        (
            "0",
            "one vector for each word",
            ["One vector per word"] * 2,
            ["at layer 0", "by one vector for each word only"],
        ),
        ("5", "", ["Layer 5"] * 2, ["at layer 5", "by layer 5"]),
        (
            "mean",
            "",
            ["Mean of layers"] * 2,
            ["in the mean of all layers", "by the mean of the layers"],
        ),
        ("meanings", "", ["Meaning features"] * 2, ["by meaning features"] * 2),
        (
            "words",
            "",
            ["The words around it", "The words around it, without ELMo"],
            ["by the words around them", "by the words around them, without ELMo"],
        ),
    ],
)
def test_views_alone_and_in_a_sentence(view, sees, titles, places):
    assert [views.view_title(view, sees), views.map_title(view, sees)] == titles
    assert [views.view_place(view), views.mapped_by(view, sees)] == places


def test_views_at_the_top_of_a_column():
    layers = ["0", "1", "2"]
    titles = [views.column_title(view, layers) for view in ("1", "mean", "words", "before/after")]
    assert titles == ["layer 1", "mean", "words around it", "before/after"]
    for view, remark in views.COLUMN_REMARKS.items():
        assert remark.startswith(f"{views.column_title(view, layers)}: ")


def test_each_term_is_explained_where_it_first_comes():
    assert views.first_terms("by meaning features") == [
        ("by ", ""),
        ("meaning features", views.TERMS["meaning features"]),
    ]
    pieces = views.first_terms(
        "At layer 2 their cosines average 0.30 (two random words 0.16); a cosine of layer 1 says"
        " less."
    )
    assert [(piece, why) for piece, why in pieces if why] == [
        ("layer 2", views.TERMS["layer"]),
        ("cosines", views.TERMS["cosine"]),
        ("two random words", views.TERMS["two random words"]),
    ]
    for words in ("A vector.", "no term here", "", "Vectors & <b>norms</b> of a layer"):
        assert "".join(piece for piece, _ in views.first_terms(words)) == words
    assert not any(
        why for _, why in views.first_terms("Players enormously like vectorial cosinesque things.")
    )
