"""Published weights: downloads that go wrong in every way a network can."""

from __future__ import annotations

import errno
import logging
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from elmo_tasks.bilm.download import BASE_VARIABLE, fetch
from elmo_tasks.bilm.model_cache import files_of, record_path
from elmo_tasks.bilm.published import PublishedModel
from elmo_tasks.errors import ConfigError, WeightsError
from tests.bilm.tiny_published import COMPLETE, TINY, write_copies
from tests.bilm.weights_server import WeightsServer, running

NO_WAIT = (0.0, 0.0)


@dataclass
class Shop:
    """The server, where its two files are, and a cache folder to download into."""

    server: WeightsServer
    options_path: str
    weights_path: str
    cache: Path

    @property
    def weights(self) -> bytes:
        return self.server.files[self.weights_path]

    @property
    def final(self) -> tuple[Path, Path]:
        return files_of(TINY, self.cache)

    def fetch(self, **changes: object) -> tuple[Path, Path]:
        arguments = {"cache": self.cache, "base_urls": [self.server.url], "delays": NO_WAIT}
        return fetch(TINY, **{**arguments, **changes})  # type: ignore[arg-type]

    def left(self) -> set[str]:
        """What lies in the model's folder, but for the lock."""
        folder = self.final[0].parent
        return {path.name for path in folder.iterdir()} - {".lock"} if folder.exists() else set()


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_copies(tmp_path_factory.mktemp("copies"))


