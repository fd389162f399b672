"""A device that nobody has named yet gives itself away by its words, or stays unknown."""

from __future__ import annotations

import contextlib
import queue
from pathlib import Path

import pytest

from drivers.errors import DeviceFault
from drivers.keypad.simulator import Keypad
from drivers.listening import Heard, Listening, ask, can_be_found, driver_of
from drivers.registry import devices, tag_of
from drivers.settings import DeviceSettings
from tests.harness.patience import LOOK_S, PATIENCE_S, Patience


def is_card(code: str) -> bool:
    return code == "1010"


@pytest.mark.parametrize(
    ("line", "driver"),
    [
        (b"OPEN", "keypad"),
        (b"KEY kim", "keypad"),
        (b"BURN 3 first card", "keypad"),
        (b"DONE 416 blue", "line"),
        (b"VERSION 2.1", "line"),
        (b"COUNT 416", None),  # both say so
        (b" [Game]<Card:4S> ", "bee-tek"),
        (b"<W0x01>", "bee-tek"),
        (b"]C01010", "scanner"),
        (b"]?01010", None),
        (b"1010", "scanner"),  # a code of the table's own map
        (b"2020", None),
        (b"hello", None),
        (b"\xff\x81", None),
    ],
)
def test_a_line_names_its_device(line: bytes, driver: str | None) -> None:
    assert driver_of(line, is_card) == driver


def test_frames_that_never_end_a_line_are_heard_and_not_understood(tmp_path: Path) -> None:
    heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()

    def answer_to(message: bytes) -> Heard:
        """What is heard of it; said again while the port is not open yet."""
        patience = Patience()
        while not patience.over:
            device.send_raw(message)
            with contextlib.suppress(queue.Empty):
                return heard.get(timeout=LOOK_S)
        raise AssertionError(f"nothing was heard of {message!r}")

    with Keypad(tmp_path / "port") as device:
        listening = Listening(device.path, heard.put)
        try:
            said = answer_to(b"\xa0\x04\x01C8S\x93")
            assert (said.driver, said.garbled) == (None, True)
            assert said.words == "speaks, but not to be understood at 9600 baud"
            while answer_to(b"OPEN\n").driver != "keypad":
                pass
        finally:
            listening.stop()


def test_a_port_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
    listening = Listening(str(tmp_path / "none"), heard.put)
    try:
        said = heard.get(timeout=PATIENCE_S)
    finally:
        listening.stop()
    assert (said.driver, said.garbled) == (None, False)
    assert said.words.startswith(f"cannot be opened: {tmp_path}/none: no device there")


class Unasked(DeviceSettings, frozen=True, tag="unasked"):
    """It cannot be asked at this port."""

    @classmethod
    def answers(cls, port: str) -> int | None:
        raise DeviceFault(f"{port}: another program holds the port")


class Answering(DeviceSettings, frozen=True, tag="answering"):
    @classmethod
    def answers(cls, port: str) -> int | None:
        return 9600


def test_a_device_that_cannot_be_asked_keeps_no_other_from_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("drivers.listening.devices", lambda: (Unasked, Answering))
    found = ask("/dev/port")
    assert found is not None
    assert (found.driver, found.baud_rate) == ("answering", 9600)
    monkeypatch.setattr("drivers.listening.devices", lambda: (Unasked,))
    assert ask("/dev/port") is None


def test_which_devices_can_give_themselves_away() -> None:
    found = {tag_of(one) for one in devices() if can_be_found(one)}
    assert found >= {"angel-eye", "bee-tek", "keypad", "line", "scanner"}
    assert not found & {"camera", "gpio"}
