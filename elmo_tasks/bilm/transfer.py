"""Single attempt to download a file over HTTP, with resumption.

The caller is responsible for retries.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx

#: Called with the file's final name, the bytes there are, and the total bytes, if the server states them.
Report = Callable[[str, int, int | None], None]

# Answers that another try may change; every other refusal is final for its address.
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")


class Interrupted(Exception):
    """Temporary failure; another attempt may succeed."""


class Refused(Exception):
    """Permanent refusal by this address."""


@dataclass(frozen=True)
class _Origin:
    """Source of an unfinished file, kept beside it so that another process can resume.

    ``validator`` is the server's ETag (a strong one) or Last-Modified date: with it the server itself says whether the
    file is still the same. Without one, only the same address and the same total length let a file be continued.
    """

    url: str
    validator: str | None
    total: int | None


def transfer(client: httpx.Client, url: str, target: Path, report: Report | None = None) -> None:
    """Complete ``part_of(target)`` from its current content; ``target`` is unchanged.

    On an interruption what arrived stays there, and the next call asks for the rest only.

    Raises:
        Interrupted: the connection broke, or the server was busy, or it answered with the wrong piece.
        Refused: the server has no such file, does not give it, or gives something else.
        OSError: the file cannot be written.
    """
    part = part_of(target)
    origin = _read_origin(target)
    have = part.stat().st_size if part.exists() else 0
    if origin is None or (origin.validator is None and origin.url != url):
        have = 0
    headers = {"Accept-Encoding": "identity"}
    if have and origin is not None:
        headers["Range"] = f"bytes={have}-"
        if origin.validator is not None:
            headers["If-Range"] = origin.validator
    try:
        with client.stream("GET", url, headers=headers) as response:
            if response.status_code == 416:
                if have and have == _whole_length(response):
                    return  # an earlier try got the last byte and stopped before it could say so
                discard(target)
                raise Interrupted("the server has no such piece of the file; it has to start again")
            _accept(response)
            start, total = _piece(response)
            validator = _validator(response)
            same = origin is not None and origin.total == total and validator in (None, origin.validator)
            if start and (start != have or not same):
                discard(target)
                raise Interrupted("the file changed while it was being downloaded; it has to start again")
            if start and origin is not None:  # a piece of the same file may come without repeating what it belongs to
                validator = origin.validator
            _receive(response, target, start, _Origin(url, validator, total), report)
    except httpx.RequestError as error:
        said = str(error) or type(error).__name__  # a timeout's text is empty
        raise (Interrupted if isinstance(error, httpx.TransportError) else Refused)(said) from error


def part_of(target: Path) -> Path:
    """Return the name of a file until it is complete and checked."""
    return target.with_name(target.name + ".part")


def discard(target: Path) -> None:
    """Remove the unfinished parts of a file."""
    part_of(target).unlink(missing_ok=True)
    _origin_path(target).unlink(missing_ok=True)


def _accept(response: httpx.Response) -> None:
    status = response.status_code
    if status in _PASSING:
        raise Interrupted(f"the server answered {status} {response.reason_phrase}")
    if status not in (200, 206):
        raise Refused(f"the server answered {status} {response.reason_phrase}")
    if response.headers.get("Content-Type", "").lower().startswith("text/html"):
        raise Refused("the server sent a web page (HTML) in place of the file, as a sign-in page or a proxy does")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise Refused(f"the server sent the file compressed ({response.headers['Content-Encoding']}), unasked")


def _piece(response: httpx.Response) -> tuple[int, int | None]:
    """Return the start of the received bytes, and the size of the whole file."""
    if response.status_code == 200:  # the whole file, even if a range was requested
        length = response.headers.get("Content-Length")
        return 0, None if length is None else int(length)
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if match is None or match[1] is None:
        raise Refused("the server sent a piece of the file without saying which (no usable Content-Range)")
    return int(match[1]), _whole_length(response)


def _whole_length(response: httpx.Response) -> int | None:
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    return None if match is None or match[2] == "*" else int(match[2])


def _receive(response: httpx.Response, target: Path, start: int, origin: _Origin, report: Report | None) -> None:
    done = start
    with part_of(target).open("ab" if start else "wb") as file:
        # Noted only now that the file is empty (or continued): earlier, a crash here would leave old bytes under the
        # new file's name.
        _origin_path(target).write_text(json.dumps(asdict(origin)), encoding="utf-8")
        for block in response.iter_raw():
            file.write(block)
            done += len(block)
            if report is not None:
                report(target.name, done, origin.total)
        file.flush()
        os.fsync(file.fileno())
    if origin.total is not None and done != origin.total:
        if done > origin.total:
            discard(target)
        raise Interrupted(f"the connection ended after {done:,} of {origin.total:,} bytes")


def _validator(response: httpx.Response) -> str | None:
    tag: str | None = response.headers.get("ETag")
    if tag is not None and not tag.startswith("W/"):  # a weak tag does not promise equal bytes
        return tag
    return response.headers.get("Last-Modified")


def _origin_path(target: Path) -> Path:
    return target.with_name(target.name + ".part.json")


def _read_origin(target: Path) -> _Origin | None:
    try:
        return _Origin(**json.loads(_origin_path(target).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        # Cut off in the middle of writing: what the unfinished file belongs to is not known, so it starts again.
        discard(target)
        return None
