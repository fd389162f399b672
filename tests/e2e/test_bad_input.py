"""What cables and brokers do to a table: each time a clear word, nothing lost, and the right result."""

from __future__ import annotations

import fcntl
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from controller.vocabulary.events import DeviceFaulted, DeviceLost
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.angel_eye.wire import ACK
from tests.e2e.checks import check_frames, check_results
from tests.harness.broker import Broker, password_file
from tests.harness.dealer import Dealer
from tests.harness.house import House, house
from tests.harness.patience import PATIENCE_S
from tests.harness.process import Daemon


@dataclass
class Interrupted(Dealer):
    """Deals, and lets something happen before the third card of a round."""

    house: House
    happening: Callable[[], None] | None = None
    seen: list[str] = field(default_factory=list)

    def draw(self, hand: str, number: int) -> str:
        if len(self.rounds[-1].cards) == 2 and self.happening is not None:
            self.patiently(self.hand.settled, "the shoe's reports are taken")
            happening, self.happening = self.happening, None
            happening()
        return super().draw(hand, number)

    def checked(self) -> None:
        """Nothing was lost: all is delivered, each report is in the record once, each result is right."""
        self.house.wait_delivered()
        check_results(self.house.settlement, self)
        check_frames(self.house)


def seated(table: House) -> Interrupted:
    """A dealer with a loaded shoe."""
    made = Interrupted(table, random.Random(7))
    made.load()
    return made


class PatientShoe(SimulatedAngelEye):
    """Sends a report until it is acknowledged, and counts what it sends and is answered."""

    def __init__(self, link: Path) -> None:
        self.answers = self.sendings = 0
        super().__init__(link, tries=1_000_000, answer_timeout_s=0.1)

    def _send_head(self) -> None:
        self.sendings += 1
        super()._send_head()

    def corrupt_next(self, reports: int = 1) -> None:
        """Not before all is answered: an answer has no number, one to spare would stand for this report."""
        with self.guard:
            assert self.guard.wait_for(lambda: self.answers == self.sendings, PATIENCE_S)
            super().corrupt_next(reports)

    def hear(self, chunk: bytes) -> None:
        self.answers += chunk.count(ACK)
        super().hear(chunk)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, PatientShoe(tmp_path / "shoe")) as made:
        made.daemon.start()
        yield made
        made.daemon.check()


@pytest.fixture
def dealer(table: House) -> Interrupted:
    return seated(table)


def messages(table: House) -> list[str]:
    """What the alerts said, in order."""
    return [str(alert["message"]) for alert in table.settlement.of("alert.raised")]


def wait_recorded(table: House, text: bytes) -> None:
    """Wait until a record has this in it."""
    table.daemon.until(lambda: any(text in one.body for one, _, _ in table.records()), f"{text!r} recorded")


def faults(table: House) -> list[tuple[str, bytes]]:
    """The faults of the shoe in the record: the reason, and the bytes that were kept."""
    return [
        (event.reason, bytes.fromhex(stamp.raw or ""))
        for _, event, stamp in table.records()
        if isinstance(event, DeviceFaulted) and event.device == "shoe"
    ]


NOISE = [
    pytest.param(b"\x00\xff\x13garbage\r\n", "bytes outside of a frame", id="garbage"),
    pytest.param(b"\x05\x31D\x81\xb8", "another one interrupts", id="a part of a frame"),
    pytest.param(b"\x05\x31D\x81\xb8\x0300", "wrong BCC", id="a wrong BCC"),
    pytest.param(b"\x05\x31D\x81\x01", "control byte", id="a corrupt frame"),
    pytest.param(b"\x05" + b"D" * 60, "no ETX", id="a frame without an end"),
    pytest.param(b"\x06\x06\x15\x02", "nobody waits for", id="answers to nothing"),
]


def wait_for(table: House, name: str, *, last: str | None = None) -> dict[str, Any]:
    """Wait for a message of this name (and reason)."""

    def found() -> dict[str, Any] | None:
        said = [data for data in table.settlement.of(name) if last in (None, data.get("reason"))]
        return said[-1] if said else None

    table.settlement.wait(lambda: found() is not None, name)
    return found() or {}


