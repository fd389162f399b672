"""The key of a table: made once, for its owner's eyes only, and said by its public half alone."""

from __future__ import annotations

import os
import stat
import subprocess
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.outbox.signature import Signer
from controller.settings.model import Configuration, SigningSettings
from controller.shell.signing_key import key_place, make_key, read_key
from controller.vocabulary.errors import ConfigurationError
from tests.harness.rounds import configuration_of


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    return configuration_of(tmp_path, "baccarat")


def test_it_lies_beside_the_journal_unless_the_configuration_names_a_place(
    configuration: Configuration, tmp_path: Path
) -> None:
    assert key_place(configuration) == Path(f"{configuration.journal.path}.key")
    named = replace(configuration, signing=SigningSettings(key_file=str(tmp_path / "other")))
    assert key_place(named) == tmp_path / "other"


def test_a_credential_of_the_service_is_made_where_the_service_gets_it(
    configuration: Configuration, tmp_path: Path
) -> None:
    name = "/run/credentials/dealer-table@7.service/signing-key"
    named = replace(configuration, signing=SigningSettings(key_file=name))
    assert key_place(named, tmp_path) == tmp_path / "dealer-table-7.signing-key"
    assert key_place(named, tmp_path / "absent") == Path(name)


def test_a_key_is_made_once_and_openssl_reads_the_same(tmp_path: Path) -> None:
    place = tmp_path / "7.db.key"
    assert read_key(place) is None
    made = make_key(place)
    again = read_key(place)
    assert again is not None
    assert again.key == made.key
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    call: list[str | Path] = ["openssl", "pkey", "-in", place, "-pubout", "-outform", "DER"]
    public = subprocess.run(call, check=True, capture_output=True).stdout
    assert public[-32:] == urlsafe_b64decode(made.key + "=")


def test_no_key_begins_as_an_option_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = [number.to_bytes(32) for number in range(1000)]
    first = next(seed for seed in seeds if Signer(seed).key.startswith("-"))
    given = iter([first, *seeds])
    monkeypatch.setattr(os, "urandom", lambda _: next(given))
    assert make_key(tmp_path / "7.db.key").key == Signer(seeds[0]).key


def test_a_new_key_keeps_the_old_one_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "7.db.key"
    first, second = make_key(place), make_key(place)
    assert first.key != second.key
    kept, now = read_key(tmp_path / "7.db.key.1"), read_key(place)
    assert kept is not None
    assert now is not None
    assert (kept.key, now.key) == (first.key, second.key)


TORN = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize("text", ["", "no key", TORN, "ä"])
def test_what_is_no_key_is_said_and_never_written_over(tmp_path: Path, text: str) -> None:
    place = tmp_path / "7.db.key"
    place.write_text(text)
    with pytest.raises(ConfigurationError, match=r"7\.db\.key"):
        read_key(place)
    assert place.read_text() == text


def test_where_it_cannot_be_written_the_mend_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="dealer-table setup"):
        make_key(tmp_path / "absent" / "7.db.key")
    assert os.listdir(tmp_path) == []
