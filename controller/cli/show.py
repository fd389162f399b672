"""``show``: one round on one page, for a dispute.

At its head stands what the round came to, on a few lines that two people can read together; what stands
below, event by event with the bytes, is the proof.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date

import msgspec

from controller.cli.export import round_line
from controller.cli.journal_file import journal_file
from controller.cli.phrases import card_text, describe_outcome
from controller.cli.telling import FAILED, complain, print_json_line, print_lines
from controller.journal.reader import SqliteReader
from controller.outbox.envelope import Envelope, name_of
from controller.round.turn import REFUSED, WHY_REFUSED
from controller.shell.history import Entry, PastRound, entries, rounds
from controller.vocabulary.errors import InputError
from controller.vocabulary.events import HoldCleared, KeyRefused, SoftwareStarted
from controller.vocabulary.irregularities import KINDS
from controller.vocabulary.limits import Limits

Data = Mapping[str, object]
Told = tuple[str, Data, str]
"""Name, data and time of a message."""
LIVE = "at its live price"


def run(arguments: argparse.Namespace) -> int:
    """Print the newest round of that game number (or round id); 1 if there is none."""
    starts: list[tuple[int, SoftwareStarted]] = []
    day = None if arguments.day is None else day_of(arguments.day)

    def noting(told: Iterator[Entry]) -> Iterator[Entry]:
        for entry in told:
            if isinstance(entry.event, SoftwareStarted):
                starts.append((entry.record.number, entry.event))
            yield entry

    with SqliteReader.open(journal_file(arguments.journal)) as journal:
        found = [
            round_
            for round_ in rounds(noting(entries(journal)))
            if arguments.round in (round_.game_number, round_.id)
        ]
    of_day = [round_ for round_ in found if day is None or round_.opened_at.startswith(day)]
    if not of_day:
        on = f" of {arguments.day}" if found else ""
        played = f"; it was played on {days_of(found)}" if found else ""
        return complain(f"there is no round {arguments.round}{on} in {arguments.journal}{played}", FAILED)
    found = of_day
    if found[-1].hides_cards():
        return complain("this round is running and its cards lie face down", FAILED)
    if arguments.json:
        print_json_line(round_line(found[-1]))
        return 0
    began = found[-1].entries[0].record.number
    programs = [start for number, start in starts if number < began]
    print_lines(page(found[-1], programs[-1] if programs else None))
    if len(found) > 1:
        print_lines([f"\nThis game number was played on {days_of(found)}; --day chooses."])
    return 0


def days_of(found: list[PastRound]) -> str:
    """The days on which rounds were opened."""
    return ", ".join(round_.opened_at[:10] for round_ in found)


def day_of(text: str) -> str:
    """``--day`` as rounds have it. :class:`InputError` for what is no day."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise InputError(f"--day {text!r}: expected a day as 2026-01-31") from error


def page(round_: PastRound, software: SoftwareStarted | None) -> Iterator[str]:
    """One round on one page: what came, as bytes and in words, what the table said to it, and who acted.

    ``software``: the program's last start before the round.
    """
    yield f"Round {round_.id}, game number {round_.game_number}, opened {round_.opened_at}"
    yield "ended" if round_.ended else "not final yet"
    told: list[Told] = [
        (name, msgspec.json.decode(message.data), message.time) for name, message in round_.messages()
    ]
    priced = priced_in(told)
    yield from head(round_, told, priced, software)
    for entry in round_.entries:
        stamp = entry.stamp
        clock = "" if stamp.synchronised in (None, True) else " (clock not synchronised)"
        yield f"\n#{entry.record.number}  {stamp.at}{clock}  {in_words(entry)}"
        if stamp.raw:
            number = "" if stamp.report is None else f", report {stamp.report:#04x}"
            yield f"    {stamp.device or 'a device'} sent {bytes_text(bytes.fromhex(stamp.raw))}{number}"
        if stamp.fault:
            yield f"    the controller failed on this event ({stamp.fault}) and held the table"
        for message in entry.said:
            if message.subject in (None, round_.id):
                name = name_of(message.type_) or message.type_
                yield f"    {message.sequence:>6} {name}: {said_in_words(message, priced)}"
                if name == "round.opened":
                    yield from pay_lines(msgspec.json.decode(message.data))


