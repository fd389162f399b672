"""Pins by gpiozero, with the factory passed in: the library's global factory is never used."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from typing import Any

from gpiozero import DigitalOutputDevice, InputDevice

from drivers.errors import DeviceFault
from drivers.gpio import Active


class PinsUnusable(DeviceFault):
    """The pins cannot be used: no such chip, no permission, or another program has them."""


@cache
def board_factory() -> Any:
    """The board's own pins (lgpio), one factory for the process. Raises PinsUnusable."""
    # lgpio writes a notification pipe into its working directory at import.
    os.environ.setdefault("LG_WD", tempfile.gettempdir())
    try:
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory()
    except Exception as problem:  # gpiozero and lgpio raise a dozen unrelated types
        raise PinsUnusable(f"no usable GPIO chip here: {problem}") from problem


def open_input(number: int, active: Active, factory: Any) -> Any:
    """An input without the library's debouncing. Raises PinsUnusable."""
    try:
        return InputDevice(number, pull_up=active == "low", pin_factory=factory)
    except Exception as problem:
        raise PinsUnusable(f"GPIO{number}: cannot be an input: {problem}") from problem


def open_output(number: int, active: Active, on: bool, factory: Any) -> Any:
    """An output that begins in the given state. Raises PinsUnusable."""
    try:
        return DigitalOutputDevice(
            number, active_high=active == "high", initial_value=on, pin_factory=factory
        )
    except Exception as problem:
        raise PinsUnusable(f"GPIO{number}: cannot be an output: {problem}") from problem
