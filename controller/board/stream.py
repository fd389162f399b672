"""Server-sent events as a small ASGI application: what there is at once, then what changes, and a beat.

A page that does not read gets nothing until it reads again, and then the newest state; one that does not
read for :data:`STUCK_S` is hung up.
"""

from __future__ import annotations

import asyncio
import contextlib

from starlette.types import Receive, Scope, Send

from controller.board.hub import Hub, OpenPage, TooManyPages

STUCK_S = 20.0
RETRY = b"retry: 500\n\n"
"""How soon a browser tries again, ms."""

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


def event(name: str, body: bytes) -> bytes:
    """One event; ``body`` is JSON on one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), body)


class EventStream:
    """One open stream over the channel ``prefix``; an ASGI application that is called once."""

    def __init__(self, hub: Hub, prefix: str) -> None:
        self._hub = hub
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            page = self._hub.watch(self._prefix)
        except TooManyPages:
            await _refuse(send)
            return
        gone = asyncio.create_task(_gone(receive, page))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await send({"type": "http.response.body", "body": RETRY, "more_body": True})
            await self._tell(page, gone, send)
        finally:
            self._hub.leave(page)
            gone.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await gone

    async def _tell(self, page: OpenPage, gone: asyncio.Task[None], send: Send) -> None:
        while True:
            changed = await page.changed()
            if gone.done() or self._hub.closed:
                break
            frames = self._hub.frames(changed)
            try:
                async with asyncio.timeout(STUCK_S):
                    await send({"type": "http.response.body", "body": frames, "more_body": True})
            except TimeoutError:
                return
        with contextlib.suppress(OSError):
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive, page: OpenPage) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    page.release()


async def _refuse(send: Send) -> None:
    headers = [(b"content-type", b"text/plain"), (b"retry-after", b"5"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": b"too many pages are open\n"})
