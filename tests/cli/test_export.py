"""``export``: one file that proves itself; the steps of the page for auditors, run as they stand there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from controller.__main__ import main
from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.signature import Signer
from controller.shell.identity import software_digest
from tests.cli.program import HOUSE, answered
from tests.harness.keys import SIGNER
from tests.harness.rounds import EPOCH
from tests.journal.played import CONSUMER, GAMES, play

PAGE = (HOUSE / "docs/how-to/check-an-export.md").read_text()


def block(language: str, holding: str) -> str:
    """A block of code of the page."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    [text] = [text for text in found if holding in text]
    lines = text.splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines) + "\n"


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("played"), "two-cards-high", rounds=1)


def exported(path: Path, tmp_path: Path, *words: str) -> list[dict[str, Any]]:
    """What the program writes, in a file, and read."""
    target = tmp_path / "7.jsonl"
    target.write_text(answered("export", str(path), *words))
    return [json.loads(line) for line in target.read_bytes().splitlines()]


def checked(tmp_path: Path, tool: str, key: str = SIGNER.key) -> tuple[int, str]:
    """What the page's own program says of a file; none of ours is in its path."""
    script = tmp_path / "check"
    script.write_text(block(tool, "sha256sum" if tool == "bash" else "hashlib"))
    program = ["bash"] if tool == "bash" else [sys.executable, "-I", "-S"]
    command = [*program, str(script), str(tmp_path / "7.jsonl"), key]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("tool", ["bash", "python"])
def test_a_whole_export_is_found_whole_and_ends_where_the_journal_does(
    journal: Path, tmp_path: Path, tool: str
) -> None:
    lines = exported(journal, tmp_path)
    with SqliteReader.open(journal) as reader:
        record, stream = reader.record(reader.record_head).hash.hex(), reader.stream_hash
        counts = reader.record_head, reader.stream_head
    said = f"whole: {counts[0]} records to {record}\nwhole: {counts[1]} messages to {stream}\n"
    assert checked(tmp_path, tool) == (0, said)
    assert (lines[-1]["records"], lines[-1]["messages"], lines[-1]["rounds"]) == (*counts, 2)


def swapped(lines: list[str]) -> list[str]:
    places = [place for place, line in enumerate(lines) if line.startswith('{"kind":"record"')]
    first, second = places[3], places[4]
    lines[first], lines[second] = lines[second], lines[first]
    return lines


DEEDS: dict[str, Any] = {
    "a byte of a record": lambda lines: [
        line.replace('"at":"2026-01-31T20:00:07', '"at":"2026-01-31T20:00:08') for line in lines
    ],
    "a record's time": lambda lines: [re.sub(r'("number":7,"at_ms":)\d+', r"\g<1>5", line) for line in lines],
    "a byte of a message": lambda lines: [line.replace("shoe.started", "shoe.startet") for line in lines],
    "a record removed": lambda lines: [line for line in lines if '"record","number":7,' not in line],
    "a message removed": lambda lines: [line for line in lines if '"message","sequence":7,' not in line],
    "two records swapped": swapped,
    "the end cut off": lambda lines: lines[:-1],
    "the end cut off and made anew": lambda lines: [*lines[:-4], lines[-1]],
    "a round forged": lambda lines: [
        line.replace('"ended":true', '"ended":false') if '"kind":"round"' in line else line for line in lines
    ],
    "the hash that it begins with": lambda lines: [
        lines[0].replace('"record_before":"0', '"record_before":"1'),
        *lines[1:],
    ],
}


@pytest.mark.parametrize("tool", ["bash", "python"])
def test_a_record_that_somebody_else_signed_or_nobody_is_refused(
    journal: Path, tmp_path: Path, tool: str
) -> None:
    """Made anew as a whole, with the digest of its own lines: only the key shows it."""
    file = tmp_path / "7.jsonl"
    lines = exported(journal, tmp_path)
    assert lines[0]["keys"] == [{"keyid": SIGNER.keyid, "public_key": SIGNER.key, "from_record": 1}]
    status, said = checked(tmp_path, tool, Signer(bytes(32)).key)
    assert (status, "is not signed by this key" in said) == (1, True)
    who = rb',"keyid":"\w+","signature":"[\w-]+"'
    bare = [re.sub(who, b"", line) for line in file.read_bytes().splitlines()]
    end = {**lines[-1], "sha256": sha256(b"".join(line + b"\n" for line in bare[:-1])).hexdigest()}
    file.write_bytes(b"\n".join([*bare[:-1], json.dumps(end, separators=(",", ":")).encode()]) + b"\n")
    status, said = checked(tmp_path, tool)
    assert (status, "signed" in said) == (1, True)


