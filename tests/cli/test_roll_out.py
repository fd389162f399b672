"""``config/floor/roll-out``: files reach their units, one table after the other, or stay as they were.

A unit is a folder; the real program judges its files and its journals are real; its service manager is a few
lines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.vocabulary.values import IN_ROUND
from tests.cli.program import HOUSE, Told
from tests.harness.patience import PATIENCE_S

ROLL_OUT = HOUSE / "config" / "floor" / "roll-out"
PROGRAM = Path(sys.executable).with_name("dealer-table")
LOCAL = """#!/bin/sh
# Stands for ssh: a unit is a folder, and what runs there finds its /etc/dealer-table in it.
unit=FOLDER/$1; shift
[ -d "$unit" ] || { echo "no route to $unit" >&2; exit 255; }
cd "$unit"
here() { sed "s|/etc/dealer-table|$unit/etc|g"; }
if [ "$*" = "sh -s" ]; then here | sh -s; else sh -c "$(echo "$*" | here)"; fi
"""
SYSTEMCTL = """#!/bin/sh
# A table runs where the file `running` of its unit says what it shows; with port 1 it does not come up.
case $1 in
show) echo "StatusText=$(cat running)"; [ ! -f next ] || mv next running ;;
start) echo start >>calls; ! grep -q "port = 1$" etc/*.toml && echo idle >running ;;
stop) echo stop >>calls; rm -f running ;;
is-active) [ -f running ] ;;
esac
"""
INVENTORY = """
site = "north"
unit = "unit-{table}"
[defaults.mqtt]
port = 1883
consumers = ["settlement", "archive"]
[defaults.journal]
path = "FOLDER/unit-{table}/{table}.db"
[defaults.devices]
shoe = { driver = "angel-eye", port = "/dev/shoe" }
panel = { driver = "keypad", port = "/dev/keypad" }
[defaults.round]
bets_s = 20
[defaults.game]
name = "baccarat"
"""
LONGER = ("bets_s = 20", "bets_s = 25")
RETIRE = ("--retire", "archive", "--badge", "B12")


class Floor:
    """An inventory of tables 7, 8 and 9, and their units, which have its files and whose tables run."""

    def __init__(self, folder: Path, told: Told) -> None:
        self.folder, self.told = folder, told
        programs = folder / "programs"
        programs.mkdir()
        for name, text in (("local", LOCAL.replace("FOLDER", str(folder))), ("systemctl", SYSTEMCTL)):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        (programs / "dealer-table").symlink_to(PROGRAM)
        self.plan()
        for table in "789":
            etc = self.unit(table) / "etc"
            etc.mkdir(parents=True)
            (etc / f"{table}.toml").write_text((folder / f"tables/{table}/{table}.toml").read_text())
            self.shows(table, "idle, 0 messages unacknowledged")

    def plan(self, *changes: tuple[str, str]) -> None:
        """Write the inventory, with other words in it, and the files of the tables."""
        text = INVENTORY.replace("FOLDER", str(self.folder))
        text += "".join(f'[[tables]]\nid = "{table}"\n' for table in "789")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (self.folder / "floor.toml").write_text(text)
        self.told("inventory", self.folder / "floor.toml", "--out", self.folder / "tables")

    def unit(self, table: str) -> Path:
        return self.folder / f"unit-{table}"

    def shows(self, table: str, text: str) -> None:
        (self.unit(table) / "running").write_text(f"{text}\n")

    def file(self, table: str) -> str:
        """The configuration on the unit."""
        return (self.unit(table) / f"etc/{table}.toml").read_text()

    def calls(self, table: str) -> list[str]:
        """What was done with the service of a table."""
        calls = self.unit(table) / "calls"
        return calls.read_text().split() if calls.exists() else []

    def roll_out(self, *words: str, status: int = 0) -> str:
        """All that the script says; nothing that it sent is left beside the files in use."""
        done = subprocess.run(
            [ROLL_OUT, "tables", "--ssh", f"{self.folder}/programs/local", "--settle-s", "0", *words],
            cwd=self.folder,
            env=os.environ | {"PATH": f"{self.folder}/programs:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        assert list(self.folder.glob("unit-*/etc/.next-*")) == []
        return done.stdout + done.stderr


@pytest.fixture
def floor(tmp_path: Path, told: Told) -> Floor:
    return Floor(tmp_path, told)


def test_a_change_reaches_every_unit_and_its_table_is_started_anew(floor: Floor) -> None:
    floor.plan(LONGER)
    assert floor.roll_out().splitlines() == [f"table {table}: changed" for table in "789"]
    assert ["bets_s = 25" in floor.file(table) for table in "789"] == [True] * 3
    assert [floor.calls(table) for table in "789"] == [["stop", "start"]] * 3


