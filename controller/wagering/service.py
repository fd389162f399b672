"""The service put together: the books, a thread for each table, the desk, and the door."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import uvicorn

from controller.board.server import listen
from controller.outbox.topics import client_id
from controller.serving import Server
from controller.settings.broker import broker_settings
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.outside import secret_in
from controller.wagering.database import Database
from controller.wagering.desk import Desk
from controller.wagering.forgetting import Forgetting
from controller.wagering.funding import Funding
from controller.wagering.hearing import TableHearing
from controller.wagering.ledger import Ledger
from controller.wagering.seat.service import Seats
from controller.wagering.settings import WageringSettings, read_token
from controller.wagering.tables import BooksTaken
from controller.wagering.views import Place
from controller.wagering.wallet import Wallet
from controller.wagering.web import OPERATOR, Callers, Door

GRACE_S = 2
KEPT_OPEN_S = 75
"""A connection on which nothing is asked: a player thinks for longer than uvicorn's five seconds, and a new
one, with TLS above all, costs more than a call."""
SILENT_MS = 5000
"""A page whose machine or network is gone closes no connection: what is sent to it and not taken ends it."""


class Wagering:
    """One service. The books are opened at once; :meth:`run` serves until :meth:`stop`."""

    def __init__(
        self, settings: WageringSettings, *, tell: Callable[[str], None], accept_epochs: bool = False
    ) -> None:
        callers = Callers(tokens(settings), settings.http.calls_a_minute)
        password = settings.database.password_file
        self.database = Database(
            settings.database.url,
            None if password is None else secret_in("database.password_file", Path(password)),
            pays_out=settings.wallet is not None,
        )
        with self.database.change() as connection:
            ledger = Ledger(connection)
            for player in settings.players:
                ledger.open(player.name, player.balance)
            ledger.write()
        self._desk = Desk(self.database)
        self._funding = self._wallet_of(settings, tell)
        self._forgetting = Forgetting(self.database, settings.retention, tell)
        name = settings.wagering.name
        places = [(table.site, table.id) for table in settings.tables]
        door = Door(self.database, self._desk, callers, places, self._called, self._heard, self._funding)
        self._seats = Seats(
            settings, self.database, door, callers, lambda: self._server.should_exit, self._talked
        )
        self._hearings: dict[Place, TableHearing] = {
            (table.site, table.id): TableHearing(
                self.database,
                (table.site, table.id),
                name,
                broker_settings(settings.broker, client_id(table.site, table.id, "live", name)),
                tell=tell,
                changed=partial(self._booked, (table.site, table.id)),
                accept_epochs=accept_epochs,
                key=table.key or "",
            )
            for table in settings.tables
        }
        http = settings.http
        self._socket = listen("http.port", http.host, http.port, give_up_ms=SILENT_MS)
        self._server = Server(
            uvicorn.Config(
                self._seats.application(),
                lifespan="on",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                ws="none",
                ssl_certfile=http.cert_file,
                ssl_keyfile=http.key_file,
                timeout_graceful_shutdown=GRACE_S,
                timeout_keep_alive=KEPT_OPEN_S,
            )
        )

    def run(self) -> None:
        """Serve until :meth:`stop`. BooksTaken where another service takes the books over meanwhile."""
        self.database.taken = self.stop
        self._desk.start()
        self._forgetting.start()
        if self._funding is not None:
            self._funding.start()
        for hearing in self._hearings.values():
            hearing.start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._socket.close()
            self._desk.stop()
            self._forgetting.stop()
            if self._funding is not None:
                self._funding.stop()
            for hearing in self._hearings.values():
                hearing.stop()
            self.database.close()
        if self.database.lost:
            raise BooksTaken

    def seated(self, place: Place) -> int:
        """How many sit at a table now."""
        return self._seats.watch.players_at(place)

    def stop(self) -> None:
        """End soon; from any thread or a signal handler."""
        self._server.should_exit = True

    def _called(self, place: Place, player: str) -> None:
        self._hearings[place].look()
        self._seats.watch.changed(place, player)

    def _heard(self, place: Place) -> bool:
        return self._hearings[place].heard

    def _booked(self, place: Place) -> None:
        self._seats.watch.changed(place)
        if self._funding is not None:
            self._funding.look()

    def _talked(self, place: Place, chat: bytes) -> None:
        self._hearings[place].talk(chat)

    def _wallet_of(self, settings: WageringSettings, tell: Callable[[str], None]) -> Funding | None:
        keys = settings.wallet
        if keys is None:
            return None
        token = None if keys.token_file is None else read_token("wallet.token_file", keys.token_file)
        return Funding(self.database, self._desk, Wallet(keys.url, token), tell)


def tokens(settings: WageringSettings) -> dict[str, str]:
    """Token -> name. :class:`ConfigurationError` where two have the same."""
    found = {read_token("http.operator_token_file", settings.http.operator_token_file): OPERATOR}
    for place, player in enumerate(settings.players):
        key = f"players[{place}].token_file"
        token = read_token(key, player.token_file)
        if token in found:
            raise ConfigurationError(f"{key}: {player.name} has the token of somebody else")
        found[token] = player.name
    return found
