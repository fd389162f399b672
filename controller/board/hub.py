"""The newest picture of each channel, and the pages that look at it over server-sent events.

A page has a set of channels that changed and no queue: however slow it reads, what it gets next is the
newest state. All methods are called on the event loop's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable

from starlette.types import Receive, Scope, Send

BEAT = "beat"
"""The channel that every page gets."""
STUCK_S = 20.0
"""A page that does not read for so long is hung up."""
RETRY = b"retry: 500\n\n"
"""How soon a browser tries again, ms."""

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class TooManyPages(Exception):
    """No further stream is opened."""


class OpenPage:
    """One open stream; ``prefix`` is the channel, or all channels that begin with it where it ends in /."""

    def __init__(self, prefix: str, channels: Iterable[str]) -> None:
        self.prefix = prefix
        wanted = (channel for channel in channels if channel == BEAT or self.wants(channel))
        self._changed: dict[str, None] = dict.fromkeys(wanted)
        self._wake = asyncio.Event()
        self._wake.set()

    def wants(self, channel: str) -> bool:
        """Whether this page shows the channel."""
        return channel.startswith(self.prefix) if self.prefix.endswith("/") else channel == self.prefix

    def mark(self, channel: str) -> None:
        """The channel has a newer picture."""
        self._changed[channel] = None
        self._wake.set()

    async def changed(self) -> list[str]:
        """Wait until something changed; the channels, each once, oldest change first."""
        await self._wake.wait()
        self._wake.clear()
        changed = list(self._changed)
        self._changed.clear()
        return changed

    def release(self) -> None:
        """Let who waits come back, without a change."""
        self._wake.set()


class Hub:
    """Channels and pages."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._frames: dict[str, bytes] = {}
        self._pages: set[OpenPage] = set()
        self.closed = False
        self.make_beat: Callable[[], bytes] = bytes
        """Makes the beat for a page when it goes out: the time in it must be the time of sending."""

    @property
    def pages(self) -> int:
        """Streams that are open."""
        return len(self._pages)

    def put(self, channel: str, frame: bytes) -> None:
        """A picture, encoded as it goes out; where it is a new one every page of the channel hears of it."""
        if self._frames.get(channel) == frame:
            return
        self._frames[channel] = frame
        for page in self._pages:
            if page.wants(channel):
                page.mark(channel)

    def beat(self) -> None:
        """Let every page hear the beat now."""
        for page in self._pages:
            page.mark(BEAT)

    def frames(self, channels: Iterable[str]) -> bytes:
        """The newest picture of each channel, one after the other."""
        return b"".join(
            self.make_beat() if channel == BEAT else self._frames.get(channel, b"") for channel in channels
        )

    def watch(self, prefix: str) -> OpenPage:
        """A new page: it gets a beat and all there is at once. :class:`TooManyPages` beyond the limit."""
        if self.closed or len(self._pages) >= self._most:
            raise TooManyPages
        page = OpenPage(prefix, (BEAT, *self._frames))
        self._pages.add(page)
        return page

    def leave(self, page: OpenPage) -> None:
        """The page is gone."""
        self._pages.discard(page)

    def close(self) -> None:
        """End every stream."""
        self.closed = True
        for page in self._pages:
            page.release()


def event(name: str, body: bytes) -> bytes:
    """One event; ``body`` is JSON on one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), body)


class EventStream:
    """One open stream over the channel ``prefix``, an ASGI application that is called once: what there is at
    once, then what changes, and a beat."""

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
