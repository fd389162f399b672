"""The broker's side of the board: a session that hears what is retained, and publishes nothing.

A cut network closes no socket, so the board asks the broker for a sign of life all the time: to UNSUBSCRIBE
from a topic that it never asked for changes nothing, and the broker must answer. This is what "no signal"
within two seconds rests on, long before MQTT's own keepalive would notice.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Sequence

from controller.board.source import LOOK_EVERY_S, Follower, Listener
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

ASK_EVERY_S = 0.4
_NOBODYS = "dealer-table/board/alive"
_LOG = logging.getLogger(__name__)


class Feed(Follower):
    """Keeps a subscription alive."""

    def __init__(self, settings: BrokerSettings, filters: Sequence[str], listener: Listener) -> None:
        super().__init__("board-feed", _LOG, listener)
        self._where = f"{settings.host}:{settings.port}"
        self._filters = tuple(filters)
        self._session = Session(settings, "3.1.1")
        self._subscribed = False
        self._complete = False
        """All that was retained has come on this connection."""
        self._heard = self._heard_before_asking = 0
        """Messages that came."""
        self._asked_s = self._answered_s = 0.0

    def _run(self) -> None:
        session = self._session
        while not self._stop.is_set():
            now_s = time.monotonic()
            if session.attempts.due(now_s):
                session.open(now_s, also_named=f"-{secrets.token_hex(6)}")
            session.wait(LOOK_EVERY_S)
            now_s = time.monotonic()
            for report in session.serve(now_s):
                self._handle(report, now_s)
            if session.connected:
                self._ask(now_s)
        self._say_alive(False)
        session.leave()

    def _handle(self, report: Report, now_s: float) -> None:
        match report:
            case Connected():
                self._subscribed = self._complete = False
                self._answered_s = now_s
                self._listener.connected()
                self._session.subscribe(self._filters)
            case Subscribed():
                if report.denied:
                    _LOG.warning("the broker lets us hear nothing on %s", ", ".join(report.denied))
                self._subscribed = True
                self._sign_of_life(now_s)
            case Unsubscribed():
                self._sign_of_life(now_s)
                # Nothing came between asking and answer: what was retained is in.
                if not self._complete and self._heard == self._heard_before_asking:
                    self._complete = True
                    self._listener.complete()
            case Arrived():
                self._heard += 1
                self._listener.heard(report.topic, report.payload)
            case ConnectionRefused() | ConnectionLost():
                self._say_alive(False)
                self._complain(report.reason)
            case _:
                pass

    def _ask(self, now_s: float) -> None:
        """Ask for a sign of life, and judge how long there was none."""
        if self._subscribed and now_s - self._asked_s >= ASK_EVERY_S:
            self._asked_s = now_s
            self._heard_before_asking = self._heard
            self._session.unsubscribe(_NOBODYS)
        if self._judge(now_s - self._answered_s):
            self._handle(
                self._session.break_off(f"the broker at {self._where} does not answer", now_s), now_s
            )

    def _sign_of_life(self, now_s: float) -> None:
        self._answered_s = now_s
        self._say_alive(True)
