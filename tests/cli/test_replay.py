"""``replay`` of a file that people wrote: a slip of the pen is named by line and key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from controller.outbox.envelope import signed
from tests.cli.program import HOUSE, answered, dealer_table
from tests.journal.played import play

AT = '"at": "2026-01-31T20:15:00Z"'
LOADED = f"""{{"event": "shuffle_completed", "cards": 416, {AT}}}
{{"event": "shoe_loaded", "decks": 8, "cards": 416, "shuffled": true, {AT}}}"""
CLOSED = f'{{"event": "bets_closed", {AT}}}'


def replay(tmp_path: Path, *lines: str) -> tuple[int, str, str]:
    """Status, messages and complaints of a 2 Card Action table."""
    events = tmp_path / "events.jsonl"
    events.write_text("".join(line + "\n" for line in lines))
    config = str(HOUSE / "config" / "2-card-action.toml")
    done = dealer_table("replay", "--config", config, str(events))
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{", "not a JSON object"),
        ("[]", "expected an object"),
        ('{"event": "bets_close"}', "event: 'bets_close' is none"),
        (f'{{"event": "shoe_loaded", "decks": 8, {AT}}}', "`cards` is missing"),
        (f'{{"event": "shoe_loaded", "cards": "416", {AT}}}', "cards: expected"),
        (f'{{"event": "timer_elapsed", "timer": "lunch", {AT}}}', "timer: 'lunch' is none"),
        (f'{{"event": "card_read", "code": "8S", "code": "9S", {AT}}}', "'code' stands twice"),
        ('{"event": "bets_opened", "at": "yesterday"}', "`at` is 'yesterday'"),
        ('{"event": "bets_opened", "at": "2026-13-01T20:15:00Z"}', "`at` is '2026-13-01T20:15:00Z'"),
        ('{"event": "bets_opened", "at": "2026-02-30T20:15:00Z"}', "`at` is '2026-02-30T20:15:00Z'"),
    ],
)
def test_a_wrong_line_is_named_and_left_out(tmp_path: Path, line: str, named: str) -> None:
    status, told, complaints = replay(tmp_path, LOADED, line, f'{{"event": "bets_opened", {AT}}}')
    assert status == 1
    assert complaints.startswith("dealer-table: line 3: ")
    assert named in complaints
    assert complaints.count("\n") == 1
    assert "round.opened" in told


def test_a_key_that_its_event_does_not_have_is_named(tmp_path: Path) -> None:
    misspelt = f'{{"event": "card_read", "code": "8S", "serail": "1", {AT}}}'
    status, told, complaints = replay(tmp_path, LOADED, f'{{"event": "bets_opened", {AT}}}', CLOSED, misspelt)
    assert status == 0
    assert complaints == "dealer-table: line 5: 'serail' is no key of card_read: not used\n"
    assert "round.card" in told


def test_a_refused_event_is_told_and_the_status_is_1(tmp_path: Path) -> None:
    status, told, complaints = replay(tmp_path, LOADED, CLOSED, f'{{"event": "bets_opened", {AT}}}')
    assert status == 1
    assert complaints == "dealer-table: line 3: refused, bets are not open (bets_not_open)\n"
    assert "round.opened" in told


def test_the_second_of_a_leap_is_a_time(tmp_path: Path) -> None:
    leap = '{"event": "bets_opened", "at": "2026-12-31T23:59:60Z"}'
    status, told, complaints = replay(tmp_path, LOADED, leap)
    assert (status, complaints) == (0, "")
    assert '"game_number":"23:59:59"' in told


def test_a_journal_of_other_rules_gives_the_messages_that_they_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as other_rules:
        other_rules.setattr("controller.round.opening.game_number", lambda at: "12:34:56")
        path = play(tmp_path, "baccarat", digest="a" * 64)
    told = [json.loads(line) for line in answered("replay", str(path)).splitlines()]
    with SqliteReader.open(path) as journal:
        head = journal.record(journal.record_head)
        kept = journal.messages_with(head, 0)
    recorded = [json.loads(signed(one.body, one.seal)) for one in kept if one.seal is not None]
    assert len(recorded) == len(kept)
    assert [line["payload"] for line in told if not line["retain"]] == recorded
    opened = [one["data"]["game_number"] for one in recorded if one["type"] == "dealertable.round.opened.v1"]
    assert opened == ["12:34:56"] * len(opened)
    assert opened


@pytest.mark.parametrize("tenth", ["prose", ""])
def test_a_file_of_another_kind_ends_it_whatever_its_tenth_line_is(tmp_path: Path, tenth: str) -> None:
    lines = ["prose"] * 15
    lines[9] = tenth
    status, _, said = replay(tmp_path, *lines)
    assert status == 2
    assert "is an event: a file of another kind?" in said


def test_a_file_of_events_may_begin_with_the_mark_that_editors_of_windows_write(tmp_path: Path) -> None:
    lines = (LOADED, f'{{"event": "bets_opened", {AT}}}')
    plain = replay(tmp_path, *lines)
    assert plain[0] == 0
    assert replay(tmp_path, "\ufeff" + LOADED, lines[1]) == plain
