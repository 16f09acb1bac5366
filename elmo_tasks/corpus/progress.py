"""Progress of long work: a bar on a terminal, a line every half minute in a log."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from tqdm import tqdm

from elmo_tasks.wording import duration

#: Seconds between two lines of a log.
_LOG_SECONDS = 30.0


class RowProgress:
    """Counts finished rows; speed and time left follow the share of the characters."""

    def __init__(self, title: str, n_rows: int, n_characters: int, *, done_rows: int = 0) -> None:
        self._title = title
        self._n_rows = n_rows
        self._left = max(1, n_characters)
        self._rows = 0
        self._done_rows = done_rows
        self._characters = 0
        self._began = self._last_line = time.monotonic()
        # On a terminal only; a log gets lines of its own.
        self._bar = tqdm(desc=title, total=n_rows, initial=done_rows, unit="row", disable=None)

    def __enter__(self) -> RowProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()

    def add(self, n_rows: int, n_characters: int) -> None:
        """Count rows that were finished."""
        self._rows += n_rows
        self._characters += n_characters
        self._bar.update(n_rows)
        now = time.monotonic()
        if self._bar.disable and now - self._last_line >= _LOG_SECONDS:
            self._last_line = now
            print(self.line(now - self._began), file=sys.stderr, flush=True)

    def line(self, seconds: float) -> str:
        """Describe the progress after some seconds."""
        done = self._done_rows + self._rows
        share = done / max(1, self._n_rows)
        speed = self._rows / max(seconds, 1e-9)
        rest = (self._left - self._characters) * seconds / max(1, self._characters)
        return (
            f"{self._title}: {done:,} of {self._n_rows:,} rows ({share:.0%}), {speed:,.0f} rows per"
            f" second, {duration(rest)} left"
        )
