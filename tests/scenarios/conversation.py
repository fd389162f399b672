"""A test as a conversation: events in (`>>`), messages out (`<<`).

::

    == 5.1.1 a foreign card as the first card
    table 2-card-action layout=C
    .. SHOE 416; OPEN; CLOSE
    >> XX
    << round.void reason=foreign_card rule=5.1.1 shoe=withdraw; shoe.ended; alert.raised
    {} phase=idle void.reason=foreign_card

``==`` begins a scenario. ``table`` names the game and its settings (``round.close=timer``). ``..`` are events
whose answer is not looked at. After ``>>`` every message of the stream is listed, in order, by ``<<`` (``<<
nothing``); what follows a name must be in its data (a dotted path, JSON value or text with ``_`` for blanks;
``*``: anything but null). ``!!`` is the code of a refusal. ``{}`` looks at the retained display, ``{result}``
and ``{alerts/shoe}`` at other retained topics.

An event is a card (``8S``, ``8S@banker``, ``8S#serial``, ``8S%set``, ``??`` for one that was not read),
``PACK 200`` for so many cards of four decks, the name of an event, or a word of :data:`WORDS` as the keypad
has it (``CLEAR return``; ``by=dealer`` for a key that nobody turned). Fields follow, with or without a name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from controller.games.registry import game_class
from controller.round.state import State
from controller.shell.replay import Replay, numbered
from controller.table import Table
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.effects import Refuse
from controller.vocabulary.events import AnyEvent, Stamp, TableConfigured

AT = "2026-01-31T20:15:00Z"
Json = dict[str, object]


@dataclass(frozen=True)
class Line:
    """One line of a scenario: its mark, its text and where it stands."""

    mark: str
    text: str
    number: int


@dataclass(frozen=True)
class Scenario:
    """A named conversation with one table."""

    name: str
    file: str
    configuration: CoreConfiguration
    lines: list[Line]

    def events(self) -> list[Json]:
        """All events of the conversation, as the lines of an event file."""
        said = (line.text for line in self.lines if line.mark in (">>", ".."))
        return [event for text in said for event in events_of(text)]


@dataclass
class Heard:
    """What came back from one event."""

    messages: list[Json] = field(default_factory=list)
    refused: list[Refuse] = field(default_factory=list)
    retained: dict[str, Json] = field(default_factory=dict)

    @property
    def refusals(self) -> list[str]:
        """The codes of what was refused."""
        return [refusal.code for refusal in self.refused]


Watch = Callable[[AnyEvent, Table, Table, Heard], None]
"""Somebody who looks on: at each event, the tables before and after it, and what came back."""


class Conversation:
    """A table that is talked to."""

    def __init__(self, configuration: CoreConfiguration, watch: Watch | None = None) -> None:
        self.replay = Replay(1)
        self.stream: list[Json] = []
        self.retained: dict[str, Json] = {}
        self._watch = watch
        self.number = 0
        self.take(TableConfigured(core=msgspec.to_builtins(configuration)), Stamp(at=AT))

    @property
    def state(self) -> State:
        """The table's state."""
        state = self.replay.table.state
        assert state is not None
        return state

    @property
    def display(self) -> Json:
        """The retained display."""
        return self.retained["display"]

    def say(self, text: str) -> Heard:
        """Tell the table the events of one line of short notation."""
        heard = Heard()
        for event in events_of(text):
            one = self.tell(event)
            heard.messages += one.messages
            heard.refused += one.refused
        heard.retained = self.retained
        return heard

    def tell(self, event: Json) -> Heard:
        """Tell the table one event, written as the line of an event file."""
        self.number += 1
        return self.take(*numbered(json.dumps({"at": AT, **event}).encode(), self.number))

    def tell_all(self, events: Iterable[Json]) -> None:
        """Tell the table many events."""
        for event in events:
            self.tell(event)

    def take(self, event: AnyEvent, stamp: Stamp) -> Heard:
        """Tell the table one event."""
        before, heard = self.replay.table, Heard()
        for printed in self.replay.step(event, stamp):
            payload = json.loads(bytes(printed.payload))
            part = printed.topic.split("/", 4)[4].removeprefix("test/")
            if not printed.retain:
                heard.messages.append(payload)
            elif payload:
                self.retained[part] = payload
            else:
                self.retained.pop(part)
        heard.refused = [refusal for refusal in self.replay.refusals if isinstance(refusal, Refuse)]
        heard.retained = self.retained
        self.stream += heard.messages
        if self._watch is not None:
            self._watch(event, before, self.replay.table, heard)
        return heard


