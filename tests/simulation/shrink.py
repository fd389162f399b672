"""A failing history made small: fewer faults, rounds and settings, as long as it fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.simulation.drawing import FIXED, fits, replace_devices
from tests.simulation.plan import Fault, Plan

SEEDS = 6
Fails = Callable[[Plan], bool]
"""Whether a plan still fails as the first one did."""


def shrink(plan: Plan, fails: Fails, tries: int = 400) -> Plan:
    """The smallest plan that is found in so many tries."""
    left = [tries]

    def smaller(candidates: Iterator[Plan], best: Plan) -> Plan | None:
        for candidate in candidates:
            if left[0] <= 0:
                return None
            left[0] -= 1
            if candidate != best and fails(candidate):
                return candidate
        return None

    best = plan
    while True:
        for step in (fewer_faults, fewer_rounds, earlier, plainer, simpler):
            found = smaller(step(best), best)
            if found is not None:
                best = found
                break
        else:
            return best


def fewer_faults(plan: Plan) -> Iterator[Plan]:
    """Without half of the faults, a quarter, ... one."""
    size = len(plan.faults)
    while size:
        for start in range(0, len(plan.faults), size):
            yield plan.without(*plan.faults[start : start + size])
        size //= 2


def fewer_rounds(plan: Plan) -> Iterator[Plan]:
    """Ended earlier."""
    last = max((fault.round for fault in plan.faults), default=0)
    for rounds in sorted({0, 1, 2, last, last + 1, last + 2, plan.rounds // 2, plan.rounds - 1}):
        if 0 <= rounds < plan.rounds:
            yield replace(plan, rounds=rounds)


def earlier(plan: Plan) -> Iterator[Plan]:
    """With the same faults in earlier rounds."""
    first = min((fault.round for fault in plan.faults), default=0)
    for back in sorted({first, first - 1, first // 2, 1}, reverse=True):
        if 0 < back <= first:
            faults = tuple(replace(fault, round=fault.round - back) for fault in plan.faults)
            for other in range(SEEDS):  # the cards of an earlier round are others: several decks are tried
                seed = plan.seed + other
                yield replace(plan, seed=seed, faults=faults, rounds=max(0, plan.rounds - back))
    for fault in plan.faults:
        others = tuple(one for one in plan.faults if one is not fault)
        if fault.round > 1:
            moved: Fault = replace(fault, round=fault.round - 1)
            yield replace(plan, faults=tuple(sorted((*others, moved))))


def plainer(plan: Plan) -> Iterator[Plan]:
    """With one setting fewer, or one device."""
    drawn = plan.drawn
    for room, keys in drawn.values.items():
        for key in keys:
            if key in ("name", "layout") or key in FIXED.get(room, {}):
                continue
            values = {**drawn.values, room: {name: value for name, value in keys.items() if name != key}}
            if fits(values):
                yield replace(plan, drawn=replace_devices(replace(drawn, values=values)))
    for name in ("beam", "second", "shuffler"):
        if getattr(drawn, name):
            yield replace(plan, drawn=replace_devices(drawn, **{name: False}))
    if not drawn.core.shoe_numbered:
        yield replace(plan, drawn=replace_devices(drawn, numbered=True))


def simpler(plan: Plan) -> Iterator[Plan]:
    """With simpler details of one fault."""
    for fault in plan.faults:
        others = tuple(one for one in plan.faults if one is not fault)
        for value in sorted({0, 1, 2, fault.value // 2, fault.value % 32}):
            if value < fault.value:
                yield replace(plan, faults=tuple(sorted((*others, replace(fault, value=value)))))
