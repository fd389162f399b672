"""What the broker has told of every table, as a value: retained topics in, one picture a table out.

Pure: no clock, no connection. The retained ``display`` alone is enough to draw a table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypeVar, get_args

import msgspec
from msgspec import UNSET, UnsetType

from controller.outbox.retained import State
from controller.outbox.topics import ROOT, is_segment
from controller.vocabulary.display import MayOpen, ShownCard
from controller.vocabulary.errors import NOT_JSON, read_json
from controller.vocabulary.values import CardName

MOST_BYTES = 1 << 20
"""A longer payload is not one of a table's."""
MOST_TABLES = 2000
MOST_ALERTS = 100
"""Alerts of one table that are kept; a person looks at the first ones."""

SINGLE = ("status", "display", "result", "chat")
KINDS = (*SINGLE, "alerts/+")
"""What is retained of a table, as the end of a filter."""
StructT = TypeVar("StructT", bound=msgspec.Struct)
Mode = Literal["live", "test"]


class Key(NamedTuple):
    """Which table: a table in test mode has topics of its own and is another table here."""

    site: str
    table: str
    mode: Mode = "live"

    @property
    def path(self) -> str:
        """As it stands in an address: ``site/table``, with ``/test`` behind it in test mode."""
        return f"{self.site}/{self.table}" + ("" if self.mode == "live" else "/test")


class SeenTable(msgspec.Struct, frozen=True):
    """The last word of one table on each topic: JSON objects, as they came."""

    key: Key
    status: bytes | None = None
    display: bytes | None = None
    result: bytes | None = None
    chat: bytes | None = None
    """Alone it makes no table."""
    alerts: dict[str, bytes] = {}
    """By id, in the order in which they came."""

    @property
    def empty(self) -> bool:
        """Whether nothing is retained of this table any more."""
        return self.status is None and self.display is None and self.result is None and not self.alerts


class SeenStatus(msgspec.Struct, frozen=True):
    """What a board reads of a status."""

    state: State | None = None


class SeenHold(msgspec.Struct, frozen=True):
    """What a board reads of a hold."""

    reason: str
    choices: tuple[str, ...] = ()
    next_out: tuple[CardName | None, ...] | UnsetType = UNSET


class SeenVoid(msgspec.Struct, frozen=True):
    """What a board reads of a void."""

    reason: str | None = None


class SeenShoe(msgspec.Struct, frozen=True):
    """What a board reads of a shoe."""

    burns_pending: int = 0
    decks: int | None = None
    left: int | None = None


class SeenLimit(msgspec.Struct, frozen=True):
    """What a board reads of the least and the most that may be staked, in minor units."""

    min: int
    max: int


class SeenLimits(msgspec.Struct, frozen=True):
    """What a board reads of the limits of a table."""

    currency: Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}$(?!\n)")]
    """As a page can write it."""
    table: SeenLimit | None = None


class SeenDisplay(msgspec.Struct, frozen=True, kw_only=True):
    """What a board itself reads of a display, of whatever version and whether it could be drawn or not.

    A page gets the display as it came.
    """

    game: str | None = None
    layout: str | None = None
    phase: str | None = None
    light: str | None = None
    round: str | None = None
    game_number: str | None = None
    countdown_end: str | None = None
    cards: tuple[ShownCard, ...] = ()
    next: str | None = None
    awaits: str | None = None
    result: msgspec.Raw = msgspec.Raw(b"null")
    void: SeenVoid | None = None
    hold: SeenHold | None = None
    last_round: bool | None = None
    shoe: SeenShoe | None = None
    last_results: tuple[msgspec.Raw, ...] = ()
    may_open: MayOpen | None = None
    limits: SeenLimits | None = None
    dealer: str | None = None


class BoardTopic(NamedTuple):
    """A topic of a table, taken apart."""

    key: Key
    kind: str
    alert: str = ""


Floor = Mapping[Key, SeenTable]


def filters_of(
    tables: Collection[str], kinds: Sequence[str] = KINDS, modes: Sequence[str] = ("", "test/")
) -> list[str]:
    """What to subscribe to for these tables (``site/table`` or ``site/+``); none named: the whole floor."""
    asked = sorted(tables) or ["+/+"]
    return [f"{ROOT}/{table}/{mode}{kind}" for table in asked for mode in modes for kind in kinds]


