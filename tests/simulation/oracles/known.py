"""Nobody bets on a card that was seen: what people saw and what is next out is burned before bets open. Where
the house lets it play, no message has named it.
"""

from __future__ import annotations

from tests.simulation.course import Message
from tests.simulation.oracles import Oracle
from tests.simulation.world import World


class Known(Oracle):
    """Looks at the next card out, whenever people may bet."""

    def __init__(self) -> None:
        self.named: list[tuple[int, str]] = []
        """Draw and name, as messages have it."""

    def message(self, world: World, message: Message) -> None:
        if message.name in ("table.held", "round.void"):
            for one in message.data["evidence"]:
                said = (one.get("card"), one.get("got"), one.get("read"))
                self.named += [(one["draw"], name[:2]) for name in said if name and "draw" in one]
        elif message.name == "shoe.started":
            self.named = []

    def acted(self, world: World) -> None:
        course = world.course
        for draw, name in self.named:
            out = world.felt.outs.get(draw)
            card = None if out is None else out.card if out.twin is None else out.twin.card
            if card is not None and card.name == name:
                card.named = True
        self.named = []
        exposed = getattr(world.drawn.core.round, "exposed_card", "burn")
        kept = world.felt.reserved
        if not course.betting or course.free or world.excuses or world.felt.tampered:
            return
        if world.screen.held is not None:
            return
        coming = kept.card if kept is not None else world.felt.shoe[-1] if world.felt.shoe else None
        burns = world.owed + (world.drawn.core.shoe.burn_each_round if not course.closed else 0)
        if coming is None or (kept is None and burns > 0):
            return
        what = "a card kept for the round" if kept is not None else "a card that went back"
        if exposed != "play" and coming.seen and not world.felt.mixed:
            world.complain(f"bets on a seen card: {what}", f"{coming} is next, round {course.round}")
        if coming.named:
            world.complain(f"bets on a card that a message named: {what}", f"{coming}, round {course.round}")
