from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elmo_tasks.api import Choice
from elmo_tasks.errors import InputError
from elmo_tasks.text.mentions import Mention, check_word, find_mention, quoted


@pytest.mark.parametrize(
    ("word", "sentence", "index", "text"),
    [
        ("bank", "We sat on the river bank.", 5, "bank"),
        (" bank ", "We sat on the bank.", 4, "bank"),
        ("bank", "Bank on it.", 0, "Bank"),
        ("BANK", "Don't bank on it.", 2, "bank"),
        ("bank", "The Bank is a bank.", 4, "bank"),  # same spelling goes first
        ("may", "May said he may.", 3, "may"),
        ("café", "the cafe\u0301 is shut", 1, "café"),
        ("cafe\u0301", "the café is shut", 1, "café"),
        ("STRASSE", "die Straße", 1, "Straße"),
        ("bank", "the \u201cbank\u201d is odd", 2, "bank"),
        ("don't", "I don’t know", 1, "do"),
        ("can’t", "We can't go", 1, "ca"),
        ("cannot", "We cannot go", 1, "can"),
        ("John's", "That is John's dog", 2, "John"),
        ("n't", "I don't know", 2, "n't"),
        ("U.S.", "He left the U.S. in May.", 3, "U.S."),
        ("U.S.", "He left the U.S.", 3, "U.S."),
        ("etc.", "Cups, etc.", 2, "etc"),
        ("etc", "Cups, etc. are here", 2, "etc."),
        ("well-known", "A well-known bank", 1, "well-known"),
        ("😀", "so😀 nice", 1, "😀"),
        ("1984", "It was 1984.", 2, "1984"),
        ("bank", "a ] bank [ here", 2, "bank"),  # brackets without a partner are ordinary
        ("bank", "a bank [ here", 1, "bank"),
    ],
)
def test_finds_the_word(word: str, sentence: str, index: int, text: str) -> None:
    mention = find_mention(word, sentence)
    assert mention.token_start == index
    assert mention.token == text
    assert mention.sentence == sentence


def test_several_places() -> None:
    mention = find_mention("bank", "A bank by the Bank of a bank.")
    assert mention.token_start == 1
    assert mention.choices == (
        Choice("the 2nd “Bank”", "A bank by the [Bank] of a bank."),
        Choice("the 3rd “bank”", "A bank by the Bank of a [bank]."),
    )


def test_the_first_is_a_choice_when_a_later_one_is_spelled_alike() -> None:
    mention = find_mention("may", "May said he may.")
    assert mention.choices == (Choice("the 1st “May”", "[May] said he may."),)


def test_one_place_has_no_choices() -> None:
    assert find_mention("bank", "One bank.").choices == ()


def test_places_of_a_contraction() -> None:
    mention = find_mention("don't", "I don't and you don't.")
    assert mention.choices == (Choice("the 2nd “don't”", "I don't and you [don't]."),)


def test_very_many_places() -> None:
    mention = find_mention("bank", "bank " * 500)
    assert len(mention.choices) == 20
    assert mention.choices[9].label == "the 11th “bank”"


# --- Brackets ---


@pytest.mark.parametrize(
    ("typed", "sentence", "text"),
    [
        ("We walked along the [shore].", "We walked along the shore.", "shore"),
        ("The [bank]s were shut.", "The banks were shut.", "banks"),
        ("Both [banks] were shut.", "Both banks were shut.", "banks"),
        ("We [ walked ] on.", "We  walked  on.", "walked"),
        ("I [don't] know.", "I don't know.", "do"),
        ("I [can't].", "I can't.", "ca"),
        ("I do[n't] know.", "I don't know.", "n't"),
        ("The end of the [bank.]", "The end of the bank.", "bank"),
        ("He said [“bank”] twice.", "He said “bank” twice.", "bank"),
        ("the [river-bank] here", "the river-bank here", "river-bank"),
        ("They [hope]d so.", "They hoped so.", "hoped"),
        ("He left the [U.S.]", "He left the U.S.", "U.S."),
        ("stray ] and [ but [bank] here", "stray ] and [ but bank here", "bank"),
    ],
)
def test_brackets_override_the_word(typed: str, sentence: str, text: str) -> None:
    for word in ("bank", "nowhere", "", "two words"):
        mention = find_mention(word, typed)
        assert mention.sentence == sentence
        assert mention.token == text


def test_brackets_pick_one_of_several_places_and_offer_the_others() -> None:
    mention = find_mention("bank", "A bank by a [bank].")
    assert mention.token_start == 4
    assert mention.choices == (Choice("the 1st “bank”", "A [bank] by a bank."),)


@pytest.mark.parametrize("typed", ["a [] b", "a [ ] b", "a [...] b", "[!]", "[]", "a [\u200b] b", "[\x00]"])
def test_brackets_around_nothing(typed: str) -> None:
    with pytest.raises(
        InputError,
        match=r"^Sentence 2 has \[brackets\] without a word in them: "
        r"put them around the word to compare, or take them out\.$",
    ) as caught:
        find_mention("bank", typed, field="sentence 2")
    assert caught.value.field == "sentence 2"


