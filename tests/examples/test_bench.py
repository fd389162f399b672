"""``demo --bench``: every example of a consumer lives through what its visitor lets happen, and lacks
nothing.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import paho.mqtt.publish as publish
import pytest

from controller.demo.bench_table import own_table
from controller.demo.bench_words import WORDS
from tests.cli.program import HOUSE, answered, refused
from tests.docs.test_pages import blocks
from tests.examples.running import Node
from tests.examples.test_others import BOOKS
from tests.harness.broker import free_port
from tests.harness.examples import CONFIG, EXAMPLES
from tests.harness.house import BASE
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM, Program
from tests.node import EXAMPLES as NODE_EXAMPLES
from tests.node import NODE

PACE = ("--pace-s", "0.02", "--seed", "7")


class BenchProgram(Program):
    """``demo --bench``, and a visitor who says words to it."""

    def __init__(self, folder: Path, *words: object) -> None:
        self.port = free_port()
        self._said = folder / "said"
        os.mkfifo(self._said)
        self._pen = os.open(self._said, os.O_RDWR)
        call = [PROGRAM, "demo", "--bench", "--port", self.port, *PACE, *words]
        super().__init__(call, folder / "bench.log", stdin=self._said)

    def say(self, line: str, answer: str = "done: {line}") -> str:
        """Say a line and wait until it is done; what was told meanwhile."""
        before = len(self.printed)
        os.write(self._pen, f"{line}\n".encode())
        self.wait_printed(answer.format(line=line) + "\n", before)
        return self.printed[before:]

    def key(self) -> str:
        """The table's public key, as it was told last."""
        return re.findall(r"public key:? +([\w-]{43})", self.printed)[-1]

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self.stop(signal.SIGINT)
        os.close(self._pen)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[BenchProgram]:
    """A bench that deals at a word only, and awaits both."""
    consumers = ("--consumer", "paydesk", "--consumer", "cms", "--keep", tmp_path / "kept")
    with BenchProgram(tmp_path, *consumers) as program:
        program.wait_printed("end the bench")
        program.say("pause")
        yield program


def books_of(folder: Path, port: int, *words: str) -> list[str]:
    """The call of the books of the house."""
    where = ["--file", str(folder / "house.db"), "--broker", f"127.0.0.1:{port}"]
    return [sys.executable, str(BOOKS), *where, *words]


def places(folder: Path) -> list[tuple[int, int]]:
    """Epoch and sequence of every message that the books of the house tell of, in order."""
    with closing(sqlite3.connect(folder / "house.db")) as books:
        return books.execute("SELECT epoch, sequence FROM happened ORDER BY 1, 2").fetchall()


def test_both_examples_live_through_hold_void_kill_broker_and_a_new_unit(
    tmp_path: Path, bench: BenchProgram
) -> None:
    with (
        Node(tmp_path / "desk", bench.port) as desk,
        Program(books_of(tmp_path, bench.port), tmp_path / "books.log") as books,
    ):
        for line in ("deal 2", "hold", "continue", "deal 1", "void", "misread", "enter", "deal 1"):
            bench.say(line)
        bench.say("kill")
        for line in ("deal 1", "wait", "broker off", "deal 1", "broker on", "wait"):
            bench.say(line)
        first = bench.key()
        assert "another public key" in bench.say("replace")
        bench.say("deal 1")
        desk.wait_told("other_epoch")
        books.until(lambda: "ALARM" in books.log or "REFUSED" in books.log, "the books refuse it")
        head = len(desk.lines())
        assert desk.stop() == books.stop(signal.SIGINT) == 0
        key = bench.key()
        assert key != first
        # A person has compared the key with the table's, and says so.
        subprocess.run(books_of(tmp_path, bench.port, "--accept", f"7={key}"), check=True)
        books.start()
        with Node(tmp_path / "desk", bench.port, "--accept-epoch", f"--table-key={key}") as desk_of_new:
            bench.say("wait")
            bench.say("deal 2")
            bench.say("wait")
            assert desk_of_new.stop() == books.stop(signal.SIGINT) == 0
        lines = desk_of_new.lines()
    epochs = [line["epoch"] for line in lines]
    old, new = dict.fromkeys(epochs)
    assert [line["sequence"] for line in lines[:head]] == list(range(1, head + 1))
    assert epochs == [old] * head + [new] * (len(lines) - head)
    assert [line["sequence"] for line in lines[head:]] == list(range(1, len(lines) - head + 1))
    kinds = Counter(posting["kind"] for line in lines for posting in line["postings"])
    assert kinds["refund"] >= kinds["reverse"] > 0
    assert kinds["stake"] == kinds["pay"] - kinds["reverse"] + kinds["refund"], "each stake went one way"
    told = [
        (line["epoch"], line["sequence"])
        for line in lines
        if line["type"] in ("dealertable.round.void.v1", "dealertable.round.settled.v1")
    ]
    assert set(told) <= set(places(tmp_path))


