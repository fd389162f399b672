"""The opening of a round: what may prevent it, and what it does to the round before."""

from __future__ import annotations

from msgspec import UNSET

from controller.games.game import Game
from controller.round.awaiting import ALERT
from controller.round.burns import take_away_reserved
from controller.round.conditions import blocking
from controller.round.places import close_bets
from controller.round.prices import publish_odds
from controller.round.state import Round, State
from controller.round.terms import fixed_pays, live_spots, spots_taken_by_hand
from controller.round.turn import Turn, game_number, next_game, numbered_at
from controller.shoe.ledger import Shoe
from controller.vocabulary.effects import Refuse
from controller.vocabulary.messages import RoundFinal, RoundOpened
from controller.vocabulary.values import PayTableName

PASSING = frozenset({"held", "round_running", "agreeing"})
"""Obstacles that the next step removes; the others raise an alert until a round opens."""


def obstacle(state: State, *, free_hand: bool = False) -> Refuse | None:
    """The first obstacle to the next round and what to do about it, or None."""
    return table_obstacle(state) or shoe_obstacle(state) or (None if free_hand else must_burn(state))


def must_burn(state: State) -> Refuse | None:
    """Nobody bets on a card that was seen: where the house burns it, it is burned before bets open."""
    if not state.exposed or state.exposed_card != "burn":
        return None
    cards = "a card" if state.exposed == 1 else f"{state.exposed} cards"
    return Refuse("burn_pending", f"{cards} that people saw would be the next out: draw and burn first")


def is_free_hand(state: State) -> bool:
    """Whether the next round takes no bets: its first card was seen, and the house deals a free hand then."""
    return state.exposed_card == "free_hand" and (state.exposed > 0 or state.reserved is not None)


def open_next(turn: Turn) -> None:
    """OPEN, or the review clock: open the next round, which is a free hand after a card that was seen."""
    free_hand = is_free_hand(turn.state)
    if open_round(turn, free_hand=free_hand) and free_hand:
        close_bets(turn, "free_hand")


def table_obstacle(state: State) -> Refuse | None:
    """Closed, a hold, a round that is not settled or may still be contradicted, a condition of the shell."""
    if state.hold is not None:
        return Refuse("held", f"the table holds ({state.hold.reason}): a supervisor clears it first")
    if state.in_round:
        reasons = {
            "betting": "bets are open already",
            "result": "the last round is not settled: press SETTLED",
        }
        return Refuse("round_running", reasons.get(state.phase, "a round is running"))
    if state.agreeing:
        return Refuse("agreeing", "whoever else watches the shoe may still contradict the last card: wait")
    if state.configuration.table.session == "signed" and not state.opened:
        return Refuse("table_closed", "the table is closed: a supervisor opens it")
    if state.closing:
        return Refuse("table_closed", "the table is closing: no further round")
    found = blocking(state)
    return None if found is None else Refuse(found[0], found[1].message)


def shoe_obstacle(state: State) -> Refuse | None:
    """No shoe, a shoe that is ended, miscounted or unshuffled, an open burn count, too few cards (5.1.4,
    5.1.5)."""
    shoe, game = state.shoe, next_game(state)
    if shoe is None:
        return Refuse("no_shoe", "no shoe is loaded")
    if shoe.unusable == "cut_card" or shoe.rounds_left == 0:
        return Refuse("shoe_finished", "the last round of this shoe is played: load another one")
    if shoe.unusable == "not_shuffled" or not shoe.shuffled:
        return Refuse("not_shuffled", "the cards are not shuffled: shuffle them" + game.cited("5.1.5"))
    if shoe.unusable is not None:
        return Refuse(shoe.unusable, f"this shoe is withdrawn ({shoe.unusable}): load another one")
    configuration = state.newest
    if shoe.total != len(game.deck) * game.decks:
        return Refuse("wrong_count", "the loaded shoe is not of the configured game: load another one")
    if awaits_shuffle(state):
        return Refuse("not_shuffled", "the pack is shuffled before every round" + game.cited("5.1.5"))
    if shoe.burn_count_pending:
        return Refuse("burn_pending", "turn up the first card of the shoe: it tells how many are burned")
    return too_few_cards(state, shoe.left, configuration.shoe.burn_each_round, game)


