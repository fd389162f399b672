"""python house.py --broker 127.0.0.1:1883 --site north --name cms --file house.db [--report | --dealers]
python house.py --file house.db --accept 7=KEY

What a casino management system keeps of all tables of a site: rounds, voids and who ruled them, holds, shoes,
alerts. A message and what it means for the house are one transaction; only then is it acknowledged. What the
key of the table did not sign is refused: the first key that it names is kept, another one is accepted by a
person (``--accept``, after ``replace``: with its new epoch). Needs paho-mqtt and PyNaCl.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
import sqlite3
import sys
import threading
import uuid
from base64 import urlsafe_b64decode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

TABLES = """
CREATE TABLE IF NOT EXISTS place (site_table TEXT PRIMARY KEY, epoch INTEGER, sequence INTEGER, hash TEXT);
CREATE TABLE IF NOT EXISTS happened (
    site_table TEXT, epoch INTEGER, sequence INTEGER, at TEXT, name TEXT, round TEXT, reason TEXT, by TEXT,
    PRIMARY KEY (site_table, epoch, sequence)
);
CREATE TABLE IF NOT EXISTS keys (site_table TEXT PRIMARY KEY, key TEXT, anew INTEGER);
CREATE TABLE IF NOT EXISTS opened (round TEXT PRIMARY KEY, site_table TEXT, dealer TEXT, gaming_day TEXT);
"""
KEPT = (
    "round.settled",
    "round.void",
    "table.held",
    "table.resumed",
    "alert.raised",
    "shoe.started",
    "shoe.ended",
    "table.opened",
    "table.closed",
    "table.dealer",
    "device.lost",
)
LATE = b'"historical":true,'
SIGNED = re.compile(rb',"keyid":"[0-9a-f]{16}","signature":"[A-Za-z0-9_-]{86}"}\Z')


def hash_of(body: bytes) -> str:
    """The hash of a message as it is chained: without who signed it, and without the mark of a late one, just
    before its id.
    """
    body = SIGNED.sub(b"}", body)
    place = body.rfind(b'"id":"')
    if body[:place].endswith(LATE):
        body = body[: place - len(LATE)] + body[place:]
    return hashlib.sha256(body).hexdigest()


def signed_by(key: str, body: bytes) -> bool:
    """Whether the owner of this public key signed it: the signature is over the hash, 32 bytes."""
    signature = json.loads(body)["signature"] if SIGNED.search(body) else ""
    try:
        VerifyKey(urlsafe_b64decode(key + "==")).verify(
            bytes.fromhex(hash_of(body)), urlsafe_b64decode(signature + "==")
        )
    except (BadSignatureError, ValueError):
        return False
    return True


class House:
    """The books of the house, and the streams of its tables."""

    def __init__(self, path: str, name: str, site: str) -> None:
        self._name, self._site = name, site
        self._base = f"dealer-table/v1/{site}"
        self._books = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._books.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {TABLES}")
        self._replies = f"{name[:12]}-{uuid.uuid4().hex[:18]}"  # an id has at most 40 characters
        self._asked: dict[str, datetime] = {}

    def connected(self, client: mqtt.Client, *_: Any) -> None:
        """A persistent session: the broker keeps the subscriptions while we are away."""
        client.subscribe(
            [(f"{self._base}/+/{part}", 1) for part in ("events", "status", f"replies/{self._replies}")]
        )

    def message(self, client: mqtt.Client, _: Any, message: mqtt.MQTTMessage) -> None:
        """One message of one table."""
        table, part = message.topic.removeprefix(f"{self._base}/").split("/", 1)
        if not message.payload:
            return
        if part == "events":
            self.take(client, table, message.payload)
        elif part == "status":
            self.see(client, table, json.loads(message.payload))
        elif part.startswith("replies/"):
            self.answered(client, table, json.loads(message.payload))

    def place(self, table: str) -> tuple[int, int, str | None] | None:
        """Epoch, sequence and hash of the last message that we hold."""
        row: tuple[int, int, str | None] | None = self._books.execute(
            "SELECT epoch, sequence, hash FROM place WHERE site_table = ?", (table,)
        ).fetchone()
        return row

    def key(self, table: str) -> tuple[str, bool] | None:
        """The key of a table, and whether a person has accepted it for an epoch that is to come."""
        row: tuple[str, int] | None = self._books.execute(
            "SELECT key, anew FROM keys WHERE site_table = ?", (table,)
        ).fetchone()
        return None if row is None else (row[0], bool(row[1]))

    def see(self, client: mqtt.Client, table: str, status: dict[str, Any]) -> None:
        """Where does a table begin for us? With its own word; or, once a person has accepted its new journal,
        at the first message of that.
        """
        self.pin(table, status)
        place, known = self.place(table), self.key(table)
        if place is None:
            self.ask(client, table, "snapshot", {})
        elif known is not None and known[1] and status.get("epoch", 0) > place[0]:
            self.ask(client, table, "resend", {"epoch": status["epoch"], "sequence": 1})

    def pin(self, table: str, status: dict[str, Any]) -> None:
        """The first key that a table names is its key from then on."""
        if self.key(table) is None and "public_key" in status:
            self.accept(table, status["public_key"], anew=False)
            print(f"{table}: only key {status['public_key']} is believed: compare it there", file=sys.stderr)

    def accept(self, table: str, key: str, *, anew: bool = True) -> None:
        """A person has looked into it."""
        self._books.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?)", (table, key, anew))

    def take(self, client: mqtt.Client, table: str, body: bytes) -> None:
        """Commit what follows what we hold, then acknowledge; ask for what is missing."""
        said, place = json.loads(body), self.place(table)
        if place is None:
            self.ask(client, table, "snapshot", {})
            return
        key, anew = self.key(table) or ("", False)
        if not signed_by(key, body):
            print(
                f"{table}: REFUSED: {said['id']} is not signed by key {key}; if the table has a new one,"
                f" compare it there (dealer-table manifest) and accept it: house.py --accept {table}=KEY",
                file=sys.stderr,
            )
            return
        epoch, sequence, last = place
        if anew and said["epoch"] > epoch:
            epoch, sequence, last = said["epoch"], 0, "0" * 64
        if said["epoch"] != epoch or (last and said["sequence"] == sequence + 1 and said["prevhash"] != last):
            print(f"{table}: ALARM: this does not follow on what we hold: {said['id']}", file=sys.stderr)
            return
        if said["sequence"] > sequence + 1:
            self.ask(client, table, "resend", {"epoch": epoch, "sequence": sequence + 1})
            return
        if said["sequence"] == sequence + 1:
            name = said["type"].removeprefix("dealertable.").removesuffix(".v1")
            data = said["data"]
            self._books.execute("BEGIN IMMEDIATE")
            if name in KEPT and not data.get("again"):  # a hold that is only said once more
                kept = (
                    table,
                    epoch,
                    said["sequence"],
                    said["time"],
                    name,
                    data.get("round"),
                    data.get("reason") or data.get("code"),
                    data.get("by") or data.get("dealer"),
                )
                self._books.execute("INSERT INTO happened VALUES (?, ?, ?, ?, ?, ?, ?, ?)", kept)
            if name == "round.opened":
                dealt = (data["round"], table, data.get("dealer"), data.get("gaming_day"))
                self._books.execute("INSERT INTO opened VALUES (?, ?, ?, ?)", dealt)
            now = (table, epoch, said["sequence"], hash_of(body))
            self._books.execute("INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?)", now)
            self._books.execute("UPDATE keys SET anew = 0 WHERE site_table = ?", (table,))
            self._books.execute("COMMIT")
        self.acknowledge(client, table)

    def acknowledge(self, client: mqtt.Client, table: str) -> None:
        """Everything up to here is safe with us."""
        place = self.place(table)
        if place is not None:
            ack = json.dumps(dict(zip(("epoch", "sequence", "hash"), place, strict=True)))
            client.publish(f"{self._base}/{table}/acks/{self._name}", ack, qos=1, retain=True)

    def ask(self, client: mqtt.Client, table: str, command: str, members: dict[str, object]) -> None:
        """A command has an id for its answer and an expiry; one is sent every three seconds at most."""
        now = datetime.now(UTC)
        if now - self._asked.get(table + command, now - timedelta(hours=1)) < timedelta(seconds=3):
            return
        self._asked[table + command] = now
        expires = (now + timedelta(seconds=30)).isoformat()
        body = json.dumps({"id": self._replies, "expires": expires, **members})
        client.publish(f"{self._base}/{table}/commands/{command}", body, qos=1)

    def answered(self, client: mqtt.Client, table: str, reply: dict[str, Any]) -> None:
        """A snapshot says from which message on the table keeps messages for us."""
        if not reply["ok"]:
            print(f"{table}: {reply['error']['code']}: {reply['error']['message']}", file=sys.stderr)
        elif self.place(table) is None and self._name in reply.get("cursors", {}):
            begin = (table, reply["epoch"], reply["cursors"][self._name], None)
            self._books.execute("INSERT INTO place VALUES (?, ?, ?, ?)", begin)
            if begin[2] < reply["sequence"]:
                self.ask(client, table, "resend", {"epoch": begin[1], "sequence": begin[2] + 1})

    def report(self) -> list[dict[str, object]]:
        """For each table and message name: how often, and the reasons."""
        rows = self._books.execute(
            "SELECT site_table, name, reason, by, count(*) FROM happened"
            " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        )
        return [dict(zip(("table", "name", "reason", "by", "times"), row, strict=True)) for row in rows]

    def dealers(self) -> list[dict[str, object]]:
        """For each gaming day, dealer and table: rounds that were paid, and rounds that ended void."""
        rows = self._books.execute(
            "SELECT gaming_day, dealer, opened.site_table,"
            " count(DISTINCT CASE WHEN name = 'round.settled' AND opened.round NOT IN"
            " (SELECT round FROM happened WHERE name = 'round.void') THEN opened.round END),"
            " count(DISTINCT CASE WHEN name = 'round.void' THEN opened.round END)"
            " FROM opened JOIN happened ON happened.round = opened.round GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
        return [
            dict(zip(("gaming_day", "dealer", "table", "paid", "void"), row, strict=True)) for row in rows
        ]


def main() -> None:
    """Keep the books until Ctrl-C, or print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--broker", default="127.0.0.1:1883")
    parser.add_argument("--site", default="north")
    parser.add_argument("--name", default="cms", help="as the tables name it under mqtt.consumers")
    parser.add_argument("--file", default="house.db")
    parser.add_argument("--report", action="store_true", help="how often what happened, and who ruled")
    parser.add_argument("--dealers", action="store_true", help="rounds by gaming day and dealer")
    parser.add_argument("--accept", metavar="TABLE=KEY", help="its new key, and its new journal")
    parser.add_argument("--user", help="the role at a broker that asks for it, with --password-file")
    parser.add_argument("--password-file")
    parser.add_argument("--ca", help="turns TLS on; --cert and --key are ours")
    parser.add_argument("--cert")
    parser.add_argument("--key")
    options = parser.parse_args()
    house = House(options.file, options.name, options.site)
    if options.accept:
        table, _, key = options.accept.partition("=")
        house.accept(table, key)
        return
    if options.report or options.dealers:
        for line in house.dealers() if options.dealers else house.report():
            print(json.dumps(line))
        return
    host, _, port = options.broker.partition(":")
    client = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2, client_id=f"{options.name}-of-{options.site}", clean_session=False
    )
    client.on_connect, client.on_message = house.connected, house.message
    if options.user:
        client.username_pw_set(options.user, Path(options.password_file).read_text().strip())
    if options.ca:
        client.tls_set(options.ca, options.cert, options.key)
    client.reconnect_delay_set(1, 5)
    client.connect_async(host, int(port or 1883), keepalive=15)
    client.loop_start()
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    client.disconnect()


if __name__ == "__main__":
    main()
