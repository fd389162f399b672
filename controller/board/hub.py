"""The newest picture of each channel, and the pages that look at it.

A page has a set of channels that changed and no queue: however slow it reads, what it gets next is the
newest state. All methods are called on the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

BEAT = "beat"
"""The channel that every page gets."""


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
