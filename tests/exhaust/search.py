"""Breadth first over the states of a table: ``Table.handle`` is pure, so every state can be asked what comes
next.

What a good dealer and a supervisor do is free: the next step of the round, every choice of a hold. Everything
else of a bounded set of events is a *mishap*: a wrong key, a card too many, foreign or unread, a device lost,
a restart, a failure of ours. The search goes outward by the number of mishaps, so a bound of two means: any
two things may go wrong at any two moments, with every way to resolve them.

States count as one where only names differ: numbers of rounds, shoes, draws and messages, times, nonces, what
was published long ago, the order of cards that are out. Found on the way, as an AssertionError: an exception,
a broken invariant, a state from which no keys lead to the next open round.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from controller.round.choices import choices_of
from controller.round.opening import awaits_shuffle
from controller.round.secrecy import is_turned_up
from controller.round.state import Hold, State
from controller.round.turn import game_in, game_of
from controller.round.view import display
from controller.shoe.ledger import Shoe
from controller.table import Table
from controller.vocabulary.codec import decode_event
from controller.vocabulary.effects import Effect, Say
from controller.vocabulary.events import AnyEvent, Stamp
from tests.scenarios.conversation import AT, Heard, events_of, talk
from tests.scenarios.onlooker import check_places, check_quiet, check_secrecy
from tests.scenarios.order import check_phases
from tests.scenarios.rescue import next_card, shuffled

Key = bytes
MOST_WAITING = 2
"""Cards that wait in holds, and holds on each other, in a state that is looked at further."""
STAMP = Stamp(at=AT)
FAULT = Stamp(at=AT, fault="ZeroDivisionError")
KEYS = """
    OPEN | CLOSE | DECIDED | REVEAL | REVEAL banker | SETTLED | HOLD | CUT | EMPTY | SEATS 1 | BURN 1 | XX
    ?? | VOID supervisor | VOID foreign_card | LOST shoe | BACK shoe | RESTART | TIMER bets | TIMER decisions
    TIMER review | RESULT banker | SHUFFLE-FAILED jam | SHUFFLED 1
