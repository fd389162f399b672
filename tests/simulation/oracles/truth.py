"""No ``round.final`` that differs from the felt, unless nobody could notice; those are counted by why."""

from __future__ import annotations

from tests.simulation.course import Message
from tests.simulation.oracles import Oracle
from tests.simulation.violation import Violation
from tests.simulation.world import World


class Truth(Oracle):
    """Holds the last result against the cards as they lie."""

    def message(self, world: World, message: Message) -> None:
        if message.name == "round.final":
            self._compare(world)

    def _compare(self, world: World) -> None:
        result = world.course.result
        if result is None:
            raise Violation("final without a result", str(world.course.round))
        lying = {
            place: cards
            for place, cards in (world.felt.hands() or world.felt.taken_away).items()
            if place != "burn"
        }
        told = {place: list(cards) for place, cards in result["hands"].items() if cards}
        board = result.get("board")
        if board:
            told |= {"flop": list(board[:3]), "turn": list(board[3:4]), "river": list(board[4:])}
        if world.rules.name == "2-card-action" and "first" not in told:
            cards = [card for hand in told.values() for card in hand]
            told = {"first": cards[:1], "second": cards[1:]}
        if told == lying:
            return
        if world.excuses:
            world.unnoticed[" + ".join(sorted(world.excuses))] += 1
            return
        raise Violation("final is not the felt", f"told {told}, the felt has {lying}")
