import pytest

from elmo_tasks.text.tokens import plain_token


@pytest.mark.parametrize(
    ("token", "plain"),
    [
        ("-LRB-", "("),
        ("-RCB-", "}"),
        ("``", '"'),
        ("''", '"'),
        ("1\\/2", "1/2"),
        ("\\*", "*"),
        ("'s", "'s"),
        ("(", "("),
    ],
)
def test_spellings(token: str, plain: str):
    assert plain_token(token) == plain
