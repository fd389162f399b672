"""What goes wrong beside the felt: machine, disk, broker, consumers, cables.

Each ends by itself or is mended a few seconds later, and none excuses a wrong result.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.simulation.plan import Fault
from tests.simulation.stack_cables import NOISE, SPOILS
from tests.simulation.stack_consumer import MOODS
from tests.simulation.stack_desk import StackDesk
from tests.simulation.stack_disk import LEFT
from tests.simulation.world import World

StackHappens = Callable[[StackDesk, int], None]
STACK_FAULTS: dict[str, Callable[[World, Fault], None]] = {}
MOST_S = 20
"""So long a fault lasts at most."""


def stack_fault(name: str) -> Callable[[StackHappens], StackHappens]:
    """Enters a fault into the list."""

    def enter(happens: StackHappens) -> StackHappens:
        def at_the_desk(world: World, fault: Fault) -> None:
            desk = world.desk
            assert isinstance(desk, StackDesk)
            happens(desk, fault.value)
            world.hear(desk.told())

        STACK_FAULTS[name] = at_the_desk
        return happens

    return enter


def lasts_s(value: int) -> float:
    """How long a fault of this number lasts."""
    return 1.0 + value % MOST_S


# Machine and disk


@stack_fault("machine dies")
def _(desk: StackDesk, value: int) -> None:
    desk.table.die(LEFT[value % len(LEFT)])


@stack_fault("dies at a write")
def _(desk: StackDesk, value: int) -> None:
    desk.table.left = LEFT[value % len(LEFT)]
    desk.table.disk.dies_in = value // 3 % 40


@stack_fault("dies at a word")
def _(desk: StackDesk, value: int) -> None:
    desk.table.left = LEFT[value % len(LEFT)]
    desk.table.dies_in = value // 3 % 25


@stack_fault("disk full")
def _(desk: StackDesk, value: int) -> None:
    disk = desk.table.disk
    disk.full = True

    def freed() -> None:
        disk.full = False

    desk.floor.later(lasts_s(value), freed)


@stack_fault("disk slow")
def _(desk: StackDesk, value: int) -> None:
    disk, now = desk.table.disk, desk.floor.now
    disk.slow = lambda: now.let_pass(0.2 + value % 40 / 10)

    def quick() -> None:
        disk.slow = None

    desk.floor.later(lasts_s(value), quick)


# Broker and consumers


@stack_fault("broker cuts")
def _(desk: StackDesk, value: int) -> None:
    desk.floor.broker.cut()


@stack_fault("broker cuts soon")
def _(desk: StackDesk, value: int) -> None:
    desk.floor.broker.cuts_in = value % 12


@stack_fault("broker gone")
def _(desk: StackDesk, value: int) -> None:
    broker = desk.floor.broker
    broker.vanish(forget=value % 2 == 0)
    desk.floor.later(lasts_s(value), broker.come_back)


@stack_fault("broker stalls")
def _(desk: StackDesk, value: int) -> None:
    broker = desk.floor.broker
    broker.stall()
    desk.floor.later(lasts_s(value), broker.go_on)


@stack_fault("broker forgets")
def _(desk: StackDesk, value: int) -> None:
    broker = desk.floor.broker
    broker.vanish(forget=True)
    broker.come_back()


@stack_fault("consumer errs")
def _(desk: StackDesk, value: int) -> None:
    for settler in desk.settlers[value % 2 :]:
        settler.mood = MOODS[value // 2 % len(MOODS)]


@stack_fault("consumer away")
def _(desk: StackDesk, value: int) -> None:
    for settler in desk.settlers[value % 2 :]:
        settler.leave()
        desk.floor.later(lasts_s(value), settler.come)


@stack_fault("consumer forgets")
def _(desk: StackDesk, value: int) -> None:
    for settler in desk.settlers[value % 2 :]:
        settler.forget(1 + value % 40)


@stack_fault("strange words")
def _(desk: StackDesk, value: int) -> None:
    """Somebody says what nobody should on the table's topics."""
    said: tuple[tuple[str, object, bool], ...] = (
        ("commands/resend", {"id": "x", "expires": "2026-03-01T00:00:00Z", "sequence": 1}, False),
        ("commands/resend", {"id": "x", "expires": "2026-03-02T00:00:00Z", "sequence": 10**9}, True),
        ("commands/snapshot", "nothing", False),
        ("commands/void", {"id": "x"}, False),
        ("acks/nobody", {"epoch": 1, "sequence": 1}, True),
        ("acks/settlement", {"epoch": 1, "sequence": 1 << 40}, True),
        ("status", {"state": "offline"}, True),
        ("alerts/old", {"id": "old"}, True),
    )
    topic, payload, retain = said[value % len(said)]
    desk.floor.broker.publish(f"{desk.base}/{topic}", json.dumps(payload).encode(), retain=retain)


# Cables


@stack_fault("line spoilt")
def _(desk: StackDesk, value: int) -> None:
    """What the panel or the shoe says next is spoilt; of a shoe that says a card once it would be a reader's
    error.
    """
    guarded = desk.drawn.core.shoe_numbered and value % 3 > 0
    device: Any = desk.table.shoe if guarded else desk.table.panel
    spoil = SPOILS[value // 3 % len(SPOILS)]
    if device is desk.table.panel and spoil in ("twice", "cut short"):
        spoil = "lost"  # a person does not press twice by a line's fault, and ends no line that is open
    device.terminal.spoils.append(spoil)


@stack_fault("line deaf")
def _(desk: StackDesk, value: int) -> None:
    for cable in desk.table.cables:
        cable.deaf = value % 3


@stack_fault("line noise")
def _(desk: StackDesk, value: int) -> None:
    cables = desk.table.cables
    cables[value % len(cables)].disturb(NOISE * (1 + value % 5) + b"\n" * (value // 7 % 2))


@stack_fault("cable pulled")
def _(desk: StackDesk, value: int) -> None:
    """A cable is pulled, and put in again; every third time into another device."""
    cables = desk.table.cables
    cable = cables[value % len(cables)]
    cable.unplug()
    device = cable.device + (value % 3 == 0)
    desk.floor.later(lasts_s(value), lambda: cable.plug(device))
