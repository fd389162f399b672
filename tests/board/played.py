"""A table that is played by events: the real core folds them, and what it retains goes to a real broker."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.settings.loader import load_configuration
from controller.shell.replay import Printed, Replay, configured_by
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import Stamp
from tests.harness.broker import leave
from tests.harness.configuration import configured
from tests.harness.patience import PATIENCE_S

DEVICES = """
journal.path = "journal.db"
devices.shoe = { driver = "bee-tek", port = "/dev/shoe" }
devices.panel = { driver = "keypad", port = "/dev/keypad" }
"""
CARDS = {"baccarat": 416, "2-card-action": 416, "two-cards-high": 40, "casino-holdem": 52}
ROUND_S = 37
"""From one game number to the next."""
STATUS = {"boot": 1, "version": "0", "digest": "0", "epoch": 1, "sequence": 0}


class Publisher:
    """Publishes retained messages and waits until the broker has each."""

    def __init__(self, port: int) -> None:
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        self._client.max_inflight_messages = 1000
        self._client.reconnect_delay_set(1, 1)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def retain(self, topic: str, payload: bytes) -> None:
        """Publish; empty takes the topic back."""
        self._client.publish(topic, payload, qos=1, retain=True).wait_for_publish(PATIENCE_S)

    def send(self, topic: str, payload: bytes) -> None:
        """The same without waiting, for many; a ``retain`` behind them comes after all of them."""
        self._client.publish(topic, payload, qos=0, retain=True)

    def close(self) -> None:
        leave(self._client)


class PlayedTable:
    """One table; ``tell`` publishes what an event changes and gives the new ``display``."""

    def __init__(
        self,
        folder: Path,
        publisher: Publisher,
        table: str,
        game: str,
        settings: str = "",
        *,
        site: str = "north",
        mode: str = "live",
        bets_s: int = 20,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        names = {"table": {"site": site, "id": table, "mode": mode}, "game": {"name": game}}
        rounds = {"round": {"bets_s": bets_s, "decision_s": 30}}
        file = configured(folder, DEVICES, names, rounds, f"[game]\n{settings}")
        self.site, self.table, self.game = site, table, game
        self.path = f"{site}/{table}" + ("/test" if mode == "test" else "")
        self.base = f"dealer-table/v1/{self.path}"
        self.retained: dict[str, bytes] = {}
        self.speaking = True
        """False: nothing is published until ``publish_all``."""
        self.publisher = publisher
        self.to_come = 0
        """Rounds that are still to be opened: the last of them is opened now, those before in their time."""
        self.round_s = ROUND_S
        """From one to the next."""
        self.opened_s_ago = 0
        """Or the last of them so long ago: tables of a floor do not open in the same second."""
        self.to_deal: list[str] = []
        """Cards that will be dealt by name: what comes by chance leaves them in the shoe."""
        self._cards: list[str] = []
        self._chance = random.Random(table)
        self._replay = Replay(1)
        self._mode = mode
        self._sequence = 1
        self._keep(self._replay.step(configured_by(load_configuration(file)), Stamp(at=now(), sequence=1)))
        self.status("online")

    @property
    def display(self) -> dict[str, object]:
        """The last retained ``display``."""
        shown: dict[str, object] = json.loads(self.retained[f"{self.base}/display"])
        return shown

    def tell(self, event: str, **fields: object) -> dict[str, object]:
        """Something happened at the table; AssertionError where the table refuses it."""
        self._sequence += 1
        line = json.dumps(
            {"event": event, "at": now(-self.round_s * self.to_come - self.opened_s_ago), **fields}
        ).encode()
        read, stamp = decode_event(line)
        self._keep(self._replay.step(read, msgspec.structs.replace(stamp, sequence=self._sequence)))
        assert not self._replay.refusals, self._replay.refusals
        return self.display

    def status(self, state: str) -> None:
        """The retained status, as the table or its will says it."""
        self._publish(
            f"{self.base}/status", json.dumps({**STATUS, "state": state, "mode": self._mode}).encode()
        )

    def alert(self, name: str, message: str | None, code: str | None = None) -> None:
        """An alert that is retained, as the table says it; None takes it back."""
        told = {"id": name, "code": code or name, "message": message, "at": now()}
        body = b"" if message is None else json.dumps(told).encode()
        self._publish(f"{self.base}/alerts/{name}", body)

    def shoe(self) -> None:
        """A shuffled shoe is loaded."""
        ranks = "A23456789T" if self.game == "two-cards-high" else "A23456789TJQK"
        deck = [rank + suit for rank in ranks for suit in "SHDC"]
        self._cards = deck * (CARDS[self.game] // len(deck))
        self._chance.shuffle(self._cards)
        for card in self.to_deal:
            if card in self._cards:
                self._cards.remove(card)
        self.tell("shoe_loaded", cards=CARDS[self.game], shuffled=True)

    def draw(self, cards: int) -> None:
        """So many cards by chance."""
        self.deal(*(self._cards.pop() for _ in range(cards)))

    def open(self) -> None:
        """Place your bets; a one-deck game gets a shuffled pack first."""
        self.to_come = max(0, self.to_come - 1)
        if CARDS[self.game] < 100:
            self.shoe()
        self.tell("bets_opened")
        if self.to_come == 0:
            self.opened_s_ago = 0

    def close(self) -> None:
        """Bets close, and the round is annulled before a card: it may open again."""
        self.tell("round_voided", reason="supervisor", by="S-1")

    def deal(self, *cards: str) -> None:
        """Cards come out of the shoe."""
        for card in cards:
            self.tell("card_read", code=card)

    def round(self) -> None:
        """A whole round by chance, until it is settled."""
        self.open()
        while True:
            phase = self.display["phase"]
            if phase == "betting":
                self.tell("bets_closed")
            elif phase == "dealing":
                self.draw(1)
            elif phase == "decision":
                self.tell("decisions_closed")
            elif phase == "reveal":
                self.tell("cards_revealed")
            else:
                break
        self.tell("round_settled")

    def rounds(self, number: int) -> None:
        """Many rounds, of which only the end is published."""
        self.speaking = False
        for _ in range(number):
            self.round()
        self.speaking = True
        self.publish_all()

    def publish_all(self) -> None:
        """Everything that is retained once more, as a table does on a new connection."""
        for topic, payload in self.retained.items():
            self.publisher.retain(topic, payload)

    def reconnect(self, publisher: Publisher) -> None:
        """Go on with another connection, where everything that is retained is said anew."""
        self.publisher = publisher
        self.publish_all()

    def _keep(self, printed: Iterable[Printed]) -> None:
        for one in printed:
            if one.retain:
                body = bytes(one.payload)
                self._publish(one.topic, b"" if body == b"{}" else body)

    def _publish(self, topic: str, payload: bytes) -> None:
        if payload:
            self.retained[topic] = payload
        else:
            self.retained.pop(topic, None)
        if self.speaking:
            self.publisher.retain(topic, payload)


def now(plus_s: float = 0.0) -> str:
    """The time, RFC 3339."""
    moment = datetime.now(UTC) + timedelta(seconds=plus_s)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
