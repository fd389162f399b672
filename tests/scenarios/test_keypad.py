"""For every reason and choice of a hold: keypad bytes on a pseudo-terminal lead to the next completed round.

The table is whole: loop, intake, drivers, journal. What is no key (cards, lost devices, our failures) is put
on the loop's queue; every key goes through the cable.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import controller.table as core
from controller.round.choices import choices_of
from controller.round.turn import Turn
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import AnyEvent
from controller.vocabulary.irregularities import KINDS
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad import KEYPAD
from drivers.keypad.simulator import Keypad
from tests.harness.patience import PATIENCE_S
from tests.harness.whole import PANEL, Whole, must, whole
from tests.scenarios.conversation import AT, events_of
from tests.scenarios.rescue import lead_on

KEYS = frozenset(KEYPAD)
SHOE = """
[devices.shoe]
driver = "bee-tek"
port = "{folder}/shoe"
"""
ONE_ROUND = "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; SETTLED"
IN_THE_DEAL = "SHOE 416; OPEN; CLOSE; 8S"
FACTORY_ORDER = "SHOE 416; OPEN; CLOSE; 2S 3S 4S 5S; SETTLED; OPEN; CLOSE; 6S 7S 8S 9S"

CASES: dict[str, tuple[tuple[str, str], ...]] = {
    "foreign_card": (
        ("baccarat", f"{IN_THE_DEAL}; XX"),
        ("2-card-action layout=C", "SHOE 416; OPEN; CLOSE; 8S 5C; SETTLED; XX"),
    ),
    "excess": (
        ("baccarat", f"{IN_THE_DEAL}; LEFT 416"),
        ("casino-holdem", "SHOE 52; OPEN; CLOSE; AS AS"),
    ),
    "duplicate_serial": (("baccarat", "SHOE 416; OPEN; CLOSE; 8S#1 8S#1"),),
    "insufficient_cards": (("baccarat", f"{IN_THE_DEAL}; EMPTY"),),
    "shortage": (
        ("baccarat", f"{IN_THE_DEAL}; COUNT 415"),
        ("baccarat", f"{ONE_ROUND}; COUNT 415"),
    ),
    "not_shuffled": (("baccarat", FACTORY_ORDER),),
    "fault": (
        ("baccarat", f"{IN_THE_DEAL}; !5C"),
        ("two-cards-high seats=1", "SHOE 40; OPEN; CLOSE; 5S 2H 3D AC 2C TH 7S TD 8C; !9C"),
        ("baccarat", f"{ONE_ROUND}; !OPEN"),
    ),
    "reread_mismatch": (("baccarat", f"{IN_THE_DEAL} 5C; RETURN 5C; KC"),),
    "card_unread": (
        ("baccarat", f"{IN_THE_DEAL}; ??"),
        ("two-cards-high seats=1", "SHOE 40; OPEN; CLOSE; 5S ??"),
        ("baccarat shoe.burn_each_round=1", "SHOE 416; OPEN; CLOSE; ??"),
    ),
    "wrong_position": (("baccarat", "SHOE 416; OPEN; CLOSE; 8S@banker"),),
    "rapid_repeat": (("baccarat shoe.min_card_interval_ms=60000", f"{IN_THE_DEAL}; 8S"),),
    "early_card": (
        ("baccarat", "SHOE 416; OPEN; 8S"),
        ("casino-holdem", "SHOE 52; OPEN; CLOSE; AS KS 2H 3H 4C 5C QS JS TS; 6D"),
    ),
    "extra_card": (
        ("baccarat", "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; 9H"),
        ("2-card-action layout=C", "SHOE 416; OPEN; CLOSE; 8S 5C; 9H TC"),
        ("baccarat", "SHOE 416; 9H"),
        ("baccarat round.exposed_card=play", "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; 9H"),
    ),
    "missing_card": (
        ("baccarat", f"{IN_THE_DEAL}; SETTLED"),
        ("casino-holdem", "SHOE 52; OPEN; CLOSE; AS KS 2H 3H 4C 5C QS JS TS; REVEAL"),
    ),
    "result_disagrees": (("baccarat", "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; RESULT banker"),),
    "restart_doubt": (("baccarat", f"{IN_THE_DEAL}; MISSED shoe"),),
    "device_lost": (
        ("baccarat", f"{IN_THE_DEAL}; LOST shoe; BACK shoe"),
        ("baccarat", f"{IN_THE_DEAL}; LOST shoe"),
    ),
    "shuffle_doubt": (("baccarat", "SHUFFLED 415; SHOE 416"),),
    "shuffler_fault": (("baccarat shoe.kind=continuous", f"{IN_THE_DEAL}; SHUFFLE-FAILED jam"),),
    "book_silent": (("baccarat round.await_book=settlement", "SHOE 416; OPEN; CLOSE; TIMER book"),),
    "requested": (("baccarat", f"{IN_THE_DEAL}; HOLD"), ("baccarat", f"{ONE_ROUND}; HOLD")),
}
"""Reason of a hold -> a table, and what is said until it holds for that; ``!``: we fail on this event."""
TABLES = sorted({table for cases in CASES.values() for table, _ in cases})


class Hands:
    """Whoever presses keys at the table, draws its cards and pulls its cables."""

    def __init__(self, table: Whole, keypad: Keypad) -> None:
        self.table, self.keypad = table, keypad

    def do(self, text: str, *, taken: bool = True) -> None:
        """Events and key lines; not ``taken``: the table may well answer no and hold."""
        for part in text.split("; "):
            if part.split()[0] not in KEYS:
                self.happens(part)
            elif taken:
                must(self.keypad, part)
            else:
                assert self.keypad.ask(part, PATIENCE_S) is not None, f"no answer to {part}"

    def happens(self, text: str) -> None:
        """Events that are no keys: told, and waited for until they are durable."""
        for event in events_of(text):
            told, _ = decode_event(msgspec.json.encode({"at": AT, **event}))
            self.table.assembly.loop.tell(told)
            self.table.wait(lambda told=told: any(seen is told for seen in self.table.events), text)

    def fail_on(self, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """We fail on the next event, when the table has acted on it."""
        act = core.act

        def act_and_fail(turn: Turn, event: AnyEvent) -> None:
            act(turn, event)
            raise ZeroDivisionError

        with monkeypatch.context() as patched:
            patched.setattr(core, "act", act_and_fail)
            self.do(text, taken=False)


def test_every_reason_has_its_case() -> None:
    assert set(CASES) == set(KINDS)


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
            for on, said in cases:
                for choice in KINDS[reason].choices if on == setting else ():
                    bring_about(hands, said, monkeypatch)
                    assert table.state.hold is not None
                    assert table.state.hold.reason == reason
                    offered = choices_of(table.state, table.state.hold)
                    lead_on(choice if choice in offered else "void", lambda: table.state, hands.do)
                    tried += 1
    assert tried


def rooms(settings: list[str]) -> str:
    """``[round]`` and ``[shoe]`` of the configuration, and the consumer whose book it may await."""
    told = "".join(f"[{room}]\n{lines(settings, room)}\n" for room in ("round", "shoe"))
    return f'{told}[mqtt]\nconsumers = ["settlement"]\n'


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
            hands.do(part, taken=False)
