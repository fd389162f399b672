"""``show``: one round on one page, for a dispute."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import msgspec

from controller.cli.dispute import head, spots_with
from controller.cli.export import round_line
from controller.cli.telling import complain, print_json_line, print_lines
from controller.journal.reader import SqliteReader
from controller.outbox.envelope import Envelope, name_of
from controller.shell.history import Entry, PastRound, entries, rounds
from controller.vocabulary.events import AnyEvent, SoftwareStarted


def run(arguments: argparse.Namespace) -> int:
    """Print the newest round of that game number (or round id); 1 if there is none."""
    starts: list[Entry] = []

    def noting(told: Iterator[Entry]) -> Iterator[Entry]:
        for entry in told:
            if isinstance(entry.event, SoftwareStarted):
                starts.append(entry)
            yield entry

    with SqliteReader.open(Path(arguments.journal)) as journal:
        found = [
            round_
            for round_ in rounds(noting(entries(journal)))
            if arguments.round in (round_.game_number, round_.id)
            and (arguments.day is None or round_.opened_at.startswith(arguments.day))
        ]
    if not found:
        complain(f"no round {arguments.round} in {arguments.journal}")
        return 1
    if found[-1].hides_cards():
        complain("this round is running and its cards lie face down")
        return 1
    if arguments.json:
        print_json_line(round_line(found[-1]))
        return 0
    began = found[-1].entries[0].record.number
    programs = [start.event for start in starts if start.record.number < began]
    print_lines(page(found[-1], next(reversed(programs), None)))
    if len(found) > 1:
        days = ", ".join(round_.opened_at[:10] for round_ in found)
        print_lines([f"\nThis game number was played on {days}; --day chooses."])
    return 0


def page(round_: PastRound, program: AnyEvent | None = None) -> Iterator[str]:
    """One round on one page: what came, as bytes and in words, what the table said to it, and who acted."""
    yield f"Round {round_.id}, game number {round_.game_number}, opened {round_.opened_at}"
    yield "ended" if round_.ended else "not final yet"
    yield from head(round_, program if isinstance(program, SoftwareStarted) else None)
    for entry in round_.entries:
        stamp = entry.stamp
        clock = "" if stamp.synchronised in (None, True) else " (clock not synchronised)"
        yield f"\n#{entry.record.number}  {stamp.at}{clock}  {in_words(entry)}"
        if stamp.raw:
            number = "" if stamp.report is None else f", report {stamp.report:#04x}"
            yield f"    {stamp.device} sent {bytes.fromhex(stamp.raw)!r}{number}"
        if stamp.fault:
            yield f"    the controller failed on this event ({stamp.fault}) and held the table"
        for message in entry.said:
            if message.subject in (None, round_.id):
                yield f"    {message.sequence:>6} {name_of(message.type_)}: {said_in_words(message)}"


def in_words(entry: Entry) -> str:
    """The event with its fields."""
    fields: dict[str, object] = msgspec.to_builtins(entry.event)
    name = str(fields.pop("event"))
    if name == "table_configured":
        return name
    return " ".join([name, *(f"{key}={value}" for key, value in fields.items())])


def said_in_words(message: Envelope) -> str:
    """The fields of a message that a dispute is about."""
    data: dict[str, object] = msgspec.json.decode(message.data)
    if name_of(message.type_) == "round.result":
        data["pays"] = [f"{spot} {bet['pays']}" for spot, bet in spots_with("win", data.pop("bets", {}))]
    data.pop("round", None)
    return ", ".join(
        f"{key} {msgspec.json.encode(value).decode()}" for key, value in data.items() if value is not None
    )
