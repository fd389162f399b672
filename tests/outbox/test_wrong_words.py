"""Consumers that say what cannot be right: told to people, kept small, and over when the right word comes."""

from __future__ import annotations

import pytest

from tests.harness.broker import Broker
from tests.outbox.sender import Listener, Sender, ack


def test_what_was_disputed_is_over_when_the_hash_there_or_later_is_ours(broker: Broker) -> None:
    with Sender(broker, consumers=["settlement"]) as sender, Listener(broker) as listener:
        sender.connect()
        sender.write(4)
        held = [message.hash for message in sender.journal.messages(0, 4)]
        listener.say("acks/settlement", ack(5, 1, hash=held[0]))
        listener.say("acks/settlement", ack(5, 3, hash="0" * 64))
        listener.say("acks/settlement", ack(5, 2, hash=held[1]))
        sender.run_until(lambda: sender.journal.cursors()["settlement"] == 2)
        sender.poll()
        sender.poll()
        assert "witness-settlement" in sender.held, "the second says nothing of the third"
        listener.say("acks/settlement", ack(5, 4, hash=held[3]))
        sender.run_until(lambda: sender.journal.cursors()["settlement"] == 4)
        sender.poll()
        assert sender.told_of("witness-") == [
            "witness-settlement stops",
            "witness-settlement is over",
        ]


@pytest.mark.parametrize("who", ["settlement", "stranger-{}"])
def test_one_that_goes_on_and_on_does_not_fill_the_record(broker: Broker, who: str) -> None:
    with Sender(broker, consumers=["settlement"]) as sender, Listener(broker) as listener:
        sender.connect()
        sender.write(3)
        for number in range(40):
            listener.say(f"acks/{who.format(number)}", ack(5, 1000 + number))
            listener.say(f"acks/{who.format(number)}", ack(5, 1 + number % 2, hash=f"{number:064}"))
        listener.say("acks/settlement", ack(5, 2))
        sender.run_until(lambda: sender.journal.cursors()["settlement"] == 2)
        sender.poll()
        assert len([told for told in sender.told_of("ack-", "witness-") if "is over" not in told]) == 1
        sender.ahead_s += 60.0
        listener.say(f"acks/{who.format(1)}", ack(5, 5000))
        listener.say("acks/settlement", ack(5, 3))
        sender.run_until(lambda: sender.journal.cursors()["settlement"] == 3)
        sender.poll()
        assert any("5-5000" in told.message for told in sender.changes), "later it is told again"


def test_what_stops_the_table_is_not_made_light_of_by_the_same_acknowledgement(broker: Broker) -> None:
    """A consumer that holds more than the journal says so again whenever it starts."""
    with Listener(broker) as listener, Sender(broker, consumers=["settlement"]) as sender:
        listener.say("acks/settlement", ack(5, 1000), retain=True)
        sender.connect()
        sender.run_until(lambda: "ack-settlement" in sender.held)
        assert sender.held["ack-settlement"].blocks_opening
        sender.ahead_s += 60.0
        listener.say("acks/settlement", ack(5, 1000), retain=True)
        listener.say("acks/stranger", ack(5, 1))
        sender.run_until(lambda: "ack-stranger" in sender.held)
        assert sender.told_of("ack-settlement") == ["ack-settlement stops"]
        assert sender.held["ack-settlement"].blocks_opening
