"""The dictionary: its format, format errors, and the content of the bundled one."""

import pytest

from elmo_tasks.errors import DataError
from elmo_tasks.senses.entries import (
    Entry,
    Sense,
    check_marks,
    format_entries,
    parse_entries,
    read_entries,
)
from elmo_tasks.senses.lexicon import Lexicon, bundled_lexicon
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.word_forms import folded
from tests.twins import twins

BANK = """\
# a comment
bank
  money, noun: a firm that keeps money
    My [bank] is shut.

    Two [banks] opened.
  river, noun: the land along a river
    We sat on the [bank].
"""


def test_text_and_entries_turn_into_each_other():
    (entry,) = parse_entries(BANK)
    assert entry.word == "bank"
    assert [s.key for s in entry.senses] == ["money", "river"]
    assert entry.sense("money") == Sense(
        "money", "noun", "a firm that keeps money", ("My [bank] is shut.", "Two [banks] opened.")
    )
    assert parse_entries(format_entries([entry])) == [entry]
    with pytest.raises(KeyError, match="bank: no meaning 'snow'; it has money, river"):
        entry.sense("snow")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bank\n", "“bank” has no meaning; write one below it"),
        ("  money, noun: a firm\n", "line 1: a meaning without a word above it"),
        ("bank\n    My [bank].\n", "line 2: an example sentence without a meaning above it"),
        ("bank\n  money, noun: a firm\n", "the meaning “money” of “bank” has no example"),
        (
            "bank\n  money: a firm\n    My [bank].\n",
            "line 2: expected a meaning as “key, part of speech: gloss”",
        ),
        ("bank\n  money, thing: a firm\n    My [bank].\n", "line 2: expected a meaning as"),
        (f"bank\n  money, noun: {'a' * 201}\n    My [bank].\n", "at most 200 characters"),
        (
            "bank\n  a, noun: x\n    My [bank].\n  a , noun: y\n    [Bank]!\n",
            "two meanings called “a”",
        ),
        (
            "bank\n  a, noun: x\n    My bank.\n",
            r"line 3: expected an example with the word in one pair of \[brackets\]",
        ),
        ("bank\n  a, noun: x\n    My [bank] and [bank].\n", "line 3: expected an example"),
        ("bank\n  a, noun: x\n    My [[bank]].\n", "line 3: expected an example"),
        (
            f"bank\n  a, noun: x\n    [bank] {'a' * 2000}\n",
            "line 3: an example of 2,007 characters; the most is 2,000",
        ),
        (BANK + "Bank\n  a, noun: x\n    A [bank].\n", "“Bank” stands in this dictionary twice"),
    ],
)
def test_format_errors_are_reported_with_their_line(text, message):
    with pytest.raises(DataError, match=message):
        parse_entries(text, "mine.txt")


def test_brackets_must_hold_one_word():
    with pytest.raises(DataError, match=r"mine, “bank”, .*two, words.*around a word, or a phrase"):
        check_marks(parse_entries("bank\n  a, noun: x\n    These [two, words].\n"), "mine")
    check_marks(parse_entries(BANK), "mine")


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="expected a dictionary, a text file in UTF-8"):
        read_entries(tmp_path / "nowhere.txt")
    (tmp_path / "latin.txt").write_bytes("caf\xe9\n".encode("latin-1"))
    with pytest.raises(DataError, match="expected a dictionary, a text file in UTF-8"):
        read_entries(tmp_path / "latin.txt")


def test_every_sixth_sentence_is_a_test_sentence():
    sense = Sense("a", "noun", "x", tuple(f"{k} [a]" for k in range(1, 14)))
    assert sense.test_sentences == ("6 [a]", "12 [a]")
    assert sorted((*sense.examples, *sense.test_sentences)) == sorted(sense.sentences)


def test_of_two_entries_the_later_counts_and_words_are_found_in_any_form():
    other = Entry("Bank", (Sense("snow", "noun", "a heap", ("A [bank].",)),))
    lexicon = Lexicon(parse_entries(BANK), ["tree", "bank"])
    assert [e.word for e in lexicon.find("BANKS")] == ["bank"]
    assert not lexicon.has_one_meaning("bank")
    assert lexicon.has_one_meaning("Trees")
    assert lexicon.with_entries([other])["bank"] is other
    assert len(lexicon.with_entries([other])) == 1


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("rose", {"rose", "rise"}),
        ("left", {"left", "leave"}),
        ("banks", {"bank"}),
        ("withdrew", {"withdraw"}),
        ("hottest", {"hot"}),
        ("closer", {"close"}),
        ("number", {"number"}),
        ("corner", {"corner"}),
        ("evening", set()),  # a word with one everyday meaning, no form of "even"
        ("xyzzy", set()),
    ],
)
def test_entries_of_a_form(form, words):
    assert {e.word for e in bundled_lexicon().find(form)} == words & set(bundled_lexicon())


def test_the_dictionary_is_as_large_as_documents_say():
    lexicon = bundled_lexicon()
    assert len(lexicon.ambiguous) >= 1_200
    assert len(lexicon.one_meaning) + len(lexicon) - len(lexicon.ambiguous) >= 2_500
    held_out = sum(e.is_held_out for e in lexicon.ambiguous) / len(lexicon.ambiguous)
    assert 0.08 < held_out < 0.12


