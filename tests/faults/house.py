"""A whole table whose broker stands behind a bad network: daemon and consumer each through a proxy."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from controller.cli.top import ask, read
from controller.journal.reader import SqliteReader
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.panel.keypad.simulator import Keypad
from tests.broker import Broker
from tests.e2e.process import PROGRAM, Daemon
from tests.faults.deals import Deal
from tests.faults.proxy import FaultProxy
from tests.faults.ways import CONSUMER, SITE, TABLE, over_tls, plain

CONFIGURATION = """\
[table]
site = "{site}"
id = "{table}"
[game]
name = "{game}"
{settings}
[mqtt]
port = {port}
consumers = ["{consumer}"]
{login}
ack_timeout_s = 1
keepalive_s = 5
{mqtt}
[journal]
path = "{folder}/journal.db"
{journal}
[observe]
socket = "{folder}/top"
[devices.shoe]
driver = "{driver}"
port = "{folder}/shoe"
[devices.panel]
driver = "keypad"
port = "{folder}/keypad"
"""


class Consumer:
    """``dealer-table consume`` as a process; all its lives write to the same two files."""

    def __init__(self, folder: Path, port: int, login: Sequence[str | Path] = ()) -> None:
        self.file = folder / "settlement.db"
        self._port, self._login = port, login
        self._printed, self._log = folder / "settlement.out", folder / "settlement.log"
        self._guard = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._printed_before = 0

    def start(self) -> None:
        """Start it; returns at once."""
        arguments = ["--name", CONSUMER, "--site", SITE, "--table", TABLE, "--port", str(self._port)]
        with self._guard, self._printed.open("ab") as printed, self._log.open("ab") as log:
            self._printed_before = printed.tell()
            self._process = subprocess.Popen(
                [PROGRAM, "consume", *arguments, *self._login, "--file", self.file],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=log,
            )

    def restart(self) -> None:
        """kill -9, and start it again at once."""
        with self._guard:
            self.kill()
            self.start()

    def kill(self) -> None:
        """kill -9."""
        with self._guard:
            process, self._process = self._process, None
            if process is not None:
                process.kill()
                process.wait()

    def stop(self) -> int:
        """End it as a service manager does; its exit status, 1 where something did not follow."""
        with self._guard:
            process, self._process = self._process, None
        if process is None:
            raise RuntimeError("the consumer does not run")
        process.send_signal(signal.SIGTERM)
        return process.wait(60)

    @property
    def has_taken(self) -> bool:
        """Whether this life of it has taken a message."""
        return self._printed.stat().st_size > self._printed_before

    def kept(self) -> list[bytes]:
        """The messages in its file, in order of sequence."""
        connection = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=30)
        try:
            rows = connection.execute("SELECT body FROM messages ORDER BY epoch, sequence").fetchall()
        finally:
            connection.close()
        return [body for (body,) in rows]

    def place(self) -> int:
        """Sequence of the last message in its file."""
        if not self.file.exists():
            return 0
        connection = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=30)
        try:
            row = connection.execute("SELECT max(sequence) FROM messages").fetchone()
        except sqlite3.OperationalError:
            return 0  # it has been killed before it made its tables
        finally:
            connection.close()
        return row[0] or 0

    def printed(self) -> list[int]:
        """The sequences that it has told as new, all lives together, in order of time."""
        lines = self._printed.read_bytes().split(b"\n")
        return [json.loads(line)["sequence"] for line in lines if line.endswith(b"}")]

    @property
    def log(self) -> str:
        """What it said on standard error."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""


@dataclass
class BadHouse:
    """All parts of the table; the devices outlive the daemon, the proxies outlive the broker."""

    folder: Path
    broker: Broker
    proxies: dict[str, FaultProxy]
    """Of the daemon, and of the consumer."""
    shoe: SimulatedAngelEye | SimulatedBeeTek
    keypad: Keypad
    daemon: Daemon
    consumer: Consumer

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.folder / "journal.db"

    def frames(self, device: str) -> int:
        """So many frames of this device the daemon has heard in this life, as its window shows it (each half
        second).
        """
        return read(ask(self.folder / "top")).devices[device].frames_in

    def messages(self) -> list[bytes]:
        """The stream as it stands in the journal."""
        with SqliteReader.open(self.journal) as reader:
            return [message.body for message in reader.every_message()]

    def stream_head(self) -> int:
        """Sequence of the last durable message."""
        with SqliteReader.open(self.journal) as reader:
            return reader.stream_head


def shoe_of(link: Path, *, numbered: bool, again_s: float) -> SimulatedAngelEye | SimulatedBeeTek:
    """One that says again what was not confirmed, or one that says everything once."""
    return (
        SimulatedAngelEye(link, tries=1_000_000, answer_timeout_s=again_s)
        if numbered
        else SimulatedBeeTek(link)
    )


@contextmanager
def bad_house(
    folder: Path,
    deal: Deal,
    *,
    mqtt: str = "",
    journal: str = "",
    program: Sequence[str | Path] = (PROGRAM,),
    again_s: float = 0.1,
    made: Callable[[Path, Sequence[str | Path]], Daemon] = Daemon,
    tls: bool = False,
) -> Iterator[BadHouse]:
    """Set the table up and start it; everything ends with the context. ``again_s``: when the shoe says a
    report again. ``tls``: at a broker as a floor runs it.
    """
    with ExitStack() as stack:
        numbered = deal.game == "baccarat"
        shoe = shoe_of(folder / "shoe", numbered=numbered, again_s=again_s)
        stack.callback(shoe.stop)
        keypad = stack.enter_context(Keypad(folder / "keypad"))
        way = over_tls(folder / "broker") if tls else plain(folder / "broker")
        broker = way.broker
        stack.callback(broker.stop)
        proxies = {name: FaultProxy(broker.port) for name in ("daemon", "consumer")}
        for proxy in proxies.values():
            stack.callback(proxy.stop)
        path = folder / "table.toml"
        path.write_text(
            CONFIGURATION.format(
                game=deal.game,
                settings=deal.settings,
                port=proxies["daemon"].port,
                site=SITE,
                table=TABLE,
                consumer=CONSUMER,
                login=way.daemon,
                mqtt=mqtt,
                journal=journal,
                folder=folder,
                driver="angel-eye" if numbered else "bee-tek",
            )
        )
        daemon = made(path, program)
        stack.callback(daemon.kill)
        consumer = Consumer(folder, proxies["consumer"].port, way.consumer)
        stack.callback(consumer.kill)
        daemon.start()
        consumer.start()
        yield BadHouse(folder, broker, proxies, shoe, keypad, daemon, consumer)
