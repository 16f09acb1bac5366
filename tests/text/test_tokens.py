from __future__ import annotations

import lzma
import random
import re
import time
import unicodedata
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.util import align_tokens

from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.text import tokens
from elmo_tasks.text.characters import (
    BEGIN_OF_SENTENCE,
    BEGIN_OF_WORD,
    BEGIN_SENTENCE_IDS,
    END_OF_SENTENCE,
    END_OF_WORD,
    END_SENTENCE_IDS,
    PADDING,
    character_ids,
)
from elmo_tasks.text.sentences import split_sentences
from elmo_tasks.text.tokens import Token, _plain, _separate_stops, plain_token, tokenize


def words(text: str) -> str:
    return " ".join(token.text for token in tokenize(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Contractions
        ("I don't bank on it.", "I do n't bank on it ."),
        ("It's hers, isn't it?", "It 's hers , is n't it ?"),
        ("We cannot; she can't.", "We can not ; she ca n't ."),
        ("I'd've, couldn't've", "I 'd 've , could n't 've"),
        ("THEY'LL SAY WE DON'T", "THEY 'LL SAY WE DO N'T"),
        ("I'm gonna, wanna and gotta go", "I 'm gonna , wanna and gotta go"),
        ("o'clock, ma'am, O'Brien", "o'clock , ma'am , O'Brien"),
        ("'Tis the '90s, get 'em 'til noon", "'Tis the '90s , get 'em 'til noon"),
        ("The dogs' owner and John's dog", "The dogs ' owner and John 's dog"),
        # Quotes
        ('"Sit," she said. "Now!"', '" Sit , " she said . " Now ! "'),
        ("She said “don’t” and ‘won’t’.", "She said \" do n't \" and ' wo n't ' ."),
        ("``Hello'' there", '" Hello " there'),
        ("The word 'cause' is 'odd'.", "The word ' cause ' is ' odd ' ."),
        ("«Bank» or „Bank“", '« Bank » or " Bank "'),
        # Punctuation and signs
        ("(see [note])", "( see [ note ] )"),
        ("It fell—hard--twice – slowly", "It fell -- hard -- twice -- slowly"),
        ("Wait… what...", "Wait ... what ..."),
        ("1990–1995 was a well-known low-tide era", "1990-1995 was a well-known low-tide era"),
        ("$5.50 (50%) or £5, €1,000.50", "$ 5.50 ( 50 % ) or £ 5 , € 1,000.50"),
        ("at 10:30: go; stop!?", "at 10:30 : go ; stop ! ?"),
        ("R&B and/or #1 @ 20°C", "R & B and/or # 1 @ 20 ° C"),
        ("<b>bank</b>&amp;", "< b > bank < /b > & amp ;"),
        ("great😀👍🏽bank", "great 😀👍🏽 bank"),
        # Full stops
        ("I sat. Then left.", "I sat . Then left ."),
        ("i sat. then left.", "i sat . then left ."),
        ("I don't. You can't. They won't", "I do n't . You ca n't . They wo n't"),
        (
            "Dr. Smith saw Mrs. Lee, e.g. at St. Anne's.",
            "Dr. Smith saw Mrs. Lee , e.g. at St. Anne 's .",
        ),
        ("J. K. Lund met I. M. Olsen.", "J. K. Lund met I. M. Olsen ."),
        ("So did I. Nobody saw plan B. It failed.", "So did I . Nobody saw plan B . It failed ."),
        ("The U.S. bank and the U.S., too", "The U.S. bank and the U.S. , too"),
        ("She lives in the U.S.", "She lives in the U.S. ."),
        ("(He lives in the U.S.) ", "( He lives in the U.S. . )"),
        ("It shut at 5 p.m. The doors closed.", "It shut at 5 p.m. . The doors closed ."),
        ("No. 7 said no. Then no. 8 did.", "No. 7 said no . Then no. 8 did ."),
        ("Cups, plates, etc. in boxes, lids, etc.", "Cups , plates , etc. in boxes , lids , etc ."),
        ("It cost 3.50. In 2016. (Or so.)", "It cost 3.50 . In 2016 . ( Or so . )"),
        ('He said "No." Then "yes."', 'He said " No . " Then " yes . "'),
        ("One.\nTwo.\tThree.", "One . Two . Three ."),
        # Typography
        ("a soft\u00adhyphen, zero\u200bwidth, \ufeffbom", "a softhyphen , zerowidth , bom"),
        ("the ﬁrst ﬂoor", "the first floor"),
        ("no\u00a0break\u2003space", "no break space"),
        ("nul\x00 and \x07bell", "nul and bell"),
        ("a well\u2010known non\u2011stop bus", "a well-known non-stop bus"),
        ("a \ufe0f b\ufe0e, \ufe0f(\u200d)", "a b\ufe0e , ( )"),
        ("I \u2764\ufe0f it", "I \u2764\ufe0f it"),
        ("half \ud83d emoji", "half \ufffd emoji"),
        ("cafe\u0301", "caf\u00e9"),
    ],
)
def test_cut_as_the_pretraining_text(text: str, expected: str) -> None:
    assert words(text) == expected


