"""The manifest on demand, what a difference does to a table that plays, where the digest is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.__main__ import main
from controller.settings.loader import load_configuration
from controller.shell.approval import (
    CACHES_AT_ONCE,
    EVERY_NS,
    IDENTITY_EVERY_NS,
    ApprovalWatch,
    program_sources,
)
from controller.shell.identity import manifest, software_digest, version
from controller.vocabulary.events import ConditionChanged, SoftwareStarted
from tests.cli.program import HOUSE
from tests.harness.bench import Bench
from tests.harness.broker import Broker
from tests.harness.configuration import configured
from tests.outbox.sender import Listener, Sender
from tests.shell.watched import Watched

DAY_NS = 24 * 3600 * 1_000_000_000
TABLE = """
journal = { path = "{folder}/7.db", min_free_mb = 0 }
identity.manifest = "manifest.sha256"
devices.shoe = { driver = "bee-tek", port = "/dev/shoe" }
"""


def table(folder: Path) -> Path:
    return configured(folder, TABLE).rename(folder / "7.toml")


@pytest.fixture
def approved(tmp_path: Path) -> Path:
    """A table's file and the manifest that names it."""
    path = table(tmp_path)
    (tmp_path / "manifest.sha256").write_text(manifest([path]))
    return path


DEEDS: list[tuple[str, Callable[[Path], object], str]] = [
    ("a file was changed", lambda path: path.write_text(path.read_text() + "#\n"), "was changed"),
    ("a file is gone", lambda path: path.unlink(), "No such file"),
    (
        "the list was cut",
        lambda path: path.with_name("manifest.sha256").write_text(
            "".join(path.with_name("manifest.sha256").read_text().splitlines(keepends=True)[3:])
        ),
        "not in the manifest",
    ),
    (
        "the list is no list",
        lambda path: path.with_name("manifest.sha256").write_text("nonsense\n"),
        "no line of sha256sum",
    ),
]


@pytest.mark.parametrize(("deed", "says"), [deed[1:] for deed in DEEDS], ids=[deed[0] for deed in DEEDS])
def test_on_demand_what_differs_is_named(
    approved: Path,
    deed: Callable[[Path], object],
    says: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = str(approved.with_name("manifest.sha256"))
    assert main(["manifest", "--check", listed]) == 0
    assert main(["manifest", str(approved)]) == 0
    capsys.readouterr()
    deed(approved)
    assert main(["manifest", "--check", listed]) == 1
    assert says in capsys.readouterr().out


def test_a_configuration_brings_the_files_that_it_names_and_none_may_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, listed = table(tmp_path), tmp_path / "manifest.sha256"
    (tmp_path / "codes.toml").write_text((HOUSE / "config/cards/pattern.toml").read_text())
    path.write_text(path.read_text() + '[cards]\nmap = "codes.toml"\n')
    assert main(["manifest", str(path)]) == 0
    whole = capsys.readouterr().out
    listed.write_text(whole)
    assert Watched(ApprovalWatch(load_configuration(path)).look).look(1) == []
    for name in ("7.toml", "codes.toml"):
        listed.write_text("".join(line for line in whole.splitlines(True) if not line.endswith(f"/{name}\n")))
        watched = Watched(ApprovalWatch(load_configuration(path)).look)
        assert watched.look(1) == ["identity stops"]
        assert f"{name}: not in the manifest" in watched.changes[0].message


def test_it_is_compared_every_24_hours_and_taken_back_when_it_is_mended(approved: Path) -> None:
    assert IDENTITY_EVERY_NS == DAY_NS
    text = approved.read_text()
    watched = Watched(ApprovalWatch(load_configuration(approved)).look)
    looks = 1 + len(program_sources()) // CACHES_AT_ONCE
    assert [watched.look(1 + look * EVERY_NS) for look in range(looks)] == [[]] * looks
    approved.write_text(text + "\n")
    assert watched.look(DAY_NS - EVERY_NS) == []
    assert watched.look(DAY_NS + 1) == ["identity stops"]
    approved.write_text(text)
    assert watched.look(DAY_NS + 1 + EVERY_NS) == []
    assert watched.look(2 * DAY_NS + 2) == ["identity is over"]


def test_a_difference_stops_the_table_between_two_rounds_and_is_told() -> None:
    bench = Bench()
    bench.load()
    bench.open()
    bench.loop.tell(ConditionChanged("identity", True, "this is not the approved software", True))
    bench.step()
    bench.deal("8S", "5C", "KC", "2D")
    assert bench.key("SETTLED") == "OK", "the running round is played to its end"
    assert (bench.key("OPEN") or "").startswith("NO this is not the approved software")
    assert "alert.raised" in bench.names()
    bench.loop.tell(ConditionChanged("identity", False))
    bench.step()
    assert bench.key("OPEN") == "OK"


def test_version_and_digest_stand_in_the_record_and_in_the_status(tmp_path: Path) -> None:
    bench = Bench(digest=software_digest())
    started = [
        json.loads(record.body)
        for record in bench.journal.records()
        if json.loads(record.body)["event"] == "software_started"
    ]
    assert [event["digest"] for event in started] == [software_digest()]
    assert SoftwareStarted(version(), software_digest(), 1).version == version()
    with (
        Broker(tmp_path / "broker") as broker,
        Listener(broker, "status") as listener,
        Sender(broker) as sender,
    ):
        sender.run_until(lambda: bool(listener.heard))
        told = json.loads(listener.on("status")[0])
    assert (told["version"], len(told["digest"])) == ("1.0", 64)
