"""The fake service has the methods of the real one."""

import inspect

import pytest

from elmo_tasks.api import Service, Training
from tests.ui.fake_service import FakeService
from tests.ui.fake_training import FakeTraining

METHODS = [
    (protocol, fake, name)
    for protocol, fake in ((Service, FakeService), (Training, FakeTraining))
    for name, method in vars(protocol).items()
    if inspect.isfunction(method) and not name.startswith("_")
]


@pytest.mark.parametrize(("protocol", "fake", "name"), METHODS)
def test_it_has_the_methods_and_parameters_of_the_service(protocol, fake, name):
    expected = inspect.signature(getattr(protocol, name)).parameters.values()
    found = inspect.signature(getattr(fake, name)).parameters.values()
    assert [(p.name, p.default) for p in found] == [(p.name, p.default) for p in expected]