@pytest.fixture
def shop(copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    options, weights = f"/tiny/{TINY.options_name}", f"/tiny/{TINY.weights_name}"
    files = {options: (copies / TINY.options_name).read_bytes(), weights: (copies / TINY.weights_name).read_bytes()}
    with running(WeightsServer(files)) as server:
        yield Shop(server, options, weights, tmp_path / "cache")


class TestFetch:
    def test_brings_both_files_and_records_the_checksum(self, shop: Shop) -> None:
        seen: list[tuple[str, int, int | None]] = []
        options, weights = shop.fetch(report=lambda *progress: seen.append(progress))
        assert (options, weights) == shop.final
        assert weights.read_bytes() == shop.weights
        assert shop.left() == COMPLETE
        assert seen[-1] == (TINY.weights_name, len(shop.weights), len(shop.weights))

    def test_asks_nothing_when_the_files_are_there(self, shop: Shop) -> None:
        shop.fetch()
        asked = len(shop.server.requests)
        shop.fetch()
        assert len(shop.server.requests) == asked

    def test_base_address_from_the_environment(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(BASE_VARIABLE, f"{shop.server.url}nowhere {shop.server.url}")
        shop.fetch(base_urls=None)
        assert [request.status for request in shop.server.requests] == [404, 200, 404, 200]

    def test_base_address_must_be_an_address(self, shop: Shop) -> None:
        with pytest.raises(ConfigError, match=r"should begin with http:// or https://, not 'ftp://x'"):
            shop.fetch(base_urls=["ftp://x"])

    def test_unknown_name(self) -> None:
        with pytest.raises(ConfigError, match=r"no published ELMo model 'tiny'; there are small, medium, original, "):
            fetch("tiny")

    def test_present_files_are_checked_on_first_use(self, shop: Shop, copies: Path) -> None:
        options, weights = shop.final
        weights.parent.mkdir(parents=True)
        shutil.copyfile(copies / TINY.options_name, options)
        weights.write_bytes(shop.weights[:100])
        with pytest.raises(WeightsError, match=r"put there by other means.*100 bytes.*Delete it.*download small`"):
            shop.fetch()
        weights.write_bytes(shop.weights)
        shop.fetch()
        assert record_path(weights).exists()
        assert shop.server.requests == []

    def test_a_changed_file_is_refused(self, shop: Shop) -> None:
        _, weights = shop.fetch()
        weights.write_bytes(shop.weights[:-1] + b"?")
        with pytest.raises(WeightsError, match=r"changed since it was first used.*run `elmo-tasks model download s"):
            shop.fetch()


class TestResume:
    def test_continues_a_dropped_connection(self, shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
        shop.server.faults[shop.weights_path] = ["drop"]
        with caplog.at_level(logging.WARNING):
            _, weights = shop.fetch()
        half = len(shop.weights) // 2
        first, second = shop.server.asked(shop.weights_path)
        assert (first.range, second.range, second.if_range) == (None, f"bytes={half}-", '"1"')
        assert first.sent + second.sent == len(shop.weights)
        assert weights.read_bytes() == shop.weights
        assert shop.left() == COMPLETE
        assert "Trying again in 0 s" in caplog.text

    def test_continues_in_another_run(self, shop: Shop) -> None:
        shop.server.faults[shop.weights_path] = ["drop"]
        with pytest.raises(WeightsError, match=rf"{len(shop.weights) // 2:,} bytes are kept, and `elmo-tasks"):
            shop.fetch(delays=())
        assert not shop.final[1].exists()
        shop.fetch(delays=())
        first, second = shop.server.asked(shop.weights_path)
        assert first.sent + second.sent == len(shop.weights)
        assert shop.final[1].read_bytes() == shop.weights

    def test_continues_without_a_validator(self, shop: Shop) -> None:
        shop.server.etag = None
        shop.server.faults[shop.weights_path] = ["drop"]
        _, weights = shop.fetch()
        first, second = shop.server.asked(shop.weights_path)
        assert second.if_range is None
        assert first.sent + second.sent == len(shop.weights)
        assert weights.read_bytes() == shop.weights

    def test_tries_that_bring_new_bytes_do_not_count(self, shop: Shop) -> None:
        shop.server.faults[shop.weights_path] = ["drop"] * 8
        _, weights = shop.fetch(delays=(0.0,))
        assert weights.read_bytes() == shop.weights

    def test_starts_again_where_range_is_ignored(self, shop: Shop) -> None:
        shop.server.faults[shop.weights_path] = ["drop", "ignore range"]
        _, weights = shop.fetch()
        assert [request.status for request in shop.server.asked(shop.weights_path)] == [200, 200]
        assert weights.read_bytes() == shop.weights

    @pytest.mark.parametrize(
        ("fault", "statuses"), [("honest", [200, 200]), ("stale", [200, 206, 200])], ids=["200", "206 of another file"]
    )
    def test_starts_again_when_the_file_changed(self, shop: Shop, fault: str, statuses: list[int]) -> None:
        shop.server.faults[shop.weights_path] = ["drop"]
        with pytest.raises(WeightsError, match="bytes are kept"):
            shop.fetch(delays=())
        shop.server.etag = '"2"'
        shop.server.faults[shop.weights_path] = [fault]
        _, weights = shop.fetch()
        assert [request.status for request in shop.server.asked(shop.weights_path)] == statuses
        assert weights.read_bytes() == shop.weights

    def test_length_announced_too_long(self, shop: Shop) -> None:
        shop.server.faults[shop.weights_path] = ["too long"]
        _, weights = shop.fetch()
        assert [request.status for request in shop.server.asked(shop.weights_path)] == [200, 416]
        assert weights.read_bytes() == shop.weights

    def test_a_piece_that_does_not_exist_starts_again(self, shop: Shop) -> None:
        shop.server.faults[shop.weights_path] = ["drop", 416]
        _, weights = shop.fetch()
        assert [request.range is None for request in shop.server.asked(shop.weights_path)] == [True, False, True]
        assert weights.read_bytes() == shop.weights

    def test_unreadable_note_starts_again(self, shop: Shop) -> None:
        shop.server.faults[shop.weights_path] = ["drop"]
        with pytest.raises(WeightsError, match="bytes are kept"):
            shop.fetch(delays=())
        note = shop.final[1].with_name(f"{TINY.weights_name}.part.json")
        note.write_text(note.read_text()[:10])
        shop.fetch()
        assert [request.range for request in shop.server.asked(shop.weights_path)] == [None, None]

    def test_ctrl_c_leaves_no_file_under_the_final_name(self, shop: Shop) -> None:
        def stop(name: str, done: int, total: int | None) -> None:
            if name == TINY.weights_name:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            shop.fetch(report=stop)
        assert not any(path.exists() for path in shop.final)
        shop.fetch()
        assert shop.final[1].read_bytes() == shop.weights
        assert shop.server.asked(shop.weights_path)[1].range is not None


class TestRefused:
    @pytest.mark.parametrize(
        ("fault", "message"),
        [
            (403, r"answered 403 Forbidden"),
            (404, r"answered 404 Not Found"),
            (500, r"answered 500 Internal Server Error"),
            ("page", r"sent a web page \(HTML\) in place of the file"),
            ("page in disguise", r"a web page \(HTML or XML\), not a model file: it begins with '<!DOCTYPE html>"),
            ("too short", r"(truncated|float32 numbers need|HDF5)"),
            ("compressed", r"compressed \(gzip\), unasked"),
        ],
    )
    def test_says_what_was_tried_and_leaves_nothing(self, shop: Shop, fault: str | int, message: str) -> None:
        shop.server.faults[shop.weights_path] = [fault] * 3
        with pytest.raises(WeightsError, match=message) as caught:
            shop.fetch()
        assert f"{shop.server.url}tiny/{TINY.weights_name}: " in str(caught.value)
        assert str(shop.final[1]) in str(caught.value)
        assert "`elmo-tasks model download small --from FILE`" in str(caught.value)
        assert shop.left() == set()

    def test_final_refusals_are_not_repeated(self, shop: Shop) -> None:
        shop.server.always = 403
        with pytest.raises(WeightsError, match="403"):
            shop.fetch(base_urls=[shop.server.url, f"{shop.server.url}b"])
        assert [request.path for request in shop.server.requests] == [shop.options_path, f"/b{shop.options_path}"]

    def test_passing_trouble_is_tried_again(self, shop: Shop) -> None:
        shop.server.faults[shop.weights_path] = [500, 503]
        _, weights = shop.fetch()
        assert weights.read_bytes() == shop.weights

    def test_nobody_answers(self, shop: Shop) -> None:
        with pytest.raises(WeightsError, match=r"(?s)could not be downloaded.*refused.*download small --from FILE"):
            shop.fetch(base_urls=["http://127.0.0.1:9/"])

    def test_redirects_without_end(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        import httpx

        def around(*args: object, **rest: object) -> None:
            raise httpx.TooManyRedirects("Exceeded maximum allowed redirects.")

        monkeypatch.setattr(httpx.Client, "stream", around)
        with pytest.raises(WeightsError, match="Exceeded maximum allowed redirects"):
            shop.fetch()

    def test_exact_size(self, shop: Shop) -> None:
        model = PublishedModel(**{**vars(TINY), "weights_bytes": 12_345})
        with pytest.raises(WeightsError, match=r"have [\d,]+ bytes; the published file has 12,345"):
            fetch(model, cache=shop.cache, base_urls=[shop.server.url], delays=())

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda text: text.replace('"dim": 6', '"dim": 7'), r"not those of small: lstm.dim should be 6 and is 7"),
            (lambda text: text.replace("n_highway", "highways"), r"not a biLM's: there is no char_cnn.n_highway"),
            (lambda text: "[]", r"not a biLM's: there is no lstm.dim"),
            (lambda text: text[:50], r"the options are not JSON: "),
        ],
    )
    def test_wrong_options_before_the_weights(self, shop: Shop, change: Callable[[str], str], message: str) -> None:
        shop.server.files[shop.options_path] = change(TINY.options_text).encode()
        with pytest.raises(WeightsError, match=message):
            shop.fetch()
        assert shop.server.asked(shop.weights_path) == []
        assert shop.left() == set()


class TestDisk:
    def fails(self, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
        def fsync(descriptor: int) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "fsync", fsync)

    def test_full(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fails(errno.ENOSPC, monkeypatch)
        with pytest.raises(ConfigError, match=r"is full \([\d,]+ bytes are free, small needs [\d,]+\).*--cache DIR"):
            shop.fetch()

    def test_no_permission(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fails(errno.EACCES, monkeypatch)
        with pytest.raises(ConfigError, match=r"may not be written to \(Permission denied\): choose another folder"):
            shop.fetch()

    def test_cache_is_a_file(self, shop: Shop) -> None:
        shop.cache.write_text("")
        with pytest.raises(ConfigError, match=r"cannot be used: Not a directory; choose another folder"):
            shop.fetch()

    def test_two_at_once_download_once(self, shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
        shop.server.gate = threading.Event()
        with caplog.at_level(logging.WARNING), ThreadPoolExecutor(2) as both:
            results = [both.submit(shop.fetch) for _ in range(2)]
            threading.Timer(0.3, shop.server.gate.set).start()
            assert results[0].result() == results[1].result() == shop.final
        assert len(shop.server.asked(shop.weights_path)) == 1
        assert shop.final[1].read_bytes() == shop.weights
        assert shop.left() == COMPLETE
        # The process is named once it has written its name into the lock; the second may come a moment before that.
        assert re.search(r"the download of small is in use by (another )?process", caplog.text)
