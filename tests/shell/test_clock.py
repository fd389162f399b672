"""The machine's clock: whether it is synchronised is asked of the kernel, and nothing else is touched."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from controller.shell import clock
from controller.shell.clock import TIME_ERROR, SystemClock, _adjtimex, _kernel_says_synchronised


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
    monkeypatch.setattr(SystemClock, "_MARK", tmp_path / "synchronized")
    assert not SystemClock().synchronised()
    (tmp_path / "synchronized").touch()
    assert SystemClock().synchronised()
