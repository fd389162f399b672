"""Where everything that concerns the table waits for the loop, and where the loop waits for it.

What other threads bring goes on a queue. Ports with a descriptor are read by the loop itself while it waits
(``Source``): a thread that is woken only to wake the loop is a good part of the way of a card. What such a
port says goes over the same queue. The broker's socket ends the wait, too; who owns it reads it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import weakref
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from controller.shell.intake import Source

ItemT = TypeVar("ItemT")
Watched = tuple[int, int]
"""A descriptor, and the events of ``select.poll`` that are waited for on it."""


class Inlet(Generic[ItemT]):
    """The queue of one loop. ``put`` is for any thread, all else for the loop's own."""

    def __init__(
        self, sources: Iterable[Source] = (), interest: Callable[[], Watched | None] = lambda: None
    ) -> None:
        """``interest``: what else ends a wait, asked for before each."""
        self._sources = tuple(sources)
        self._interest = interest
        self._queue: queue.SimpleQueue[ItemT] = queue.SimpleQueue()
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        weakref.finalize(self, os.close, self._bell)
        self._waiting = False
        """Whether the loop must be woken, or will look by itself."""
        self._watched: tuple[Watched, ...] = ()
        self._poll = self._poll_of(())

    def put(self, item: ItemT) -> None:
        """Bring something; returns at once, in a signal handler too."""
        self._queue.put(item)
        if self._waiting:
            os.eventfd_write(self._bell, 1)

    def empty(self) -> bool:
        """Whether nothing is on the queue."""
        return self._queue.empty()

    def take(self, longest_s: Callable[[], float], most: int, away_s: float) -> list[ItemT]:
        """Up to ``most`` of what is there, in order; where nothing is, wait for it, so many seconds.

        ``away_s``: so long the ports may stay unread after that.
        """
        if self._queue.empty():
            self._wait(longest_s(), away_s)
        items: list[ItemT] = []
        with contextlib.suppress(queue.Empty):
            while len(items) < most:
                items.append(self._queue.get_nowait())
        return items

    def _wait(self, wait_s: float, away_s: float) -> None:
        attended: dict[int, Source] = {}
        try:
            for source in self._sources:
                if (number := source.attend(away_s)) is not None:
                    attended[number] = source
            for number in self._ready(attended, wait_s):
                attended[number].read()
        finally:
            for source in attended.values():
                source.leave()

    def _ready(self, attended: Iterable[int], wait_s: float) -> list[int]:
        """Which of these can be read, as soon as one can, something is brought, or the interest is met."""
        watched = tuple((number, select.POLLIN) for number in attended)
        other = self._interest()
        if other is not None:
            watched = (*watched, other)
        if watched != self._watched:
            self._watched, self._poll = watched, self._poll_of(watched)
        self._waiting = True
        try:
            # Looked at once more: what was brought before this line rang no bell.
            ready = [number for number, _ in self._poll.poll(wait_s * 1000 if self._queue.empty() else 0)]
        finally:
            self._waiting = False
        if self._bell in ready:
            os.eventfd_read(self._bell)
        return [number for number in ready if number in attended]

    def _poll_of(self, watched: tuple[Watched, ...]) -> select.poll:
        poll = select.poll()
        for number, events in ((self._bell, select.POLLIN), *watched):
            poll.register(number, events)
        return poll
