"""A certificate that ends is an alert in time, and none any more when there is a new one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from controller.outbox.broker import BrokerSettings
from controller.settings.loader import load_configuration
from controller.shell.doctor.outside import check_certificates
from controller.shell.expiry import EVERY_NS, CertificateWatch
from tests.harness.configuration import configured
from tests.shell.watched import Watched

NOW = datetime(2026, 1, 2, tzinfo=UTC)


class Files:
    """An authority, our certificate, and what is told of them."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.ca, self.cert = folder / "ca.pem", folder / "client.pem"
        self._authority.cert_pem.write_to_path(self.ca)
        self.issue(NOW + timedelta(days=400))
        self.shown: float | None = None
        self.broker = BrokerSettings("x", ca_file=self.ca, cert_file=self.cert)
        self.now_s = NOW.timestamp()
        self.watch = CertificateWatch(self.broker, 30, lambda: self.shown, lambda: self.now_s)
        self.watched = Watched(self.watch.look)
        self._hours = 0

    def issue(self, not_after: datetime, not_before: datetime | None = None) -> None:
        """A new certificate."""
        issued = self._authority.issue_cert("client", not_after=not_after, not_before=not_before)
        self.cert.write_bytes(issued.private_key_and_cert_chain_pem.bytes())

    def look(self, days: float) -> list[str]:
        """So many days from now; what was told."""
        self._hours += 1
        self.now_s = (NOW + timedelta(days=days)).timestamp()
        return self.watched.look(self._hours * EVERY_NS)


def test_said_once_in_time_again_when_it_has_ended_and_taken_back(tmp_path: Path) -> None:
    files = Files(tmp_path)
    assert files.look(0) == []
    assert files.look(371) == ["certificate-client is said"]
    assert "ends on 2027-02-06" in files.watched.changes[-1].message
    assert files.look(372) == []
    assert files.look(401) == ["certificate-client is said"]
    assert "ended on" in files.watched.changes[-1].message
    files.issue(NOW + timedelta(days=800))
    assert files.look(402) == ["certificate-client is over"]
    assert set(files.watch.ends_s) == {"client", "authority"}


def test_the_broker_s_is_looked_at_when_it_shows_another(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.watched.look(5)
    files.shown = (NOW + timedelta(days=3)).timestamp()
    assert files.watched.look(6) == ["certificate-broker is said"]
    files.shown = (NOW + timedelta(days=300)).timestamp()
    assert files.watched.look(7) == ["certificate-broker is over"]


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.cert.unlink()
    assert files.look(0) == ["certificate-client is said"]


@pytest.mark.parametrize(("days", "grade"), [(400, "ok"), (20, "warning"), (-1, "fault")])
def test_the_doctor_says_the_same(tmp_path: Path, days: int, grade: str) -> None:
    files, now = Files(tmp_path), datetime.now(UTC)
    files.issue(now + timedelta(days=days, hours=1), not_before=now - timedelta(days=900))
    tls = {"ca_file": "ca.pem", "cert_file": "client.pem", "key_file": "client.pem"}
    shoe = {"driver": "bee-tek", "port": "/dev/shoe"}
    path = configured(tmp_path, {"mqtt": {"tls": tls}, "devices": {"shoe": shoe}})
    configuration = load_configuration(path)
    found = {finding.name: finding for finding in check_certificates(configuration, files.broker, None)}
    assert found["certificate client"].grade == grade
    assert found["certificate authority"].grade == "ok"
