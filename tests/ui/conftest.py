import pytest

from tests.ui.fake_service import FakeService


@pytest.fixture
def service() -> FakeService:
    return FakeService()
