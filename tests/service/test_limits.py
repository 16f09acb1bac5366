"""What one request may hold is checked by the service, whoever asks: a page, an endpoint, or a request written by hand."""

import pytest

from elmo_tasks.api import MapRequest
from elmo_tasks.errors import InputError
from elmo_tasks.service.session import Session

LONG = "The bank " + "very " * 300 + "end."
WIDE = "The bank " + "x" * 3000
TWO = ("The bank.", "My bank.")


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.compare("bank", ["A bank."] * 13), "2 to 12 sentences; there are 13"),
        (lambda s: s.compare("bank", [LONG, *TWO]), "304 words; the most is 200"),
        (lambda s: s.compare("bank", [WIDE, *TWO]), "3,009 characters; the most is 2,000"),
        (lambda s: s.explain("bank", [LONG, *TWO]), "the most is 200"),
        (lambda s: s.substitutes("bank", [LONG, *TWO]), "the most is 200"),
        (
            lambda s: s.sense_map(MapRequest("bank", "The bank. " * 250_000)),
            "2,500,000 characters; the most is 2,000,000",
        ),
        (lambda s: s.nearest("bank", LONG), "304 words; the most is 200"),
        (lambda s: s.nearest("bank", WIDE), "the most is 2,000"),
        (lambda s: s.classify(["Fine."] * 21), "1 to 20 texts, one a line; there are 21"),
        (lambda s: s.tag([LONG]), "304 words; the most is 200"),
        (lambda s: s.incremental_reading("bank", "The bank " + "very " * 50), "52 words; the most is 40"),
        (lambda s: s.static_neighbours("bank", 51), "50"),
    ],
)
def test_what_is_too_much_is_refused_in_words(session, ask, message):
    with pytest.raises(InputError, match=message):
        ask(session)
