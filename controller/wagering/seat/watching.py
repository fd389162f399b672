"""Who sits where, and what each seat is told: read from the books when something was booked, pushed at once.

A player has one seat at a table; the newest page has it. A page that goes away while bets are open leaves the
game: the bets of this betting round are given back, as "Disconnection Policy" says. What was bet before, or
is closed, stands. When the service itself ends or dies nobody has left; but who does not come back to it for
:data:`BACK_S` while bets are open has.

Lives on the event loop's thread alone; only :meth:`SeatWatch.changed` is called from any thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from uuid import uuid4

import msgspec
from sqlalchemy.engine import Connection

from controller.board.hub import EventStream, Hub, OpenPage, event
from controller.vocabulary.errors import DealerTableError
from controller.wagering.calls import Answer, Asked, UndoBets
from controller.wagering.database import Database
from controller.wagering.felt import Felt
from controller.wagering.seat.frames import (
    Look,
    Purses,
    SeatPicture,
    TableRead,
    look,
    repeatable,
)
from controller.wagering.seat.sittings import Seat, begin, end, left_behind
from controller.wagering.slips import STATUS
from controller.wagering.views import Place, shown_table

CarryOut = Callable[[Place, str, Asked], Awaitable[Answer]]
Work = Callable[[Connection], object]
BACK_S = 5.0
"""A page tries to come back each half second."""
GATHER_S = 0.05
"""What players did is told so much later, for all of them together: who clicked has the answer, and one look
at the books costs hardly more for fifty seats than for one. What a table says is told at once."""
AGAIN_S = 0.5
"""How soon it is tried again to give back what could not be given back yet."""
_LOG = logging.getLogger(__name__)
TAKEN_OVER = event("taken", b"{}")


class News(msgspec.Struct):
    """What may have changed since the last look."""

    tables: set[Place] = msgspec.field(default_factory=set)
    seats: set[tuple[Place, str]] = msgspec.field(default_factory=set)


class SeatWatch:
    """The seats of one service."""

    def __init__(
        self,
        database: Database,
        hub: Hub,
        places: Collection[Place],
        carry_out: CarryOut,
        write: Callable[[Work], Awaitable[None]],
        under_way: Callable[[Place, str], bool],
    ) -> None:
        """``carry_out``: a call of a player; ``write``: a change of the books that is none; ``under_way``:
        whether a call of a player is being carried out."""
        self._database = database
        self._hub = hub
        self._places = places
        self._carry_out = carry_out
        self._write = write
        self._under_way = under_way
        self._pages: dict[Place, dict[str, OpenPage]] = defaultdict(dict)
        self._previous: dict[tuple[Place, str], dict[str, int]] = {}
        self._last: dict[tuple[Place, str], SeatPicture] = {}
        self._shown: dict[Place, Felt] = {}
        """What was last told of each table."""
        self._line: int | None = None
        """Of the ledger: what others had up to there is told."""
        self._sittings: dict[Seat, str] = {}
        """Of who sits, or is gone and still to get bets back."""
        self._to_write: list[tuple[Seat, Work]] = []
        """A seat that the books do not know yet is told nothing."""
        self._behind: dict[Seat, str] | None = None
        """The sittings of an earlier life that nobody has come back to; None before they were looked up."""
        self._came: set[Seat] = set()
        """Who has sat down in this life: an earlier sitting of theirs is over, however this one went on."""
        self._gone: set[Seat] = set()
        self._tries: dict[Seat, int] = {}
        self._given_back: dict[Seat, str] = {}
        self._news = News()
        self._wake = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def changed(self, place: Place, player: str | None = None) -> None:
        """Something was booked at a table, or for one player there; from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just closed
                self._loop.call_soon_threadsafe(self._note, place, player)

    def seat(self, place: Place, player: str) -> EventStream:
        """The stream of a player's page at a table: the table, the player's own there, and the balance."""
        return EventStream(
            self._hub,
            f"table/{_path(place)}",
            f"felt/{_path(place)}",
            f"seat/{player}/{_path(place)}",
            f"purse/{player}",
            f"chat/{_path(place)}",
            came=lambda page: self._sit(place, player, page),
            left=lambda page: self._leave(place, player, page),
        )

    def sits(self, place: Place, player: str) -> bool:
        """Whether a player has a seat there."""
        return player in self._pages.get(place, ())

    def players_at(self, place: Place) -> int:
        """How many sit there."""
        return len(self._pages.get(place, ()))

    async def run(self) -> None:
        """Tell the seats what changes, until cancelled."""
        self._loop = asyncio.get_running_loop()
        back_by_s = self._loop.time() + BACK_S
        while True:
            unfinished = self._gone or self._news.tables or self._to_write or self._behind != {}
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(AGAIN_S if unfinished else None):
                    await self._wake.wait()
            self._wake.clear()
            news, self._news = self._news, News()
            try:
                try:
                    await self._keep_sittings()
                finally:
                    await self._tell(news)
                if self._loop.time() >= back_by_s:
                    self._miss()
                for place, player in list(self._gone):
                    await self._give_back(place, player)
            except Exception as error:  # what is to be told stays to be told, whatever failed
                if not isinstance(error, DealerTableError):  # that is the books' own, and who calls hears it
                    _LOG.exception("a seat could not be told")
                self._news.tables |= news.tables | {place for place, _ in news.seats}
                self._news.seats |= news.seats

    def _note(self, place: Place, player: str | None) -> None:
        if player is None:
            self._news.tables.add(place)
            self._wake.set()
            return
        if not self._news.seats and self._loop is not None:
            self._loop.call_later(GATHER_S, self._wake.set)
        self._news.seats.add((place, player))

    def _sit(self, place: Place, player: str, page: OpenPage) -> None:
        before = self._pages[place].get(player)
        self._pages[place][player] = page
        self._gone.discard((place, player))
        self._came.add((place, player))
        self._sittings[place, player] = sitting = uuid4().hex
        self._to_write.append(((place, player), partial(begin, seat=(place, player), sitting=sitting)))
        if before is not None:
            before.hang_up(TAKEN_OVER)
        self._note(place, player)

    def _leave(self, place: Place, player: str, page: OpenPage) -> None:
        if self._pages[place].get(player) is not page or self._hub.closed:
            return
        del self._pages[place][player]
        self._hub.drop(f"seat/{player}/{_path(place)}")
        self._hub.drop(f"purse/{player}")
        self._previous.pop((place, player), None)
        self._last.pop((place, player), None)
        self._gone.add((place, player))
        self._wake.set()

    async def _keep_sittings(self) -> None:
        """Write who sits, and find out once who sat here when the service ended."""
        if self._behind is None:
            self._behind = await asyncio.to_thread(self._left_behind)
        work = list(self._to_write)
        if work:
            await self._write(lambda connection: [one(connection) for _, one in work])
            del self._to_write[: len(work)]

    def _miss(self) -> None:
        """Who has not come back by now has left."""
        for seat, sitting in (self._behind or {}).items():
            if seat not in self._came:
                self._sittings[seat] = sitting
                self._gone.add(seat)
        self._behind = {}

    async def _tell(self, news: News) -> None:
        unknown = {seat for seat, _ in self._to_write}
        wanted: dict[Place, list[str]] = {place: self._known(place, unknown) for place in news.tables}
        for place, who in news.seats - unknown:
            if place not in news.tables and self.sits(place, who):
                wanted.setdefault(place, []).append(who)
        mine = {who for _, who in news.seats - unknown if any(who in pages for pages in self._pages.values())}
        others: set[str] = set()
        if news.tables:  # a bet may be decided of who sits elsewhere by now
            others = {who for place in self._pages for who in self._known(place, unknown)}
        read = await asyncio.to_thread(self._look, wanted, mine, others)
        self._previous |= {seat: stakes for seat, stakes in read.previous.items() if self.sits(*seat)}
        for place, table in read.tables.items():
            self._tell_table(place, table)
        for player, balance in read.balances.items():
            body = msgspec.json.encode({"player": player, "balance": balance})
            self._hub.put(f"purse/{player}", event("purse", body))
        if others:
            self._line = read.line

    def _known(self, place: Place, unknown: Collection[Seat]) -> list[str]:
        """Who sits there, and stands in the books."""
        return [who for who in self._pages[place] if (place, who) not in unknown]

    def _tell_table(self, place: Place, read: TableRead) -> None:
        if self._shown.get(place) is not read.felt:
            self._shown[place] = read.felt
            body = msgspec.json.encode(shown_table(read.felt, place))
            self._hub.put(f"felt/{_path(place)}", event("felt", body))
        for player, picture in read.seats.items():
            if player in self._pages[place]:
                self._tell_seat(place, player, read, picture)

    def _tell_seat(self, place: Place, player: str, read: TableRead, picture: SeatPicture) -> None:
        key = place, player
        last = self._last.get(key)
        if last is not None and last.round != picture.round and last.bets:
            self._previous[key] = repeatable(read.felt, last)
        self._last[key] = picture
        given_back = picture.round is not None and self._given_back.get(key) == picture.round
        told = msgspec.structs.replace(picture, previous=self._previous.get(key, {}), given_back=given_back)
        self._hub.put(f"seat/{player}/{_path(place)}", event("seat", msgspec.json.encode(told)))

    def _look(
        self, wanted: Mapping[Place, Collection[str]], players: Collection[str], others: Collection[str]
    ) -> Look:
        with self._database.read() as connection:
            return look(connection, wanted, self._previous, Purses(players, others, self._line))

    def _left_behind(self) -> dict[Seat, str]:
        with self._database.read() as connection:
            return left_behind(connection, self._places)

    async def _give_back(self, place: Place, player: str) -> None:
        """The bets of who has left, as long as the table lets them be undone; in a hold it is tried again.

        The call is named after the sitting: a life that died over it and the next one make the same. What was
        refused stays refused under its name."""
        seat = place, player
        sitting = self._sittings[seat]
        if self._under_way(place, player):  # a bet that is not in the books yet comes back, too
            return
        read = (await asyncio.to_thread(self._look, {place: [player]}, (), ())).tables[place]
        felt, picture = read.felt, read.seats[player]
        mine = [
            bet
            for bet in picture.bets
            if bet["state"] == "open" and bet["betting_round"] == felt.betting_round
        ]
        if felt.phase != "betting" or felt.round is None or not mine:
            self._dealt_with(seat, sitting)
            return
        if felt.holds or seat not in self._gone:
            return
        attempt = self._tries.get(seat, 0)
        undo = UndoBets(id=f"left-{sitting}-{attempt}", round=felt.round, all=True)
        status, _ = await self._carry_out(place, player, undo)
        if status < 300:
            self._given_back[seat] = felt.round
            self._dealt_with(seat, sitting)
        elif status != STATUS["unavailable"]:
            self._tries[seat] = attempt + 1

    def _dealt_with(self, seat: Seat, sitting: str) -> None:
        """Unless somebody has come back meanwhile: that is another sitting."""
        if self._sittings.get(seat) == sitting:
            del self._sittings[seat]
            self._gone.discard(seat)
            self._tries.pop(seat, None)
            self._to_write.append((seat, partial(end, seat=seat, sitting=sitting)))


def _path(place: Place) -> str:
    return "/".join(place)
