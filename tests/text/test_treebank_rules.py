"""Our rules against NLTK's own tokenizer with our quotes and contractions in it: the same tokens, in everything at hand."""

import lzma
import random
import re
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.util import align_tokens

from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.text import tokens
from elmo_tasks.text.tokens import _plain, _separate_stops

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
    for path in [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md"), *REPOSITORY.glob("elmo_tasks/**/*.py")]:
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
@given(st.text(alphabet=st.sampled_from("ab.,:;'\"`´‘’“”«»‹›!?()[]{}<>*-–—… \n\t$%&#@Ss1tn U."), max_size=60))
def test_marks_in_any_order(text):
    check(text)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text):
    check(text)
