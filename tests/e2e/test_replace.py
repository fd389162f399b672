"""A unit dies and another takes its place: real daemons, a real broker, journals that do not come over."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from controller.journal.sqlite import SqliteJournal
from drivers.bee_tek.simulator import SimulatedBeeTek
from tests.cli.program import dealer_table
from tests.harness.broker import Broker
from tests.harness.house import BASE, WholeTable, table
from tests.harness.patience import PATIENCE_S
from tests.harness.settlement import Settlement
from tests.harness.whole import must
from tests.outbox.sender import Listener

ROUND = ("8S", "5C", "KC", "2D")
"""A natural for the player."""


class Unit(WholeTable):
    """One controller with its own disk, keypad and shoe."""

    @property
    def configuration(self) -> Path:
        return self.folder / "table.toml"

    def begin(self) -> None:
        """Start the daemon, and press what is no key until its echo comes: before that a key is lost."""
        self.daemon.start()
        echo = (self.keypad.ask(f"SYNC {tries}", 0.1) == f"? SYNC {tries}" for tries in count())
        self.daemon.until(lambda: next(echo), "the keypad's echo")

    def must(self, *lines: str) -> None:
        must(self.keypad, *lines)

    def deal(self, *cards: str) -> None:
        for card in cards:
            self.shoe.draw(card)

    def refused(self) -> str:
        """What the daemon says that does not run, and is not to be started again."""
        self.daemon.start()
        assert self.daemon.wait(PATIENCE_S) == 2
        return self.daemon.log

    def replace(self, *words: str, badge: str = "B12") -> tuple[int, str]:
        done = dealer_table("replace", "--config", str(self.configuration), "--badge", badge, *words)
        return done.returncode, done.stdout + done.stderr


class Floor:
    """A broker, a settlement system that hears the table, and units that want to be it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self.broker = Broker(folder / "broker")
        self.broker.start()
        stack.callback(self.broker.stop)
        self.listener = stack.enter_context(Listener(self.broker, "events", "status", "display", "acks/+"))

    def unit(self, name: str) -> Unit:
        folder = self._folder / name
        folder.mkdir()
        return Unit(
            **vars(self._stack.enter_context(table(folder, self.broker, SimulatedBeeTek(folder / "shoe"))))
        )

    def settlement(self) -> Settlement:
        heard = Settlement(self.broker.port, BASE)
        self._stack.callback(heard.stop)
        heard.wait(lambda: heard.subscribed > 0, "the subscription")
        return heard

    @property
    def said(self) -> list[dict[str, Any]]:
        """Each message of the stream once, in the order in which it came first."""
        found: dict[tuple[int, int], dict[str, Any]] = {}
        for payload in self.listener.on("events"):
            message = json.loads(payload)
            found.setdefault((message["epoch"], message["sequence"]), message)
        return list(found.values())

    def of(self, name: str) -> list[dict[str, Any]]:
        return [message["data"] for message in self.said if message["type"] == f"dealertable.{name}.v1"]

    def await_newest(self, topic: str, key: str, value: object) -> None:
        """Wait until the newest payload on a topic says so."""

        def newest() -> Any:
            told = self.listener.on(topic)
            return json.loads(told[-1])[key] if told else None

        self.broker.until(lambda: newest() == value, f"{key} of {topic} is {value}")

    def acknowledged(self, heard: Settlement, unit: Unit) -> None:
        """Wait until the broker holds the settlement system's word for all that the unit has said; it may say
        more meanwhile.
        """

        def all_of_it() -> bool:
            last, acks = unit.stream_head(), self.listener.on("acks/settlement")
            return len(heard.taken) == last and bool(acks) and json.loads(acks[-1])["sequence"] == last

        self.broker.until(all_of_it, "all is taken")

    def dies(self, unit: Unit) -> None:
        """kill -9; the broker notices."""
        unit.daemon.kill()
        self.await_newest("status", "state", "lost")


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with ExitStack() as stack:
        yield Floor(tmp_path, stack)


def played(floor: Floor, unit: Unit, until: str) -> None:
    """A table up to some point of its second round; the first one stands."""
    unit.begin()
    unit.must("SHOE 416", "OPEN", "CLOSE")
    unit.deal(*ROUND)
    floor.broker.until(lambda: len(floor.of("round.result")) == 1, "the first result")
    unit.must("SETTLED", "OPEN")
    if until == "betting":
        floor.broker.until(lambda: len(floor.of("round.opened")) == 2, "the second round")
        return
    unit.must("CLOSE")
    cards = ROUND if until == "result" else ROUND[:2]
    unit.deal(*cards)
    floor.broker.until(lambda: len(floor.of("round.card")) == 4 + len(cards), "the cards of the second round")
    if until == "result":
        floor.broker.until(lambda: len(floor.of("round.result")) == 2, "the second result")


