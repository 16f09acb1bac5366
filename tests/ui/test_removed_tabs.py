"""Links to tabs that are gone."""

from types import SimpleNamespace

import gradio as gr
import pytest

from elmo_tasks.ui import layout
from tests.ui.reader import parsed


def opened(tab):
    return layout._open_tab(SimpleNamespace(query_params={"tab": tab} if tab else {}))


@pytest.mark.parametrize("tab", sorted(set(layout.REMOVED) - set(layout.TABS)))
def test_a_link_to_a_removed_tab_opens_compare_and_says_so(tab):
    selected, notice = opened(tab)
    assert not isinstance(selected, gr.Tabs)  # Compare stays open
    assert layout.REMOVED[tab] in parsed(notice).text


@pytest.mark.parametrize("tab", ["map", "present", "nonsense", None])
def test_any_other_link_says_nothing(tab):
    selected, notice = opened(tab)
    assert isinstance(selected, gr.Tabs) == (tab in layout.TABS)
    assert notice == gr.skip()
