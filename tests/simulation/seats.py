"""Two Cards High: which seats play. It is said before the bets close, and holds from the next deal on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controller.vocabulary import events

if TYPE_CHECKING:
    from tests.simulation.world import World

SEATS_ARE_SAID = hasattr(events, "SeatsTaken")
"""Whether this program knows who plays (an older one dealt to every seat)."""


def seat(world: World, dealt: tuple[int, ...]) -> None:
    """The bets are closed and these seats are dealt to: the last that were said, if no line lost them."""
    if dealt and dealt not in world.said_to_play:
        world.complain("other seats are dealt to than were said", f"{dealt}: {world.said_to_play}")
    if dealt:
        world.rules.take_seats(dealt)
        world.said_to_play = [dealt]


def has_players_to_say(world: World) -> bool:
    """Now and then other seats play than before; that is said once, before the bets close."""
    if world.rules.name != "two-cards-high" or world.said_seats == world.course.rounds:
        return False
    return SEATS_ARE_SAID and world.plan.dice("seats", world.course.rounds).random() < 0.4


def take_seats(world: World, value: int = 0) -> None:
    """Say which seats play; a table that takes it deals to these from the next deal on."""
    world.said_seats = world.course.rounds
    every = range(1, world.drawn.core.game.seats + 1)
    dice = world.plan.dice("seats", world.course.rounds, world.acts, value)
    numbers = tuple(dice.sample(every, dice.choice(every)))
    before = world.screen.seats
    world.said_to_play.append(tuple(sorted(numbers)))
    world.hear(world.desk.take_seats(numbers))
    if world.screen.seats != before and world.course.dealing:
        world.complain("seats are taken after the bets", f"{numbers}, round {world.course.round}")