@pytest.mark.parametrize(("noise", "word"), NOISE)
def test_noise_in_the_middle_of_a_deal(table: House, dealer: Interrupted, noise: bytes, word: str) -> None:
    dealer.happening = lambda: table.shoe.send_raw(noise)
    assert dealer.round()
    assert dealer.round()
    assert dealer.holds == 0
    dealer.checked()
    kept = faults(table)
    assert any(word in reason for reason, _ in kept), kept
    # A slow machine asks the shoe again before it has read the answer: answers to spare are kept as well.
    heard, answer = b"".join(raw for _, raw in kept), bytes((ACK,))
    assert heard.replace(answer, b"") == noise.replace(answer, b"")
    assert heard.count(answer) >= noise.count(answer)
    assert any(word in message for message in messages(table))


def test_a_report_that_arrives_corrupt_is_refused_and_comes_again(table: House, dealer: Interrupted) -> None:
    dealer.happening = table.angel_eye.corrupt_next
    assert dealer.round()
    assert table.angel_eye.refused == ["02"]
    dealer.checked()
    assert faults(table)[0][0].startswith("wrong BCC")


def test_a_report_that_comes_again_is_acknowledged_and_dropped(table: House, dealer: Interrupted) -> None:
    shoe = table.shoe
    assert isinstance(shoe, PatientShoe)

    def again() -> None:
        already = shoe.answers
        for _ in range(3):
            shoe.send_raw(shoe.sent[-1])
        with shoe.guard:
            assert shoe.guard.wait_for(lambda: shoe.answers == already + 3, PATIENCE_S)

    dealer.happening = again
    assert dealer.round()
    dealer.checked()
    assert table.settlement.of("table.held") == []


def test_the_same_number_with_other_bytes_holds(table: House, dealer: Interrupted) -> None:
    def other() -> None:
        shoe = table.angel_eye
        shoe.power_cycle()
        # As if it had counted to the very same number again.
        shoe._next_number = shoe.sent[-1][1]

    dealer.happening = other
    assert dealer.round()
    assert dealer.holds > 0
    dealer.checked()
    held = table.settlement.of("table.held")
    assert {hold["reason"] for hold in held} == {"restart_doubt"}
    assert held[0]["evidence"][0]["why"] == "the same number with other bytes"


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        (b"FOO\n", ["? FOO"]),
        (b"open\r\n", ["? open"]),
        (b"OP\xffEN\n", ["? OP.EN"]),
        (b"\x00\x01\x02\n", ["? ..."]),
        (b"SHOE 0\n", ["NO SHOE: <cards> must be a whole number from 1 to 99999"]),
        (b"BURN 417\n", ["NO BURN: <n> must be a whole number from 1 to 416"]),
        (b"CLEAR continue\nFOO\n", ["NO the table does not hold", "? FOO"]),
    ],
)
def test_keypad_lines_that_are_none(
    table: House, dealer: Interrupted, typed: bytes, answers: list[str]
) -> None:
    with table.keypad.guard:
        table.keypad.send_raw(typed)
    assert [table.keypad.answer() for _ in answers] == answers
    assert dealer.round()
    dealer.checked()


def test_an_endless_line_is_answered_once(table: House, dealer: Interrupted) -> None:
    table.keypad.send_raw(b"A" * 5_000 + b"\n")
    assert (table.keypad.answer() or "").startswith("? AAAA")
    assert dealer.press("OPEN") == ("OK", False)
    table.wait_delivered()
    assert any("panel:" in message for message in messages(table))


def test_a_part_of_a_frame_and_silence(table: House, dealer: Interrupted) -> None:
    def half() -> None:
        table.shoe.send_raw(b"\x05\x31D\x81\xb8")
        table.settlement.wait(lambda: any("no ETX" in said for said in messages(table)), "the alert")

    dealer.happening = half
    assert dealer.round()
    dealer.checked()
    assert table.settlement.of("table.held") == []


def test_the_shoe_is_pulled_out_in_the_middle_of_a_deal(table: House, dealer: Interrupted) -> None:
    def pull() -> None:
        table.shoe.unplug()
        held = wait_for(table, "table.held")
        assert held["reason"] == "device_lost"
        table.shoe.replug()
        wait_for(table, "device.restored")
        # A card may have passed: somebody has to look.
        assert table.settlement.of("table.resumed") == []

    dealer.happening = pull
    assert dealer.round()
    assert dealer.holds > 0
    dealer.checked()
    [lost] = table.settlement.of("device.lost")
    assert lost["device"] == "shoe"
    assert str(table.folder / "shoe") in lost["reason"]


