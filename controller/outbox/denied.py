"""What the broker refuses us on this connection: topics to publish on, and topics to listen to.

Two facts, although a topic may stand in both: that it takes our messages there does not say that it lets us
hear what others write.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.vocabulary.conditions import PUBLISH_DENIED, Condition

FORBIDDEN = "give this table's user the right there"
FAILING = "that is no question of rights: the broker itself fails, it is tried again"
REMEDIES = dict.fromkeys(
    ("implementation specific error", "unspecified error", "quota exceeded", "server unavailable"), FAILING
)
"""What the broker says -> what is to be done; anything else is a right that is missing."""


class Denied:
    """Topic -> why not."""

    def __init__(self) -> None:
        self._to_publish: dict[str, str] = {}
        self._to_hear: dict[str, str] = {}

    def connected(self) -> None:
        """All of it is tried again on each connection, and said again where it is still denied."""
        self._to_publish.clear()
        self._to_hear.clear()

    def subscribed(self, denied: Mapping[str, str]) -> None:
        """The broker answered to our subscription."""
        self._to_hear = dict(denied)

    def answered(self, topic: str, why: str | None) -> None:
        """The broker answered for a message; ``why`` it did not take it, None if it did: a node that died
        denies for a while what was never forbidden."""
        if why is None:
            self._to_publish.pop(topic, None)
        else:
            self._to_publish.setdefault(topic, why)

    def conditions(self) -> dict[str, Condition]:
        """What holds; empty where nothing is denied."""
        said = [
            f"the broker {does} on {topic}: {why}; {REMEDIES.get(why.lower(), FORBIDDEN)}"
            for does, denied in (("takes nothing", self._to_publish), ("lets us hear nothing", self._to_hear))
            for topic, why in list(denied.items())[-1:]
        ]
        return {PUBLISH_DENIED.code: PUBLISH_DENIED.holds("; ".join(said))} if said else {}
