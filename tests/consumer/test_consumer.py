"""The reference consumer: keeps each message once, in order, whatever breaks; real files, a real broker."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from controller.consumer.consumer import AccessDenied, BrokerDown, BrokerUp, Consumer, ConsumerNotice
from controller.consumer.following import Following, acknowledgement
from controller.consumer.notices import AskedInVain, NotNamed, Pinned
from controller.consumer.store import Cursor, Gap, MessageStore, OtherEpoch, Repeated, Taken
from controller.journal.sqlite import SqliteJournal
from controller.outbox.broker import BrokerSettings
from tests.harness.broker import Broker
from tests.harness.keys import SIGNER, by
from tests.harness.process import until
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import TOPICS, Sender, wall, write


def test_an_acknowledgement_carries_the_hash_where_it_is_known() -> None:
    assert json.loads(acknowledgement(Cursor(5, 2, "ab"))) == {"epoch": 5, "sequence": 2, "hash": "ab"}
    assert json.loads(acknowledgement(Cursor(5, 2, ""))) == {"epoch": 5, "sequence": 2}
    assert json.loads(acknowledgement(Cursor(5, 0, "0" * 64))) == {"epoch": 5, "sequence": 0}


def test_a_backlog_of_repeats_is_acknowledged_at_its_head_and_once(tmp_path: Path) -> None:
    """Else the table would repeat more, while what it repeated is still being compared."""
    journal = scratch_journal()
    write(journal, 300)
    bodies = [by(SIGNER, entry.body) for entry in journal.messages(0, 300)]
    with MessageStore(tmp_path / "kept.db") as store:
        store.begin(5, 0)
        store.pin(SIGNER.key)
        store.take(bodies)
        following = Following(name="settlement", topics=TOPICS, store=store, see=lambda _: None)
        following.receive(bodies[:100], 1.0)
        letter = following.acknowledgement()
        assert letter is not None
        assert json.loads(letter.payload)["sequence"] == 300
        assert following.acknowledgement() is None


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
        **settings: Any,
    ) -> None:
        self.seen: list[ConsumerNotice] = []
        self.store = MessageStore(path)
        self.consumer = Consumer(
            name=name,
            topics=TOPICS,
            broker=BrokerSettings(f"consumer-{name}", host=broker.host, port=broker.port, **settings),
            store=self.store,
            see=self.seen.append,
            accept_epochs=accept_epochs,
            wall=clock,
        )

    def kinds(self) -> set[type]:
        return {type(seen) for seen in self.seen}

    def until(self, sender: Sender, condition: Callable[[], bool]) -> None:
        """Step both until it is so."""

        def stepped() -> bool:
            self.consumer.step(0.001)
            return condition()

        sender.run_until(stepped)

    def __enter__(self) -> Receiving:
        return self

    def __exit__(self, *_: object) -> None:
        self.consumer.stop()
        self.store.close()


@contextmanager
def both(broker: Broker, folder: Path, **consumer: Any) -> Iterator[tuple[Sender, Receiving]]:
    """A table's outbox, connected, and a consumer of its stream."""
    with (
        Sender(broker, consumers=["settlement"]) as sender,
        Receiving(broker, folder / "k.db", **consumer) as receiving,
    ):
        sender.connect()
        yield sender, receiving