"""
MISHAPS = [key.strip() for line in KEYS.strip().splitlines() for key in line.split("|")]


@dataclass
class Found:
    """What a search has seen."""

    states: int = 0
    events: int = 0
    mishaps: int = 0
    whole: bool = True
    """Every state within the bound was looked at, and not only so many as were allowed."""
    longest_way_out: int = 0
    phases: set[str] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)


def search(table: str, *, mishaps: int, states: int = 10_000_000) -> Found:
    """All states of a table that so many mishaps reach, but at most so many states."""
    found, start = Found(), talk(table).state
    nearest: dict[Key, int] = {key_of(start): 0}
    done: set[Key] = set()
    rescued: dict[Key, int] = {}
    queue = deque([(0, start)])
    while queue:
        cost, now = queue.popleft()
        key = key_of(now)
        if key in done:
            continue
        done.add(key)
        look_at(now, found)
        found.mishaps = max(found.mishaps, cost)
        found.longest_way_out = max(found.longest_way_out, way_out(now, rescued))
        if is_beyond(now):
            continue
        for price, event in moves(now, with_mishaps=cost < mishaps):
            then = step(now, *event)
            found.events += 1
            reached = key_of(then)
            if cost + price >= nearest.get(reached, mishaps + 1):
                continue
            if reached not in nearest and len(nearest) >= states:
                found.whole = False
                continue
            nearest[reached] = cost + price
            (queue.append if price else queue.appendleft)((cost + price, then))
    found.states = len(done)
    return found


def step(state: State, event: AnyEvent, stamp: Stamp = STAMP) -> State:
    """The state after an event; the messages on the way must fit both states."""
    table, effects = Table(1, state).apply(event, stamp)
    assert table.state is not None
    check_edge(state, table.state, effects)
    return table.state


def check_edge(before: State, after: State, effects: tuple[Effect, ...]) -> None:
    """What one event may say, given where the round stood."""
    said = [effect for effect in effects if isinstance(effect, Say)]
    names = [say.message.name for say in said]
    assert [say.sequence for say in said] == list(range(before.said + 1, after.said + 1)), "a gap"
    check_phases(before.phase, names, after.phase)
    if "round.opened" in names:
        assert not before.in_round, "a round opened in a round"
        ended = names[: names.index("round.opened")].count("table.resumed")
        assert ended >= len(before.holds), "a round opened in a hold"
        assert ("round.final" in names) == (before.phase == "settled"), (
            "a round that neither is final nor void"
        )
    else:
        assert "round.final" not in names
    if "round.result" in names:
        assert after.round is not None
        assert after.round.void is None
        told = names[names.index("round.result") :].count("table.held")
        assert told >= len(after.holds), "a result in a hold"
    if "round.void" in names:
        assert before.voidable or "round.opened" in names
        assert after.phase == "idle"
        assert after.round is not None
        assert after.round.result is None, "paid and refunded"
    if "round.settled" in names:
        assert "round.result" in names or before.phase == "result"


def look_at(state: State, found: Found) -> None:
    """What must be true of every state."""
    found.phases.add(state.phase)
    found.reasons |= {hold.reason for hold in state.holds}
    check_places(state)
    check_quiet(state)
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(display(state)))
    if state.round is None or not state.round.revision:  # else the cards were revealed once already
        check_secrecy(state, Heard(retained={"display": shown}), set())


def way_out(state: State, rescued: dict[Key, int]) -> int:
    """How many keys lead to the next open round; every state on the way is known from then on."""
    path: list[Key] = []
    now = state
    for _ in range(30):
        key = key_of(now)
        if key in rescued:
            break
        if now.phase == "betting" and not now.holds and now is not state:
            rescued[key] = 0
            break
        path.append(key)
        for event in rescuing(now):
            now = step(now, event)
    else:
        raise AssertionError(f"no way out of {state.phase}, holds {[hold.reason for hold in state.holds]}")
    for away, passed in enumerate(reversed(path), rescued[key] + 1):
        rescued.setdefault(passed, away)
    return rescued[key_of(state)]


def rescuing(state: State) -> Iterable[AnyEvent]:
    """The next key of somebody who wants the next round."""
    if state.lost:
        return told(f"BACK {state.lost[0]}")
    if state.holds:
        doubt = state.holds[-1].reason == "shuffle_doubt"
        return told(shuffled(state) if doubt else "CLEAR void")
    if state.in_round:
        return told("VOID supervisor")
    shoe = state.shoe
    if shoe is None or is_used(state, shoe):
        return told(shuffled(state))
    return told(next_card(state) if state.exposed else "OPEN")


def is_used(state: State, shoe: Shoe) -> bool:
    """Whether a round may not open from this shoe, or nobody would want it to."""
    return awaits_shuffle(state) or bool(
        shoe.drawn or shoe.unusable or shoe.burns_pending or shoe.rounds_left == 0
    )


def told(text: str) -> list[AnyEvent]:
    """Events of short notation."""
    return [decode_event(msgspec.json.encode({"at": AT, **event}))[0] for event in events_of(text)]


def is_beyond(state: State) -> bool:
    """More cards than there are, or more waits than tells anything new."""
    shoe = state.shoe
    out = len(shoe.drawn) + len(shoe.expected) if shoe is not None else 0
    waiting = sum(len(hold.waiting) + len(hold.events) for hold in state.holds)
    return (
        len(state.holds) > MOST_WAITING
        or waiting > MOST_WAITING
        or (shoe is not None and out > shoe.total + 1)
    )


def moves(state: State, *, with_mishaps: bool) -> Iterator[tuple[int, tuple[AnyEvent, Stamp]]]:
    """What may happen next: 0 for what should, 1 for a mishap."""
    for event in told("; ".join(proper(state))):
        yield 0, (event, STAMP)
    if with_mishaps:
        for event in told("; ".join(mishaps_of(state))):
            yield 1, (event, STAMP)
        for event in told("OPEN; SETTLED; 8S; VOID supervisor; CLEAR continue"):
            yield 1, (event, FAULT)


def proper(state: State) -> list[str]:
    """What a good dealer does next; in a hold, whatever a supervisor may choose."""
    hold, shoe = state.hold, state.shoe
    if hold is not None and hold.reason == "shuffle_doubt" and shoe is not None:
        return [shuffled(state), f"COUNT {shoe.total}", "CLEAR continue", "CLEAR accept by hand"]
    if hold is not None:
        entry = [f"ENTER {next_card(state)}"] if hold.reason == "card_unread" and shoe is not None else []
        return [*entry, *(f"CLEAR {choice}" for choice in choices_of(state, hold))]
    if state.lost:
        return [f"BACK {state.lost[0]}"]
    if state.awaits_book:
        return ["BOOK"]
    if shoe is not None and (state.burns_due or shoe.burn_count_pending or state.phase == "dealing"):
        return [next_card(state)]
    steps = {"betting": "CLOSE", "decision": "DECIDED", "reveal": "REVEAL", "result": "SETTLED"}
    if state.phase == "betting" and len(game_in(state).seat_numbers) > 1:
        return [steps["betting"], "SEATS 2"]
    if state.in_round:
        return [steps[state.phase]]
    fresh = f"SHOE {len(game_of(state.configuration).deck)}"
    return [fresh if shoe is None or is_used(state, shoe) else "OPEN"]


def mishaps_of(state: State) -> list[str]:
    """Every key, and cards that are right, wrong, foreign or unread."""
    total = len(game_of(state.configuration).deck)
    found = [*MISHAPS, f"SHOE {total}", f"SHOE {total - 1}", f"COUNT {total}", f"COUNT {total - 1}"]
    if state.configuration.round.await_book is not None:
        found += ["BOOK", "TIMER book"]
    if state.shoe is not None:
        card = next_card(state)
        out = [drawn.card for drawn in state.shoe.drawn if drawn.card is not None]
        rest = [one for one in game_of(state.configuration).deck if one not in (*out, card)]
        found += [card, f"ENTER {card}", *rest[-1:], *out[-1:], *(f"RETURN {one}" for one in out[-1:])]
    return found


def key_of(state: State) -> Key:
    """The state without the names that make no difference."""
    shoe, round_ = state.shoe, state.round
    same_shoe = shoe is not None and round_ is not None and round_.shoe_id == shoe.id
    return msgspec.json.encode(
        [
            state.phase,
            None if round_ is None else [same_shoe, *laid_of(state)],
            None
            if shoe is None
            else [
                shoe.unusable,
                shoe.shuffled,
                None if shoe.rested is None else shoe.rested.cards,
                shoe.recounted,
                shoe.rounds_left,
                shoe.burns_pending,
                state.burns_due,
                shoe.noted,
                sorted(str(drawn.card) for drawn in shoe.drawn),
                [drawn.card for drawn in shoe.expected],
            ],
            [hold_of(state, hold) for hold in state.holds],
            book_of(state),
            None if state.reserved is None else state.reserved.card,
            {name: rested.ok for name, rested in state.resting.items()},
            state.seats,
            state.lost,
            state.light,
            [timer.name for timer in state.timers],
        ]
    )


def laid_of(state: State) -> list[object]:
    """What makes a difference of a round; one that is over makes none but by its name on the ledger."""
    round_ = state.round
    if round_ is None or not state.voidable:
        return []
    return [
        [(laid.position, laid.drawn.card, is_turned_up(round_.revealed, laid)) for laid in round_.laid],
        [drawn.card for drawn in round_.aside],
        0 if state.shoe is None else len(state.shoe.doubled),
        round_.seats,
        round_.betting_round,
        round_.decided,
        round_.paid,
        round_.result is None,
        round_.withdrawn is None,
        round_.opinion is None,
    ]


def book_of(state: State) -> list[object]:
    """What makes a difference of bets that are kept elsewhere."""
    book = None if state.round is None else state.round.book
    if book is None:
        return []
    waiting = [card.drawn.draw for hold in state.holds for card in hold.waiting if card.drawn is not None]
    return [book.acknowledged, book.closed_at is None, *map(book.is_early, waiting)]


def hold_of(state: State, hold: Hold) -> list[object]:
    """What makes a difference of a hold."""
    return [
        hold.reason,
        hold.round is None,
        state.shoe is not None and hold.shoe == state.shoe.id,
        sorted({finding.code for finding in hold.findings}),
        [card.card for card in hold.items],
        [None if item.drawn is None else item.drawn.card for item in hold.waiting],
        None if hold.entered is None else hold.entered.card,
        bool(hold.returned),
        len(hold.events),
    ]
