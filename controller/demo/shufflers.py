"""Shufflers of software for the demo table: each shuffles as its kind does, by lines or by contacts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from controller.demo.devices import DealerGone, TakenIn
from controller.vocabulary import events
from drivers.gpio import GpioShuffler
from drivers.line_simulator import SimulatedLineDevice
from drivers.settings import ShufflerDevice

if TYPE_CHECKING:  # a table without pins pays for none
    from drivers.gpio.simulator import SimulatedBoard

Shuffle: TypeAlias = "Callable[[int, int], bool]"
"""Shuffles so many cards, of so many decks; whether it says as well that they are loaded."""


def shuffler_of(
    settings: ShufflerDevice | None,
    folder: Path,
    board: SimulatedBoard | None,
    seen: TakenIn,
    parts: ExitStack,
) -> Shuffle | None:
    """The far end of the shuffler that the demo table has; ``parts`` end it."""
    if isinstance(settings, GpioShuffler) and board is not None:
        return _by_contacts(settings, board, seen)
    return (
        None if settings is None else by_lines(parts.enter_context(SimulatedLineDevice(folder / "shuffler")))
    )


def by_lines(machine: SimulatedLineDevice) -> Shuffle:
    """One that speaks our lines, and loads what it has shuffled."""

    def shuffle(cards: int, decks: int) -> bool:
        answers = [machine.ask(line) for line in ("START", f"DONE {cards}", f"LOADED {decks}")]
        if answers != ["OK"] * len(answers):
            raise DealerGone(f"the table answered {', '.join(map(str, answers))} to the shuffler")
        return True

    return shuffle


def _by_contacts(settings: GpioShuffler, board: SimulatedBoard, seen: TakenIn) -> Shuffle:
    from drivers.gpio.simulator import SimulatedShuffler

    machine = SimulatedShuffler(board, settings)

    def shuffle(cards: int, decks: int) -> bool:
        before = seen.steps[events.ShuffleCompleted]
        machine.shuffle(cards)
        seen.wait(lambda: seen.steps[events.ShuffleCompleted] > before)
        return False

    return shuffle
