"""A transcript of a table: what happens (``>>``) and what the table says (``<<``), as a dealer reads it.

A file is its own script: the lines that begin with ``==`` (a new table and its settings) and ``>>`` (an
event) are written by a person, the lines that begin with ``<<`` are written by :func:`played`. Everything
else is text.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from controller.vocabulary.codec import encode_event
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.events import AnyEvent, Stamp
from tests.golden.phrases import display_words, in_words
from tests.scenarios.conversation import Conversation, configuration_of, event_of, name_of

FOLDER = Path(__file__).parent
WIDTH = 110
HEAD = 29
"""Columns before the words of a message."""
BEGINS_AT = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
SECONDS_AN_EVENT = 4


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
                table = Scribe(configuration_of(line[2:]))
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
        self._talk = Conversation(configuration)
        self._shown = ""
        self._committed: dict[int, str] = {}

    def answers(self, event: AnyEvent) -> Iterator[str]:
        """The lines of the answer: refusals, the stream, and the display where it changed."""
        self._talk.number += 1
        at = BEGINS_AT + timedelta(seconds=SECONDS_AN_EVENT * (self._talk.number - 1))
        stamp = Stamp(at=at.isoformat().replace("+00:00", "Z"), sequence=self._talk.number)
        encode_event(event, stamp)  # whatever a script says can stand in a journal
        heard = self._talk.take(event, stamp)
        for refusal in heard.refused:
            yield from folded(f"<<     {'refused':<21} {refusal.code}: {refusal.why}")
        for message in heard.messages:
            yield from folded(self._line(message))
        yield from self._display(self._talk.display)

    def _line(self, envelope: dict[str, Any]) -> str:
        name, data = name_of(envelope), envelope["data"]
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
