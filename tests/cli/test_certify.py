"""``certify``: one signed report, checked by a program that knows nothing of ours."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.cli import certify
from controller.journal.files import beside
from controller.journal.sqlite import SqliteJournal
from controller.settings.loader import load_configuration
from controller.shell.certifying import (
    Certificate,
    Check,
    judge,
    record,
    rules,
    sealed,
    software,
    surroundings,
)
from controller.shell.identity import manifest
from controller.shell.signing_key import make_key
from controller.shell.wiring.bench import Bench
from controller.vocabulary.cards import DECK_40
from controller.vocabulary.errors import InputError
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.gpio.simulator import SimulatedBoard
from making.targets import HOUSE
from tests.cli.person import PINS, Table, parsed
from tests.journal.disks import change, filled
from tests.journal.played import play

CHECKER = HOUSE / "docs/examples/laboratory/check_certificate.py"


@dataclass(frozen=True)
class Certified:
    """A unit that is well, and what was said of it."""

    table: Table
    status: int
    report: dict[str, Any]
    file: Path


@contextmanager
def undisturbed() -> Iterator[None]:
    """Not what surrounds the tests themselves: variables, what is preloaded, and the modules of their tools,
    hundreds, that would be compiled to compare them.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in (*surroundings.OF_PYTHON, *surroundings.OF_THE_LINKER):
            patch.delenv(name, raising=False)
        patch.setattr(surroundings, "PRELOADED", Path("/nowhere"))
        patch.setattr(software, "_loaded_sources", lambda: [json.__file__])
        yield


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    """Made once: whoever hashes every library and counts every spot is busy for seconds."""
    folder = tmp_path_factory.mktemp("unit")
    table = Table(folder, PINS)
    make_key(beside(folder / "7.db", ".key"))
    SqliteJournal.create(folder / "7.db", epoch=1).close()
    approved = folder / "approved"
    approved.write_text(manifest([table.file]))
    words = ["--config", table.file, "--report", folder, "--rounds", "20", "--manifest", approved]
    with SimulatedBeeTek(folder / "shoe"), undisturbed():
        status = certify.run(parsed("certify", *map(str, words)), SimulatedBoard().factory)
    (file,) = folder.glob("certificate-7-*.jsonl")
    return Certified(table, status, json.loads(file.read_bytes().splitlines()[0]), file)


def checked(*words: object) -> tuple[int, str]:
    """What the laboratory's program says, in an interpreter that finds no library."""
    call = [sys.executable, "-I", "-S", str(CHECKER), *map(str, words)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def verdicts(report: dict[str, Any], part: str) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in report["checks"] if check["part"] == part}


def test_a_unit_that_is_well_is_certified(unit: Certified) -> None:
    report = unit.report
    unwell = [check for check in report["checks"] if check["verdict"] != "passed"]
    assert (unit.status, report["verdict"], unwell) == (0, "passed", [])
    assert verdicts(report, "outputs").keys() == {"red", "green", "lock", "unlock", "safe state"}
    assert verdicts(report, "devices").keys() == {"shoe", "panel", "beam"}
    assert report["alike"]["program"] == report["identity"]["software_digest"]
    assert report["alike"]["return seat1.main"]
    assert any(name.startswith("library msgspec") for name in report["alike"])
    status, said = checked(unit.file, "--compare", unit.file)
    assert (status, "passed, signed by" in said) == (0, True), said


def test_what_was_not_looked_at_is_missing_and_no_pass(tmp_path: Path) -> None:
    """No approved digests, and no journal."""
    checks = [software._approved(None, ()), *record.look(tmp_path / "7.db")]
    assert {check.verdict for check in checks} == {"missing"}
    assert judge(checks) == "failed"


def test_an_output_that_does_not_follow_is_found(unit: Certified) -> None:
    """Its driver says that it switched; the pin says what it is at."""
    board = SimulatedBoard()
    board.factory().pin(16)._change_state = lambda value: False
    checks = certify.outputs(load_configuration(unit.table.file), board.factory)
    said = {check.name: check.verdict for check in checks}
    assert (said["red"], said["green"], said["lock"]) == ("failed", "passed", "passed")


def test_pins_that_cannot_be_had_are_no_pass(unit: Certified) -> None:
    board = SimulatedBoard()
    board.broken = True
    checks = certify.outputs(load_configuration(unit.table.file), board.factory)
    assert {check.verdict for check in checks} == {"failed"}
    assert "red unread" in checks[0].seen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("at", [1, 3, 4])
