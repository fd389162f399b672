"""``docs/examples``: a sign, the books of a house, the firmware of a device; each beside a real table."""

from __future__ import annotations

import json
import os
import pty
import random
import select
import signal
import subprocess
import sys
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from controller.journal.reader import SqliteReader
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad.simulator import Keypad
from tests.harness.dealer import Dealer
from tests.harness.house import House, house
from tests.harness.whole import PANEL, must, whole
from tests.node import EXAMPLES, NODE

PATIENCE_S = 60.0
BOOKS = EXAMPLES / "casino-management" / "house.py"


class Running:
    """A program whose lines are heard."""

    def __init__(self, *call: object, stdin: int | None = None) -> None:
        words = [str(word) for word in call]
        self.process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE, text=True)
        self.heard = threading.Condition()
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                with self.heard:
                    self.lines.append(line.rstrip("\n"))
                    self.heard.notify_all()

    def wait(self, words: str) -> None:
        with self.heard:
            so = self.heard.wait_for(lambda: any(words in line for line in self.lines), PATIENCE_S)
            assert so, (words, self.lines)

    def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


def test_a_sign_shows_the_round_and_nothing_of_a_table_that_is_gone(tmp_path: Path) -> None:
    with house(tmp_path, SimulatedAngelEye(tmp_path / "shoe")) as table:
        call = [
            NODE,
            EXAMPLES / "display" / "display.mjs",
            "--broker",
            f"mqtt://127.0.0.1:{table.broker.port}",
        ]
        sign = Running(*call, "--table", "north/7")
        sign.wait("TABLE CLOSED")
        dealer = Dealer(table, random.Random(5))
        table.daemon.start()
        dealer.load()
        assert dealer.round()
        played = dealer.rounds[-1].played
        assert played is not None
        hands = f"player {' '.join(played.player)} | banker {' '.join(played.banker)}"
        sign.wait(f"{hands} | winner {played.winner}")
        dealer.press("KEY", "boss")
        dealer.must("VOID", "supervisor")
        sign.wait("VOID, all bets are returned")
        sign.lines.clear()
        table.daemon.kill()
        sign.wait("TABLE CLOSED")
        assert sign.end(signal.SIGTERM) == 0


def test_the_books_of_the_house_survive_kills_and_say_who_ruled(tmp_path: Path) -> None:
    with house(
        tmp_path, SimulatedAngelEye(tmp_path / "shoe"), 'mqtt.consumers = ["settlement", "cms"]'
    ) as table:
        books = tmp_path / "house.db"
        call = [sys.executable, BOOKS, "--file", books, "--broker", f"127.0.0.1:{table.broker.port}"]
        keeper = Running(*call)
        dealer = Dealer(table, random.Random(6))
        table.daemon.start()
        dealer.load()
        for number in range(6):
            assert dealer.round()
            if number in (1, 3):
                keeper.end()
                keeper = Running(*call)
            if number == 4:
                dealer.press("KEY", "boss")
                dealer.must("VOID", "supervisor")
                dealer.press("NOKEY")
        table.wait_delivered()
        head = table.stream_head()

        wait_cursor(table, "cms", head)
        assert keeper.end(signal.SIGINT) == 0
        told = subprocess.run(
            [*map(str, call), "--report"], check=True, capture_output=True, text=True
        ).stdout
        report: list[dict[str, Any]] = [json.loads(line) for line in told.splitlines()]
        times = {(line["name"], line["reason"], line["by"]): line["times"] for line in report}
        assert times["round.settled", None, None] == 6
        assert times["round.void", "supervisor", "boss"] == 1
        assert times["shoe.started", None, None] == 1
        assert {line["table"] for line in report} == {"7"}


def wait_cursor(table: House, consumer: str, sequence: int) -> None:
    """Wait until the table knows that this consumer has everything up to here."""
    tick = threading.Event()
    for _ in range(int(PATIENCE_S / 0.1)):
        with SqliteReader.open(table.journal) as reader:
            if reader.cursors().get(consumer, 0) >= sequence:
                return
        tick.wait(0.1)
    raise AssertionError(f"{consumer} never has message {sequence}")


@contextmanager
def cable(end: Path) -> Iterator[str]:
    """A null modem: what is written at one end is read at the other. ``end`` is the table's; gives the
    path of the other.
    """
    ours, theirs = pty.openpty(), pty.openpty()
    for _, slave in (ours, theirs):
        tty.setraw(slave)
    end.symlink_to(os.ttyname(ours[1]))
    stop, stopped = os.pipe()

    def carry() -> None:
        other = {ours[0]: theirs[0], theirs[0]: ours[0]}
        while True:
            ready = select.select([*other, stop], [], [])[0]
            if stop in ready:
                return
            for source in ready:
                os.write(other[source], os.read(source, 4096))

    thread = threading.Thread(target=carry)
    thread.start()
    try:
        yield os.ttyname(theirs[1])
    finally:
        os.write(stopped, b"x")
        thread.join()
        for number in (*ours, *theirs, stop, stopped):
            os.close(number)


def test_a_device_of_a_vendor_loads_a_shoe(tmp_path: Path) -> None:
    devices = f'{PANEL}[devices.shoe]\ndriver = "bee-tek"\nport = "{{folder}}/shoe"\n'
    devices += '[devices.shuffler]\ndriver = "line"\nport = "{folder}/shuffler"\n'
    with (
        cable(tmp_path / "shuffler") as port,
        SimulatedBeeTek(tmp_path / "shoe"),
        Keypad(tmp_path / "keypad") as keypad,
        whole(tmp_path, devices) as table,
    ):
        device = Running(sys.executable, EXAMPLES / "device" / "shuffler.py", port, stdin=subprocess.PIPE)
        device.wait("SERIAL 000123: OK")
        assert device.process.stdin is not None
        device.process.stdin.write("start\ndone 416\nloaded 8\n")
        device.process.stdin.close()
        device.wait("LOADED 8: OK")
        assert device.process.wait(PATIENCE_S) == 0
        assert table.wait_said("shoe.started")["cards"] == 416
        must(keypad, "OPEN")
