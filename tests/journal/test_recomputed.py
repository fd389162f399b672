"""Whatever somebody does to a record of real rounds is reported: a byte, a removal, a swap, a cut, a forgery.

``EXAMPLES=2000`` looks further than every run of the tests does.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.__main__ import main
from controller.journal.reader import SqliteReader
from controller.journal.record import before_first, record_hash
from controller.journal.sqlite import SqliteJournal
from controller.shell.identity import software_digest
from controller.shell.recomputing import recompute
from controller.shell.replay import configured_by
from controller.shell.restart import fold
from controller.vocabulary.codec import encode_event
from controller.vocabulary.events import SoftwareStarted, Stamp
from tests.harness.rounds import EPOCH, configuration_of
from tests.journal.disks import change
from tests.journal.played import CONSUMER, GAMES, play

EXAMPLES = int(os.environ.get("EXAMPLES", "40"))
OTHERS = "a" * 64
"""The digest of other software."""
COLUMNS = ("body", "hash", "at_ms", "stream")

Rows = dict[int, tuple[int, int, bytes, bytes]]


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Game -> a whole journal of it."""
    return {game: play(tmp_path_factory.mktemp(game), game) for game in GAMES}


def verdict(capsys: pytest.CaptureFixture[str], path: Path, witness: str | None = None) -> dict[str, Any]:
    """What the program says of a journal."""
    status = main(["verify", str(path), "--json", *(("--witness", witness) if witness else ())])
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert status == (0 if said["whole"] else 1)
    return said


def acknowledged(path: Path) -> str:
    """The last word of the consumer: what it holds, with its hash."""
    with SqliteReader.open(path) as journal:
        mark = journal.mark_at(journal.cursors()[CONSUMER])
    return f"{EPOCH}-{mark.sequence}:{mark.hash}"


def rows(path: Path) -> Rows:
    with SqliteReader.open(path) as reader:
        return {
            record.number: (record.at_ms, record.stream, record.body, record.hash)
            for record in reader.unchecked_records(0)
        }


@pytest.mark.parametrize("game", GAMES)
def test_the_messages_of_every_game_are_made_again_to_the_byte(
    journals: dict[str, Path], game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = verdict(capsys, journals[game], acknowledged(journals[game]))
    assert said["whole"], said["findings"]
    assert said["recomputed"] == said["records"]
    assert said["stream_head"] > 10


@given(data=st.data())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_done_to_a_record_is_reported(
    journals: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], data: st.DataObject
) -> None:
    source = journals[data.draw(st.sampled_from(sorted(GAMES)))]
    path = tmp_path / "changed.db"
    shutil.copyfile(source, path)
    held, whole = acknowledged(source), rows(source)
    last = len(whole)
    deed = data.draw(st.sampled_from(["byte", "byte", "remove", "swap", "cut"]))
    number = data.draw(st.integers(1, last))
    if deed == "byte":
        column = data.draw(st.sampled_from(COLUMNS))
        old = dict(zip(("at_ms", "stream", "body", "hash"), whole[number], strict=True))[column]
        raw = old if isinstance(old, bytes) else struct.pack(">Q", old)
        place = data.draw(st.integers(0, len(raw) - 1))
        mask = data.draw(st.integers(1, 255 if isinstance(old, bytes) or place else 127))
        new = raw[:place] + bytes([raw[place] ^ mask]) + raw[place + 1 :]
        value = new if isinstance(old, bytes) else struct.unpack(">Q", new)[0]
        change(path, (f"UPDATE records SET {column} = ? WHERE number = ?", (value, number)))
        found = verdict(capsys, path, held)
        assert not found["whole"]
        first = found["first_bad_record"]
        assert first == number or (column == "stream" and first < number)
    elif deed == "remove":
        change(path, ("DELETE FROM records WHERE number = ?", (number,)))
        assert verdict(capsys, path, held)["first_bad_record"] == number
    elif deed == "swap":
        other = data.draw(st.integers(1, last).filter(lambda other: other != number))
        update = "UPDATE records SET at_ms = ?, stream = ?, body = ?, hash = ? WHERE number = ?"
        change(path, (update, (*whole[other], number)), (update, (*whole[number], other)))
        assert verdict(capsys, path, held)["first_bad_record"] <= min(number, other)
    else:
        stream = whole[number - 1][1] if number > 1 else 0
        change(
            path,
            ("DELETE FROM records WHERE number >= ?", (number,)),
            ("DELETE FROM messages WHERE sequence > ?", (stream,)),
            ("DELETE FROM snapshots WHERE record >= ?", (number,)),
            ("UPDATE cursors SET sequence = min(sequence, ?)", (stream,)),
        )
        assert not verdict(capsys, path, held)["whole"]
        assert verdict(capsys, path)["whole"], "only the witness can tell"


