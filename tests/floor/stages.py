"""The stages of ``make floor``: who stands on the floor, who dies, and what is counted at the end."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tests.floor.brokers import Brokers, Mosquitto, Rabbit
from tests.floor.catching_up import catch_up
from tests.floor.counting import Counted, counted, rows_of
from tests.floor.daemons import RealTables
from tests.floor.material import messages_per_round
from tests.floor.needs import LACKS, missing, shown_late
from tests.floor.pair import Pair
from tests.floor.process import EPOCH, Tables
from tests.floor.rights import wrong_rights
from tests.recorder.recording import Recorder


class Chosen(NamedTuple):
    """How long and how many."""

    tables: int
    minutes: float
    daemons: int
    backlog_minutes: float
    every_s: float
    seed: int


class Told(msgspec.Struct):
    """What a stage has found."""

    told: dict[str, object]
    well: bool

    def figures(self) -> dict[str, object]:
        return self.told


class Standing:
    """Broker, database and two recorders, all of which may die."""

    def __init__(self, stack: ExitStack, folder: Path, brokers: Brokers) -> None:
        self.brokers = stack.enter_context(brokers)
        self.pair = stack.enter_context(Pair())
        more: dict[str, Any] = {"broker": {"hosts": brokers.hosts}}
        port = int(brokers.hosts[0].rpartition(":")[2])
        self.recorders = [
            stack.enter_context(Recorder(folder, port, self.pair.url, f"recorder{number}", **more))
            for number in (1, 2)
        ]
        self.killed: Counter[str] = Counter()

    def check(self) -> None:
        """Fail where a recorder has ended by itself."""
        for recorder in self.recorders:
            recorder.check()

    def kill(self, victim: str, chance: random.Random) -> None:
        """One of them, and it comes back."""
        if victim == "broker":
            self.brokers.kill(chance)
        elif victim == "primary":
            self.pair.kill_primary()
        else:
            chance.choice(self.recorders).restart()
        self.killed[victim] += 1


@contextmanager
def standing(folder: Path, brokers: Brokers) -> Iterator[Standing]:
    with ExitStack() as stack:
        yield Standing(stack, folder, brokers)


def stage(brokers: type[Mosquitto | Rabbit], times: int) -> Callable[[Path, Chosen], Told]:
    """Tables at 60 rounds an hour, or so many times that."""

    def run(folder: Path, chosen: Chosen) -> Told:
        rounds = 60 * times
        chance = random.Random(chosen.seed)
        with standing(folder, brokers(folder)) as floor, ExitStack() as stack:
            words = ["--tables", str(chosen.tables), "--rounds", str(rounds)]
            words += ["--hosts", ",".join(floor.brokers.hosts), "--seed", str(chosen.seed)]
            if times > 1:
                each = int(chosen.minutes * rounds / 60 * messages_per_round()) + 10
                words += ["--messages", str(each)]
            tables = Tables(folder, f"tests.floor.{'recorded' if times > 1 else 'tables'}", words)
            stack.callback(tables.kill)
            daemons = stack.enter_context(RealTables(folder, floor.brokers.hosts, chosen.daemons))
            tables.wait_ready()
            began_s = time.monotonic()
            next_s = began_s + chosen.every_s
            while time.monotonic() - began_s < chosen.minutes * 60:
                time.sleep(0.2)
                tables.check()
                floor.check()
                if time.monotonic() < next_s:
                    continue
                victim = chance.choice(["broker", "recorder", "primary"] + ["daemon"] * (chosen.daemons > 0))
                if victim == "daemon":
                    daemons.kill(chance)
                    floor.killed[victim] += 1
                else:
                    floor.kill(victim, chance)
                next_s = time.monotonic() + chance.uniform(0.5, 1.5) * chosen.every_s
            took_s = time.monotonic() - began_s
            ends = tables.drain(floor.check)
            said = daemons.finish()
            with floor.pair.connect() as connection:
                found = counted((row for row in rows_of(connection, EPOCH) if row[0] in ends), ends)
                differs = sum(daemons.recorded(connection, name) != bodies for name, bodies in said.items())
            found.broken += differs
            return _told(chosen, rounds, took_s, found, floor.killed)

    return run


def _told(chosen: Chosen, rounds: int, took_s: float, found: Counted, killed: Counter[str]) -> Told:
    return Told(
        {
            "tables": chosen.tables,
            "rounds/h": rounds,
            "minutes": round(took_s / 60, 1),
            "messages": found.messages,
            "a second": round(found.messages / took_s),
            "killed: broker": killed["broker"],
            **{name: killed[name] for name in ("recorder", "primary", "daemon")},
            "lost": found.lost,
            "reordered": found.reordered,
            "doubled": found.doubled,
            "broken": found.broken,
        },
        found.well,
    )


def _catch_up(folder: Path, chosen: Chosen) -> Told:
    each = int(chosen.backlog_minutes * messages_per_round())
    told = catch_up(folder, chosen.tables, each)
    return Told(dict(told), well=told["ratio"] >= 5)


def _rights(folder: Path, _chosen: Chosen) -> Told:
    tried, wrong = wrong_rights(folder)
    return Told({"roles x topics": tried, "wrong rights": wrong}, well=not wrong)


def _needs(folder: Path, _chosen: Chosen) -> Told:
    found = missing(folder)
    lacks = sorted(found["warning"])
    return Told({"lacks": lacks}, well=not found["fault"] and set(lacks) == LACKS and shown_late())


STAGES: dict[str, Callable[[Path, Chosen], Told]] = {
    "mosquitto": stage(Mosquitto, 1),
    "mosquitto, ten times": stage(Mosquitto, 10),
    "catching up": _catch_up,
    "rights at RabbitMQ": _rights,
    "needs at RabbitMQ": _needs,
    "RabbitMQ": stage(Rabbit, 1),
    "RabbitMQ, ten times": stage(Rabbit, 10),
}
