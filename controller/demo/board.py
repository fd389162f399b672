"""The result board beside the demo table, in a thread of the same process."""

from __future__ import annotations

import threading

from controller.board.server import Board
from controller.board.settings import BoardKeys, BoardSettings
from controller.settings.model import MqttSettings
from controller.vocabulary.errors import ConfigurationError

_LEAVE_S = 10.0


class BoardBeside:
    """Serves the board of a loopback broker; on its usual port, or else on any free one."""

    def __init__(self, broker_port: int) -> None:
        settings = BoardSettings(mqtt=MqttSettings(port=broker_port))
        try:
            self._board = Board(settings, port=BoardKeys().port)
        except ConfigurationError:
            self._board = Board(settings, port=0)
        self._thread = threading.Thread(target=self._board.run, name="board", daemon=True)

    @property
    def address(self) -> str:
        """The page of all tables."""
        return self._board.address

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """End it and wait."""
        self._board.stop()
        if self._thread.ident is None:
            self._board.close()
        else:
            self._thread.join(_LEAVE_S)
