"""Configurations drawn at random: every key of the structs, walked by their types, so that a new key is drawn
without a line here. A value that does not go with the others is left out, as ``check-config`` would want it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import inspect
from msgspec.structs import replace

from controller.games.paytable import PayTable
from controller.games.registry import build_game
from controller.round.turn import game_of
from controller.settings.resolve import pack_problems
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.errors import ConfigurationError, PayTableError
from tests.simulation.house import draw_pay_table

GAMES = ("2-card-action", "two-cards-high", "baccarat", "casino-holdem")


def struct_of(kind: inspect.Type) -> type[msgspec.Struct] | None:
    """The struct that a field holds, where it holds one."""
    options = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return next((one.cls for one in options if isinstance(one, inspect.StructType)), None)


ELSEWHERE = {
    "code_map": "plain, or with serial numbers and marks of the set (MARKED)",
    "pay_table": "of the house, by draw_pay_table",
    "shoe_numbered": "by the devices that stand on the table",
    "shuffler": "by the devices that stand on the table",
    "shoe_devices": "by the devices that stand on the table",
    "agree_s": "by the devices that stand on the table",
    "agree_without_felt_s": "by the devices that stand on the table",
}
"""Fields of the core's configuration that are no room of a file, and where they are drawn."""
ROOMS: dict[str, type[msgspec.Struct]] = {
    field.name: room
    for field in inspect.type_info(CoreConfiguration).fields  # type: ignore[attr-defined]
    if field.name not in ELSEWHERE and (room := struct_of(field.type)) is not None
}
ALL_LIMITS = (
    {"min": 0, "max": 500},
    {"min": 500, "max": 50_000},
    {"min": 1, "max": 2**53 - 1},
)
FIXED: dict[str, dict[str, object]] = {"table": {"site": "north", "id": "7"}}
"""Names, which change nothing."""
TEXTS: dict[str, tuple[object, ...]] = {
    "game.pair_against_unqualified_dealer": ("1:1", "3:2"),
    "game.pair_tie": ("1:1", "2:1"),
    "game.margins": ({"tie": 0.2}, {"player": 0.0, "banker": 0.0}),
    "game.least_probability": (0.0, 0.02),
    "game.margin": (0.05, 0.0, 0.2),
    "round.await_book": ("settlement",),
    "shoe.sets": (("a", "b"), ("a",)),
    "shoe.least_house_edge": (-0.02, 0.01),
    "shoe.cut_card_behind": (14, 40),
    "shoe.min_card_interval_ms": (300,),
    "limits.currency": ("EUR", "JPY"),
    "limits.table": ALL_LIMITS,
    "limits.spots": tuple(
        {spot: limit}
        for spot in ("any_pair", "tie", "seat1.main", "main", "hand2.ante", "ante")
        for limit in ALL_LIMITS[:2]
    ),
    "badges.supervisors": (("4711", "4712"), ("4711", "4712", "S-1")),
}
"""Keys whose type does not say what makes sense."""
LIKELY = {"shoe.min_card_interval_ms": 0.7, "round.exposed_card": 0.4, "game.squeeze": 0.6}
"""Keys that are drawn at least so often: the house must want to know of what goes wrong here."""
MOST_SECONDS = 40
MARKED = {
    "kind": "pattern",
    "pattern": r"(?P<rank>[A2-9TJQK])(?P<suit>[SHDC])(?:\.(?P<serial>[0-9]+))?(?:\.(?P<set>[a-z]))?",
}
"""Codes with the number of the card and the mark of its set behind its name."""

AGREE_S = 2
"""So long a beam and a second reader may contradict a card."""


@dataclass(frozen=True)
class Drawn:
    """The configuration of one table, and the devices that stand on it."""

    core: CoreConfiguration
    values: dict[str, dict[str, Any]]
    """As a file has it: room -> key -> value, defaults left out; in the room ``core`` what a file names by a
    file of its own."""
    beam: bool = False
    second: bool = False
    shuffler: bool = False
    usb: bool = True
    """Its ports tell which unit is plugged in; another port has another name each time."""

    @property
    def house(self) -> dict[str, Any] | None:
        """The house's own pay table."""
        found: dict[str, Any] | None = self.values.get("core", {}).get("pay_table")
        return found

    @property
    def marked(self) -> bool:
        """The cards carry serial numbers and the mark of their set."""
        return self.core.code_map.kind == "pattern"

    def plugged(self, device: str, times: int, unit: int) -> str:
        """What the port tells of the device, which was plugged in so often."""
        return f"usb {device} serial {unit}" if self.usb else f"character device {times} of {device}"

    @property
    def devices(self) -> tuple[str, ...]:
        """The places of the devices that stand on the table."""
        there = {"second_reader": self.second, "beam": self.beam, "shuffler": self.shuffler}
        return ("shoe", "panel", *(name for name, is_there in there.items() if is_there))

    @property
    def words(self) -> str:
        """As the line ``table`` of a conversation."""
        said = [self.values["game"]["name"]]
        for room, keys in self.values.items():
            for key, value in keys.items():
                if (room, key) != ("game", "name") and key not in FIXED.get(room, {}):
                    if key == "pay_table":
                        value = {**self.core.pay_table, "source": "", "rows": []}
                    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
                    said.append(f"{key}={text}" if room == "game" else f"{room}.{key}={text}")
        said += ["core.shoe_numbered=no"] * (not self.core.shoe_numbered)
        said += ["core.shuffler=yes"] * self.core.shuffler
        return " ".join(said)


def keys() -> list[str]:
    """Every key that is drawn, as ``round.bets_s``."""
    return [f"{room}.{name}" for room, kind in ROOMS.items() for name in kind.__struct_fields__]


