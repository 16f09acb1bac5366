"""Folders of weights on the Hugging Face hub: download by ``hub:OWNER/NAME``, and upload."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elmo_tasks.errors import ConfigError

HUB = "hub:"
_ADDRESS = re.compile(r"hub:(?P<repository>[\w.-]+/[\w.-]+)(@(?P<revision>[\w./-]+))?", re.ASCII)
#: Files that are fetched: weights without code, and their descriptions.
_FILES = ["*.json", "*.safetensors", "*.hdf5", "*.txt.xz", "README.md"]


def parse_address(address: str) -> tuple[str, str | None]:
    """Split ``hub:OWNER/NAME@REVISION`` into the repository and the revision.

    Raises:
        ConfigError: it has another form.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise ConfigError(
            f"{address}: expected hub:OWNER/NAME, or hub:OWNER/NAME@REVISION with a branch, tag or"
            " commit"
        )
    return match["repository"], match["revision"]


def is_address(name: str) -> bool:
    """Check if a name is ``hub:OWNER/NAME``, with or without a revision."""
    return _ADDRESS.fullmatch(name) is not None


def has_file(address: str, file: str) -> bool:
    """Check if a repository has a file; it is downloaded."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    repository, revision = parse_address(address)
    with _errors(address):
        try:
            hf_hub_download(repository, file, revision=revision)
        except EntryNotFoundError:  # also without a network
            return False
    return True


def fetched(address: str) -> Path:
    """Download a folder once, and return it; a revision that is given never changes.

    Raises:
        ConfigError: there is no such repository or revision, or the hub cannot be reached.
    """
    from huggingface_hub import snapshot_download

    repository, revision = parse_address(address)
    with _errors(address):
        return Path(snapshot_download(repository, revision=revision, allow_patterns=_FILES))


def upload(folder: Path, address: str, private: bool = False) -> str:
    """Upload the files of a folder as one commit; return the address of its page.

    Raises:
        ConfigError: the address names a revision, or the hub refuses it.
    """
    from huggingface_hub import HfApi

    repository, revision = parse_address(address)
    if revision is not None:
        raise ConfigError(f"{address}: a push makes a new revision; leave @{revision} out")
    api = HfApi()
    with _errors(address):
        api.create_repo(repository, private=private, exist_ok=True)
        done = api.upload_folder(
            repo_id=repository, folder_path=folder, commit_message="elmo-tasks model push"
        )
    return str(done.commit_url)


@contextmanager
def _errors(address: str) -> Iterator[None]:
    """Describe the errors of the hub."""
    import httpx
    from huggingface_hub.errors import (
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        yield
    except RepositoryNotFoundError:
        raise ConfigError(
            f"{address}: there is no such repository, or it is private and you have no access; "
            "check its name, or log in with `hf auth login`"
        ) from None
    except (HfHubHTTPError, LocalEntryNotFoundError, httpx.HTTPError, OSError) as error:
        reason = " ".join(str(error).split())[:300]
        raise ConfigError(f"{address}: the Hugging Face hub does not give it ({reason})") from None


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder that is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