@pytest.mark.parametrize(
    ("typed", "inside", "whole", "offered"),
    [
        ("He felt un[happy].", "happy", "unhappy", "He felt [unhappy]."),
        ("the river-[bank] here", "bank", "river-bank", "the [river-bank] here"),
        ("a [bank]er came", "bank", "banker", "a [banker] came"),
        ("an [organ]ic farm", "organ", "organic", "an [organic] farm"),
        ("We do[n't k]now.", None, None, None),
        ("a [s]mall word", "s", "small", "a [small] word"),
    ],
)
def test_brackets_around_a_part_of_a_word(typed: str, inside: str, whole: str, offered: str) -> None:
    with pytest.raises(InputError) as caught:
        find_mention("bank", typed, field="sentence 2")
    if inside is None:
        assert str(caught.value).endswith("put the brackets around one word only.")
        return
    assert str(caught.value) == (
        f"Sentence 2 has “{inside}” in [brackets], but that is only a part of “{whole}”, which is read as one word: "
        "put the brackets around the whole word."
    )
    assert caught.value.choices == (Choice(whole, offered),)
    assert find_mention("bank", offered).token == whole


@pytest.mark.parametrize(
    ("word", "sentence", "token"),
    [
        ("dream", "She dreamt of it.", "dreamt"),
        ("learn", "We learnt it.", "learnt"),
        ("fast", "The fastest horse won.", "fastest"),
        ("wet", "It got wetter.", "wetter"),
        ("mean", "The meanest man.", "meanest"),
        ("happy", "She was happier.", "happier"),
        ("happiest", "She was happy.", "happy"),
        ("will", "He won't go.", "wo"),
        ("won't", "He will go.", "will"),
        ("can", "I can't.", "ca"),
        ("river\u2010bank", "The river-bank.", "river-bank"),
    ],
)
def test_forms_are_found(word: str, sentence: str, token: str) -> None:
    assert find_mention(word, sentence).token == token


@pytest.mark.parametrize("inside", ["river bank", "bank, river", "do not", "the bank."])
def test_brackets_around_several_words(inside: str) -> None:
    with pytest.raises(
        InputError, match=rf"^The sentence has “{inside}” in \[brackets\]: put the brackets around one word only\.$"
    ) as caught:
        find_mention("bank", f"By [{inside}] we sat.")
    assert caught.value.field == "sentences"


@pytest.mark.parametrize("typed", ["[a] and [b]", "the [[bank]] here", "[a [b] c]"])
def test_two_pairs_of_brackets(typed: str) -> None:
    with pytest.raises(
        InputError, match=r"has more than one pair of \[brackets\]: keep only the pair around the word to compare\.$"
    ):
        find_mention("bank", typed)


# --- The word is not there ---


@pytest.mark.parametrize(
    ("word", "sentence", "found"),
    [
        ("bank", "Both banks were closed.", "banks"),
        ("ticket", "The Tickets, my bank said, are tickets.", "Tickets"),
        ("run", "A runner who was late ran past.", "ran"),  # a runner is another word
        ("banks", "They bank here; the bank opens.", "bank"),
        ("bank", "Banks? My bank is shut.", "bank"),  # what was typed comes first wherever it stands
    ],
)
def test_an_inflection_stands_for_the_word_where_that_is_not_there(word: str, sentence: str, found: str) -> None:
    assert find_mention(word, sentence).token == found


def test_offers_a_word_that_is_made_of_it() -> None:
    with pytest.raises(
        InputError,
        match=r"^Sentence 3 does not contain “bank”, but it has “banker”: "
        r"use that, or mark another word with \[brackets\]\.$",
    ) as caught:
        find_mention("bank", "The banker was late.", field="sentence 3")
    assert caught.value.field == "sentence 3"
    assert caught.value.choices == (Choice("banker", "The [banker] was late."),)


def test_offers_several_of_them() -> None:
    with pytest.raises(
        InputError, match=r"but it has “Runners” and “runner”: use one of them, or mark another"
    ) as caught:
        find_mention("run", "Runners like no runner.")
    assert [choice.label for choice in caught.value.choices] == ["Runners", "runner"]


def test_offers_each_place_of_one_form() -> None:
    with pytest.raises(InputError, match=r"but it has “banker”: use one of them") as caught:
        find_mention("bank", "One banker, another banker.")
    assert caught.value.choices == (
        Choice("the 1st “banker”", "One [banker], another banker."),
        Choice("the 2nd “banker”", "One banker, another [banker]."),
    )


def test_offers_a_word_inside_a_hyphenated_one() -> None:
    with pytest.raises(InputError, match="but it has “river-banks”: use that"):
        find_mention("bank", "Along the river-banks.")


