"""Each event of a page is forgotten with its answer; gradio would keep it for the session."""

from __future__ import annotations

from copy import copy

import gradio as gr
from gradio.blocks import Blocks
from gradio.state_holder import SessionState, StateHolder


class _StateOfEvent(SessionState):
    """State of one event, made in microseconds and kept by nobody.

    Gradio's own describes every component of the page first, which takes 45 ms and 130 kB, and then
    holds what was typed and answered.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.blocks_config = copy(blocks.default_config)
        self.config_values = {}  # filled for the components that an event uses
        self.state_data = {}
        self._state_ttl = {}
        self.is_closed = False
        self.STATE_TTL_WHEN_CLOSED = 0


class _NoSessions(StateHolder):
    """A new state for each event; our pages have no ``gr.State`` that another could need."""

    def __getitem__(self, session_id: str) -> SessionState:
        return _StateOfEvent(self.blocks)


def keep_no_sessions(app: gr.Blocks) -> None:
    """Let a launched app forget each event with its answer."""
    holder = _NoSessions()
    holder.set_blocks(app)
    app.server_app.state_holder = holder