def test_a_reference_consumer_goes_over_to_a_new_unit_by_the_word_of_a_person(
    tmp_path: Path, bench: BenchProgram
) -> None:
    file = tmp_path / "kept-by-us.db"
    call = [PROGRAM, "consume", "--name", "paydesk", "--site", "north", "--table", "7"]
    call += ["--port", bench.port, "--file", file]
    other = Program(books_of(tmp_path, bench.port), tmp_path / "books.log")
    with Program(call, tmp_path / "consume.log") as consumer, other:
        for line in ("deal 1", "foreign", "void", "wait", "replace", "deal 1"):
            bench.say(line)
        consumer.until(lambda: "--accept-epoch" in consumer.log, "it says what a person may do")
        consumer.stop()
        other.stop(signal.SIGINT)
        accepted = [*call, "--accept-epoch", f"--key={bench.key()}"]
        subprocess.run(books_of(tmp_path, bench.port, "--accept", f"7={bench.key()}"), check=True)
        other.start()
        with Program(accepted, tmp_path / "accepted.log"):
            bench.say("wait")
    with closing(sqlite3.connect(file)) as kept:
        found = kept.execute("SELECT epoch, sequence FROM messages ORDER BY 1, 2").fetchall()
    for epoch in {epoch for epoch, _ in found}:
        sequences = [sequence for one, sequence in found if one == epoch]
        assert sequences == list(range(1, len(sequences) + 1))
    assert len({epoch for epoch, _ in found}) == 2


def test_what_nobody_heard_of_a_dead_unit_is_taken_from_its_disk(tmp_path: Path, bench: BenchProgram) -> None:
    with Node(tmp_path / "desk", bench.port) as desk:
        bench.say("deal 1")
        desk.wait_told("pinned")
        desk.until(lambda: bool(desk.lines()), "it takes the stream")
        desk.kill()
        for line in ("deal 1", "replace"):
            bench.say(line)
        disk = "/var/lib/dealer-table/7.db"
        call = next(text for language, text in blocks(SETTLEMENT) if language == "sh" and "sed" in text)
        call = call.replace(disk, str(tmp_path / "kept" / "unit-1" / "journal.db"))
        call = call.replace("dealer-table", str(PROGRAM), 1)
        missed = subprocess.check_output(["bash", "-c", call], cwd=tmp_path).splitlines()
        desk.start()
        publish.multiple([(f"{BASE}/events", line, 1, False) for line in missed], port=bench.port)
        desk.until(lambda: len(desk.lines()) == len(missed), "it holds all of the old epoch")
        assert desk.stop() == 0
    paid = {posting["round"] for line in desk.lines() for posting in line["postings"]}
    assert len(paid) == 2


@pytest.mark.parametrize(
    ("file", "shoe"),
    [*((file, ()) for file in EXAMPLES), (CONFIG / "baccarat.toml", ("--shoe", "bee-tek"))],
    ids=lambda one: one.stem if isinstance(one, Path) else " ".join(one),
)
def test_a_house_tries_its_own_file_without_its_devices(
    tmp_path: Path, file: Path, shoe: tuple[str, ...]
) -> None:
    with BenchProgram(tmp_path, "--table", file, *shoe) as program:
        program.wait_printed("end the bench")
        assert f"{file.stem}; its stream: dealer-table/v1/north/" in program.printed
        program.say("deal 1")
        program.say("quit")
        assert program.wait() == 0


OTHER_WORLD = """
[mqtt.tls]
ca_file = "ca.crt"

[devices.beam]
driver = "gpio"
pin = 24
card_within_ms = 500
"""