def rechained(path: Path, number: int, body: bytes) -> None:
    """A forger with all our knowledge puts another event there and makes every private hash anew."""
    whole = rows(path)
    before, statements = before_first(EPOCH).hash, []
    for place, (at_ms, stream, old, _) in sorted(whole.items()):
        new = body if place == number else old
        before = record_hash(before, place, at_ms, stream, new)
        statements.append(("UPDATE records SET body = ?, hash = ? WHERE number = ?", (new, before, place)))
    change(path, *statements)


@pytest.mark.parametrize("game", GAMES)
def test_a_forged_card_with_every_hash_made_anew_is_found_by_folding(
    journals: dict[str, Path], tmp_path: Path, game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "forged.db"
    shutil.copyfile(journals[game], path)
    drawn = {number: json.loads(row[2]) for number, row in rows(path).items()}
    number, event = next((n, event) for n, event in drawn.items() if event["event"] == "card_read")
    event["code"] = "2H" if event["code"] != "2H" else "3H"
    rechained(path, number, json.dumps(event, separators=(",", ":"), sort_keys=True).encode())
    assert main(["verify", str(path), "--chains-only"]) == 0, "the chains are whole"
    capsys.readouterr()
    found = verdict(capsys, path)
    assert found["first_bad_record"] == number
    assert {finding["code"] for finding in found["findings"]} == {"recomputed"}


def test_what_other_software_said_is_not_judged_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = play(tmp_path, "baccarat", digest=OTHERS)
    assert main(["verify", str(path)]) == 0
    assert "were written by other software" in capsys.readouterr().out
    assert recompute(path, OTHERS).findings == []
    assert recompute(path, "b" * 64).compared == 0


def test_a_start_is_of_the_software_that_starts_its_configuration_too(tmp_path: Path) -> None:
    path = play(tmp_path, "baccarat")
    played = recompute(path, software_digest())
    with SqliteJournal.open(path) as journal:
        assert (played.compared, played.other) == (journal.record_head, 0)
        again = fold(journal, software_digest())
        for event in (
            configured_by(configuration_of(tmp_path, "baccarat")),
            SoftwareStarted("0.2.0", OTHERS, again.boot + 1, {}, again.left),
        ):
            stamp = Stamp(at="2026-02-01T20:15:00Z", boot=again.boot + 1)
            again.table, _, said, _ = again.announcer.handle(again.table, event, stamp)
            journal.commit([encode_event(event, stamp)], said)
    updated = recompute(path, software_digest())
    assert (updated.findings, updated.compared, updated.other) == ([], played.compared, 2)
    theirs = recompute(path, OTHERS)
    assert (theirs.findings, theirs.compared, theirs.other) == ([], 2, played.compared)


def test_behind_what_it_cannot_read_nothing_is_called_other_software(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = play(tmp_path, "baccarat", digest=OTHERS)
    rechained(path, 7, b'{"event":"what_is_that"}')
    again = recompute(path, software_digest())
    assert (again.findings, again.other, again.unread) == ([], 6, 7)
    assert main(["verify", str(path)]) == 0
    assert (
        "6 records, which were written by other software; nothing from record 7 on was recomputed"
        in capsys.readouterr().out
    )


def test_an_event_that_our_own_software_cannot_read_is_a_finding(tmp_path: Path) -> None:
    path = play(tmp_path, "baccarat")
    rechained(path, 7, b'{"event":"what_is_that"}')
    again = recompute(path, software_digest())
    assert [finding.record for finding in again.findings] == [7]


def test_messages_that_were_taken_out_are_recomputed_by_their_last_hash(tmp_path: Path) -> None:
    path = play(tmp_path, "baccarat", rounds=1)
    with SqliteJournal.open(path) as journal:
        journal.set_cursor(CONSUMER, journal.stream_head)
        body = next(journal.records()).body
        journal.commit([body], snapshot=b"s")
        assert journal.prune(1 << 60) > 10
    assert recompute(path, software_digest()).findings == []
    wrong = hashlib.sha256(b"another").hexdigest()
    change(path, ("UPDATE meta SET value = ? WHERE name = 'pruned_hash'", (wrong,)))
    assert [finding.code for finding in recompute(path, software_digest()).findings] == ["recomputed"]
