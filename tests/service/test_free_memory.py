"""Freed memory returns to the system, measured in a separate process."""

import subprocess
import sys

import pytest

from elmo_tasks.service.free_memory import give_back_freed_memory

SCRIPT = """
import time
from elmo_tasks.service import free_memory

def megabytes():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1000

free_memory._PAUSE_SECONDS = 0.1
blocks = [bytes(60_000) for _ in range(2_000)]
kept = blocks[-1]  # at the end of the heap: without help, all before it stays
full = megabytes()
del blocks
before = megabytes()
print(free_memory.give_back_freed_memory())
time.sleep(1.0)
print(round(full - before), round(before - megabytes()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is glibc")
def test_freed_memory_goes_back():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    worked, sizes = done.stdout.splitlines()
    at_once, later = map(int, sizes.split())
    assert worked == "True"
    assert at_once < 20
    assert later > 80


def test_another_c_library_is_left_alone(monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    assert give_back_freed_memory() is False