def head(
    round_: PastRound, told: list[Told], priced: frozenset[str], software: SoftwareStarted | None
) -> Iterator[str]:
    """Who dealt, cards, result or void with its paragraph, pay table, holds with who cleared them, and the
    program."""
    opened = next((data for name, data, _ in told if name == "round.opened"), {})
    if opened.get("dealer") is not None:
        yield f"  dealt by     {opened['dealer']}"
    if opened.get("gaming_day") is not None:
        yield f"  gaming day   {opened['gaming_day']}"
    held: object = None
    for hand, cards in hands(told).items():
        yield f"  {hand:12} {' '.join(map(card_text, cards))}"
    for name, data, at in told:
        if name == "round.result":
            yield from result(data, at, priced)
        elif name == "round.void":
            rule = f", paragraph {data['rule']}" if data.get("rule") else ""
            by = f", by {data['by']}" if data.get("by") else ""
            taken = " The result before it is taken back." if data.get("retracts") else ""
            yield f"  void         {data['reason']}{rule}{by}: every bet is returned.{taken}"
        elif name == "table.held" and (not data.get("again") or data["reason"] != held):
            held = data["reason"]
            yield f"  held         {at}: {held}{meaning_of(held)}"
    for entry in round_.entries:
        for why in refusals(entry):
            yield f"  refused      {entry.stamp.at}: {why}"
        if isinstance(entry.event, HoldCleared) and any(map(ends_hold, entry.said)):
            note = f" ({entry.event.note})" if entry.event.note else ""
            yield f"  cleared      {entry.stamp.at}: {entry.event.choice} by {entry.event.by}{note}"
    if software is not None:
        yield f"  program      version {software.version}, digest {software.digest}"


def meaning_of(reason: object) -> str:
    """A hold's reason in words, to stand behind it; a later version may have others."""
    kind = KINDS.get(str(reason))
    return f", {kind.meaning}" if kind is not None else ""


def refusals(entry: Entry) -> Iterator[str]:
    """Why people were told that a step was refused; each key that might not act, though its alert is raised
    once."""
    if isinstance(entry.event, KeyRefused):
        yield f"{entry.event.line}: {WHY_REFUSED[entry.event.code]}"
        return
    for message in entry.said:
        if name_of(message.type_) == "alert.raised":
            data: dict[str, object] = msgspec.json.decode(message.data)
            if data["id"] == REFUSED:
                yield str(data["message"])


def ends_hold(message: Envelope) -> bool:
    """Whether a choice was taken, and not refused."""
    return name_of(message.type_) in ("table.resumed", "round.void")


def hands(told: list[Told]) -> dict[str, list[object]]:
    """Every card by its place in order of the deal; where cards lay face down, as they were revealed."""
    dealt: dict[str, list[object]] = {}
    for name, data, _ in told:
        if name == "round.card":
            dealt.setdefault(str(data["position"]), []).append(data["card"])
    shown = [data for name, data, _ in told if name == "round.result"]
    for data in shown[-1:]:
        named = data.get("hands")
        if isinstance(named, Mapping):
            return {**dealt, **{str(hand): list(cards) for hand, cards in named.items() if cards}}
    return dealt


def priced_in(told: list[Told]) -> frozenset[str]:
    """The spots that had live prices in the round: what the pay table says of them was paid to nobody."""
    offers = [data["offered"] for name, data, _ in told if name == "round.odds" and "offered" in data]
    return frozenset(str(spot) for offered in offers if isinstance(offered, Mapping) for spot in offered)


