"""``python -m tests.bench.latency``: a card from the wire to a subscriber, against the bridges of others.

The real program and the bridge, each a process on a pseudo-terminal, one real broker, one subscriber; a
card is put on the wire when the one before has arrived, in turn for each of them. Syncs of 20 and 5 ms are
made by our layer under SQLite, in the program and in the bridge alike. Status 1 where a mark is missed.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median, quantiles

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from drivers.keypad.simulator import Keypad
from tests.bench.bridge import TOPIC, no_delay
from tests.bench.timing import Mark, in_words, limit, part_arguments, told
from tests.harness.broker import Broker, leave
from tests.harness.configuration import PANEL, configured
from tests.harness.deals import WHOLE
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM, Program

MOST_TO_BRIDGE = 1.1
MOST_P99_S = 0.060
LEAST_BURST = 20.0
MOST_QOS = 0.1
SLOW_MS, BURST_MS = 20.0, 5.0
BURST = 300
GROUP = 5
"""A card, its result, and the retained topics."""
EVENTS = "dealer-table/v1/bench/1/events"
TABLE = """
table = { site = "bench", id = "1" }
game = { name = "2-card-action", layout = "C", decks = 8 }
journal.min_free_mb = 0
devices.shoe = { driver = "bee-tek", port = "{folder}/shoe" }
"""


class Cable:
    """A pseudo-terminal whose far end is written by hand; what does not fit at once waits."""

    def __init__(self, link: Path) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        link.symlink_to(os.ttyname(self._slave))

    def draw(self, cards: Sequence[str]) -> None:
        """Put cards on the wire, one line each."""
        waiting = b"".join(f" [Game]<Card:{card}> \r\n".encode() for card in cards)
        while waiting:
            waiting = waiting[os.write(self._master, waiting) :]

    def close(self) -> None:
        """Pull it."""
        os.close(self._master)
        os.close(self._slave)


class Client:
    """A client of a broker that tells when something came."""

    def __init__(self, port: int, plain: bool) -> None:
        self.guard = threading.Condition()
        self.client = paho.Client(CallbackAPIVersion.VERSION2)
        if not plain:
            self.client.on_socket_open = no_delay
        self.client.connect("127.0.0.1", port)

    def close(self) -> None:
        """Go."""
        leave(self.client)


class Ear(Client):
    """A subscriber: when did which message come."""

    def __init__(self, port: int, topic: str, *, plain: bool = False) -> None:
        super().__init__(port, plain)
        self.came_s: list[float] = []
        self.wanted: Callable[[bytes], bool] = lambda _body: True
        subscribed = threading.Event()
        self.client.on_connect = lambda client, *_: client.subscribe(topic, 1)
        self.client.on_subscribe = lambda *_: subscribed.set()
        self.client.on_message = self._heard
        self.client.loop_start()
        subscribed.wait(PATIENCE_S)

    def _heard(self, _client: paho.Client, _userdata: object, message: paho.MQTTMessage) -> None:
        now_s = time.perf_counter()
        if self.wanted(bytes(message.payload)):
            with self.guard:
                self.came_s.append(now_s)
                self.guard.notify_all()

    def after(self, act: Callable[[], None], messages: int = 1) -> float:
        """Seconds from the act to the last of so many messages."""
        with self.guard:
            there = len(self.came_s) + messages
        begun_s = time.perf_counter()
        act()
        with self.guard:
            if not self.guard.wait_for(lambda: len(self.came_s) >= there, PATIENCE_S):
                raise RuntimeError(f"{there - len(self.came_s)} of {messages} messages have not come")
            return self.came_s[there - 1] - begun_s


class OurTable:
    """The daemon at a table, and who presses its keys."""

    def __init__(self, cable: Cable, keypad: Keypad, ear: Ear) -> None:
        self.cable, self._keypad, self._ear = cable, keypad, ear
        self._cards: list[str] = []
        self._chance = random.Random(5)
        ear.wanted = lambda body: b'"dealertable.round.card.v1"' in body or b".shoe.burned." in body

    def must(self, line: str) -> None:
        """Press a key that is taken."""
        answer = self._keypad.ask(line, PATIENCE_S)
        if answer != "OK":
            raise RuntimeError(f"{line}: {answer}")

    def find(self) -> None:
        """Until the keypad answers what was asked last."""
        tries = 0
        while self._keypad.ask(f"SYNC {tries}", 0.2) != f"? SYNC {tries}":
            tries += 1

    def load(self) -> None:
        """A new shoe."""
        self._cards = list(WHOLE) * 8
        self._chance.shuffle(self._cards)
        self.must("SHOE 416")

    def two_cards(self) -> Iterator[float]:
        """Seconds of each card of a round."""
        if len(self._cards) < 20:
            self.load()
        self.must("OPEN")
        self.must("CLOSE")
        for _ in range(2):
            card = self._cards.pop()
            yield self._ear.after(lambda card=card: self.cable.draw([card]))
        self.must("SETTLED")

    def burst(self, cards: int) -> float:
        """Seconds of so many burn cards, all on the wire at once."""
        self.load()
        self.must(f"BURN {cards}")
        drawn = [self._cards.pop() for _ in range(cards)]
        return self._ear.after(lambda: self.cable.draw(drawn), cards)


@contextmanager
def our_table(folder: Path, broker: Broker, sync_ms: float = 0.0) -> Iterator[OurTable]:
    """The program as it is, or on a slow disk."""
    folder.mkdir()
    path = configured(folder, TABLE, PANEL, f"mqtt.port = {broker.port}")
    slowly = [sys.executable, "-m", "tests.bench.slow_disk", str(sync_ms)]
    with ExitStack() as stack:
        cable = stack.enter_context(closing(Cable(folder / "shoe")))
        keypad = stack.enter_context(Keypad(folder / "keypad"))
        ear = stack.enter_context(closing(Ear(broker.port, EVENTS)))
        command = slowly if sync_ms else [str(PROGRAM)]
        stack.enter_context(Program([*command, "run", "--config", path], folder / "daemon.log"))
        ours = OurTable(cable, keypad, ear)
        ours.find()
        ours.load()
        yield ours


@contextmanager
def a_bridge(folder: Path, broker: Broker, *arguments: str) -> Iterator[tuple[Cable, Ear]]:
    """The bridge that everybody would write first."""
    folder.mkdir()
    with ExitStack() as stack:
        cable = stack.enter_context(closing(Cable(folder / "shoe")))
        ear = stack.enter_context(closing(Ear(broker.port, TOPIC)))
        words = [sys.executable, "-m", "tests.bench.bridge", folder / "shoe", broker.port, *arguments]
        stack.enter_context(Program(words, folder / "bridge.log"))
        knock = threading.Event()
        while not ear.came_s:  # pyserial throws away what came before it opened the port
            cable.draw(["8S"])
            knock.wait(0.2)
        knock.wait(0.5)
        yield cable, ear


def sync_of(folder: Path) -> Callable[[], float]:
    """Seconds of one sync of this disk behind a write as large as a commit's."""
    handle = os.open(folder / "sync", os.O_WRONLY | os.O_CREAT, 0o600)
    pages = os.urandom(3 * 4096)

    def once() -> float:
        os.write(handle, pages)
        begun_s = time.perf_counter()
        os.fdatasync(handle)
        return time.perf_counter() - begun_s

    return once


