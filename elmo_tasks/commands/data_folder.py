"""Where the public data sets are that commands measure on."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder(given: Path | None) -> Path:
    """What the user named, else ``ELMO_SHARED_DATA``, else the place beside the repository."""
    return given or Path(os.environ.get("ELMO_SHARED_DATA", "../shared/data"))
