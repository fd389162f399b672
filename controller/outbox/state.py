"""State that the broker retains: the newest of each topic, and which of it must still go out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from controller.outbox.outgoing import RetainedMessage


class _Pending(msgspec.Struct):
    """It must go out: not before the stream is at ``after``, nor before ``not_before_s``."""

    after: int
    not_before_s: float


class RetainedState:
    """``held``: topic -> what it shall hold, in the order in which it changed; None: nothing. Times are
    monotonic seconds.
    """

    def __init__(self) -> None:
        self.held: dict[str, bytes | None] = {}
        self._pending: dict[str, _Pending] = {}

    def connect(self) -> None:
        """The broker may have lost all of it."""
        self._pending = {topic: _Pending(0, 0.0) for topic in self.held}

    def retain(self, state: Mapping[str, bytes | None], head: int) -> None:
        """These topics shall hold these payloads as from the stream's head, and go out in this order; others
        stay.
        """
        for topic, payload in state.items():
            if topic in self.held and self.held[topic] == payload:
                continue
            for held in (self.held, self._pending):
                held.pop(topic, None)
            self.held[topic] = payload
            self._pending[topic] = _Pending(head, 0.0)

    def retain_again(self, topic: str) -> None:
        """Somebody else wrote there: put ours back, or delete what is there where we have none."""
        self.held.setdefault(topic, None)
        self._pending.setdefault(topic, _Pending(0, 0.0))

    def next(self, now_s: float, position: int, *, at_once: bool) -> RetainedMessage | None:
        """What may go now that the stream is at ``position``; ``at_once``: it waits for no message."""
        for topic, pending in self._pending.items():
            if pending.not_before_s <= now_s and (position >= pending.after or at_once):
                return RetainedMessage(topic, self.held[topic])
        return None

    def sent(self, message: RetainedMessage) -> None:
        """It has left."""
        del self._pending[message.topic]

    def answered(self, message: RetainedMessage, again_s: float | None) -> None:
        """The broker has it, or denied it until ``again_s``; what is deleted is forgotten."""
        if again_s is not None:
            self._pending.setdefault(message.topic, _Pending(0, again_s))
        elif message.topic not in self._pending and self.held.get(message.topic) is None:
            self.held.pop(message.topic, None)

    def due_s(self) -> Iterator[float]:
        """When something denied may go again."""
        return (pending.not_before_s for pending in self._pending.values())
