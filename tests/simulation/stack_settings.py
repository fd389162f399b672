"""The rest of a configuration drawn at random: broker, journal, cards, and the keys of every device.

As for the core every struct is walked, so that a new key is drawn without a line here. A value that
``check-config`` does not take with the others is left out.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from controller.settings.devices import second_reader
from controller.settings.loader import load_configuration
from controller.settings.model import CardSettings, JournalSettings, MqttSettings, ObserveSettings
from controller.vocabulary.errors import ConfigurationError
from drivers.angel_eye import AngelEyeShoe
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek import BeeTekShoe
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad import DEVICES as KEYPADS
from drivers.line import LineShuffler
from drivers.registry import tag_of
from drivers.repeats import NumberCycle
from drivers.scanner import ScannerShoe
from drivers.scanner.simulator import SimulatedScanner
from drivers.settings import DeviceSettings
from tests.harness.configuration import configured
from tests.simulation.drawing import FIXED, Drawn, draw_value
from tests.simulation.stack_table import port

ROOMS: dict[str, type[msgspec.Struct]] = {
    "mqtt": MqttSettings,
    "journal": JournalSettings,
    "cards": CardSettings,
    "observe": ObserveSettings,
}
NOT_DRAWN = {
    "mqtt.host": "the broker of this world has no address",
    "mqtt.hosts": "the broker of this world has no address",
    "mqtt.port": "the broker of this world has no address",
    "mqtt.username": "it asks nobody for a name",
    "mqtt.password_file": "it asks nobody for a name",
    "mqtt.tls": "its wires are in memory",
    "journal.path": "each table has its own",
    "observe.metrics_port": "windows have threads of their own",
    "observe.socket": "windows have threads of their own",
    "observe.board_socket": "windows have threads of their own",
    "port": "where a device is plugged in is the world's",
    "shape": "the code map alone decides what is a card",
    "symbologies": "the scanner of software sends one",
    "no_read": "what the scanner of software says",
    "programming": "codes of makers, and no cards",
    "longest": "the longest code fits any",
}
"""Keys that stay as they are, and why."""
VALUES: dict[str, tuple[object, ...]] = {
    "mqtt.consumers": ((), ("settlement",), ("settlement", "audit")),
    "mqtt.ack_timeout_s": (2, 30),
    "mqtt.keepalive_s": (5, 30),
    "mqtt.max_waiting_messages": (2000, 100_000),
    "mqtt.max_unacknowledged_s": (0, 600),
    "journal.retention_days": (1, 365),
    "journal.min_free_mb": (0, 1),
    "cards.map": ("plain", "four-digit"),
    "baud_rate": (4800, 9600, 115200),
    "suffix": ("any", "cr", "lf", "crlf"),
    "silence_ms": (20, 100),
    "agree_within_ms": (500, 1500),
    "command_timeout_ms": (100, 500, 2000),
    "first_report_number": (0x31, 0x20),
    "last_report_number": (0x7E, 0x39),
}
"""Keys whose type does not say what makes sense in this world."""
ROOMS_NOT_DRAWN = {
    "identity": "the manifest names files of an installation, and this world has none",
    "shadow": "a table in the shadow of another takes no device; tests/shadow follows whole evenings",
    "signing": "it says where the key lies, and nothing else; here it lies beside the journal",
}
"""Rooms of a file that stay as they are, and why."""
DRIVERS_NOT_DRAWN = {
    "camera": "pictures of cards take longer than their histories; tests/camera plays whole tables with them",
    "gpio": "pins have threads of the library's own; the core's level has a beam, and uncounted shuffles",
}
"""Drivers that stand on no table of this world, and why."""
SUITS, RANKS = "SHDC", "A23456789TJQK"


@dataclass(frozen=True)
class Rest:
    """Room -> key -> value, as a file has them, beside what the core reads."""

    rooms: dict[str, dict[str, Any]] = field(default_factory=dict)
    devices: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def consumers(self) -> tuple[str, ...]:
        """Who must acknowledge the stream."""
        return tuple(self.rooms.get("mqtt", {}).get("consumers", ()))

    def code(self, card: str) -> str:
        """What is printed on a card."""
        if self.rooms.get("cards", {}).get("map") != "four-digit" or card[0] not in RANKS:
            return card
        return f"{SUITS.index(card[1]) + 1}{RANKS.index(card[0]) + 1:02}0"

    def with_names(self) -> Rest:
        """The same with cards whose codes are their names, as every shoe says them."""
        cards = {key: value for key, value in self.rooms.get("cards", {}).items() if key != "map"}
        return Rest({**self.rooms, "cards": cards}, self.devices)

    def with_shoe(self, driver: str) -> Rest:
        """The same with a shoe of another make, as it is delivered."""
        plugged = {"driver": driver, "port": self.devices["shoe"]["port"]}
        return Rest(self.rooms, {**self.devices, "shoe": plugged})

    def scanner(self, name: str, place: str) -> SimulatedScanner:
        """A scanner of software that is set as the file says."""
        keys = self.devices.get(place, {})
        ends = {"cr": b"\r", "lf": b"\n"}.get(keys.get("suffix", "any"), b"\r\n")
        return SimulatedScanner(
            port(name, place), aim="" if keys.get("aim") == "none" else "]C0", suffix=ends
        )

    def shoe(self, name: str) -> SimulatedAngelEye | SimulatedBeeTek | SimulatedScanner:
        """The shoe, the same way."""
        keys = self.devices["shoe"]
        if keys["driver"] == "bee-tek":
            return SimulatedBeeTek(port(name, "shoe"))
        if keys["driver"] == "scanner":
            return self.scanner(name, "shoe")
        first, last = keys.get("first_report_number", 0x31), keys.get("last_report_number", 0x7E)
        return SimulatedAngelEye(
            port(name, "shoe"),
            numbers=NumberCycle(first, last),
            bcc_includes_stx=keys.get("bcc_includes_stx", True),
        )


def structs(drawn: Drawn) -> dict[str, type[DeviceSettings]]:
    """Place -> the settings of the device that stands there."""
    shoe = AngelEyeShoe if drawn.core.shoe_numbered else ScannerShoe
    there: dict[str, type[DeviceSettings]] = {"shoe": shoe, "panel": KEYPADS[0]}
    if drawn.shuffler:
        there["shuffler"] = LineShuffler
    if drawn.second:
        there["second_reader"] = second_reader(ScannerShoe)
    return there


def draw_rest(dice: random.Random, name: str, drawn: Drawn) -> Rest:
    """For the table of this name."""
    share = dice.choice((0.1, 0.3, 0.6))
    there = structs(drawn)
    if not drawn.core.shoe_numbered and dice.random() < 0.4:
        there["shoe"] = BeeTekShoe
    book = getattr(drawn.core.round, "await_book", None)
    rest = Rest(
        {} if book is None else {"mqtt": {"consumers": (book,)}},
        {place: {"driver": tag_of(kind), "port": str(port(name, place))} for place, kind in there.items()},
    )
    every = [("rooms", room, kind) for room, kind in ROOMS.items()]
    every += [("devices", place, kind) for place, kind in there.items()]
    drawn_keys = []
    for where, room, kind in every:
        for one in msgspec.inspect.type_info(kind).fields:  # type: ignore[attr-defined]
            key = one.name if where == "devices" else f"{room}.{one.name}"
            if key not in NOT_DRAWN and dice.random() < share:
                value = dice.choice(VALUES[key]) if key in VALUES else draw_value(dice, key, one.type)
                drawn_keys.append((where, room, one.name, value))
    with TemporaryDirectory() as folder:
        return all_that_fit(Path(folder), drawn, rest, drawn_keys)


Key = tuple[str, str, str, object]


def all_that_fit(folder: Path, drawn: Drawn, rest: Rest, keys: Sequence[Key]) -> Rest:
    """With all of these keys; where they do not go together, with those that do, half by half."""
    changed = rest
    for key in keys:
        changed = with_value(changed, *key)
    if fits(folder, drawn, changed):
        return changed
    if len(keys) == 1:
        return rest
    half = len(keys) // 2
    return all_that_fit(folder, drawn, all_that_fit(folder, drawn, rest, keys[:half]), keys[half:])


def with_value(rest: Rest, where: str, room: str, key: str, value: object) -> Rest:
    """The same with one key more."""
    parts = {"rooms": rest.rooms, "devices": rest.devices}
    parts[where] = {**parts[where], room: {**parts[where].get(room, {}), key: value}}
    return Rest(**parts)


def fits(folder: Path, drawn: Drawn, rest: Rest) -> bool:
    """Whether ``check-config`` takes it."""
    try:
        load_configuration(configured(folder, *given(folder / "house.json", drawn, rest)))
    except ConfigurationError:
        return False
    return True


def given(house: Path, drawn: Drawn, rest: Rest) -> list[Mapping[str, object]]:
    """All of it, for the file; ``house``: where the house's own pay table is written."""
    rooms = {**drawn.values, **rest.rooms, "devices": rest.devices}
    plain: dict[str, Any] = msgspec.to_builtins(
        {name: room for name, room in rooms.items() if name != "core"}
    )
    plain["table"] = {key: value for key, value in plain["table"].items() if key not in FIXED["table"]}
    if drawn.house is not None:
        house.write_bytes(msgspec.json.encode(drawn.house))
        plain["game"] = {**plain["game"], "pay_table": str(house)}
    return [{name: room for name, room in plain.items() if room}]
