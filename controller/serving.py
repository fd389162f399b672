"""The web server of the board and of the wagering service."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import uvicorn


class Server(uvicorn.Server):
    """uvicorn's own signal handlers would end the process as killed; who runs the service decides."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
