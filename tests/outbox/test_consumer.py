"""The reference consumer: keeps each message once, in order, whatever breaks; real files, a real broker."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from controller.journal.memory import MemoryJournal
from controller.journal.sqlite import SqliteJournal
from controller.outbox.consumer import AskedInVain, Consumer, NotNamed, Seen, acknowledgement
from controller.outbox.keeper import (
    Differs,
    Disagrees,
    Gap,
    Keeper,
    KeeperError,
    OtherEpoch,
    Place,
    Repeated,
    Taken,
    Unreadable,
)
from controller.outbox.mqtt import BrokerSettings
from controller.outbox.notices import LinkDown, LinkUp
from controller.outbox.payloads import message_hash, read_envelope, sent_late
from tests.broker import Broker
from tests.outbox.sender import PATIENCE_S, TOPICS, Sender, wall, write


def stream(count: int, epoch: int = 5) -> list[bytes]:
    journal = MemoryJournal(epoch=epoch)
    write(journal, count)
    return [message.body for message in journal.messages(0, count)]


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Keeper]:
    with Keeper(tmp_path / "kept.db") as made:
        yield made


class TestKeeper:
    def test_takes_nothing_before_it_knows_where_to_begin(self, keeper: Keeper) -> None:
        assert keeper.take(stream(2)) == []
        assert keeper.place is None

    def test_keeps_each_message_once_and_in_order(self, keeper: Keeper) -> None:
        bodies = stream(4)
        keeper.begin(5, 0)
        kinds = [
            type(outcome) for outcome in keeper.take([bodies[0], bodies[0], bodies[2], bodies[1], bodies[2]])
        ]
        assert kinds == [Taken, Repeated, Gap, Taken, Taken]
        assert keeper.take([bodies[1], bodies[3]])[0] == Repeated(5, 2)
        assert list(keeper.messages(5)) == bodies
        assert list(keeper.messages(5, after=2)) == bodies[2:]

    def test_begins_where_it_is_told_and_only_once(self, keeper: Keeper) -> None:
        bodies = stream(4)
        keeper.begin(5, 2)
        keeper.begin(5, 0)
        assert [type(outcome) for outcome in keeper.take(bodies)] == [Repeated, Repeated, Taken, Taken]
        assert list(keeper.messages(5)) == bodies[2:]
        assert keeper.place == Place(5, 4, message_hash(bodies[3]))

    def test_what_was_sent_late_is_the_same_message(self, keeper: Keeper) -> None:
        bodies = stream(2)
        keeper.begin(5, 0)
        assert [
            type(outcome) for outcome in keeper.take([sent_late(bodies[0]), bodies[0], sent_late(bodies[1])])
        ] == [
            Taken,
            Repeated,
            Taken,
        ]
        assert list(keeper.messages(5)) == bodies

    def test_a_gap_says_what_is_expected(self, keeper: Keeper) -> None:
        keeper.begin(5, 0)
        assert keeper.take(stream(3)[2:]) == [Gap(expected=1, came=3)]

    def test_what_does_not_follow_is_not_taken(self, keeper: Keeper) -> None:
        bodies = stream(2)
        other = MemoryJournal(epoch=5)
        write(other, 1, b"x")
        keeper.begin(5, 0)
        keeper.take(bodies[:1])
        changed = bodies[1].replace(message_hash(bodies[0]).encode(), b"f" * 64)
        assert keeper.take([changed]) == [Disagrees(2, "f" * 64, message_hash(bodies[0]))]
        assert [type(outcome) for outcome in keeper.take([bodies[1]])] == [Taken]

    def test_another_message_under_a_number_that_is_here_is_an_alarm_and_no_repeat(
        self, keeper: Keeper
    ) -> None:
        """A table that was put back from an old copy, or a record that was changed, says a number anew."""
        bodies = stream(3)
        keeper.begin(5, 1)
        changed = bodies[1].replace(b'"number":2', b'"number":7')
        expected = Differs(2, message_hash(changed), message_hash(bodies[1]))
        assert keeper.take([bodies[1], sent_late(changed)])[1] == expected
        assert keeper.take([changed, sent_late(bodies[1]), bodies[2]]) == [
            expected,
            Repeated(5, 2),
            Taken(read_envelope(bodies[2]), bodies[2]),
        ]
        assert keeper.take([bodies[0].replace(b'"number":1', b'"number":7')]) == [Repeated(5, 1)], (
            "never held"
        )
        assert list(keeper.messages(5)) == bodies[1:]

    def test_another_epoch_is_an_alarm_until_somebody_accepts_it(self, keeper: Keeper) -> None:
        keeper.begin(5, 0)
        keeper.take(stream(2))
        assert keeper.take(stream(1, epoch=6)) == [OtherEpoch(5, 6)]
        assert keeper.take(stream(1, epoch=4)) == [OtherEpoch(5, 4)]
        with pytest.raises(KeeperError, match="not larger"):
            keeper.accept_epoch(4)
        keeper.accept_epoch(6)
        assert [type(outcome) for outcome in keeper.take(stream(1, epoch=6))] == [Taken]
        assert len(list(keeper.messages(5))) == 2

    @pytest.mark.parametrize("body", [b"", b"{}", b"\xff", b'{"data":' + b"[" * 4000])
    def test_nonsense_is_not_taken(self, keeper: Keeper, body: bytes) -> None:
        keeper.begin(5, 0)
        assert [type(outcome) for outcome in keeper.take([body])] == [Unreadable]

    def test_goes_on_where_it_was_after_a_restart(self, tmp_path: Path) -> None:
        bodies = stream(3)
        with Keeper(tmp_path / "kept.db") as keeper:
            keeper.begin(5, 0)
            keeper.take(bodies[:2])
        with Keeper(tmp_path / "kept.db") as keeper:
            assert [type(outcome) for outcome in keeper.take(bodies)] == [Repeated, Repeated, Taken]

    def test_a_file_that_cannot_be_used_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "odd.db").write_bytes(b"nonsense" * 1000)
        with pytest.raises(KeeperError, match=r"odd\.db"):
            Keeper(tmp_path / "odd.db")
        with pytest.raises(KeeperError):
            Keeper(tmp_path / "absent" / "kept.db")

    def test_what_could_not_be_written_has_not_been_received(self, tmp_path: Path) -> None:
        bodies = stream(2)
        with Keeper(tmp_path / "kept.db") as keeper:
            keeper.begin(5, 0)
            other = sqlite3.connect(tmp_path / "kept.db", isolation_level=None)
            keeper._connection.execute("PRAGMA busy_timeout = 0")
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(KeeperError, match="locked"):
                keeper.take(bodies)
            other.close()
            assert keeper.place == Place(5, 0, "0" * 64)
            assert [type(outcome) for outcome in keeper.take(bodies)] == [Taken, Taken]


def test_an_acknowledgement_carries_the_hash_where_it_is_known() -> None:
    assert json.loads(acknowledgement(Place(5, 2, "ab"))) == {"epoch": 5, "sequence": 2, "hash": "ab"}
    assert json.loads(acknowledgement(Place(5, 2, ""))) == {"epoch": 5, "sequence": 2}
    assert json.loads(acknowledgement(Place(5, 0, "0" * 64))) == {"epoch": 5, "sequence": 0}


class Receiving:
    """A consumer with its file, and what it saw; stepped together with a sender."""

    def __init__(
        self,
        broker: Broker,
        path: Path,
        *,
        name: str = "settlement",
        accept_epochs: bool = False,
        clock: Any = wall,
    ) -> None:
        self.seen: list[Seen] = []
        self.keeper = Keeper(path)
        self.consumer = Consumer(
            name=name,
            topics=TOPICS,
            broker=BrokerSettings(client_id=f"consumer-{name}", host=broker.host, port=broker.port),
            keeper=self.keeper,
            see=self.seen.append,
            accept_epochs=accept_epochs,
            wall=clock,
        )

    def kinds(self) -> set[type]:
        return {type(seen) for seen in self.seen}

    def __enter__(self) -> Receiving:
        return self

    def __exit__(self, *_: object) -> None:
        self.consumer.stop()
        self.keeper.close()


def both_until(sender: Sender, receiving: Receiving, condition: object) -> None:
    def stepped() -> bool:
        receiving.consumer.step(0.001)
        return bool(condition())  # type: ignore[operator]

    sender.run_until(stepped)


class TestConsumer:
    def test_takes_the_stream_and_releases_the_table(self, broker: Broker, tmp_path: Path) -> None:
        with (
            Sender(broker, consumers=["settlement"]) as sender,
            Receiving(broker, tmp_path / "k.db") as receiving,
        ):
            sender.connect()
            sender.write(200)
            both_until(sender, receiving, lambda: sender.courier.counters.pending == 0)
            assert list(receiving.keeper.messages(5)) == [m.body for m in sender.journal.messages(0, 200)]
            assert receiving.keeper.place == Place(5, 200, sender.journal.stream_hash)
            assert receiving.kinds() <= {LinkUp, Taken, Repeated, Gap}

    def test_a_new_one_begins_where_the_table_keeps_for_it(self, broker: Broker, tmp_path: Path) -> None:
        journal = MemoryJournal(epoch=5)
        write(journal, 10)
        with (
            Sender(broker, journal=journal, consumers=["settlement"]) as sender,
            Receiving(broker, tmp_path / "k.db") as receiving,
        ):
            sender.connect()
            sender.write(3)
            both_until(sender, receiving, lambda: sender.courier.counters.pending == 0)
            assert [json.loads(body)["sequence"] for body in receiving.keeper.messages(5)] == [11, 12, 13]

    def test_one_that_was_there_before_its_table_asks_again_when_the_table_comes(
        self, broker: Broker, tmp_path: Path
    ) -> None:
        """What was asked before the table listened nobody heard; waiting for it would take seconds."""
        with Receiving(broker, tmp_path / "k.db") as receiving:
            while not receiving.consumer.listening:
                receiving.consumer.step(0.05)
            receiving.consumer._asked_s = float("inf")  # asked, unheard, and time alone would never ask again
            with Sender(broker, consumers=["settlement"]) as sender:
                sender.connect()
                sender.write(3)
                both_until(sender, receiving, lambda: sender.courier.counters.pending == 0)
                assert receiving.keeper.place == Place(5, 3, sender.journal.stream_hash)

    def test_one_that_the_table_does_not_know_is_told(self, broker: Broker, tmp_path: Path) -> None:
        with (
            Sender(broker, consumers=["settlement"]) as sender,
            Receiving(broker, tmp_path / "k.db", name="stranger") as receiving,
        ):
            sender.connect()
            both_until(sender, receiving, lambda: NotNamed in receiving.kinds())
            assert receiving.keeper.place is None

    def test_a_clock_that_is_wrong_is_said(self, broker: Broker, tmp_path: Path) -> None:
        with (
            Sender(broker, consumers=["settlement"]) as sender,
            Receiving(broker, tmp_path / "k.db", clock=lambda: wall() - timedelta(hours=3)) as receiving,
        ):
            sender.connect()
            both_until(sender, receiving, lambda: AskedInVain in receiving.kinds())
            assert [seen.code for seen in receiving.seen if isinstance(seen, AskedInVain)] == ["late"]

    def test_asks_for_what_it_missed_without_waiting_for_the_timeout(
        self, broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("controller.outbox.pump.HELLO_S", 1e9)  # else the sender may say it all by itself
        with Sender(broker, consumers=["settlement"]) as sender:
            sender.connect()
            with Receiving(broker, tmp_path / "k.db") as receiving:
                sender.write(3)
                both_until(sender, receiving, lambda: sender.courier.counters.pending == 0)
            sender.write(5)
            sender.run_until(lambda: sender.courier.counters.taken >= 8)
            with Receiving(broker, tmp_path / "k.db") as receiving:
                both_until(sender, receiving, lambda: receiving.consumer.listening)
                sender.write(1)
                both_until(sender, receiving, lambda: sender.courier.counters.pending == 0)
                assert len(list(receiving.keeper.messages(5))) == 9
                assert Gap in receiving.kinds()

    def test_a_new_epoch_is_an_alarm_and_taken_where_that_was_decided(
        self, broker: Broker, tmp_path: Path
    ) -> None:
        with (
            Sender(broker, consumers=["settlement"]) as sender,
            Receiving(broker, tmp_path / "k.db") as receiving,
        ):
            sender.connect()
            sender.write(2)
            both_until(sender, receiving, lambda: sender.courier.counters.pending == 0)
        newer = MemoryJournal(epoch=6)
        with Sender(broker, journal=newer, consumers=["settlement"]) as sender:
            sender.connect()
            with Receiving(broker, tmp_path / "k.db") as receiving:
                both_until(sender, receiving, lambda: receiving.consumer.listening)
                sender.write(2)
                both_until(sender, receiving, lambda: OtherEpoch in receiving.kinds())
                assert sender.courier.counters.pending == 2
                assert sum(isinstance(seen, OtherEpoch) for seen in receiving.seen) == 1
            with Receiving(broker, tmp_path / "k.db", accept_epochs=True) as receiving:
                both_until(sender, receiving, lambda: receiving.consumer.listening)
                sender.write(1)
                both_until(sender, receiving, lambda: sender.courier.counters.pending == 0)
                assert OtherEpoch(5, 6) in receiving.seen
                assert len(list(receiving.keeper.messages(6))) == 3

    def test_an_absent_broker_is_said_and_awaited(self, absent_broker: Broker, tmp_path: Path) -> None:
        with Receiving(absent_broker, tmp_path / "k.db") as receiving:
            ends_s = time.monotonic() + PATIENCE_S
            while LinkDown not in receiving.kinds():
                assert time.monotonic() < ends_s
                receiving.consumer.step(0.05)
            for _ in range(20):
                receiving.consumer.step(0.05)
            assert receiving.kinds() == {LinkDown}
            assert len(receiving.seen) == 1

    def test_killed_brokers_cut_connections_and_restarts_lose_nothing(
        self, broker: Broker, tmp_path: Path
    ) -> None:
        """Breaks of table, broker and consumer, on real journals: each message is kept once, in order."""
        choose = random.Random(3)
        SqliteJournal.create(tmp_path / "table.db", epoch=5).close()
        for boot in range(1, 21):
            with (
                SqliteJournal.open(tmp_path / "table.db") as journal,
                Sender(
                    broker, journal=journal, consumers=["settlement"], boot=boot, ack_timeout_s=2
                ) as sender,
                Receiving(broker, tmp_path / "k.db") as receiving,
            ):
                for _ in range(choose.randint(1, 60)):
                    if choose.random() < 0.3:
                        sender.write(choose.randint(1, 10))
                    sender.step(0.001)
                    receiving.consumer.step(0.001)
                if choose.random() < 0.5:
                    broker.kill()
                    broker.start()
                if choose.random() < 0.5:
                    sender.courier.stop(clean=False)
        with (
            SqliteJournal.open(tmp_path / "table.db") as journal,
            Sender(broker, journal=journal, consumers=["settlement"], boot=99, ack_timeout_s=2) as sender,
            Receiving(broker, tmp_path / "k.db") as receiving,
        ):
            both_until(sender, receiving, lambda: sender.courier.counters.pending == 0)
            assert journal.stream_head > 100
            bodies = [message.body for message in journal.messages(0, 100_000)]
            assert list(receiving.keeper.messages(5)) == bodies