def test_whatever_ends_it_leaves_the_outputs_in_the_safe_state(
    unit: Certified, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, at: int
) -> None:
    """At red, with the shoe locked, with it unlocked."""
    board, seen, handler = SimulatedBoard(), list[str](), signal.getsignal(number)
    of_pins = certify.read_back

    def interrupted(bench: Bench, name: str, wanted: dict[str, bool]) -> Check:
        seen.append(name)
        if len(seen) == at:
            assert signal.getsignal(number) != handler, "it would end us, too"
            os.kill(os.getpid(), number)
        return of_pins(bench, name, wanted)

    monkeypatch.setattr(certify, "read_back", interrupted)
    with pytest.raises(KeyboardInterrupt, match=number.name):
        certify.outputs(load_configuration(unit.table.file), board.factory)
    pins = {
        name: bool(board.factory().pin(pin).state) for name, pin in (("red", 16), ("green", 21), ("lock", 8))
    }
    assert (len(seen), pins) == (at, {"red": True, "green": False, "lock": True})
    assert signal.getsignal(number) == handler


def test_a_signal_that_was_ignored_stays_ignored(unit: Certified, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGHUP under nohup: whoever logs out does not end it."""
    of_pins = certify.read_back

    def hung_up(bench: Bench, name: str, wanted: dict[str, bool]) -> Check:
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, "it would end us, too"
        os.kill(os.getpid(), signal.SIGHUP)
        return of_pins(bench, name, wanted)

    monkeypatch.setattr(certify, "read_back", hung_up)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        checks = certify.outputs(load_configuration(unit.table.file), SimulatedBoard().factory)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert {check.verdict for check in checks} == {"passed"}


@pytest.mark.parametrize(
    "change", ["a file that is run at the start", "a folder", "a module", "a part: common", "another version"]
)
def test_code_that_python_could_load_is_in_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    place = tmp_path / "lib" / "elsewhere"
    site = tmp_path / "lib" / "site-packages"
    for folder in (place / "tool", site / "library"):
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("x = 1")
    monkeypatch.setattr(software, "_pythons_own", list)
    monkeypatch.setattr(sys, "path", [str(place), str(site), str(tmp_path / "absent.zip")])
    before = software.library_digests()
    assert before.keys() == {software.STANDARD, "library", "tool"}
    if change == "another version":
        (place / "tool" / "__init__.py").write_text("x = 2")
    elif change == "a part: common":
        (site / "library" / "common").mkdir()
        (site / "library" / "common" / "x.py").write_text("")
    elif change == "a folder":
        (place / "controller").mkdir()
        (place / "controller" / "__init__.py").write_text("")
    else:
        (site / ("foreign.pth" if "start" in change else "sitecustomize.py")).write_text("import os")
    new = dict(software.library_digests().items() - before.items())
    added = {"a folder": "controller", "a module": "sitecustomize.py", "another version": "tool"}
    added["a part: common"] = "library"
    assert list(new) == [added.get(change, "foreign.pth")]


def test_python_s_own_library_has_one_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site-packages").mkdir()
    monkeypatch.setattr(software, "_pythons_own", lambda: [tmp_path])
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    digests = [software.library_digests()]
    for name in ("json.py", "site-packages/__pycache__", "usercustomize.py"):
        (tmp_path / name).write_text("")
        digests.append(software.library_digests())
    assert [set(one) for one in digests] == [{software.STANDARD}] * 4
    assert len({one[software.STANDARD] for one in digests}) == 3


@pytest.mark.parametrize(
    ("name", "isolated", "verdict"),
    [
        ("LD_PRELOAD", True, "failed"),
        ("LD_PRELOAD", False, "failed"),
        ("PYTHONPATH", False, "failed"),
        ("PYTHONPATH", True, "passed"),
        ("PYTHONUNBUFFERED", False, "passed"),
    ],
)
def test_a_variable_that_changes_what_runs_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, isolated: bool, verdict: str
) -> None:
    with undisturbed():
        monkeypatch.setenv(name, "/tmp/foreign")
        monkeypatch.setattr(surroundings, "_isolated", lambda: isolated)
        (environment, _), _ = surroundings.look("7", [])
    assert environment.verdict == verdict
    assert ("/tmp/foreign" in environment.seen) == (verdict == "failed")


def test_what_the_linker_loads_before_everything_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with undisturbed():
        monkeypatch.setattr(surroundings, "PRELOADED", tmp_path / "ld.so.preload")
        (tmp_path / "ld.so.preload").write_text("")
        assert surroundings.look("7", [])[0][0].verdict == "passed"
        (tmp_path / "ld.so.preload").write_text("/lib/foreign.so\n")
        assert "loads /lib/foreign.so" in surroundings.look("7", [])[0][0].seen


def test_libraries_that_lie_elsewhere_are_in_the_report(tmp_path: Path) -> None:
    line = "7f00-7f01 r--p 00000000 08:01 123   {}\n"
    loaded = ("/lib/libc.so.6", "/venv/x.so", "/lib/libc.so.6", "[heap]", "/tmp/odd.so (deleted)")
    maps = "".join(map(line.format, loaded))
    assert surroundings.mapped([Path("/venv")], maps) == [Path("/lib/libc.so.6"), Path("/tmp/odd.so")]
    assert any("libc.so" in str(path) for path in surroundings.mapped([]))
    assert "cannot be read" in surroundings.digested(tmp_path / "odd.so")


def test_what_is_added_to_the_service_is_in_the_report(tmp_path: Path) -> None:
    """Of this table or of all; a table of another name elsewhere says the same."""
    said = {surroundings.service("7", [tmp_path])}
    for name in (
        "dealer-table@.service",
        "dealer-table@.service.d/17.conf",
        "dealer-.service.d/a.conf",
        "service.d/a.conf",
        "dealer-table@7.service.d/27.conf",
    ):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("[Service]\nEnvironment=LD_PRELOAD=/tmp/foreign.so\n")
        said.add(surroundings.service("7", [tmp_path]))
    assert len(said) == 6
    (tmp_path / "dealer-table@7.service.d").rename(tmp_path / "dealer-table@12.service.d")
    assert surroundings.service("12", [tmp_path]) in said
    assert surroundings.service("7", [tmp_path]) in said


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of two rounds."""
    return play(tmp_path_factory.mktemp("played"), "two-cards-high")


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        ("UPDATE records SET body = x'00' WHERE number = 5", "record 5"),
        ("UPDATE messages SET body = x'ff' WHERE sequence = 2", "message 2"),
        ("UPDATE cursors SET sequence = 9999", "acknowledged 9999"),
        (
            "CREATE TABLE other (a, b); DROP TABLE cursors; ALTER TABLE other RENAME TO cursors",
            "no such column",
        ),
        (None, "damaged|malformed|cannot read|does not"),
    ],
)
def test_a_damaged_record_is_in_the_report(
    tmp_path: Path, played: Path, damage: str | None, finding: str
) -> None:
    path = Path(shutil.copy(played, tmp_path))
    assert [check.verdict for check in record.look(path)] == ["passed", "passed"]
    if damage is not None:
        change(path, *damage.split("; "))
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    whole, power_cuts = record.look(path)
    assert (whole.verdict, power_cuts.verdict) == ("failed", "missing")
    assert re.search(finding, whole.seen), whole.seen


