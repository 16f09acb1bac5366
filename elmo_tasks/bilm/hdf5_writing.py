"""HDF5 files that appear only when they are whole, and one error where a disk is full.

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
    """A file to add data sets to."""

    def __init__(self, disk: _Disk) -> None:
        self._disk = disk
        super().__init__(disk, "w")

    def create_dataset(self, name: str | None, *args: Any, **kwargs: Any) -> h5py.Dataset:
        """As in :class:`h5py.Group`. Raises OSError: the disk is full, or may not be written to."""
        data_set = super().create_dataset(name, *args, **kwargs)
        self._disk.check()
        return data_set


@contextmanager
def new_hdf5(target: Path) -> Iterator[NewHDF5]:
    """A file to fill, which takes its name at the end; after an error all is as it was.

    Raises:
        OSError: the disk is full, or may not be written to.
    """
    with atomic_file(target) as partial, writing_hdf5(partial) as file:
        yield file


@contextmanager
def writing_hdf5(path: Path) -> Iterator[NewHDF5]:
    """A file to fill, under the name that it has from the beginning. Raises OSError: the disk is full, or may not be written to."""
    with path.open("w+b", buffering=0) as raw:
        disk = _Disk(raw)
        with NewHDF5(disk) as file:
            yield file
        disk.check()


class _Disk(io.RawIOBase):
    """A file that notes the first error in place of raising it, and from then on takes everything and keeps nothing."""

    def __init__(self, raw: io.FileIO) -> None:
        self._raw, self._at, self._end = raw, 0, 0
        self._error: OSError | None = None

    def check(self) -> None:
        """Raise what was noted."""
        if self._error is not None:
            self._error.filename = str(self._raw.name)
            raise self._error

    def seekable(self) -> bool:
        """Yes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """To a place, which may lie behind the end."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        return self._at

    def tell(self) -> int:
        """The place."""
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        """What was written; zeros for what was not."""
        view = memoryview(buffer).cast("B")
        self._raw.seek(self._at)
        done = 0
        while done < len(view) and (n := self._raw.readinto(view[done:])):
            done += n
        view[done:] = bytes(len(view) - done)
        self._at += len(view)
        return len(view)

    def write(self, data: Any, /) -> int:
        """All of it, or note why not."""
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
        """To a length, or to the place."""
        size = self._at if size is None else size
        if self._error is None:
            try:
                self._raw.truncate(size)
            except OSError as error:
                self._error = error
        self._end = size
        return size

    def flush(self) -> None:
        """Nothing waits here."""
