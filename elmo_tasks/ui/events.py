"""What events and endpoints of all tabs have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Whatever asks a model: four at once, the others wait.
SHARED: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 4}
#: Events of the page are no endpoints, and the page itself says that it waits.
PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
#: Events of the page that ask a model.
QUIET: dict[str, Any] = {**SHARED, **PRIVATE}


def revision_of(data: Mapping[str, Any]) -> int:
    """The number of a question, which its answer carries, so that the page knows answers that come too late; 0 without one."""
    revision = data.get("revision")
    return revision if isinstance(revision, int) else 0
