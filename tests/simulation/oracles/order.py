"""The legal order of messages, by the words of the contract: what may stand where, and no offer where no
bet is taken.
"""

from __future__ import annotations

from typing import Any

from tests.simulation.course import Message, Told
from tests.simulation.oracles import Oracle
from tests.simulation.violation import Violation
from tests.simulation.world import World


class Order(Oracle):
    """Follows the stream and nothing else."""

    def __init__(self) -> None:
        self.held = False
        self.round: str | None = None
        self.running = self.betting = self.deciding = self.settled = False
        self.cards = 0
        self.result: dict[str, Any] | None = None
        self.offer: str | None = None
        """The message whose prices stand."""
        self.known: dict[str, str] = {}
        """Commitment -> position of cards that lie face down."""

    def message(self, world: World, message: Message) -> None:
        name, data = message.name, message.data
        wrong = self._wrong(name, data)
        if wrong:
            raise Violation(f"order: {name} {wrong}", f"{name} {data}")
        self._follow(message)

    def answered(self, world: World, told: Told) -> None:
        if self.held and world.screen.held is None:
            self.held = False  # a hold that a stronger finding joined has ended under the stronger reason
        if self.offer is not None and (self.held or not self.betting):
            where = "in a hold" if self.held else "while bets are closed"
            world.complain(f"an offer stays open {where}", f"{self.offer}, round {self.round}")

    def _wrong(self, name: str, data: dict[str, Any]) -> str | None:
        """What is wrong with this message here; None if nothing."""
        if name.startswith("round.") and name not in ("round.opened",) and data.get("round") != self.round:
            return "of another round"
        match name:
            case "round.opened":
                return "in a round" if self.running else "in a hold" if self.held else None
            case "round.bets_opened":
                return "while bets are open" if self.betting else "in a hold" if self.held else self._over()
            case "round.bets_closed":
                return None if self.betting else "while no bets are open"
            case "round.card":
                if self.betting or self.deciding:
                    return "while bets are open" if self.betting else "while players decide"
                return self._over() or (None if data["index"] <= self.cards + 1 else "out of order")
            case "round.decisions_opened":
                return "twice" if self.deciding else self._over()
            case "round.decisions_closed":
                return None if self.deciding else "while nobody decides"
            case "round.result":
                if self.betting or self.deciding:
                    return "while bets or decisions are open"
                replaced = None if self.result is None else self.result["id"]
                return self._over() or (None if data["replaces"] == replaced else "beside another one")
            case "round.settled":
                return (
                    "without a result" if self.result is None else "in a hold" if self.held else self._over()
                )
            case "round.final":
                return None if self.settled and not self.held else "before the settlement, or in a hold"
            case "round.void":
                standing = None if self.result is None else self.result["id"]
                if data["retracts"] != standing:
                    return "that does not retract what was told"
                return self._over()
        return None

    def _over(self) -> str | None:
        return None if self.running else "after the round"

    def _follow(self, message: Message) -> None:
        name, data = message.name, message.data
        match name:
            case "round.opened":
                self.round, self.running, self.betting, self.settled = data["round"], True, True, False
                self.deciding, self.cards, self.result, self.offer = False, 0, None, None
            case "round.bets_opened":
                self.betting = True
            case "round.bets_closed":
                self.betting, self.offer = False, None
            case "round.card":
                self.cards, self.settled = data["index"], False
            case "round.decisions_opened":
                self.deciding = True
            case "round.decisions_closed":
                self.deciding = False
            case "round.result":
                self.result = {**data, "id": message.id}
            case "round.settled":
                self.settled = True
            case "round.final":
                self.running = False
            case "round.void":
                self.running, self.betting, self.deciding, self.offer = False, False, False, None
            case "round.odds" if "offered" in data:
                priced = any(price is not None for price in data["offered"].values())
                self.offer = message.id if priced else None
            case "table.held":
                self.held = True
            case "table.resumed":
                self.held = False  # one beneath is said anew
