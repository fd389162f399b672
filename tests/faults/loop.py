"""The fault loop: one game dealt while daemon, broker and consumer are killed and their network is bad."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from controller.outbox.envelope import message_hash
from tests.harness.deals import Deal
from tests.harness.house import BadHouse, bad_house
from tests.harness.patience import PATIENCE_S
from tests.harness.people import Croupier, Dealt
from tests.harness.proxy import FAULTS, Fault

LONGEST_DELAY_S = 0.06
"""From "now it works again" to the next blow."""
EFFECT_S = 15.0
"""So long at most a blow waits until the last one is overcome."""
PACE_S = 0.1
"""A dealer's pause between two rounds, in which nothing of it is awaited."""
VICTIMS = ("daemon", "broker", "consumer")


@dataclass
class Figures:
    """What a loop has seen; everything from ``lost`` on must be 0."""

    game: str
    seed: int
    rounds: int = 0
    results: int = 0
    voids: int = 0
    messages: int = 0
    kills: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VICTIMS, 0))
    faults: dict[Fault, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))
    repeats: int = 0
    """Messages that came again and were dropped."""
    lost: int = 0
    out_of_order: int = 0
    duplicated: int = 0
    wrong: int = 0
    seconds: float = 0.0
    complaints: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether everything arrived once, in order and right."""
        return not (self.lost or self.out_of_order or self.duplicated or self.wrong or self.complaints)


class Villain(threading.Thread):
    """Strikes at moments that only chance knows, when what was struck last works again."""

    def __init__(self, house: BadHouse, people: Croupier, chance: random.Random, kills: int, faults: int):
        super().__init__(name="villain", daemon=True)
        self._house, self._people, self._chance = house, people, chance
        self._plan: list[tuple[str, Fault | None]] = [(victim, None) for victim in (*VICTIMS,) * kills]
        sides = ("daemon", "consumer")
        self._plan += [(sides[n % 2], fault) for fault in FAULTS for n in range(faults)]
        chance.shuffle(self._plan)
        self.kills = dict.fromkeys(VICTIMS, 0)
        self.left = len(self._plan)
        self.now = "nothing yet"
        self.failure: BaseException | None = None
        self._pause = threading.Event()
        self._leave = threading.Event()

    def run(self) -> None:
        try:
            for victim, fault in self._plan:
                self.now = f"{victim}: {fault or 'kill'}"
                self._wait_overcome(victim)
                self._pause.wait(self._chance.uniform(0, LONGEST_DELAY_S))
                if self._leave.is_set():
                    return
                if fault is not None:
                    deaf = self._chance.choice([(True, True), (True, False), (False, True)])
                    self._house.proxies[victim].inflict(fault, deaf=deaf)
                else:
                    self._kill(victim)
                    self.kills[victim] += 1
                self.left -= 1
        except BaseException as failure:
            self.failure = failure

    def leave(self) -> None:
        """Strike no more."""
        self._leave.set()

    def _kill(self, victim: str) -> None:
        if victim == "daemon":
            self._house.daemon.restart()
        elif victim == "consumer":
            self._house.consumer.restart()
        else:
            self._house.broker.kill()
            self._house.broker.start()

    def _wait_overcome(self, victim: str) -> None:
        """A blow at what lies on the ground proves nothing: wait until it stands, within reason."""
        proxies = self._house.proxies
        stands: dict[str, Callable[[], bool]] = {
            "daemon": lambda: self._people.heard_in == self._house.daemon.generation,
            "consumer": lambda: self._house.consumer.has_taken,
            "broker": lambda: all(proxy.carries for proxy in proxies.values()),
        }
        end_s = time.monotonic() + EFFECT_S
        while not stands[victim]() and time.monotonic() < end_s and not self._leave.is_set():
            self._pause.wait(0.01)


def fault_loop(
    folder: Path,
    deal: Deal,
    seed: int,
    *,
    kills: int,
    faults: int,
    tls: bool = False,
    progress: Callable[[str], None] = lambda said: None,
) -> Figures:
    """Deal until each victim was killed ``kills`` times and each fault inflicted ``faults`` times; then see
    that everything arrived. AssertionError where a part stands still or ends. ``tls``: at a broker as a floor
    runs it.
    """
    chance = random.Random(f"{seed} {deal.game}")
    begun_s = told_s = time.monotonic()
    with bad_house(folder, deal, tls=tls) as house:
        people = Croupier(house, chance, deal=deal)
        villain = Villain(house, people, random.Random(f"{seed} {deal.game} villain"), kills, faults)
        villain.start()
        rest = threading.Event()
        try:
            while villain.is_alive():
                people.round()
                rest.wait(PACE_S)
                if time.monotonic() - told_s > 60:
                    told_s = time.monotonic()
                    progress(f"{deal.game}: {len(people.dealt)} rounds, {villain.left} blows to come")
        finally:
            villain.leave()
            villain.join(PATIENCE_S)
        if villain.failure is not None:
            raise AssertionError(f"the villain failed at {villain.now}") from villain.failure
        while not people.round():
            pass  # what was swallowed last shows now
        statuses = {"daemon": house.close_down(), "consumer": house.consumer.stop()}
        figures = examine(house, people, Figures(deal.game, seed, kills=villain.kills))
        figures.complaints += [f"{name} ended with {status}" for name, status in statuses.items() if status]
        logs = {"daemon": house.daemon.log, "consumer": house.consumer.log}
        figures.complaints += [f"{name}: {log[-3000:]}" for name, log in logs.items() if "Traceback" in log]
        for proxy in house.proxies.values():
            for fault, times in proxy.done.items():
                figures.faults[fault] += times
        figures.seconds = time.monotonic() - begun_s
        return figures


def examine(house: BadHouse, people: Croupier, figures: Figures) -> Figures:
    """Hold what the consumer has against the journal and against the cards on the felt."""
    stream, kept, printed = house.messages(), house.consumer.kept(), house.consumer.told()
    figures.messages = len(stream)
    figures.rounds = len(people.dealt)
    figures.lost = len(set(stream) - set(kept))
    figures.wrong += len(set(kept) - set(stream))
    figures.duplicated = len(printed) - len(set(printed))
    figures.out_of_order = sum(later <= sooner for sooner, later in pairwise(printed))
    figures.repeats = house.consumer.log.count("was sent again and is kept already")
    heard = [json.loads(body) for body in kept]
    figures.out_of_order += [one["sequence"] for one in heard] != list(range(1, len(heard) + 1))
    chain = ["0" * 64, *(message_hash(body) for body in kept)]
    figures.wrong += sum(one["prevhash"] != before for one, before in zip(heard, chain, strict=False))
    figures.results, figures.voids, wrong = judge(heard, people.dealt, people.deal)
    figures.wrong += len(wrong)
    figures.complaints += wrong
    return figures


def judge(heard: list[dict[str, Any]], dealt: list[Dealt], deal: Deal) -> tuple[int, int, list[str]]:
    """Results and voids as the consumer has them against the felt; what is wrong."""
    results: dict[str, dict[str, Any]] = {}
    opened: list[str] = []
    voids, wrong = 0, []
    for message in heard:
        name = message["type"].removeprefix("dealertable.").removesuffix(".v1")
        said = message["data"]
        if name == "round.opened":
            opened.append(said["round"])
        elif name == "round.result":
            if said["round"] in results and not said["replaces"]:
                wrong.append(f"{said['round']} has two results")
            results[said["round"]] = said
        elif name == "round.void":
            voids += 1
            results.pop(said["round"], None)
    if len(opened) != len(dealt):
        wrong.append(f"{len(dealt)} rounds were opened, the stream says {len(opened)}")
    for round_id, felt in zip(opened, dealt, strict=False):
        told = results.get(round_id)
        if felt.void or felt.line is None:
            if told is not None:
                wrong.append(f"{round_id} was voided and has a result")
            continue
        made = deal.made(felt.line)
        if told is None:
            wrong.append(f"{round_id} was dealt to its end and has no result")
        elif {key: told[key] for key in made} != made:
            wrong.append(f"{round_id}: {felt.line} makes {made['outcome']}, told was {told['outcome']}")
    return len(results), voids, wrong
