"""For every reason and choice of a hold: keypad bytes on a pseudo-terminal lead to the next completed round.

The table is whole: loop, intake, drivers, journal. What is no key (cards, lost devices, our failures) is put
on the loop's queue; every key goes through the cable.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import controller.table as core
from controller.round.turn import Turn
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import AnyEvent
from controller.vocabulary.irregularities import KINDS
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad import KEYPAD
from drivers.keypad.simulator import Keypad
from tests.harness.whole import PANEL, PATIENCE_S, Whole, must, whole
from tests.scenarios.conversation import AT, events_of
from tests.scenarios.reasons import CASES
from tests.scenarios.rescue import lead_on

KEYS = frozenset(KEYPAD)
SHOE = """
[devices.shoe]
driver = "bee-tek"
port = "{folder}/shoe"
"""
TABLES = sorted({case.table for cases in CASES.values() for case in cases})


class Hands:
    """Whoever presses keys at the table, draws its cards and pulls its cables."""

    def __init__(self, table: Whole, keypad: Keypad) -> None:
        self.table, self.keypad = table, keypad

    def do(self, text: str) -> None:
        """Short notation that the table must take: key lines and events."""
        for part in text.split("; "):
            if part.split()[0] in KEYS:
                must(self.keypad, part)
            else:
                self.happens(part)

    def provoke(self, text: str) -> None:
        """The same, where the table may well answer no and hold."""
        if text.split()[0] in KEYS:
            assert self.keypad.ask(text, PATIENCE_S) is not None, f"no answer to {text}"
        else:
            self.happens(text)

    def happens(self, text: str) -> None:
        """Events that are no keys: told, and waited for until they are durable."""
        for event in events_of(text):
            told, _ = decode_event(msgspec.json.encode({"at": AT, **event}))
            self.table.assembly.loop.tell(told)
            self.table.wait(lambda told=told: any(seen is told for seen in self.table.events), text)

    def fail_on(self, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """We fail on the next event."""
        with monkeypatch.context() as patched:
            patched.setattr(core, "act", failing(core.act))
            self.provoke(text)


def failing(act: Callable[[Turn, AnyEvent], None]) -> Callable[[Turn, AnyEvent], None]:
    """In place of what the table does about an event."""

    def act_wrongly(turn: Turn, event: AnyEvent) -> None:
        act(turn, event)
        raise ZeroDivisionError

    return act_wrongly


@pytest.mark.parametrize("setting", TABLES)
def test_keys_lead_on(setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, *settings = setting.split()
    tried = 0
    with (
        Keypad(tmp_path / "keypad") as keypad,
        SimulatedBeeTek(tmp_path / "shoe"),
        whole(tmp_path, rooms(settings) + SHOE + PANEL, game=game, settings=lines(settings, "")) as table,
    ):
        hands = Hands(table, keypad)
        must(keypad, "KEY 4711")
        for reason, cases in CASES.items():
            for case in cases:
                for choice in KINDS[reason].choices if case.table == setting else ():
                    bring_about(hands, case.said, monkeypatch)
                    assert table.state.hold is not None
                    assert table.state.hold.reason == reason
                    lead_on(choice, lambda: table.state, hands.do)
                    tried += 1
    assert tried


def rooms(settings: list[str]) -> str:
    """``[round]`` and ``[shoe]`` of the configuration."""
    return "".join(f"[{room}]\n{lines(settings, room)}\n" for room in ("round", "shoe"))


def lines(settings: list[str], room: str) -> str:
    """The keys of a room, as TOML."""
    found = (setting.partition("=") for setting in settings)
    own = [(key.rpartition("."), value) for key, _, value in found if key.rpartition(".")[0] == room]
    return "\n".join(f"{key[2]} = {value if value.isdigit() else repr(value)}" for key, value in own)


def bring_about(hands: Hands, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hold, from a table between rounds."""
    for part in said.split("; "):
        if part.startswith("!"):
            hands.fail_on(part.removeprefix("!"), monkeypatch)
        else:
            hands.provoke(part)
