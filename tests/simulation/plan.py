"""What goes wrong, and when: a small list that is drawn once, printed, thinned out and repeated.

Every other choice of a simulated history comes from dice of its own, named by what they decide and where, so
that the rest of a history stays as it is when a fault is left out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.simulation.drawing import Drawn, draw_configuration

PHASES = ("idle", "betting", "dealing", "decision", "reveal", "result", "settled", "hold")
"""Where a fault can come."""


@dataclass(frozen=True, order=True)
class Fault:
    """Something that goes wrong: in which round (0: before the first), at which act, what, and a number from
    which it takes its details."""

    round: int
    act: int
    """Of the round, or of the phase where there is one."""
    kind: str
    value: int = 0
    phase: str = ""
    """Only in this phase."""

    def __str__(self) -> str:
        return f"{self.kind} in round {self.round} at act {self.act} of {self.phase or 'it'} ({self.value})"


@dataclass(frozen=True)
class Plan:
    """One history: a table, how many rounds, and what goes wrong in them."""

    seed: int
    rounds: int
    drawn: Drawn
    faults: tuple[Fault, ...] = ()

    def dice(self, what: str, *where: object) -> random.Random:
        """Dice for one purpose at one place of the history."""
        return random.Random(f"{self.seed}/{what}/{where}")

    def without(self, *faults: Fault) -> Plan:
        """The same history in which these do not happen."""
        return replace(self, faults=tuple(fault for fault in self.faults if fault not in faults))


class Schedule:
    """Which faults of a plan are due, act by act."""

    def __init__(self, plan: Plan) -> None:
        self._waiting = list(plan.faults)
        self._round = 0
        self._acts: Counter[str] = Counter()
        """Acts of the round in each phase."""

    def due(self, number: int, phase: str, acts: int) -> list[Fault]:
        """What goes wrong now; ``number``: of the round, which is in this phase after so many acts."""
        if self._round != number:
            self._round = number
            self._acts.clear()
        self._acts[phase] += 1
        due, later = [], []
        for fault in self._waiting:
            reached = self._acts[phase] - 1 if fault.phase else acts
            if fault.round == number and fault.phase in ("", phase) and fault.act <= reached:
                due.append(fault)
            elif fault.round >= number:
                later.append(fault)
        self._waiting = later
        return due


def draw_plan(seed: int, kinds: Sequence[str], rounds: int = 16, game: str | None = None) -> Plan:
    """A history from a seed; rounds without any fault stand between those with some."""
    dice = random.Random(f"{seed}/plan")
    drawn = draw_configuration(dice, game)
    often = dice.choice((0.3, 0.8, 2.0))
    faults = []
    for number in range(rounds + 1):
        while dice.random() < often / (1 + often):
            phase = dice.choice(PHASES) if dice.random() < 0.7 else ""
            act = min(dice.randrange(6), dice.randrange(6)) if phase else dice.randrange(24)
            faults.append(Fault(number, act, dice.choice(kinds), dice.randrange(1 << 16), phase))
            if phase == "hold":  # something has to hold the table before
                faults.append(Fault(number, dice.randrange(3), "key HOLD", 0, dice.choice(PHASES[1:6])))
    return Plan(seed, rounds, drawn, tuple(sorted(faults)))