def p99(samples: Sequence[float]) -> float:
    """99 of 100 are at most so long."""
    return quantiles(samples, n=100)[98]


def card(folder: Path, rounds: int) -> list[Mark]:
    """From the wire to the subscriber, this disk and a slow one."""
    with Broker(folder / "broker") as broker, ExitStack() as stack:
        ours = stack.enter_context(our_table(folder / "ours", broker))
        cable, ear = stack.enter_context(a_bridge(folder / "bridge", broker))
        sync = sync_of(folder)
        took: dict[str, list[float]] = {"ours": [], "bridge": [], "sync": []}
        for _ in range(rounds):
            for seconds in ours.two_cards():
                took["ours"].append(seconds)
                took["bridge"].append(ear.after(lambda: cable.draw(["8S"])))
                took["sync"].append(sync())
    with Broker(folder / "broker-2") as broker, our_table(folder / "slow", broker, SLOW_MS) as slow:
        late = [seconds for _ in range(rounds) for seconds in slow.two_cards()]
    mid = {name: median(samples) for name, samples in took.items()}
    peer = mid["bridge"] + mid["sync"]
    words = f"bridge {in_words(mid['bridge'])} + sync {in_words(mid['sync'])}"
    what = f"card on the wire to message at a subscriber, p50 of {2 * rounds}"
    slow_what = f"the same, p99, syncs of {SLOW_MS:.0f} ms"
    return [
        Mark(what, in_words(mid["ours"]), words, mid["ours"] / peer, MOST_TO_BRIDGE, at_least=False),
        limit(slow_what, p99(late), MOST_P99_S, in_words),
    ]


