"""What comes to a real publisher over a real broker: commands and their replies, and wrong acknowledgements.

Consumers that say what cannot be right: told to people, kept small, and over when the right word comes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from controller.vocabulary.replies import Reply
from tests.harness.broker import Broker
from tests.outbox.sender import TOPICS, Listener, Sender, ack


def answer(listener: Listener, sender: Sender, request_id: str) -> Any:
    sender.run_until(lambda: bool(listener.on(f"replies/{request_id}")))
    return json.loads(listener.on(f"replies/{request_id}")[0])


def request(request_id: str, **more: Any) -> bytes:
    return json.dumps({"id": request_id, "expires": "2026-01-02T03:04:35Z", **more}).encode()


class TestCommands:
    @pytest.fixture
    def sender(self, broker: Broker) -> Iterator[Sender]:
        """No consumer is named."""
        with Sender(broker) as made:
            made.connect()
            yield made

    def test_resend_sends_again_from_there_and_says_so(self, sender: Sender, listener: Listener) -> None:
        sender.write(4)
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        listener.say("commands/resend", request("a", sequence=3))
        assert answer(listener, sender, "a") == {"id": "a", "ok": True, "epoch": 5, "from": 3, "to": 4}
        sender.run_until(lambda: len(listener.on("events")) == 6)
        assert listener.sequences == [1, 2, 3, 4, 3, 4]

    @pytest.mark.parametrize(
        ("more", "code"), [({"sequence": 5}, "beyond_head"), ({"sequence": 1, "epoch": 4}, "other_epoch")]
    )
    def test_resend_of_what_is_not_there_is_refused(
        self, sender: Sender, listener: Listener, more: dict[str, int], code: str
    ) -> None:
        sender.write(4)
        listener.say("commands/resend", request("a", **more))
        assert answer(listener, sender, "a")["error"]["code"] == code

    def test_snapshot_tells_head_and_state(self, sender: Sender, listener: Listener) -> None:
        sender.write(2)
        sender.publisher.set_retained({TOPICS.display: b'{"phase":"betting"}', TOPICS.alert("1"): None})
        listener.say("commands/snapshot", request("a"))
        told = answer(listener, sender, "a")
        assert (told["ok"], told["epoch"], told["sequence"]) == (True, 5, 2)
        assert told["hash"] == sender.journal.stream_hash
        assert told["retained"]["display"] == {"phase": "betting"}
        assert set(told["retained"]) == {"display", "status"}

    def test_too_often_is_refused(self, sender: Sender, listener: Listener) -> None:
        sender.write(1)
        for name in "abc":
            listener.say("commands/resend", request(name, sequence=1))
        assert answer(listener, sender, "b")["ok"]
        assert answer(listener, sender, "c")["error"]["code"] == "too_often"

    def test_a_retained_command_is_not_run_when_we_come(self, broker: Broker) -> None:
        with Listener(broker, "replies/+") as listener:
            listener.say("commands/resend", request("a", sequence=1), retain=True)
            listener.say("commands/decisions", request("b", hand="hand1", play=2, fold=1), retain=True)
            with Sender(broker) as sender:
                sender.connect()
                listener.say("commands/snapshot", request("c"))
                assert answer(listener, sender, "c")["ok"]
                assert (listener.on("replies/a"), sender.commands) == ([], [])

    def test_a_command_that_is_said_retained_is_refused(self, sender: Sender, listener: Listener) -> None:
        listener.say("commands/decisions", request("a", hand="hand1", play=2, fold=1), retain=True)
        assert answer(listener, sender, "a")["error"]["code"] == "retained"
        assert sender.commands == []

    def test_decisions_are_the_tables_business(self, sender: Sender, listener: Listener) -> None:
        listener.say("commands/decisions", request("a", hand="hand1", play=2, fold=1))
        sender.run_until(lambda: bool(sender.commands))
        command: Any = sender.commands[0].command
        assert (command.hand, command.play, command.fold, command.auto) == ("hand1", 2, 1, 0)
        sender.publisher.subscription.reply(Reply(id=command.id, ok=True))
        assert answer(listener, sender, "a") == {"id": "a", "ok": True}

    def test_unknown_and_malformed_are_answered_where_an_id_can_be_read(
        self, sender: Sender, listener: Listener
    ) -> None:
        listener.say("commands/void", request("a"))
        listener.say("commands/resend", b"nonsense")
        assert answer(listener, sender, "a")["error"]["code"] == "unknown"
        listener.say("commands/snapshot", request("b"))
        assert answer(listener, sender, "b")["ok"]
        assert len(listener.heard) == 2, "no id, no answer"


def test_what_was_disputed_is_over_when_the_hash_there_or_later_is_ours(
    sender: Sender, listener: Listener
) -> None:
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


def test_an_acknowledgement_that_names_two_places_releases_nothing(
    sender: Sender, listener: Listener
) -> None:
    """What is released is gone: of two sequences under one key the greater one may be a slip."""
    sender.write(4)
    listener.say("acks/settlement", b'{"epoch": 5, "sequence": 1, "sequence": 4}')
    sender.run_until(lambda: bool(sender.told_of("ack-settlement") or sender.journal.cursors()["settlement"]))
    assert sender.journal.cursors()["settlement"] == 0
    assert "'sequence' stands twice" in sender.changes[-1].message
    listener.say("acks/settlement", ack(5, 2))
    sender.run_until(lambda: sender.journal.cursors()["settlement"] == 2)


@pytest.mark.parametrize("who", ["settlement", "stranger-{}"])
def test_one_that_goes_on_and_on_does_not_fill_the_record(
    sender: Sender, listener: Listener, who: str
) -> None:
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


def test_an_older_word_that_the_broker_kept_is_no_claim_when_we_subscribe_again(broker: Broker) -> None:
    """A node of a cluster may have kept that one, where a newer one was heard by way of another node."""
    with Listener(broker) as listener, Sender(broker, consumers=["settlement"]) as sender:
        sender.connect()
        sender.write(3)
        listener.say("acks/settlement", ack(5, 1), retain=True)
        listener.say("acks/settlement", ack(5, 3))
        sender.run_until(lambda: sender.journal.cursors()["settlement"] == 3)
        sender.journal.flush()
        with Sender(broker, consumers=["settlement"], journal=sender.journal, boot=2) as again:
            again.connect()  # in the place of the first: a session that knows nothing
            again.write(1)
            listener.say("acks/settlement", ack(5, 4))  # behind what the broker kept
            again.run_until(lambda: again.journal.cursors()["settlement"] == 4)
            assert again.told_of("ack-") == []
