"""The page for phones, and what it asks: a few kilobytes beside gradio's page, since a hall shares one network."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from elmo_tasks.errors import InputError
from elmo_tasks.serving.votes import PATH, Votes

_COOKIE = "voter"
_MOST_BYTES = 500
App = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]


class VotePages:
    """Middleware that answers phones, and leaves all else to the app.

    ``GET vote`` is the page, ``GET vote/now`` what it shows, ``POST vote/now`` a vote; ``?room=`` names the vote.
    """

    def __init__(self, app: App, votes: Votes, page: str) -> None:
        self._app, self._votes, self._page = app, votes, page

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Serve one request."""
        answer = await self._answer(Request(scope, receive)) if scope["type"] == "http" else None
        await (answer or self._app)(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        path = request.url.path.removeprefix(request.scope.get("root_path", "")).strip("/")
        room = request.query_params.get("room", "")
        if path == "" and request.query_params.get("tab") == PATH:
            return RedirectResponse(f"{PATH}?{request.query_params}", 302)
        if path not in (PATH, f"{PATH}/now"):
            return None
        person = request.cookies.get(_COOKIE, "")
        if path == PATH:
            page = HTMLResponse(self._page, headers={"Cache-Control": "no-store"})
            if not person:
                page.set_cookie(_COOKIE, secrets.token_urlsafe(12), httponly=True, samesite="lax")
            return page
        if request.method == "POST":
            try:
                await self._cast(request, room, person)
            except InputError as error:
                return JSONResponse({"note": str(error), **self._votes.seen_by(room, person)}, 409)
        return JSONResponse(self._votes.seen_by(room, person), headers={"Cache-Control": "no-store"})

    async def _cast(self, request: Request, room: str, person: str) -> None:
        try:
            # A page of another site can send no JSON here without being asked first.
            is_json = request.headers.get("content-type", "").startswith("application/json")
            long = int(request.headers.get("content-length", _MOST_BYTES + 1)) > _MOST_BYTES
            vote = await request.json() if is_json and not long else None
        except ValueError:
            vote = None
        number, same = (vote.get("number"), vote.get("same")) if isinstance(vote, dict) else (None, None)
        if not isinstance(number, int) or isinstance(number, bool) or not isinstance(same, bool):
            raise InputError("Expected a number and whether the two mean the same.")
        if not 8 <= len(person) <= 40:
            raise InputError("This vote needs cookies: they keep one vote for each phone.")
        self._votes.cast(room, person, number, same)
