"""What the outside may see of a table: the retained topics, computed from the state and from nothing else.

No face-down card is in it before its reveal, and no hash of one that could be searched.
"""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from controller.games.game import Game
from controller.round.choices import choices_of
from controller.round.holds import cards_among, evidence_of_hold
from controller.round.opening import obstacle
from controller.round.secrecy import due_position, face_down
from controller.round.state import Laid, RoadMark, State, Timer, dealt
from controller.round.statistics import shown_decisions
from controller.round.terms import fixed_pays, spot_names
from controller.round.turn import game_in, next_game
from controller.vocabulary.display import (
    Alert,
    BareDisplay,
    BareHold,
    Display,
    Last,
    MayOpen,
    ShownCard,
    ShownHold,
    ShownShoe,
)
from controller.vocabulary.irregularities import KINDS
from controller.vocabulary.remembered import remembered
from controller.vocabulary.scoreboard import Bead, Scoreboard


def retained(state: State) -> dict[str, Display | BareDisplay | Last | Alert]:
    """Last part of the topic -> payload, of all that is retained for this state, in the order in which it
    goes out.

    The result goes before the display: a unit that dies between the two has then left no display of a result
    that the broker does not hold, and whoever takes over knows what to take back.
    """
    topics: dict[str, Display | BareDisplay | Last | Alert] = {}
    if state.last is not None:
        topics["result"] = state.last
    topics["display"] = shown_anyway(state)
    for alert in state.alerts:
        topics[f"alerts/{alert.id}"] = Alert(
            id=alert.id, code=alert.code, message=alert.message, at=alert.at, **asdict(alert.evidence)
        )
    return topics


def shown_anyway(state: State) -> Display | BareDisplay:
    """The display; where we fail to draw it, what a table must show even so: people have to see the hold."""
    try:
        return display(state)
    except Exception as error:  # a display that cannot be drawn must not stop the table (design, 6)
        hold = state.hold
        return BareDisplay(
            game=state.configuration.game.name,
            mode=state.configuration.table.mode,
            phase=state.phase,
            round=None if state.round is None else state.round.id,
            hold=None if hold is None else BareHold(hold.reason, tuple(choices_of(state, hold))),
            fault=type(error).__name__,
        )


def display(state: State) -> Display:
    """All that a display needs to draw the table without knowing anything before."""
    game = game_in(state)
    round_ = state.round
    clock = countdown(state)
    closes = state.configuration.round.close
    return Display(
        game=game.name,
        layout=state.configuration.game.layout,
        mode=state.configuration.table.mode,
        phase=state.phase,
        light=state.shown_light,
        round=None if round_ is None else round_.id,
        game_number=None if round_ is None else round_.game_number,
        countdown_end=None if clock is None else clock.ends_at,
        cards=public_cards(state, game),
        next=next_position(state, game),
        result=None if round_ is None or round_.result is None else round_.result.body,
        revision=0 if round_ is None else round_.revision,
        void=None if round_ is None else round_.void,
        odds=None if round_ is None else round_.odds,
        free_hand=round_ is not None and round_.free_hand,
        hold=shown_hold(state, game),
        last_round=state.shoe is not None and state.shoe.rounds_left == 0,
        shoe=shoe_progress(state),
        last_results=state.history,
        decisions={} if round_ is None else shown_decisions(round_.decisions),
        combinations=combinations(state, game),
        dealer=state.dealer,
        gaming_day=round_.gaming_day if round_ is not None and state.in_round else state.gaming_day,
        may_open=may_open(state),
        limits=state.configuration.limits,
        prices=state.configuration.game.odds,
        pays=fixed_pays(state.configuration),
        names=spot_names(state.configuration) or UNSET,
        scoreboard=board(game, state.road),
        seats=(game if state.in_round else next_game(state)).seat_numbers or UNSET,
        countdown_s=UNSET if clock is None else clock.seconds,
        awaits=(state.configuration.round.await_book if state.awaits_book else None) or UNSET,
        aside=UNSET if round_ is None else len(round_.aside) or UNSET,
        closes=UNSET if closes == "button" else closes,
    )


