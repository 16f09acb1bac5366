"""One sentence for a request whose answer is not in this copy of the app."""

from __future__ import annotations

from elmo_tasks.service.request_limits import App, AsgiMessage, Receive, Send

_UNKNOWN = b"404: Not Found"
#: Gradio's error for an unknown request, by the path of the answer; typed quotes are escaped there.
#: It then breaks the connection, and logs a traceback.
_ERRORS = {
    "/queue/data": b'"message":"%s"' % _UNKNOWN,
    "/call/": b'event: error\ndata: "%s"' % _UNKNOWN,
}
_EXPLAINED = (
    b"This request is unknown here: its answer was fetched already, or another copy of the app has"
    b" it. A proxy in front of several copies must keep each visitor at one of them."
)


class LostRequests:
    """Explains the error of an unknown request, and ends its response."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Serve one request."""
        path = scope.get("path", "")
        error = next((error for part, error in _ERRORS.items() if part in path), None)
        is_lost = False

        async def explained(message: AsgiMessage) -> None:
            nonlocal is_lost
            body = message.get("body", b"")
            if error and error in body:
                is_lost = True
                message = {**message, "body": body.replace(_UNKNOWN, _EXPLAINED)}
            await send(message)

        try:
            await self._app(scope, receive, explained)
        except RuntimeError:  # by starlette: an error after the response has begun
            if not is_lost:
                raise
            await send({"type": "http.response.body", "body": b""})
