"""``setup --csr``: the table's key is made on the table and stays there; only the request travels."""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

from controller.cli.telling import complain
from controller.outbox.topics import check_name
from controller.settings.model import own_user
from controller.settings.writing import Values, at
from controller.vocabulary.errors import DealerTableError, why

CURVE = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")


def make_request(values: Values, arguments: argparse.Namespace) -> int:
    """Make the key where there is none (0600), and a request for its certificate; says where both are.

    A key that is there is used again, so that a certificate can be renewed; it is never written over.
    """
    table, site = at(values, "table.id"), at(values, "table.site")
    if not isinstance(table, str) or not isinstance(site, str):
        return complain("which table? --set table.site=north --set table.id=7, or --answers FILE")
    check_name("table.id", table)
    check_name("table.site", site)
    role = str(arguments.subject or at(values, "mqtt.username") or own_user(site, table))
    for part in role.split("/"):
        check_name("--subject", part)
    key = Path(arguments.keys) / f"dealer-table-{table}.mqtt-key"
    request = Path(arguments.to) / f"table-{table}.csr"
    try:
        key.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        request.parent.mkdir(parents=True, exist_ok=True)
        made = not key.exists()
        if made:
            new_key(key)
        name = role.replace("/", r"\/")
        subject = f"/O=dealer-table/OU={site}/CN={name}"
        wanted = openssl("req", "-new", "-key", str(key), "-subj", subject)
        request.write_bytes(wanted)
    except OSError as error:
        raise DealerTableError(f"{error.filename}: {why(error)}") from error
    print(f"{key}: {'made; it never leaves this machine' if made else 'was there and is used again'}")
    print(f"{request}: take this to the floor's authority (docs: a broker with TLS)")
    print(f"its certificate then lies at {request.with_suffix('.crt')}")
    return 0


def new_key(path: Path) -> None:
    """A private key for the owner's eyes only, whole or not at all."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(openssl("genpkey", *CURVE))
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink()
        raise


def openssl(*words: str) -> bytes:
    """What openssl answers. DealerTableError if it is not there or fails."""
    try:
        done = subprocess.run(["openssl", *words], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise DealerTableError("openssl is not installed: apt-get install openssl") from error
    if done.returncode:
        raise DealerTableError(f"openssl: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
