"""What gradio remembers of people: nothing.

It would keep what each of 10,000 sessions last typed and was answered, some 130 kB each, until others push it out. Our pages keep
what they need in the browser, so that every event starts from the page as it was built.
"""

from __future__ import annotations

import gradio as gr
from gradio.state_holder import SessionState, StateHolder


class _NoSessions(StateHolder):
    def __getitem__(self, session_id: str) -> SessionState:
        return SessionState(self.blocks)

    def __contains__(self, session_id: str) -> bool:
        return False


def forget_sessions(app: gr.Blocks) -> None:
    """Let an app that was launched remember no session.

    Args:
        app: without ``gr.State``, which needs sessions.

    Raises:
        ValueError: it has one.
    """
    if any(isinstance(block, gr.State) for block in app.blocks.values()):
        raise ValueError("expected an app without gr.State: it would be empty at every event")
    holder = _NoSessions()
    holder.set_blocks(app)
    app.app.state_holder = holder
