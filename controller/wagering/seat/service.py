"""The seats put together: what they hear of tables and books, and all addresses of the service."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from controller.board.floor import filters_of
from controller.board.guard import Guard
from controller.board.hub import Hub
from controller.board.server import beating_of
from controller.board.source import Feed
from controller.board.watch import FloorWatch
from controller.board.web import build_of
from controller.own_names import own_names
from controller.settings.broker import broker_settings
from controller.wagering.database import Database
from controller.wagering.seat.chat import Talk
from controller.wagering.seat.pages import SEAT, House, SeatDoor, headers_for
from controller.wagering.seat.watching import SeatWatch
from controller.wagering.settings import WageringSettings
from controller.wagering.views import Place
from controller.wagering.web import Callers, Door, broken, nowhere

SEEN = ("status", "display", "result")
"""What a seat shows of a table, and what a broker lets a settlement system read; alerts are the house's
business."""


def seen_of(places: Iterable[Place]) -> list[str]:
    """What the seats of these tables subscribe to. A table in test mode takes no bets."""
    return filters_of(["/".join(place) for place in places], SEEN, ("",))


class Seats:
    """The seats of one service; ``ending``: the server is to end; ``talk`` lets a dealer see the chat."""

    def __init__(
        self,
        settings: WageringSettings,
        database: Database,
        door: Door,
        callers: Callers,
        ending: Callable[[], bool],
        talk: Callable[[Place, bytes], None],
    ) -> None:
        keys = settings.seat
        self._ending = ending
        self._hub = Hub(keys.most_pages)
        places = [(table.site, table.id) for table in settings.tables]
        self.watch = SeatWatch(database, self._hub, places, door.carry_out, door.write, door.under_way)
        house = House(
            chips=keys.chips,
            cashier=keys.cashier,
            responsible=keys.responsible,
            chat=keys.chat,
            videos={f"{one.site}/{one.id}": one.video for one in settings.tables if one.video is not None},
        )
        self._headers = headers_for(house)
        self._names = own_names(settings.http.host, settings.http.names)
        chat = Talk(self._hub, self.watch.sits, talk) if keys.chat else None
        pages = SeatDoor(door, callers, self.watch, keys.language, house, chat)
        self._routes = [*door.routes(), *pages.routes()]
        floor = FloorWatch(self._hub, build_of(pages.words, SEAT))
        broker = broker_settings(settings.broker, "dealer-table-seats")
        self._feed = Feed(broker, seen_of(places), floor, self._soon)
        self._loop: asyncio.AbstractEventLoop | None = None

    def application(self) -> Starlette:
        """Calls, pages and streams."""
        return Starlette(
            routes=self._routes,
            exception_handlers={HTTPException: nowhere, Exception: broken},
            middleware=[Middleware(Guard, names=self._names, only_read=False, headers=self._headers)],
            lifespan=self._lifespan,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, _app: object) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        self._feed.start()
        running = [
            asyncio.create_task(beating_of(self._hub, self._ending)),
            asyncio.create_task(self.watch.run()),
        ]
        try:
            yield
        finally:
            for task in running:
                task.cancel()
            await asyncio.to_thread(self._feed.stop)

    def _soon(self, call: Callable[..., None], *arguments: object) -> None:
        """From the feed's thread onto the loop."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just closed
                self._loop.call_soon_threadsafe(call, *arguments)
