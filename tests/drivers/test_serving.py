"""The thread that serves a device: when it tries again, what it says of a loss, and when it says nothing."""

from __future__ import annotations

import select
import threading

import pytest

from drivers.errors import DeviceFault
from drivers.ports import PortState
from drivers.readings import DeviceReachable, DeviceUnreachable
from drivers.serving import ServingDriver
from tests.drivers.listening import Listener, listening
from tests.harness.patience import PATIENCE_S

GONE = DeviceFault("it is gone")


class Pauses(threading.Event):
    """Nobody waits a pause out: it is written down."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.all.append(timeout)
        return self.is_set()


class Device(ServingDriver):
    """Ends as it was told, time after time, then stays until the stop. With a text it was found before."""

    def __init__(self, *ends: str | Exception) -> None:
        super().__init__("shoe", "/dev/shoe", first_pause_s=1.0, longest_pause_s=5.0)
        self.pauses = self._stopping = Pauses()
        self.ends = list(ends)
        self.noted: list[str] = []
        self.stays = threading.Event()

    @property
    def state(self) -> PortState:
        return PortState("/dev/shoe")

    def serve(self) -> str:
        if not self.ends:
            self.stays.set()
            select.select([self._wake], [], [])
            return "stopped"
        end = self.ends.pop(0)
        if isinstance(end, Exception):
            raise end
        self._told_lost = False
        self.all_is_well()
        self._say(DeviceReachable("a shoe", first=True), b"", 0)
        return end

    def note_lost(self, reason: str) -> None:
        self.noted.append(reason)


def served(device: Device) -> Listener:
    """What was told until it stays."""
    with listening(device) as heard:
        assert device.stays.wait(PATIENCE_S)
    return heard


def test_the_pause_grows_to_the_longest_and_begins_anew_where_all_was_well_or_after_a_stop() -> None:
    device = Device(*[GONE] * 5, "found", GONE)
    served(device)
    assert device.pauses.all[:7] == [1.0, 2.0, 4.0, 5.0, 5.0, 1.0, 2.0]
    device.ends, device.pauses.all = [GONE], []
    device.stays.clear()
    served(device)
    assert device.pauses.all[0] == 1.0


def test_a_loss_is_noted_each_time_and_told_once_until_the_device_is_found() -> None:
    device = Device(GONE, GONE, "found and gone", GONE)
    heard = served(device)
    assert [heard.reading() for _ in range(3)] == [
        DeviceUnreachable("it is gone"),
        DeviceReachable("a shoe", first=True),
        DeviceUnreachable("found and gone"),
    ]
    assert device.noted == ["it is gone", "it is gone", "found and gone", "it is gone"]
    assert heard.is_quiet(), "a stop is no loss"


def test_a_fault_of_ours_is_a_loss_that_names_it(caplog: pytest.LogCaptureFixture) -> None:
    heard = served(Device(RuntimeError("a bug")))
    assert heard.reading() == DeviceUnreachable("/dev/shoe: fault in the driver: RuntimeError: a bug")
    assert "starts anew" in caplog.text


def test_a_driver_that_runs_is_not_started_twice() -> None:
    device = Device()
    with listening(device) as heard, pytest.raises(RuntimeError, match="runs already"):
        device.start(heard.deliver)
