"""``setup`` makes keys: for their owner only, and also where no machine has booted yet."""

from __future__ import annotations

import re
import stat
import subprocess
from pathlib import Path

from controller.__main__ import main
from tests.cli.program import dealer_table
from tests.harness.examples import EXAMPLES


def test_the_key_is_made_here_for_its_owner_only_and_serves_again(tmp_path: Path) -> None:
    words = ["setup", "--csr", "--set", "table.site=north", "--set", "table.id=7"]
    words += ["--keys", str(tmp_path / "store"), "--to", str(tmp_path / "etc")]
    assert main(words) == 0
    key, request = tmp_path / "store/dealer-table-7.mqtt-key", tmp_path / "etc/table-7.csr"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    first = key.read_bytes()
    assert main(words) == 0
    assert key.read_bytes() == first
    assert b"PRIVATE" not in request.read_bytes()
    call = ["openssl", "req", "-in", str(request), "-noout", "-verify", "-subject", "-pubkey"]
    seen = subprocess.check_output(call, text=True, stderr=subprocess.DEVNULL)
    assert re.search("CN ?= ?north/7$", seen, re.MULTILINE)
    assert subprocess.check_output(["openssl", "pkey", "-in", str(key), "-pubout"], text=True) in seen


def test_the_key_of_the_service_is_made_where_no_machine_has_booted_yet(tmp_path: Path) -> None:
    """On an image for many cards systemd has not made the folder of the secrets."""
    place, store = "/run/credentials/dealer-table@7.service/signing-key", tmp_path / "store"
    words = ["setup", "--no-questions", "--no-doctor", "--to", str(tmp_path / "etc"), "--keys", str(store)]
    words += ["--answers", str(EXAMPLES[0]), "--set", f"signing.key_file={place}"]
    said = dealer_table(*words).stdout
    key = store / "dealer-table-7.signing-key"
    assert (stat.S_IMODE(store.stat().st_mode), stat.S_IMODE(key.stat().st_mode)) == (0o700, 0o600)
    assert f"{key}: made; it never leaves this machine" in said
