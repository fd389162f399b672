"""A unit looks before it speaks: on a real broker, with real publishers on both sides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.journal.sqlite import SqliteJournal
from controller.outbox.broker import BrokerSettings
from controller.outbox.claim import Denial
from controller.outbox.reports import Connected, ConnectionLost, ConnectionRefused
from controller.outbox.retained import Unit, status_of
from controller.outbox.session import Session
from controller.outbox.takeover import AGAIN_S, MOST_TRIES, Takeover
from controller.shell.wiring.look import look
from tests.harness.broker import Broker, free_port
from tests.harness.process import until
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import TOPICS, Listener, Sender, wall, write


def journal(epoch: int, messages: int = 0) -> SqliteJournal:
    made = scratch_journal(epoch=epoch)
    write(made, messages)
    return made


def looks() -> Takeover:
    """Without a broker: the session is never opened."""
    session = Session(BrokerSettings("north-7"))
    return Takeover(TOPICS, session, Unit(3, "1.0", "d"), journal(5), None, wall)


def refused(sender: Sender, others: Sender | None = None) -> Denial:
    def stepped() -> bool:
        if others is not None:
            others.step(0.001)
        return sender.publisher.denial is not None

    sender.run_until(stepped)
    sender.poll()
    assert sender.publisher.denial is not None
    assert sender.told[-1] == "may-not-run stops"
    return sender.publisher.denial


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is expected to answer may take as long as this machine makes it."""
    for name in ("ANSWER_S", "RETAINED_S"):
        monkeypatch.setattr(f"controller.outbox.takeover.{name}", 60.0)


def test_where_nobody_is_known_the_table_speaks_after_a_look(broker: Broker) -> None:
    with Listener(broker, "status") as listener, Sender(broker, look_first=True) as sender:
        sender.connect()
        sender.write(3)
        sender.run_until(lambda: sender.publisher.counters.pending == 0 and len(listener.heard) == 1)
        assert sender.publisher.counters.connections == 1
        assert [json.loads(told)["state"] for told in listener.on("status")] == ["online"]


@pytest.mark.usefixtures("patient")
def test_a_living_unit_is_not_disturbed_says_so_and_the_newcomer_is_quiet(broker: Broker) -> None:
    with (
        Listener(broker, "#") as listener,
        Sender(broker, journal=journal(5, 2), boot=3, look_first=True) as living,
    ):
        living.connect()
        with Sender(broker, journal=journal(6), boot=1, look_first=True) as newcomer:
            assert refused(newcomer, living).code == "other_unit"
            newcomer.ahead_s += 1000
            for _ in range(5):
                newcomer.step()
            assert newcomer.publisher.counters.connections == 0
        living.run_until(lambda: "newcomer" in living.held)
        assert "(boot 1, epoch 6)" in living.message("newcomer")
        assert "other-unit" not in living.held
        living.ahead_s += 60
        living.poll()
        assert "newcomer" not in living.held, "it asks no more"
        assert {json.loads(told)["state"] for told in listener.on("status")} == {"online"}
        assert living.publisher.counters.connections == 1


def test_one_that_is_gone_though_its_status_says_online_is_not_waited_for_ever(broker: Broker) -> None:
    with Listener(broker) as listener:
        listener.say("status", status_of(Unit(2, "1.0", "d"), "online", 5, 0), retain=True)
        with Sender(broker, boot=3, look_first=True) as sender:
            sender.connect()
            assert sender.publisher.denial is None


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("epoch", "known", "previous", "code"),
    [(6, 0, None, None), (4, 0, None, "unknown_past"), (4, 2, None, "replaced"), (6, 0, 5, None)],
)
def test_what_is_retained_decides(
    broker: Broker, epoch: int, known: int, previous: int | None, code: str | None
) -> None:
    ours = journal(epoch, 2)
    with Listener(broker) as listener:
        listener.say("status", status_of(Unit(9, "1.0", "d"), "lost", 5, 7), retain=True)
        listener.say("acks/settlement", b'{"epoch": 5, "sequence": 7}', retain=True)
        ours.add_consumer("settlement")
        if not known:
            ours = journal(epoch)
        with Sender(
            broker, journal=ours, consumers=["settlement"], look_first=True, previous=previous
        ) as sender:
            if code is None:
                sender.connect()
            else:
                assert refused(sender).code == code


