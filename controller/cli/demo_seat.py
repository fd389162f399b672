"""A seat for a person at the demo table: the wagering service beside it, and the link that sits down."""

from __future__ import annotations

import secrets
import socket
import threading
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

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


class VisitorSeat:
    """One player, ``visitor``, with a purse that lasts as long as the demo."""

    name = "seats"

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="dealer-table-seat-")
        self._token = secrets.token_urlsafe(16)
        self._port = free_port(USUAL_PORT)
        self._service: Wagering | None = None
        self._thread: threading.Thread | None = None
        self._place = ("", "")

    @property
    def link(self) -> str:
        """Whoever opens it sits at the table."""
        return f"http://{HOST}:{self._port}/#token={self._token}"

    def start(self, broker_port: int, table: TableSettings) -> None:
        """Serve the seat of this table."""
        folder = Path(self._folder.name)
        (folder / "visitor.token").write_text(self._token)
        (folder / "operator.token").write_text(secrets.token_urlsafe(16))
        self._place = table.site, table.id
        settings = WageringSettings(
            broker=MqttSettings(port=broker_port),
            wagering=WageringKeys(name=self.name),
            database=DatabaseKeys(url=f"sqlite:///{folder}/books.db"),
            http=HttpKeys(operator_token_file=str(folder / "operator.token"), port=self._port),
            tables=(TableKeys(site=table.site, id=table.id),),
            players=(PlayerKeys("visitor", str(folder / "visitor.token"), PURSE_MINOR),),
        )
        self._service = Wagering(settings, tell=lambda line: None)
        self._thread = threading.Thread(target=self._service.run, name="seats", daemon=True)
        self._thread.start()

    def sit(self) -> bool:
        """Whether somebody has opened the link."""
        return self._service is not None and self._service.seated(self._place) > 0

    def stop(self) -> None:
        """Close the seat and forget the purse."""
        if self._service is not None and self._thread is not None:
            self._service.stop()
            self._thread.join(PATIENCE_S)
        self._folder.cleanup()


def free_port(usual: int) -> int:
    """The usual port where nobody has it, else any."""
    for port in (usual, 0):
        with suppress(OSError), socket.create_server((HOST, port)) as taken:
            return int(taken.getsockname()[1])
    return usual
