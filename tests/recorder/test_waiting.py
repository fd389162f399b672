"""A database that keeps the recorder waiting is told, from the very first wait on."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from controller.recorder import waiting
from controller.recorder.database import connect
from controller.recorder.figures import Figures
from controller.recorder.settings import DatabaseKeys
from controller.recorder.waiting import watched
from tests.harness.patience import PATIENCE_S
from tests.harness.postgres import Postgres


def test_a_wait_before_the_first_step_ends_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a recorder that is started while the standby of its database is gone."""
    monkeypatch.setattr(waiting, "TOLD_S", 0.2)
    monkeypatch.setattr(waiting, "LOOK_S", 0.05)
    told, came = list[str](), threading.Event()

    def tell(line: str) -> None:
        told.append(line)
        came.set()

    with (
        closing(Postgres()) as database,
        closing(connect(DatabaseKeys(url=database.database()), "test")) as connection,
        watched(connection, Figures(), threading.Event(), tell),
    ):
        assert came.wait(PATIENCE_S)
        connection.execute("SELECT pg_sleep(0.3)")
    assert [line.partition(" for")[0] for line in told] == ["the database has not answered"]
