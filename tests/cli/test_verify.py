"""``verify``: a whole journal, a changed one, one whose tail was cut off, and a file that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.envelope import envelope, first_head, message_hash
from controller.outbox.signature import Signer
from tests.cli.program import Told
from tests.harness.keys import SIGNER
from tests.journal.disks import change
from tests.journal.played import play

Journal = tuple[Path, list[str]]


@pytest.fixture
def journal(tmp_path: Path) -> tuple[Path, list[str]]:
    """Five records with two messages each; the hashes of the messages."""
    path, head, hashes = tmp_path / "7.db", first_head(1), []
    written = SqliteJournal.create(path, epoch=1)
    for number in range(1, 6):
        bodies = []
        for _ in range(2):
            time = "2026-01-31T20:15:00Z"
            body = envelope(
                head,
                source="/s",
                mode="live",
                name="round.opened",
                subject=None,
                time=time,
                data={"n": number},
            )
            head = head.after(body)
            bodies.append(body)
            hashes.append(message_hash(body))
        written.commit([b'{"n": %d}' % number], bodies)
    written.close()
    return path, hashes


def test_a_whole_journal_is_status_0(journal: Journal, told: Told) -> None:
    path, hashes = journal
    said = told("verify", path, "--witness", f"1-7:{hashes[6]}").out
    assert said.splitlines() == [
        f"{path} is whole: epoch 1, 5 records, messages to 10",
        f"last message {hashes[-1]}",
        "nobody signed its messages: they were recorded by software that had no key",
        "nothing from record 1 on was recomputed: this software cannot read it",
    ]


def test_who_signed_is_said_and_what_the_table_did_not_sign_is_found(tmp_path: Path, told: Told) -> None:
    path = play(tmp_path, "baccarat", rounds=1)
    assert f"signed by key {SIGNER.key}" in told("verify", path).out.splitlines()
    thief = Signer(bytes(32))
    with SqliteReader.open(path) as reader:
        seal = thief.seal(bytes.fromhex(reader.mark_at(5).hash))
    change(path, ("UPDATE messages SET seal = ? WHERE sequence = 5", (seal,)))
    change(path, "UPDATE messages SET seal = NULL WHERE sequence = 6")
    said = json.loads(told("verify", path, "--json", status=1).out)
    found = [(finding["code"], finding["sequence"]) for finding in said["findings"]]
    assert found == [("signature", 5), ("signature", 6)]
    assert (said["keys"], said["unsigned"]) == ([SIGNER.key], 1)


@pytest.mark.parametrize(
    ("statement", "record", "code"),
    [
        ("UPDATE records SET body = CAST('{}' AS BLOB) WHERE number = 3", 3, "record"),
        ("UPDATE messages SET body = CAST('{}' AS BLOB) WHERE sequence = 8", 4, "message"),
    ],
)
def test_what_was_changed_is_named_by_its_record(
    journal: Journal, told: Told, statement: str, record: int, code: str
) -> None:
    path, _ = journal
    change(path, statement)
    assert f"the first bad record is {record}" in told("verify", path, status=1).out
    answer = json.loads(told("verify", path, "--json", status=1).out)
    assert not answer["whole"]
    assert answer["first_bad_record"] == record
    assert code in {finding["code"] for finding in answer["findings"]}


def test_a_message_that_was_forged_with_its_hash_breaks_the_public_chain(
    journal: Journal, told: Told
) -> None:
    path, _ = journal
    forged = envelope(
        first_head(1), source="/s", mode="live", name="round.opened", subject=None, time="", data={}
    )
    update = "UPDATE messages SET body = ?, hash = ? WHERE sequence = 1"
    change(path, (update, (forged, message_hash(forged))))
    assert "message 2 does not follow on message 1" in told("verify", path, status=1).out


def test_a_tail_that_was_cut_off_is_seen_by_a_witness(journal: Journal, told: Told) -> None:
    path, hashes = journal
    change(path, "DELETE FROM records WHERE number = 5", "DELETE FROM messages WHERE sequence > 8")
    told("verify", path)
    answer = told("verify", path, "--witness", f"1-10:{hashes[9]}", status=1).out
    assert "a witness holds 1-10" in answer
    assert " is missing\n" in answer


def test_what_is_no_journal_is_named(tmp_path: Path, told: Told) -> None:
    path = tmp_path / "7.db"
    assert "there is no journal" in told("verify", path, status=2).err
    assert "is a folder" in told("verify", tmp_path, status=2).err
    path.write_text("no journal at all\n" * 100)
    said = told("verify", path, status=1).out
    assert "cannot be checked" in said
    assert "records" not in said, "nothing was counted"
    assert "epoch" not in json.loads(told("verify", path, "--json", status=1).out)


@pytest.mark.parametrize("text", ["", "1-2", "1-2:abc", "0-1:" + "a" * 64, "1-1:" + "g" * 64])
def test_a_witness_says_epoch_sequence_and_hash(journal: Journal, told: Told, text: str) -> None:
    assert "EPOCH-SEQUENCE:HASH" in told("verify", journal[0], "--witness", text, status=2).err
