"""Helpers of the service for tests in several folders."""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from elmo_tasks.senses import fit_views
from elmo_tasks.service import loaded_models


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in another thread: playwright's event loop may be running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@contextmanager
def small_calibration() -> Iterator[None]:
    """Fit on a small part of the dictionary: random weights separate no meanings on the full one,
    either."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loaded_models, "_READING_SECONDS", 0.0)
        patch.setattr(fit_views, "_EPOCHS", 1)
        yield