def test_sentences_of_the_dictionary():
    """Examples occur once in an entry, and their brackets enclose a form that finds it."""
    lexicon = bundled_lexicon()
    twice, lost, long, mixed = [], [], [], []
    for entry in lexicon.values():
        sentences = [s for sense in entry.senses for s in sense.sentences]
        twice += [entry.word] * (len(set(sentences)) < len(sentences))
        for sense in entry.senses:
            long += [(entry.word, sense.gloss)] * (len(sense.gloss.split()) > 16)
            mixed += [entry.word] * bool(set(sense.examples) & set(sense.test_sentences))
        uses = [find_mention(entry.word, s) for s in sentences]
        forms = {use.word if " " in entry.word else use.token for use in uses}
        # of another entry
        own = {form for form in forms if len(lexicon.find(form)) == 1 and folded(form) in lexicon}
        lost += [
            (entry.word, form)
            for form in forms - own
            if entry not in lexicon.find(form) and form[-2:] != "er"
        ]
    assert (twice, lost, long, mixed) == ([], [], [], [])


def test_every_fiftieth_sentence_finds_its_word():
    for entry in list(bundled_lexicon().values())[::5]:
        for sentence in [s for sense in entry.senses for s in sense.sentences][::10]:
            assert find_mention(entry.word, sentence).word


PHRASES = """run out
  use up, expression: to have none left
    We [ran out] of milk.
make up
  invent, expression: to invent a story
    She [made the whole story up].
traffic jam (words as usual)
  stuck, expression: cars that cannot move
    A long [traffic jam].
kick the bucket (or literally)
  die, expression: to die
    My neighbour [kicked the bucket].
  literally:
    The cow [kicked the bucket] over.
"""


def test_expressions_are_found_in_every_inflection_and_around_an_object():
    lexicon = Lexicon(parse_entries(PHRASES))
    tokens = [
        "they",
        "run",
        "out",
        "of",
        "ideas",
        ",",
        "make",
        "one",
        "up",
        ",",
        "and",
        "kick",
        "the",
        "bucket",
    ]
    found = [
        (entry.word, tokens[start:end]) for entry, start, end in lexicon.expressions_in(tokens)
    ]
    assert found == [
        ("run out", ["run", "out"]),
        ("make up", ["make", "one", "up"]),
        ("kick the bucket", ["kick", "the", "bucket"]),
    ]
    assert [entry.word for entry in lexicon.find("Running out")] == ["run out"]
    assert lexicon.find("running in") == ()
    assert lexicon["kick the bucket"].also_literal
    assert not lexicon["run out"].also_literal
    literal = lexicon["kick the bucket"].literal
    assert literal is not None
    assert literal.sentences == ("The cow [kicked the bucket] over.",)
    assert [entry.word for entry in lexicon.expressions if entry.is_transparent] == ["traffic jam"]
    assert format_entries(lexicon.values()) == PHRASES


def test_only_a_phrase_that_is_split_in_an_example_may_be_split():
    lexicon = Lexicon(parse_entries(PHRASES))
    assert lexicon.expressions_in(["we", "run", "it", "out"]) == []


@pytest.mark.parametrize(("form", "word"), [("united", "unit"), ("premiered", "premier")])
def test_a_form_fits_a_part_of_speech_of_its_entry(form: str, word: str):
    lexicon = Lexicon(parse_entries(f"{word}\n  a, noun: x\n    The [{word}].\n"))
    assert lexicon.find(form) == ()
    assert [entry.word for entry in lexicon.find(f"{word}s")] == [word]


def test_another_spelling_finds_the_entry():
    lexicon = Lexicon(
        parse_entries("colour\n  a, noun: x\n    The [colour].\n"), spellings={"color": "colour"}
    )
    assert [entry.word for entry in lexicon.find("Colors")] == ["colour"]


def test_a_form_with_a_complete_entry_finds_that_alone():
    felt = "felt\n  cloth, noun: x\n    The [felt].\nfeel\n  touch, verb: x\n    We [felt] it.\n"
    rose = "rise\n  up, verb: x\n    It [rose].\nrose\n  flower, noun: x\n    A [rose].\n"
    lexicon = Lexicon(parse_entries(felt + rose))
    assert [entry.word for entry in lexicon.find("felt")] == ["felt"]
    assert [entry.word for entry in lexicon.find("feels")] == ["feel"]
    assert [entry.word for entry in lexicon.find("rose")] == ["rose", "rise"]


@pytest.mark.ci
def test_no_two_sentences_of_a_meaning_are_near_duplicates():
    lexicon = bundled_lexicon()
    senses = [(entry.word, sense) for entry in lexicon.ambiguous for sense in entry.senses]
    senses += [(e.word, e.literal) for e in lexicon.expressions if e.literal is not None]
    found = {
        f"{word}: {sense.key}": pairs for word, sense in senses if (pairs := twins(sense.sentences))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("word", "meant"),
    [("banck", "bank"), ("recieve", "receive"), ("tocuh", "touch"), ("wug", ""), ("zumba", "")],
)
def test_a_misspelled_word_is_found_by_its_letters(word, meant):
    assert bundled_lexicon().nearest_spelling(word) == meant
