"""A history as a conversation of ``tests/scenarios/catalogue``: what came in, and what was said to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from controller.table import Table
from controller.vocabulary.effects import Refuse, Say
from controller.vocabulary.events import AnyEvent, DeviceReported, TableConfigured
from tests.scenarios.conversation import WORDS
from tests.simulation.desk import Recorded
from tests.simulation.plan import Plan
from tests.simulation.violation import Violation


def conversation(plan: Plan, record: Iterable[Recorded], violation: Violation) -> str:
    """Ready to paste: the events since the start, with the messages that they caused."""
    return "\n".join(
        [
            f"# seed {plan.seed}; " + "; ".join(map(str, plan.faults)),
            f"# {violation.kind}: {violation.text}",
            f"== {violation.kind}",
            f"table {plan.drawn.words}",
            *lines(record),
        ]
    )


def lines(record: Iterable[Recorded]) -> Iterator[str]:
    """The events, each with what is said to it; those that nobody answers stand together."""
    table, quiet = Table(1), []
    for event, stamp in record:
        try:
            table, effects = table.handle(event, stamp)
        except Exception as error:
            yield from said(quiet)
            yield f">> {told(event)}"
            yield f"# {error!r}"
            return
        if isinstance(event, DeviceReported | TableConfigured):
            if isinstance(event, TableConfigured) and stamp.sequence > 1:
                quiet.append("# configured anew")
            continue
        messages = [effect.message for effect in effects if isinstance(effect, Say)]
        refused = [effect.code for effect in effects if isinstance(effect, Refuse)]
        if not messages and not refused:
            quiet.append(told(event))
            continue
        yield from said(quiet)
        quiet = []
        yield f">> {told(event)}"
        if messages:
            yield "<< " + "; ".join(map(summary, messages))
        yield from (f"!! {code}" for code in refused[:1])
    yield from said(quiet)


def said(quiet: list[str]) -> Iterator[str]:
    """Events that nobody answered."""
    if quiet:
        yield f".. {'; '.join(quiet)}"


def told(event: AnyEvent) -> str:
    """An event in the words of a conversation."""
    fields: dict[str, Any] = msgspec.to_builtins(event)
    name = fields.pop("event")
    if name == "card_unread":
        return "??"
    if name == "card_read" and set(fields) == {"code"}:
        return str(fields["code"])
    word = next(
        (word for word, meaning in WORDS.items() if meaning.split()[0] == name and meaning != word), name
    )
    meant = WORDS.get(word, name).split()[1:]
    given = dict(one.split("=") for one in meant if "=" in one)
    parts = []
    for key in [one for one in meant if "=" not in one]:
        if fields.get(key) not in (None, "", ()):
            parts.append(plain(fields.pop(key)))
    for key, value in fields.items():
        if plain(value) != given.get(key) and value not in (None, "", {}, ()) and plain(value) != "4711":
            parts.append(f"{key}={plain(value)}")
    return " ".join([word, *parts])


def plain(value: object) -> str:
    """A value as a scenario writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


TELLING = ("reason", "position", "choice", "by", "winner", "code", "revision")


def summary(message: msgspec.Struct) -> str:
    """A message, with what matters of it."""
    data: dict[str, Any] = msgspec.to_builtins(message)
    name = message.name  # type: ignore[attr-defined]
    if name == "round.card":
        return f"round.card {data['position']} {data['card'] or '--'}"
    parts = [f"{key}={str(data[key]).replace(' ', '_')}" for key in TELLING if data.get(key)]
    return " ".join([name, *(parts if not name.startswith("alert") else parts[-1:])])
