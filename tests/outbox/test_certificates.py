"""When certificates end, read from real ones and held against a library that knows all of X.509."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from controller.outbox.broker import BrokerSettings
from controller.outbox.certificates import DAY_S, Ending, dates, ending, endings, not_after, verdict
from tests.broker_roles.roles import Floor
from tests.outbox.sender import Sender

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
KEYS: dict[str, Callable[[], Any]] = {
    "elliptic": lambda: ec.generate_private_key(ec.SECP256R1()),
    "rsa": lambda: rsa.generate_private_key(65537, 2048),
    "edwards": ed25519.Ed25519PrivateKey.generate,
}


def made(folder: Path, kind: str, days: int) -> Path:
    """A certificate of an authority's own, good for so many days."""
    key = KEYS[kind]()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "north floor")])
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW)
        .not_valid_after(NOW + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("broker.example")]), critical=False)
        .sign(key, None if kind == "edwards" else hashes.SHA256())
    )
    path = folder / "made.crt"
    path.write_bytes(built.public_bytes(Encoding.PEM))
    return path


def known(path: Path) -> list[datetime]:
    return [
        certificate.not_valid_after_utc for certificate in x509.load_pem_x509_certificates(path.read_bytes())
    ]


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("days", [1, 365, 365 * 40], ids=["tomorrow", "in a year", "after 2050"])
def test_the_end_is_the_one_that_stands_there(tmp_path: Path, kind: str, days: int) -> None:
    path = made(tmp_path, kind, days)
    assert list(dates(path.read_text())) == known(path)
    assert ending("client", path).ends_s == known(path)[0].timestamp()


def test_the_first_that_ends_counts_of_a_chain_with_its_key(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("client", not_after=NOW + timedelta(days=9))
    path = tmp_path / "client.pem"
    path.write_bytes(issued.private_key_and_cert_chain_pem.bytes() + authority.cert_pem.bytes())
    assert len(known(path)) == 2
    assert ending("client", path).ends_s == min(known(path)).timestamp() == (NOW + timedelta(9)).timestamp()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no certificate",
        "-----BEGIN CERTIFICATE-----\nnot base64!\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "\u00e4",
    ],
)
def test_a_file_that_is_none_is_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.pem"
    path.write_text(text)
    found = ending("client", path)
    assert found.ends_s is None
    assert str(path) in (verdict(found, 0.0, 30) or "")
    assert ending("client", tmp_path / "absent.pem").ends_s is None


def test_no_bytes_at_all_do_more_than_raise_what_is_caught(tmp_path: Path) -> None:
    der = x509.load_pem_x509_certificates(made(tmp_path, "elliptic", 9).read_bytes())[0].public_bytes(
        Encoding.DER
    )
    whole = not_after(der)
    for place in range(len(der)):
        try:
            not_after(der[:place])
        except (ValueError, IndexError):
            continue
        raise AssertionError(f"{place} of {len(der)} bytes are no certificate")
    assert whole.tzinfo is UTC


@pytest.mark.parametrize(
    ("left_s", "says"),
    [(31 * DAY_S, None), (30 * DAY_S - 1, "ends on"), (1, "ends on"), (0, "ended on"), (-DAY_S, "ended on")],
)
def test_it_is_said_in_time(left_s: float, says: str | None) -> None:
    found = verdict(Ending("broker", "", NOW.timestamp() + left_s), NOW.timestamp(), 30)
    assert (found is None) == (says is None)
    assert says is None or says in (found or "")


def test_the_broker_s_own_certificate_is_seen_at_the_connection(floor: Floor, tmp_path: Path) -> None:
    client = floor.certificate()
    login = floor.login("controller", client)
    with Sender(floor.broker, **login) as sender:
        sender.connect()
        shown = sender.publisher.broker_certificate_ends_s
    assert shown == known(tmp_path / "floor" / "broker.crt")[0].timestamp()
    found = endings(BrokerSettings("x", **login))
    assert [(one.which, one.ends_s) for one in found] == [
        ("client", known(client)[0].timestamp()),
        ("authority", known(login["ca_file"])[0].timestamp()),
    ]
