"""The outbox on a real broker: order, release, retained state, birth and will."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

import pytest

from controller.outbox.envelope import canonical
from controller.outbox.outgoing import StreamMessage
from controller.outbox.publisher import STATUS_EVERY_S
from controller.outbox.reports import Puback, Subscribed
from controller.outbox.retained import State, Unit, status_of
from controller.outbox.signature import verify
from controller.vocabulary.errors import ConfigurationError
from tests.harness.broker import Broker
from tests.harness.keys import SIGNER, by
from tests.harness.patience import PATIENCE_S
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import TOPICS, Listener, Sender, ack, write


class TestDelivery:
    def test_messages_arrive_in_order_as_the_journal_holds_them(self, broker: Broker) -> None:
        with Sender(broker) as sender, Listener(broker, "events") as listener:
            sender.connect()
            sender.write(100)
            sender.run_until(lambda: len(listener.on("events")) == 100)
            kept = sender.journal.messages(0, 100)
            assert listener.on("events") == [by(SIGNER, message.body) for message in kept]

    def test_without_consumers_the_broker_releases(self, broker: Broker) -> None:
        with Sender(broker) as sender:
            sender.connect()
            sender.write(100)
            sender.run_until(lambda: sender.publisher.counters.pending == 0)
            assert sender.journal.cursors() == {"broker": 100}

    def test_with_consumers_only_they_release(self, broker: Broker) -> None:
        with (
            Sender(broker, consumers=["settlement", "archive"]) as sender,
            Listener(broker, "events") as listener,
        ):
            sender.connect()
            sender.write(4)
            sender.run_until(lambda: sender.publisher.counters.taken == 4)
            assert sender.journal.cursors() == {"archive": 0, "settlement": 0}
            listener.say("acks/settlement", ack(5, 3), retain=True)
            sender.run_until(lambda: sender.journal.cursors()["settlement"] == 3)
            assert sender.publisher.counters.pending == 4
            listener.say("acks/archive", ack(5, 2), retain=True)
            sender.run_until(lambda: sender.publisher.counters.pending == 2)
            assert sender.publisher.counters.acknowledged == {"archive": 2, "settlement": 3}

    def test_what_nobody_acknowledges_goes_again_and_says_it_is_late(
        self, sender: Sender, listener: Listener
    ) -> None:
        sender.write(2)
        sender.run_until(lambda: sender.publisher.counters.taken == len(listener.on("events")) == 2)
        sender.ahead_s += 31
        sender.run_until(lambda: len(listener.on("events")) == 4)
        first, again = listener.on("events")[:2], listener.on("events")[2:]
        assert [json.loads(payload).get("historical") for payload in first + again] == [
            None,
            None,
            True,
            True,
        ]
        assert [canonical(payload) for payload in again] == [canonical(payload) for payload in first]
        assert all(verify(payload, SIGNER.key) is None for payload in first + again)

    def test_an_acknowledgement_that_was_retained_is_heard_after_a_restart(self, broker: Broker) -> None:
        journal = scratch_journal()
        with Sender(broker, journal=journal, consumers=["settlement"]), Listener(broker) as listener:
            write(journal, 4)
            listener.say("acks/settlement", ack(5, 3), retain=True)
        with Sender(broker, journal=journal, consumers=["settlement"], boot=2) as sender:
            sender.run_until(lambda: journal.cursors()["settlement"] == 3)

    def test_a_consumer_that_is_added_takes_over_from_the_broker(self, broker: Broker) -> None:
        journal = scratch_journal()
        with Sender(broker, journal=journal) as sender:
            sender.connect()
            sender.write(3)
            sender.run_until(lambda: sender.publisher.counters.pending == 0)
        with Sender(broker, journal=journal, consumers=["settlement"]):
            assert journal.cursors() == {"settlement": 3}

    @pytest.mark.parametrize("name", ["broker", "a/b", "+", ""])
    def test_a_consumer_that_cannot_be_named_so_is_a_configuration_error(
        self, broker: Broker, name: str
    ) -> None:
        with pytest.raises(ConfigurationError, match=r"^mqtt\.consumers: "):
            Sender(broker, consumers=[name])


class TestRefusedAcknowledgements:
    @pytest.mark.parametrize(
        ("payload", "why"),
        [
            (ack(5, 4), "the stream does not reach there"),
            (ack(4, 1), "that is another epoch than ours"),
            (ack(6, 1), "that is another epoch than ours"),
            (b"{", "acknowledgement of 'settlement'"),
            (b'{"epoch": 5, "sequence": -1}', "acknowledgement of 'settlement'"),
            (b'{"epoch": 5, "sequence": true}', "acknowledgement of 'settlement'"),
            (b'{"epoch": 5, "sequence": 1, "x": "' + b"x" * 2000 + b'"}', "acknowledgement of 'settlement'"),
            (b'{"x":' + b"[" * 1000, "acknowledgement of 'settlement'"),
        ],
    )
    def test_change_nothing_and_are_told_once(
        self, sender: Sender, listener: Listener, payload: bytes, why: str
    ) -> None:
        sender.write(3)
        listener.say("acks/settlement", payload)
        listener.say("acks/settlement", payload)
        listener.say("acks/settlement", ack(5, 2))
        sender.run_until(lambda: sender.journal.cursors()["settlement"] == 2)
        sender.poll()
        sender.poll()
        assert sender.told_of("ack-") == ["ack-settlement is said", "ack-settlement is over"]
        assert any(why in change.message for change in sender.changes)

    def test_backwards_is_refused(self, sender: Sender, listener: Listener) -> None:
        sender.write(3)
        listener.say("acks/settlement", ack(5, 3))
        listener.say("acks/settlement", ack(5, 2))
        sender.run_until(lambda: "ack-settlement" in sender.held)
        assert "a cursor never goes back" in sender.message("ack-settlement")
        assert sender.journal.cursors() == {"settlement": 3}

    def test_a_stranger_is_refused(self, sender: Sender, listener: Listener) -> None:
        sender.write(1)
        listener.say("acks/stranger", ack(5, 1))
        sender.run_until(lambda: "ack-stranger" in sender.held)
        assert "it is not named under mqtt.consumers" in sender.message("ack-stranger")
        listener.say("acks/stranger", b"")
        sender.run_until(lambda: "ack-stranger" not in sender.held)

    def test_a_witness_with_another_hash_is_an_alarm_and_releases_nothing(
        self, sender: Sender, listener: Listener
    ) -> None:
        sender.write(2)
        listener.say("acks/settlement", ack(5, 1, hash="0" * 64))
        sender.run_until(lambda: "witness-settlement" in sender.held)
        assert sender.journal.cursors() == {"settlement": 0}
        held = sender.journal.messages(0, 1)[0].hash
        assert "another message 1 than this journal" in sender.message("witness-settlement")
        listener.say("acks/settlement", ack(5, 1, hash=held))
        sender.run_until(lambda: sender.journal.cursors() == {"settlement": 1})


class TestRetainedState:
    def test_is_there_for_who_comes_later_and_gone_when_deleted(self, broker: Broker) -> None:
        with Sender(broker) as sender:
            sender.connect()
            sender.publisher.set_retained({TOPICS.display: b"d", TOPICS.alert("1"): b"a"})
            sender.publisher.set_retained({TOPICS.result: b"r"})
            with Listener(broker, "#") as early:
                sender.run_until(
                    lambda: {"display", "alerts/1", "result"} <= {heard.topic for heard in early.heard}
                )
                sender.publisher.set_retained({TOPICS.alert("1"): None})
                sender.run_until(lambda: early.on("alerts/1") == [b"a", b""])
            with Listener(broker, "#") as late:
                sender.run_until(
                    lambda: {"status", "display", "result"} <= {heard.topic for heard in late.heard}
                )
                assert late.on("alerts/1") == []
                assert all(heard.retained for heard in late.heard)

    def test_is_published_again_to_a_broker_that_forgot_it(self, broker: Broker) -> None:
        with Sender(broker) as sender:
            sender.connect()
            sender.publisher.set_retained({TOPICS.display: b"d"})
            sender.run_until(lambda: sender.publisher.due_s(sender.now_s()) > sender.now_s())
            for times in range(2, 5):
                broker.kill()
                broker.forget()
                broker.start()
                sender.run_until(lambda times=times: sender.publisher.counters.connections == times)
                with Listener(broker, "display", "status") as listener:
                    sender.run_until(lambda listener=listener: len(listener.heard) >= 2)
                    assert listener.on("display")[0] == b"d"
                    assert json.loads(listener.on("status")[0])["state"] == "online"

    def test_never_overtakes_its_message(self, broker: Broker) -> None:
        with Sender(broker) as sender, Listener(broker, "events", "display") as listener:
            sender.connect()
            for _ in range(50):
                write(sender.journal, 3)
                sender.publisher.set_retained({TOPICS.display: b"%d" % sender.journal.stream_head})
                sender.poll()
            sender.run_until(lambda: b"150" in listener.on("display"))
            seen = 0
            for heard in listener.heard:
                if heard.topic == "events":
                    seen = json.loads(heard.payload)["sequence"]
                else:
                    assert int(heard.payload) <= seen

    def test_an_alert_left_over_from_an_earlier_life_is_deleted(self, broker: Broker) -> None:
        with Listener(broker, "alerts/+") as listener:
            listener.say("alerts/9", b"old", retain=True)
            with Sender(broker) as sender:
                sender.run_until(lambda: listener.on("alerts/9") == [b"old", b""])


GONE: tuple[State, ...] = ("lost", "offline")


def own_status(listener: Listener) -> list[tuple[str, int]]:
    return [(json.loads(payload)["state"], json.loads(payload)["boot"]) for payload in listener.on("status")]


class TestBirthAndWill:
    def test_birth_carries_all_that_the_contract_names(self, broker: Broker) -> None:
        journal = scratch_journal()
        write(journal, 2)
        with Listener(broker, "status") as listener, Sender(broker, boot=3, journal=journal) as sender:
            sender.run_until(lambda: len(listener.heard) == 1)
            assert json.loads(listener.on("status")[0]) == {
                "state": "online",
                "boot": 3,
                "version": "1.0",
                "digest": "d" * 64,
                "mode": "live",
                "epoch": 5,
                "sequence": 2,
                "keyid": SIGNER.keyid,
                "public_key": SIGNER.key,
            }

    def test_a_clean_end_says_offline(self, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("controller.outbox.session.LEAVE_TIMEOUT_S", 60.0)
        with Listener(broker, "status") as listener:
            with Sender(broker, boot=3) as sender:
                sender.connect()
            sender.run_until(lambda: len(listener.heard) == 2)
            assert own_status(listener) == [("online", 3), ("offline", 3)]

    def test_who_vanishes_is_lost_with_its_boot_number(self, broker: Broker) -> None:
        with Listener(broker, "status") as listener:
            sender = Sender(broker, boot=3)
            with sender:
                sender.connect()
                sender.run_until(lambda: len(listener.heard) == 1)
                sender.publisher.stop(clean=False)
            sender.run_until(lambda: len(listener.heard) == 2)
            assert own_status(listener) == [("online", 3), ("lost", 3)]

    @pytest.mark.parametrize(
        "said", [*(status_of(Unit(2, "1.0", "d"), state, 5, 0) for state in GONE), b"nonsense"]
    )
    def test_a_late_will_of_an_older_boot_or_nonsense_is_answered_with_a_new_birth(
        self, broker: Broker, said: bytes
    ) -> None:
        with Listener(broker, "status") as listener, Sender(broker, boot=3) as sender:
            sender.run_until(lambda: len(listener.heard) == 1)
            listener.say("status", said, retain=True)
            sender.run_until(lambda: len(listener.heard) == 3)
            assert listener.on("status")[1] == said
            del listener.heard[1]
            assert own_status(listener) == [("online", 3), ("online", 3)]
            assert "other-unit" not in sender.held

    @pytest.mark.parametrize(("boot", "epoch"), [(2, 5), (4, 5), (2, 6), (2, 4)])
    def test_a_status_found_at_the_start_is_no_other_unit(
        self, broker: Broker, boot: int, epoch: int
    ) -> None:
        with Listener(broker, "status") as listener:
            listener.say("status", status_of(Unit(boot, "1.0", "d"), "online", epoch, 0), retain=True)
            with Sender(broker, boot=3) as sender:
                sender.connect()
                sender.run_until(lambda: ("online", 3) in own_status(listener))
                assert "other-unit" not in sender.held, "it may be long gone, or an earlier life of ours"

    def test_another_unit_that_comes_is_reported(self, broker: Broker) -> None:
        with Listener(broker, "status") as listener, Sender(broker, boot=3) as sender:
            sender.run_until(lambda: len(listener.heard) == 1)
            listener.say("status", status_of(Unit(1, "1.0", "d"), "online", 5, 0), retain=True)
            sender.run_until(lambda: "other-unit" in sender.held)
            assert "(boot 1, epoch 5)" in sender.message("other-unit")

    def test_the_head_of_the_stream_in_the_status_follows(self, broker: Broker) -> None:
        with Listener(broker, "status") as listener, Sender(broker) as sender:
            sender.connect()
            sender.write(3)
            sender.ahead_s += 5
            sender.run_until(
                lambda: json.loads((listener.on("status") or [b'{"sequence": 0}'])[-1])["sequence"] == 3
            )


class TestNobodyListens:
    def test_is_told_once_until_somebody_does(self, broker: Broker) -> None:
        with Sender(broker) as sender:
            sender.connect()
            sender.write(3)
            sender.run_until(lambda: sender.publisher.counters.taken == 3)
            sender.poll()
            assert sender.told_of("listeners") == ["listeners is said"]
            with Listener(broker, "events"):
                sender.write(3)
                sender.run_until(lambda: sender.publisher.counters.taken == 6)
            sender.poll()
            assert sender.told_of("listeners") == ["listeners is said", "listeners is over"]


def test_nothing_is_written_to_the_wire_before_connack(tmp_path: Any, broker: Broker) -> None:
    """A broker that takes its time: what comes before its CONNACK is CONNECT alone."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        taken: list[bytes] = []
        asked, answered = threading.Event(), threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(PATIENCE_S)
                taken.append(connection.recv(65536))
                asked.set()
                answered.wait(PATIENCE_S)
                connection.setblocking(False)
                try:
                    taken.append(connection.recv(65536))
                except BlockingIOError:
                    taken.append(b"")
                connection.setblocking(True)
                connection.sendall(b"\x20\x03\x00\x00\x00")
                taken.append(connection.recv(65536))

        thread = threading.Thread(target=serve)
        thread.start()
        with Sender(broker, port=port) as sender:
            sender.run_until(asked.is_set)
            sender.write(5)
            sender.publisher.set_retained({TOPICS.display: b"d"})
            for _ in range(5):
                sender.step()
            assert sender.publisher.counters.sent == 0
            answered.set()
            sender.run_until(lambda: len(taken) == 3 and sender.publisher.counters.connections == 1)
            sender.publisher.stop(clean=False)
        thread.join()
        assert taken[0][0] == 0x10
        assert taken[1] == b""
        assert taken[2][0] == 0x82, "the subscriptions come first"


