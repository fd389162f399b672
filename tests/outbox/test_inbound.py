"""What anybody with a right to one topic can do to a table: told to people, kept small, and never its end."""

from __future__ import annotations

import json
import resource
import socket
from collections.abc import Iterator

import pytest

from controller.outbox.rollcall import SILENT_S
from controller.outbox.sieve import LARGEST_PACKET, Sieve
from tests.harness.broker import Broker
from tests.outbox.sender import Listener, Sender, ack

HUGE = 64 << 20


def foreign(epoch: object) -> bytes:
    return f'{{"epoch":{epoch},"sequence":1}}'.encode()


@pytest.mark.parametrize("name", ["settlement", "nobody"])
@pytest.mark.parametrize("epoch", [900, (1 << 53) - 1, "9" * 4000, "9" * 900])
def test_a_foreign_epoch_that_a_consumer_left_is_an_alert_and_never_the_end(
    broker: Broker, name: str, epoch: object
) -> None:
    with Listener(broker, "events") as listener:
        listener.say(f"acks/{name}", foreign(epoch), retain=True)
        with Sender(broker, consumers=["settlement"], look_first=True) as sender:
            sender.connect()
            sender.run_until(lambda: f"ack-{name}" in sender.held)
            assert sender.publisher.denial is None
            assert not any(condition.blocks_opening for condition in sender.held.values())
            sender.write(2)
            sender.run_until(lambda: len(listener.on("events")) == 2)
            listener.say("acks/settlement", ack(5, 2), retain=True)
            sender.run_until(lambda: sender.journal.cursors()["settlement"] == 2)


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_what_is_huge_costs_no_memory_and_the_next_word_is_heard(broker: Broker, protocol: str) -> None:
    with (
        Listener(broker, "events") as listener,
        Sender(broker, consumers=["settlement"], protocol=protocol) as sender,
    ):
        listener.say("acks/settlement", b" " * HUGE, retain=True)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        sender.connect()
        sender.write(2)
        listener.say("acks/settlement", ack(5, 2), retain=True)
        sender.run_until(lambda: sender.journal.cursors()["settlement"] == 2)
        assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < HUGE / 4
        if protocol == "3.1.1":
            assert any("longer than" in change.message for change in sender.changes)


def test_a_flood_of_names_is_a_handful_of_alerts(sender: Sender, listener: Listener) -> None:
    for number in range(30):
        listener.say(f"acks/stranger-{number}", ack(5, 1))
        sender.ahead_s += 20.0
        sender.step()
    sender.run_until(lambda: len(sender.told_of("ack-stranger")) == 8)
    listener.say("acks/stranger-99", ack(5, 1))
    listener.say("acks/settlement", ack(5, 0))
    sender.poll()
    assert len(sender.told_of("ack-stranger")) == 8


def test_of_a_flood_of_acknowledgements_the_last_word_counts(sender: Sender, listener: Listener) -> None:
    # Each comes twice, by ``acks/+`` and by its name: more than may come at once (600), and no more than a
    # broker keeps for who reads nothing meanwhile (1,000).
    many = 450
    sender.write(many)
    for sequence in range(1, many + 1):
        listener.say("acks/settlement", ack(5, sequence))
    sender.run_until(lambda: sender.journal.cursors()["settlement"] == many)


def test_a_table_that_the_broker_has_forgotten_connects_again_and_hears_what_was_left(
    sender: Sender, listener: Listener
) -> None:
    """A node of RabbitMQ that came back lost what some of a thousand tables listen to, said nothing, and took
    another SUBSCRIBE without any effect: 23 of them were deaf for ever."""
    sender.write(2)
    sender.publisher._session.unsubscribe("#", *sender.publisher.subscription.filters())
    sender.run_until(lambda: len(listener.on("events")) == 2)
    listener.say("acks/settlement", ack(5, 2), retain=True)
    for _ in range(20):
        sender.step()
    assert sender.journal.cursors()["settlement"] == 0
    sender.ahead_s += SILENT_S + 1
    for _ in range(20):
        sender.step()
    assert sender.publisher.counters.connections == 1, "it asks itself first whether it hears"
    sender.ahead_s += SILENT_S + 1
    sender.run_until(lambda: sender.journal.cursors()["settlement"] == 2)
    assert sender.publisher.counters.connections == 2


def test_a_table_whose_consumers_are_gone_hears_itself_and_stays(sender: Sender, listener: Listener) -> None:
    sender.write(2)
    sender.run_until(lambda: len(listener.on("events")) == 2)
    for _ in range(5):
        sender.ahead_s += SILENT_S + 1
        sender.run_until(lambda: "consumer-settlement" in sender.held)
        sender.run_until(lambda: not sender.publisher._roll.asked)
        assert sender.publisher.counters.connected
    assert sender.publisher.counters.connections == 1


def test_commands_of_which_too_many_come_are_not_answered_for_ever(
    sender: Sender, listener: Listener
) -> None:
    for number in range(300):
        text = json.dumps({"id": f"x-{number}", "expires": "2026-01-02T03:04:35Z"})
        listener.say("commands/snapshot", text.encode())
        listener.say("commands/nonsense", text.encode())
    sender.run_until(lambda: len(listener.heard) >= 36)
    for _ in range(20):
        sender.step()
    assert len(listener.heard) < 300


class TestSieve:
    @pytest.fixture
    def pair(self) -> Iterator[tuple[socket.socket, Sieve]]:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        yield theirs, Sieve(ours, 200)
        ours.close()
        theirs.close()

    def read(self, sieve: Sieve) -> bytes:
        found = b""
        while True:
            try:
                found += sieve.recv(7)
            except BlockingIOError:
                return found

    @pytest.mark.parametrize("step", [1, 3, 1000])
    def test_passes_what_is_small_and_cuts_what_is_not(
        self, pair: tuple[socket.socket, Sieve], step: int
    ) -> None:
        theirs, sieve = pair
        small, exact = b"\x32\x05hello", b"\x32\xc8\x01" + b"e" * 200
        large = b"\x32\xac\x02" + b"l" * 300
        sent = small + large + exact + b"\xd0\x00" + large + small
        read = b""
        for start in range(0, len(sent), step):
            theirs.sendall(sent[start : start + step])
            read += self.read(sieve)
        cut = b"\x32\xc8\x01" + b"l" * 200
        assert read == small + cut + exact + b"\xd0\x00" + cut + small

    def test_the_end_of_the_connection_is_its_end(self, pair: tuple[socket.socket, Sieve]) -> None:
        theirs, sieve = pair
        theirs.sendall(b"\x32\xac\x02" + b"l" * 250)
        theirs.shutdown(socket.SHUT_WR)
        assert self.read_to_end(sieve) == b""

    def read_to_end(self, sieve: Sieve) -> bytes:
        found = b""
        while read := sieve.recv(64):
            found += read
        return found


def test_the_largest_packet_holds_our_largest_message() -> None:
    assert LARGEST_PACKET >= 4 * 65536