def awaits_shuffle(state: State) -> bool:
    """Whether the one pack is to be shuffled before the next round."""
    shoe = state.shoe
    return shoe is not None and next_game(state).shuffled_every_round and not is_fresh(state, shoe)


def is_fresh(state: State, shoe: Shoe) -> bool:
    """Whether the pack was shuffled after the last round: it was loaded since, or a continuous shuffler has
    all of it and shuffled it after the last card was drawn.
    """
    if state.round is None or state.round.shoe_id != shoe.id:
        return True
    continuous = state.newest.shoe.kind == "continuous"
    return continuous and shoe.left == shoe.total and shoe.draws == shoe.shuffled_after


def too_few_cards(state: State, left: int, burn_each_round: int, game: Game) -> Refuse | None:
    """5.1.4: the most that a round of this game can take before it is over, its burns included, must be in
    the shoe before its first card."""
    kept = state.reserved is not None and state.exposed_card != "burn"
    needed = game.cards_needed + state.burns_due + burn_each_round - kept
    if left < needed:
        return Refuse(
            "insufficient_cards",
            f"the shoe has {left} of the {needed} cards that a round can take" + game.cited("5.1.4"),
        )
    return None


def open_round(turn: Turn, *, free_hand: bool = False) -> bool:
    """Open the next round where there is no obstacle, else refuse and say why; whether it opened."""
    found = obstacle(turn.state, free_hand=free_hand)
    if found is not None:
        turn.refuse(found.code, found.why)
        if found.code not in PASSING:
            turn.raise_alert("opening", found.code, found.why)
        return False
    turn.clear_alert("opening")
    turn.clear_alert(ALERT)
    clear_old_faults(turn)
    finish_last_round(turn)
    if turn.state.next_configuration is not None:
        turn.set(configuration=turn.state.next_configuration, next_configuration=None)
    if turn.state.exposed_card == "burn":  # a house that let it play until now
        take_away_reserved(turn)
    begin_round(turn, free_hand=free_hand)
    return True


def clear_old_faults(turn: Turn) -> None:
    """Clear the device faults of earlier rounds: a fault that lasts is reported again."""
    for alert in turn.state.alerts:
        if alert.code in ("device_fault", "reports_missed"):
            turn.clear_alert(alert.id)


def finish_last_round(turn: Turn) -> None:
    """5.2: once the next round has begun the last one is final, whatever is found."""
    if turn.state.phase == "settled":
        turn.step("finish")
        turn.say(RoundFinal(round=turn.round.id, revision=turn.round.revision))


def begin_round(turn: Turn, *, free_hand: bool) -> None:
    """ "Place your bets, please"."""
    state, shoe, game = turn.state, turn.shoe, next_game(turn.state)
    number = state.rounds + 1
    table = state.configuration.table
    left = None if shoe.rounds_left is None else shoe.rounds_left - 1
    turn.set_shoe(rounds_left=left)
    second = numbered_at(turn.stamp.at, state.numbered_at)
    round_ = Round(
        id=f"{table.site}-{table.id}-{state.epoch}-{number}",
        number=number,
        game_number=game_number(second),
        opened_at=turn.stamp.at,
        shoe_id=shoe.id,
        phase="betting",
        after=shoe.draws,
        free_hand=free_hand,
        gaming_day=state.gaming_day,
        seats=game.seat_numbers,
    )
    turn.set(
        round=round_,
        rounds=number,
        numbered_at=second,
        light="green",
        void_asked_by=None,
        void_asked_for=None,
        last_code=None,  # no double read: that one left the shoe in another round
    )
    turn.say(
        RoundOpened(
            round=round_.id,
            game=game.name,
            game_number=round_.game_number,
            shoe=shoe.id,
            last_round=left == 0,
            free_hand=free_hand,
            pay_table=PayTableName(game.pay_table.id, game.pay_table.digest),
            rules=game.rules_version,
            dealer=state.dealer,
            gaming_day=round_.gaming_day,
            limits=state.configuration.limits,
            prices=state.configuration.game.odds,
            pays=fixed_pays(state.configuration),
            spots=spots_taken_by_hand(state.configuration),
            live=live_spots(state.configuration) or UNSET,
            needs=dict(game.needs_bet()) or UNSET,
            decisions=dict(game.decisions()) or UNSET,
        )
    )
    if not free_hand:
        publish_odds(turn)
