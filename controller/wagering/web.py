"""The HTTP door: who calls, what is asked, and the answer. It decides nothing about money."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import TypeVar

import msgspec
from sqlalchemy.engine import Connection
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from controller.outbox.envelope import canonical_json
from controller.vocabulary.errors import NOT_JSON, DealerTableError
from controller.vocabulary.outside import read_once
from controller.wagering import views
from controller.wagering.calls import Answer, Asked, Decide, PlaceBets, UndoBets, answer, refusal
from controller.wagering.database import Database
from controller.wagering.desk import Desk
from controller.wagering.funding import Funding
from controller.wagering.slips import STATUS, Refused
from controller.wagering.views import Place

T = TypeVar("T", bound=msgspec.Struct)
BASE = "/api/v1"
LONGEST_BODY = 65_536
WAIT_S, WAITS = 0.05, 60
OPERATOR = ""
"""Stands for the operator where a caller is named; no player has this name."""
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class Callers:
    """Whose token it is. Only digests are kept and looked up, so no comparison tells how much of one fits."""

    def __init__(
        self, tokens: Mapping[str, str], a_minute: int, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        """``tokens``: token -> name of the player, :data:`OPERATOR` for the operator's. Each may call
        ``a_minute`` times, all at once if need be."""
        self._names = {_digest(token): name for token, name in tokens.items()}
        self._a_minute = a_minute
        self._clock_s = clock_s
        self._left: dict[str, tuple[float, float]] = {}
        """Name -> calls that are left to it, and when that was so."""

    def caller(self, request: Request) -> str:
        """The name; Refused where there is no token of ours."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        name = self._names.get(_digest(token.strip())) if kind.lower() == "bearer" else None
        if name is None:
            raise Refused("send Authorization: Bearer and your token", "unauthorized")
        now_s = self._clock_s()
        left, before_s = self._left.get(name, (self._a_minute, now_s))
        left = min(left + (now_s - before_s) * self._a_minute / 60, self._a_minute)
        if left < 1:
            raise Refused(f"at most {self._a_minute} calls a minute; wait a moment", "too_many_calls")
        self._left[name] = left - 1, now_s
        return name

    def player(self, request: Request) -> str:
        """The name of the player who calls; an operator may look, but has no account."""
        name = self.caller(request)
        if name == OPERATOR:
            raise Refused("an operator has no account", "forbidden")
        return name


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class Door:
    """The routes, on one desk and one database."""

    def __init__(
        self,
        database: Database,
        desk: Desk,
        callers: Callers,
        places: list[Place],
        changed: Callable[[Place, str], None],
        heard: Callable[[Place], bool],
        funding: Funding | None = None,
    ) -> None:
        """``changed``: told where and for whom a call was carried out, when it is durable; ``heard``: whether
        the books hold all that a table has said."""
        self._database = database
        self._desk = desk
        self._callers = callers
        self._places = places
        self._changed = changed
        self._heard = heard
        self._funding = funding
        self._under_way = Counter[tuple[Place, str]]()

    def routes(self) -> list[BaseRoute]:
        """All addresses below ``/api/v1``."""
        calls: dict[str, tuple[type[Asked], str]] = {
            "bets": (PlaceBets, "bets"),
            "undo": (UndoBets, "bets/undo"),
            "decisions": (Decide, "decisions"),
        }
        reads = {
            "tables": self._tables,
            "account": self._account,
            "account/history": self._history,
            "audit": self._audit,
        }
        at_table = f"{BASE}/tables/{{site}}/{{table}}"
        return [
            *(Route(f"{BASE}/{name}", answered(read), methods=["GET"]) for name, read in reads.items()),
            *(
                Route(f"{at_table}/{end}", answered(self._carrying_out(shape)), methods=["POST"])
                for shape, end in calls.values()
            ),
        ]

    def _carrying_out(self, shape: type[Asked]) -> Callable[[Request], Awaitable[Answer]]:
        async def carry_out(request: Request) -> Answer:
            player = self._callers.player(request)
            place = self.place(request)
            return await self.carry_out(place, player, read_body(await body_of(request), shape))

        return carry_out

    async def carry_out(self, place: Place, player: str, asked: Asked) -> Answer:
        """A call of a player, whoever read it. A service that has just begun hears the table in a moment: the
        call waits for that."""
        self._under_way[place, player] += 1
        try:
            for _ in range(WAITS):
                if self._heard(place):
                    break
                await asyncio.sleep(WAIT_S)
            said = await asyncio.wrap_future(self._asked(place, player, asked))
        finally:
            self._under_way[place, player] -= 1
        if said[0] < 300:
            self._changed(place, player)
        return said

    def under_way(self, place: Place, player: str) -> bool:
        """Whether a call of a player at a table is being carried out: it may become a bet yet."""
        return self._under_way[place, player] > 0

    def _asked(self, place: Place, player: str, asked: Asked) -> Future[Answer]:
        """Whether the table is heard is looked at when it is the call's turn."""
        if self._funding is not None:
            return self._funding.ask(*place, player, asked, lambda: self._heard(place))
        return self._desk.ask(
            lambda connection: answer(connection, *place, player, asked, heard=self._heard(place))
        )

    async def _tables(self, request: Request) -> Answer:
        self._callers.caller(request)
        return await self.read(lambda connection: views.tables(connection, self._places))

    async def _account(self, request: Request) -> Answer:
        player = self._callers.player(request)
        return await self.read(lambda connection: views.account(connection, player))

    async def _history(self, request: Request) -> Answer:
        player = self._callers.player(request)
        before, most = request.query_params.get("before"), whole(request, "most", 20)
        if before is not None and not before.isprintable():
            raise Refused("before: this is no round", "bad_request")
        return await self.read(lambda connection: views.history(connection, player, before, most))

    async def _audit(self, request: Request) -> Answer:
        if self._callers.caller(request) != OPERATOR:
            raise Refused("only an operator sees the audit", "forbidden")
        after = whole(request, "after", 0)
        return await self.read(lambda connection: views.audit(connection, after))

    async def read(self, look: Callable[[Connection], object]) -> Answer:
        """What one look at the books says, as an answer."""

        def reading() -> bytes:
            with self._database.read() as connection:
                return canonical_json(look(connection))

        return 200, await asyncio.to_thread(reading)

    async def write(self, work: Callable[[Connection], object]) -> None:
        """A change of the books that is no call."""
        await asyncio.wrap_future(self._desk.ask(work))

    def place(self, request: Request) -> Place:
        """The table of an address; Refused where it is none of ours."""
        place = str(request.path_params["site"]), str(request.path_params["table"])
        if place not in self._places:
            raise Refused("there is no such table here", "unknown_table")
        return place