def test_after_a_long_silence_the_table_looks_again_and_finds_its_place_taken(broker: Broker) -> None:
    with Sender(broker, journal=journal(5, 2), boot=3, look_first=True) as sender:
        sender.connect()
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        broker.kill()
        sender.run_until(lambda: not sender.publisher.counters.connected)
        sender.ahead_s += 100
        broker.start()
        with Listener(broker) as listener:
            listener.say("status", status_of(Unit(1, "1.0", "d"), "online", 6, 2), retain=True)
            assert refused(sender).code == "replaced"
        assert sender.publisher.counters.connections == 1


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("failure", [ConnectionLost("network unreachable"), ConnectionRefused("login")])
def test_attempts_that_fail_at_once_are_nothing_heard_of_the_broker(
    failure: ConnectionLost | ConnectionRefused,
) -> None:
    """Another unit may have taken over during an outage, however often we tried meanwhile."""
    takeover = looks()
    takeover.take(Connected(64, "5"), 100.0)
    for second in range(1, 10):
        assert takeover.wanted(100.0 + second) == (second > AGAIN_S)
        assert not takeover.take(failure, 100.0 + second)
        takeover.broke(100.0 + second)


def test_a_broker_that_ended_every_look_lets_us_in_without_one_but_not_for_ever() -> None:
    takeover = looks()
    for _ in range(MOST_TRIES):
        assert takeover.wanted(100.0)
        takeover.begin()
        takeover.take(Connected(64, "5"), 100.0)
        takeover.broke(100.0)
    assert not takeover.wanted(100.4)
    takeover.take(ConnectionLost("network unreachable"), 100.4)
    takeover.broke(100.4)
    assert takeover.wanted(200.0)


def test_who_comes_under_our_name_makes_us_look(broker: Broker) -> None:
    """Two units that looked at the same moment: one of them goes."""
    with (
        Sender(broker, journal=journal(5, 2), boot=3, look_first=True) as first,
        Sender(broker, journal=journal(5, 2), boot=4) as second,
    ):
        first.connect()
        second.connect()
        assert refused(first, second).code == "other_unit"


def test_a_broker_that_denies_a_part_of_the_look_is_no_end(broker: Broker, tmp_path: Any) -> None:
    """Not every broker has a right for each of our topics: the mark does not come back, that is all."""
    broker.stop()
    acl = tmp_path / "acl"
    acl.write_text(
        "".join(f"topic readwrite {TOPICS.base}/{name}\n" for name in ("status", "events", "acks/+"))
    )
    with (
        Broker(tmp_path / "limited", lines=[f"acl_file {acl}"]) as limited,
        Sender(limited, look_first=True) as sender,
    ):
        sender.connect()
        sender.write(1)
        sender.run_until(lambda: sender.publisher.counters.pending == 0)


@pytest.fixture
def apart(broker: Broker, tmp_path: Path) -> Iterator[Broker]:
    """Another node, as of a cluster whose nodes share what is said, and each keep what is retained."""
    shared = "".join(f"\ntopic {TOPICS.base}/{what}/# both 1" for what in ("commands", "replies"))
    lines = [f"connection {broker.port}\naddress {broker.host}:{broker.port}{shared}"]
    with Broker(tmp_path / "apart", lines=lines) as other, Listener(other, "commands/#") as here:
        with Listener(broker, "commands/#") as there:

            def bridged() -> bool:
                there.say("commands/none", b"{}")
                return bool(here.heard)

            until(bridged, "the nodes are one")
        yield other


@pytest.mark.usefixtures("patient")
def test_a_unit_that_lives_at_another_node_is_found_though_this_one_keeps_nothing_of_it(
    broker: Broker, apart: Broker
) -> None:
    with Sender(broker, journal=journal(5, 2), boot=3, look_first=True) as living:
        living.connect()
        with Sender(
            apart, journal=journal(6), look_first=True, others=((broker.host, broker.port),)
        ) as newcomer:
            assert refused(newcomer, living).code == "other_unit"


def test_who_takes_a_table_over_hears_the_newest_word_of_all_nodes(broker: Broker, apart: Broker) -> None:
    """At the node that is asked first the table has spoken long ago."""
    unit = Unit(3, "1.0", "d")
    for node, sequence, ack, round_ in ((apart, 4, 4, "old"), (broker, 9, 3, "new")):
        with Listener(node) as listener:
            listener.say("status", status_of(unit, "lost", 5, sequence), retain=True)
            listener.say("display", round_.encode(), retain=True)
            listener.say("acks/settlement", b'{"epoch": 5, "sequence": %d}' % ack, retain=True)
    away = free_port()
    others = ((broker.host, broker.port), ("127.0.0.1", away))
    seen = look(TOPICS, BrokerSettings("look", port=apart.port, others=others), ["settlement"])
    assert seen.status is not None
    assert (seen.status.sequence, seen.display) == (9, b"new")
    assert seen.acks["settlement"].sequence == 4
    assert [str(away) in why for why in seen.unasked] == [True]
