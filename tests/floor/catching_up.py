"""A backlog of all tables: how fast the recorder has it, and how fast a plain one that commits each message.

Both get such messages from one mosquitto into one database with a synchronous standby; the plain one for some
seconds only, since its rate does not change. Nobody is killed.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.outbox.envelope import signed
from tests.floor.brokers import Mosquitto
from tests.floor.material import Saying, table_names
from tests.floor.pair import Pair
from tests.floor.process import Tables
from tests.floor.recorded import TIME
from tests.harness.broker import leave
from tests.harness.process import Program
from tests.recorder.recording import Recorder, asked

PLAIN_S = 30.0
"""The plain one is watched so long."""
FED = 20_000
"""Messages that wait for it."""
FEEDS = 20


def catch_up(folder: Path, tables: int, each: int) -> dict[str, float]:
    """``each``: messages of each table."""
    with ExitStack() as stack:
        broker = stack.enter_context(Mosquitto(folder, ["max_queued_messages 0"]))
        pair = stack.enter_context(Pair())
        port = int(broker.hosts[0].rpartition(":")[2])
        plain = _plain(folder, port, pair)
        words = ["--tables", str(tables), "--messages", str(each), "--hosts", broker.hosts[0], "--backlog"]
        recorder = stack.enter_context(Recorder(folder, port, pair.url))
        recorder.until(lambda: "the broker is there" in recorder.log, "it listens")
        waiting = Tables(folder, "tests.floor.recorded", words)
        stack.callback(waiting.kill)
        until_known(waiting, tables)
        recorder.kill()
        recorder.start()  # while it was away each table has said the rest
        began_s = time.monotonic()
        total = sum(count for count, _ in waiting.drain().values())
        took_s = time.monotonic() - began_s
        query = "SELECT count(*) FROM dealer_table.messages"
        [(held,)] = asked(pair.here.format(pair.primary.port), query)
        if held != total:
            raise AssertionError(f"{held} of {total} messages are recorded")
        return {
            "backlog": total,
            "ours a second": round(total / took_s),
            "plain a second": round(plain),
            "ratio": round(total / took_s / plain, 1),
        }


def until_known(waiting: Tables, tables: int) -> None:
    """Until the recorder has a message of each table."""
    while (waiting.last.get("said"), waiting.last.get("pending")) != (tables, 0):
        waiting.check()
        time.sleep(0.5)


def _plain(folder: Path, port: int, pair: Pair) -> float:
    """Messages a second of the plain one, from the broker's queue."""
    url = pair.here.format(pair.primary.port)
    command = [sys.executable, "-m", "tests.floor.plain", "--port", port, "--url", url]
    with Program(command, folder / "plain.log") as program:
        program.wait_printed("listening")  # from here on the broker keeps messages for it
    _feed(port)
    with Program(command, folder / "plain.log") as program:
        program.until(lambda: _count(url) > 0, "it records", 0.1)
        before, began_s = _count(url), time.monotonic()
        while time.monotonic() - began_s < PLAIN_S and _count(url) < FED:
            time.sleep(0.5)
        return (_count(url) - before) / (time.monotonic() - began_s)


def _count(url: str) -> int:
    [(count,)] = asked(url, "SELECT count(*) FROM plain")
    return int(count)


def _feed(port: int) -> None:
    """Messages of some tables that no recorder of ours records: none of them says its status."""
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.max_inflight_messages_set(1000)
    client.connect("127.0.0.1", port)
    client.loop_start()
    sayings = [Saying(f"plain{name}", 1) for name in table_names(FEEDS)]
    for number in range(FED):
        saying = sayings[number % FEEDS]
        entry = saying.next(TIME)
        told = client.publish(saying.topics.events, signed(entry.body, entry.seal or b""), qos=1)
    told.wait_for_publish(120)
    leave(client)
