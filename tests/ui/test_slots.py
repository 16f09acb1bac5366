"""What may take seconds has slots of its own: a comparison waits only behind what is as quick as itself."""

from elmo_tasks.ui.layout import build_app
from tests.ui.fake_service import FakeService


def test_slow_work_has_slots_of_its_own():
    app = build_app(FakeService())
    slots = {fn.api_name: fn.concurrency_id for fn in app.fns.values() if fn.api_visibility == "public"}
    slow = {"sentiment", "sense_map", "land", "side_by_side"}
    assert {name for name, slot in slots.items() if slot == "slow"} == slow
    assert slots["compare"] == "model"
    pressed = {_name(app.blocks.get(part)): fn.concurrency_id for fn in app.fns.values() for part, _ in fn.targets}
    assert (pressed["compare"], pressed["Find the nearest uses"]) == ("model", "model")
    assert (pressed["Draw the map"], pressed["Look for"]) == ("uses", "texts")  # the latter of the tab Try


def _name(block):
    if part := getattr(block, "props", {}).get("part"):
        return part
    return getattr(block, "label", None) or getattr(block, "value", None)