def test_where_a_consumer_stands_may_be_damaged_too(tmp_path: Path, played: Path) -> None:
    """A bit of the row's header makes its number nothing; no constraint stops a disk."""
    path = Path(shutil.copy(played, tmp_path))
    change(
        path,
        "ALTER TABLE cursors RENAME TO good",
        "CREATE TABLE cursors (consumer TEXT, sequence INTEGER)",
        "INSERT INTO cursors VALUES ('settlement', NULL)",
        "DROP TABLE good",
    )
    assert "where a consumer stands is damaged" in record.look(path)[0].seen


def test_a_whole_journal_of_something_else_is_no_record_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "7.db", 3)
    monkeypatch.setattr(record, "link", None)
    assert [check.verdict for check in record.look(tmp_path / "7.db")] == ["passed", "failed"]


def test_a_changed_report_and_another_key_are_refused(unit: Certified, tmp_path: Path) -> None:
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(unit.file.read_bytes().replace(b"passed", b"failed", 1))
    assert checked(changed) == (
        1,
        f"{changed}: the signature is not of this report: it was changed or made up\n",
    )
    status, said = checked(unit.file, "--key", "A" * 43)
    assert (status, "not the approved key" in said) == (1, True)


def test_two_units_that_differ_say_in_what(unit: Certified, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    report = msgspec.convert(unit.report, Certificate)
    alike = report.alike | {"program": "0" * 64}
    other.write_bytes(sealed(msgspec.structs.replace(report, alike=alike), make_key(tmp_path / "other.key")))
    status, said = checked(unit.file, "--compare", other)
    program = unit.report["alike"]["program"]
    assert status == 1
    assert f"differs: alike, program: {program} here, {'0' * 64} there" in said


def test_without_a_key_nothing_is_said(tmp_path: Path) -> None:
    table = Table(tmp_path)
    with pytest.raises(InputError, match="has no key yet"):
        certify.run(parsed("certify", "--config", str(table.file)))


def test_the_cards_that_are_scored_are_told_so_that_anybody_can_draw_them() -> None:
    """The remainder of SHA-256("1-1") by 40 is the place of the first card, and so on."""
    left, said = list(DECK_40), []
    for index in (1, 2, 3):
        said.append(left.pop(int(hashlib.sha256(f"1-{index}".encode()).hexdigest(), 16) % len(left)))
    assert rules.drawn(DECK_40, 3, 1) == said
