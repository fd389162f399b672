"""What is logged: forms, fields, and nothing that must stay hidden."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import socket
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from controller.shell.intake import Intake
from controller.shell.observing import logs
from controller.shell.observing.logs import (
    LINES_A_MINUTE,
    Journald,
    datagram,
    goes_to_journald,
    open_log,
    teller,
)
from controller.vocabulary.events import DeviceFaulted
from controller.vocabulary.histogram import BOUNDS_S, Histogram
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad.simulator import Keypad
from tests.harness.bench import Bench
from tests.harness.patience import PATIENCE_S
from tests.harness.whole import PANEL, must, whole

SHOE = '[devices.shoe]\ndriver = "bee-tek"\nport = "{folder}/shoe"\n'


@pytest.fixture(autouse=True)
def the_log_afterwards_is_the_one_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:], root.level = handlers, level


def test_text_for_people() -> None:
    stream = io.StringIO()
    open_log("text", "north/7", stream)
    logging.getLogger("a.b").warning("the %s", "cable")
    at, said = stream.getvalue().split(" ", 1)
    assert datetime.fromisoformat(at).tzinfo is not None
    assert said == "WARNING a.b: the cable\n"


def test_text_for_people_names_no_place_in_the_program() -> None:
    stream = io.StringIO()
    open_log("text", "north/7", stream)
    logging.getLogger("controller.outbox.connector").info("the broker is found")
    assert stream.getvalue().endswith("Z INFO the broker is found\n")


def test_json_is_one_object_a_line() -> None:
    stream = io.StringIO()
    open_log("json", "north/7", stream)
    logging.getLogger("a.b").error("two\nlines")
    (line,) = stream.getvalue().splitlines()
    told = json.loads(line)
    assert told.pop("at").endswith("Z")
    assert told == {"level": "error", "logger": "a.b", "table": "north/7", "message": "two\nlines"}


def test_journald_gets_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As systemd does it: ``JOURNAL_STREAM`` names the device and inode of standard error."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal, (tmp_path / "err").open("w") as stream:
        journal.bind(str(tmp_path / "journal"))
        journal.settimeout(PATIENCE_S)
        monkeypatch.setattr(logs, "JOURNALD", tmp_path / "journal")
        status = os.fstat(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        assert goes_to_journald(stream)
        open_log("auto", "north/7", stream)
        logging.getLogger("a.b").warning("the cable")
        assert journal.recv(4096).decode().splitlines() == [
            "MESSAGE=the cable",
            "PRIORITY=4",
            "SYSLOG_IDENTIFIER=dealer-table",
            "LOGGER=a.b",
            "DEALERTABLE_TABLE=north/7",
        ]
        assert (tmp_path / "err").read_text() == ""


@pytest.mark.parametrize("named", ["", "1:2", "nonsense"])
def test_a_stream_that_is_not_journalds_gets_text(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOURNAL_STREAM", named)
    stream = io.StringIO()
    open_log("auto", "north/7", stream)
    logging.getLogger("a").info("words")
    assert stream.getvalue().endswith("Z INFO a: words\n")


def test_lines_of_many_tables_have_no_table_and_a_rate_for_each_kind() -> None:
    stream = io.StringIO()
    open_log("json", stream=stream)
    tell = teller("a")
    for number in range(2 * LINES_A_MINUTE):
        tell(f"table north/7: message {number} is refused")
    for number in range(2 * LINES_A_MINUTE):
        tell(f"table north/{number}: it is there")
    told = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {tuple(one) for one in told} == {("at", "level", "logger", "message")}
    assert len(told) == LINES_A_MINUTE + 2 * LINES_A_MINUTE


def test_a_journal_that_is_gone_stops_nothing(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(str(tmp_path / "journal"))
        handler = Journald("north/7", tmp_path / "journal")
    handler.emit(logging.LogRecord("a", logging.INFO, "", 0, "words", None, None))
    handler.close()
    with pytest.raises(FileNotFoundError):
        Journald("north/7", tmp_path / "nowhere")


def test_a_value_of_two_lines_has_its_length_before_it() -> None:
    assert datagram({"A": "x", "B": "1\n2"}) == b"A=x\nB\n\x03\x00\x00\x00\x00\x00\x00\x001\n2\n"


def test_a_histogram_counts_each_second_once() -> None:
    histogram = Histogram()
    for seconds in (0.0, BOUNDS_S[0], 0.0006, 99.0):
        histogram.observe(seconds)
    assert (histogram.counts[:2], histogram.counts[-1], sum(histogram.counts)) == ([2, 1], 1, 4)
    copy = histogram.copy()
    histogram.observe(1.0)
    assert (sum(copy.counts), copy.total_s) == (4, pytest.approx(99.0011))


PUBLIC_KEY = re.compile(r"\b[A-Za-z0-9_-]{43}\b")
"""By chance it has a card's letters in it."""


def test_no_line_names_a_card_that_lies_face_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that can be logged in a round with hidden cards, faults of ours on the way included."""
    stream = io.StringIO()
    open_log("json", "north/7", stream)
    logging.getLogger().setLevel(logging.DEBUG)
    cards = ["AS", "KH", "QD", "9C", "7S", "2H", "JD"]
    with (
        SimulatedBeeTek(tmp_path / "shoe") as shoe,
        Keypad(tmp_path / "keypad") as keypad,
        whole(tmp_path, SHOE + PANEL, game="casino-holdem") as table,
    ):
        must(keypad, "SHOE 52", "OPEN", "CLOSE")
        for place, card in enumerate(cards, 1):
            shoe.card(card)
            table.wait_said("round.card", place)
        with monkeypatch.context() as broken:
            broken.setattr(Intake, "take", lambda *_: 1 / 0)  # our own bug, on a hidden card
            shoe.card("TC")
            table.wait_event(DeviceFaulted)
    told = stream.getvalue()
    assert "intake failed" in told
    assert "shoe reports a fault" in told
    for line in told.splitlines():
        message = PUBLIC_KEY.sub("", json.loads(line)["message"])
        assert [card for card in (*cards, "TC") if card in message] == [], message


def test_a_line_that_comes_again_and_again_is_left_out_and_counted() -> None:
    now_s = [0.0]
    rates = logs.Rates(lambda: now_s[0])

    def passes() -> str | None:
        record = logging.LogRecord("a", logging.INFO, "", 0, "%s is lost", ("shoe",), None)
        return record.getMessage() if rates.filter(record) else None

    told = [passes() for _ in range(50)]
    assert (told.count("shoe is lost"), told.count(None)) == (20, 30)
    now_s[0] = 60.0
    assert passes() == "shoe is lost (30 more like this were left out)"
    assert passes() == "shoe is lost"


def test_holds_devices_voids_and_refusals_are_told_without_a_card(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    bench = Bench()
    bench.load()
    assert bench.key("SETTLED") != "OK"
    assert [bench.key(key) for key in ("OPEN", "HOLD", "KEY boss", "VOID supervisor")] == ["OK"] * 4
    told = [line for line in caplog.messages if "refused" in line or "hold" in line or "void" in line]
    assert told[0].startswith("refused to panel: ")
    assert any(line.startswith("the table holds: requested, round north-7-") for line in told)
    assert any("is void: supervisor" in line for line in told)