def result(data: Data, at: str, priced: frozenset[str]) -> Iterator[str]:
    """A result, what it pays, and by which rules and pay table; ``priced``: spots with live prices."""
    revision = f", revision {data['revision']}" if data.get("revision") not in (None, 1) else ""
    yield f"  result       {describe_outcome(str(data.get('game')), data)} at {at}{revision}"
    bets = data.get("bets")
    if isinstance(bets, Mapping):
        won = [f"{spot} {LIVE if spot in priced else bet['pays']}" for spot, bet in spots_with("win", bets)]
        yield f"  pays         {', '.join(won) or 'nothing'}"
        if pushed := [spot for spot, _ in spots_with("push", bets)]:
            yield f"  stake back   {', '.join(pushed)}"
    table = data.get("pay_table")
    if isinstance(table, Mapping):
        yield f"  pay table    {table['id']}, digest {table['digest']}; rules {data['rules']}"


def spots_with(result: str, bets: object) -> list[tuple[str, Data]]:
    """The spots of a result's ``bets`` that came out so, with what they pay."""
    if not isinstance(bets, Mapping):
        return []
    return [(str(spot), bet) for spot, bet in bets.items() if bet["result"] == result]


def in_words(entry: Entry) -> str:
    """The event with its fields."""
    fields: dict[str, object] = msgspec.to_builtins(entry.event)
    name = str(fields.pop("event"))
    fields.pop("took_over", None)
    if name == "table_configured" or not fields:
        return name
    return f"{name}: {with_values(fields)}"


def with_values(fields: Data) -> str:
    """Fields and what they are, as they stand in the record; a field that says nothing is left out."""
    return ", ".join(
        f"{key} {msgspec.json.encode(value).decode()}" for key, value in fields.items() if value is not None
    )


def bytes_text(raw: bytes) -> str:
    """Bytes of a device: a line of text as text with the names of its end, else hexadecimal digits."""
    text = raw.rstrip(b"\r\n").decode("ascii", errors="replace")
    if not (text.isascii() and text.isprintable()):
        return raw.hex(" ").upper()
    ends = "".join(" CR" if byte == 0x0D else " LF" for byte in raw[len(text) :])
    return f'"{text}"{ends}'


def said_in_words(message: Envelope, priced: frozenset[str]) -> str:
    """The fields of a message that a dispute is about; ``priced``: spots with live prices."""
    data: dict[str, object] = msgspec.json.decode(message.data)
    if name_of(message.type_) == "round.result":
        won = spots_with("win", data.pop("bets", {}))
        data["pays"] = [f"{spot} {LIVE if spot in priced else bet['pays']}" for spot, bet in won]
    if name_of(message.type_) == "round.opened":
        data = in_short(data)
    data.pop("round", None)
    return with_values({key: for_people(value) for key, value in data.items()})


def in_short(opened: Data) -> dict[str, object]:
    """How a round opened, without the pay table, whose lines follow; whole with ``--json``."""
    from controller.cli.check_config import limits_words

    data = {key: value for key, value in opened.items() if key not in ("pays", "spots")}
    table = data.get("pay_table")
    if isinstance(table, Mapping):
        data["pay_table"] = table["id"]
    with suppress(msgspec.ValidationError):  # another version's
        data["limits"] = limits_words(msgspec.convert(data.get("limits"), Limits | None))
    return data


def pay_lines(opened: Data) -> Iterator[str]:
    """What each bet of a pay table pays, and when."""
    bets = opened.get("pays")
    for bet, line in bets.items() if isinstance(bets, Mapping) else ():
        rows = "; ".join(f"{row['pays'] or row['result']} for {row['when']}" for row in line["rows"])
        yield from textwrap.wrap(f"{bet}: {rows}", 100, initial_indent=" " * 11, subsequent_indent=" " * 13)


def for_people(value: object) -> object:
    """The value with four decimals, as a page has room for: probabilities and fair prices stand whole in the
    record."""
    if isinstance(value, dict):
        return {key: for_people(one) for key, one in value.items()}
    return round(value, 4) if isinstance(value, float) else value