def test_a_message_says_that_it_is_a_cloud_event(sender: Sender, listener: Listener) -> None:
    sender.write(1)
    sender.run_until(lambda: bool(listener.on("events")))
    assert listener.of("events")[0].content_type == "application/cloudevents+json"


def test_what_a_dying_node_denied_is_over_when_it_is_taken(sender: Sender, listener: Listener) -> None:
    on_the_way: list[int] = []
    while not on_the_way:
        sender.write(1)
        flights = sender.publisher._schedule._in_flight.items()
        on_the_way = [mid for mid, flight in flights if isinstance(flight.message, StreamMessage)]
    sender.publisher._handle(Puback(on_the_way[-1], "Implementation specific error"), sender.now_s())
    sender.poll()
    assert "no question of rights" in sender.message("publish-denied")
    sender.ahead_s += 31.0
    sender.run_until(lambda: "publish-denied" not in sender.held)
    sender.run_until(lambda: bool(listener.sequences))


def test_what_may_not_be_heard_stays_said_when_what_is_said_there_is_taken(sender: Sender) -> None:
    sender.publisher._handle(Subscribed({TOPICS.status: "Not authorized"}), sender.now_s())
    sender.poll()
    assert f"lets us hear nothing on {TOPICS.status}" in sender.message("publish-denied")
    sender.write(1)
    sender.ahead_s += STATUS_EVERY_S
    sender.run_until(lambda: sender.publisher._status_head == 1)
    sender.run_until(lambda: not sender.publisher._schedule._in_flight)
    assert "publish-denied" in sender.held
    sender.publisher._handle(Subscribed({}), sender.now_s())
    sender.poll()
    assert "publish-denied" not in sender.held


def test_a_question_to_one_alone_says_nothing_of_who_hears_the_stream(sender: Sender, broker: Broker) -> None:
    with Listener(broker, "repeats/settlement") as alone:
        alone.say("acks/settlement", ack(5, 0, repeats=True))
        sender.write(2)
        sender.run_until(lambda: "listeners" in sender.held)
        for asked in range(1, 4):
            sender.ahead_s += 31 * 64
            sender.run_until(lambda count=asked: len(alone.on("repeats/settlement")) >= count)
            sender.write(1)
            sender.run_until(lambda: not sender.publisher._schedule._in_flight)
        sender.poll()
        assert sender.told_of("listeners") == ["listeners is said"]
