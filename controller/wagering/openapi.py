"""The HTTP interface as an OpenAPI document, drawn from the structs of calls and the table of refusals."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

from controller import __version__
from controller.vocabulary.limits import Limits
from controller.wagering.calls import Decide, PlaceBets, PlacedBet, UndoBets
from controller.wagering.slips import STATUS

Json = dict[str, Any]
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
    limits: Limits | None
    spots: dict[str, ShownSpot]


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
    """A bet, and what became of it; ``returned`` includes the stake."""

    state: str
    result: str | None
    returned: int | None


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
    accounts: dict[str, int]
    open: tuple[OpenBet, ...]
    wallet: tuple[Due, ...]
    lines: tuple[LedgerLine, ...]


CALLS: dict[str, tuple[str, type[msgspec.Struct] | None, int, object]] = {
    "/tables": ("get", None, 200, list[ShownTable]),
    "/tables/{site}/{table}/bets": ("post", PlaceBets, 201, Placed),
    "/tables/{site}/{table}/bets/undo": ("post", UndoBets, 200, Placed),
    "/tables/{site}/{table}/decisions": ("post", Decide, 201, Decided),
    "/account": ("get", None, 200, Account),
    "/account/history": ("get", None, 200, History),
    "/audit": ("get", None, 200, Audit),
}
"""Address -> method, body, status and answer."""


def openapi() -> Json:
    """The whole document."""
    kinds = [kind for _, body, _, said in CALLS.values() for kind in (body, said) if kind is not None]
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
        "paths": {path: {call[0]: _operation(path, *call, drawn)} for path, call in CALLS.items()},
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
    operation: Json = {
        "operationId": "_".join((method, *words)),
        "responses": {str(status): _content(drawn[str(said)], "done"), **refused},
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
