"""The tokenizer: text to tokens and their places.

The Penn Treebank rules of NLTK's NLTKWordTokenizer do the cutting. As in the pretraining text,
quotes are plain ASCII, colloquial words (``gonna``) stay whole, a string may hold several
sentences, and odd typography is written plainly.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

#: An HTML tag in pasted text; it is read as words.
HTML_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>", re.IGNORECASE)


@dataclass(frozen=True)
class Token:
    """One token and its place in the text it was cut from.

    ``original[start:end]`` is ``text``, except where typography was written plainly (quotes,
    dashes, ligatures, accents, invisible characters). One kind of token is empty there (``start ==
    end``): the full stop that a final ``U.S.`` has swallowed.
    """

    text: str
    start: int
    end: int


# --- 1. Plain typography, keeping track of where each character came from. ---

_EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\u231a\u231b\u23e9-\u23f3"
# Soft hyphen, zero-width space, direction marks, word joiner, byte order mark. The zero-width
# joiners stay: emoji and several scripts spell with them.
_INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
_CONTROL = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"

_ODD_CHARACTERS = re.compile(
    rf"""
      (?P<quotes>     ``|''|[“”„‟] )
    | (?P<apostrophe> [‘’‚‛ʼ] | (?<=[A-Za-z])`(?=(?:t|s|m|d|re|ve|ll)(?![\w\u0300-\u036f])) )
      # don`t
    | (?P<hyphen>     [\u2010\u2011] | (?<=\d)[‒–](?=\d) ) # 1990–1995 is one word, as 1990-1995 is
    | (?P<dash>       [‒–—―] )
    | (?P<ellipsis>   … )
    | (?P<ligature>   [\ufb00-\ufb06] )
    | (?P<invisible>  [{_INVISIBLE}] )
    | (?P<control>    [{_CONTROL}] )
    | (?P<surrogate>  [\ud800-\udfff] )  # half a character: no encoding can write it
    | (?P<alone>      [£€¥¢°©®™•·×=+|~^\\¿¡] | [{_EMOJI}][{_EMOJI}\ufe0f\u200d\u20e3]* )
    """,
    re.VERBOSE,
)
# Variation selectors and joiners change the character before them; without one they are invisible.
_ONLY_MODIFIERS = re.compile(r"[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_PLAIN_FORMS = {
    "quotes": '"',
    "apostrophe": "'",
    "hyphen": "-",
    "dash": " -- ",
    "ellipsis": " ... ",
    "invisible": "",
    "control": " ",
    "surrogate": "\ufffd",
}


class _Traced:
    """A text under rewriting, with the original range of each character."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def copy(self, text: str, start: int, end: int) -> None:
        """Take ``text[start:end]`` as it is."""
        self.pieces.append(text[start:end])
        self.starts.extend(range(start, end))
        self.ends.extend(range(start + 1, end + 1))

    def write(self, text: str, start: int, end: int) -> None:
        """Write ``text`` for the stretch ``start:end`` of the original."""
        self.pieces.append(text)
        self.starts.extend([start] * len(text))
        self.ends.extend([end] * len(text))


def _plain(text: str) -> _Traced:
    traced = _Traced()
    done = 0
    for match in _ODD_CHARACTERS.finditer(text):
        start, end = match.span()
        traced.copy(text, done, start)
        done = end
        kind = match.lastgroup
        if kind == "alone":
            traced.write(" ", start, start)
            traced.copy(text, start, end)
            traced.write(" ", end, end)
        elif kind == "ligature":
            traced.write(unicodedata.normalize("NFKC", match.group()), start, end)
        else:
            traced.write(_PLAIN_FORMS[str(kind)], start, end)
    traced.copy(text, done, len(text))
    return traced


# --- 2. Full stops: part of an abbreviation, the end of a sentence, or both. ---

# The last full stop of a stretch without spaces. Starting only after a space keeps the search
# linear.
_STOP = re.compile(r"""(?<!\S)(\S*[^\s.])\.(?=["')\]}>»]*(?:\s|\Z))""")
_NEXT_WORD = re.compile(r"""["')\]}>»]*\s*["'(\[{<«]*(\S?\w*\.?)""")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")  # U.S, e.g, Ph.D


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TITLES = _words("mr mrs ms mme dr prof messrs")  # in any case
_CAPITALISED = _words(
    "St Mt Ft Rev Hon Sen Rep Gov Gen Col Lt Sgt Cpl Capt Cmdr Maj Adm Pres Supt Jr Sr Inc Co Corp"
    " Ltd Bros Ave Blvd Rd Dept Univ Assn Ph"
)
_LOWER_ABBREVIATIONS = _words("vs etc cf viz ca approx esp incl al ed eds et resp")
_BEFORE_NUMBERS = _words(
    "no nos fig figs p pp vol vols ch sec art eq jan feb mar apr jun jul aug sep sept oct nov dec"
)
_SENTENCE_STARTERS = _words(
    "The This That These Those There It He She We You They I His Her Its Our My Their In On At By"
    " For From If When While After Before But And Or So Then However As What Who Why How Where Now"
    " One Some Many Most All"
)


def _keeps_its_stop(word: str, following: str) -> bool:
    """Check whether the full stop after ``word`` belongs to it, within a sentence."""
    if len(word) == 1 and word.isalpha():
        is_initial = len(following) == 2 and following.endswith(".")
        return word != "I" or is_initial  # "So did I. It was late." but "I. M. Pei"
    if word.lower() in _BEFORE_NUMBERS:
        return following[:1].isdigit()
    return word.lower() in _TITLES or word in _CAPITALISED or word in _LOWER_ABBREVIATIONS


def _separate_stops(text: str) -> _Traced:
    """Put spaces around each full stop that ends a sentence."""
    traced = _Traced()
    done = 0
    for match in _STOP.finditer(text):
        stop = match.end(1)
        after = _NEXT_WORD.match(text, stop + 1)
        following = after.group(1) if after else ""
        word = match.group(1).lstrip("\"'([{<«`")
        ends_sentence = not following or following in _SENTENCE_STARTERS
        if _DOTTED.fullmatch(word):
            if ends_sentence:  # "in the U.S." is "in the U.S. ." in the pretraining text
                traced.copy(text, done, stop + 1)
                traced.write(" . ", stop + 1, stop + 1)
                done = stop + 1
        elif ends_sentence or not _keeps_its_stop(word, following):
            traced.copy(text, done, stop)
            traced.write(" . ", stop, stop + 1)
            done = stop + 1
    traced.copy(text, done, len(text))
    return traced


# --- 3. Everything else: the Penn Treebank rules. ---

# Those for punctuation, brackets and dashes are NLTK 3.10's NLTKWordTokenizer (Apache-2.0, NLTK
# Project), in its order; importing NLTK itself takes seconds, since it imports scikit-learn.
# tests/text/test_tokens.py compares every token. The rules for quotes and contractions are our own,
# since pretraining text has plain quotes and keeps gonna whole. Every rule only adds spaces, so
# that tokens can be traced back to the text.

_STARTING_QUOTES = (
    (re.compile(r'([«‹]|`+|")'), r" \1 "),
    # An opening single quote is a token, but not the apostrophe of 's, 'em, 'tis or '90s.
    (
        re.compile(
            r"(?i)(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b|(?:tis|twas|em|cause|til|\d\ds?)\b(?!'))(?=\w)"
        ),
        "' ",
    ),
)
_PUNCTUATION = (  # NLTK's
    # The final full stop and the closing marks after it. The lookahead keeps the search linear,
    # because it does not backtrack.
    (re.compile(r"""([^.])(\.)(?=([\])}>"' »”’]*))\3\s*$"""), r"\1 \2 \3 "),
    (re.compile(r"([:,])([^\d])"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"\.{2,}|[;@#$%&\u2012-\u2015]"), r" \g<0> "),
    (re.compile(r"""([^.])(\.)([\])}>"']*)\s*$"""), r"\1 \2\3 "),
    (re.compile(r"[?!]"), r" \g<0> "),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"[*\]\[(){}<>]|--"), r" \g<0> "),
)
_ENDING_QUOTES = (
    (re.compile(r"([»›])"), r" \1 "),
    (re.compile(r"(?i)(?<=[^\s'])(n't|'(?:s|m|d|ll|re|ve))(?=[\s'])"), r" \1"),
    (re.compile(r"(?<=[^\s'])'(?=\s)"), " '"),
    (re.compile(r"(?i)\b(can)(not)\b"), r" \1 \2 "),
)


