"""Clocks as values: which ones should run now, and what one that is over does."""

from __future__ import annotations

from controller.round.awaiting import book_silent
from controller.round.bets import close_decisions
from controller.round.conditions import blocking
from controller.round.opening import awaits_shuffle, must_burn, open_next
from controller.round.places import close_bets
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
    clocks: dict[TimerName, int] = {}
    if state.agreeing:
        clocks["agree"] = agree_s(state)
    if state.phase == "betting" and settings.bets_s:
        clocks["bets"] = settings.bets_s
        if 0 < settings.warn_s < settings.bets_s:
            clocks["warn"] = settings.bets_s - settings.warn_s
    elif state.phase == "decision" and settings.decision_s:
        clocks["decisions"] = settings.decision_s
    elif state.awaits_book:
        clocks["book"] = settings.book_s
    elif state.phase == "settled" and settings.open == "auto":
        clocks["review"] = settings.review_s
    return clocks


def agree_s(state: State) -> int:
    """So long a card may still be contradicted: 0 rings at once where only a camera that is lost could."""
    configuration, without = state.configuration, state.configuration.agree_without_felt_s
    return configuration.agree_s if without is None or "felt" not in state.lost else without


def run_clocks(turn: Turn, before: State, *, restarted: bool) -> None:
    """Start in full what a new stretch of the round wants; stop what it does not.

    A clock that is over stays away until the phase, the round or the betting round changes, or a hold ends.
    The review clock comes back, too, when what blocked the opening (disk, outbox, a card that people saw, a
    pack that was not shuffled yet) is over: it rang in vain. The time to contradict runs on from the result
    into the settlement, and anew after each further card.
    """
    if turn.state.round is not None and turn.state.round.agreed and card_left(before, turn.state):
        turn.set_round(agreed=False)
    state = turn.state
    clocks = wanted(state)
    if not clocks or state.round is None:
        if state.timers:
            turn.set(timers=())
        return
    anew = restarted or stretch(before) != stretch(state) or rings_again(before, state)
    running = {timer.name: timer for timer in state.timers if timer.round == state.round.id}
    if card_left(before, state):
        running.pop("agree", None)
    timers: list[Timer] = []
    for name, seconds in clocks.items():
        if name in running and (name == "agree" or not anew):
            timers.append(running[name])
        elif name == "agree" or anew:
            timers.append(Timer(name, state.round.id, seconds, later(turn.stamp.at, seconds)))
    if tuple(timers) != state.timers:
        turn.set(timers=tuple(timers))
    if anew and state.phase == "betting":
        turn.set(light="green")


def rings_again(before: State, now: State) -> bool:
    """Whether the table, which opens by itself, was kept from it and is not any more."""
    waits = now.phase == "settled" and not review_runs(now)
    return waits and kept_shut(before) and not kept_shut(now)


def kept_shut(state: State) -> bool:
    """Whether something keeps the next round from opening that goes away without an OPEN: a condition, a card
    that people saw, the one pack while it is shuffled.
    """
    return blocking(state) is not None or must_burn(state) is not None or awaits_shuffle(state)


def review_runs(state: State) -> bool:
    """Whether the review is not over yet."""
    return any(timer.name == "review" for timer in state.timers)


def stretch(state: State) -> tuple[str, str, int, bool] | None:
    """What tells one stretch of a round from another: a hold, too, begins a new one."""
    round_ = state.round
    return None if round_ is None else (round_.id, state.phase, round_.betting_round, bool(state.holds))


def card_left(before: State, now: State) -> bool:
    """Whether a card left the shoe."""
    if before.shoe is None or now.shoe is None:
        return False
    return before.shoe.id == now.shoe.id and before.shoe.draws < now.shoe.draws


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
    elif event.timer == "book":
        book_silent(turn)
    elif event.timer == "decisions":
        close_decisions(turn, "timer")
    elif event.timer == "agree":
        turn.set_round(agreed=True)
        opens = turn.state.configuration.round.open == "auto" and turn.state.phase == "settled"
        if opens and not review_runs(turn.state):
            open_next(turn)  # the review was over before, and has waited for this
    elif event.timer == "review" and not turn.state.agreeing:
        open_next(turn)
    turn.set(timers=tuple(timer for timer in turn.state.timers if timer.name != event.timer))