def test_a_table_that_has_it_all_plays_on(floor: Floor) -> None:
    floor.plan(LONGER)
    assert floor.roll_out("--table", "8").splitlines() == ["table 8: changed"]
    assert floor.roll_out().splitlines()[1] == "table 8: nothing to do"
    assert [floor.calls(table) for table in "789"] == [["stop", "start"]] * 3


@pytest.mark.parametrize("phase", sorted(IN_ROUND))
def test_a_table_is_stopped_between_two_rounds_only(floor: Floor, phase: str) -> None:
    floor.plan(LONGER)
    floor.shows("7", f"{phase}, 0 messages unacknowledged")
    said = floor.roll_out("--wait-s", "0", status=1)
    assert "table 7: its round did not end; nothing is changed" in said
    assert "bets_s = 20" in floor.file("7")
    assert floor.calls("7") == []


def test_the_end_of_the_round_is_waited_for(floor: Floor) -> None:
    floor.plan(LONGER)
    floor.shows("7", "dealing, 0 messages unacknowledged")
    (floor.unit("7") / "next").write_text("idle\n")
    assert "table 7: changed" in floor.roll_out()
    assert "bets_s = 25" in floor.file("7")


def test_a_table_that_does_not_come_up_gets_back_what_it_had_and_no_other_is_touched(floor: Floor) -> None:
    floor.plan(("port = 1883", "port = 1"))
    said = floor.roll_out(status=1)
    assert "table 7: it did not come up, and has the files of before again" in said
    assert "stopped at table 7 (unit-7)" in said
    assert "port = 1883" in floor.file("7")
    assert floor.calls("7") == ["stop", "start", "stop", "start"]
    assert (floor.unit("7") / "running").exists()
    assert floor.calls("8") == []


def test_a_file_that_the_unit_refuses_changes_nothing(floor: Floor) -> None:
    """Another version of the program may know other keys than the one that made the file."""
    file = floor.folder / "tables/7/7.toml"
    file.write_text(file.read_text().replace("bets_s", "bets_seconds"))
    said = floor.roll_out(status=1)
    assert "round.bets_seconds: there is no such key" in said
    assert "table 7: its unit refuses the file; nothing is changed" in said
    assert "bets_s = 20" in floor.file("7")
    assert floor.calls("7") == []


def test_a_unit_that_is_not_there_stops_it_and_run_again_it_goes_on(floor: Floor) -> None:
    floor.plan(LONGER)
    floor.unit("8").rename(floor.folder / "away")
    assert "table 8: unit-8 does not take its files; stopped there" in floor.roll_out(status=1)
    (floor.folder / "away").rename(floor.unit("8"))
    assert floor.roll_out().splitlines() == [
        "table 7: nothing to do",
        "table 8: changed",
        "table 9: changed",
    ]


def test_a_table_that_did_not_run_is_changed_and_not_started(floor: Floor) -> None:
    floor.plan(LONGER)
    (floor.unit("7") / "running").unlink()
    assert "table 7: changed; it did not run before either" in floor.roll_out()
    assert floor.calls("7") == []


def test_a_consumer_that_is_gone_is_retired_at_every_table_while_it_is_stopped(floor: Floor) -> None:
    for table in "789":
        with SqliteJournal.create(floor.unit(table) / f"{table}.db", epoch=1) as journal:
            journal.add_consumer("archive")
            journal.add_consumer("settlement")
    assert "remove it there first" in floor.roll_out(*RETIRE, status=1)
    floor.plan((', "archive"', ""))
    assert floor.roll_out(*RETIRE).count("archive is retired") == 3
    for table in "789":
        with SqliteReader.open(floor.unit(table) / f"{table}.db") as journal:
            assert set(journal.cursors()) == {"settlement"}
            last = json.loads(journal.record(journal.record_head).body)
            assert (last["consumer"], last["by"]) == ("archive", "B12")
    assert floor.roll_out(*RETIRE).count("nothing to do") == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--retire", "archive"), "--badge says who retires archive"),
        (("--retire", "a;b", "--badge", "B12"), "a;b: this is no name"),
        (("--tabel", "7"), "roll-out FOLDER"),
        (("--table",), "roll-out FOLDER"),
    ],
)
def test_a_wrong_call_touches_nothing(floor: Floor, words: tuple[str, ...], says: str) -> None:
    floor.plan(LONGER)
    assert says in floor.roll_out(*words, status=2)
    assert [floor.calls(table) for table in "789"] == [[], [], []]
