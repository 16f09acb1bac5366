"""Slow endpoints have slots of their own: they do not take those of people who wait at a page."""

from elmo_tasks.ui.layout import build_app
from tests.ui.fake_service import FakeService


def test_slow_endpoints_have_slots_of_their_own():
    slots = {fn.api_name: fn.concurrency_id for fn in build_app(FakeService()).fns.values()}
    assert {name for name, slot in slots.items() if slot == "slow"} == {"sentiment", "sense_map", "two_lives"}
    assert slots["compare"] == "model"
