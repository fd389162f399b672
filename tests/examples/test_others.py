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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from controller.journal.reader import SqliteReader
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad.simulator import Keypad
from tests.harness.dealer import Dealer
from tests.harness.house import House, house
from tests.harness.process import Program
from tests.harness.whole import PANEL, must, whole
from tests.node import EXAMPLES, NODE

DISPLAY = (NODE, EXAMPLES / "display" / "display.mjs")
BOOKS = EXAMPLES / "casino-management" / "house.py"


def test_a_sign_shows_the_round_and_nothing_of_a_table_that_is_gone(tmp_path: Path) -> None:
    with house(tmp_path, SimulatedAngelEye(tmp_path / "shoe")) as table, ExitStack() as stack:
        where = ["--broker", f"mqtt://127.0.0.1:{table.broker.port}", "--table", "north/7"]
        sign = stack.enter_context(Program([*DISPLAY, *where], tmp_path / "sign.log"))
        sign.wait_printed("TABLE CLOSED")
        dealer = Dealer(table, random.Random(5))
        table.daemon.start()
        dealer.load()
        assert dealer.round()
        played = dealer.rounds[-1].played
        assert played is not None
        hands = f"player {' '.join(played.player)} | banker {' '.join(played.banker)}"
        sign.wait_printed(f"{hands} | winner {played.winner}")
        dealer.press("KEY", "boss")
        dealer.must("VOID", "supervisor")
        sign.wait_printed("VOID, all bets are returned")
        before = len(sign.printed)
        table.daemon.kill()
        sign.wait_printed("TABLE CLOSED", before)
        assert sign.stop() == 0


def test_the_books_of_the_house_survive_kills_and_say_who_ruled(tmp_path: Path) -> None:
    shoe = SimulatedAngelEye(tmp_path / "shoe")
    with house(tmp_path, shoe, 'mqtt.consumers = ["settlement", "cms"]') as table, ExitStack() as stack:
        books = tmp_path / "house.db"
        call: list[str | Path] = [
            sys.executable,
            BOOKS,
            "--file",
            books,
            "--broker",
            f"127.0.0.1:{table.broker.port}",
        ]
        keeper = stack.enter_context(Program(call, tmp_path / "house.log"))
        dealer = Dealer(table, random.Random(6))
        table.daemon.start()
        dealer.load()
        dealer.must("DEALER", "ann")
        for number in range(6):
            if number == 2:
                dealer.must("DEALER", "bob")
            assert dealer.round()
            if number in (1, 3):
                keeper.restart()
            if number == 4:
                dealer.press("KEY", "boss")
                dealer.must("VOID", "supervisor")
                dealer.press("NOKEY")
        table.wait_delivered()
        keeper.until(lambda: cursor_of(table, "cms") == table.stream_head(), "the table knows it has all")
        assert keeper.stop(signal.SIGINT) == 0
        told = subprocess.check_output([*call, "--report"], text=True)
        report: list[dict[str, Any]] = [json.loads(line) for line in told.splitlines()]
        times = {(line["name"], line["reason"], line["by"]): line["times"] for line in report}
        assert times["round.settled", None, None] == 6
        assert times["round.void", "supervisor", "boss"] == 1
        assert times["shoe.started", None, None] == 1
        assert times["table.dealer", None, "ann"] == times["table.dealer", None, "bob"] == 1
        assert {line["table"] for line in report} == {"7"}
        told = subprocess.check_output([*call, "--dealers"], text=True)
        by_dealer = {line["dealer"]: line for line in map(json.loads, told.splitlines())}
        assert (by_dealer["ann"]["paid"], by_dealer["ann"]["void"]) == (2, 0)
        assert (by_dealer["bob"]["paid"], by_dealer["bob"]["void"]) == (3, 1)


def cursor_of(table: House, consumer: str) -> int:
    """Up to where the table knows that this consumer has everything."""
    with SqliteReader.open(table.journal) as reader:
        return reader.cursors().get(consumer, 0)


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
        happened = tmp_path / "happened"
        happened.write_text("start\ndone 416\nloaded 8\n")
        call: list[str | Path] = [sys.executable, EXAMPLES / "device" / "shuffler.py", port]
        with Program(call, tmp_path / "vendor.log", stdin=happened) as device:
            assert device.wait() == 0
        assert "SERIAL 000123: OK" in device.printed
        assert "LOADED 8: OK" in device.printed
        assert table.wait_said("shoe.started")["cards"] == 416
        must(keypad, "OPEN")
