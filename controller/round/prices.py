"""Odds of a betting round, and the strength of hands while players decide: what may be known, exactly.

What lies face down counts as unseen, though the shoe has read it. A bet can be taken only at the prices of
the last ``round.odds`` of an open betting round; whatever ends that round takes them back with another one.
Between betting rounds the display goes on to show the chances, which move with each card, and offers nothing.
Where nobody can trust the composition (the table holds, a card went back, one is kept for the next round)
every price is suspended.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import asdict, replace

from controller.games.game import Game
from controller.round.known import is_doubtful, lie_unknown, trusted, unseen_cards
from controller.round.state import State
from controller.round.terms import live_spots
from controller.round.turn import Turn
from controller.vocabulary.cards import Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.display import ShownOdds
from controller.vocabulary.messages import RoundOdds
from controller.vocabulary.parts import OddsBody

if TYPE_CHECKING:  # controller.odds is imported by the first question: most tables never ask one
    from controller.odds.prices import Margin

NUMPY = False
"""Measured on x86, processor time: numpy costs the daemon 10 MiB more, and in the first round 90 ms for its
import. Without it the updates of a whole baccarat round take 1.5 to 3 ms instead of 0.3 to 0.7 ms. On a small
board memory is the narrow place."""

Margins = tuple[tuple[str, "Margin"], ...]


def publish_odds(turn: Turn) -> None:
    """``round.odds`` where the game has any for this moment; kept for the display."""
    odds = odds_now(turn)
    if odds is not None:
        message = turn.say(RoundOdds(round=turn.round.id, **asdict(odds)))
        turn.set_round(odds=ShownOdds(id=message, **asdict(odds)))


def withdraw_offer(turn: Turn) -> None:
    """Bets are closed: say that no price holds any more.

    It asks neither game nor shoe: a void of a fault must be able to.
    """
    odds = turn.round.odds
    if odds is None or odds.suspended is not False or not isinstance(odds.offered, dict):
        return
    body = OddsBody(
        betting_round=odds.betting_round,
        suspended=True,
        probabilities={},
        fair={},
        offered=dict.fromkeys(odds.offered),
    )
    turn.say(RoundOdds(round=turn.round.id, **asdict(body)))
    turn.set_round(odds=ShownOdds(id=None, **asdict(body)))


def follow_odds(turn: Turn) -> None:
    """After each event: while bets are open at live odds another offer is published where it changed or must
    be suspended; where they are closed the display shows the chances and no offer. The strength of hands goes
    with the decisions that it was counted for."""
    round_ = turn.state.round
    if round_ is None or round_.odds is None:
        return
    strength = round_.odds.strength is not UNSET
    if turn.state.phase == "idle" or (strength and turn.state.phase != "decision"):
        turn.set_round(odds=None)
    elif turn.state.phase == "betting":
        if round_.odds != ShownOdds(id=round_.odds.id, **asdict(live_odds(turn))):
            publish_odds(turn)
    elif not strength:
        chances = live_odds(turn)
        chances = replace(chances, suspended=True, offered=dict.fromkeys(chances.offered or ()))
        turn.set_round(odds=ShownOdds(id=None, **asdict(chances)))


def odds_now(turn: Turn) -> OddsBody | None:
    """The odds of this betting round, the strengths of this decision, or None."""
    if turn.state.phase == "decision":
        return strengths(turn)
    return live_odds(turn) if has_live_odds(turn) else None


def has_live_odds(turn: Turn) -> bool:
    """Whether prices follow the cards at this table."""
    return bool(live_spots(turn.state.configuration))


def live_odds(turn: Turn) -> OddsBody:
    """Probabilities, fair and offered prices of the spots that have any, before the next card."""
    betting_round = turn.round.betting_round + (turn.state.phase == "betting")
    return replace(prices_now(turn.state, turn.game), betting_round=betting_round)


def prices_now(state: State, game: Game) -> OddsBody:
    """As the cards that all have seen make them; everything suspended where the composition is in doubt."""
    shoe, round_, settings = state.shoe, state.round, state.configuration.game
    spots = live_spots(state.configuration)
    suspended = OddsBody(suspended=True, probabilities={}, fair={}, offered=dict.fromkeys(spots))
    if shoe is None or round_ is None or not trusted(state):
        return suspended
    hidden = lie_unknown(state, game, round_)
    if sorted(hidden) != list(hidden):  # behind a card that nobody was told one is known: not counted
        return suspended
    dealt = tuple(one.card for one in round_.dealt[: hidden.count(False)])
    counts = tuple(unseen_cards(state, game, shoe).values())
    margins = margins_of(settings, game)
    found = _priced(game, counts, dealt, margins, settings.least_probability, spots)
    return suspended if found is None else found


def margins_of(settings: GameSettings, game: Game) -> Margins:
    """The margin of each spot: its own, or the one of all."""
    return tuple((spot, settings.margins.get(spot, settings.margin)) for spot in game.spots())


@lru_cache(maxsize=64)
def _priced(
    game: Game,
    counts: tuple[int, ...],
    dealt: tuple[Card, ...],
    margins: Margins,
    least_probability: float,
    spots: tuple[str, ...],
) -> OddsBody | None:
    from controller.odds.composition import OddsError
    from controller.odds.counting import odds_of

    try:
        unseen = dict(zip(game.deck, counts, strict=True))
        found = odds_of(type(game)).prices(
            game, unseen, dealt, dict(margins), least_probability=least_probability, numpy=NUMPY
        )
    except OddsError:
        return None

    def of(prices: Mapping[str, float | None]) -> dict[str, float | None]:
        return {spot: price for spot, price in prices.items() if spot in spots}

    return OddsBody(
        suspended=False,
        probabilities={spot: chance for spot, chance in found.probabilities.items() if spot in spots},
        fair=of(found.fair),
        offered=of(found.offered),
    )


def strengths(turn: Turn) -> OddsBody | None:
    """How each hand stands while the players decide, where the game counts that; None after a finding about
    the whole shoe: nobody knows what there is to count."""
    from controller.odds.counting import odds_of

    odds = odds_of(type(turn.game))
    face_up = None if is_doubtful(turn.shoe) else odds.face_up(turn.dealt)
    return None if face_up is None else OddsBody(strength=odds.strengths(face_up))