@remembered
def board(game: Game, road: tuple[RoadMark, ...]) -> Scoreboard | UnsetType:
    """The scoreboards of this shoe, where the game has any."""
    beads = [
        Bead(
            winner=mark.winner,
            player_pair=mark.player_pair,
            banker_pair=mark.banker_pair,
            natural=mark.natural,
        )
        for mark in road
    ]
    return game.scoreboard(beads) or UNSET


def public_cards(state: State, game: Game) -> tuple[ShownCard, ...]:
    """The cards as they lie, in deal order; one that lies face down has no name."""
    return () if state.round is None else _shown(state.round.laid, face_down(state.round, game))


@remembered
def _shown(laid: tuple[Laid, ...], hidden: tuple[bool, ...]) -> tuple[ShownCard, ...]:
    lying = zip(laid, hidden, strict=True)
    return tuple([ShownCard(one.position, None if is_hidden else one.drawn.card) for one, is_hidden in lying])


def combinations(state: State, game: Game) -> dict[str, str]:
    """What the cards that lie face up make, where the game tells that."""
    return {} if state.round is None else _made(game, state.round.laid, face_down(state.round, game))


@remembered
def _made(game: Game, laid: tuple[Laid, ...], hidden: tuple[bool, ...]) -> dict[str, str]:
    lying = zip(laid, hidden, strict=True)
    return game.combinations(dealt(tuple([one for one, is_hidden in lying if not is_hidden])))


def next_position(state: State, game: Game) -> str | None:
    """Where the next card goes, while cards may be drawn; in a hold people decide that first."""
    if state.phase != "dealing" or state.round is None or state.holds or state.awaits_book:
        return None
    return due_position(state.round, game)


def countdown(state: State) -> Timer | None:
    """The running clock that people see; None if none runs."""
    return next((timer for timer in state.timers if timer.name not in ("warn", "agree", "book")), None)


def shown_hold(state: State, game: Game) -> ShownHold | None:
    """The hold notice: why, the evidence that may be shown, the choices, and what must come out next."""
    hold = state.hold
    if hold is None:
        return None
    choices = choices_of(state, hold)
    next_out: tuple[None, ...] | UnsetType = UNSET
    if state.shoe is not None and state.shoe.expected:
        next_out = (None,) * len(state.shoe.expected)
    return ShownHold(
        round=hold.round,
        reason=hold.reason,
        meaning=KINDS[hold.reason].meaning,
        evidence=evidence_of_hold(state, game, hold),
        choices=tuple(choices),
        what_they_do=choices,
        waiting=len(hold.joined) + cards_among(hold.events[1:]),
        beneath=tuple(other.reason for other in reversed(state.holds[:-1])),
        next_out=next_out,
    )


def shoe_progress(state: State) -> ShownShoe | None:
    """How far the shoe is, by the count."""
    shoe = state.shoe
    if shoe is None:
        return None
    return ShownShoe(
        id=shoe.id,
        set=shoe.set,
        decks=shoe.decks,
        cards=shoe.total,
        drawn=len(shoe.drawn),
        left=shoe.left,
        burns_pending=state.burns_due,
        unusable=shoe.unusable,
    )


def may_open(state: State) -> MayOpen:
    """Whether the next round may open now, and if not, why: the dealer's page shows it."""
    found = obstacle(state)
    return MayOpen(True, None, None) if found is None else MayOpen(False, found.code, found.why)


def lock_wanted(state: State) -> bool:
    """Whether a draw would be illegal now, for a shoe that can be locked."""
    if state.holds or state.awaits_book:
        return True
    shoe = state.shoe
    if shoe is not None and (state.burns_due or shoe.burn_count_pending):
        return False
    if state.phase == "betting":
        return state.configuration.round.close != "first_card"
    return state.phase != "dealing"