def talk(table: str, text: str = "") -> Conversation:
    """A conversation with such a table, to which that much was said."""
    conversation = Conversation(configuration_of(table))
    conversation.say(text)
    return conversation


def name_of(message: Mapping[str, Any]) -> str:
    """``round.card`` of a message."""
    return str(message["type"]).removeprefix("dealertable.").removesuffix(".v1")


# --- events

WORDS = {
    "SHOE": "shoe_loaded cards shuffled=yes",
    "SHUFFLED": "shuffle_completed cards",
    "SHUFFLE-FAILED": "shuffle_failed reason",
    "OPEN": "bets_opened",
    "CLOSE": "bets_closed",
    "SEATS": "seats_taken seats",
    "BOOK": "book_closed acknowledged",
    "DECIDED": "decisions_closed",
    "REVEAL": "cards_revealed hand",
    "SETTLED": "round_settled",
    "HOLD": "hold_requested by=dealer",
    "BURN": "cards_burned cards reason",
    "VOID": "round_voided reason by=4711",
    "ENTER": "card_entered card by=4711",
    "RETURN": "card_returned card by=4711",
    "COUNT": "shoe_counted cards",
    "LEFT": "shoe_counted left",
    "COUNTED": "shoe_counted",
    "EMPTY": "shoe_emptied",
    "CLEAR": "hold_cleared choice note by=4711",
    "COLLECTED": "cards_collected cards",
    "CUT": "cut_card_seen",
    "TIMER": "timer_elapsed timer",
    "LOST": "device_lost device",
    "BACK": "device_restored device",
    "RESTART": "software_started version=1 digest=d boot=2",
    "MISSED": "reports_missed device",
    "TROUBLE": "device_faulted device reason",
    "CONDITION": "condition_changed condition active message=it blocks_opening=yes",
    "RESULT": "result_reported winner",
    "DECISIONS": "decisions_reported hand",
    "TABLE-OPENED": "table_opened by=4711",
    "TABLE-CLOSED": "table_closed by=4711",
    "DEALER": "dealer_signed_on by",
    "NODEALER": "dealer_signed_off by",
    "card_read": "card_read code",
}
"""Word -> the event, the fields of values without a name (the last takes all the rest), and what fields are
unless they are given. The name of an event takes the same fields, and gives none.
"""
BY_NAME = {meaning.split()[0]: meaning for meaning in reversed(WORDS.values())}
TRUTH = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def events_of(text: str) -> Iterator[Json]:
    """The events of one line as an event file has them: parts between semicolons, each a word with its
    fields, or cards in a row.
    """
    for part in text.split(";"):
        word, *rest = part.split() or [""]
        if word == "PACK":
            yield from map(card_of, pack(int(rest[0])))
        elif word in WORDS or word in BY_NAME or "_" in word:
            yield msgspec.to_builtins(event_of(part))
        elif word:
            yield from map(card_of, (word, *rest))


def event_of(text: str) -> AnyEvent:
    """``CLEAR void by=dealer`` or ``hold_cleared void by=dealer``; a ValueError where it is no event."""
    word, *said = text.split()
    event, *meant = (WORDS.get(word) or BY_NAME.get(word) or word).split()
    fields = dict(one.split("=", 1) for one in (*(meant if word in WORDS else ()), *said) if "=" in one)
    names = [name for name in meant if "=" not in name]
    given = [one for one in said if "=" not in one]
    if len(given) > len(names):
        given[len(names) - 1 :] = [" ".join(given[len(names) - 1 :])]
    if given and not names:
        raise ValueError(f"{event} says nothing of {' '.join(given)}")
    fields |= dict(zip(names, given, strict=False))
    values = {
        name: json_of(value) if value[:1] in ("[", "{") else TRUTH.get(value, value)
        for name, value in fields.items()
    }
    if event == "seats_taken" and not isinstance(values.get("seats"), list):
        values["seats"] = fields.get("seats", "").split()
    made: AnyEvent = msgspec.convert({"event": event, **values}, AnyEvent, strict=False)
    return made


def pack(cards: int) -> list[str]:
    """The first cards of four decks in an order that no watch for factory order notices: all twos, all
    threes, ..."""
    ranks = "23456789TJQKA"
    return [rank + suit for rank in ranks for _ in range(4) for suit in "SHDC"][:cards]


def card_of(word: str) -> Json:
    """``8S``, ``8S@banker``, ``8S#serial``, ``8S%set``, ``??``."""
    if word == "??":
        return {"event": "card_unread"}
    event: Json = {"event": "card_read"}
    for mark, name in (("%", "set"), ("#", "serial"), ("@", "position")):
        word, _, value = word.partition(mark)
        if value:
            event[name] = value
    return {**event, "code": word}


