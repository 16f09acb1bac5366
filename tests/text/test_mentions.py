from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elmo_tasks.errors import Choice, InputError
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.uses import Mention


@pytest.mark.parametrize(
    ("word", "sentence", "index", "text"),
    [
        ("bank", "We sat on the river bank.", 5, "bank"),
        (" bank ", "We sat on the bank.", 4, "bank"),
        ("bank", "Bank on it.", 0, "Bank"),
        ("BANK", "Don't bank on it.", 2, "bank"),
        ("bank", "The Bank is a bank.", 4, "bank"),
        ("“bank”", "We sat on the bank.", 4, "bank"),
        ("'hot dog'", "He ate a hot dog.", 3, "hot dog"),
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
        ("bank", "a ] bank [ here", 2, "bank"),
        ("bank", "a bank [ here", 1, "bank"),
    ],
)
def test_finds_the_word(word: str, sentence: str, index: int, text: str) -> None:
    mention = find_mention(word, sentence)
    assert mention.token_start == index
    assert mention.token == text
    assert mention.sentence == sentence


@pytest.mark.parametrize(
    ("word", "sentence", "parts"),
    [
        ("can't", "We can't go.", ("We ", "can't", " go.")),
        ("will", "It WON’T do", ("It ", "WON’T", " do")),
        ("don't", "I don't know", ("I ", "do", "n't know")),  # "do" is a word of its own
        ("bank", "A bank.", ("A ", "bank", ".")),
    ],
)
def test_a_contraction_is_shown_whole_where_its_first_part_is_no_word(
    word: str, sentence: str, parts: tuple[str, str, str]
) -> None:
    assert find_mention(word, sentence).parts == parts


def test_other_places_are_choices() -> None:
    mention = find_mention("bank", "A bank by the Bank of a bank.")
    assert mention.token_start == 1
    assert mention.choices == (
        Choice("the 2nd “Bank”", "A bank by the [Bank] of a bank."),
        Choice("the 3rd “bank”", "A bank by the Bank of a [bank]."),
    )
    # The first one, where a later one is spelled alike.
    assert find_mention("may", "May said he may.").choices == (
        Choice("the 1st “May”", "[May] said he may."),
    )
    assert find_mention("bank", "One bank.").choices == ()
    contractions = find_mention("don't", "I don't and you don't.")
    assert contractions.choices == (Choice("the 2nd “don't”", "I don't and you [don't]."),)
    many = find_mention("bank", "bank " * 500)
    assert (len(many.choices), many.choices[9].label) == (20, "the 11th “bank”")


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
def test_brackets_around_a_part_of_a_word(
    typed: str, inside: str, whole: str, offered: str
) -> None:
    with pytest.raises(InputError) as caught:
        find_mention("bank", typed, field="sentence 2")
    if inside is None:
        assert str(caught.value).endswith(
            "put the brackets around a word, or a phrase of at most 8 words."
        )
        return
    assert (
        str(caught.value)
        == f"Sentence 2 has “{inside}” in [brackets], but that is only a part of “{whole}”, which"
        " is read as one word: put the brackets around the whole word."
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


# --- The word is not there ---


@pytest.mark.parametrize(
    ("word", "sentence", "found"),
    [
        ("bank", "Both banks were closed.", "banks"),
        ("ticket", "The Tickets, my bank said, are tickets.", "Tickets"),
        ("run", "A runner who was late ran past.", "ran"),
        ("banks", "They bank here; the bank opens.", "bank"),
        ("bank", "Banks? My bank is shut.", "bank"),
    ],
)
def test_an_inflection_is_found_in_place_of_the_word(word: str, sentence: str, found: str) -> None:
    assert find_mention(word, sentence).token == found


NO_WORD = (
    r"^{} does not contain “bank”: put it in, or mark the word to compare with \[brackets\]\.$"
)
NOTHING_IN_BRACKETS = (
    r"^Sentence 2 has “.*” in \[brackets\]: put the brackets around a word, or a phrase of at most"
    r" 8 words\.$"
)
DERIVED = (
    r"^Sentence 3 does not contain “bank”, but it has “banker”: use that, or mark another word with"
    r" \[brackets\]\.$"
)


@pytest.mark.parametrize(
    ("word", "sentence", "field", "message", "choices"),
    [
        *(
            ("bank", typed, "sentence 2", NOTHING_IN_BRACKETS, [])
            for typed in ("a [] b", "a [ ] b", "a [...] b", "[!]", "[]", "a [\u200b] b", "[\x00]")
        ),
        *(
            (
                "bank",
                f"By [{inside}] we sat.",
                "sentences",
                (
                    rf"^The sentence has “{inside}” in \[brackets\]: put the brackets around a"
                    r" word, or a phrase of at most 8 words\.$"
                ),
                [],
            )
            for inside in ("bank, river", "the bank.", "a b c d e f g h i")
        ),
        *(
            (
                "bank",
                typed,
                "sentences",
                (
                    r"has more than one pair of \[brackets\]: keep only the pair around the word to"
                    r" compare\.$"
                ),
                [],
            )
            for typed in ("[a] and [b]", "the [[bank]] here", "[a [b] c]")
        ),
        ("bank", "The banker was late.", "sentence 3", DERIVED, ["The [banker] was late."]),
        (
            "run",
            "Runners like no runner.",
            "sentences",
            "but it has “Runners” and “runner”: use one of them, or mark another",
            ["[Runners] like no runner.", "Runners like no [runner]."],
        ),
        (
            "bank",
            "One banker, another banker.",
            "sentences",
            "but it has “banker”: use one of them",
            ["One [banker], another banker.", "One banker, another [banker]."],
        ),
        (
            "bank",
            "By the river-banks.",
            "sentences",
            "but it has “river-banks”: use that",
            ["By the [river-banks]."],
        ),
        ("e-mail", "I sent an email.", "sentences", "has “email”: use", ["I sent an [email]."]),
        ("ice-cream", "Two ice creams!", "sentences", "“ice creams”", ["Two [ice creams]!"]),
        ("ice cream", "The ice-cream fell.", "sentences", "“ice-c", ["The [ice-cream] fell."]),
        ("cafe", "In two cafés.", "sentences", "has “cafés”: use", ["In two [cafés]."]),
        ("everyday", "I run every day.", "sentences", "not contain “everyday”: put", []),
        (
            "银行",
            "银行拒绝了贷款。",
            "sentence 2",
            r"^Sentence 2 is written without spaces around “银行”\. The bundled models read only",
            [],
        ),
        *(
            ("bank", sentence, "sentence 12", NO_WORD.format("Sentence 12"), [])
            for sentence in ("We walked along the shore.", "!", "bankrupt", "😀", "x" * 9_000)
        ),
        *(
            (
                "bank",
                sentence,
                "sentence 1",
                r"^Sentence 1 is empty: type one with “bank” in it\.$",
                [],
            )
            for sentence in ("", "  ", "\x00\u200b")
        ),
    ],
)
def test_errors_of_sentences(
    word: str, sentence: str, field: str, message: str, choices: list[str]
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        find_mention(word, sentence, field=field)
    assert caught.value.field == field
    assert [choice.sentence for choice in caught.value.choices] == choices


def test_offers_at_most_five() -> None:
    with pytest.raises(InputError, match="use one of them") as caught:
        find_mention("bank", "banker " * 30)
    assert len(caught.value.choices) == 5
    assert caught.value.choices[1].label == "the 2nd “banker”"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["", "  ", "\n", "\x00", "\u200b"], r"^Type a word to compare, such as “bank”\.$"),
        (
            [
                "  river   bank !",
                "bank!",
                "a b c d e f g h i",
                "[bank]",
                "<bank>",
                "!",
                "...",
                "'",
                "--",
                "[]",
                "“”",
            ],
            r"is not a word or phrase: type one of at most 8 words, without punctuation, such as “",
        ),
        (["\ud83d !"], "is not a word or phrase"),  # half characters do not break the message
    ],
)
def test_errors_of_words(words: list[str], message: str) -> None:
    for word in words:
        with pytest.raises(InputError, match=message) as caught:
            find_mention(word, "A bank !")
        assert caught.value.field == "word"


