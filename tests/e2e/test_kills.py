"""kill -9 at random moments: nothing is lost, doubled, reordered or wrong. ``make kills`` is longer."""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from pathlib import Path

from controller.vocabulary.events import BetsOpened, RoundSettled, SoftwareStarted
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.e2e.checks import check_frames, check_results
from tests.harness.dealer import Dealer
from tests.harness.house import House, house
from tests.harness.keys import as_hashed
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM

SEED = int(os.environ.get("KILL_SEED", "20260301"))
ROUNDS = int(os.environ.get("KILL_ROUNDS", "250"))
DAEMON_KILLS = ROUNDS // 25
BROKER_KILLS = ROUNDS * 2 // 125
CABLE_PULLS = ROUNDS * 3 // 500
"""Of the shoe, for good measure: the table holds, and a supervisor must come."""
LONGEST_DELAY_S = 0.04
"""From the beginning of a round to the kill; a round takes some 20 ms, a start of the daemon 200 ms."""


class Killer(threading.Thread):
    """Kills daemon and broker at moments that only chance knows, within the rounds that it was given."""

    def __init__(self, table: House, chance: random.Random) -> None:
        super().__init__(name="killer", daemon=True)
        self._table = table
        whom = ["daemon"] * DAEMON_KILLS + ["broker"] * BROKER_KILLS + ["cable"] * CABLE_PULLS
        rounds = chance.sample(range(5, ROUNDS - 5), len(whom))
        self._plan = [
            (number, target, chance.uniform(0, LONGEST_DELAY_S))
            for number, target in sorted(zip(rounds, whom, strict=True))
        ]
        self._round = threading.Condition()
        self._number = 0
        self.done = {"daemon": 0, "broker": 0, "cable": 0}
        self.failure: BaseException | None = None

    def round_begins(self, number: int) -> None:
        with self._round:
            self._number = number
            self._round.notify_all()

    def run(self) -> None:
        try:
            for number, target, delay_s in self._plan:
                with self._round:
                    self._round.wait_for(lambda number=number: self._number >= number)
                threading.Event().wait(delay_s)
                if target == "daemon":
                    self._table.daemon.restart()
                elif target == "broker":
                    self._table.broker.kill()
                    self._table.broker.start()
                else:
                    self._table.shoe.unplug()
                    threading.Event().wait(delay_s)
                    self._table.shoe.replug()
                self.done[target] += 1
        except BaseException as failure:
            self.failure = failure


def test_rounds_through_kills_arrive_once_in_order_and_right(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    shoe = SimulatedAngelEye(tmp_path / "shoe", tries=1_000_000, answer_timeout_s=0.3)
    with house(tmp_path, shoe) as table:
        begun = time.monotonic()
        killer = Killer(table, chance)
        dealer = Dealer(table, chance)
        table.daemon.start()
        killer.start()
        for number in range(ROUNDS):
            killer.round_begins(number)
            dealer.round()
        killer.join(PATIENCE_S)
        dealt_s = time.monotonic() - begun
        status = table.close_down()
        settlement = table.settlement
        print(
            f"seed {SEED}: {ROUNDS} rounds, killed {killer.done}, {len(settlement.taken)} messages,"
            f" {settlement.repeats} repeats, {settlement.out_of_turn} refused until their turn,"
            f" {settlement.late} historical, {restarts_in_round(table)} restarts in a round,"
            f" {dealer.holds} holds, {dealt_s:.0f} s"
        )
        assert killer.failure is None
        assert status == 0
        assert settlement.wrong == []
        check_results(settlement, dealer)
        check_record(table)
        check_replay(table)


def check_record(table: House) -> None:
    """The journal holds each frame of the shoe once and in order, and each boot that came so far."""
    check_frames(table)
    boots = [event.boot for _, event, _ in table.records() if isinstance(event, SoftwareStarted)]
    # Some were killed before they could write that they had started.
    assert boots == list(range(1, len(boots) + 1))
    assert restarts_in_round(table) >= DAEMON_KILLS / 4


def restarts_in_round(table: House) -> int:
    """So many starts found a round that was open and not settled."""
    found, open_ = 0, False
    for _, event, _ in table.records():
        if isinstance(event, BetsOpened):
            open_ = True
        elif isinstance(event, RoundSettled):
            open_ = False
        elif isinstance(event, SoftwareStarted):
            found += open_
    return found


def check_replay(table: House) -> None:
    """Without a configuration the journal tells the same stream, byte for byte."""
    told = subprocess.run(
        [PROGRAM, "replay", table.journal], check=True, capture_output=True, cwd=table.folder
    )
    bodies = []
    for line in told.stdout.splitlines():
        printed = json.loads(line)
        if printed["topic"].endswith("/events"):
            # The payload as it stands in the line, not as it would be written again.
            bodies.append(as_hashed(line[line.index(b'"payload":') + len(b'"payload":') : -1]))
    assert bodies == table.settlement.taken
