"""What a board hears: a broker, or the socket of the one table on its own machine.

What comes are the same topics and payloads, so the pages know no difference; nothing is ever published or
written. Each source has a thread of its own, and says what it hears to the floor's watch, on the watch's
thread.
"""

from __future__ import annotations

import logging
import secrets
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from controller.board.asking import Asking
from controller.board.floor import MOST_BYTES
from controller.board.watch import FloorWatch
from controller.outbox.broker import BrokerSettings
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Report,
    Subscribed,
    Unsubscribed,
)
from controller.outbox.session import Session
from controller.vocabulary.errors import NOT_JSON, why

LOOK_EVERY_S = 0.1
SILENT_AFTER_S = 1.2
"""No sign of life for so long is no signal."""
HANG_UP_AFTER_S = 4.0
ASK_EVERY_S = 0.4
RETRY_S = 0.2
_NOBODYS = "dealer-table/board/alive"
_LOG = logging.getLogger(__name__)


class Follower(ABC):
    """Follows a source until :meth:`stop`; one that is not there is tried again."""

    def __init__(self, watch: FloorWatch, soon: Callable[..., None]) -> None:
        """``soon`` calls a method of the watch, with what is given, on its thread, and never blocks."""
        self._watch = watch
        self._soon = soon
        self._stop = threading.Event()
        self._alive = False
        self._complaint: str | None = None
        self._thread = threading.Thread(target=self._run, name="board-feed", daemon=True)

    def start(self) -> None:
        """Begin to look for the source."""
        self._thread.start()

    def stop(self) -> None:
        """Hang up and wait."""
        self._stop.set()
        self._thread.join(10)

    @abstractmethod
    def _run(self) -> None:
        """All connections, one after the other; until ``_stop`` is set."""

    def _say_alive(self, alive: bool) -> None:
        """Tell it on a change."""
        if alive != self._alive:
            self._alive = alive
            self._soon(self._watch.signal, alive)

    def _judge(self, silent_s: float) -> bool:
        """After so long without a sign of life: say that there is no signal, and whether to hang up."""
        if silent_s > SILENT_AFTER_S:
            self._say_alive(False)
        return silent_s > HANG_UP_AFTER_S

    def _broke(self, trouble: str) -> None:
        """There is no signal; why is said once for each reason."""
        self._say_alive(False)
        if trouble != self._complaint and not self._stop.is_set():
            _LOG.warning("no signal: %s", trouble)
        self._complaint = trouble


