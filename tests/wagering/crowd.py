"""Many players in one event loop: each has a screen that hears a stream, and a line for its calls."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.harness.process import PATIENCE_S, Patience

NOT_YET = 503
AGAIN_S = 0.2
"""As the seat's own page waits."""
OPEN = b'"phase":"betting"'


def round_in(felt: bytes) -> str | None:
    """The round of which a picture of the table says that bets are open."""
    return str(json.loads(felt)["round"]) if OPEN in felt else None


class Screen(asyncio.Protocol):
    """Notes when bytes from which ``reads`` makes a name first stood in the socket."""

    def __init__(self, request: bytes, reads: Callable[[bytes], str | None], event: bytes) -> None:
        self.seen: dict[str, float] = {}
        """Name -> :func:`time.time`."""
        self._request, self._reads = request, reads
        self._begins = b"event: " + event + b"\ndata: "
        self._rest = b""
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        at_s = time.time()
        *events, self._rest = (self._rest + data.replace(b"\r", b"")).split(b"\n\n")
        for event in events:
            place = event.find(self._begins)
            if place < 0:
                continue
            name = self._reads(event[place + len(self._begins) :])
            if name is not None:
                self.seen.setdefault(name, at_s)

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended = True


class Line:
    """One connection of one player, kept open as a browser does; a call after the other. A call that was not
    carried out because the table was just not heard is made again, with its id."""

    def __init__(self, port: int, player: str) -> None:
        self._port, self._player = port, player
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any, float]:
        """Status, answer, and the seconds from the call to the last byte of its answer."""
        sent = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token-of-{self._player}\r\n"
        asked = f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent
        began_s = time.perf_counter()
        async with asyncio.timeout(PATIENCE_S):
            status = NOT_YET
            while status == NOT_YET:
                try:
                    status, answer = await self._once(asked)
                    await asyncio.sleep(AGAIN_S if status == NOT_YET else 0)
                except (asyncio.IncompleteReadError, OSError):  # the server had just ended what nobody used
                    await self.close()
        return status, json.loads(answer), time.perf_counter() - began_s

    async def _once(self, asked: bytes) -> tuple[int, bytes]:
        if self._ends is None:
            self._ends = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._ends
        writer.write(asked)
        said = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(said.split("content-length:")[1].split("\r\n")[0])
        return int(said.split(" ", 2)[1]), await reader.readexactly(length)

    async def close(self) -> None:
        """Hang up."""
        if self._ends is not None:
            (_, writer), self._ends = self._ends, None
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def sit(port: int, player: str, path: str, event: bytes = b"felt") -> tuple[asyncio.Transport, Screen]:
    """A screen of the stream at this path; it goes when its transport is closed."""
    asked = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token-of-{player}\r\n\r\n"
    reads = round_in if event == b"felt" else bytes.decode
    loop = asyncio.get_running_loop()
    return await loop.create_connection(lambda: Screen(asked.encode(), reads, event), "127.0.0.1", port)


async def until(so: Callable[[], bool], what: str) -> None:
    """Look again and again until it is so; an AssertionError where that takes too long."""
    patience = Patience()
    while not so():
        assert not patience.over, what
        await asyncio.sleep(0.02)
