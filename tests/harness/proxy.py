"""A bad network of our own: a TCP proxy that cuts, half-opens, slows and resets what goes through it."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable
from typing import Literal

from tests.harness.patience import PATIENCE_S

Fault = Literal["cut", "half-open", "slow", "reset"]
FAULTS: tuple[Fault, ...] = ("cut", "half-open", "slow", "reset")
SLOW_S = 1.0
"""So long a slowed connection drips."""
DRIP_BYTES = 64
DRIP_EVERY_S = 0.01
_NO_LINGER = struct.pack("ii", 1, 0)
"""Close with a reset, and whatever has not been sent is gone."""


class _End(asyncio.Protocol):
    """One end of a connection through the proxy."""

    def __init__(self, pair: _Pair) -> None:
        self._pair = pair
        self.transport: asyncio.Transport | None = None
        self.other: _End | None = None
        self.deaf = False
        """What arrives here is swallowed, and nobody is told."""
        self._waiting: deque[bytes] = deque()
        self._dripping = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            raise TypeError("a proxy of streams")
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.flow()

    def data_received(self, data: bytes) -> None:
        self._pair.carried += len(data)
        if not self.deaf and self.other is not None:
            self.other.send(self._pair.altered(data))

    def connection_lost(self, exc: Exception | None) -> None:
        self._pair.close(reset=exc is not None)

    def send(self, data: bytes) -> None:
        """Put bytes on the way to this end, in order."""
        self._waiting.append(data)
        self.flow()

    def flow(self) -> None:
        """Send what waits, or begin to drip."""
        if self.transport is None or self._dripping:
            return
        if self._pair.slow():
            self._dripping = True
            self._drip()
            return
        while self._waiting:
            self.transport.write(self._waiting.popleft())

    def _drip(self) -> None:
        self._dripping = False
        if self.transport is None or self.transport.is_closing() or not self._waiting:
            return
        if not self._pair.slow():
            self.flow()
            return
        first = self._waiting.popleft()
        self.transport.write(first[:DRIP_BYTES])
        if first[DRIP_BYTES:]:
            self._waiting.appendleft(first[DRIP_BYTES:])
        self._dripping = True
        asyncio.get_running_loop().call_later(DRIP_EVERY_S, self._drip)


class _Pair:
    """A client's connection and ours to the broker."""

    def __init__(self, proxy: FaultProxy) -> None:
        self._proxy = proxy
        self.near, self.far = _End(self), _End(self)
        self.near.other, self.far.other = self.far, self.near
        self.carried = 0
        self.closed = False
        proxy.pairs.append(self)

    async def connect(self, port: int) -> None:
        """Reach the broker for a client that has come."""
        try:
            await asyncio.get_running_loop().create_connection(lambda: self.far, "127.0.0.1", port)
        except OSError:
            self.close(reset=True)
        else:
            if self.closed and self.far.transport is not None:
                self.far.transport.abort()

    def altered(self, data: bytes) -> bytes:
        """The bytes as they go on."""
        for came, goes in self._proxy.alters.items():
            data = data.replace(came, goes)
        return data

    def slow(self) -> bool:
        """Whether it drips now."""
        return asyncio.get_running_loop().time() < self._proxy.slow_until_s

    def close(self, *, reset: bool) -> None:
        """End both connections: orderly, or with a reset."""
        if self.closed:
            return
        self.closed = True
        self._proxy.pairs.remove(self)
        for end in (self.near, self.far):
            if end.transport is None:
                continue
            if reset:
                raw = end.transport.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
                end.transport.abort()
            else:
                end.transport.close()


class FaultProxy:
    """Listens on ``port`` and carries everything to ``to_port`` on loopback. Methods from any thread."""

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self.pairs: list[_Pair] = []
        self.alters: dict[bytes, bytes] = {}
        """Bytes that do not go on as they came -> as long a run of others."""
        self.slow_until_s = 0.0
        self.done: dict[Fault, int] = dict.fromkeys(FAULTS, 0)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault proxy", daemon=True)
        self._thread.start()
        self._tasks: set[asyncio.Task[None]] = set()
        server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        self._server = server
        self.port: int = server.sockets[0].getsockname()[1]

    async def _listen(self) -> asyncio.Server:
        return await self._loop.create_server(self._accepted, "127.0.0.1", 0)

    def _accepted(self) -> _End:
        pair = _Pair(self)
        task = self._loop.create_task(pair.connect(self._to_port))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return pair.near

    @property
    def carries(self) -> bool:
        """Whether some connection has carried bytes and still may."""
        return any(pair.carried and not (pair.near.deaf or pair.far.deaf) for pair in list(self.pairs))

    def inflict(self, fault: Fault, *, deaf: tuple[bool, bool] = (True, True)) -> None:
        """Do this to all connections that there are now. ``deaf``: which directions of a half-open one carry
        nothing any more: towards the broker, towards the client.
        """
        acts: dict[Fault, Callable[[], None]] = {
            "cut": lambda: self._close(reset=False),
            "reset": lambda: self._close(reset=True),
            "half-open": lambda: self._half_open(deaf),
            "slow": self._slow,
        }
        self._call(acts[fault])
        self.done[fault] += 1

    def _close(self, *, reset: bool) -> None:
        for pair in list(self.pairs):
            pair.close(reset=reset)

    def _half_open(self, deaf: tuple[bool, bool]) -> None:
        for pair in self.pairs:
            pair.near.deaf, pair.far.deaf = deaf

    def _slow(self) -> None:
        self.slow_until_s = self._loop.time() + SLOW_S

    def _call(self, act: Callable[[], None]) -> None:
        async def called() -> None:
            act()

        asyncio.run_coroutine_threadsafe(called(), self._loop).result(PATIENCE_S)

    def stop(self) -> None:
        self._call(self._server.close)
        self._call(lambda: self._close(reset=True))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()