def test_what_a_file_says_of_another_world_is_left_out_and_told(tmp_path: Path) -> None:
    given = (CONFIG / "baccarat.toml").read_text()
    file = tmp_path / "7.toml"
    file.write_text(given.replace("[mqtt]\n", '[mqtt]\nusername = "north/7"\n') + OTHER_WORLD)
    made = own_table(tmp_path, str(file), 1884)
    assert {"mqtt.username", "mqtt.tls", "devices.beam"} <= set(made.left_out)
    mqtt = made.configuration.mqtt
    assert (mqtt.host, mqtt.port, mqtt.username, mqtt.tls) == ("127.0.0.1", 1884, None, None)
    assert made.configuration.devices.beam is None
    assert made.configuration.journal.path == str(tmp_path / "journal.db")
    assert made.configuration.limits is not None


PAGE = HOUSE / "docs" / "how-to" / "try-a-consumer.md"
SETTLEMENT = HOUSE / "docs" / "integrators" / "settlement-system.md"


def test_the_script_of_the_page_and_every_word_of_its_table_are_understood(tmp_path: Path) -> None:
    script = next(text for language, text in blocks(PAGE) if language == "text")
    (tmp_path / "bets.json").write_text("[]")
    with BenchProgram(tmp_path) as program:
        program.wait_printed("end the bench")
        call = ["--broker", f"mqtt://127.0.0.1:{program.port}", "--table", "north/7", "--bets"]
        call += [str(tmp_path / "bets.json"), "--ledger", str(tmp_path / "ledger.jsonl")]
        consumer = NODE_EXAMPLES / "settlement" / "consumer.mjs"
        with Program([NODE, consumer, *call], tmp_path / "desk.log"):
            for line in script.splitlines():
                program.say(line)
        assert program.wait() == 0
    words = {
        word
        for cell in re.findall(r"^\| (`.*?) \|", PAGE.read_text(), re.M)
        for word in re.findall("`([a-z]+)", cell)
    }
    assert words | {"help", "quit"} == set(WORDS)


def test_a_word_that_there_is_not_and_one_that_cannot_be_now_are_told(tmp_path: Path) -> None:
    with BenchProgram(tmp_path) as program:
        program.wait_printed("end the bench")
        program.say("pause")
        assert "did you mean hold?" in program.say("hald", "not done: {line}")
        for nonsense in ("deal 0", "deal x", "deal 1 2"):
            assert "`deal N` for N rounds, from 1" in program.say(nonsense, "not done: {line}")
        assert "`kill` stands alone: leave 'it' out" in program.say("kill it", "not done: {line}")
        early = program.say("early")
        assert "accept   bets (or decisions) close and the card counts\n" in early
        assert "HOLD, early_card" in program.say("status")
        assert "say accept or burn or return or void" in program.say("hold", "not done: {line}")
        assert "the table holds" in program.say("deal 1", "not done: {line}")
        assert "may accept or burn or return or void" in program.say("continue", "not done: {line}")
        assert "did you mean return?" in program.say("retrun", "not done: {line}")
        assert "`return` stands alone" in program.say("return 8S", "not done: {line}")
        program.say("return")
        program.say("deal 1")
        program.say("broker off")
        assert "`broker on` first" in program.say("replace", "not done: {line}")
        assert re.search(r"epoch \d+: settlement has acknowledged 0 of \d+", program.say("status"))


def test_a_supervisor_names_the_card_that_he_enters_and_takes_a_result_back(tmp_path: Path) -> None:
    with BenchProgram(tmp_path) as program:
        program.wait_printed("end the bench")
        program.say("pause")
        held = program.say("hold")
        assert "HOLD, requested" in held, "between two rounds as well"
        program.say("continue")
        program.say("misread")
        assert re.search(r"at the card and enters (\d+|[AJQK])[♠♥♦♣]\n", program.say("enter"))
        revised = program.say("revise")
        assert re.search(r": ([\w ]+ \d:\d[\w ]*)\n(?:.*\n)*.*: \1, revision 2\n", revised)
        program.say("deal 1")


@pytest.mark.parametrize("game", ["2-card-action", "two-cards-high", "baccarat", "casino-holdem"])
def test_another_card_that_comes_after_a_result_changes_it(tmp_path: Path, game: str) -> None:
    kept = tmp_path / "kept"
    with BenchProgram(tmp_path, "--game", game, "--keep", kept) as program:
        program.wait_printed("end the bench")
        program.say("pause")
        assert "HOLD, reread_mismatch" in program.say("revise other")
        program.say("deal 1")
        assert "`revise` or `revise other`" in program.say("revise it", "not done: {line}")
        program.say("quit")
        assert program.wait() == 0
    results = [
        line["body"]["data"]
        for line in exported(kept / "journal.db")
        if line["kind"] == "message" and line["body"]["type"] == "dealertable.round.result.v1"
    ]
    assert [result["revision"] for result in results] == [1, 2]
    assert results[0]["bets"] != results[1]["bets"]


