"""``certify``: one signed report, checked by a program that knows nothing of ours."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.cli import certify
from controller.journal.files import beside
from controller.journal.sqlite import SqliteJournal
from controller.settings.loader import load_configuration
from controller.shell.certifying import Certificate, judge, record, rules, sealed, software
from controller.shell.identity import manifest
from controller.shell.signing_key import make_key
from controller.vocabulary.cards import DECK_40
from controller.vocabulary.errors import InputError
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.gpio.simulator import SimulatedBoard
from making.targets import HOUSE
from tests.cli.person import PINS, Table, parsed

CHECKER = HOUSE / "docs/examples/laboratory/check_certificate.py"


@dataclass(frozen=True)
class Certified:
    """A unit that is well, and what was said of it."""

    table: Table
    status: int
    report: dict[str, Any]
    file: Path


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
    with SimulatedBeeTek(folder / "shoe"):
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
    checks = [*software.look(None, ())[0][:1], *record.look(tmp_path / "7.db")]
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
