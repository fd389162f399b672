"""The book that a table awaits (``round.await_book``) against what its consumer has acknowledged."""

from __future__ import annotations

from collections.abc import Callable

from controller.round.state import State
from controller.vocabulary.events import BookClosed


class Books:
    """Tells the table once for each close of its bets, and again after a restart, that the book is closed."""

    def __init__(self, acknowledged: Callable[[str], int]) -> None:
        """``acknowledged``: consumer -> up to where it has the stream."""
        self._acknowledged = acknowledged
        self._told = 0
        """The close that was told last: one that the table fails on is not told at every step."""

    def closed(self, state: State | None) -> list[BookClosed]:
        """The event, where the consumer has acknowledged the close since it was asked last."""
        book = None if state is None or state.round is None else state.round.book
        if state is None or book is None or book.acknowledged or book.sequence == self._told:
            return []
        consumer = state.configuration.round.await_book or ""
        sequence = self._acknowledged(consumer)
        if sequence < book.sequence:
            return []
        self._told = book.sequence
        return [BookClosed(consumer, sequence)]
