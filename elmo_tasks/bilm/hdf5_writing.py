"""Atomic writing of HDF5 files, with a single error if the disk is full.

Left to itself, HDF5 keeps what it could not write, tries again with each object it lets go of, prints a traceback every time,
and brings the process down at its end.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from elmo_tasks.files import atomic_file

#: Type of a data set of texts.
STRING = h5py.string_dtype()


class NewHDF5(h5py.File):
    """New file to which datasets can be added."""

    def __init__(self, disk: _Disk) -> None:
        self._disk = disk
        super().__init__(disk, "w")

    def create_dataset(self, name: str | None, *args: Any, **kwargs: Any) -> h5py.Dataset:
        """Create a dataset as in :class:`h5py.Group`.

        Raises:
            OSError: the disk is full or not writable.
        """
        data_set = super().create_dataset(name, *args, **kwargs)
        self._disk.check()
        return data_set


@contextmanager
def new_hdf5(target: Path) -> Iterator[NewHDF5]:
    """Open a new file that is renamed on success; after an error nothing changes.

    Raises:
        OSError: the disk is full, or may not be written to.
    """
    with atomic_file(target) as partial, writing_hdf5(partial) as file:
        yield file


@contextmanager
def writing_hdf5(path: Path) -> Iterator[NewHDF5]:
    """Open a new file under its final name.

    Raises:
        OSError: the disk is full or not writable.
    """
    with path.open("w+b", buffering=0) as raw:
        disk = _Disk(raw)
        with NewHDF5(disk) as file:
            yield file
        disk.check()


class _Disk(io.RawIOBase):
    """File that records its first error and discards later writes."""

    def __init__(self, raw: io.FileIO) -> None:
        self._raw, self._at, self._end = raw, 0, 0
        self._error: OSError | None = None

    def check(self) -> None:
        """Raise the recorded error, if any."""
        if self._error is not None:
            self._error.filename = str(self._raw.name)
            raise self._error

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to a position, which may lie beyond the end."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        return self._at

    def tell(self) -> int:
        """Return the current position."""
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        """Read the written bytes; unwritten ones are zero."""
        view = memoryview(buffer).cast("B")
        self._raw.seek(self._at)
        done = 0
        while done < len(view) and (n := self._raw.readinto(view[done:])):
            done += n
        view[done:] = bytes(len(view) - done)
        self._at += len(view)
        return len(view)

    def write(self, data: Any, /) -> int:
        """Write all bytes, or record the error."""
        view = memoryview(data).cast("B")
        if self._error is None:
            try:
                self._raw.seek(self._at)
                done = 0
                while done < len(view):
                    done += self._raw.write(view[done:]) or 0
            except OSError as error:
                self._error = error
        self._at += len(view)
        self._end = max(self._end, self._at)
        return len(view)

    def truncate(self, size: int | None = None, /) -> int:
        """Truncate to a length, or to the current position."""
        size = self._at if size is None else size
        if self._error is None:
            try:
                self._raw.truncate(size)
            except OSError as error:
                self._error = error
        self._end = size
        return size

    def flush(self) -> None:
        """Do nothing; writes are not buffered."""
