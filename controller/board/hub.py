"""The newest picture of each channel, and the pages that look at it over server-sent events.

A page has a set of channels that changed and no queue: however slow it reads, what it gets next is the
newest state. All methods are called on the event loop's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from itertools import cycle

from starlette.types import Receive, Scope, Send

BEAT = "beat"
"""The channel that every page gets."""
BROWSING = "/"
"""Stands for all channels where pages are looked up that name only beginnings; no channel has this name."""
TURNS = 10
"""The pages hear the beat in so many turns: a thousand at once would keep a change waiting behind them."""
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
    """One open stream; ``wanted`` are its channels, and all channels that begin with one that ends in /."""

    def __init__(self, wanted: Iterable[str], channels: Iterable[str], turn: int) -> None:
        """``turn``: when it hears the beat, from 0 to below :data:`TURNS`."""
        self.turn = turn
        self.wanted = frozenset(wanted)
        self._beginnings = tuple(one for one in self.wanted if one.endswith("/"))
        there = (channel for channel in channels if channel == BEAT or self.wants(channel))
        self._changed: dict[str, None] = dict.fromkeys(there)
        self._wake = asyncio.Event()
        self._wake.set()
        self.last_word: bytes | None = None
        """Not None: this page is told so much more, and then hung up."""

    @property
    def browses(self) -> bool:
        """Whether it wants channels that it cannot name."""
        return bool(self._beginnings)

    def wants(self, channel: str) -> bool:
        """Whether this page shows the channel."""
        return channel in self.wanted or channel.startswith(self._beginnings)

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

    def hang_up(self, last_word: bytes) -> None:
        """Tell it this, and end its stream."""
        self.last_word = last_word
        self._wake.set()


class Hub:
    """Channels and pages."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._frames: dict[str, bytes] = {}
        self._pages: set[OpenPage] = set()
        self._turns = cycle(range(TURNS))
        self._readers: dict[str, set[OpenPage]] = {}
        """Channel -> the pages that named it; those that browse are under :data:`BROWSING`."""
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
        for page in self._readers.get(channel, ()):
            page.mark(channel)
        for page in self._readers.get(BROWSING, ()):
            if page.wants(channel):
                page.mark(channel)

    def drop(self, channel: str) -> None:
        """Nobody looks at the channel any more, and its picture need not be kept."""
        if not self._readers.get(channel):
            self._frames.pop(channel, None)

    def beat(self, turn: int | None = None) -> None:
        """Let the pages whose turn it is hear the beat now; without a turn all of them."""
        for page in self._pages:
            if turn is None or page.turn == turn:
                page.mark(BEAT)

    def frames(self, channels: Iterable[str]) -> bytes:
        """The newest picture of each channel, one after the other."""
        return b"".join(
            self.make_beat() if channel == BEAT else self._frames.get(channel, b"") for channel in channels
        )

    def watch(self, *wanted: str) -> OpenPage:
        """A new page: it gets a beat and all there is at once. :class:`TooManyPages` beyond the limit."""
        if self.closed or len(self._pages) >= self._most:
            raise TooManyPages
        page = OpenPage(wanted, (BEAT, *self._frames), next(self._turns))
        self._pages.add(page)
        for channel in self._found_under(page):
            self._readers.setdefault(channel, set()).add(page)
        return page

    def leave(self, page: OpenPage) -> None:
        """The page is gone."""
        self._pages.discard(page)
        for channel in self._found_under(page):
            readers = self._readers.get(channel, set())
            readers.discard(page)
            if not readers:
                self._readers.pop(channel, None)

    def _found_under(self, page: OpenPage) -> Iterable[str]:
        return (BROWSING,) if page.browses else page.wanted

    def close(self) -> None:
        """End every stream."""
        self.closed = True
        for page in self._pages:
            page.release()


def event(name: str, body: bytes) -> bytes:
    """One event; ``body`` is JSON on one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), body)


class EventStream:
    """One open stream over these channels, an ASGI application that is called once: what there is at once,
    then what changes, and a beat. ``came`` and ``left`` are called as the page comes and goes."""

    def __init__(
        self,
        hub: Hub,
        *wanted: str,
        came: Callable[[OpenPage], None] = lambda page: None,
        left: Callable[[OpenPage], None] = lambda page: None,
    ) -> None:
        self._hub = hub
        self._wanted = wanted
        self._came = came
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            page = self._hub.watch(*self._wanted)
        except TooManyPages:
            await _refuse(send)
            return
        gone = asyncio.create_task(_gone(receive, page))
        self._came(page)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await send({"type": "http.response.body", "body": RETRY, "more_body": True})
            await self._tell(page, gone, send)
        finally:
            self._hub.leave(page)
            self._left(page)
            gone.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await gone

    async def _tell(self, page: OpenPage, gone: asyncio.Task[None], send: Send) -> None:
        last = b""
        while True:
            changed = await page.changed()
            if gone.done() or self._hub.closed:
                break
            if page.last_word is not None:
                last = page.last_word
                break
            frames = self._hub.frames(changed)
            try:
                async with asyncio.timeout(STUCK_S):
                    await send({"type": "http.response.body", "body": frames, "more_body": True})
            except TimeoutError:
                return
        with contextlib.suppress(OSError):
            await send({"type": "http.response.body", "body": last, "more_body": False})


async def _gone(receive: Receive, page: OpenPage) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    page.release()


async def _refuse(send: Send) -> None:
    headers = [(b"content-type", b"text/plain"), (b"retry-after", b"5"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": b"too many pages are open\n"})