def cut(text: str) -> list[tuple[int, int]]:
    """Return the character ranges of the words and marks of a normalized text."""
    spaced = text
    for rule, replacement in (*_STARTING_QUOTES, *_PUNCTUATION):
        spaced = rule.sub(replacement, spaced)
    spaced = f" {spaced} "
    for rule, replacement in _ENDING_QUOTES:
        spaced = rule.sub(replacement, spaced)
    places, end = [], 0
    for word in spaced.split():
        start = text.index(word, end)
        end = start + len(word)
        places.append((start, end))
    return places


def tokenize(text: str) -> list[Token]:
    """Tokenize text as typed or pasted; tokens are in order and do not overlap."""
    plain = _plain(text)
    stops = _separate_stops("".join(plain.pieces))
    spaced = "".join(stops.pieces)
    tokens = []
    for start, end in cut(spaced):
        if _ONLY_MODIFIERS.fullmatch(spaced, start, end):
            continue
        first, last = stops.starts[start], stops.ends[end - 1]
        # A swallowed full stop is empty, directly after the character before it.
        begin = plain.starts[first] if first < last else plain.ends[first - 1]
        tokens.append(
            Token(unicodedata.normalize("NFC", spaced[start:end]), begin, plain.ends[last - 1])
        )
    return tokens


# --- 4. The other way round: tokens as the Penn Treebank spells them. ---

_SPELLINGS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
}


def plain_token(token: str) -> str:
    r"""Undo Treebank spelling, if any: ``(`` for ``-LRB-``, ``"`` for ``''``."""
    return _SPELLINGS.get(token) or token.replace("\\/", "/").replace("\\*", "*")