class TestConsumer:
    def test_takes_the_stream_and_releases_the_table(self, broker: Broker, tmp_path: Path) -> None:
        with both(broker, tmp_path) as (sender, receiving):
            sender.write(200)
            receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
            kept = [by(SIGNER, m.body) for m in sender.journal.messages(0, 200)]
            assert list(receiving.store.messages(5)) == kept
            assert receiving.store.cursor == Cursor(5, 200, sender.journal.stream_hash, SIGNER.key)
            assert receiving.kinds() <= {BrokerUp, Pinned, Taken, Repeated, Gap}

    def test_a_new_one_begins_where_the_table_keeps_for_it(self, broker: Broker, tmp_path: Path) -> None:
        journal = scratch_journal()
        write(journal, 10)
        with (
            Sender(broker, journal=journal, consumers=["settlement"]) as sender,
            Receiving(broker, tmp_path / "k.db") as receiving,
        ):
            sender.connect()
            sender.write(3)
            receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
            assert [json.loads(body)["sequence"] for body in receiving.store.messages(5)] == [11, 12, 13]

    def test_one_that_was_there_before_its_table_asks_again_when_the_table_comes(
        self, broker: Broker, tmp_path: Path
    ) -> None:
        """What was asked before the table listened nobody heard; waiting for it would take seconds."""
        with Receiving(broker, tmp_path / "k.db") as receiving:
            while not receiving.consumer.listening:
                receiving.consumer.step(0.05)
            # asked, unheard, and time alone would never ask again
            receiving.consumer._following._asking._asked_s = float("inf")
            with Sender(broker, consumers=["settlement"]) as sender:
                sender.connect()
                sender.write(3)
                receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
                assert receiving.store.cursor == Cursor(5, 3, sender.journal.stream_hash, SIGNER.key)

    def test_one_that_the_table_does_not_know_is_told(self, broker: Broker, tmp_path: Path) -> None:
        with both(broker, tmp_path, name="stranger") as (sender, receiving):
            receiving.until(sender, lambda: NotNamed in receiving.kinds())
            assert receiving.store.cursor is None

    def test_a_clock_that_is_wrong_is_said(self, broker: Broker, tmp_path: Path) -> None:
        with both(broker, tmp_path, clock=lambda: wall() - timedelta(hours=3)) as (sender, receiving):
            receiving.until(sender, lambda: AskedInVain in receiving.kinds())
            assert [seen.code for seen in receiving.seen if isinstance(seen, AskedInVain)] == ["late"]

    def test_asks_for_what_it_missed_without_waiting_for_the_timeout(
        self, broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Else the sender may say it all by itself.
        monkeypatch.setattr("controller.outbox.follower.HELLO_S", 1e9)
        with Sender(broker, consumers=["settlement"]) as sender:
            sender.connect()
            with Receiving(broker, tmp_path / "k.db") as receiving:
                sender.write(3)
                receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
            sender.write(5)
            sender.run_until(lambda: sender.publisher.counters.taken >= 8)
            with Receiving(broker, tmp_path / "k.db") as receiving:
                receiving.until(sender, lambda: receiving.consumer.listening)
                sender.write(1)
                receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
                assert len(list(receiving.store.messages(5))) == 9
                assert Gap in receiving.kinds()

    def test_a_new_epoch_is_an_alarm_and_taken_where_that_was_decided(
        self, broker: Broker, tmp_path: Path
    ) -> None:
        with both(broker, tmp_path) as (sender, receiving):
            sender.write(2)
            receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
        newer = scratch_journal(epoch=6)
        with Sender(broker, journal=newer, consumers=["settlement"]) as sender:
            sender.connect()
            with Receiving(broker, tmp_path / "k.db") as receiving:
                receiving.until(sender, lambda: receiving.consumer.listening)
                sender.write(2)
                receiving.until(sender, lambda: OtherEpoch in receiving.kinds())
                assert sender.publisher.counters.pending == 2
                assert sum(isinstance(seen, OtherEpoch) for seen in receiving.seen) == 1
            with Receiving(broker, tmp_path / "k.db", accept_epochs=True) as receiving:
                receiving.until(sender, lambda: receiving.consumer.listening)
                sender.write(1)
                receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
                assert OtherEpoch(5, 6) in receiving.seen
                assert len(list(receiving.store.messages(6))) == 3

    def test_an_absent_broker_is_said_and_awaited(self, absent_broker: Broker, tmp_path: Path) -> None:
        with Receiving(absent_broker, tmp_path / "k.db") as receiving:
            until(lambda: BrokerDown in receiving.kinds(), step=lambda: receiving.consumer.step(0.05))
            for _ in range(20):
                receiving.consumer.step(0.05)
            assert receiving.kinds() == {BrokerDown}
            assert len(receiving.seen) == 1

    def test_what_the_broker_does_not_take_is_said_once(self, tmp_path: Path) -> None:
        acl = tmp_path / "acl"
        acl.write_text("topic read #\n")
        acl.chmod(0o600)
        with Broker(tmp_path, lines=[f"acl_file {acl}"]) as deaf, Receiving(deaf, tmp_path / "a.db") as one:
            one.store.begin(5, 0)

            def step() -> None:
                one.consumer.step(0.001)

            until(lambda: AccessDenied in one.kinds(), lambda: one.seen, step)
            one.consumer._following._owes = True
            until(lambda: not one.consumer._on_the_way, lambda: one.seen, step)
            denied = [seen for seen in one.seen if isinstance(seen, AccessDenied)]
            assert {seen.topic for seen in denied} >= {TOPICS.ack("settlement")}
            assert len(denied) == len({seen.topic for seen in denied})

            def acknowledge() -> None:
                one.consumer._following._owes = True
                step()

            for rule in (
                "topic #\n",
                "topic read #\n",
            ):  # what was taken meanwhile and is denied again is news
                told = len(one.seen)
                acl.write_text(rule)
                deaf.running.send_signal(signal.SIGHUP)
                until(lambda: bool(one.consumer._denied) == ("read" in rule), lambda: one.seen, acknowledge)  # noqa: B023 - within its turn
            assert one.seen[told:] == [AccessDenied(TOPICS.ack("settlement"), denied[0].reason)]

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
                    sender.publisher.stop(clean=False)
        with (
            SqliteJournal.open(tmp_path / "table.db") as journal,
            Sender(broker, journal=journal, consumers=["settlement"], boot=99, ack_timeout_s=2) as sender,
            Receiving(broker, tmp_path / "k.db") as receiving,
        ):
            receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
            assert journal.stream_head > 100
            bodies = [message.body for message in journal.messages(0, 100_000)]
            assert list(receiving.store.messages(5)) == [by(SIGNER, body) for body in bodies]
