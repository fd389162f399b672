"""Seats at the demo table: the wagering service beside it, the link by which a person sits down, and players
of software."""

from __future__ import annotations

import secrets
import socket
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

from controller.cli.demo_players import Bettors
from controller.settings.model import MqttSettings
from controller.vocabulary.configuration import TableSettings
from controller.wagering.service import Wagering
from controller.wagering.settings import (
    DatabaseKeys,
    HttpKeys,
    PlayerKeys,
    TableKeys,
    WageringKeys,
    WageringSettings,
)

HOST = "127.0.0.1"
USUAL_PORT = 8080
PURSE_MINOR = 100_000
PATIENCE_S = 10.0


class DemoSeats:
    """A ``visitor`` and so many players of software, with purses that last as long as the demo."""

    name = "seats"

    def __init__(self, players: int = 0, seed: int | None = None) -> None:
        self._folder = TemporaryDirectory(prefix="dealer-table-seat-")
        names = ("visitor", "operator", *(f"player{number}" for number in range(1, players + 1)))
        self._tokens = {name: secrets.token_urlsafe(16) for name in names}
        self._held = held_port(USUAL_PORT)
        self._port = int(self._held.getsockname()[1])
        played = {name: token for name, token in self._tokens.items() if name.startswith("player")}
        operator = self._tokens["operator"]
        self.players = Bettors(HOST, self._port, played, operator, seed) if players else None
        self._service: Wagering | None = None
        self._thread: threading.Thread | None = None
        self._place = ("", "")

    @property
    def link(self) -> str:
        """Whoever opens it sits at the table."""
        return f"http://{HOST}:{self._port}/#token={self._tokens['visitor']}"

    @property
    def plays(self) -> bool:
        """Whether players of software sit there too."""
        return self.players is not None

    def start(self, broker_port: int, table: TableSettings) -> None:
        """Serve the seat of this table."""
        folder = Path(self._folder.name)
        for name, token in self._tokens.items():
            (folder / f"{name}.token").write_text(token)
        self._place = table.site, table.id
        settings = WageringSettings(
            broker=MqttSettings(port=broker_port),
            wagering=WageringKeys(name=self.name),
            database=DatabaseKeys(url=f"sqlite:///{folder}/books.db"),
            http=HttpKeys(operator_token_file=str(folder / "operator.token"), port=self._port),
            tables=(TableKeys(site=table.site, id=table.id),),
            players=tuple(
                PlayerKeys(name, str(folder / f"{name}.token"), PURSE_MINOR)
                for name in self._tokens
                if name != "operator"
            ),
        )
        self._held.close()
        self._service = Wagering(settings, tell=lambda line: None)
        self._thread = threading.Thread(target=self._service.run, name="seats", daemon=True)
        self._thread.start()
        if self.players is not None:
            self.players.start()

    def stages(self) -> int | None:
        """In how many betting rounds and decisions players of software have had their say."""
        return None if self.players is None else self.players.stages

    def books(self) -> tuple[str, bool] | None:
        """What became of the money of the players of software, who end; whether the books balance."""
        if self.players is None:
            return None
        self.players.stop()
        return self.players.books()

    def sit(self) -> bool:
        """Whether somebody has opened the link."""
        return self._service is not None and self._service.seated(self._place) > 0

    def stop(self) -> None:
        """Close the seat and forget the purse."""
        if self.players is not None:
            self.players.stop()
        if self._service is not None and self._thread is not None:
            self._service.stop()
            self._thread.join(PATIENCE_S)
        self._held.close()
        self._folder.cleanup()


def held_port(usual: int) -> socket.socket:
    """The usual port where nobody has it, else any; held until it is closed, so that another demo that
    starts at the same time takes another one. OSError where there is none."""
    try:
        return socket.create_server((HOST, usual))
    except OSError:
        return socket.create_server((HOST, 0))