def answered(call: Callable[[Request], Awaitable[Answer]]) -> Callable[[Request], Awaitable[Response]]:
    """A call with every error as the contract has it."""

    async def told(request: Request) -> Response:
        try:
            status, body = await call(request)
        except Refused as error:
            status, body = refusal(error.code, error.message)
        except DealerTableError:
            status, body = refusal("unavailable", "the books cannot be reached; ask again with the same id")
        return Response(body, status, HEADERS, "application/json")

    return told


async def nowhere(_request: Request, error: Exception) -> Response:
    """An address or a method that there is not."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    code = "not_found" if status == STATUS["not_found"] else "bad_request"
    return Response(refusal(code, "there is no such call")[1], status, HEADERS, "application/json")


async def broken(_request: Request, _error: Exception) -> Response:
    """Our own fault; the server tells people of it."""
    said = refusal("fault", "something went wrong here; ask again with the same id")
    return Response(said[1], said[0], HEADERS, "application/json")


async def body_of(request: Request) -> bytes:
    """The body; Refused where it is longer than any call."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise Refused(f"a call has at most {LONGEST_BODY} bytes", "bad_request")
    return body


def read_body(body: bytes, shape: type[T]) -> T:
    """What is asked for; Refused names the member that is wrong."""
    try:
        return read_once(body, shape)
    except NOT_JSON as error:
        raise Refused(str(error), "bad_request") from error


def whole(request: Request, name: str, usual: int) -> int:
    """A whole number of the query."""
    text = request.query_params.get(name, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise Refused(f"{name}: {text[:20]!r} is no whole number", "bad_request")
    return int(text)