@pytest.mark.parametrize(
    ("phrase", "sentence", "found"),
    [
        ("run out", "We ran out of milk.", "ran out"),
        ("make up", "She made the whole story up.", "made the whole story up"),
        ("hot dog", "Two Hot Dogs, please.", "Hot Dogs"),
        ("New York", "He left New York in May.", "New York"),
        ("make up one's mind", "Have you made up your mind yet?", "made up your mind"),
        ("pull someone's leg", "Are you pulling my leg?", "pulling my leg"),
        ("well-being", "Sleep is good for your well-being.", "well-being"),
        ("anything", "By the [riverside path] we sat.", "riverside path"),
    ],
)
def test_a_phrase_is_found_in_any_inflection(phrase: str, sentence: str, found: str) -> None:
    use = find_mention(phrase, sentence)
    assert use.word == use.token == found


@pytest.mark.parametrize(
    ("phrase", "sentence"),
    [
        ("run out", "We ran and went out."),
        ("in time", "She lived in times of war."),
        ("go in", "We go on Monday in a bus."),
    ],
)
def test_a_phrase_is_not_found_across_other_words(phrase: str, sentence: str) -> None:
    with pytest.raises(InputError, match="does not contain"):
        find_mention(phrase, sentence)


def test_the_second_place_of_a_phrase_is_a_choice() -> None:
    use = find_mention("hot dog", "A hot dog, and a second hot dog.")
    assert [choice.sentence for choice in use.choices] == ["A hot dog, and a second [hot dog]."]
    assert find_mention("hot dog", use.choices[0].sentence).token_start > use.token_start


def test_check_word_gives_the_tokens() -> None:
    assert [token.text for token in check_word("can't")] == ["ca", "n't"]


@pytest.mark.parametrize(
    ("word", "sentence"), [("y" * 5_000, "A bank."), ("bank", "[" + "a b " * 2_000 + "]")]
)
def test_user_text_in_messages_is_cut(word: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        find_mention(word, sentence)
    assert len(str(caught.value)) < 200


PIECES = [
    "bank",
    "Bank",
    "banks",
    " ",
    "[",
    "]",
    ".",
    "'s",
    "n't",
    "-",
    "“",
    "…",
    "😀",
    "U.S.",
    "\u200b",
]
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
        # of a part of a word in brackets, the whole word is offered
        plain = re.sub(r"\[([^\[\]]*)\]", r"\1", sentence)
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
        assert answer.token in answer.tokens or answer.token_end - answer.token_start > 1
