"""The legal order of messages, as data: what a settlement system may rely on, whatever happens at the table.

Of each round only its own messages are looked at; holds, alerts and devices speak in between. Shares no code
with the round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

DEALING = frozenset({"round.card", "round.void"})

MAY_FOLLOW: Mapping[str, frozenset[str]] = {
    "round.opened": frozenset({"round.bets_closed"}),
    "round.bets_opened": frozenset({"round.bets_closed"}),
    "round.bets_closed": DEALING,
    "round.card": DEALING | {"round.bets_opened", "round.decisions_opened", "round.revealed", "round.result"},
    "round.decisions_opened": frozenset({"round.decisions_closed", "round.void"}),
    "round.decisions_closed": DEALING,
    "round.revealed": DEALING | {"round.revealed", "round.result"},
    "round.result": DEALING | {"round.settled"},
    "round.settled": DEALING | {"round.final"},
    "round.final": frozenset({"round.opened"}),
    "round.void": frozenset({"round.opened"}),
}
"""Message of a round -> those that may be the next. A card after a result: one went back, and is drawn anew.
"""

STANDS: Mapping[str, frozenset[str]] = {
    "idle": frozenset({"round.final", "round.void"}),
    "betting": frozenset({"round.opened", "round.bets_opened"}),
    "dealing": frozenset(name for name, then in MAY_FOLLOW.items() if "round.card" in then),
    "decision": frozenset({"round.decisions_opened"}),
    "reveal": frozenset({"round.card", "round.revealed"}),
    "result": frozenset({"round.result"}),
    "settled": frozenset({"round.settled"}),
}
"""Phase of ``display`` -> what the round may have said last."""

ODDS_MAY_FOLLOW = frozenset({"round.opened", "round.bets_opened"})
"""A price is offered after these only, and a hand's strength after ``round.decisions_opened``."""

OFFER_MAY_STAND = frozenset({"round.bets_closed", "round.odds"})
"""The messages of a round that may come while a price is offered."""


def after(last: frozenset[str], name: str) -> frozenset[str]:
    """What was said last, once ``name`` was said; ``last``: what it may have been before.

    AssertionError where ``name`` may follow none of them.
    """
    if name not in MAY_FOLLOW:
        return last
    assert any(name in MAY_FOLLOW[one] for one in last), f"{name} after {' or '.join(sorted(last))}"
    return frozenset({name})


def check_phases(before: str, names: Iterable[str], then: str) -> None:
    """What one event may say between two phases of ``display``; a phase may not change without it."""
    last = STANDS[before]
    for name in names:
        last = after(last, name)
    assert last & STANDS[then], f"the phase is {then}, and the last that was said is {' or '.join(last)}"


@dataclass
class Order:
    """Hears the stream of one table; an AssertionError says what is out of order."""

    last: frozenset[str] = STANDS["idle"]
    closing: bool = False
    """Bets were closed while a price was offered: it must be taken back before anything else."""
    offered: bool = False

    def hear(self, name: str, data: Mapping[str, object]) -> None:
        """The next message of the stream: ``round.odds``, and its data."""
        if name == "epoch.started":
            self.last = STANDS["dealing"]  # the round of a lost unit ends here, whatever it said there
        if not name.startswith("round."):
            return
        assert not self.closing or name == "round.odds", f"{name} before the offer was taken back"
        assert not self.offered or name in OFFER_MAY_STAND, f"{name} while a price is offered"
        self.last = after(self.last, name)
        self.closing = self.offered and name == "round.bets_closed"
        if name == "round.odds":
            self._hear_odds(data)

    def _hear_odds(self, data: Mapping[str, object]) -> None:
        assert not self.last & {"round.final", "round.void"}, "odds of a round that is over"
        if "strength" in data:
            assert self.last == {"round.decisions_opened"}, "strengths while nobody decides"
            return
        prices = data["offered"]
        assert isinstance(prices, dict)
        self.offered = any(price is not None for price in prices.values())
        if self.offered:
            assert data["suspended"] is False
            assert self.last <= ODDS_MAY_FOLLOW, f"a price is offered after {' or '.join(self.last)}"

    def check_hold(self, *, held: bool) -> None:
        """After each event."""
        assert not self.closing, "bets are closed, and the offer was not taken back"
        assert not (held and self.offered), "a price is offered while the table holds"
