"""Secrets come from files, and stand nowhere else: in no log, record, message or argument."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from controller.outbox.broker import BrokerSettings
from controller.settings.broker import secret_file
from tests.harness.broker import Broker, password_file
from tests.shell.test_broker import Connected

SECRET = "correct-horse-battery"
NAMED = "/run/credentials/dealer-table@7.service/mqtt-password"


def test_a_credential_of_a_service_that_is_stopped_is_taken_from_its_store(tmp_path: Path) -> None:
    assert secret_file(NAMED, tmp_path) == Path(NAMED), (
        "where there is none the error names the key's own file"
    )
    kept = tmp_path / "dealer-table-7.mqtt-password"
    kept.write_text(SECRET)
    assert secret_file(NAMED, tmp_path) == kept
    assert secret_file("/etc/dealer-table/password", tmp_path) == Path("/etc/dealer-table/password")
    assert secret_file(None, tmp_path) is None


@pytest.mark.parametrize("known", [SECRET, "another one"], ids=["right", "wrong"])
def test_a_password_is_in_no_log_record_or_message(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, known: str
) -> None:
    caplog.set_level(logging.DEBUG)
    users = password_file(tmp_path / "users", {"table": known})
    secret = tmp_path / "password"
    secret.write_text(f"{SECRET}\n")
    with Broker(tmp_path / "broker", lines=[f"password_file {users}"], anonymous=False) as broker:
        settings = BrokerSettings("north-7", port=broker.port, username="table", password_file=secret)
        table = Connected(broker, username="table", password_file=secret)
        if known == SECRET:
            table.until(lambda: table.bench.publisher.counters.listening)
        else:
            table.until(lambda: table.broker_says is not None)
        table.bench.load()
        records = b"".join(record.body for record in table.bench.journal.records())
        everything = f"{caplog.text} {records!r} {table.bench.said()} {settings!r} {table.bench.state!r}"
        assert SECRET not in everything
        table.bench.publisher.stop()
