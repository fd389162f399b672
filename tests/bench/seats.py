"""1,000 seats at four tables: how soon every screen shows that bets are open, how soon a click is answered,
and whether 1,000 bets in the last second are each taken whole or refused.

One process of clients (``tests/wagering/crowd.py``) reads all sockets, ours and in the same run those of a
server that does nothing else (``bare_seats.py``); the delays hold what it takes to read them. A screen's
delay is counted from the moment the dealer presses OPEN, before the round is durable.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Protocol

from tests.bench.board import percentile
from tests.bench.streams import processor_s
from tests.bench.timing import Mark, in_words, part_arguments, told
from tests.wagering.crowd import Line, Screen, sit, until
from tests.wagering.rush import Floor, floor_of, half_taken

FRAME_BYTES = 2_500
"""What a seat is sent when bets open: its table, felt, bets and balance."""
CLICKS_S = 8.0
"""Over so long each seat clicks once."""
IDLE_S = 5.0
"""So long is measured what the seats cost when nobody does anything: a beat each second for each of them."""
MOST_TIMES = 20.0
"""Ours may take so many times what the bare server takes: it commits, and makes a picture for each seat."""


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    parser = part_arguments("seats", __doc__)
    parser.add_argument("--seats", type=int, default=1000)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="dealer-table-bench-") as folder,
        floor_of(Path(folder), chosen.seats, chosen.tables) as floor,
        bare_server() as port,
    ):
        marks, figures = asyncio.run(measured(floor, port, chosen.rounds))
    return told(chosen.json, marks, (), **figures)


@contextmanager
def bare_server() -> Iterator[int]:
    """Its port."""
    words = [sys.executable, "-m", "tests.bench.bare_seats", str(FRAME_BYTES)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


async def measured(floor: Floor, port: int, rounds: int) -> tuple[list[Mark], dict[str, object]]:
    """All marks of so many rounds, ours and the bare server's in turn."""
    dice, ours, peer = random.Random(17), Delays(), Delays()
    opening_s: list[float] = []
    clicking_s: list[float] = []
    wrong: list[str] = []
    answered: Counter[int] = Counter()
    async with AsyncExitStack() as stack:
        for transport in await floor.sit():
            stack.callback(transport.close)
        for one in floor.lines:
            stack.push_async_callback(one.close)
        bare = await bare_seats(port, len(floor.players), stack)
        service = floor.service.pid
        idle = await idle_share(service)
        for number in range(rounds):
            spent_s = processor_s(service)
            opened, delays_s = await floor.open()
            opening_s.append(processor_s(service) - spent_s)
            ours.note(delays_s, await clicks(Clicking(floor, opened, f"click-{number}"), dice))
            clicking_s.append(processor_s(service) - spent_s - opening_s[-1])
            peer.note(await bare.tell(), await clicks(bare, dice))
            answers = await floor.last_second(opened, dice)
            answered.update(status for status, _, _ in answers)
            wrong += half_taken(floor, opened, answers)
            await floor.void()
    print(*wrong[:10], sep="\n")
    bets, seats = sum(answered.values()), len(floor.players)
    print(
        f"processor time of the service: {in_words(median(opening_s))} when bets open for {seats} seats,"
        f" {in_words(median(clicking_s) / seats)} for a click, the beats of all seats in both, which take"
        f" {in_words(idle)} a second;"
        f" of {bets} bets in the last second {answered[201]} were taken, {answered[409]} refused;"
        f" load {os.getloadavg()[0]:.0f}"
    )
    marks = [
        beside("OPEN to a screen, p50", ours.screens_s, peer.screens_s, 50),
        beside("OPEN to a screen, p99", ours.screens_s, peer.screens_s, 99),
        beside("OPEN to the last screen, median", ours.last_s, peer.last_s, 50),
        beside("click to answer, p50", ours.clicks_s, peer.clicks_s, 50),
        beside("click to answer, p99", ours.clicks_s, peer.clicks_s, 99),
        Mark("bets of the last second not as answered", str(len(wrong)), f"of {bets}", len(wrong), 0, False),
    ]
    return marks, {"last_second": {str(status): times for status, times in answered.items()}}


async def idle_share(pid: int) -> float:
    """Seconds of processor a second while nobody does anything."""
    await asyncio.sleep(IDLE_S)  # until all have sat down, and were told
    spent_s = processor_s(pid)
    await asyncio.sleep(IDLE_S)
    return (processor_s(pid) - spent_s) / IDLE_S


@dataclass
class Delays:
    """Seconds, of all rounds."""

    screens_s: list[float] = field(default_factory=list)
    last_s: list[float] = field(default_factory=list)
    clicks_s: list[float] = field(default_factory=list)

    def note(self, screens_s: list[float], clicks_s: list[float]) -> None:
        """Those of one round."""
        self.screens_s += screens_s
        self.last_s.append(max(screens_s))
        self.clicks_s += clicks_s


def beside(what: str, ours_s: list[float], peer_s: list[float], part: int) -> Mark:
    """Ours against the bare server's."""
    ours, peer = (percentile(sorted(one), part) for one in (ours_s, peer_s))
    return Mark(what, in_words(ours), in_words(peer), ours / peer, MOST_TIMES, at_least=False)


class Clicks(Protocol):
    """Seats of one kind."""

    @property
    def seats(self) -> int:
        """How many."""

    async def click(self, number: int) -> tuple[int, object, float]:
        """Of one seat: status, answer and seconds."""


async def clicks(on: Clicks, dice: random.Random) -> list[float]:
    """Each seat clicks once, at some moment; the seconds to each answer."""

    async def one(number: int) -> float:
        await asyncio.sleep(dice.random() * CLICKS_S)
        status, answer, took_s = await on.click(number)
        assert status == 201, answer
        return took_s

    return list(await asyncio.gather(*(one(number) for number in range(on.seats))))


@dataclass
class Clicking:
    """Ours: a bet for each click."""

    floor: Floor
    rounds: list[str]
    name: str

    @property
    def seats(self) -> int:
        return len(self.floor.players)

    async def click(self, number: int) -> tuple[int, object, float]:
        return await self.floor.bet(number, self.rounds[self.floor.at(number)], self.name)


@dataclass
class BareSeats:
    """The bare server's streams and lines."""

    screens: list[Screen]
    lines: list[Line]
    told: int = 0

    @property
    def seats(self) -> int:
        return len(self.screens)

    async def click(self, number: int) -> tuple[int, object, float]:
        return await self.lines[number].post("/bets", {"bets": []})

    async def tell(self) -> list[float]:
        """Let every stream hear; the seconds to each."""
        await self.lines[0].post("/tell", {})
        self.told += 1
        await until(lambda: all(len(one.seen) == self.told for one in self.screens), "every stream hears")
        return [at_s - float(told) for one in self.screens for told, at_s in list(one.seen.items())[-1:]]


async def bare_seats(port: int, number: int, stack: AsyncExitStack) -> BareSeats:
    """As many as there are of ours."""
    bare = BareSeats([], [])
    for place in range(number):
        transport, screen = await sit(port, str(place), "/stream", b"tell")
        stack.callback(transport.close)
        bare.screens.append(screen)
        bare.lines.append(Line(port, str(place)))
        stack.push_async_callback(bare.lines[-1].close)
    return bare


if __name__ == "__main__":
    raise SystemExit(main())
