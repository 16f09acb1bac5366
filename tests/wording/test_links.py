"""Who can open a link."""

import pytest

from elmo_tasks.wording.links import ONLY_HERE, ONLY_IN_NETWORK, who_can_open


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("http://127.0.0.1:7860/?word=bank", ONLY_HERE),
        ("http://localhost:7860/", ONLY_HERE),
        ("http://[::1]:7860/", ONLY_HERE),
        ("http://0.0.0.0:7860/", ONLY_HERE),
        ("http://192.168.1.7:7860/?tab=map", ONLY_IN_NETWORK),
        ("http://10.0.0.5/", ONLY_IN_NETWORK),
        ("http://teacher.local:7860/", ONLY_IN_NETWORK),
        ("http://lab7:7860/", ONLY_IN_NETWORK),
        ("https://example.org/elmo?word=bank", ""),
        ("http://8.8.8.8/", ""),
        ("no link", ""),
        ("http://[broken", ""),
        ("", ""),
    ],
)
def test_who_can_open_a_link_is_said(link, said):
    assert who_can_open(link) == said
