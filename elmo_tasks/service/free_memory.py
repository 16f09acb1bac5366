"""Give memory that requests have freed back to the system, on Linux.

The C library keeps freed memory for later, in as many as eight arenas per core. Requests run in
many threads, and tensors have many sizes, so the memory it keeps grows for hours.
"""

from __future__ import annotations

import ctypes
import threading

#: Number of the setting in glibc's ``mallopt``, and its value: few arenas, shared by all threads.
_ARENA_MAX = -8
_N_ARENAS = 2
_PAUSE_SECONDS = 20.0


def give_back_freed_memory() -> bool:
    """Give freed memory back every few seconds; return False where the C library cannot."""
    try:
        library = ctypes.CDLL(None)
        trim, limit = library.malloc_trim, library.mallopt
    except (OSError, TypeError, AttributeError):  # not glibc
        return False
    limit(_ARENA_MAX, _N_ARENAS)
    stopped = threading.Event()

    def keep_trimming() -> None:
        while not stopped.wait(_PAUSE_SECONDS):
            trim(0)

    threading.Thread(target=keep_trimming, name="free memory", daemon=True).start()
    return True
