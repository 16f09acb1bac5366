"""Requests are bounded before they are read."""

import asyncio
import json
import time

import pytest

from elmo_tasks.service.request_limits import RequestLimits, UploadLimits
from tests.service.helpers import run


async def echo(scope, receive, send):
    """Read all of the body, as a web framework does, and say its length; a wrong password is
    refused."""
    body = b""
    try:
        while True:
            message = await receive()
            body += message["body"]
            if not message["more_body"]:
                break
        status = 400 if body == b"wrong" else 200
    except Exception:
        status = 400  # what frameworks make of any error in a body
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


async def request(
    limits, path="/call/compare", pieces=(b"{}",), length=None, method="POST", client="1.2.3.4"
):
    """One request: its status, the body of the response, and how many pieces were read."""
    sent, waiting = [], [{"type": "http.request", "body": p, "more_body": True} for p in pieces]
    waiting[-1]["more_body"] = False
    headers = [] if length is None else [(b"content-length", str(length).encode())]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": headers,
        "client": (client, 1),
    }

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    await limits(scope, receive, send)
    return sent[0]["status"], sent[1]["body"], len(pieces) - len(waiting)


def ask(*args, **options):
    return run(request(*args, **options))


def test_reading_stops_at_the_size_limit_of_a_request():
    limits = RequestLimits(echo, max_bytes=10)
    assert ask(limits, pieces=(b"12345", b"67890"), length=10) == (200, b"10", 2)
    for size, length, n_read in ((11, 11, 0), (6, None, 2)):
        status, body, read = ask(limits, pieces=(b"x" * size,) * 100, length=length)
        assert (status, read) == (413, n_read)
        assert json.loads(body)["error"] == "This request is larger than the limit of 1e-05 MB."


@pytest.mark.parametrize(
    "path", ["/gradio_api/upload", "/upload/", "/gradio_api/process_recording"]
)
def test_uploads_are_off(path):
    status, body, read = ask(RequestLimits(echo), path)
    assert (status, read) == (403, 0)
    assert b"Uploads are off here." in body
    assert ask(RequestLimits(echo), path, method="GET")[0] == 200


def test_uploads_are_bounded_in_size_files_and_number():
    file = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n'
    limits = RequestLimits(
        echo, UploadLimits(max_bytes=300, max_files=2, max_requests=2), max_bytes=5
    )
    assert ask(limits, "/upload", (file + file[:30], file[30:]))[0] == 200
    assert (
        ask(limits, "/upload", (file, b"filename=1, filename=2"))[0] == 200
    )  # what a file says is no file
    limits = RequestLimits(
        echo, UploadLimits(max_bytes=300, max_files=2, max_requests=2), max_bytes=5
    )
    status, body, _ = ask(limits, "/upload", (file + file[:30], file[30:] + file[:60], file[60:]))
    assert (status, json.loads(body)["detail"]) == (413, "This request has more than 2 files.")
    assert ask(limits, "/upload", (b"x" * 301,))[0] == 413
    statuses = [
        ask(limits, "/upload", (body,))[0] for body in (b"wrong", b"1", b"wrong", b"2", b"3")
    ]
    assert statuses == [400, 200, 400, 200, 429]
    assert ask(limits, "/call/compare", (b"123456",))[0] == 413


def test_an_upload_without_a_file_name_is_refused_with_a_message():
    async def confused(scope, receive, send):
        raise TypeError("File is not an instance of GradioUploadFile")

    limits = RequestLimits(confused, UploadLimits(max_bytes=300), max_bytes=5)
    status, body, _ = ask(limits, "/upload", (b"x",))
    assert status == 400
    assert json.loads(body)["error"] == "A file without a name cannot be read. Give it one."


def test_no_more_uploads_come_at_a_time_than_in_an_hour():
    async def all_at_once():
        leave = asyncio.Event()

        async def slow(scope, receive, send):
            await leave.wait()
            await echo(scope, receive, send)

        limits = RequestLimits(slow, UploadLimits(max_bytes=100, max_requests=2))
        uploads = [asyncio.ensure_future(request(limits, "/upload", (b"1",))) for _ in range(5)]
        refused, _ = await asyncio.wait(uploads[2:])  # at once, while the first two are served
        leave.set()
        return [task.result()[0] for task in refused] + [
            (await upload)[0] for upload in uploads[:2]
        ]

    assert run(all_at_once()) == [429, 429, 429, 200, 200]


def test_wrong_passwords_are_answered_later_and_later():
    limits = RequestLimits(echo, pause=0.25)
    for least in (0.25, 0.5, 1):
        began = time.monotonic()
        assert ask(limits, "/login", (b"wrong",))[0] == 400
        assert time.monotonic() - began >= least
    began = time.monotonic()
    assert ask(limits, "/login", (b"right",), client="5.6.7.8")[0] == 200  # others do not wait
    assert ask(limits, "/login", (b"right",))[0] == 200  # and a right one is forgiven
    assert ask(limits, "/login", (b"wrong",))[0] == 400
    assert time.monotonic() - began < 2  # what the fourth in a row would cost


def test_parallel_logins_from_one_address_take_turns():
    limits = RequestLimits(echo, pause=0.05)

    async def all_at_once():
        await asyncio.gather(*(request(limits, "/login", (b"wrong",)) for _ in range(4)))

    began = time.monotonic()
    run(all_at_once())
    assert time.monotonic() - began >= 0.05 * (1 + 2 + 4 + 8)
