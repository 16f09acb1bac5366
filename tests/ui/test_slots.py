"""What may take seconds has slots of its own: a comparison waits only behind what is as quick as itself."""

from elmo_tasks.ui.layout import build_app
from tests.ui.fake_service import FakeService


def test_slow_work_has_slots_of_its_own():
    app = build_app(FakeService())
    slots = {fn.api_name: fn.concurrency_id for fn in app.fns.values() if fn.api_visibility == "public"}
    assert {name for name, slot in slots.items() if slot == "slow"} == {
        "sentiment",
        "sense_map",
        "land",
        "side_by_side",
    }
    assert slots["compare"] == "model"
    tabs = {part.props["part"]: fn.concurrency_id for fn in app.fns.values() for part in _asking(app, fn)}
    assert (tabs["compare"], tabs["map"]) == ("model", "uses")
    typed = {fn.concurrency_id for fn in app.fns.values() if _label(app, fn, "input") == "Text"}
    assert typed == {"texts"}  # of the tab Try


def _asking(app, fn):
    found = (app.blocks.get(target) for target, event in fn.targets if event == "submit")
    return [block for block in found if getattr(block, "props", {}).get("part")]


def _label(app, fn, event):
    found = [app.blocks[target].label for target, name in fn.targets if name == event]
    return found[0] if found else ""
