"""The machine's clock: whether it is synchronised is asked of the kernel, and nothing else is touched."""

from __future__ import annotations

import ctypes
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.shell import clock
from controller.shell.clock import TIME_ERROR, Clock, _adjtimex, _kernel_says_synchronised


class Timex(ctypes.Structure):
    """The beginning of ``struct timex`` (adjtimex(2)); the kernel writes 208 bytes."""

    _fields_ = (("modes", ctypes.c_uint), ("rest", ctypes.c_byte * 508))


def test_the_kernel_is_asked_as_its_manual_says() -> None:
    """It once wrote to an address that was cut to 32 bits: -1 on most machines, another's memory on some."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.adjtimex.argtypes = [ctypes.POINTER(Timex)]
    state = libc.adjtimex(ctypes.byref(Timex()))
    assert _adjtimex()() == state
    assert _kernel_says_synchronised() is (0 <= state < TIME_ERROR)


def test_the_mark_of_timesyncd_vouches_whatever_the_kernel_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "_kernel_says_synchronised", lambda: False)
    monkeypatch.setattr(Clock, "_MARK", tmp_path / "synchronized")
    assert not Clock().synchronised()
    (tmp_path / "synchronized").touch()
    assert Clock().synchronised()


@given(st.lists(st.integers(0, 4_102_444_800_000), min_size=1, max_size=6))
def test_the_label_is_the_wall_time_whichever_way_it_steps(times_ms: list[int]) -> None:
    """Milliseconds since 1970, as the machine's clock gives them one after the other."""
    machine = Clock()
    for time_ms in times_ms:
        for shown_ms in (time_ms, time_ms + 1, time_ms):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(time, "time_ns", lambda shown_ms=shown_ms: shown_ms * 1_000_000 + 999_999)
                said = machine.now()
            moment = datetime.fromtimestamp(shown_ms // 1000, UTC)
            assert said == f"{moment:%Y-%m-%dT%H:%M:%S}.{shown_ms % 1000:03}Z"
            assert len(said) == len("2026-01-31T20:15:00.000Z")
