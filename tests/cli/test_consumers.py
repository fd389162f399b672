"""``consumers``: who is how far, and the retirement of one that is gone; on real journals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.shell.restart import fold
from tests.cli.program import Told
from tests.journal.played import play

RETIRE = ("--retire", "archive")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table whose configuration names one consumer, and a journal that knows two."""
    play(tmp_path, "baccarat", rounds=1)
    with SqliteJournal.open(tmp_path / "7.db") as journal:
        journal.add_consumer("archive")
        body = next(journal.records()).body
        journal.commit([body], [b'{"id":"x"}', b'{"id":"y"}'])
    return tmp_path / "table.toml"


def test_lists_who_is_how_far_and_who_is_no_longer_named(table: Path, told: Told) -> None:
    text = told("consumers", "--config", table, "--json").out
    found = {row["consumer"]: row for row in map(json.loads, text.splitlines())}
    assert (found["archive"]["waiting"], found["archive"]["named"]) == (2, False)
    assert (found["settlement"]["waiting"], found["settlement"]["named"]) == (2, True)
    text = told("consumers", "--config", table).out
    assert "no" in next(line for line in text.splitlines() if line.startswith("archive"))


def test_one_that_is_retired_holds_nothing_back_and_who_said_so_is_in_the_record(
    table: Path, told: Told
) -> None:
    text = told("consumers", "--config", table, *RETIRE, "--badge", "B12").out
    assert "archive is retired; 2 messages" in text
    with SqliteReader.open(table.with_name("7.db")) as journal:
        assert set(journal.cursors()) == {"settlement"}
        last = json.loads(journal.record(journal.record_head).body)
        assert (last["event"], last["consumer"], last["by"]) == ("consumer_retired", "archive", "B12")
        assert fold(journal, "other software").table.state is not None, "a restart reads it"
    told("verify", table.with_name("7.db"), "--chains-only", status=1)  # those two messages follow on nothing


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("--retire", "settlement", "--badge", "B12"), 1, "remove it there first"),
        (("--retire", "nobody", "--badge", "B12"), 1, "no consumer of this table"),
        (RETIRE, 2, "--badge"),
        ((*RETIRE, "--badge", "dealer"), 2, "--badge"),
    ],
)
def test_what_cannot_be_retired_is_said_and_nothing_changes(
    table: Path, words: tuple[str, ...], status: int, says: str, told: Told
) -> None:
    assert says in told("consumers", "--config", table, *words, status=status).err
    with SqliteReader.open(table.with_name("7.db")) as journal:
        assert set(journal.cursors()) == {"archive", "settlement"}


def test_a_running_table_is_not_touched(table: Path, told: Told) -> None:
    with SqliteJournal.open(table.with_name("7.db")):
        assert told("consumers", "--config", table), "looking is allowed"
        said = told("consumers", "--config", table, *RETIRE, "--badge", "B12", status=1)
    assert "one table has one controller" in said.err
