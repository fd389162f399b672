"""Who the software is: at the start, on demand, every day (R01); what follows where it is another (R02)."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from controller.settings.loader import load_configuration
from controller.shell.approval import IDENTITY_EVERY_NS, ApprovalWatch
from controller.shell.identity import check_manifest, digest_of, manifest, program_files, software_digest
from controller.vocabulary.conditions import Condition
from controller.vocabulary.events import ConditionChanged
from tests.harness.bench import Bench, StoppedClock
from tests.shell.watched import Watched


@pytest.fixture
def approved(tmp_path: Path) -> Path:
    """A manifest of the program and of a file beside it."""
    beside = tmp_path / "table.toml"
    beside.write_text("approved")
    path = tmp_path / "manifest.sha256"
    path.write_text(manifest([beside]))
    return path


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
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", approved], check=True)


def test_what_is_as_approved_has_no_findings(approved: Path) -> None:
    assert check_manifest(approved.read_text()) == []


def test_every_difference_is_named(approved: Path, tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("changed")
    lines = [line for line in approved.read_text().splitlines() if not line.endswith("controller/table.py")]
    found = check_manifest("\n".join([*lines, f"{'0' * 64}  {tmp_path}/gone", "no line of sha256sum"]))
    assert [words.rsplit(": ", 1)[-1] for words in found[:2]] == ["was changed", "No such file or directory"]
    assert "is no line of sha256sum" in found[2]
    assert found[3].endswith("controller/table.py: not in the manifest")


def watched(tmp_path: Path, approved: Path | None, held: Mapping[str, Condition] | None = None) -> Watched:
    """A watch over a table with this manifest; ``held``: since an earlier life."""
    path = tmp_path / "watched.toml"
    path.write_text(
        '[table]\nsite = "n"\nid = "1"\n[game]\nname = "baccarat"\n'
        '[journal]\npath = "j.db"\nmin_free_mb = 1\n'
        '[devices.shoe]\ndriver = "bee-tek"\nport = "/dev/none"\n'
        + (f'[identity]\nmanifest = "{approved}"\n' if approved is not None else "")
    )
    if approved is not None:
        approved.write_text(f"{approved.read_text()}{digest_of(path)}  {path}\n")
    return Watched(ApprovalWatch(load_configuration(path)).look, held=held)


def test_another_software_is_told_at_the_start_and_blocks_the_next_opening(
    tmp_path: Path, approved: Path
) -> None:
    (tmp_path / "table.toml").write_text("changed")
    watch = watched(tmp_path, approved)
    assert watch.look(0) == ["identity stops"]
    [found] = watch.changes
    assert "table.toml: was changed" in found.message
    bench = Bench()
    bench.load()
    bench.loop.tell(found)
    bench.step()
    assert str(bench.key("OPEN")).startswith("NO")
    assert "alert.raised" in bench.names()


def test_a_table_without_a_manifest_lets_go_of_what_an_earlier_life_found(tmp_path: Path) -> None:
    bench = Bench()
    bench.load()
    bench.loop.tell(ConditionChanged("identity", True, "this is not the approved software", True))
    bench.step()
    again = bench.again()
    assert str(again.key("OPEN")).startswith("NO this is not the approved software")
    watch = watched(tmp_path, None, again.state.conditions)
    assert watch.look(0) == ["identity is over"]
    again.loop.tell(watch.changes[0])
    again.step()
    assert again.key("OPEN") == "OK"


def test_it_is_looked_at_again_every_day(tmp_path: Path, approved: Path) -> None:
    watch = watched(tmp_path, approved)
    watch.look(0)
    (tmp_path / "table.toml").write_text("changed")
    assert watch.look(IDENTITY_EVERY_NS - 1) == []
    assert watch.look(IDENTITY_EVERY_NS + 2_000_000_000) == ["identity stops"]


def test_a_manifest_that_is_gone_is_no_approval(tmp_path: Path, approved: Path) -> None:
    watch = watched(tmp_path, approved)
    approved.unlink()
    watch.look(0)
    assert "cannot be read" in watch.changes[0].message


def test_a_manifest_of_nonsense_is_no_approval(tmp_path: Path, approved: Path) -> None:
    watch = watched(tmp_path, approved)
    approved.write_text("0" * 64 + "  a\0b\n")
    watch.look(0)
    assert "cannot be read or compared" in watch.changes[0].message


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