def test_a_dead_unit_is_replaced_and_its_round_is_void_once(floor: Floor) -> None:
    dead, spare = floor.unit("dead"), floor.unit("spare")
    heard = floor.settlement()
    played(floor, dead, "result")
    floor.acknowledged(heard, dead)
    floor.await_newest("display", "phase", "result")  # it follows its messages
    floor.dies(dead)
    heard.stop()
    old = floor.said[-1]
    opened = [message for message in floor.said if message["type"] == "dealertable.round.opened.v1"]
    round_id = opened[-1]["subject"]

    status, told = spare.replace("--note", "the power supply burnt")
    assert status == 0, told
    assert spare.replace()[0] == 2, "a second time there is a journal"
    spare.begin()
    fresh = floor.settlement()
    fresh.wait(lambda: "epoch.started" in fresh.names(), "the new epoch")
    fresh.wait(lambda: len(fresh.taken) >= 2, "its second message")

    started = fresh.messages[0]
    assert started["sequence"] == 1
    assert started["epoch"] > old["epoch"]
    assert started["data"]["previous"] == old["epoch"]
    assert started["data"]["last_acknowledged"] == {"settlement": old["sequence"]}
    assert (started["data"]["by"], started["data"]["round"]) == ("B12", round_id)
    assert fresh.messages[1]["subject"] == round_id
    [void] = fresh.of("round.void")
    results = [m["id"] for m in floor.said if m["type"] == "dealertable.round.result.v1"]
    assert void["retracts"] == results[-1]
    assert (void["bets"], void["shoe"], void["by"]) == ("refund", "withdraw", "B12")
    assert void["note"] == "the power supply burnt"

    # Nothing opens before somebody has counted and loaded a shoe.
    assert (spare.keypad.ask("OPEN", PATIENCE_S) or "").startswith("NO no shoe")
    spare.must("SHOE 416", "OPEN", "CLOSE")
    spare.deal(*ROUND)
    fresh.wait(lambda: len(fresh.of("round.result")) == 1, "a round of the new unit")
    assert len(fresh.of("round.void")) == 1
    assert fresh.wrong == []
    assert spare.daemon.stop() == 0
    assert dealer_table("verify", str(spare.journal)).returncode == 0

    # The dead unit comes back to life: it is not the table any more.
    assert f"was replaced by epoch {started['epoch']}" in dead.refused()


def test_a_unit_that_lives_is_not_replaced_and_a_newcomer_does_not_run(floor: Floor) -> None:
    living, newcomer = floor.unit("living"), floor.unit("newcomer")
    heard = floor.settlement()
    played(floor, living, "dealing")
    status, told = newcomer.replace()
    assert status == 1
    assert "lives and answers" in told
    assert not newcomer.journal.exists()

    assert "another unit (boot 1" in newcomer.refused()
    heard.wait(
        lambda: any(alert["code"] == "newcomer" for alert in heard.of("alert.raised")),
        "the living one says so",
    )
    # It was not disturbed: same connection, same round.
    assert [json.loads(told)["state"] for told in floor.listener.on("status")].count("lost") == 0
    living.deal("KC", "2D")
    heard.wait(lambda: len(heard.of("round.result")) == 2, "the round goes on")
    assert heard.wrong == []
    living.must("SETTLED", "OPEN")


def test_a_copy_of_the_journal_beside_the_living_unit_does_not_run(floor: Floor) -> None:
    living, copy = floor.unit("living"), floor.unit("copy")
    floor.settlement()
    played(floor, living, "dealing")
    assert dealer_table("backup", str(living.journal), str(copy.journal)).returncode == 0
    assert "is this table and answers" in copy.refused()


def test_the_old_disk_in_a_new_unit_goes_on_without_a_word(floor: Floor) -> None:
    dead, spare = floor.unit("dead"), floor.unit("spare")
    heard = floor.settlement()
    played(floor, dead, "dealing")
    floor.acknowledged(heard, dead)
    floor.dies(dead)
    shutil.copyfile(dead.journal, spare.journal)
    wal = dead.journal.with_name("journal.db-wal")
    if wal.exists():
        shutil.copyfile(wal, spare.journal.with_name("journal.db-wal"))
    spare.begin()
    # The shoe has no numbers and is plugged in elsewhere: people compare felt and screen, and go on.
    heard.wait(lambda: len(heard.of("table.held")) >= 1, "the doubts after a restart")
    spare.must("KEY boss", "CLEAR continue")
    spare.deal("KC", "2D")
    heard.wait(lambda: len(heard.of("round.result")) == 2, "the round goes on")
    assert heard.wrong == []
    assert heard.of("round.void") == []


def test_a_new_journal_where_the_broker_knows_the_table_does_not_run_whatever_its_clock_says(
    floor: Floor,
) -> None:
    dead, spare = floor.unit("dead"), floor.unit("spare")
    floor.settlement()
    played(floor, dead, "betting")
    floor.dies(dead)
    # A Pi without a clock begins in 1970: its epoch would be lower than the dead unit's.
    SqliteJournal.create(spare.journal, epoch=17_000).close()
    assert "dealer-table replace" in spare.refused()
    assert floor.said[-1]["epoch"] > 17_000, "it has said nothing"
    status, told = spare.replace()
    assert status == 2
    assert "--old-journal" in told


def test_a_copy_that_is_older_than_what_a_consumer_holds_does_not_run(floor: Floor) -> None:
    unit = floor.unit("unit")
    heard = floor.settlement()
    unit.begin()
    unit.must("SHOE 416")
    floor.broker.until(lambda: len(floor.of("shoe.started")) == 1, "the shoe")
    assert unit.daemon.stop() == 0
    copy = unit.folder / "copy.db"
    assert dealer_table("backup", str(unit.journal), str(copy)).returncode == 0
    unit.begin()
    unit.must("OPEN", "CLOSE")
    floor.broker.until(lambda: len(floor.of("round.opened")) == 1, "the round")
    floor.acknowledged(heard, unit)
    floor.dies(unit)
    head = len(heard.taken)
    for name in ("", "-wal", "-shm"):
        unit.journal.with_name(f"journal.db{name}").unlink(missing_ok=True)
    copy.rename(unit.journal)
    assert "this journal has lost its end" in unit.refused()
    assert len(heard.taken) == head
    # The copy is of use all the same: what it does not know the broker and the consumer do.
    aside = unit.folder / "aside.db"
    unit.journal.rename(aside)
    status, told = unit.replace("--old-journal", str(aside))
    assert status == 0, told
    assert f"settlement has everything up to {head}" in told
    assert "is void" in told