class Feed(Follower):
    """A subscription to what is retained.

    A cut network closes no socket, so the broker is asked for a sign of life all the time: to UNSUBSCRIBE
    from a topic that was never asked for changes nothing, and the broker must answer. This is what "no
    signal" within two seconds rests on, long before MQTT's own keepalive would notice.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        filters: Sequence[str],
        watch: FloorWatch,
        soon: Callable[..., None],
    ) -> None:
        super().__init__(watch, soon)
        self._filters = tuple(filters)
        self._session = Session(msgspec.structs.replace(settings, protocol="3.1.1"))
        self._asking = Asking(filters)
        self._spare: tuple[str, ...] = ()
        """Asked for in this part, beside the filters of all."""
        self._subscribed = False
        """The part that was asked for last is answered."""
        self._waiting = self._leaving = False
        """For an UNSUBACK; for that of what was asked for by name and has come."""
        self._complete = False
        """All that was retained has come on this connection."""
        self._retained = self._retained_before_asking = 0
        """Messages that came because we asked."""
        self._asked_s = self._answered_s = 0.0

    def _run(self) -> None:
        session = self._session
        while not self._stop.is_set():
            try:
                self._step()
            except Exception as error:  # whatever it is: what stands must not pass for what is
                _LOG.exception("the broker's word could not be taken in")
                now_s = time.monotonic()
                self._handle(session.break_off(f"failed: {type(error).__name__}", now_s), now_s)
        self._say_alive(False)
        session.leave()

    def _step(self) -> None:
        """Reach for the broker where that is due, and take in what has come."""
        session, now_s = self._session, time.monotonic()
        if session.attempts.due(now_s):
            session.open(now_s, also_named=f"-{secrets.token_hex(6)}")
        session.wait(LOOK_EVERY_S)
        now_s = time.monotonic()
        for report in session.serve(now_s):
            self._handle(report, now_s)
        if session.connected:
            self._look(now_s)

    def _handle(self, report: Report, now_s: float) -> None:
        match report:
            case Connected():
                self._asking, self._spare = Asking(self._filters), ()
                self._waiting = self._leaving = self._complete = False
                self._answered_s = now_s
                self._soon(self._watch.connected)
                self._subscribe(self._asking.next())
            case Subscribed():
                if report.denied:
                    _LOG.warning("the broker lets us hear nothing on %s", ", ".join(report.denied))
                self._subscribed = True
                self._sign_of_life(now_s)
                self._ask(now_s)
            case Unsubscribed():
                self._waiting = False
                self._sign_of_life(now_s)
                self._answered(now_s)
            case Arrived():
                self._sign_of_life(now_s)
                self._retained += report.retained
                self._asking.heard(report.topic)
                self._soon(self._watch.heard, report.topic, report.payload)
            case ConnectionRefused() | ConnectionLost():
                self._broke(report.reason)
            case _:
                pass

    def _subscribe(self, filters: Sequence[str]) -> None:
        """The next part. QoS 0: the broker's limit is on what it has not yet written to us, and what is lost
        with the connection comes again with the next one."""
        self._subscribed = False
        self._session.subscribe(filters, qos=0)

    def _unsubscribe(self, *topics: str) -> None:
        """One at a time, so that an answer is that of the last."""
        self._waiting = True
        self._session.unsubscribe(*topics)

    def _ask(self, now_s: float) -> None:
        """Ask for a sign of life: behind all that is retained, if nothing more is to come."""
        self._asked_s = now_s
        self._retained_before_asking = self._retained
        self._unsubscribe(_NOBODYS)

    def _answered(self, now_s: float) -> None:
        """The next part, where the one before has come."""
        if self._leaving:
            self._leaving, self._spare = False, ()
        elif self._retained > self._retained_before_asking:
            self._ask(now_s)
            return
        elif self._spare:
            self._leaving = True
            self._unsubscribe(*self._spare)
            return
        if part := self._asking.next() if not self._complete else self._asking.late():
            self._spare = self._asking.spare(part)
            self._subscribe(part)
        elif not self._complete:
            self._complete = True
            self._soon(self._watch.complete)

    def _look(self, now_s: float) -> None:
        """Ask for a sign of life where it is time, and judge how long there was none."""
        if self._subscribed and not self._waiting and now_s - self._asked_s >= ASK_EVERY_S:
            self._ask(now_s)
        if self._judge(now_s - self._answered_s):
            silent = f"the broker at {self._session.broker.where} does not answer"
            self._handle(self._session.break_off(silent, now_s), now_s)

    def _sign_of_life(self, now_s: float) -> None:
        self._answered_s = now_s
        self._say_alive(True)


class FeedLine(msgspec.Struct, frozen=True):
    """One line of the stream; with neither it is a sign of life."""

    topic: str | None = None
    payload: msgspec.Raw = msgspec.Raw(b"null")
    complete: bool = False
    under_key: msgspec.Raw = msgspec.Raw()
    """What a supervisor's key opens, null when it is out; not there: as before."""


class StreamBroken(Exception):
    """What comes is not the stream of a table."""


class LocalFeed(Follower):
    """The daemon's socket at ``path``: what a cut network and a broker that is gone do not matter to."""

    def __init__(self, path: Path, watch: FloorWatch, soon: Callable[..., None], *, at_table: bool) -> None:
        """``at_table``: the pages are seen on this machine alone, so a supervisor's key may open them."""
        super().__init__(watch, soon)
        self._path = path
        self._at_table = at_table

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._follow()
                trouble = f"{self._path}: the table's controller has hung up"
            except (OSError, StreamBroken) as error:
                trouble = f"{self._path}: {why(error)}"
            except Exception as error:  # whatever it is: what stands must not pass for what is
                _LOG.exception("the table's word could not be taken in")
                trouble = f"{self._path}: failed: {type(error).__name__}"
            self._broke(trouble)
            self._stop.wait(RETRY_S)

    def _follow(self) -> None:
        """One connection, to its end."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as window:
            window.settimeout(LOOK_EVERY_S)
            window.connect(str(self._path))
            self._soon(self._watch.connected)
            rest = b""
            heard_s = time.monotonic()
            while not self._stop.is_set():
                try:
                    said = window.recv(1 << 16)
                except TimeoutError:
                    said = None
                if said == b"":
                    return
                if said is None:
                    if self._judge(time.monotonic() - heard_s):
                        raise StreamBroken("the table's controller does not answer")
                    continue
                heard_s = time.monotonic()
                *whole, rest = (rest + said).split(b"\n")
                if len(rest) > 2 * MOST_BYTES:
                    raise StreamBroken("a line without end")
                for line in whole:
                    self._heard(line)

    def _heard(self, text: bytes) -> None:
        try:
            line = msgspec.json.decode(text, type=FeedLine)
        except NOT_JSON as error:
            raise StreamBroken(f"that is no stream of a table: {error}") from error
        if line.topic is not None:
            payload = bytes(line.payload)
            self._soon(self._watch.heard, line.topic, b"" if payload == b"null" else payload)
            return
        if self._at_table and bytes(line.under_key):
            self._soon(self._watch.named_under_key, bytes(line.under_key))
        if line.complete:
            self._soon(self._watch.complete)
            self._complaint = None
        self._say_alive(True)
