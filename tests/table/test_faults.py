"""An exception in any call of games, shoe or round costs at most the running round, also after a restart.

Python's own trace makes the n-th call of a function fail, so every function that a session calls has its
turn.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy, deepcopy
from functools import cache
from inspect import CO_GENERATOR
from itertools import accumulate
from types import CodeType, FrameType

import pytest

from controller.table import Table
from controller.vocabulary.codec import canonical
from tests.scenarios.conversation import Conversation, Json, configuration_of, events_of, name_of
from tests.scenarios.onlooker import STATES, Onlooker
from tests.scenarios.rescue import finish, rescue

SESSIONS = {
    "2-card-action layout=C": """
        SHOE 416; OPEN; CLOSE; 8S 5C; 9H; CLEAR return; SETTLED; OPEN; CLOSE; 9H; ??; ENTER 2D; CLEAR enter
        RETURN 2D; 2D; CUT; SETTLED; OPEN; 7S; CLEAR accept; 4D; SETTLED
        SHOE 416; OPEN; CLOSE; KC KD; SETTLED
    """,
    "two-cards-high seats=1": """
        SHOE 40; OPEN; CLOSE; 5S 2H 3D AC; HOLD; 2C; CLEAR continue; TH 7S TD 8C 9C; REVEAL; SETTLED
        SHUFFLED 40; OPEN; CLOSE; 5S 2H 3D AC 2C TH 7S TD 8C
        LOST shoe; BACK shoe; CLEAR continue; 9C; REVEAL; SETTLED
    """,
    'baccarat odds=live betting_rounds=["deal","first"] round.close=timer round.bets_s=20': """
        SHOE 416; BURN 1; 3H; OPEN; TIMER bets; 2S 7C; TIMER bets; 3D KH 9S; RESULT banker; SETTLED
        COUNT 416; OPEN; TIMER bets; 8S 5C; TIMER bets; KC@banker; CLEAR accept; 2D; SETTLED
    """,
    "casino-holdem round.decision_s=20": """
        SHOE 52; OPEN; CLOSE; AS KS 2H 3H 4C 5C QS JS TS; DECISIONS hand1 play=3; TIMER decisions; 6D 7D
        REVEAL; SETTLED; SHOE 52; OPEN; CLOSE; AS KS 2H 3H 4C 5C QS JS TS; 6D; CLEAR return; DECIDED; 6D 7D
        REVEAL; SETTLED
    """,
}
ROOMS = ("/controller/games/", "/controller/shoe/", "/controller/round/")
ON_THE_WAY_OUT = ("faults.py", "state.py", "turn.py", "holds.py")
"""What the table needs when it has failed already: here a mistake may come once, not for ever."""
OUTSIDE = ("retained", "shown_anyway", "alert_topics")
"""The windows look at a table whose event is committed; what they call may fail, and is then left out."""


class InjectedError(Exception):
    """Stands for any mistake of ours."""


class Saboteur:
    """Makes calls of one function fail: the one numbered ``first``, or all from there to the void.

    ``calls`` are those of the function in each event of the session: the call in question is in the one
    numbered ``begins``. A trace costs more than what it traces, so events go without after a call that fails
    alone.
    """

    def __init__(self, code: CodeType, first: int, calls: Sequence[int], *, for_ever: bool) -> None:
        self.code, self.first, self.for_ever = code, first, for_ever
        reached = list(accumulate(calls))
        self.begins = bisect_left(reached, first)
        self.calls = reached[self.begins] - calls[self.begins]
        self.failed = 0

    def trace(self, frame: FrameType, what: str, _: object) -> None:
        """What Python calls at each call of a function; what it raises is raised there."""
        if what == "call" and frame.f_code is self.code:
            self.calls += 1
            if self.calls == self.first or (self.calls > self.first and self.for_ever):
                self.failed += 1
                raise InjectedError

    def tell(self, conversation: Conversation, event: Json) -> Json:
        """As the loop does: an event on which the table fails is kept with the failure. The event as kept."""
        if self.failed and not self.for_ever:
            conversation.tell(event)
            return event
        number = conversation.number
        try:
            with traced(self.trace):
                conversation.tell(event)
        except InjectedError:
            conversation.number = number
            event = {**event, "fault": "InjectedError"}
            conversation.tell(event)
        return event


@contextmanager
def traced(trace: Callable[[FrameType, str, object], None]) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def events_in(session: str) -> list[Json]:
    return [event for line in session.strip().splitlines() for event in events_of(line)]


def is_ours(code: CodeType) -> bool:
    """A function of the three rooms; a generator fails in the function that it is part of."""
    inside = any(room in code.co_filename for room in ROOMS)
    return inside and code.co_name not in OUTSIDE and not code.co_flags & CO_GENERATOR


def forked(conversation: Conversation) -> Conversation:
    """Another that was the same until now; a table is a value, and shared."""
    other, replay = copy(conversation), conversation.replay
    other.replay = deepcopy(replay, {id(replay.table): replay.table})
    other.stream, other.retained = [*conversation.stream], {**conversation.retained}
    return other


@cache
def played(table: str) -> tuple[dict[CodeType, list[int]], list[Conversation]]:
    """The functions of games, shoe and round that a session calls, and how often in each of its events; and
    the session before each event, and after the last."""
    counts: Counter[CodeType] = Counter()
    each: list[Counter[CodeType]] = []
    until: list[Conversation] = []
    every: dict[CodeType, None] = {}

    def count(frame: FrameType, what: str, _: object) -> None:
        if what == "call" and is_ours(frame.f_code):
            counts[frame.f_code] += 1

    conversation = Conversation(configuration_of(table))
    for event in events_in(SESSIONS[table]):
        until.append(forked(conversation))
        with traced(count):
            conversation.tell(event)
        each.append(counts.copy())
        every |= dict.fromkeys(counts)
        counts.clear()
    return {code: [event[code] for event in each] for code in every}, [*until, conversation]


def results_of(conversation: Conversation) -> list[object]:
    """What was paid on: hands and outcome of every result, in order."""
    told = [message["data"] for message in conversation.stream if name_of(message) == "round.result"]
    return [(data["round"], data["hands"], data["outcome"], data["revision"]) for data in told]  # type: ignore[index]


def restart(conversation: Conversation) -> None:
    """Only what a snapshot keeps is left of the table."""
    body = canonical(conversation.replay.table.state)
    conversation.replay.table = Table(1, STATES.decode(body))


def check_fold(table: str, told: list[Json], conversation: Conversation) -> None:
    """The record folds into the same stream, and an onlooker has nothing to say against it."""
    again = Conversation(configuration_of(table), Onlooker(snapshots=False))
    again.tell_all(told)
    assert again.stream == conversation.stream


@pytest.mark.parametrize("table", SESSIONS)
def test_one_failure_and_continue_changes_no_result(table: str) -> None:
    functions, until = played(table)
    events, whole = events_in(SESSIONS[table]), until[-1]
    failures = 0
    for place, (code, calls) in enumerate(functions.items()):
        for first in {1, sum(calls)}:
            saboteur = Saboteur(code, first, calls, for_ever=False)
            conversation, told = forked(until[saboteur.begins]), events[: saboteur.begins]
            for event in events[saboteur.begins :]:
                told.append(saboteur.tell(conversation, event))
                if "fault" in told[-1]:
                    failures += 1
                    restart(conversation)
                    assert conversation.state.holds[-1].reason == "fault", f"{code.co_qualname} {first}"
                    told += events_of("CLEAR continue")
                    conversation.tell(told[-1])
            assert results_of(conversation) == results_of(whole), f"{code.co_qualname} {first}"
            if place % 7 == 0:
                check_fold(table, told, conversation)
    assert failures > 100


@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "for ever"])
@pytest.mark.parametrize("table", SESSIONS)
def test_void_and_a_new_shoe_resume_play(table: str, for_ever: bool) -> None:
    functions, until = played(table)
    events, failures = events_in(SESSIONS[table]), 0
    for place, (code, calls) in enumerate(functions.items()):
        if for_ever and code.co_filename.endswith(ON_THE_WAY_OUT):
            continue
        saboteur = Saboteur(code, 1 + sum(calls) // 2, calls, for_ever=for_ever)
        conversation, told = forked(until[saboteur.begins]), events[: saboteur.begins]
        for event in events[saboteur.begins :]:
            told.append(saboteur.tell(conversation, event))
            if "fault" not in told[-1]:
                continue
            failures += 1
            restart(conversation)
            before = results_of(conversation)
            while conversation.state.holds:
                for key in events_of("CLEAR void"):
                    told.append(saboteur.tell(conversation, key))
                assert len(told) < 200, f"stuck after {code.co_qualname}"
            restart(conversation)
            if place % 7 == 0:
                check_fold(table, told, conversation)
            rescue(conversation)
            finish(conversation)
            names = [name_of(message) for message in conversation.stream]
            assert names.count("round.void") <= 1, f"{code.co_qualname} cost more than the running round"
            assert results_of(conversation)[: len(before)] == before
            break
    assert failures > 50