def test_places_in_the_original() -> None:
    text = "“Don’t”—ﬁne…"
    assert [(token.text, text[token.start : token.end]) for token in tokenize(text)] == [
        ('"', "“"),
        ("Do", "Do"),
        ("n't", "n’t"),
        ('"', "”"),
        ("--", "—"),
        ("fine", "ﬁne"),
        ("...", "…"),
    ]


def test_swallowed_full_stop_is_empty() -> None:
    assert tokenize("the U.S.")[1:] == [Token("U.S.", 4, 8), Token(".", 8, 8)]
    assert tokenize("the U.S.\u200b")[-1] == Token(".", 8, 8)


def test_outer_invisible_characters_are_outside_the_token() -> None:
    assert tokenize("\ufeffbank\u200b") == [Token("bank", 1, 5)]
    assert tokenize("ba\u00adnk") == [Token("bank", 0, 5)]


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t\u00a0\u3000", "\x00\x1f\x7f", "\u200b\ufeff\u00ad", "\ufe0f", "\u200d \ufe0e"],
)
def test_text_without_tokens(text: str) -> None:
    assert tokenize(text) == []


@pytest.mark.parametrize(
    "text", ["?!.,;:--()[]{}<>\"'`", "....", "'", '"', "``", "''", ".", "[[", "-----", "%$#@&*"]
)
def test_only_punctuation(text: str) -> None:
    found = tokenize(text)
    assert "".join(text[token.start : token.end] for token in found) == text


@pytest.mark.parametrize(
    "text", ["שלום עולם.", "مرحبا بالعالم", "日本語の文。", "é́́́ z̷̧̛", "👨‍👩‍👧‍👦 🇩🇪", "𝒷𝒶𝓃𝓀"]
)
def test_other_scripts_survive(text: str) -> None:
    found = "".join(token.text for token in tokenize(text))
    assert found == unicodedata.normalize("NFC", "".join(text.split()))


# The characters that the rules are about, so that their combinations come up.
TRICKY = st.text(
    st.sampled_from(list("aBsntI 1.'\"`,:;()[]<$-%!?\n“’–—…ﬁ\u00ad\u200b\x00\u0301\ud83d😀́")),
    max_size=40,
)
TEXTS = st.one_of(TRICKY, st.text(max_size=60))


@given(TEXTS)
def test_tokens_lie_in_order_and_cover_everything_visible(text: str) -> None:
    end = 0
    covered: set[int] = set()
    for token in tokenize(text):
        assert token.text
        assert not any(c.isspace() for c in token.text)
        assert end <= token.start <= token.end <= len(text)
        if token.start == token.end:
            assert (
                (token.text, text[token.start - 1]) == (".", ".")
                or "\u200b" in text
                or "\u00ad" in text
            )
        end = token.end
        covered.update(range(token.start, token.end))
        token.text.encode("utf-8")
    missed = "".join(c for i, c in enumerate(text) if i not in covered)
    assert not any(c.isalnum() or c in "“’–—….,!?'\"" for c in missed)


@given(st.text(st.sampled_from(list('aBsntI 1.",:;()[]<$-%!?\nx')), max_size=40))
def test_plain_text_is_only_cut(text: str) -> None:
    for token in tokenize(text):
        assert text[token.start : token.end] == token.text or token == Token(
            ".", token.end, token.end
        )


@given(TEXTS)
def test_the_encoding_of_accents_does_not_change_tokens(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    if unicodedata.normalize("NFC", decomposed) == composed:
        joined = ["".join(token.text for token in tokenize(t)) for t in (composed, decomposed)]
        assert unicodedata.normalize("NFC", joined[0]) == unicodedata.normalize("NFC", joined[1])


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        ".",
        ". ",
        ".)",
        "'",
        '"',
        " ",
        "a. ",
        "a.b",
        "n't ",
        "[(",
        "….—",
        "U.S. ",
        ")",
        "1,",
        "`",
        "\u200b",
        "😀",
    ],
)
def test_long_input_is_fast(piece: str) -> None:
    text = (piece * 10_000)[:10_000]
    started = time.process_time()
    tokenize(text)
    tokenize(". " + text + "x")
    assert time.process_time() - started < 2.0


def test_treebank_spellings_are_undone() -> None:
    treebank = ["-LRB-", "-RCB-", "``", "''", "1\\/2", "\\*", "'s", "("]
    assert [plain_token(token) for token in treebank] == ["(", "}", '"', '"', "1/2", "*", "'s", "("]


