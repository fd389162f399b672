"""``python -m tests.floor.recorded``: simulated tables whose messages were signed before, for rates that a
publisher of Python for each table does not reach on two cores.

All tables over a few connections. Each does what a table does: no more than a window beyond what the recorder
has acknowledged; a question with one message, on the recorder's own topic, where that does not come in time,
and the rest again where the answer says so; answers to snapshot and resend. Ends as ``tests.floor.tables``
does. ``--backlog``: each table says one message, and all the rest at once when it is told to end.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.outbox.envelope import signed
from controller.outbox.follower import Answers
from controller.outbox.publisher import STATUS_EVERY_S
from controller.outbox.retained import Unit, status_of
from tests.floor.material import SITE, Saying, messages_per_round, table_names
from tests.floor.tables import TELL_S, arguments, hosts_of, write_ends

WINDOW = 100
AGAIN_S = 30.0
CONNECTIONS = 4
TIME = "2026-01-31T20:00:00.000Z"
MOST_WAITING = 5000
"""Messages that the broker has not taken; before that nothing more goes."""


class Recorded:
    """One table: its messages, and how far they are."""

    def __init__(self, name: str, epoch: int, count: int, client: paho.Client) -> None:
        saying = Saying(name, epoch)
        entries = [saying.next(TIME) for _ in range(count)]
        self.bodies = [signed(entry.body, entry.seal or b"") for entry in entries]
        self.hashes = [entry.hash for entry in entries]
        self.topics, self.signer, self.epoch, self.client = saying.topics, saying.signer, epoch, client
        self.due = self.sent = self.high = self.acknowledged = 0
        self.moved_s = 0.0
        self.went_s = 0.0
        """When something was sent last."""
        self.answers = Answers()
        self.present = False
        """Whether the recorder has said how far it is, on this connection or before."""
        self.status_s, self.told = 0.0, 0
        """When the status was said last, and with which head."""

    @property
    def hash(self) -> str:
        """Of the last message that it was to say."""
        return self.hashes[self.due - 1] if self.due else "0" * 64

    def status(self, state: str, now_s: float) -> None:
        """What the table says of itself."""
        self.status_s, self.told = now_s, self.due
        unit = Unit(1, "floor", "0" * 64, "live", self.signer.keyid, self.signer.key)
        payload = status_of(unit, state, self.epoch, self.due)  # type: ignore[arg-type]
        self.client.publish(self.topics.status, payload, qos=1, retain=True)

    def go(self, now_s: float) -> int:
        """Send what may go; how many went."""
        went = 0
        if self.told != self.due and now_s - self.status_s > STATUS_EVERY_S:
            self.status("online", now_s)  # who came to RabbitMQ later has heard none before
        silent_s = max(AGAIN_S, self.answers.patience_s)
        if self.acknowledged < self.sent and now_s - self.moved_s > silent_s:  # as a table does
            self.client.publish(self.topics.repeats("recorder"), self.bodies[self.acknowledged], qos=1)
            self.moved_s, went = now_s, 1
        while self.present and self.sent < min(self.due, self.acknowledged + WINDOW):
            new = self.sent >= self.high
            self.client.publish(
                self.topics.events if new else self.topics.repeats("recorder"), self.bodies[self.sent], qos=1
            )
            if self.sent == self.acknowledged:
                self.moved_s = now_s
            self.sent += 1
            self.went_s = now_s
            self.answers.sent(self.sent, now_s)
            self.high = max(self.high, self.sent)
            went += 1
        return went

    def heard(self, kind: str, last: str, payload: bytes, now_s: float) -> None:
        """The recorder says how far it is, or asks for something."""
        said: dict[str, Any] = json.loads(payload)
        if kind == "acks" and last == "recorder" and said["epoch"] == self.epoch:
            self.present = True
            if said["sequence"] > self.acknowledged:
                self.answers.came(said["sequence"], now_s)
                self.acknowledged, self.moved_s = said["sequence"], now_s
                self.sent = max(self.sent, self.acknowledged)
            elif now_s - self.went_s > self.answers.again_s:
                self.answers.again()
                self.sent = self.acknowledged  # it is there again, and has got no more than this
        elif kind == "commands" and last == "resend" and said["epoch"] == self.epoch:
            if said.get("last") is None:  # else an echo, which sends nothing
                self.sent = max(said["sequence"] - 1, self.acknowledged)
            self._reply(said["id"], {"epoch": self.epoch})
        elif kind == "commands" and last == "snapshot":
            cursors = {"recorder": self.acknowledged}
            self._reply(said["id"], {"epoch": self.epoch, "sequence": self.due, "cursors": cursors})

    def _reply(self, id_: str, more: dict[str, object]) -> None:
        self.client.publish(self.topics.reply(id_), json.dumps({"id": id_, "ok": True, **more}), qos=1)


def client(host: tuple[str, int], number: int, heard: queue.SimpleQueue[tuple[str, bytes]]) -> paho.Client:
    """One connection; it comes back by itself."""
    made = paho.Client(CallbackAPIVersion.VERSION2, f"floor-{number}")
    made.max_inflight_messages_set(1000)
    made.reconnect_delay_set(1, 2)
    made.on_message = lambda _c, _u, message: heard.put((message.topic, bytes(message.payload)))
    if number == 0:
        filters = [(f"dealer-table/v1/{SITE}/+/{part}", 1) for part in ("acks/recorder", "commands/+")]
        made.on_connect = lambda c, *_: c.subscribe(filters)
    made.connect_async(*host)
    made.loop_start()
    return made


def main() -> None:
    """Until SIGTERM, and then until all that was said is acknowledged."""
    parser = arguments()
    parser.add_argument("--messages", type=int, required=True, help="of each table, made before")
    parser.add_argument("--backlog", action="store_true")
    chosen = parser.parse_args()
    hosts, heard = hosts_of(chosen.hosts), queue.SimpleQueue[tuple[str, bytes]]()
    clients = [client(hosts[number % len(hosts)], number, heard) for number in range(CONNECTIONS)]
    names = list(table_names(chosen.tables))
    tables = {
        name: Recorded(name, chosen.epoch, chosen.messages, clients[number % CONNECTIONS])
        for number, name in enumerate(names)
    }
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
    each = [*tables.values()]
    print(json.dumps({"ready": len(each)}), flush=True)
    run(each, tables, heard, clients, stopped, 0 if chosen.backlog else chosen.rounds)
    ends: dict[str, list[object]] = {name: [table.due, table.hash] for name, table in tables.items()}
    write_ends(chosen.ends, ends)
    end(clients)


def end(clients: Sequence[paho.Client]) -> None:
    """Take leave, and be gone: what ended stands in its file, and no thread of paho, which may wait for a
    broker that is away, keeps the process."""
    for one in clients:
        one.disconnect()
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def run(
    each: Sequence[Recorded],
    tables: dict[str, Recorded],
    heard: queue.SimpleQueue[tuple[str, bytes]],
    clients: Sequence[paho.Client],
    stopped: list[int],
    rounds: float,
) -> None:
    """The rate is that of the whole floor, spread over its tables."""
    rate = len(each) * rounds * messages_per_round() / 3600
    began_s = told_s = time.monotonic()
    said = turn = 0
    waits = rounds == 0
    if waits:
        for table in each:
            table.due = 1
    for table in each:
        table.status("online", began_s)
    while True:
        now_s = time.monotonic()
        wanted = 0 if stopped else int((now_s - began_s) * rate)
        if waits and stopped:
            waits = False
            for table in each:
                table.due = len(table.bodies)
        while said < wanted and any(table.due < len(table.bodies) for table in each[turn:] or each):
            table = each[turn]
            turn = (turn + 1) % len(each)
            if table.due < len(table.bodies):
                table.due += 1
                said += 1
        while not heard.empty():
            topic, payload = heard.get()
            _, _, _, name, kind, last = topic.split("/")
            if name in tables and payload:
                tables[name].heard(kind, last, payload, now_s)
        waiting = sum(len(one._out_messages) for one in clients)
        for table in each if waiting < MOST_WAITING else ():
            waiting += table.go(now_s)
            if waiting >= MOST_WAITING:
                break
        pending = sum(table.due - table.acknowledged for table in each)
        if now_s - told_s >= TELL_S:
            told_s = now_s
            print(json.dumps({"said": sum(table.due for table in each), "pending": pending}), flush=True)
        if pending == 0 and stopped and not waits:
            return
        time.sleep(0.02)


if __name__ == "__main__":
    main()