@pytest.mark.parametrize("tool", ["bash", "python"])
@pytest.mark.parametrize("deed", DEEDS)
def test_what_was_done_to_an_export_is_found(journal: Path, tmp_path: Path, deed: str, tool: str) -> None:
    file = tmp_path / "7.jsonl"
    exported(journal, tmp_path)
    before = file.read_text().splitlines()
    after = DEEDS[deed](list(before))
    assert after != before
    file.write_text("\n".join(after) + "\n")
    status, said = checked(tmp_path, tool)
    assert status == 1, said


def test_the_single_steps_of_the_page(journal: Path, tmp_path: Path) -> None:
    lines = exported(journal, tmp_path)
    first = subprocess.run(
        ["bash", "-c", block("sh", "head -n -1")], capture_output=True, text=True, cwd=tmp_path, check=True
    ).stdout.splitlines()
    assert first[0].split()[0] == lines[-1]["sha256"] == json.loads(first[1])["sha256"]
    with SqliteReader.open(journal) as reader:
        held = reader.mark_at(9).hash
    step = block("sh", '"sequence":57').replace('"sequence":57', '"sequence":9')
    third = subprocess.run(["bash", "-c", step], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert third.stdout.split()[0] == held


def test_the_header_names_program_pay_table_and_where_the_chains_begin(journal: Path, tmp_path: Path) -> None:
    header = exported(journal, tmp_path)[0]
    assert (header["kind"], header["epoch"], header["source"]) == ("header", EPOCH, "/dealer-table/north/7")
    assert header["record_before"] == f"{EPOCH:064x}"
    assert header["message_before"] == "0" * 64
    assert header["software"] == [{"version": "1.0", "digest": software_digest(), "from_record": 1}]
    assert set(header["configurations"][0]["digests"]) == {"configuration", "core", "pay_table"}
    assert header["exported_by"]["digest"] == software_digest()


@pytest.mark.parametrize("tool", ["bash", "python"])
def test_a_part_of_the_record_proves_itself_as_well(journal: Path, tmp_path: Path, tool: str) -> None:
    lines = exported(journal, tmp_path, "--since", "2026-01-31T20:00:10Z")
    assert lines[0]["first_record"] == 10
    assert checked(tmp_path, tool)[0] == 0


def test_a_journal_whose_old_messages_were_taken_out_is_exported_with_what_is_left(tmp_path: Path) -> None:
    path = play(tmp_path, "baccarat", rounds=1)
    with SqliteJournal.open(path) as writing:
        writing.set_cursor(CONSUMER, writing.stream_head)
        body = next(writing.records()).body
        writing.commit([body], snapshot=b"s")
        gone = writing.prune(1 << 60)
    lines = exported(path, tmp_path)
    assert (lines[0]["first_message"], lines[-1]["messages"]) == (gone + 1, 0)
    assert checked(tmp_path, "python")[0] == 0


@pytest.mark.parametrize("game", GAMES)
def test_no_card_that_lies_face_down_is_in_it(
    tmp_path: Path, game: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A running round with hidden cards is withheld, with every record of it."""
    whole = play(tmp_path, game, rounds=1)
    path = tmp_path / "running.db"
    with SqliteReader.open(whole) as source:
        names = [json.loads(record.body)["event"] for record in source.records()]
        cut = names.index("card_read") + 1
        running = SqliteJournal.create(path, epoch=EPOCH)
        for record in source.records():
            if record.number > cut:
                break
            running.commit([record.body], source.messages_of(record.number))
        running.close()
        hidden = b'"card":null' in b"".join(source.messages_of(cut))
        card = json.loads(source.record(cut).body)["code"].encode()
    assert main(["export", str(path)]) == 0
    out = capfdbinary.readouterr().out
    header = json.loads(out.splitlines()[0])
    assert (header["withheld_from_record"] is not None) == hidden
    assert (b'"code":"' + card in out) == (not hidden)
