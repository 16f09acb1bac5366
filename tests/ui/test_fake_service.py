"""The fake answers what the real service is asked: what the pages are tested on is what they get."""

import inspect
from typing import get_type_hints

import pytest

from elmo_tasks.api import Service
from tests.ui.fake_service import FakeService

PARTS = {
    name: get_type_hints(part.fget)["return"] for name, part in vars(Service).items() if isinstance(part, property)
}
METHODS = [
    (part, name)
    for part, protocol in {"": Service, **PARTS}.items()
    for name, method in vars(protocol).items()
    if inspect.isfunction(method) and not name.startswith("_")
]


@pytest.mark.parametrize(("part", "name"), METHODS)
def test_it_takes_what_the_service_takes(part, name):
    asked = PARTS[part] if part else Service
    answers = getattr(FakeService(), part) if part else FakeService()
    expected = list(inspect.signature(getattr(asked, name)).parameters.values())[1:]  # without self
    found = inspect.signature(getattr(answers, name)).parameters.values()
    assert [(p.name, p.default) for p in found] == [(p.name, p.default) for p in expected]
