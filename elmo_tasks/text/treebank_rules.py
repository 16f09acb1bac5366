r"""Where spaces go between the words and marks of a text: Penn Treebank rules, as NLTK's ``NLTKWordTokenizer`` has them.

The rules for punctuation, brackets and dashes are those of NLTK 3.10 (Apache-2.0, NLTK Project), rule by rule and in its order;
importing NLTK itself costs seconds, as it brings scikit-learn along. ``tests/text/test_treebank_rules.py`` compares every token.
Rules of our own are those for quotes and contractions, for pretraining text has plain quotes and keeps ``gonna`` whole.

Every rule only adds spaces: that is what lets tokens be traced back to the text.
"""

from __future__ import annotations

import re

_STARTING_QUOTES = (
    (re.compile(r'([«‹]|`+|")'), r" \1 "),
    # An opening single quote is a token, but not the apostrophe of 's, 'em, 'tis or '90s.
    (
        re.compile(r"(?i)(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b|(?:tis|twas|em|cause|til|\d\ds?)\b(?!'))(?=\w)"),
        "' ",
    ),
)
_PUNCTUATION = (  # NLTK's
    # The final full stop and what closes behind it. The lookahead keeps the search linear: it never gives back what it took.
    (re.compile(r"""([^.])(\.)(?=([\])}>"' »”’]*))\3\s*$"""), r"\1 \2 \3 "),
    (re.compile(r"([:,])([^\d])"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"\.{2,}"), r" \g<0> "),
    (re.compile(r"[;@#$%&]"), r" \g<0> "),
    (re.compile(r"[\u2012-\u2015]"), r" \g<0> "),
    (re.compile(r"""([^.])(\.)([\])}>"']*)\s*$"""), r"\1 \2\3 "),
    (re.compile(r"[?!]"), r" \g<0> "),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"[*]"), r" \g<0> "),
    (re.compile(r"[\]\[(){}<>]"), r" \g<0> "),
    (re.compile(r"--"), r" -- "),
)
_ENDING_QUOTES = (
    (re.compile(r"([»›])"), r" \1 "),
    (re.compile(r"(?i)(?<=[^\s'])(n't|'(?:s|m|d|ll|re|ve))(?=[\s'])"), r" \1"),
    (re.compile(r"(?<=[^\s'])'(?=\s)"), " '"),
    (re.compile(r"(?i)\b(can)(not)\b"), r" \1 \2 "),
)


def cut(text: str) -> list[tuple[int, int]]:
    """Places of the words and marks of a text in plain typography, in order."""
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