def test_the_published_ids() -> None:
    """bilm-tf's 256..260, each one higher, so that 0 is the padding row of the table."""
    marks = [BEGIN_OF_SENTENCE, END_OF_SENTENCE, BEGIN_OF_WORD, END_OF_WORD, PADDING]
    assert marks == [257, 258, 259, 260, 261]
    assert list(BEGIN_SENTENCE_IDS) == [259, 257, 260] + [261] * 47
    assert list(END_SENTENCE_IDS) == [259, 258, 260] + [261] * 47


@pytest.mark.parametrize(
    ("word", "length", "ids"),
    [
        ("bank", 50, [259, 99, 98, 111, 108, 260] + [261] * 44),
        ("", 50, [259, 260] + [261] * 48),
        ("é€", 8, [259, 0xC3 + 1, 0xA9 + 1, 0xE2 + 1, 0x82 + 1, 0xAC + 1, 260, 261]),  # bytes
        ("\x00", 4, [259, 1, 260, 261]),
        ("xé", 4, [259, 121, 0xC3 + 1, 260]),  # the cut may go through a letter
        *(
            ("x" * n, 50, [259] + [121] * min(n, 48) + [260] + [261] * (48 - min(n, 48)))
            for n in (47, 48, 49, 500)
        ),
    ],
)
def test_ids_of_words(word: str, length: int, ids: list[int]) -> None:
    assert character_ids(word, length) == ids


@given(st.text(), st.integers(3, 60))
def test_ids_of_any_text(token: str, max_characters: int) -> None:
    ids = character_ids(token, max_characters)
    assert len(ids) == max_characters
    assert ids[0] == BEGIN_OF_WORD
    letters = ids[1 : ids.index(END_OF_WORD)]
    assert all(1 <= i <= 256 for i in letters)
    assert set(ids[len(letters) + 2 :]) <= {PADDING}
    assert bytes(i - 1 for i in letters) == token.encode("utf-8", "replace")[: max_characters - 2]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith left. She stayed.", ["Dr. Smith left.", "She stayed."]),
        ('"Stop!" he said. "Why?" Nobody knew.', ['"Stop!" he said.', '"Why?"', "Nobody knew."]),
        ("One line\ngoes on. Next", ["One line goes on.", "Next"]),
        ("A title\n\nThe text.", ["A title", "The text."]),
        ("It cost 3.50 in the U.S. in May.", ["It cost 3.50 in the U.S. in May."]),
        ("… --- !", []),
        ("", []),
    ],
)
def test_sentences(text, sentences):
    assert split_sentences(text) == sentences


def test_long_tokens_are_cut():
    assert [len(s.split()) for s in split_sentences("word " * 25, max_tokens=10)] == [10, 10, 5]


@pytest.mark.parametrize(
    "text", ["<b>a</b> & “q”? Yes…", "a.b.c", "()()()", "x" * 5000, "\u200b\u200b", "!!! ??? a"]
)
def test_no_character_is_lost(text):
    kept = "".join(split_sentences(text))
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = REPOSITORY.parent / "shared" / "data" / "corpus"


class Reference(NLTKWordTokenizer):
    STARTING_QUOTES = tokens._STARTING_QUOTES
    ENDING_QUOTES = tokens._ENDING_QUOTES[:-1]
    CONTRACTIONS2 = (tokens._ENDING_QUOTES[-1][0],)
    CONTRACTIONS3 = ()


REFERENCE = Reference()


def check(text: str) -> None:
    spaced = "".join(_separate_stops("".join(_plain(text).pieces)).pieces)
    assert tokens.cut(spaced) == align_tokens(REFERENCE.tokenize(spaced), spaced)


def glued(line: str) -> str:
    """A tokenized line roughly as people type it, so that the rules have something to cut."""
    line = re.sub(r" (?=[.,:;!?)\]}%]|n't|'(?:s|m|d|ll|re|ve)\b)", "", line)
    return re.sub(r"(?<=[(\[{$#]) ", "", re.sub(r'" ([^"]*) "', r'"\1"', line))


@pytest.mark.nightly
def test_our_own_texts():
    for entry in bundled_lexicon().values():
        for sense in entry.senses:
            for sentence in sense.sentences:
                check(sentence)
    for path in [
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob("docs/*.md"),
        *REPOSITORY.glob("elmo_tasks/**/*.py"),
    ]:
        for line in path.read_text(encoding="utf-8").splitlines():
            check(line)


@pytest.mark.nightly
def test_lines_of_corpora():
    if not CORPUS.exists():
        pytest.skip("needs ../shared/data/corpus")
    chosen = random.Random(1)
    for path in sorted(CORPUS.glob("*.txt.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in chosen.sample(list(islice(lines, 3000)), 150):
                check(line)
                check(glued(line))


@settings(max_examples=300, deadline=None)
@given(
    st.text(
        alphabet=st.sampled_from("ab.,:;'\"`´‘’“”«»‹›!?()[]{}<>*-–—… \n\t$%&#@Ss1tn U."),
        max_size=60,
    )
)
def test_marks_in_any_order(text):
    check(text)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text):
    check(text)