def test_offers_at_most_five() -> None:
    with pytest.raises(InputError, match="use one of them") as caught:
        find_mention("bank", "banker " * 30)
    assert len(caught.value.choices) == 5


@pytest.mark.parametrize("sentence", ["We walked along the shore.", "!", "bankrupt", "😀", "x" * 9_000])
def test_not_there_at_all(sentence: str) -> None:
    with pytest.raises(
        InputError,
        match=r"^Sentence 12 does not contain “bank”: put it in, or mark the word to compare with \[brackets\]\.$",
    ) as caught:
        find_mention("bank", sentence, field="sentence 12")
    assert caught.value.field == "sentence 12"
    assert caught.value.choices == ()


@pytest.mark.parametrize("sentence", ["", "  ", "\x00\u200b"])
def test_empty_sentence(sentence: str) -> None:
    with pytest.raises(InputError, match=r"^Sentence 1 is empty: type one with “bank” in it\.$") as caught:
        find_mention("bank", sentence, field="sentence 1")
    assert caught.value.field == "sentence 1"


# --- The word itself ---


@pytest.mark.parametrize("word", ["", "  ", "\n", "\x00", "\u200b"])
def test_empty_word(word: str) -> None:
    with pytest.raises(InputError, match=r"^Type a word to compare, such as “bank”\.$") as caught:
        find_mention(word, "A bank.")
    assert caught.value.field == "word"


@pytest.mark.parametrize("word", ["river bank", "  river   bank !", "the\nbank"])
def test_several_words(word: str) -> None:
    with pytest.raises(InputError, match=r"is more than one word: type one only, such as “bank”\.$") as caught:
        find_mention(word, "A bank.")
    assert caught.value.field == "word"


@pytest.mark.parametrize("word", ["bank!", '"bank"', "[bank]", "bank,", "<bank>", "bank?!"])
def test_word_with_punctuation(word: str) -> None:
    with pytest.raises(
        InputError, match=r"is not one word: type one word without punctuation, such as “bank”\.$"
    ) as caught:
        find_mention(word, "A bank.")
    assert caught.value.field == "word"


@pytest.mark.parametrize("word", ["!", "...", ".", "'", "--", "[]", "“”"])
def test_word_of_punctuation(word: str) -> None:
    with pytest.raises(InputError, match=r"is not a word: type a word to compare, such as “bank”\.$") as caught:
        find_mention(word, "A bank !")
    assert caught.value.field == "word"


def test_half_characters_do_not_break_the_message() -> None:
    with pytest.raises(InputError, match="is more than one word"):
        find_mention("\ud83d \ud83d", "A bank.")


def test_check_word_gives_the_tokens() -> None:
    assert [token.text for token in check_word("can't")] == ["ca", "n't"]


def test_quoted_is_short_and_on_one_line() -> None:
    assert quoted("bank") == "“bank”"
    assert quoted("a\n\x00b\u202e  c") == "“a b c”"
    assert quoted("x" * 1000) == "“" + "x" * 39 + "…”"


def test_user_text_in_messages_is_cut() -> None:
    with pytest.raises(InputError) as caught:
        find_mention("y" * 5_000, "A bank.")
    assert len(str(caught.value)) < 200
    with pytest.raises(InputError) as caught:
        find_mention("bank", "[" + "a b " * 2_000 + "]")
    assert len(str(caught.value)) < 200


PIECES = ["bank", "Bank", "banks", " ", "[", "]", ".", "'s", "n't", "-", "“", "…", "😀", "U.S.", "\u200b"]
SENTENCES = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def tried(word: str, sentence: str) -> Mention | InputError:
    try:
        return find_mention(word, sentence)
    except InputError as error:
        return error


@given(SENTENCES | st.text(max_size=50))
@example("bank.]bank")
def test_choices_lead_to_the_other_places(sentence: str) -> None:
    answer = tried("bank", sentence)
    if isinstance(answer, InputError):
        assert len(str(answer)) < 400
        plain = re.sub(r"\[([^\[\]]*)\]", r"\1", sentence)  # of a part of a word in brackets, the whole word is offered
        for choice in answer.choices:
            assert find_mention("bank", choice.sentence).sentence in (sentence, plain)
        return
    places = {answer.token_start}
    for choice in answer.choices:
        other = find_mention("bank", choice.sentence)
        assert other.sentence == answer.sentence
        # "bank." is a "bank": before a bracket the tokenizer does not cut off the full stop.
        assert other.token.casefold().rstrip(".") == answer.token.casefold().rstrip(".")
        places.add(other.token_start)
    assert len(places) == len(answer.choices) + 1


@given(st.text(max_size=30), st.text(max_size=50))
def test_any_word_in_any_sentence(word: str, sentence: str) -> None:
    answer = tried(word, sentence)
    if isinstance(answer, InputError):
        assert answer.field in ("word", "sentences")
        assert str(answer).endswith(".")
    else:
        assert answer.token in answer.tokens
