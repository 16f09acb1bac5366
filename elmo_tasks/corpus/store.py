"""Files of a job, in a folder or, by its address, in a bucket."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from elmo_tasks.errors import DataError
from elmo_tasks.files import atomic_write


def is_address(place: str) -> bool:
    """Check if a place is an address, such as ``s3://bucket/texts``, and not a path."""
    return "://" in place


def arrow_filesystem(address: str) -> tuple[Any, str]:
    """Return PyArrow's file system of an address, and the path in it.

    Raises:
        DataError: PyArrow knows no such kind of address, or cannot reach it.
    """
    import pyarrow as pa
    from pyarrow import fs

    try:
        filesystem, path = fs.FileSystem.from_uri(address)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"{address}: expected a path, or an address such as s3://BUCKET/NAME ({error})"
        ) from None
    return filesystem, path


@dataclass(frozen=True)
class Store:
    """Named files in one place, each of which is complete or not there at all.

    Only its location is sent to other processes and machines.
    """

    place: str  #: a folder, or the address of one

    def names(self) -> set[str]:
        """Return the names of the files, without unfinished ones."""
        if not is_address(self.place):
            folder = Path(self.place)
            found = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
        else:
            from pyarrow import fs

            filesystem, path = self._filesystem
            chosen = fs.FileSelector(path, allow_not_found=True)
            found = (info.base_name for info in filesystem.get_file_info(chosen))
        return {name for name in found if not name.startswith(".")}

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        if not is_address(self.place):
            return (Path(self.place) / name).read_bytes()
        filesystem, path = self._filesystem
        with filesystem.open_input_stream(f"{path}/{name}") as file:
            return bytes(file.read())

    def write(self, name: str, content: bytes) -> None:
        """Write a file under another name, then rename it."""
        if not is_address(self.place):
            Path(self.place).mkdir(parents=True, exist_ok=True)
            atomic_write(Path(self.place) / name, content)
            return
        filesystem, path = self._filesystem
        filesystem.create_dir(path, recursive=True)
        # An object in a bucket appears when it is complete; other file systems show a growing file.
        with filesystem.open_output_stream(f"{path}/.{name}") as file:
            file.write(content)
        filesystem.move(f"{path}/.{name}", f"{path}/{name}")

    def delete(self, name: str) -> None:
        """Delete a file."""
        if not is_address(self.place):
            (Path(self.place) / name).unlink(missing_ok=True)
        else:
            filesystem, path = self._filesystem
            filesystem.delete_file(f"{path}/{name}")

    def remove(self) -> None:
        """Remove all files."""
        if not is_address(self.place):
            shutil.rmtree(self.place, ignore_errors=True)
        elif self.names():
            filesystem, path = self._filesystem
            filesystem.delete_dir(path)

    @cached_property
    def _filesystem(self) -> tuple[Any, str]:
        return arrow_filesystem(self.place)

    def __getstate__(self) -> dict[str, str]:
        return {"place": self.place}
