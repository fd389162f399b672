"""Cards that were read twice, where the house watches for that: a report, and no card came with it.

People hear the reader twice and know. The table asks, at once or (where that would tell what lies face down)
when all is turned up; until somebody has ruled on it, it has one card more than lies on the felt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.course import Held, Message
from tests.simulation.felt import Card, Out

if TYPE_CHECKING:
    from tests.simulation.world import World

SOON_S = 0.05
"""Between the two reports of one card."""


class Doubles:
    """Those of one shoe on which nobody has ruled."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.open: list[Out] = []
        self.asked: set[int] = set()
        """The draws of this shoe that the table asks about, or has asked."""

    def watched(self, card: Card, errors: set[str]) -> bool:
        """Whether the table alone must notice that this card is read twice: nobody else watches the shoe, and
        nothing else is wrong with it."""
        drawn, ours = self.world.drawn, card.name in self.world.rules.deck and card.mark == "a"
        limit_s = drawn.core.shoe.min_card_interval_ms / 1000
        return ours and "misread" not in errors and limit_s > 2 * SOON_S and not (drawn.beam or drawn.second)

    def hear(self, message: Message) -> None:
        """The table asks; or the round, and with it the shoe, is over for them."""
        match message.name:
            case "table.held":
                asked = (one for one in message.data["evidence"] if one["code"] == "rapid_repeat")
                self.asked |= {one["draw"] for one in asked if "draw" in one}
            case "round.void" | "round.opened":
                waiting = self.world.screen.waiting
                self.pass_for_cards(*(out for out in self.open if out.draw not in waiting))
            case "shoe.started":
                self.open, self.asked = [], set()

    def pass_for_cards(self, *outs: Out) -> None:
        """Nobody has said that these are none: for the table they are out of the shoe."""
        if any(out.twin is not None for out in outs):
            self.world.felt.miscounted = True
        self.open = [out for out in self.open if out not in outs]

    def dismiss(self, *outs: Out) -> None:
        """Somebody has said that there was no second card."""
        for out in outs:
            if out in self.open:
                self.open.remove(out)
                self.world.count(out, -1)
                self.world.felt.aside = [one for one in self.world.felt.aside if one is not out]

    @property
    def counted(self) -> list[Out]:
        """Those that no hold is about: the table has laid or burned them, or they lie aside for it."""
        waiting = self.world.screen.waiting
        return [out for out in self.open if out.draw not in waiting]

    def of(self, held: Held) -> list[Out]:
        """Those that a hold for double reads asks about, whether they are its items or lie for the table."""
        return [out for out in self.open if held.reason == "rapid_repeat" and out.draw in held.asks]

    def rule(self, held: Held, choice: str, items: list[Out], joined: list[Out]) -> None:
        """A hold has ended with this choice; cards that were read twice and are its items, or went back with
        it, are settled. One that passes for a card does so for the one that went back before it, if any did:
        nobody knows then which of these are next."""
        mine = self.of(held)
        if choice == "return":
            for draw in held.asks if held.reason == "rapid_repeat" else ():
                out = self.world.felt.outs.get(draw)
                if out is not None and out not in mine:  # what it was, the table does not count it any more
                    self.world.count(out, -1)
            self.dismiss(*mine, *(out for out in (*items, *joined) if held.reason != "rapid_repeat"))
            return
        passed = items if choice in ("burn", "void", "next_round") else mine
        self.pass_for_cards(*passed)
        felt = self.world.felt
        felt.mixed |= felt.next_back > 0 and any(out.twin is not None for out in passed)

    def well(self, held: Held, items: list[Out]) -> list[str] | None:
        """The choices that say the truth of them; None where it is no matter of theirs."""
        mine = self.of(held)
        if held.reason == "rapid_repeat":
            if not items and not mine:
                return ["accept", "void"]  # what lies are two cards
            if items and not mine:
                return None
            truth = ["return", "void"] if len(mine) == len(held.asks) else ["void"]  # one answer for all
        else:
            mine = [out for out in self.open if out in items]
            if not mine:
                return None
            truth = ["accept", "return", "void"]  # accepted, it is asked about in the end
        return [choice for choice in held.choices if choice in truth] or ["void"]
