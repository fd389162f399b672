"""A reader that babbles: what is said of it stays small enough for any broker, and the table goes on."""

from __future__ import annotations

import json

from controller.round.holds import MOST_LISTED
from drivers.readings import CardNotRead
from tests.harness.bench import Bench

SMALL_BYTES = 16_384
"""What the shipped broker's configuration promises of the stream."""
UNREAD = 400


def test_a_message_about_many_unread_cards_is_carried_by_any_broker(bench: Bench) -> None:
    bench.deal("8S")
    for _ in range(UNREAD):
        bench.say("shoe", CardNotRead("the scanner read nothing"))
    bench.step()
    assert max(len(message.body) for message in bench.journal.messages(0, 10_000)) < SMALL_BYTES
    assert max(len(body) for body in bench.loop.retained.values()) < SMALL_BYTES
    held = [said for said in bench.said() if said["type"] == "dealertable.table.held.v1"]
    assert len(held) == 8 + 5, "one by one up to eight, then 16, 32, 64, 128 and 256 of them"
    assert held[-1]["data"]["evidence"][-1] == {"code": "drawn_in_hold", "more": 256 - 1 - MOST_LISTED}
    display = json.loads(
        next(body for topic, body in bench.loop.retained.items() if topic.endswith("display"))
    )
    assert display["hold"]["evidence"][-1] == {"code": "drawn_in_hold", "more": UNREAD - 1 - MOST_LISTED}
    assert bench.key("KEY B12") == "OK"
    assert bench.key("VOID supervisor") == "OK"
    [void] = [said for said in bench.said() if said["type"] == "dealertable.round.void.v1"]
    assert len(void["data"]["evidence"]) < 2 * MOST_LISTED + 2
    [resumed] = [said for said in bench.said() if said["type"] == "dealertable.table.resumed.v1"]
    assert (resumed["data"]["hold"], resumed["data"]["findings"]) == (held[0]["data"]["hold"], UNREAD)
    assert bench.hold is None
