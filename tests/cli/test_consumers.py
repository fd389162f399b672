"""``consumers``: who is how far, and the retirement of one that is gone; on real journals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.__main__ import main
from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.shell.restart import fold
from tests.journal.played import play


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table whose configuration names one consumer, and a journal that knows two."""
    play(tmp_path, "baccarat", rounds=1)
    with SqliteJournal.open(tmp_path / "7.db") as journal:
        journal.add_consumer("archive")
        body = next(journal.records()).body
        journal.commit([body], [b'{"id":"x"}', b'{"id":"y"}'])
    return tmp_path / "table.toml"


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["consumers", *words])
    told = capsys.readouterr()
    return status, told.out + told.err


def test_lists_who_is_how_far_and_who_is_no_longer_named(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text = said(capsys, "--config", str(table), "--json")
    found = {row["consumer"]: row for row in map(json.loads, text.splitlines())}
    assert status == 0
    assert (found["archive"]["waiting"], found["archive"]["named"]) == (2, False)
    assert (found["settlement"]["waiting"], found["settlement"]["named"]) == (2, True)
    status, text = said(capsys, "--config", str(table))
    assert status == 0
    assert "no" in next(line for line in text.splitlines() if line.startswith("archive"))


def test_one_that_is_retired_holds_nothing_back_and_who_said_so_is_in_the_record(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text = said(capsys, "--config", str(table), "--retire", "archive", "--badge", "B12")
    assert (status, "archive is retired; 2 messages" in text) == (0, True)
    with SqliteReader.open(table.with_name("7.db")) as journal:
        assert set(journal.cursors()) == {"settlement"}
        last = json.loads(journal.record(journal.record_head).body)
        assert (last["event"], last["consumer"], last["by"]) == ("consumer_retired", "archive", "B12")
        assert fold(journal, "other software").table.state is not None, "a restart reads it"
    assert main(["verify", str(table.with_name("7.db")), "--chains-only"]) in (0, 1)


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("--retire", "settlement", "--badge", "B12"), 1, "remove it there first"),
        (("--retire", "nobody", "--badge", "B12"), 1, "no consumer of this table"),
        (("--retire", "archive"), 2, "--badge"),
        (("--retire", "archive", "--badge", "dealer"), 2, "--badge"),
    ],
)
def test_what_cannot_be_retired_is_said_and_nothing_changes(
    table: Path, words: tuple[str, ...], status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = said(capsys, "--config", str(table), *words)
    assert found[0] == status
    assert says in found[1]
    with SqliteReader.open(table.with_name("7.db")) as journal:
        assert set(journal.cursors()) == {"archive", "settlement"}


def test_a_running_table_is_not_touched(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SqliteJournal.open(table.with_name("7.db")):
        assert said(capsys, "--config", str(table))[0] == 0, "looking is allowed"
        status, text = said(capsys, "--config", str(table), "--retire", "archive", "--badge", "B12")
    assert status != 0
    assert "one table has one controller" in text
