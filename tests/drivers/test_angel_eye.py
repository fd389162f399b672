"""The Angel Eye driver against its simulator on a real pseudo-terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.angel_eye import AngelEyeShoe, wire
from drivers.angel_eye.driver import AngelEyeDriver as Driver
from drivers.angel_eye.simulator import SimulatedAngelEye as Shoe
from drivers.ports import Received
from drivers.readings import (
    CardReported,
    CommandAnswered,
    CutCardReported,
    DeviceReachable,
    DeviceUnreachable,
    ErrorCleared,
    ErrorRaised,
    LockStateReported,
    PresetChanged,
    ProcessReported,
    Reading,
    Redealt,
    ResultGiven,
    ShoeStandby,
    StartReported,
    Unreadable,
)
from drivers.repeats import NumberCycle
from drivers.settings import PortTimes
from tests.drivers.listening import Listener, listening
from tests.harness.patience import PATIENCE_S

TIMES = PortTimes(first_pause_s=0.01, longest_pause_s=0.05, tick_s=0.01)


def driver_at(path: str, **more: object) -> Driver:
    settings = AngelEyeShoe(port=path, **{"command_timeout_ms": 5000, **more})  # type: ignore[arg-type]
    return Driver("shoe", settings, TIMES)


PATIENT_S, HASTY_S = 60.0, 1.0


@pytest.fixture
def timeout_s() -> float:
    """How long shoe and host wait for an answer: longer than any delay of a busy machine, where time is not
    the point.
    """
    return PATIENT_S


hasty = pytest.mark.parametrize("timeout_s", [HASTY_S])


@pytest.fixture
def shoe(tmp_path: Path, timeout_s: float) -> Iterator[Shoe]:
    with Shoe(tmp_path / "shoe", answer_timeout_s=timeout_s) as shoe:
        yield shoe


@pytest.fixture
def settings() -> dict[str, object]:
    """Of the driver."""
    return {}


@pytest.fixture
def driver(shoe: Shoe, timeout_s: float, settings: dict[str, object]) -> Driver:
    timeout_ms = int(timeout_s * 1000)
    return driver_at(shoe.path, command_timeout_ms=timeout_ms, query_on_connect=False, **settings)


@pytest.fixture
def heard(driver: Driver) -> Iterator[Listener]:
    with listening(driver) as heard:
        assert isinstance(heard.reading(), DeviceReachable)
        yield heard


SAID: list[tuple[Callable[[Shoe], object], Reading]] = [
    (lambda shoe: shoe.report(b"S"), StartReported()),
    (lambda shoe: shoe.report(b"P"), ShoeStandby()),
    (lambda shoe: shoe.card("AS", "burn_count_first", 0), CardReported("AS", "burn_count_first", 0)),
    (lambda shoe: shoe.card("TH", "player", 0), CardReported("TH", "player", 0)),
    (lambda shoe: shoe.report(b"R\x80\xca"), CardReported("TH", "player", 0, again=True)),
    (lambda shoe: shoe.report(b"d\x81\xa2"), CardReported("2C", "lock_mode", 1, False)),
    (lambda shoe: shoe.cut_card(), CutCardReported()),
    (lambda shoe: shoe.result("banker", banker_pair=True), ResultGiven("banker", False, True)),
    (lambda shoe: shoe.error(7), ErrorRaised(7, "draw time-out", True)),
    (lambda shoe: shoe.clear_error(7), ErrorCleared(7, "draw time-out")),
    (lambda shoe: shoe.turn_lock(True), LockStateReported(True)),
    (lambda shoe: shoe.turn_lock(False), LockStateReported(False)),
    (lambda shoe: shoe.report(b"M\x83"), PresetChanged("83")),
]


def test_every_report_arrives_with_its_number_and_is_acknowledged(shoe: Shoe, heard: Listener) -> None:
    number = 0x31
    for say, reading in SAID:
        say(shoe)
        received = heard.take()
        assert (received.reading, received.number) == (reading, number)
        assert received.raw == shoe.sent[-1]
        number += 1
    assert shoe.wait_settled()
    assert shoe.acknowledged == shoe.sent
    assert not shoe.given_up


@hasty
def test_a_report_that_nobody_acknowledges_comes_three_times(shoe: Shoe, heard: Listener) -> None:
    heard.silent = True
    frame = shoe.card("8S", "player", 0)
    assert [heard.take().raw for _ in range(3)] == [frame] * 3
    assert shoe.wait_settled()
    assert shoe.given_up == [frame]


def number_of(received: Received) -> int:
    assert received.number is not None
    return received.number


def test_a_corrupt_report_is_refused_at_once_and_comes_whole(shoe: Shoe, heard: Listener) -> None:
    shoe.corrupt_next()
    shoe.card("8S", "player", 0)
    assert isinstance(heard.reading(), Unreadable)
    assert heard.reading() == CardReported("8S", "player", 0)
    assert shoe.wait_settled()
    assert shoe.refused == ["02"]


@pytest.mark.parametrize("settings", [{"nak_code_as_text": False}, {"nak_code_as_text": True}])
def test_a_frame_that_stops_in_the_middle_is_refused_after_a_silence(shoe: Shoe, heard: Listener) -> None:
    shoe.send_raw(b"\x051D\x81")
    received = heard.take()
    assert received.reading == Unreadable("no ETX")
    assert received.raw == b"\x051D\x81"
    with shoe.guard:
        assert shoe.guard.wait_for(lambda: shoe.refused == ["03"], PATIENCE_S)


def test_noise_between_frames_is_told_and_harmless(shoe: Shoe, heard: Listener) -> None:
    shoe.send_raw(b"\x00\xff\xfe")
    shoe.card("8S", "player", 0)
    assert heard.take_until(Unreadable).raw == b"\x00\xff\xfe"
    assert heard.reading() == CardReported("8S", "player", 0)


@hasty
@pytest.mark.parametrize(("cards_unheard", "judgement"), [(0, "repeat"), (1, "new"), (2, "gap")])
def test_the_query_after_a_reconnect_shows_whether_a_card_passed(
    shoe: Shoe, cards_unheard: int, judgement: str
) -> None:
    driver = driver_at(shoe.path)
    with listening(driver) as heard:
        heard.take_until(CommandAnswered)
        shoe.card("8S", "player", 0)
        before = heard.take()
        log = driver.report_log.after(number_of(before), before.raw)
        assert shoe.wait_settled()
        shoe.unplug()
        heard.take_until(DeviceUnreachable)
        for index in range(cards_unheard):
            shoe.card("9S", "banker", index)
        assert shoe.wait_settled()
        shoe.replug()
        heard.take_until(DeviceReachable)
        assert heard.reading() == CommandAnswered("GP 00", True, None)
        received = heard.take()
        assert log.judge(number_of(received), received.raw) == judgement


def test_a_shoe_that_never_resends_loses_what_nobody_heard_and_the_numbers_tell(tmp_path: Path) -> None:
    with Shoe(tmp_path / "shoe", resends=False) as shoe:
        shoe.card("2S", "player", 0)
        with listening(driver_at(shoe.path, query_on_connect=False)) as heard:
            heard.take_until(DeviceReachable)
            shoe.card("3S", "banker", 0)
            received = heard.take()
            # pyserial's open() throws away what waited in the input buffer.
            assert (received.reading, received.number) == (CardReported("3S", "banker", 0), 0x32)


def test_lock_unlock_clear_error_and_query_are_obeyed(shoe: Shoe, driver: Driver, heard: Listener) -> None:
    driver.lock()
    assert heard.reading() == CommandAnswered("LK 02", True, None)
    assert heard.reading() == LockStateReported(True)
    assert shoe.card("8S", "player", 0) is None
    driver.unlock()
    assert heard.reading() == CommandAnswered("LK 01", True, None)
    assert heard.reading() == LockStateReported(False)
    assert shoe.card("8S", "player", 0) is not None
    assert heard.reading() == CardReported("8S", "player", 0)
    shoe.error(3)
    assert heard.reading() == ErrorRaised(3, "button misuse", True)
    driver.clear_error(3)
    assert heard.reading() == CommandAnswered("EC 03", True, None)
    assert heard.reading() == ErrorCleared(3, "button misuse")
    assert shoe.wait_settled()
    driver.query()
    assert heard.reading() == CommandAnswered("GP 00", True, None)
    assert heard.take().raw == shoe.sent[-1]


def test_several_commands_go_one_after_the_other(shoe: Shoe, driver: Driver, heard: Listener) -> None:
    for _ in range(5):
        driver.lock()
        driver.unlock()
    answers = [heard.take_until(CommandAnswered).reading for _ in range(10)]
    assert answers == [CommandAnswered("LK 02", True, None), CommandAnswered("LK 01", True, None)] * 5
    assert shoe.commands == ["LK 02", "LK 01"] * 5


@pytest.mark.parametrize(
    ("timeout_s", "code", "answer", "sendings"),
    [
        (PATIENT_S, 0x13, "13", 1),
        (PATIENT_S, 0x14, "14", 1),
        (PATIENT_S, 0x02, "02", 3),
        (HASTY_S, 0x21, "21", 3),
        (HASTY_S, 0x22, "22", 3),
        (PATIENT_S, 0xFF, "FF", 1),
    ],
)
def test_a_refused_command_is_sent_again_only_where_that_may_help(
    shoe: Shoe, driver: Driver, heard: Listener, code: int, answer: str, sendings: int
) -> None:
    shoe.refuse_commands_with = code
    driver.lock()
    assert heard.reading() == CommandAnswered("LK 02", False, answer)
    assert shoe.commands.count("LK 02") == sendings


@hasty
def test_a_command_that_is_never_answered_is_given_up_and_the_device_is_not_lost(
    shoe: Shoe, driver: Driver, heard: Listener
) -> None:
    shoe.ignore_commands = True
    driver.lock()
    assert heard.reading() == CommandAnswered("LK 02", False, None)
    with shoe.guard:  # which may not have read the third one yet
        assert shoe.guard.wait_for(lambda: shoe.commands.count("LK 02") == 3, PATIENCE_S)
    shoe.card("8S", "player", 0)
    assert heard.reading() == CardReported("8S", "player", 0)


def test_a_shoe_that_is_not_there_leaves_no_command_unanswered(
    shoe: Shoe, driver: Driver, heard: Listener
) -> None:
    shoe.ignore_commands = True
    driver.lock()
    driver.unlock()
    assert shoe.wait_command("LK 02")
    shoe.unplug()
    assert isinstance(heard.reading(), DeviceUnreachable)
    driver.lock()
    shoe.replug()
    assert isinstance(heard.reading(), DeviceReachable)


def test_a_full_queue_of_commands_is_said(shoe: Shoe, driver: Driver, heard: Listener) -> None:
    shoe.ignore_commands = True
    for _ in range(17):
        driver.lock()
    assert heard.reading() == CommandAnswered("LK 02", False, "queue_full")


@pytest.mark.parametrize("with_stx", [True, False])
def test_the_check_of_commands_is_a_setting(tmp_path: Path, with_stx: bool) -> None:
    with Shoe(tmp_path / "shoe", bcc_includes_stx=with_stx, answer_timeout_s=PATIENT_S) as shoe:
        with listening(driver_at(shoe.path, bcc_includes_stx=with_stx)) as heard:
            heard.reading()
            assert heard.reading() == CommandAnswered("GP 00", True, None)
        with listening(driver_at(shoe.path, bcc_includes_stx=not with_stx)) as heard:
            heard.reading()
            assert heard.reading() == CommandAnswered("GP 00", False, "02")


@pytest.mark.parametrize("settings", [{"repeat_meaning": "redeal"}])
def test_r_as_redeal_is_a_setting(shoe: Shoe, driver: Driver, heard: Listener) -> None:
    frame = shoe.report(b"R\x80\xb8")
    assert heard.reading() == Redealt("8S", "player", 0)
    log = driver.report_log.after(0x30, wire.report_frame(0x30, b"D" + frame[3:5]))
    assert log.judge(0x31, frame) == "new"


def test_answers_that_nobody_waits_for_and_words_of_the_shoe_are_told(shoe: Shoe, heard: Listener) -> None:
    shoe.send_raw(b"\x06")
    assert heard.reading() == Unreadable("an ACK that nobody waits for")
    shoe.send_raw(b"\x15\x21")
    assert heard.reading() == Unreadable("a NAK 21 (busy) that nobody waits for")
    shoe.send_raw(wire.command_frame("GP", "00"))
    assert heard.reading() == ProcessReported("OPGP00")


def test_a_shoe_of_416_cards_over_the_wrap_of_its_numbers_loses_and_doubles_nothing(tmp_path: Path) -> None:
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "DCSH"] * 8
    cycle = NumberCycle(0x31, 0x39)
    with Shoe(tmp_path / "shoe", numbers=cycle, answer_timeout_s=PATIENT_S) as shoe:
        driver = driver_at(shoe.path, first_report_number=cycle.first, last_report_number=cycle.last)
        with listening(driver) as heard:
            heard.take_until(CommandAnswered)
            for place, code in enumerate(cards):
                shoe.card(code, "player", place % 16)
            log, seen = driver.report_log, []
            while len(seen) < len(cards):
                received = heard.take()
                judgement = log.judge(number_of(received), received.raw)
                log = log.after(number_of(received), received.raw)
                assert judgement in ("new", "repeat")
                if judgement == "new":
                    assert isinstance(received.reading, CardReported)
                    seen.append(received.reading.code)
            assert seen == cards
            assert shoe.wait_settled()
            assert not shoe.given_up
