"""The recorder as a service: waits for its turn, records, and begins again where the database failed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

import psycopg

from controller.exposition import MetricsPage
from controller.outbox.broker import BrokerSettings
from controller.outbox.topics import ROOT
from controller.recorder.database import (
    Connection,
    RecordError,
    connect,
    forget,
    make_month,
    may_record,
    migrate,
    month_after,
    month_of,
    settle,
    told,
)
from controller.recorder.figures import STEP_S, Figures
from controller.recorder.hearing import FloorHearing
from controller.recorder.metrics import metrics_of
from controller.recorder.settings import RecorderSettings
from controller.recorder.waiting import watched
from controller.recorder.webhooks import Webhook
from controller.settings.broker import broker_settings
from controller.vocabulary.errors import ConfigurationError, DealerTableError, why

AGAIN_S = 1.0
"""After the database failed, and between two looks whether it is our turn."""
PROGRESS_S = 10.0
MANY = 1000
"""So many messages are missing before progress is told."""
KEEP_HOUSE_S = 3600.0


class Recorder:
    """One recorder. :meth:`run` records until :meth:`stop`."""

    def __init__(self, settings: RecorderSettings, tell: Callable[[str], None]) -> None:
        """``tell``: a line for people."""
        self.figures = Figures()
        self._settings = settings
        self._name = settings.recorder.name
        self._say = tell
        self._leave = threading.Event()
        self._said = ""
        self._progress_s = self._missing_before = 0.0
        self._house_s: float | None = None

    def run(self) -> None:
        """Until :meth:`stop`. ConfigurationError where a setting cannot be used."""
        port = self._settings.recorder.metrics_port
        try:
            page = None if port is None else MetricsPage(port, lambda: metrics_of(self.figures, self._name))
        except OSError as error:
            raise ConfigurationError(f"recorder.metrics_port: port {port or 0}: {why(error)}") from error
        try:
            self._run()
        finally:
            if page is not None:
                page.close()

    def _run(self) -> None:
        while not self._leave.is_set():
            try:
                with (
                    connect(self._settings.database, f"dealer-table record {self._name}") as connection,
                    watched(connection, self.figures, self._leave, self._say),
                ):
                    if self._has_turn(connection):
                        self._record(connection)
            except (RecordError, psycopg.Error) as error:
                self.figures.failures += 1
                self._tell_once(error.message if isinstance(error, DealerTableError) else str(error))
                self._leave.wait(AGAIN_S)
            finally:
                self.figures.recording = self.figures.connected = False

    def stop(self) -> None:
        """End soon; from any thread or a signal handler."""
        self._leave.set()

    def _has_turn(self, connection: Connection) -> bool:
        """Wait until nobody else records under our name; whether we do now."""
        while not self._leave.is_set():
            if may_record(connection, self._name):
                return True
            self.figures.moved_s = time.monotonic()
            self._tell_once(f"another recorder named {self._name} records; this one waits to take over")
            self._leave.wait(AGAIN_S)
        return False

    def _record(self, connection: Connection) -> None:
        """All sites, until :meth:`stop` or until the database fails."""
        migrate(connection)
        settle(connection)
        hearing = FloorHearing(
            name=self._name,
            sites=self._settings.sites,
            broker=self._broker(),
            connection=connection,
            figures=self.figures,
            tell=self._say,
        )
        self.figures.recording, self._house_s = True, None
        webhooks = [
            Webhook(self._settings, keys, self._say, self.figures) for keys in self._settings.webhooks
        ]
        for webhook in webhooks:
            webhook.start()
        self._tell_once(f"recording the tables of {', '.join(self._settings.sites)}")
        try:
            while not self._leave.is_set():
                self._keep_house(connection)
                hearing.step(STEP_S)
                self.figures.moved_s = time.monotonic()
                self._tell_progress()
        finally:
            hearing.stop()
            for webhook in webhooks:
                webhook.stop()

    def _broker(self) -> BrokerSettings:
        name = ".".join((ROOT.partition("/")[0], self._name, ",".join(self._settings.sites)))
        return broker_settings(self._settings.broker, name)

    def _keep_house(self, connection: Connection) -> None:
        """The table of the next month is there before it begins; months that nobody wants are dropped."""
        now_s, now = time.monotonic(), datetime.now(UTC)
        if self._house_s is not None and now_s - self._house_s < KEEP_HOUSE_S:
            return
        self._house_s = now_s
        with told():
            for month in (month_of(now), month_after(now)):
                make_month(connection, month)
            if (months := self._settings.retention.months) > 0:
                for name in forget(connection, months, now):
                    self._say(f"{name} is older than {months} months and was dropped")

    def _tell_progress(self) -> None:
        now_s = time.monotonic()
        if now_s - self._progress_s < PROGRESS_S:
            return
        took_s, self._progress_s = now_s - self._progress_s, now_s
        before, done = self._missing_before, self.figures.recorded
        self._missing_before = done
        missing, behind = self.figures.missing, self.figures.behind
        if missing >= MANY:
            rate = (done - before) / took_s
            self._say(f"{missing} messages of {behind} tables are still missing; {rate:.0f} a second come in")

    def _tell_once(self, line: str) -> None:
        if line != self._said:
            self._said = line
            self._say(line)
