"""``setup.sh``: what it says before it installs, and where it cannot."""

from __future__ import annotations

import http.server
import os
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.cli.program import HOUSE
from tests.harness.patience import PATIENCE_S

APT = """#!/bin/sh
echo "$*" >>"$0.log"
case $* in *--print-uris*) cat <<'END' ;; *" install "*) echo "E: no network"; exit 100 ;; esac
Reading package lists...
The following NEW packages will be installed:
  cowsay libtext-charwidth-perl
0 upgraded, 2 newly installed, 0 to remove and 134 not upgraded.
Need to get 8933 kB of archives.
After this operation, 122 MB of additional disk space will be used.
'http://mirror.example/pool/cowsay_3.03_all.deb' cowsay_3.03_all.deb 21372
END
"""
"""As apt of Debian 12 says it."""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """What a newcomer has, as far as ``setup.sh`` reads it before anything is installed."""
    copy = tmp_path / "house"
    copy.mkdir()
    for name in ("setup.sh", "pyproject.toml", "constraints.txt"):
        shutil.copy(HOUSE / name, copy / name)
    return copy


def set_up(house: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["./setup.sh"],
        cwd=house,
        env=os.environ | {"PYTHON": sys.executable} | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize("user", [0, 1000])
def test_it_says_what_apt_will_bring_and_then_why_it_cannot(house: Path, user: int) -> None:
    script = house / "setup.sh"
    script.write_text(script.read_text().replace("mosquitto:mosquitto ", "cowsay:/no/such/program "))
    apt, sudo, who = house / "apt-get", house / "sudo", house / "id"
    who.write_text(f"#!/bin/sh\necho {user}\n")
    apt.write_text(APT)
    sudo.write_text('#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n')
    for program in (apt, sudo, who):
        program.chmod(0o755)
    done = set_up(house, PATH=f"{house}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "setup: missing system packages: cowsay",
        "setup: installing them with what they need: 2 packages, 8933 kB to download, 122 MB on disk",
    ]
    said, ours = done.stderr.splitlines()
    assert said == "E: no network"
    assert ours.startswith("setup: apt-get could not install: cowsay. Does this machine reach")
    assert "Run this again" in ours
    asked = (house / "apt-get.log").read_text().splitlines()
    assert [next(word for word in line.split() if word in ("update", "install")) for line in asked] == [
        "update",
        "install",
        "install",
    ]


@pytest.fixture
def index() -> Iterator[str]:
    """A package index whose certificate no authority of this machine has signed."""
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # pip hangs up, which is the point
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield f"https://127.0.0.1:{server.server_address[1]}/simple"
    server.shutdown()
    serving.join()
    server.server_close()


def test_a_certificate_that_is_not_trusted_is_one_sentence(house: Path, index: str) -> None:
    more = {
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "PIP_INDEX_URL": index,
        "PIP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_TRUSTED_HOST": "",
    }
    done = set_up(house, **more)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "setup: pip does not trust the certificate of its package index."
        " Where a proxy opens connections, name its authority: PIP_CERT=/path/to/authority.pem make setup"
    ]


def test_a_machine_that_does_not_reach_its_package_index_is_one_sentence(house: Path) -> None:
    done = set_up(
        house, PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_RETRIES="1", PIP_CONFIG_FILE=os.devnull
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "setup: pip does not reach its package index."
        " Run this again when this machine does; what is done so far stays."
    ]
