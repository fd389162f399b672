"""What a round's bets are taken at: which spots have live prices, and what the others are paid by."""

from __future__ import annotations

from controller.games.paid import paid_by, spots_pay
from controller.round.turn import game_of
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.outcomes import SpotOutcome
from controller.vocabulary.parts import PaidBet
from controller.vocabulary.remembered import remembered


@remembered
def live_spots(configuration: CoreConfiguration) -> tuple[str, ...]:
    """The spots whose bets are taken at prices that follow the cards, in the order of the layout."""
    return game_of(configuration).live_spots(configuration.game.odds)


@remembered
def fixed_pays(configuration: CoreConfiguration) -> dict[str, PaidBet]:
    """The pay table as people read it, of the bets that are paid by it."""
    return paid_by(game_of(configuration), live_spots(configuration))


@remembered
def spots_taken_by_hand(configuration: CoreConfiguration) -> dict[str, str | None]:
    """Every spot that takes a bet by hand, of all seats of the table -> what a win pays, where that is always
    the same."""
    return spots_pay(game_of(configuration), live_spots(configuration))


@remembered
def spot_names(configuration: CoreConfiguration) -> dict[str, str | dict[str, str]]:
    """Wager -> what people call it, of the house's own spots that have a name, at whatever price."""
    return {name: spot.name for name, spot in game_of(configuration).pay_table.spots.items() if spot.name}


def without_fixed_pays(
    configuration: CoreConfiguration, bets: dict[str, SpotOutcome]
) -> dict[str, SpotOutcome]:
    """The spots of a result; a spot with live prices wins, and each bet on it pays its own price."""
    live = live_spots(configuration)
    if not live:
        return bets
    return {spot: SpotOutcome(one.result, None) if spot in live else one for spot, one in bets.items()}
