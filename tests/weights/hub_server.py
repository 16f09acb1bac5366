"""The few routes of the Hugging Face hub that a push and a download take, on this machine.

Written from the documented protocol of the hub.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Hub:
    """Repositories in memory: commits, each a dict of files."""

    def __init__(self) -> None:
        self.commits: dict[str, list[tuple[str, dict[str, bytes]]]] = {}
        self.large: dict[str, bytes] = {}

    def files(self, repository: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        """A commit by its number, or the last one."""
        commits = self.commits.get(repository) or []
        if revision in ("main", "HEAD"):
            return commits[-1] if commits else None
        return next((commit for commit in commits if commit[0] == revision), None)


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def _answer(self, status: int, body: Any = b"", **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _missing(self, what: str) -> None:
        self._answer(404, {"error": f"{what} not found"}, X_Error_Code=f"{what}NotFound")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if match := re.fullmatch(r"/api/models/([^/]+/[^/]+)(/revision/([^/]+))?", path):
            return self._information(match[1], match[3] or "main")
        if match := re.fullmatch(r"/api/models/([^/]+/[^/]+)/tree/([^/]+)(/.*)?", path):
            return self._tree(match[1], match[2])
        if match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            return self._file(*match.groups())
        return self._missing("Entry")

    def _information(self, repository: str, revision: str) -> None:
        if repository not in self.hub.commits:
            return self._missing("Repo")
        if (found := self.hub.files(repository, revision)) is None:
            return self._missing("Revision")
        sha, files = found
        siblings = [{"rfilename": name} for name in files]
        return self._answer(
            200, {"id": repository, "sha": sha, "private": False, "tags": [], "siblings": siblings}
        )

    def _tree(self, repository: str, revision: str) -> None:
        found = self.hub.files(repository, revision)
        if found is None:
            return self._missing("Repo" if repository not in self.hub.commits else "Revision")
        files = [
            {
                "type": "file",
                "path": name,
                "size": len(content),
                "oid": hashlib.sha1(content).hexdigest(),
            }
            for name, content in found[1].items()
        ]
        return self._answer(200, files)

    def _file(self, repository: str, revision: str, name: str) -> None:
        if (found := self.hub.files(repository, revision)) is None:
            return self._missing("Repo")
        sha, files = found
        if name not in files:
            return self._missing("Entry")
        content = files[name]
        return self._answer(
            200, content, ETag=f'"{hashlib.sha256(content).hexdigest()}"', X_Repo_Commit=sha
        )

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.hub.large[hashlib.sha256(content).hexdigest()] = content
        self._answer(200)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length) if length else self._chunks()
        url = f"http://{self.headers['Host']}"
        if self.path == "/api/repos/create":
            wanted = json.loads(raw)
            name = f"{wanted.get('organization')}/{wanted['name']}"
            if name in self.hub.commits:
                return self._answer(409, {"error": "there already", "url": f"{url}/{name}"})
            self.hub.commits[name] = []
            return self._answer(200, {"url": f"{url}/{name}"})
        if self.path == "/api/validate-yaml":
            return self._answer(200, {"errors": [], "warnings": []})
        if match := re.fullmatch(
            r"/api/models/([^/]+/[^/]+)/preupload/main", self.path.partition("?")[0]
        ):
            mode = lambda name: "lfs" if name.endswith((".safetensors", ".xz")) else "regular"  # noqa: E731
            wanted = json.loads(raw)["files"]
            files = [
                {"path": f["path"], "uploadMode": mode(f["path"]), "shouldIgnore": False}
                for f in wanted
            ]
            return self._answer(200, {"files": files})
        if self.path.endswith("/info/lfs/objects/batch"):
            objects = json.loads(raw)["objects"]
            answer = [
                {**o, "actions": {"upload": {"href": f"{url}/lfs/{o['oid']}"}}} for o in objects
            ]
            return self._answer(200, {"transfer": "basic", "objects": answer})
        if match := re.fullmatch(
            r"/api/models/([^/]+/[^/]+)/commit/main", self.path.partition("?")[0]
        ):
            return self._commit(match[1], raw, url)
        return self._missing("Entry")

    def _chunks(self) -> bytes:
        parts = []
        while size := int(self.rfile.readline() or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _commit(self, repository: str, raw: bytes, url: str) -> None:
        last = self.hub.files(repository, "main")
        files = dict(last[1]) if last else {}
        for line in filter(None, raw.decode().split("\n")):
            step = json.loads(line)
            value = step["value"]
            if step["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif step["key"] == "lfsFile":
                files[value["path"]] = self.hub.large[value["oid"]]
        sha = hashlib.sha1(raw).hexdigest()
        self.hub.commits[repository].append((sha, files))
        self._answer(
            200,
            {
                "commitUrl": f"{url}/{repository}/commit/{sha}",
                "commitOid": sha,
                "pullRequestUrl": None,
            },
        )


@contextmanager
def serving() -> Iterator[tuple[Hub, str]]:
    """Serve an empty hub; give it and its address."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hub, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
