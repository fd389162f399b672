"""The head of ``show``: what a round came to, on a few lines that two people can read together.

What stands below it, event by event with the bytes, is the proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from controller.cli.phrases import card_text, describe_outcome
from controller.shell.history import PastRound
from controller.vocabulary.events import HoldCleared, SoftwareStarted

Data = Mapping[str, object]


def head(round_: PastRound, software: SoftwareStarted | None) -> Iterator[str]:
    """Cards, result or void with its paragraph, pay table, holds with who cleared them, and the program.

    ``software``: the program's last start before the round.
    """
    told: list[tuple[str, Data, str]] = [
        (name, msgspec.json.decode(message.data), message.time) for name, message in round_.messages()
    ]
    for hand, cards in hands(told).items():
        yield f"  {hand:12} {' '.join(map(card_text, cards))}"
    for name, data, at in told:
        if name == "round.result":
            yield from result(data, at)
        elif name == "round.void":
            rule = f", paragraph {data['rule']}" if data.get("rule") else ""
            by = f", by {data['by']}" if data.get("by") else ""
            taken = " The result before it is taken back." if data.get("retracts") else ""
            yield f"  void         {data['reason']}{rule}{by}: every bet is returned.{taken}"
        elif name == "table.held":
            yield f"  held         {at}: {data['reason']}"
    for entry in round_.entries:
        if isinstance(entry.event, HoldCleared):
            note = f" ({entry.event.note})" if entry.event.note else ""
            yield f"  cleared      {entry.stamp.at}: {entry.event.choice} by {entry.event.by}{note}"
    if software is not None:
        yield f"  program      version {software.version}, digest {software.digest}"


def hands(told: list[tuple[str, Data, str]]) -> dict[str, list[object]]:
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


def result(data: Data, at: str) -> Iterator[str]:
    """A result, what it pays, and by which rules and pay table."""
    revision = f", revision {data['revision']}" if data.get("revision") not in (None, 1) else ""
    yield f"  result       {describe_outcome(str(data.get('game')), data)} at {at}{revision}"
    bets = data.get("bets")
    if isinstance(bets, Mapping):
        won = [f"{spot} {bet['pays']}" for spot, bet in spots_with("win", bets)]
        yield f"  pays         {', '.join(won) or 'nothing'}"
        if pushed := [spot for spot, _ in spots_with("push", bets)]:
            yield f"  stake back   {', '.join(pushed)}"
    table = data.get("pay_table")
    if isinstance(table, Mapping):
        yield f"  pay table    {table.get('id')}, digest {table.get('digest')}; rules {data.get('rules')}"


def spots_with(result: str, bets: object) -> list[tuple[str, Data]]:
    """The spots of a result's ``bets`` that came out so, with what they pay."""
    if not isinstance(bets, Mapping):
        return []
    return [(str(spot), bet) for spot, bet in bets.items() if bet["result"] == result]
