"""The HTTP interface as an OpenAPI document, drawn from the structs of calls and the table of refusals."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

from controller import __version__
from controller.outbox.retained import ChatLine
from controller.vocabulary.limits import Limits
from controller.vocabulary.parts import Decision
from controller.vocabulary.values import PayTableName
from controller.wagering.calls import Decide, PlaceBets, PlacedBet, UndoBets
from controller.wagering.seat.chat import Say
from controller.wagering.seat.profiles import Settings
from controller.wagering.sessions import OwnLimits, ShownLimits
from controller.wagering.slips import STATUS

Json = dict[str, Any]
STREAM = "stream"
"""Stands for an answer that is a stream of events."""
REF = "#/components/schemas/{name}"


class ErrorText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a call is not carried out; ``code`` is stable."""

    code: str
    message: str


class ErrorAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of every answer that is a refusal."""

    error: ErrorText


class Placed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bets that were taken, or that came back, and the balance after it."""

    bets: tuple[PlacedBet, ...]
    balance: int


class Decided(Placed, frozen=True, forbid_unknown_fields=True):
    """The decision, and the bet that appeared with it."""

    hand: str
    decision: str


class ShownSpot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a spot pays where that is always the same; its live price with the offer to name; its limits."""

    pays: str | None
    offer: str | None
    price: float | None
    min: int | None
    max: int | None


class ShownTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table, and what may be staked there now."""

    site: str
    table: str
    game: str | None
    phase: str
    held: bool
    round: str | None
    game_number: str | None
    betting_round: int
    """From 1; a bet can be undone in its own."""
    free_hand: bool
    """Dealt without bets."""
    limits: Limits | None
    live: tuple[str, ...]
    """Spots that take a bet at an offer only."""
    spots: dict[str, ShownSpot]
    open_spots: tuple[str, ...] | None
    """The only ones that take bets now that cards lie; null: all."""
    needs: dict[str, str]
    """A spot -> the spot without which it takes no bet."""
    decisions: dict[str, Decision]
    """A hand -> what playing it costs."""


class OpenBet(PlacedBet, frozen=True, kw_only=True):
    """A bet that is not settled yet."""

    player: str
    round: str


class Account(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player's own account."""

    player: str
    balance: int
    open: tuple[OpenBet, ...]


class SettledBet(PlacedBet, frozen=True, kw_only=True):
    """A bet, and what became of it; ``returned`` includes the stake; ``pays``: of a bet that won by the pay
    table."""

    state: str
    result: str | None
    returned: int | None
    pays: str | None


class LedgerLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One of the two lines of a movement."""

    id: int
    at: str
    account: str
    amount: int
    what: str
    message: str | None = None
    call: str | None = None
    bet: str | None = None
    round: str | None = None


class PlayedRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One round of a player, down to cards, rule and ledger lines."""

    round: str
    site: str
    table: str
    game: str
    game_number: str
    opened_at: str
    bets: tuple[SettledBet, ...]
    decisions: dict[str, str]
    staked: int
    returned: int
    cards: dict[str, tuple[str, ...]] | None
    revision: int
    pay_table: PayTableName | None
    """Null: no result yet."""
    rules: str | None
    """Version of the rules that the result was made by."""
    void: dict[str, str | None] | None
    lines: tuple[LedgerLine, ...]


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The newest first."""

    rounds: tuple[PlayedRound, ...]


class Due(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the house's wallet has not done yet, or refused to give back."""

    id: str
    kind: str
    player: str
    amount: int
    state: str


class Audit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole ledger; ``sum`` is 0 and ``faults`` is empty, or something is wrong."""

    sum: int
    faults: tuple[str, ...]
    currency: str | None
    accounts: dict[str, int]
    open: tuple[OpenBet, ...]
    wallet: tuple[Due, ...]
    lines: tuple[LedgerLine, ...]


CALLS: dict[tuple[str, str], tuple[type[msgspec.Struct] | None, int, object]] = {
    ("/tables", "get"): (None, 200, list[ShownTable]),
    ("/tables/{site}/{table}/bets", "post"): (PlaceBets, 201, Placed),
    ("/tables/{site}/{table}/bets/undo", "post"): (UndoBets, 200, Placed),
    ("/tables/{site}/{table}/decisions", "post"): (Decide, 201, Decided),
    ("/tables/{site}/{table}/stream", "get"): (None, 200, STREAM),
    ("/tables/{site}/{table}/chat", "post"): (Say, 201, ChatLine),
    ("/account", "get"): (None, 200, Account),
    ("/account/history", "get"): (None, 200, History),
    ("/limits", "get"): (None, 200, ShownLimits),
    ("/limits", "put"): (OwnLimits, 200, ShownLimits),
    ("/settings", "get"): (None, 200, Settings),
    ("/settings", "put"): (Settings, 200, Settings),
    ("/audit", "get"): (None, 200, Audit),
}
"""Address and method -> body, status and answer."""
STREAMED: Json = {
    "description": "Server-sent events, the newest state of each: `felt` (as in /tables), `table` (the "
    "table's `display`, and how strong the hands are), `seat` (the player's bets and decisions in this "
    "round), `purse` (the balance), `chat`, and `beat` each second. A player has one seat at a table: "
    "`taken` ends the stream where a newer one was opened. Who ends it while bets are open gets the bets of "
    "this betting round back.",
    "content": {"text/event-stream": {}},
}


def openapi() -> Json:
    """The whole document."""
    kinds = [kind for body, _, said in CALLS.values() for kind in (body, said) if kind not in (None, STREAM)]
    shapes, found = msgspec.json.schema_components([*kinds, ErrorAnswer], ref_template=REF, schema_hook=_any)
    drawn = dict(zip([*map(str, kinds), "error"], shapes, strict=True))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "dealer-table wagering",
            "version": __version__,
            "description": "Players' bets, decisions and money; amounts in minor units.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": {
            path: {
                method: _operation(path, method, *call, drawn)
                for (at, method), call in CALLS.items()
                if at == path
            }
            for path, _ in CALLS
        },
        "components": {
            "schemas": found,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(
    path: str, method: str, body: type[msgspec.Struct] | None, status: int, said: object, drawn: Json
) -> Json:
    refused = {str(code): _content(drawn["error"], _codes(code)) for code in sorted(set(STATUS.values()))}
    words = [word for word in path.split("/") if word and not word.startswith("{")]
    done = STREAMED if said == STREAM else _content(drawn[str(said)], "done")
    operation: Json = {
        "operationId": "_".join((method, *words)),
        "responses": {str(status): done, **refused},
    }
    if "{site}" in path:
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in ("site", "table")
        ]
    if body is not None:
        operation["summary"] = inspect.getdoc(body)
        operation["requestBody"] = {"required": True, **_content(drawn[str(body)])}
    return operation


def _content(shape: object, description: str = "") -> Json:
    said = {"description": description} if description else {}
    return {**said, "content": {"application/json": {"schema": shape}}}


def _codes(status: int) -> str:
    return ", ".join(code for code, one in STATUS.items() if one == status)


def _any(kind: type) -> Json:
    """A stake may be anything until it is judged."""
    if kind is object:
        return {"description": "a positive integer of minor units"}
    raise TypeError(f"{kind.__name__} has no JSON Schema")