def burst(folder: Path, times: int) -> Mark:
    """Many cards at once on a slow disk, against a commit for each; medians."""
    ours_s, peer_s = [], []
    with Broker(folder / "broker") as broker, ExitStack() as stack:
        ours = stack.enter_context(our_table(folder / "ours", broker, BURST_MS))
        kept = ("--journal", str(folder / "bridge.db"), "--sync-ms", str(BURST_MS))
        cable, ear = stack.enter_context(a_bridge(folder / "bridge", broker, *kept))
        for _ in range(times):
            ours_s.append(ours.burst(BURST))
            peer_s.append(ear.after(lambda: cable.draw(["8S"] * BURST), BURST))
    rates = [BURST / median(samples) for samples in (ours_s, peer_s)]
    what = f"burst of {BURST} cards, syncs of {BURST_MS:.0f} ms"
    said = [f"{rate:,.0f} cards/s" for rate in rates]
    return Mark(what, said[0], f"bridge, a commit a card: {said[1]}", rates[0] / rates[1], LEAST_BURST, True)


class Mouth(Client):
    """A publisher: how long does the broker take to answer for a message."""

    def __init__(self, port: int, *, plain: bool) -> None:
        super().__init__(port, plain)
        self.answered_s: dict[int, float] = {}
        self.client.on_publish = self._answered
        self.client.loop_start()

    def _answered(self, _client: paho.Client, _userdata: object, mid: int, *_: object) -> None:
        now_s = time.perf_counter()
        with self.guard:
            self.answered_s[mid] = now_s
            self.guard.notify_all()

    def say(self, body: bytes) -> list[float]:
        """Seconds until the PUBACK of each of a group of messages."""
        self.answered_s.clear()
        said_s: dict[int, float] = {}
        for _ in range(GROUP):
            now_s = time.perf_counter()
            said_s[self.client.publish("bench", body, qos=1).mid] = now_s
        with self.guard:
            if not self.guard.wait_for(lambda: len(self.answered_s) >= GROUP, PATIENCE_S):
                raise RuntimeError("the broker does not answer")
            return [self.answered_s[mid] - at_s for mid, at_s in said_s.items()]


def qos(folder: Path, groups: int) -> Mark:
    """Messages in a row, as the last card of a round makes them: p99 from the hand to the PUBACK."""
    took: dict[str, list[float]] = {"ours": [], "plain": []}
    with ExitStack() as stack:
        mouths: dict[str, Mouth] = {}
        for name in took:
            broker = stack.enter_context(Broker(folder / name, no_delay=name != "plain"))
            plain = name == "plain"
            stack.enter_context(closing(Ear(broker.port, "bench", plain=plain)))
            mouths[name] = stack.enter_context(closing(Mouth(broker.port, plain=plain)))
        for _ in range(groups):
            for name, mouth in mouths.items():
                took[name] += mouth.say(bytes(600))
    late = {name: p99(samples) for name, samples in took.items()}
    ratio = late["ours"] / late["plain"]
    what = f"QoS 1, p99 to the PUBACK, {groups} groups of {GROUP} messages"
    said = f"paho and mosquitto as they come {in_words(late['plain'])}"
    return Mark(what, in_words(late["ours"]), said, ratio, MOST_QOS, at_least=False)


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    parser = part_arguments("latency", __doc__)
    parser.add_argument("--rounds", type=int, default=200, help="of two cards [%(default)s]")
    chosen = parser.parse_args()
    print(f"load before {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="dealer-table-bench-") as scratch:
        folders = [Path(scratch) / name for name in ("card", "burst", "qos")]
        for folder in folders:
            folder.mkdir()
        marks = card(folders[0], chosen.rounds)
        marks += [burst(folders[1], max(3, chosen.rounds // 40)), qos(folders[2], chosen.rounds)]
    return told(chosen.json, marks)


if __name__ == "__main__":
    sys.exit(main())
