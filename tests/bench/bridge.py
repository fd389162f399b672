"""``python -m tests.bench.bridge PORT MQTT-PORT``: the bridge that everybody would write first.

pyserial reads a line, json makes a message, paho publishes it with QoS 1. ``--journal FILE`` keeps each card
in SQLite (WAL, ``synchronous=FULL``) before it is published; ``--sync-ms`` makes each sync of the disk take
so long.
"""

from __future__ import annotations

import argparse
import json
import socket
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import serial
from paho.mqtt.enums import CallbackAPIVersion

from tests.bench.slow_disk import SlowDisk
from tests.faults.disk import sqlite_on

TOPIC = "bridge/cards"


def main() -> None:
    """Carry cards until somebody ends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bridge", description=__doc__)
    parser.add_argument("port")
    parser.add_argument("mqtt", type=int)
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--sync-ms", type=float, default=0.0)
    chosen = parser.parse_args()
    with sqlite_on(SlowDisk(chosen.sync_ms / 1000)):
        carry(chosen.port, chosen.mqtt, journal(chosen.journal) if chosen.journal else lambda _line: None)


def journal(path: Path) -> Callable[[bytes], None]:
    """Keeps a line durably."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE cards (number INTEGER PRIMARY KEY, line BLOB)")
    return lambda line: void(connection.execute("INSERT INTO cards (line) VALUES (?)", (line,)))


def void(_answer: object) -> None:
    """What was answered is of no interest."""


def no_delay(_client: paho.Client, _userdata: object, opened: Any) -> None:
    """A message does not wait for the next one."""
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def carry(port: str, mqtt: int, keep: Callable[[bytes], None]) -> None:
    """Line in, message out."""
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.on_socket_open = no_delay
    client.connect("127.0.0.1", mqtt)
    client.loop_start()
    number = 0
    with serial.Serial(port, 9600) as shoe:
        while True:
            line = shoe.readline()
            keep(line)
            number += 1
            message = {"number": number, "card": line.decode("ascii").strip(), "at": time.time()}
            client.publish(TOPIC, json.dumps(message), qos=1)


if __name__ == "__main__":
    main()
