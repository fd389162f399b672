"""Commands to a real publisher over a real broker, and their replies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controller.vocabulary.replies import Reply
from tests.harness.broker import Broker
from tests.outbox.sender import TOPICS, Listener, Sender


def numbers(payloads: list[bytes]) -> list[int]:
    return [json.loads(payload)["sequence"] for payload in payloads]


def answer(listener: Listener, sender: Sender, request_id: str) -> Any:
    sender.run_until(lambda: bool(listener.on(f"replies/{request_id}")))
    return json.loads(listener.on(f"replies/{request_id}")[0])


def request(request_id: str, **more: Any) -> bytes:
    return json.dumps({"id": request_id, "expires": "2026-01-02T03:04:35Z", **more}).encode()


class TestCommands:
    def test_resend_sends_again_from_there_and_says_so(self, broker: Broker) -> None:
        with Sender(broker) as sender, Listener(broker, "events", "replies/+") as listener:
            sender.connect()
            sender.write(4)
            sender.run_until(lambda: sender.publisher.counters.pending == 0)
            listener.say("commands/resend", request("a", sequence=3))
            assert answer(listener, sender, "a") == {"id": "a", "ok": True, "epoch": 5, "from": 3, "to": 4}
            sender.run_until(lambda: len(listener.on("events")) == 6)
            assert numbers(listener.on("events")) == [1, 2, 3, 4, 3, 4]

    @pytest.mark.parametrize(
        ("more", "code"), [({"sequence": 5}, "beyond_head"), ({"sequence": 1, "epoch": 4}, "other_epoch")]
    )
    def test_resend_of_what_is_not_there_is_refused(
        self, broker: Broker, more: dict[str, int], code: str
    ) -> None:
        with Sender(broker) as sender, Listener(broker, "replies/+") as listener:
            sender.connect()
            sender.write(4)
            listener.say("commands/resend", request("a", **more))
            assert answer(listener, sender, "a")["error"]["code"] == code

    def test_snapshot_tells_head_and_state(self, broker: Broker) -> None:
        with Sender(broker) as sender, Listener(broker, "replies/+") as listener:
            sender.connect()
            sender.write(2)
            sender.publisher.set_retained({TOPICS.display: b'{"phase":"betting"}', TOPICS.alert("1"): None})
            listener.say("commands/snapshot", request("a"))
            told = answer(listener, sender, "a")
            assert (told["ok"], told["epoch"], told["sequence"]) == (True, 5, 2)
            assert told["hash"] == sender.journal.stream_hash
            assert told["retained"]["display"] == {"phase": "betting"}
            assert set(told["retained"]) == {"display", "status"}

    def test_too_often_is_refused(self, broker: Broker) -> None:
        with Sender(broker) as sender, Listener(broker, "replies/+") as listener:
            sender.connect()
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

    def test_decisions_are_the_tables_business(self, broker: Broker) -> None:
        with Sender(broker) as sender, Listener(broker, "replies/+") as listener:
            sender.connect()
            listener.say("commands/decisions", request("a", hand="hand1", play=2, fold=1))
            sender.run_until(lambda: bool(sender.commands))
            command = sender.commands[0].command
            assert (command.hand, command.play, command.fold, command.auto) == ("hand1", 2, 1, 0)
            sender.publisher.reply(Reply(id=command.id, ok=True))
            assert answer(listener, sender, "a") == {"id": "a", "ok": True}

    def test_unknown_and_malformed_are_answered_where_an_id_can_be_read(self, broker: Broker) -> None:
        with Sender(broker) as sender, Listener(broker, "replies/+") as listener:
            sender.connect()
            listener.say("commands/void", request("a"))
            listener.say("commands/resend", b"nonsense")
            assert answer(listener, sender, "a")["error"]["code"] == "unknown"
            listener.say("commands/snapshot", request("b"))
            assert answer(listener, sender, "b")["ok"]
            assert len(listener.heard) == 2, "no id, no answer"