def board_topic(topic: str) -> BoardTopic | None:
    """Table and kind of a topic; None where it is none that a board shows."""
    if not topic.startswith(f"{ROOT}/"):
        return None
    parts = topic.removeprefix(f"{ROOT}/").split("/")
    if len(parts) < 3 or not all(is_segment(part) for part in parts[:2]):
        return None
    mode: Mode = "live"
    rest = parts[2:]
    if rest[0] == "test":
        mode, rest = "test", rest[1:]
    key = Key(parts[0], parts[1], mode)
    if len(rest) == 1 and rest[0] in SINGLE:
        return BoardTopic(key, rest[0])
    if len(rest) == 2 and rest[0] == "alerts" and rest[1]:
        return BoardTopic(key, "alerts", rest[1])
    return None


def take(floor: Floor, topic: str, payload: bytes) -> tuple[Floor, Key | None]:
    """The floor after a message, and the table that looks different now, if any.

    An empty payload takes a retained message back. What is no JSON object, or too long, changes nothing.
    """
    place = board_topic(topic)
    if place is None:
        return floor, None
    if payload and not _is_object(payload):
        return floor, None
    key = place.key
    before = floor.get(key)
    if before is None and (not payload or len(floor) >= MOST_TABLES):
        return floor, None
    seen = _told(before or SeenTable(key), place, payload or None)
    if seen == before:
        return floor, None
    others = {other: value for other, value in floor.items() if other != key}
    return (others if seen.empty else {**others, key: seen}), key


def keep_only(floor: Floor, topics: Collection[str]) -> tuple[Floor, list[Key]]:
    """After a new connection: what the broker no longer retains was taken back while we were away."""
    places = {place for topic in topics if (place := board_topic(topic)) is not None}
    kept: dict[Key, SeenTable] = {}
    changed: list[Key] = []
    for key, before in floor.items():
        single = {kind: getattr(before, kind) if BoardTopic(key, kind) in places else None for kind in SINGLE}
        alerts = {
            name: said for name, said in before.alerts.items() if BoardTopic(key, "alerts", name) in places
        }
        seen = SeenTable(key, **single, alerts=alerts)
        if seen != before:
            changed.append(key)
        if not seen.empty:
            kept[key] = seen
    return kept, changed


def _told(before: SeenTable, place: BoardTopic, said: bytes | None) -> SeenTable:
    if place.kind != "alerts":
        return msgspec.structs.replace(before, **{place.kind: said})
    alerts = dict(before.alerts)
    if said is None:
        alerts.pop(place.alert, None)
    elif place.alert in alerts or len(alerts) < MOST_ALERTS:
        alerts[place.alert] = said
    return msgspec.structs.replace(before, alerts=alerts)


def _is_object(payload: bytes) -> bool:
    return len(payload) <= MOST_BYTES and read_json(payload, dict[str, msgspec.Raw]) is not None


def read_display(payload: bytes | None) -> SeenDisplay | None:
    """A display; None if there is none, or none that we understand."""
    return read_json(payload, SeenDisplay)


def read_parts(payload: bytes | None) -> SeenDisplay:
    """Of a display of another version: what we understand of it."""
    return (None if payload is None else _understood(payload, SeenDisplay)) or SeenDisplay()


def _understood(raw: bytes | msgspec.Raw, kind: type[StructT]) -> StructT | None:
    """A struct of the members that can be read; None if that is no object, or a required member cannot be."""
    read: dict[str, object] = {}
    parts = read_json(raw, dict[str, msgspec.Raw])
    if parts is None:
        return None
    for field in msgspec.structs.fields(kind):
        if field.name in parts:
            try:
                read[field.name] = msgspec.json.decode(parts[field.name], type=field.type)
            except NOT_JSON:
                structs = (one for one in get_args(field.type) if isinstance(one, type))
                inner = next((one for one in structs if issubclass(one, msgspec.Struct)), None)
                member = None if inner is None else _understood(parts[field.name], inner)
                read |= {} if member is None else {field.name: member}
    needed = {field.name for field in msgspec.structs.fields(kind) if field.required}
    return kind(**read) if needed <= read.keys() else None


def read_state(payload: bytes | None) -> State | None:
    """The state in a status; None if there is no status, or none that we understand."""
    status = read_json(payload, SeenStatus)
    return None if status is None else status.state