def draw_configuration(dice: random.Random, game: str | None = None) -> Drawn:
    """One table; most keys stand as they are by default, so that each is met beside ordinary ones."""
    name = game or dice.choice(GAMES)
    values: dict[str, dict[str, Any]] = {room: dict(FIXED.get(room, {})) for room in ROOMS}
    values["game"]["name"] = name
    if name == "2-card-action":
        values["game"]["layout"] = dice.choice("ABC")
    share = dice.choice((0.0, 0.15, 0.15, 0.4))
    house = draw_pay_table(dice, name) if "spots" in PayTable.__struct_fields__ else None
    if house is not None and fits({**values, "core": {"pay_table": house}}):
        values["core"] = {"pay_table": house}
    if dice.random() < 0.3:
        values["core"] = {**values.get("core", {}), "code_map": MARKED}
    for room, kind in ROOMS.items():
        for field in msgspec.inspect.type_info(kind).fields:  # type: ignore[attr-defined]
            likely = max(share, 0.4) if room == "game" else share  # most of these are of another game
            likely = max(likely, LIKELY.get(f"{room}.{field.name}", 0))
            if field.name in values[room] or dice.random() >= likely:
                continue
            value = draw_value(dice, f"{room}.{field.name}", field.type)
            tried = {**values, room: {**values[room], field.name: value}}
            if fits(tried):
                values = tried
    chances = {"numbered": 0.5, "beam": 0.2, "second": 0.2, "shuffler": 0.5, "usb": 0.5}
    return build(values, **{name: dice.random() < chance for name, chance in chances.items()})


def build(
    values: dict[str, dict[str, Any]], *, numbered: bool, beam: bool, second: bool, shuffler: bool, usb: bool
) -> Drawn:
    """The configuration of such values and devices."""
    continuous = values["shoe"].get("kind") == "continuous"
    there = {"second_reader": second, "beam": beam, "shuffler": shuffler and continuous}
    devices = ("shoe", "panel", *(name for name, is_there in there.items() if is_there))
    known = {
        "shoe_numbered": numbered,
        "shuffler": shuffler,
        "shoe_devices": devices,
        "agree_s": AGREE_S if beam or second else 0,
        "agree_without_felt_s": AGREE_S if beam or second else 0,
    }
    return Drawn(converted(values, known), values, beam, second, shuffler, usb)


def converted(values: dict[str, dict[str, Any]], known: dict[str, Any]) -> CoreConfiguration:
    """The core's part of a file, whole as the program's loader makes it."""
    rooms = {room: keys for room, keys in values.items() if keys and room != "core"}
    cards = {"code_map": values["core"]["code_map"]} if "code_map" in values.get("core", {}) else {}
    core = msgspec.convert({**rooms, **cards, **known}, CoreConfiguration)
    house = values.get("core", {}).get("pay_table")
    own = None if house is None else pay_table_of(house)
    game = build_game(core.game, own)
    why = game.refused(core.game) if hasattr(game, "refused") else None
    if why is not None:
        raise ConfigurationError(why)
    if own is not None:
        core = replace(core, pay_table=msgspec.json.decode(msgspec.json.encode(game.pay_table)))
    if getattr(core, "limits", None) is not None:
        from controller.settings.limits import spelled_out, spot_problems

        if next(spot_problems(core.limits, game), None):
            raise ConfigurationError("limits")
        core = replace(core, limits=spelled_out(core.limits, game))
    return core


def pay_table_of(house: dict[str, Any]) -> PayTable:
    """The content of a file as the program reads it."""
    from controller.games.paytable import from_json

    return from_json(house)


def replace_devices(drawn: Drawn, **changes: bool) -> Drawn:
    """The same table with other devices."""
    there = {
        "numbered": drawn.core.shoe_numbered,
        "beam": drawn.beam,
        "second": drawn.second,
        "shuffler": drawn.shuffler,
        "usb": drawn.usb,
    }
    return build(drawn.values, **{**there, **changes})


def fits(values: dict[str, dict[str, Any]]) -> bool:
    """Whether the program takes these values together."""
    try:
        core = converted(values, {})
        clock = core.round
        known_first = clock.close == "first_card" and getattr(clock, "await_book", None) is not None
        problems = pack_problems(game_of(core), core.shoe)
        return not (problems or known_first or 0 < clock.bets_s <= clock.warn_s)
    except (ConfigurationError, PayTableError, msgspec.ValidationError):
        return False


def draw_value(dice: random.Random, key: str, kind: inspect.Type) -> object:
    """A value of the type, any of them where it has few."""
    if key in TEXTS:
        return dice.choice(TEXTS[key])
    match kind:
        case inspect.Metadata(type=inner):
            return draw_value(dice, key, inner)
        case inspect.BoolType():
            return dice.random() < 0.5
        case inspect.LiteralType(values=values):
            return dice.choice(values)
        case inspect.UnionType(types=types):
            return draw_value(
                dice, key, dice.choice([one for one in types if not isinstance(one, inspect.NoneType)])
            )
        case inspect.IntType(ge=ge, le=le):
            least = ge or 0
            most = min(le if le is not None else least + 8, 3600)
            return dice.randint(least, most if most <= 10 else MOST_SECONDS)
        case inspect.FloatType():
            return round(dice.random() / 5, 2)
        case inspect.VarTupleType(item_type=inspect.LiteralType(values=values)):
            return tuple(value for value in values if dice.random() < 0.6)
        case inspect.StrType():
            return f"{key.rpartition('.')[2]}-{dice.randint(1, 2)}"
    raise TypeError(f"{key}: nobody knows what to draw for {kind}; say it in TEXTS")
