"""Which consumers are heard, and which are not: what is kept for somebody who never comes must be seen.

Pure: times are passed in. A consumer that was heard and for which nothing waits may be silent for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from controller.outbox.schedule import BROKER
from controller.vocabulary.conditions import CONSUMER, Condition

SILENT_S = 60.0
DEAF = "the broker lets us in, and tells us nothing that is said"
NO_LONGER_NAMED = (
    "consumer {!r} is no longer named under mqtt.consumers, but messages are still kept for it: name it"
    " again, or `dealer-table consumers --retire`"
)
NOT_HEARD = (
    "consumer {!r} is named under mqtt.consumers and has not been heard for {:.0f} s: start it; {} messages"
    " wait"
)


class RollCall:
    """Calls the roll of the consumers that messages are kept for."""

    def __init__(self, named: Iterable[str], kept_for: Iterable[str]) -> None:
        """``named`` in the configuration; ``kept_for``: those that the journal has a cursor for."""
        self._kept_for = [name for name in kept_for if name != BROKER]
        self._since_s: dict[str, float] = {}
        """Consumer -> since when it has been silent, while we listen."""
        self._unheard = set(self._kept_for)
        """Not heard in this life."""
        self._left_over = {
            CONSUMER.named(name): CONSUMER.holds(NO_LONGER_NAMED.format(name))
            for name in sorted(set(self._kept_for) - set(named))
        }
        self._silent: dict[str, Condition] = {}
        self.asked = False
        """Something was said that must come back to us, and it has not."""

    @property
    def missed(self) -> dict[str, Condition]:
        """Who is silent, or no longer named, whether it speaks or not."""
        return {**self._silent, **self._left_over}

    def listen(self, now_s: float) -> None:
        """From now on consumers can be heard."""
        self._since_s = dict.fromkeys(self._kept_for, now_s)
        self.asked = False

    def deaf(self) -> None:
        """Nobody can be heard: nobody is silent."""
        self._since_s = {}
        self.asked = False

    def heard_ourselves(self) -> None:
        """What is said at the broker comes to us: whoever is silent has said nothing."""
        self.asked = False

    def heard(self, name: str, now_s: float, *, retained: bool = False) -> None:
        """A consumer spoke; what it left at the broker (``retained``) does not say that it is there now."""
        self._unheard.discard(name)
        if not retained:
            self._silent.pop(CONSUMER.named(name), None)
        if name in self._since_s and not retained:
            self._since_s[name] = now_s

    def call(
        self, cursors: Mapping[str, int], head: int, now_s: float
    ) -> Literal["ask ourselves", "deaf"] | None:
        """See who has been silent for too long by now, and once in so long whether it is us who do not hear.

        A node of RabbitMQ that came back may have forgotten what we listen to, say that all is well, and
        take another SUBSCRIBE without effect. What is said on our own status comes to us, too: say it; if it
        has not come by the next time, we are deaf.
        """
        doubt = False
        for name, since_s in [*self._since_s.items()]:
            waits_for = name in self._unheard or cursors.get(name, head) < head
            if not waits_for:  # silence begins when something waits
                self._since_s[name] = now_s
                self._silent.pop(CONSUMER.named(name), None)
            elif now_s - since_s >= SILENT_S:
                message = NOT_HEARD.format(name, SILENT_S, head - cursors.get(name, head))
                self._silent.setdefault(CONSUMER.named(name), CONSUMER.holds(message))
                self._since_s[name], doubt = now_s, True
        if not doubt:
            return None
        deaf, self.asked = self.asked, True
        return "deaf" if deaf else "ask ourselves"
