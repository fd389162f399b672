"""Clocks as values: which ones should run now, and what one that is over does."""

from __future__ import annotations

from controller.round.conditions import blocking
from controller.round.opening import open_round
from controller.round.places import close_bets, close_decisions
from controller.round.state import State, Timer
from controller.round.turn import Turn, later
from controller.vocabulary.events import TimerElapsed, TimerName


def wanted(state: State) -> dict[TimerName, int]:
    """The clocks that should run in this state, each with its seconds.

    None runs in a hold; a betting clock is shown even where only a button closes the bets.
    """
    settings = state.configuration.round
    if state.hold is not None:
        return {}
    if state.phase == "betting" and settings.bets_s:
        clocks: dict[TimerName, int] = {"bets": settings.bets_s}
        if 0 < settings.warn_s < settings.bets_s:
            clocks["warn"] = settings.bets_s - settings.warn_s
        return clocks
    if state.phase == "decision" and settings.decision_s:
        return {"decisions": settings.decision_s}
    if state.phase == "settled" and settings.open == "auto":
        return {"review": settings.review_s}
    return {}


def run_clocks(turn: Turn, before: State, *, restarted: bool) -> None:
    """Start in full what a new stretch of the round wants; stop what it does not.

    A clock that is over stays away until the phase, the round or the betting round changes, or a hold ends.
    The review clock comes back, too, when what blocked the opening (disk, outbox) is over: it rang in vain.
    """
    state = turn.state
    clocks = wanted(state)
    if not clocks or state.round is None:
        if state.timers:
            turn.set(timers=())
    elif restarted or stretch(before) != stretch(state) or rings_again(before, state):
        round_id, at = state.round.id, turn.stamp.at
        turn.set(
            timers=tuple(
                Timer(name, round_id, seconds, later(at, seconds)) for name, seconds in clocks.items()
            )
        )
        if state.phase == "betting":
            turn.set(light="green")


def rings_again(before: State, now: State) -> bool:
    """Whether the table, which opens by itself, was kept from it and is not any more."""
    return (
        now.phase == "settled" and not now.timers and blocking(before) is not None and blocking(now) is None
    )


def stretch(state: State) -> tuple[str, str, int, bool] | None:
    """What tells one stretch of a round from another: a hold, too, begins a new one."""
    round_ = state.round
    return None if round_ is None else (round_.id, state.phase, round_.betting_round, bool(state.holds))


def timer_elapsed(turn: Turn, event: TimerElapsed) -> None:
    """A clock is over. One of another round, or one that does not run now, is ignored."""
    if turn.state.round is None or event.round not in (None, turn.round.id) or turn.state.holds:
        return
    closes_bets = turn.state.configuration.round.close == "timer"
    if event.timer == "bets" and turn.state.phase == "betting" and closes_bets:
        close_bets(turn, "timer")
    elif event.timer not in wanted(turn.state):
        return
    elif event.timer == "warn":
        turn.set(light="yellow")
    elif event.timer == "decisions":
        close_decisions(turn, "timer")
    elif event.timer == "review":
        open_round(turn)
    turn.set(timers=tuple(timer for timer in turn.state.timers if timer.name != event.timer))
