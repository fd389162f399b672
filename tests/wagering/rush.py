"""Four tables, a service, and as many players as one likes who all bet in the last second."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drivers.bee_tek.simulator import SimulatedBeeTek
from tests.harness.broker import Broker
from tests.harness.dealer import Dealer
from tests.harness.house import WholeTable, table
from tests.wagering.crowd import Line, Screen, sit, until
from tests.wagering.service import Service

BALANCE = 1_000_000
STAKE = 100


@dataclass
class Floor:
    """Tables, each with its dealer, and the service that takes their bets; player n sits at n % tables."""

    service: Service
    tables: list[WholeTable]
    dealers: list[Dealer]
    players: list[str]
    books: Path
    screens: list[Screen] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    def at(self, number: int) -> int:
        """The table of a player."""
        return number % len(self.tables)

    async def sit(self) -> list[asyncio.Transport]:
        """Everybody sits down."""
        transports = []
        for number, player in enumerate(self.players):
            path = f"/api/v1/tables/north/{self.at(number)}/stream"
            transport, screen = await sit(self.service.port, player, path)
            transports.append(transport)
            self.screens.append(screen)
            self.lines.append(Line(self.service.port, player))
        return transports

    async def every(self, *words: str) -> None:
        """A key at every table, at the same time."""
        await asyncio.gather(*(asyncio.to_thread(dealer.must, *words) for dealer in self.dealers))

    async def open(self) -> tuple[list[str], list[float]]:
        """Open bets everywhere; the rounds, and for each seat the seconds from the key to its screen."""

        async def press(dealer: Dealer) -> float:
            at_s = time.time()
            await asyncio.to_thread(dealer.must, "OPEN")
            return at_s

        pressed_s = await asyncio.gather(*map(press, self.dealers))
        rounds = [opened(one) for one in self.tables]
        shown = [(screen.seen, self.at(number)) for number, screen in enumerate(self.screens)]
        await until(
            lambda: all(rounds[at] in seen for seen, at in shown), "every screen shows that bets are open"
        )
        return rounds, [seen[rounds[at]] - pressed_s[at] for seen, at in shown]

    async def bet(self, number: int, round_: str, name: str) -> tuple[int, Any, float]:
        """A bet of a player on the player's hand."""
        body = {"id": name, "round": round_, "bets": [{"spot": "player", "stake": STAKE}]}
        return await self.lines[number].post(f"/api/v1/tables/north/{self.at(number)}/bets", body)

    async def last_second(self, rounds: list[str], dice: random.Random) -> list[tuple[int, Any, float]]:
        """Every player bets at some moment of a second, at whose end bets close everywhere; the answers."""

        async def late(number: int) -> tuple[int, Any, float]:
            await asyncio.sleep(dice.random())
            return await self.bet(number, rounds[self.at(number)], f"late-{rounds[self.at(number)]}")

        bets = [asyncio.create_task(late(number)) for number in range(len(self.players))]
        await asyncio.sleep(0.9)
        await self.every("CLOSE")
        return list(await asyncio.gather(*bets))

    async def void(self) -> None:
        """Annul the rounds: everybody has what was staked."""
        for words in (("KEY", "boss"), ("VOID", "supervisor"), ("NOKEY",)):
            await self.every(*words)


def opened(made: WholeTable) -> str:
    """The round that runs at a table."""
    told = [json.loads(body) for body in made.messages()]
    return str([one["data"]["round"] for one in told if one["type"] == "dealertable.round.opened.v1"][-1])


def half_taken(floor: Floor, rounds: list[str], answers: list[tuple[int, Any, float]]) -> list[str]:
    """What was answered to be taken and is not in the books once, or is there and was not; what was answered
    otherwise than as taken or as too late."""
    wrong = [str(body) for status, body, _ in answers if status not in (201, 409)]
    taken = sorted(bet["id"] for status, body, _ in answers if status == 201 for bet in body["bets"])
    marks = ",".join("?" * len(rounds))
    with closing(sqlite3.connect(floor.books)) as books:
        there = "SELECT id FROM bets WHERE call LIKE 'late-%' AND round IN"
        kept = sorted(name for (name,) in books.execute(f"{there} ({marks})", rounds))
        paid = "SELECT bet FROM lines WHERE what = 'stake' AND call LIKE 'late-%' AND amount < 0 AND round IN"
        moved = sorted(name for (name,) in books.execute(f"{paid} ({marks})", rounds))
        [[total]] = books.execute("SELECT sum(amount) FROM lines")
    wrong += [f"{name}: answered {name in taken}, kept {name in kept}" for name in {*taken} ^ {*kept}]
    if not kept == moved == taken:
        wrong.append(f"{len(taken)} were answered, {len(kept)} are kept, {len(moved)} are paid for")
    return wrong if total == 0 else [*wrong, f"the ledger adds up to {total}"]


@contextmanager
def floor_of(folder: Path, players: int, tables: int) -> Iterator[Floor]:
    """All of it, at work, with a shoe loaded at each table."""
    names = [f"p{number}" for number in range(players)]
    books = folder / "books.db"
    for name in names:
        (folder / f"{name}.token").write_text(f"token-of-{name}\n")
    more: dict[str, object] = {
        "tables": [{"site": "north", "id": str(number)} for number in range(tables)],
        "players": [{"name": name, "token_file": f"{name}.token", "balance": BALANCE} for name in names],
    }
    with ExitStack() as stack:
        broker = stack.enter_context(Broker(folder / "broker"))
        made = []
        for number in range(tables):
            (place := folder / f"table-{number}").mkdir()
            shoe, given = SimulatedBeeTek(place / "shoe"), {"table": {"id": str(number)}}
            made.append(stack.enter_context(table(place, broker, shoe, given)))
            made[-1].daemon.start()
        service = stack.enter_context(Service(folder, broker.port, f"sqlite:///{books}", more))
        dealers = [Dealer(one, random.Random(number)) for number, one in enumerate(made)]
        for dealer in dealers:
            dealer.load()
        yield Floor(service, made, dealers, names, books)