def test_between_rounds_it_comes_back_by_itself(table: House, dealer: Interrupted) -> None:
    assert dealer.round()
    table.shoe.unplug()
    wait_for(table, "device.lost")
    table.shoe.replug()
    wait_for(table, "table.resumed")
    assert dealer.round()
    assert dealer.holds == 0
    dealer.checked()


def test_another_device_behind_the_same_path(table: House, dealer: Interrupted) -> None:
    """The link is turned to another shoe while the old one is still there."""
    assert dealer.round()
    with PatientShoe(table.folder / "shoe") as other:
        lost = wait_for(table, "device.lost")
        assert "the path leads to another device now" in lost["reason"]
        wait_for(table, "device.restored")
        with other.guard:
            assert other.guard.wait_for(lambda: "GP 00" in other.commands, PATIENCE_S)
        # It counts from the beginning: the table cannot know what it dealt before.
        other.card("8S", "player", 1)
        held = wait_for(table, "table.held", last="restart_doubt")
        assert held["evidence"][0]["why"] == "reports were missed"


def test_what_stands_there_is_no_serial_port(table: House, dealer: Interrupted) -> None:
    assert dealer.round()
    table.shoe.unplug()
    wait_for(table, "device.lost")
    (table.folder / "shoe").write_text("a file")
    reasons = [event.reason for _, event, _ in table.records() if isinstance(event, DeviceLost)]
    assert len(reasons) == 1
    table.shoe.replug()
    wait_for(table, "table.resumed")
    assert dealer.round()
    dealer.checked()


def test_the_keypad_is_pulled_out_and_the_key_goes_with_it(table: House, dealer: Interrupted) -> None:
    dealer.must("OPEN")
    dealer.must("KEY", "boss")
    table.keypad.unplug()
    wait_for(table, "device.lost")
    table.keypad.replug()
    wait_for(table, "device.restored")
    assert dealer.press("VOID", "supervisor")[0] == "NO turn the supervisor's key"


def test_a_port_that_another_program_holds(tmp_path: Path) -> None:
    shoe = PatientShoe(tmp_path / "shoe")
    port = os.open(shoe.path, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(port, fcntl.LOCK_EX)
    with house(tmp_path, shoe) as table:
        table.daemon.start()
        lost = wait_for(table, "device.lost")
        assert "another program holds the port" in lost["reason"]
        os.close(port)
        wait_for(table, "table.resumed")
        dealer = seated(table)
        assert dealer.round()
        dealer.checked()


# What the daemon does without a broker; the rest stands with the loop's tests and with the kills.


def test_absent_at_the_start_all_is_told_later(tmp_path: Path) -> None:
    shoe = PatientShoe(tmp_path / "shoe")
    with house(tmp_path, shoe, broker_runs=False) as table:
        table.daemon.start()
        dealer = seated(table)
        assert dealer.round()
        wait_recorded(table, b"nothing answers at 127.0.0.1")
        table.broker.start()
        dealer.checked()
        assert any("nothing answers at 127.0.0.1" in message for message in messages(table))
        table.settlement.wait(
            lambda: "alert.cleared" in table.settlement.names(), "the alert of the broker ends"
        )


def test_a_login_that_is_refused_and_mended(tmp_path: Path) -> None:
    users = password_file(tmp_path / "users", {"table": "right", "settlement": "right"})
    broker = Broker(tmp_path / "broker", lines=[f"password_file {users}"], anonymous=False)
    secret = tmp_path / "password"
    secret.write_text("wrong")
    mqtt = f'[mqtt]\nusername = "table"\npassword_file = "{secret}"'
    shoe = PatientShoe(tmp_path / "shoe")
    with house(tmp_path, shoe, mqtt, broker=broker, login=("settlement", "right")) as table:
        table.daemon.start()
        dealer = seated(table)
        assert dealer.round()
        wait_recorded(table, b"no broker: Not authorized")
        secret.write_text("right")
        table.daemon.restart()
        assert dealer.round()
        dealer.checked()
        assert "no broker: Not authorized" in messages(table)


def test_a_second_daemon_does_not_touch_the_first_ones_journal(table: House, dealer: Interrupted) -> None:
    second = Daemon(table.folder / "second.toml")
    (table.folder / "second.toml").write_text((table.folder / "table.toml").read_text())
    second.start()
    assert second.wait() == 1
    assert "journal" in second.log
    assert "Traceback" not in second.log
    assert dealer.round()
    dealer.checked()
