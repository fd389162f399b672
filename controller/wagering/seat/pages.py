"""The addresses of the seat: its one page with what belongs to it, the stream of a table, and the settings.

The page has no secret: it asks for the token, keeps it in the browser and sends it with each call, so no
other site can make a browser bet.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from controller.board.guard import SECURITY, Headers
from controller.board.kept import KeptFiles
from controller.board.web import GAMES, STATIC, read_words
from controller.outbox.envelope import canonical_json
from controller.vocabulary.errors import ConfigurationError
from controller.wagering.calls import Answer, refusal
from controller.wagering.seat.chat import Say, Talk
from controller.wagering.seat.profiles import Settings, choose, settings_of
from controller.wagering.seat.watching import SeatWatch
from controller.wagering.sessions import OwnLimits, set_limits, shown
from controller.wagering.slips import Refused
from controller.wagering.web import BASE, HEADERS, Callers, Door, answered, body_of, read_body

SEAT = Path(__file__).parent / "static"
Words = Mapping[str, Mapping[str, str]]


class House(msgspec.Struct, frozen=True):
    """What the page is told of the house."""

    chips: tuple[int, ...]
    cashier: str | None
    responsible: str | None
    videos: dict[str, str]
    """Table -> address."""
    chat: bool


def words_of_seat() -> dict[str, dict[str, str]]:
    """Language -> its words: the board's, and the seat's own."""
    words = read_words(None)
    own = {path.stem: msgspec.json.decode(path.read_bytes()) for path in (SEAT / "words").glob("*.json")}
    return {language: {**words.get(language, {}), **texts} for language, texts in own.items()}


def headers_for(house: House) -> Headers:
    """The board's, but for the frames of the house's video, cashier and page about responsible gaming."""
    addresses = (house.cashier, house.responsible, *house.videos.values())
    parts = [urlsplit(address) for address in addresses if address is not None]
    sites = sorted({f"{one.scheme}://{one.netloc}" for one in parts})
    frames = f"; frame-src {' '.join(sites)}".encode() if sites else b""
    return tuple(
        (name, value + frames if name == b"content-security-policy" else value) for name, value in SECURITY
    )


class SeatDoor:
    """The routes of the seat."""

    def __init__(
        self, door: Door, callers: Callers, watch: SeatWatch, language: str, house: House, chat: Talk | None
    ) -> None:
        self._door = door
        self._callers = callers
        self._watch = watch
        self._chat = chat
        games = [path.stem for path in sorted(GAMES.glob("*.js"))]
        self.words = words_of_seat()
        if language not in self.words:
            known = ", ".join(sorted(self.words))
            raise ConfigurationError(f"seat.language: no words for {language!r}, only for {known}")
        texts = {"language": language, "words": self.words, "games": games}
        self._documents = {
            "/": ("text/html", (SEAT / "seat.html").read_bytes()),
            "/words": ("application/json", msgspec.json.encode(texts)),
            "/house": ("application/json", msgspec.json.encode(house)),
        }

    def routes(self) -> list[BaseRoute]:
        """All addresses of the seat."""
        return [
            *(Route(path, _document(*document)) for path, document in self._documents.items()),
            Route(f"{BASE}/limits", answered(self._limits), methods=["GET", "PUT"]),
            Route(f"{BASE}/settings", answered(self._settings), methods=["GET", "PUT"]),
            Route(f"{BASE}/tables/{{site}}/{{table}}/stream", self._stream),
            Route(f"{BASE}/tables/{{site}}/{{table}}/chat", answered(self._say), methods=["POST"]),
            KeptFiles(STATIC).route("/static"),
            KeptFiles(SEAT).route("/seat"),
        ]

    async def _stream(self, request: Request) -> ASGIApp:
        try:
            player, place = self._callers.player(request), self._door.place(request)
        except Refused as error:
            status, body = refusal(error.code, error.message)
            return Response(body, status, HEADERS, "application/json")
        return self._watch.seat(place, player)

    async def _say(self, request: Request) -> Answer:
        player, place = self._callers.player(request), self._door.place(request)
        if self._chat is None:
            raise Refused("nobody talks here", "forbidden")
        return 201, canonical_json(self._chat.say(place, player, read_body(await body_of(request), Say)))

    async def _limits(self, request: Request) -> Answer:
        player = self._callers.player(request)
        if request.method == "GET":
            return await self._door.read(lambda connection: shown(connection, player))
        wanted = read_body(await body_of(request), OwnLimits)
        await self._door.write(lambda connection: set_limits(connection, player, wanted))
        return await self._door.read(lambda connection: shown(connection, player))

    async def _settings(self, request: Request) -> Answer:
        player = self._callers.player(request)
        if request.method == "GET":
            return await self._door.read(lambda connection: settings_of(connection, player))
        settings = read_body(await body_of(request), Settings)
        await self._door.write(lambda connection: choose(connection, player, settings))
        return 200, canonical_json(settings)


def _document(kind: str, content: bytes) -> Callable[[Request], Awaitable[Response]]:
    async def told(_request: Request) -> Response:
        return Response(content, media_type=kind)

    return told
