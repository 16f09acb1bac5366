"""Published weights: downloads that go wrong in every way a network can, and offline copies with
the same checks."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import re
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.download import BASE_VARIABLE, Report, copy_in, fetch
from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.bilm.published import MODELS, files_of, locate
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.weights import cache
from elmo_tasks.weights.cache import cache_folder
from tests.bilm.weights_server import COMPLETE, TINY, WeightsServer, running, write_copies

PATH = f"/tiny/{TINY.weights_name}"


@dataclass
class Shop:
    """The server with the weights, and a cache folder to download into."""

    server: WeightsServer
    cache: Path

    @property
    def content(self) -> bytes:
        return self.server.files[PATH]

    @property
    def final(self) -> tuple[Path, Path]:
        return files_of("small", self.cache)

    def fetch(self, report: Report | None = None) -> tuple[Path, Path]:
        return fetch("small", cache=self.cache, report=report)

    def left(self) -> set[str]:
        """The files in the model's folder, except the lock."""
        folder = self.final[0].parent
        return {path.name for path in folder.iterdir()} - {".lock"} if folder.exists() else set()


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_copies(tmp_path_factory.mktemp("copies"))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of the smallest published model; nothing waits."""
    monkeypatch.setitem(MODELS, "small", TINY)
    monkeypatch.setattr("elmo_tasks.bilm.download.DELAYS", (0.0, 0.0))


@pytest.fixture
def shop(
    tiny: None, copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shop]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running(WeightsServer({PATH: (copies / TINY.weights_name).read_bytes()})) as server:
        monkeypatch.setenv(BASE_VARIABLE, server.url)
        yield Shop(server, tmp_path / "cache")


class TestFetch:
    def test_brings_the_weights_with_their_options_and_checksum(self, shop: Shop) -> None:
        seen: list[tuple[str, int, int | None]] = []
        options, weights = shop.fetch(report=lambda *progress: seen.append(progress))
        assert (options, weights) == shop.final
        assert weights.read_bytes() == shop.content
        assert BiLMOptions.load(options) == TINY.options
        assert shop.left() == COMPLETE
        assert seen[-1] == (TINY.weights_name, len(shop.content), len(shop.content))
        shop.fetch()
        assert len(shop.server.requests) == 1  # an existing file needs no request

    def test_addresses_are_tried_in_turn(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(BASE_VARIABLE, f"{shop.server.url}nowhere {shop.server.url}")
        shop.fetch()
        assert [request.status for request in shop.server.requests] == [404, 200]
        monkeypatch.setenv(BASE_VARIABLE, "ftp://x")
        with pytest.raises(
            ConfigError, match=r"should begin with http:// or https://, not 'ftp://x'"
        ):
            shop.fetch()

    def test_present_weights_are_checked(self, shop: Shop) -> None:
        _, weights = shop.final
        weights.parent.mkdir(parents=True)
        weights.write_bytes(shop.content[:100])
        with pytest.raises(
            WeightsError,
            match=r"is there and cannot be used: .*100 bytes.*Delete it.*download small`",
        ):
            shop.fetch()
        weights.write_bytes(shop.content)
        shop.fetch()
        assert shop.left() == COMPLETE
        weights.write_bytes(shop.content[:-1] + b"?")
        with pytest.raises(WeightsError, match=r"damaged, or not the file.*download small`"):
            shop.fetch()
        assert shop.server.requests == []


class TestResume:
    def test_continues_a_dropped_connection(
        self, shop: Shop, caplog: pytest.LogCaptureFixture
    ) -> None:
        shop.server.faults = ["drop"]
        with caplog.at_level(logging.WARNING):
            _, weights = shop.fetch()
        first, second = shop.server.requests
        assert (first.range, second.range) == (None, f"bytes={len(shop.content) // 2}-")
        assert first.sent + second.sent == len(shop.content)
        assert weights.read_bytes() == shop.content
        assert shop.left() == COMPLETE
        assert "Trying again in 0 s" in caplog.text

    def test_continues_in_another_run(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("elmo_tasks.bilm.download.DELAYS", ())
        shop.server.faults = ["drop"]
        with pytest.raises(
            WeightsError, match=rf"{len(shop.content) // 2:,} bytes are kept, and `elmo-tasks"
        ):
            shop.fetch()
        assert not shop.final[1].exists()
        shop.fetch()
        assert sum(request.sent for request in shop.server.requests) == len(shop.content)
        assert shop.final[1].read_bytes() == shop.content

    @pytest.mark.parametrize(
        ("faults", "statuses"),
        [
            (["drop"] * 8, [200] + [206] * 8),  # tries that bring new bytes do not count
            (["drop", "ignore range"], [200, 200]),
            (["too long"], [200, 416]),  # the server has no more than what is there
            (["drop", 416], [200, 416, 200]),
            ([500, 503], [500, 503, 200]),
        ],
    )
    def test_temporary_errors(
        self, shop: Shop, faults: list[str | int], statuses: list[int]
    ) -> None:
        shop.server.faults = faults
        _, weights = shop.fetch()
        assert [request.status for request in shop.server.requests] == statuses
        assert weights.read_bytes() == shop.content

    def test_ctrl_c_leaves_no_file_under_the_final_name(self, shop: Shop) -> None:
        def stop(name: str, done: int, total: int | None) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            shop.fetch(report=stop)
        assert not any(path.exists() for path in shop.final)
        shop.fetch()
        assert shop.final[1].read_bytes() == shop.content
        assert shop.server.requests[1].range is not None


class TestRefused:
    @pytest.mark.parametrize(
        ("fault", "message"),
        [
            (403, r"answered 403 Forbidden"),
            (404, r"answered 404 Not Found"),
            (500, r"answered 500 Internal Server Error"),
            ("page", r"sent a web page \(HTML\) in place of the file"),
            (
                "page in disguise",
                r"a web page \(HTML or XML\), not a model file: it begins with '<!DOCTYPE html>",
            ),
            ("too short", r"(truncated|float32 numbers need|HDF5)"),
        ],
    )
    def test_an_error_lists_the_addresses_and_leaves_no_files(
        self, shop: Shop, fault: str | int, message: str
    ) -> None:
        shop.server.faults = [fault] * 3
        with pytest.raises(WeightsError, match=message) as caught:
            shop.fetch()
        assert f"{shop.server.url}tiny/{TINY.weights_name}: " in str(caught.value)
        assert f"{shop.final[1]} could not be downloaded" in str(caught.value)
        assert "download small --from FILE`" in str(caught.value)
        assert shop.left() == set()

    def test_final_refusals_are_not_repeated(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shop.server.faults = [403] * 9
        monkeypatch.setenv(BASE_VARIABLE, f"{shop.server.url} {shop.server.url}b")
        with pytest.raises(WeightsError, match="403"):
            shop.fetch()
        assert [request.path for request in shop.server.requests] == [PATH, f"/b{PATH}"]

    def test_nobody_answers(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(BASE_VARIABLE, "http://127.0.0.1:9/")
        with pytest.raises(
            WeightsError, match=r"(?s)could not be downloaded.*refused.*download small --from FILE"
        ):
            shop.fetch()


class TestDisk:
    @pytest.mark.parametrize(
        ("number", "message"),
        [
            (
                errno.ENOSPC,
                r"small: the disk is full; .* \(small needs [\d,]+ bytes\); or .*--cache DIR",
            ),
            (errno.EACCES, r"small: you have no permission for this; .*or choose another folder"),
        ],
    )
    def test_write_errors(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch, number: int, message: str
    ) -> None:
        def fsync(descriptor: int) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(ConfigError, match=message):
            shop.fetch()

    def test_cache_is_a_file(self, shop: Shop) -> None:
        shop.cache.write_text("")
        with pytest.raises(
            ConfigError, match=r"a file is where a folder should be .*; or choose another folder"
        ):
            shop.fetch()

    def test_two_at_once_download_once(self, shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
        shop.server.gate = threading.Event()
        with caplog.at_level(logging.WARNING), ThreadPoolExecutor(2) as both:
            results = [both.submit(shop.fetch) for _ in range(2)]
            threading.Timer(0.3, shop.server.gate.set).start()
            assert results[0].result() == results[1].result() == shop.final
        assert len(shop.server.requests) == 1
        assert shop.final[1].read_bytes() == shop.content
        assert shop.left() == COMPLETE
        # The process is named once it has written its name into the lock; the second may come a
        # moment before that.
        assert re.search(r"the download of small is in use by (another )?process", caplog.text)


@pytest.mark.usefixtures("tiny")
class TestCopy:
    def test_a_folder_or_the_weights_with_or_without_options(
        self, copies: Path, tmp_path: Path
    ) -> None:
        renamed = shutil.copyfile(copies / TINY.weights_name, tmp_path / "mine.h5")
        for k, sources in enumerate(([copies], [renamed], [renamed, copies / TINY.options_name])):
            options, weights = copy_in("small", sources, cache=tmp_path / str(k))
            assert weights.read_bytes() == renamed.read_bytes()
            assert options.read_text() == TINY.options_text
            assert {path.name for path in weights.parent.iterdir()} - {".lock"} == COMPLETE

    def test_replaces_a_broken_file_and_its_checksum(
        self, copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, weights = copy_in("small", [copies], cache=tmp_path)
        weights.write_bytes(b"broken")
        copy_in("small", [copies], cache=tmp_path)
        monkeypatch.setenv(BASE_VARIABLE, "http://127.0.0.1:9/")
        fetch("small", cache=tmp_path)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (
                b"\x89HDF\r\n\x1a\n",
                r"cannot be used as .*8 bytes; [\d,]+ float32 numbers need .*--from FILE`",
            ),
            (b"\x00" * 100_000, r"cannot be used as .*HDF5"),
            (b"\xef\xbb\xbf\n<html>" + b" " * 100_000, r"a web page \(HTML or XML\)"),
        ],
    )
    def test_wrong_weights_do_not_replace_a_copy(
        self, content: bytes, message: str, copies: Path, tmp_path: Path
    ) -> None:
        _, weights = copy_in("small", [copies], cache=tmp_path / "cache")
        before = {path.name: path.read_bytes() for path in weights.parent.iterdir()}
        (tmp_path / "wrong.hdf5").write_bytes(content)
        with pytest.raises(WeightsError, match=message):
            copy_in("small", [tmp_path / "wrong.hdf5"], cache=tmp_path / "cache")
        assert {path.name: path.read_bytes() for path in weights.parent.iterdir()} == before

    def test_another_models_weights(
        self, copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(MODELS, "small", replace(TINY, dim=5))
        with pytest.raises(
            WeightsError, match=r"cannot be used as .*has shape \(10, 24\), expected \(10, 20\)"
        ):
            copy_in("small", [copies], cache=tmp_path)

    def test_sources_that_cannot_be(
        self, copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(
            ConfigError, match=r"--from .*nothing.hdf5: there is no such file or folder"
        ):
            copy_in("small", [tmp_path / "nothing.hdf5"], cache=tmp_path)
        with pytest.raises(ConfigError, match=r"should name one weights file .*found none"):
            copy_in("small", [tmp_path], cache=tmp_path)
        for name in ("a.hdf5", "b.hdf5"):
            (tmp_path / name).touch()
        with pytest.raises(ConfigError, match=r"found .*hdf5, .*hdf5"):
            copy_in("small", [tmp_path], cache=tmp_path)
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(ConfigError, match=r"you have no permission to read it"):
            copy_in("small", [copies], cache=tmp_path)


def test_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ELMO_TASKS_CACHE", raising=False)
    assert cache_folder().name == "elmo-tasks"
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert cache_folder(tmp_path / "given") == tmp_path / "given"


def test_cache_folder_where_the_home_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ELMO_TASKS_CACHE", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    usual = tmp_path / "home" / "cache" / "elmo-tasks"
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: usual)
    assert cache_folder() == usual
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    assert cache_folder().parent == tmp_path / "temporary"
    usual.mkdir(parents=True)  # what was downloaded there is still read
    assert cache_folder() == usual


def test_locate(tmp_path: Path) -> None:
    with pytest.raises(
        WeightsError, match=r"is not downloaded: .*options.json does not exist.*download small`, or"
    ):
        locate("small", tmp_path)
    files = files_of("small", tmp_path)
    files[0].parent.mkdir(parents=True)
    for path in files:
        path.touch()
    assert locate("small", tmp_path) == files


@pytest.mark.parametrize("name", MODELS)
def test_published_figures(name: str) -> None:
    with torch.device("meta"):
        state = BiLM(MODELS[name].options).state_dict()
    padding = 16  # the row of the character table that is not in the file
    assert (
        sum(v.numel() for k, v in state.items() if "bias_hh" not in k) - padding
        == MODELS[name].n_parameters
    )
    if name == "medium":
        assert (
            hashlib.md5(MODELS[name].options_text.encode()).hexdigest()
            == "aeac76d300b134be74077f60f3f9af68"
        )


def test_a_user_without_a_home_gets_a_temporary_cache(monkeypatch):
    def no_home(*_: object, **__: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("ELMO_TASKS_CACHE", raising=False)
    monkeypatch.setattr(cache.platformdirs, "user_cache_path", no_home)
    assert cache.cache_folder() == cache.temporary_cache()