def exported(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answered("export", str(journal)).splitlines()]


def test_ctrl_d_at_a_terminal_ends_it(tmp_path: Path) -> None:
    ours, its = pty.openpty()
    call = [str(PROGRAM), "demo", "--bench", "--port", str(free_port()), *PACE]
    with (tmp_path / "bench.log").open("w") as log:
        running = subprocess.Popen(call, stdin=its, stdout=log, stderr=subprocess.STDOUT)
        os.write(ours, b"\x04")
        assert running.wait(PATIENCE_S) == 0
    os.close(ours)
    os.close(its)
    assert "done: quit" in (tmp_path / "bench.log").read_text()


def test_a_cable_that_is_pulled_in_the_deal_hangs_no_bench(tmp_path: Path) -> None:
    with BenchProgram(tmp_path) as program:
        program.wait_printed("end the bench")
        program.say("early")
        program.say("accept")
        program.say("unplug")
        program.say("continue")
        assert "`plug` it in first" in program.say("deal 1", "not done: {line}")
        program.say("plug")
        assert "the table holds" in program.say("deal 1", "not done: {line}")
        program.say("continue")
        program.say("deal 1")


def test_a_shoe_that_says_names_says_no_card_of_another_deck(tmp_path: Path) -> None:
    with BenchProgram(tmp_path, "--shoe", "bee-tek") as program:
        program.wait_printed("end the bench")
        assert "start with --shoe scanner or camera" in program.say("foreign", "not done: {line}")


def test_so_many_rounds_end_the_bench_when_each_consumer_has_them(tmp_path: Path) -> None:
    with (
        BenchProgram(tmp_path, "--consumer", "paydesk", "--rounds", "1") as program,
        Node(tmp_path / "desk", program.port) as desk,
    ):
        assert program.wait() == 0
        last = json.loads((tmp_path / "desk" / "ledger.jsonl").read_text().splitlines()[-1])
        assert last["type"] in ("dealertable.round.settled.v1", "dealertable.round.final.v1")
        assert desk.stop() == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--bench", "--seat"), "--bench: leave --seat out"),
        (("--bench", "--unread", "3"), "--bench: leave --unread out"),
        (("--port", "1884"), "--port, --table and --consumer are for --bench"),
        (("--bench", "--table", "config/baccarat.toml", "--game", "baccarat"), "leave --game out"),
        (("--bench", "--table", "nowhere.toml"), "nowhere.toml: the configuration cannot be read"),
    ],
)
def test_what_does_not_go_together_is_refused(words: tuple[str, ...], message: str) -> None:
    assert message in refused("demo", *words)


def test_a_kept_record_is_one_file_with_all_that_is_in_it(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with BenchProgram(tmp_path, "--keep", kept) as program:
        program.wait_printed("end the bench")
        program.say("pause")
        program.say("deal 2")
        program.say("quit")
        assert program.wait() == 0
    assert not (kept / "journal.db-wal").exists()
    shutil.copy(kept / "journal.db", tmp_path / "copy.db")
    assert re.search(r"is whole: .*messages to [1-9]", answered("verify", str(tmp_path / "copy.db")))


def test_bets_close_by_the_clock_of_the_file(tmp_path: Path) -> None:
    config = (HOUSE / "config" / "baccarat.toml").read_text().replace('"cards/', f'"{HOUSE}/config/cards/')
    file = tmp_path / "7.toml"
    file.write_text(
        config.replace('# close = "button"', 'close = "timer"').replace("bets_s = 20", "bets_s = 2")
    )
    kept = tmp_path / "kept"
    with BenchProgram(tmp_path, "--table", file, "--keep", kept) as program:
        program.wait_printed("end the bench")
        program.say("pause")
        program.say("deal 1")
        program.say("quit")
        assert program.wait() == 0
    said = [line["body"] for line in exported(kept / "journal.db") if line["kind"] == "message"]
    closed = [one["data"]["by"] for one in said if one["type"] == "dealertable.round.bets_closed.v1"]
    assert closed == ["timer"]
