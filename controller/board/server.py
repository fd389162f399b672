"""The board put together: feed, floor, pages and the web server, in one process and one event loop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import AsyncIterator, Callable
from itertools import cycle
from pathlib import Path

import uvicorn

from controller.board.acknowledged import Acknowledgements
from controller.board.figures import metrics_of
from controller.board.floor import filters_of
from controller.board.house import House, read_house
from controller.board.hub import TURNS, Hub
from controller.board.jackpot import JackpotFile, check_jackpot
from controller.board.settings import BoardSettings, source_of
from controller.board.source import Feed, Follower, LocalFeed
from controller.board.watch import FloorWatch
from controller.board.web import application, build_of, read_words
from controller.exposition import MetricsPage
from controller.own_names import is_this_machine
from controller.serving import Server
from controller.settings.broker import broker_settings
from controller.vocabulary.errors import ConfigurationError, why

BEAT_S = 1.0
GRACE_S = 2


Words = dict[str, dict[str, str]]


def judged(settings: BoardSettings) -> tuple[Words, House]:
    """Words and look that the settings name; :class:`ConfigurationError` says what is wrong with them."""
    keys = settings.board
    words = read_words(keys.words)
    for key, language in (("language", keys.language), ("beside", keys.beside)):
        if language is not None and language not in words:
            known = ", ".join(sorted(words))
            raise ConfigurationError(f"board.{key}: no words for {language!r}, only for {known}")
    check_jackpot(keys.jackpot)
    return words, read_house(keys.house)


def house_folders(settings: BoardSettings) -> list[Path]:
    """Whose files a page is made of, beside our own."""
    return [] if settings.board.house is None else [Path(settings.board.house)]


def _acknowledgements(settings: BoardSettings) -> Acknowledgements | None:
    keys = settings.board
    return None if keys.acknowledged is None else Acknowledgements(Path(keys.acknowledged), keys.badges)


class Board:
    """One board. The address is taken at once; :meth:`run` serves until :meth:`stop`."""

    def __init__(self, settings: BoardSettings, *, port: int | None = None) -> None:
        keys = settings.board
        words, house = judged(settings)
        self._hub = Hub(keys.most_pages)
        build = build_of(words, *house_folders(settings))
        self._watch = FloorWatch(self._hub, build, source_of(settings), _acknowledgements(settings))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._jackpot = None if keys.jackpot is None else JackpotFile(Path(keys.jackpot))
        self._feed = self._follower(settings)
        app = application(self._hub, self._watch, words, keys, house, self._lifespan)
        self._socket = listen("board.port", keys.host, keys.port if port is None else port)
        self._where: tuple[str, int] = self._socket.getsockname()[:2]
        self._figures = None if keys.metrics_port is None else self._page_of_figures(keys.metrics_port)
        self._server = Server(
            uvicorn.Config(
                app,
                lifespan="on",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                ws="none",
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    @property
    def address(self) -> str:
        """Where the floor page is."""
        host, port = self._where
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def run(self) -> None:
        """Serve until :meth:`stop`."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def _page_of_figures(self, port: int) -> MetricsPage:
        try:
            return MetricsPage(port, self._metrics)
        except OSError as error:
            self._socket.close()
            raise ConfigurationError(f"board.metrics_port: port {port}: {why(error)}") from error

    def _metrics(self) -> str:
        return metrics_of(self._watch.floor, heard=self._watch.alive, pages=self._hub.pages)

    def close(self) -> None:
        """Give the address back, where :meth:`run` was never called."""
        self._socket.close()
        if self._figures is not None:
            self._figures.close()

    def stop(self) -> None:
        """End soon; from any thread or a signal handler."""
        self._server.should_exit = True

    @contextlib.asynccontextmanager
    async def _lifespan(self, _app: object) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        self._feed.start()
        if self._jackpot is not None:
            self._watch.jackpot = self._jackpot.shown
            self._jackpot.start()
        beating = asyncio.create_task(beating_of(self._hub, lambda: self._server.should_exit))
        try:
            yield
        finally:
            beating.cancel()
            if self._jackpot is not None:
                self._jackpot.stop()
            await asyncio.to_thread(self._feed.stop)

    def _soon(self, call: Callable[..., None], *arguments: object) -> None:
        """From the feed's thread onto the loop."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just closed
                self._loop.call_soon_threadsafe(call, *arguments)

    def _follower(self, settings: BoardSettings) -> Follower:
        keys = settings.board
        if keys.socket is not None:
            at_table = is_this_machine(keys.host)
            return LocalFeed(Path(keys.socket), self._watch, self._soon, at_table=at_table)
        broker = broker_settings(settings.mqtt, "dealer-table-board")
        return Feed(broker, filters_of(keys.tables), self._watch, self._soon)


async def beating_of(hub: Hub, ending: Callable[[], bool]) -> None:
    """A beat each second for each page; when the server is to end the streams end first, for it waits for
    them."""
    for turn in cycle(range(TURNS)):
        await asyncio.sleep(BEAT_S / TURNS)
        if ending():
            hub.close()
            return
        hub.beat(turn)


def listen(key: str, host: str, port: int, *, give_up_ms: int = 0) -> socket.socket:
    """A socket that takes connections. ``give_up_ms``: a connection on which nothing that was sent has been
    taken for so long is broken; 0: as the system does it. :class:`ConfigurationError` names ``key``."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, where = found[0]
        both = family == socket.AF_INET6
        opened = socket.create_server(where, family=family, backlog=1024, dualstack_ipv6=both)
    except (OSError, ValueError) as error:  # ValueError: no IPv6 here, or no host's name
        if isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL:
            of = key.removesuffix(".port")
            raise ConfigurationError(
                f"{of}.host: {host} is no address of this machine; 0.0.0.0 stands for all that it has"
            ) from error
        raise ConfigurationError(f"{key}: cannot listen on {host} port {port}: {why(error)}") from error
    if give_up_ms:  # each connection has it from the socket that took it
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, give_up_ms)
    return opened
