"""A board of software: gpiozero's mock pins, fingers that press what is wired to them, and a shuffler."""

from __future__ import annotations

import time
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from drivers.gpio import Active, Contact, GpioShuffler
from drivers.gpio.pins import PinsUnusable


class WiredPin(MockPin):  # type: ignore[misc]  # the library has no types
    """A mock pin that something outside holds at a level, whatever pull it is given."""

    held: bool | None = None

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self.held is not None and self.function == "input":
            self._follow()

    def hold(self, level: bool) -> None:
        """Something outside drives the pin."""
        self.held = level
        if self.function == "input":
            self._follow()

    def _follow(self) -> None:
        if self.held:
            self.drive_high()
        else:
            self.drive_low()


class SimulatedBoard:
    """A board whose inputs can be worked and whose outputs can be looked at."""

    def __init__(self) -> None:
        self._factory = MockFactory(pin_class=WiredPin)
        self.broken = False

    def factory(self) -> Any:
        """The pin factory to pass to a driver. Raises PinsUnusable while `broken`."""
        if self.broken:
            raise PinsUnusable("the GPIO chip is gone")
        return self._factory

    def set_input(self, number: int, on: bool, active: Active = "low") -> None:
        """Close or open the contact at a pin."""
        self._pin(number).hold(on == (active == "high"))

    def press(self, number: int, active: Active = "low", bounces: int = 3) -> None:
        """Press a button down; its contact bounces."""
        self._bounce(number, True, active, bounces)

    def let_go(self, number: int, active: Active = "low", bounces: int = 3) -> None:
        """Let a button go; its contact bounces."""
        self._bounce(number, False, active, bounces)

    def output(self, number: int) -> bool:
        """The level at an output."""
        return bool(self._pin(number).state)

    def kill_users(self) -> None:
        """The process that had the pins is gone: they are free, and stay as they were."""
        self._factory._reservations.clear()

    def _bounce(self, number: int, on: bool, active: Active, bounces: int) -> None:
        for _ in range(bounces):
            self.set_input(number, on, active)
            self.set_input(number, not on, active)
        self.set_input(number, on, active)

    def _pin(self, number: int) -> Any:
        return self._factory.pin(number)


class SimulatedShuffler:
    """A shuffler on the pins of a board, at rest and ready."""

    def __init__(self, board: SimulatedBoard, settings: GpioShuffler) -> None:
        self.board = board
        self._settings = settings
        self._pins = dict(settings.pins())
        for name in settings.named():
            self.set(name, name == "ready")

    def set(self, contact: Contact, active: bool) -> None:
        """Switch a contact; one that is not wired is left out."""
        if contact in self._pins:
            other = contact in self._settings.inverted
            self.board.set_input(self._pins[contact], active != other, self._settings.active)

    def shuffle(self, cards: int) -> None:
        """A whole shuffle."""
        self.start()
        self.feed(cards)
        self.stop()
        self.set("ready", True)

    def start(self) -> None:
        """Begin to run."""
        self.set("ready", False)
        self.set("running", True)
        self._settle(self._settings.debounce_ms)

    def feed(self, cards: int) -> None:
        """A pulse for each card, where the machine counts."""
        if self._settings.count is None:
            return
        for level in [True, False] * cards:
            self.set("count", level)
            self._settle(self._settings.count_debounce_ms)

    def stop(self) -> None:
        """Stand still; not ready yet."""
        self.set("running", False)
        self._settle(self._settings.debounce_ms)

    def _settle(self, milliseconds: int) -> None:
        time.sleep(milliseconds * 0.0015)