def json_of(text: str) -> object:
    """A value of a scenario: JSON where it is JSON, else the text itself; yes and no for the booleans."""
    if text in ("yes", "no"):
        return text == "yes"
    try:
        return json.loads(text)
    except ValueError:
        return text


# --- scenarios


def read_scenarios(path: Path) -> list[Scenario]:
    """The scenarios of a file; a table of its own begins one, too."""
    found: list[Scenario] = []
    name, settings, begins = "", "", True
    for number, text in enumerate(path.read_text().splitlines(), 1):
        mark, _, rest = text.strip().partition(" ")
        if mark == "==":
            name, begins = rest.strip(), True
        elif mark == "table":
            settings, begins = rest, True
        elif mark and not mark.startswith("#"):
            if begins:
                found.append(Scenario(name, path.stem, configuration_of(settings), []))
            found[-1].lines.append(Line(mark, rest.strip(), number))
            begins = False
    return found


def configuration_of(text: str) -> CoreConfiguration:
    """``baccarat decks=8 round.close=timer``: the configuration of a table."""
    game, *words = text.split()
    game_class(game)
    tables: dict[str, Json] = {
        "table": {"site": "north", "id": "7"},
        "game": {"name": game},
        "round": {},
        "shoe": {},
        "code_map": {},
        "badges": {},
    }
    core: Json = dict(tables)
    for word in words:
        key, _, value = word.partition("=")
        room, _, name = key.rpartition(".")
        if room == "core":
            core[name] = json_of(value)
        else:
            tables[room or "game"][name] = json_of(value)
    return msgspec.convert(core, CoreConfiguration)


def check(scenario: Scenario, conversation: Conversation) -> None:
    """Run the conversation; an AssertionError names file and line."""
    heard, waiting = Heard(), False

    def nothing_left(line: Line) -> None:
        assert not (waiting and heard.messages), (
            f"{scenario.file}:{line.number}: not listed: {[summary(message) for message in heard.messages]}"
        )

    for line in scenario.lines:
        where = f"{scenario.file}:{line.number}: {line.mark} {line.text}"
        if line.mark in (">>", ".."):
            nothing_left(line)
            heard, waiting = conversation.say(line.text), line.mark == ">>"
        elif line.mark == "<<":
            for expected in line.text.split(";"):
                if expected.strip() == "nothing":
                    nothing_left(line)
                else:
                    assert heard.messages, f"{where}: nothing more was said"
                    match_message(expected.split(), heard.messages.pop(0), where)
        elif line.mark == "!!":
            assert line.text in heard.refusals, f"{where}: refused were {heard.refusals}"
        elif line.mark.startswith("{"):
            match_retained(line, conversation.retained, where)
        else:
            raise ValueError(f"{where}: unknown mark")
    nothing_left(scenario.lines[-1])


def match_message(expected: list[str], message: Json, where: str) -> None:
    """The name, and each path=value in the data; ``round.card`` may say ``first 8S`` or ``dealer --``."""
    assert name_of(message) == expected[0], f"{where}: said was {summary(message)}"
    data = message["data"]
    words = expected[1:]
    if expected[0] == "round.card" and len(words) >= 2 and "=" not in words[0]:
        face_down = words[1] == "--"
        card = "null" if face_down else words[1]
        words = [f"position={words[0]}", f"card={card}", *(["commitment=*"] if face_down else []), *words[2:]]
    for word in words:
        match_path(word, data, f"{where}: {summary(message)}")


def match_retained(line: Line, retained: dict[str, Json], where: str) -> None:
    """``{} phase=idle``; ``{alerts/shoe} gone``."""
    topic = line.mark.strip("{}") or "display"
    if line.text == "gone":
        assert topic not in retained, f"{where}: it stands as {retained.get(topic)}"
        return
    assert topic in retained, f"{where}: retained are {sorted(retained)}"
    for word in line.text.split():
        match_path(word, retained[topic], where)


def match_path(word: str, value: object, where: str) -> None:
    """One ``path=value``; list places are numbers."""
    path, _, text = word.partition("=")
    for step in path.split("."):
        if isinstance(value, list):
            value = value[int(step)] if int(step) < len(value) else None
        elif isinstance(value, dict):
            key = (
                step if step in value else next((key for key in value if key.replace(".", "_") == step), step)
            )
            value = value.get(key)
        else:
            value = None
    if text == "*":
        assert value is not None, f"{where}: {path} is null"
    else:
        assert value == json_of(text) or str(value).replace(" ", "_") == text, f"{where}: {path} is {value!r}"


def summary(message: Json) -> str:
    """A message in one line."""
    return f"{name_of(message)} {json.dumps(message['data'])[:300]}"
