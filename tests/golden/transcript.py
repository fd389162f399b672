"""A transcript of a table: what happens (``>>``) and what the table says (``<<``), as a dealer reads it.

A file is its own script: the lines that begin with ``==`` (a new table and its settings) and ``>>`` (an
event) are written by a person, the lines that begin with ``<<`` are written by :func:`played`. Everything
else is text.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from controller.games.registry import game_class
from controller.shell.replay import Printed, Replay
from controller.vocabulary.codec import encode_event
from controller.vocabulary.configuration import (
    CoreConfiguration,
    GameSettings,
    RoundSettings,
    ShoeSettings,
    TableSettings,
)
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.events import AnyEvent, Stamp, TableConfigured
from tests.golden.phrases import display_words, in_words

FOLDER = Path(__file__).parent
WIDTH = 110
HEAD = 29
"""Columns before the words of a message."""
BEGINS_AT = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
SECONDS_AN_EVENT = 4

FIRST_WORD = {
    "card_read": "code",
    "card_entered": "card",
    "card_returned": "card",
    "cards_burned": "cards",
    "hold_cleared": "choice",
    "round_voided": "reason",
    "timer_elapsed": "timer",
    "device_lost": "device",
    "device_restored": "device",
    "decisions_reported": "hand",
    "result_reported": "winner",
    "table_opened": "by",
    "shoe_loaded": "cards",
    "shuffle_completed": "cards",
}
"""The field that a word without a key belongs to."""


class ScriptError(Exception):
    """A line of a script that says nothing; the message names it."""


def path_of(game: str) -> Path:
    """The file of a game."""
    return FOLDER / f"{game}.txt"


def played(text: str) -> str:
    """The transcript with every answer of the table written anew."""
    table: Scribe | None = None
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("<<") or (line[:2] == "  " and lines and line.strip()):
            continue  # an old answer, or the rest of a long one
        lines.append(line)
        try:
            if line.startswith("=="):
                table = Scribe(configured(line[2:]))
            elif line.startswith(">>") and table is not None:
                lines += table.answers(event_of(line[2:]))
            elif line.startswith(">>"):
                raise ScriptError("no table yet: begin with a line == GAME")
        except (ConfigurationError, ScriptError, ValueError, KeyError) as error:
            raise ScriptError(f"line {number}: {line}: {error}") from error
    return "\n".join(lines) + "\n"


class Scribe:
    """One table, and what it says to each event, in lines."""

    def __init__(self, configuration: CoreConfiguration) -> None:
        self._replay = Replay(1)
        self._events = 0
        self._shown = ""
        self._committed: dict[int, str] = {}
        list(self._replay.step(TableConfigured(core=msgspec.to_builtins(configuration)), Stamp()))

    def answers(self, event: AnyEvent) -> Iterator[str]:
        """The lines of the answer: refusals, the stream, and the display where it changed."""
        self._events += 1
        at = BEGINS_AT + timedelta(seconds=SECONDS_AN_EVENT * (self._events - 1))
        stamp = Stamp(at=at.isoformat().replace("+00:00", "Z"), sequence=self._events)
        encode_event(event, stamp)  # whatever a script says can stand in a journal
        printed = list(self._replay.step(event, stamp))
        for refusal in self._replay.refusals:
            yield from folded(f"<<     {'refused':<21} {refusal.code}: {refusal.why}")
        for message in printed:
            if not message.retain:
                yield from folded(self._line(message))
        for message in printed:
            if message.retain and message.topic.endswith("/display"):
                yield from self._display(json.loads(bytes(message.payload)))

    def _line(self, message: Printed) -> str:
        envelope = json.loads(bytes(message.payload))
        name = envelope["type"].removeprefix("dealertable.").removesuffix(".v1")
        data: dict[str, Any] = envelope["data"]
        if name == "round.opened":
            self._committed = {}
        if name == "round.card" and data.get("commitment"):
            self._committed[data["index"]] = data["commitment"]
        return f"<< {envelope['sequence']:>3} {name:<21} {in_words(name, data, self._committed)}"

    def _display(self, shown: dict[str, Any]) -> Iterator[str]:
        words = display_words(shown)
        if words != self._shown:
            self._shown = words
            yield from folded(f"<<     {'display':<21} {words}")


def folded(line: str) -> list[str]:
    """A long line, folded below its words."""
    return textwrap.wrap(
        line, WIDTH, subsequent_indent=" " * HEAD, break_on_hyphens=False, break_long_words=False
    )


def configured(words: str) -> CoreConfiguration:
    """``GAME key=value ...``: settings of the game; of the round and the shoe with their room in front."""
    name, *pairs = words.split()
    game_class(name)
    rooms: dict[str, dict[str, object]] = {"game": {"name": name}, "round": {}, "shoe": {}}
    for pair in pairs:
        key, value = pair.split("=")
        room, _, own = key.rpartition(".")
        rooms[room or "game"][own] = value.split(",") if own in ("betting_rounds", "burn_before") else value
    return CoreConfiguration(
        table=TableSettings("north", "7"),
        game=msgspec.convert(rooms["game"], GameSettings, strict=False),
        round=msgspec.convert(rooms["round"], RoundSettings, strict=False),
        shoe=msgspec.convert(rooms["shoe"], ShoeSettings, strict=False),
    )


def event_of(words: str) -> AnyEvent:
    """``event_name [word] key=value ...``."""
    name, *rest = words.split()
    fields: dict[str, object] = {"event": name}
    for word in rest:
        key, _, value = word.rpartition("=")
        fields[key or FIRST_WORD[name]] = value
    event: AnyEvent = msgspec.convert(fields, AnyEvent, strict=False)
    return event
