"""A test as a conversation: events in (`>>`), messages out (`<<`), in the words of the table.

== 5.1.1 a foreign card as the first card table 2-card-action layout=C .. SHOE 416; OPEN; CLOSE >> XX <<
round.void reason=foreign_card rule=5.1.1 shoe=withdraw; shoe.ended; alert.raised {} phase=idle
void.reason=foreign_card

``==`` begins a scenario. ``table`` names the game and its settings (``round.close=timer``). ``..`` are events
whose answer is not looked at. After ``>>`` every message of the stream is listed, in order, by ``<<`` (``<<
nothing``); what follows a name must be in its data (a dotted path, JSON value or text with ``_`` for blanks;
``*``: anything but null). ``!!`` is the code of a refusal. ``{}`` looks at the retained display, ``{result}``
and ``{alerts/shoe}`` at other retained topics.

``PACK 200`` draws so many cards of four decks. Events are keypad lines (``CLEAR return``; ``by=dealer`` for a
key that nobody turned), cards (``8S``, ``8S@banker``, ``8S#serial``, ``8S%set``, ``??`` for one that was not
read), and the words of :data:`WORDS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from controller.shell.replay import Replay, numbered
from controller.table import Table
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.effects import Refused
from controller.vocabulary.events import AnyEvent, Stamp, TableConfigured

AT = "2026-01-31T20:15:00Z"
SUPERVISOR = "4711"
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
    lines: tuple[Line, ...]

    def events(self) -> list[Json]:
        """All events of the conversation, as the lines of an event file."""
        said = (line.text for line in self.lines if line.mark in (">>", ".."))
        return [event for text in said for event in events_of(text)]


@dataclass
class Heard:
    """What came back from one event."""

    messages: list[Json] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    retained: dict[str, Json] = field(default_factory=dict)


class Watch(Protocol):
    """Somebody who looks on."""

    def see(self, event: AnyEvent, before: Table, after: Table, heard: Heard) -> None:
        """One event, the tables before and after it, and what came back."""


class Conversation:
    """A table that is talked to; ``watch`` sees every event, the tables before and after it, and what was
    said."""

    def __init__(self, configuration: CoreConfiguration, watch: Watch | None = None) -> None:
        self.replay = Replay(1)
        self.stream: list[Json] = []
        self.retained: dict[str, Json] = {}
        self._watch = watch
        self.number = 0
        self._take(TableConfigured(core=msgspec.to_builtins(configuration)), Stamp(at=AT))

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
            heard.refusals += one.refusals
        heard.retained = self.retained
        return heard

    def tell(self, event: Json) -> Heard:
        """Tell the table one event, written as the line of an event file."""
        self.number += 1
        return self._take(*numbered(json.dumps({"at": AT, **event}).encode(), self.number))

    def _take(self, event: AnyEvent, stamp: Stamp) -> Heard:
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
        heard.refusals = [refusal.code for refusal in self.replay.refusals if isinstance(refusal, Refused)]
        heard.retained = self.retained
        self.stream += heard.messages
        if self._watch is not None:
            self._watch.see(event, before, self.replay.table, heard)
        return heard


def name_of(message: Json) -> str:
    """``round.card`` of a message."""
    return str(message["type"]).removeprefix("dealertable.").removesuffix(".v1")


# --- events


def _by(options: Json) -> Json:
    return {"by": str(options.pop("by", SUPERVISOR))}


def _named(event: str, *names: str) -> Callable[[list[str], Json], Json]:
    return lambda words, options: {"event": event, **dict(zip(names, words, strict=False))}


def _badged(event: str, *names: str) -> Callable[[list[str], Json], Json]:
    return lambda words, options: {**_named(event, *names)(words, options), **_by(options)}


WORDS: dict[str, Callable[[list[str], Json], Json]] = {
    "SHOE": lambda words, options: {"event": "shoe_loaded", "cards": int(words[0]), "shuffled": True},
    "SHUFFLED": lambda words, options: {"event": "shuffle_completed", "cards": int(words[0])},
    "SHUFFLE-FAILED": lambda words, options: {"event": "shuffle_failed", "reason": " ".join(words)},
    "OPEN": _named("bets_opened"),
    "CLOSE": _named("bets_closed"),
    "DECIDED": _named("decisions_closed"),
    "REVEAL": _named("cards_revealed"),
    "SETTLED": _named("round_settled"),
    "HOLD": lambda words, options: {"event": "hold_requested", "by": options.pop("by", "dealer")},
    "BURN": lambda words, options: {
        "event": "cards_burned",
        "cards": int(words[0]),
        "reason": " ".join(words[1:]),
    },
    "VOID": _badged("round_voided", "reason"),
    "ENTER": _badged("card_entered", "card"),
    "RETURN": _badged("card_returned", "card"),
    "COUNT": lambda words, options: {"event": "shoe_counted", "cards": int(words[0])},
    "LEFT": lambda words, options: {"event": "shoe_counted", "left": int(words[0])},
    "COUNTED": _named("shoe_counted"),
    "EMPTY": _named("shoe_emptied"),
    "CLEAR": lambda words, options: {
        "event": "hold_cleared",
        "choice": words[0],
        "note": " ".join(words[1:]) or None,
        **_by(options),
    },
    "COLLECTED": lambda words, options: {"event": "cards_collected", "cards": int(words[0])},
    "CUT": _named("cut_card_seen"),
    "TIMER": _named("timer_elapsed", "timer"),
    "LOST": _named("device_lost", "device"),
    "BACK": _named("device_restored", "device"),
    "RESTART": lambda words, options: {"event": "software_started", "version": "1", "digest": "d", "boot": 2},
    "MISSED": _named("reports_missed", "device"),
    "TROUBLE": _named("device_faulted", "device", "reason"),
    "CONDITION": lambda words, options: {
        "event": "condition_changed",
        "condition": words[0],
        "active": words[1] == "on",
        "message": words[0],
        "blocks_opening": True,
    },
    "RESULT": _named("result_reported", "winner"),
    "DECISIONS": _named("decisions_reported", "hand"),
    "TABLE-OPENED": _badged("table_opened"),
    "TABLE-CLOSED": _badged("table_closed"),
    "DEALER": lambda words, options: {"event": "dealer_signed_on", "by": words[0]},
}
"""The first word of an event -> the event; ``key=value`` behind it are further fields."""


def events_of(text: str) -> Iterator[Json]:
    """The events of one line: parts between semicolons, each a word with its arguments or cards in a row."""
    for part in text.split(";"):
        words = part.split()
        if not words:
            continue
        if words[0] == "PACK":
            yield from (card_of(code) for code in pack(int(words[1])))
            continue
        if words[0] not in WORDS:
            yield from (card_of(word) for word in words)
            continue
        pairs = (word.split("=", 1) for word in words[1:] if "=" in word)
        options = {key: value if key == "by" else json_of(value) for key, value in pairs}
        event = WORDS[words[0]]([word for word in words[1:] if "=" not in word], options)
        yield {**event, **options}


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
    """The scenarios of a file."""
    found: list[Scenario] = []
    name, settings, lines = "", "", list[Line]()

    def finish() -> None:
        if lines:
            found.append(Scenario(name, path.stem, configuration_of(settings), tuple(lines)))
            lines.clear()

    for number, text in enumerate(path.read_text().splitlines(), 1):
        mark, _, rest = text.strip().partition(" ")
        if mark == "==":
            finish()
            name = rest.strip()
        elif mark == "table":
            finish()
            settings = rest
        elif mark and not mark.startswith("#"):
            lines.append(Line(mark, rest.strip(), number))
    finish()
    return found


def configuration_of(text: str) -> CoreConfiguration:
    """``baccarat decks=8 round.close=timer``: the configuration of a table."""
    game, *words = text.split()
    tables: dict[str, Json] = {
        "table": {"site": "north", "id": "7"},
        "game": {"name": game},
        "round": {},
        "shoe": {},
        "code_map": {},
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
