"""Nobody bets on a card that was seen: what people saw and what is next out is burned before bets open."""

from __future__ import annotations

from tests.simulation.oracles import Oracle
from tests.simulation.world import World


class Known(Oracle):
    """Looks at the next card out, whenever people may bet."""

    def acted(self, world: World) -> None:
        course = world.course
        exposed = getattr(world.drawn.core.round, "exposed_card", "burn")
        if not course.betting or course.free or exposed == "play" or world.excuses or world.felt.tampered:
            return
        if world.screen.held is not None:
            return
        kept = world.felt.reserved
        coming = kept.card if kept is not None else world.felt.shoe[-1] if world.felt.shoe else None
        burns = world.owed + (world.drawn.core.shoe.burn_each_round if not course.closed else 0)
        if coming is not None and coming.seen and (kept is not None or not burns):
            what = "a card kept for the round" if kept is not None else "a card that went back"
            world.complain(f"bets on a seen card: {what}", f"{coming} is next, round {course.round}")
