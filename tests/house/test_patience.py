"""A test is green on a machine with no time to spare: whatever must come gets the shared patience."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.cli.program import HOUSE
from tests.harness import patience
from tests.harness.patience import LOOK_S, PATIENCE_S, QUIET_S, Patience, patiently

LONG_RUNS = {"machine", "floor", "mutants", "bench", "soak", "plain", "measure"}
"""Rooms that ``make test`` runs little of; they have limits of their own."""
SIMULATED = {"simulation"}
"""Its seconds are those of a clock that it turns itself."""
PLACES = {
    "wait": 0, "join": 0, "result": 0, "settimeout": 0, "answer": 0, "wait_settled": 0, "wait_for_publish": 0,
    "wait_for": 1, "ask": 1, "wait_command": 1,
}  # fmt: skip
"""Calls that wait, and which of their arguments says how long."""
NAMED = {"timeout", "timeout_s", "within_s"}


def limits(tree: ast.AST) -> Iterator[tuple[int, float]]:
    """Line and seconds of each wait whose limit is written as a number."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        said: list[ast.expr] = [word.value for word in call.keywords if word.arg in NAMED]
        if name in PLACES and len(call.args) > PLACES[name]:
            said.append(call.args[PLACES[name]])
        for one in said:
            if isinstance(one, ast.Constant) and isinstance(one.value, int | float):
                yield call.lineno, float(one.value)


def test_a_limit_of_ones_own_is_seen() -> None:
    text = (
        "child.wait(30)\nrun(call, timeout=2.5)\nguard.wait_for(so, 10)\npause.wait(0.01)\nchild.wait(LONG_S)"
    )
    assert [*limits(ast.parse(text))] == [(1, 30), (2, 2.5), (3, 10), (4, 0.01)]


def test_no_test_has_less_patience_than_the_house() -> None:
    found = []
    for path in sorted((HOUSE / "tests").rglob("*.py")):
        room = path.relative_to(HOUSE / "tests").parts[0]
        if room in LONG_RUNS | SIMULATED or "node_modules" in path.parts:
            continue
        found += [
            f"{path.relative_to(HOUSE)}:{line}: {seconds:g} s"
            for line, seconds in limits(ast.parse(path.read_text()))
            if LOOK_S < seconds < PATIENCE_S
        ]
    assert not found, "\n".join(["take PATIENCE_S of tests/harness/patience.py:", *found])


class Machine:
    """A clock that is turned by hand, and processors that are idle for so much of it."""

    def __init__(self, idle: float) -> None:
        self.now_s = 1000.0
        self._idle = idle

    def monotonic(self) -> float:
        return self.now_s

    def idle_s(self) -> float:
        return self.now_s * self._idle


@pytest.mark.parametrize(
    ("idle", "lasts_s"),
    [
        pytest.param(2.0, QUIET_S, id="two idle processors"),
        pytest.param(0.5, 2 * QUIET_S, id="one that is busy for half of the time"),
        pytest.param(0.0, PATIENCE_S, id="no time to spare"),
    ],
)
def test_who_waits_on_a_busy_machine_waits_longer(
    monkeypatch: pytest.MonkeyPatch, idle: float, lasts_s: float
) -> None:
    machine = Machine(idle)
    monkeypatch.setattr(patience, "time", machine)
    monkeypatch.setattr(patience, "idle_s", machine.idle_s)

    def look(seconds: float) -> bool:
        machine.now_s += seconds
        return False

    began_s = machine.now_s
    assert not patiently(look)
    assert machine.now_s - began_s == pytest.approx(lasts_s, abs=2 * LOOK_S)
    waiting = Patience()
    machine.now_s += lasts_s - 2 * LOOK_S
    assert not waiting.over


def test_who_gets_what_was_waited_for_waits_no_longer() -> None:
    given = iter(["", "", "it"])
    assert patiently(lambda _seconds: next(given)) == "it"


def test_the_processors_of_this_machine_are_read() -> None:
    assert 0 <= patience.idle_s() <= patience.idle_s()


def test_pytest_gives_a_test_up_after_its_waits(pytestconfig: pytest.Config) -> None:
    assert float(pytestconfig.getini("timeout")) > PATIENCE_S > QUIET_S
