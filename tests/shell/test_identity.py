"""Who the software is: at the start, on demand, every day (R01); what follows where it is another (R02)."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping
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
from controller.shell.identity import manifest, program_files, software_digest
from controller.vocabulary.conditions import Condition
from controller.vocabulary.events import ConditionChanged
from tests.cli.program import HOUSE
from tests.harness.bench import Bench, StoppedClock
from tests.harness.broker import Broker
from tests.harness.configuration import configured
from tests.outbox.sender import Listener, Sender
from tests.shell.watched import Watched

DAY_NS = 24 * 3600 * 1_000_000_000
SHOE = 'devices.shoe = { driver = "scanner", port = "/dev/shoe" }\njournal.min_free_mb = 0\n'
NAMED = 'identity.manifest = "manifest.sha256"\n'


@pytest.fixture
def approved(tmp_path: Path) -> Path:
    """A table's file, and beside it the manifest that names it and the program."""
    path = configured(tmp_path, SHOE, NAMED)
    (tmp_path / "manifest.sha256").write_text(manifest([path]))
    return path


def watched(table: Path, held: Mapping[str, Condition] | None = None) -> Watched:
    """A watch over the table of this file; ``held``: since an earlier life."""
    return Watched(ApprovalWatch(load_configuration(table)).look, held=held)


def test_the_digest_is_over_the_names_and_digests_of_all_files() -> None:
    lines = [
        f"{hashlib.sha256(Path(path).read_bytes()).hexdigest()}  {name}\n" for name, path in program_files()
    ]
    assert software_digest() == hashlib.sha256("".join(lines).encode()).hexdigest()
    names = [name for name, _ in program_files()]
    assert names == sorted(names)
    assert {"controller/table.py", "drivers/ports.py", "controller/games/pay_tables/baccarat.toml"} <= set(
        names
    )
    assert not any("__pycache__" in name for name in names)


def test_a_laboratory_needs_none_of_our_code(approved: Path) -> None:
    listed = approved.with_name("manifest.sha256")
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", listed], check=True)


def test_on_demand_every_difference_is_named(approved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = approved.with_name("manifest.sha256")
    assert main(["manifest", "--check", str(listed)]) == 0
    capsys.readouterr()
    approved.write_text(f"{approved.read_text()}#\n")
    lines = [line for line in listed.read_text().splitlines() if not line.endswith("controller/table.py")]
    listed.write_text("\n".join([*lines, f"{'0' * 64}  {approved}.gone", "no line of sha256sum"]))
    assert main(["manifest", "--check", str(listed)]) == 1
    changed, gone, nonsense, unlisted = capsys.readouterr().out.splitlines()
    assert changed == f"{approved}: was changed"
    assert gone == f"{approved}.gone: No such file or directory"
    assert "is no line of sha256sum" in nonsense
    assert unlisted.endswith("controller/table.py: not in the manifest")


def test_a_configuration_brings_the_files_that_it_names_and_none_may_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, listed = configured(tmp_path, SHOE, NAMED, 'cards.map = "codes.toml"'), tmp_path / "manifest.sha256"
    (tmp_path / "codes.toml").write_text((HOUSE / "config/cards/pattern.toml").read_text())
    assert main(["manifest", str(path)]) == 0
    whole = capsys.readouterr().out
    listed.write_text(whole)
    assert watched(path).look(1) == []
    for name in ("table.toml", "codes.toml"):
        listed.write_text("".join(line for line in whole.splitlines(True) if not line.endswith(f"/{name}\n")))
        watch = watched(path)
        assert watch.look(1) == ["identity stops"]
        assert f"{name}: not in the manifest" in watch.changes[0].message


def test_another_software_is_told_at_the_start_and_blocks_the_next_opening(
    bench: Bench, approved: Path
) -> None:
    approved.write_text(f"{approved.read_text()}#\n")
    watch = watched(approved)
    assert watch.look(0) == ["identity stops"]
    [found] = watch.changes
    assert "table.toml: was changed" in found.message
    bench.loop.tell(found)
    bench.step()
    bench.deal("8S", "5C", "KC", "2D")
    assert bench.key("SETTLED") == "OK", "the running round is played to its end"
    assert (bench.key("OPEN") or "").startswith("NO this is not the approved software")
    assert "alert.raised" in bench.names()
    bench.loop.tell(ConditionChanged("identity", False))
    bench.step()
    assert bench.key("OPEN") == "OK"


def test_a_table_without_a_manifest_lets_go_of_what_an_earlier_life_found(
    loaded: Bench, tmp_path: Path
) -> None:
    loaded.loop.tell(ConditionChanged("identity", True, "this is not the approved software", True))
    loaded.step()
    again = loaded.again()
    assert str(again.key("OPEN")).startswith("NO this is not the approved software")
    watch = watched(configured(tmp_path, SHOE), again.state.conditions)
    assert watch.look(0) == ["identity is over"]
    again.loop.tell(watch.changes[0])
    again.step()
    assert again.key("OPEN") == "OK"


def test_it_is_looked_at_again_every_day(approved: Path) -> None:
    assert IDENTITY_EVERY_NS == DAY_NS
    text, watch = approved.read_text(), watched(approved)
    looks = 1 + len(program_sources()) // CACHES_AT_ONCE
    assert [watch.look(1 + look * EVERY_NS) for look in range(looks)] == [[]] * looks
    approved.write_text(text + "\n")
    assert watch.look(DAY_NS - EVERY_NS) == []
    assert watch.look(DAY_NS + 1) == ["identity stops"]
    approved.write_text(text)
    assert watch.look(DAY_NS + 1 + EVERY_NS) == []
    assert watch.look(2 * DAY_NS + 2) == ["identity is over"]


@pytest.mark.parametrize("text", [None, "0" * 64 + "  a\0b\n"], ids=["gone", "nonsense"])
def test_a_manifest_that_cannot_be_read_or_compared_is_no_approval(approved: Path, text: str | None) -> None:
    listed = approved.with_name("manifest.sha256")
    if text is None:
        listed.unlink()
    else:
        listed.write_text(text)
    watch = watched(approved)
    watch.look(0)
    assert "cannot be read or compared" in watch.changes[0].message


def test_version_and_digest_stand_in_the_record_and_in_the_status(broker: Broker) -> None:
    bench = Bench(digest=software_digest())
    told = [json.loads(record.body) for record in bench.journal.records()]
    started = [event["digest"] for event in told if event["event"] == "software_started"]
    assert started == [software_digest()]
    with Listener(broker, "status") as listener, Sender(broker) as sender:
        sender.run_until(lambda: bool(listener.heard))
        status = json.loads(listener.on("status")[0])
    assert (status["version"], len(status["digest"])) == ("1.0", 64)


class Drifting(StoppedClock):
    """A clock that the network sets in the middle of the day."""

    sure = False

    def synchronised(self) -> bool:
        return self.sure


def test_each_record_says_whether_the_clock_was_synchronised() -> None:
    """One clock stamps everything, and says whether it can be believed (R18)."""
    clock = Drifting()
    bench = Bench(clock=clock)
    bench.load()
    clock.sure = True
    bench.play()
    stamps = [record.body for record in bench.journal.records()]
    assert b'"synchronised":false' in stamps[0]
    assert b'"synchronised":true' in stamps[-1]
