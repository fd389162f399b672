"""Beside an old system whose shoe is listened to: what it says is followed, and nothing is sent to it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.settings.loader import load_configuration
from drivers.angel_eye.decode import DESTINATIONS, card_bytes
from drivers.angel_eye.wire import report_frame
from drivers.simulated_device import PseudoTerminal
from tests.harness.configuration import configured
from tests.harness.process import PROGRAM, Program, until
from tests.shadow.beside import report_of
from tests.shadow.old_system import lines, written

TEE = """
[shadow]
export = "{folder}/old.jsonl"
report_s = 1
pause_s = 4
[devices.shoe]
driver = "%s"
port = "{folder}/shoe"
"""


def bee_tek(cards: list[str], number: int) -> list[bytes]:
    """The shoe's lines of a round."""
    return [f" [Game]<Card:{card}> \r\n".encode() for card in cards]


def angel_eye(cards: list[str], number: int) -> list[bytes]:
    """The shoe's reports of a round of four cards."""
    places = {word: place for place, word in DESTINATIONS.items()}
    hands = ("player", "banker")
    data = [
        b"D" + card_bytes(card, places[hands[index % 2]], 1 + index // 2) for index, card in enumerate(cards)
    ]
    return [report_frame(0x31 + number * 4 + place, one) for place, one in enumerate(data)]


@pytest.mark.parametrize(("driver", "frames"), [("bee-tek", bee_tek), ("angel-eye", angel_eye)])
def test_a_shoe_is_followed_and_hears_nothing(tmp_path: Path, driver: str, frames: object) -> None:
    """Four rounds: the second one's winner is wrong in the list, of the third the list has another card, the
    fourth is not in it; a corrupt frame is not answered, either."""
    assert callable(frames)
    rounds = [line for line in lines("baccarat", 60, seed=4) if len(line["cards"]) == 4][:4]
    config = configured(tmp_path, TEE % driver)
    journal = Path(load_configuration(config).journal.path)
    shoe = PseudoTerminal(tmp_path / "shoe")
    program = Program([PROGRAM, "shadow", "--config", config], tmp_path / "shadow.log")
    with program:
        for number, line in enumerate(rounds):
            until(lambda number=number: opened(journal) == number + 1, lambda: program.log)
            for frame in frames(line["cards"], number):
                shoe.write(frame)
        until(lambda: opened(journal) == 5)
        shoe.write(b"\x02broken\x03\x00")
        told = [dict(line, at=None) for line in rounds[:3]]
        told[1]["outcome"] = {"winner": "nobody"}
        told[2]["cards"] = [*told[2]["cards"][:3], "2S" if told[2]["cards"][3] != "2S" else "3S"]
        told[2]["outcome"] = told[2]["bets"] = {}
        written(tmp_path / "old.jsonl", [json.dumps(line) for line in told])
        until(lambda: len(report_of(journal).differences) >= 2 and report_of(journal).lines == 3)
        until(lambda: "winner" in (tmp_path / "report.txt").read_text())
        assert shoe.read() == b""
        assert program.stop() == 0
    report = report_of(journal)
    assert [(one.kind, one.their_round) for one in report.differences[:2]] == [
        ("outcome", str(told[1]["round"])),
        ("cards", str(told[2]["round"])),
    ]
    assert report.differences[0].raw
    assert report.agreed == 1


def opened(journal: Path) -> int:
    """Rounds in the record so far."""
    if not journal.exists():
        return 0
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as database:
        try:
            rows = database.execute(
                "SELECT count(*) FROM messages WHERE CAST(body AS TEXT) LIKE '%round.opened.v1%'"
            )
            return int(rows.fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def test_killed_at_any_moment_it_loses_no_line_and_takes_none_twice(tmp_path: Path) -> None:
    written(tmp_path / "old.jsonl", list(lines("baccarat", 400, seed=9)))
    config = configured(tmp_path, '[shadow]\nexport = "{folder}/old.jsonl"\nshoes = "named"\nreport_s = 1')
    journal = tmp_path / "journal.db"
    program = Program([PROGRAM, "shadow", "--config", config], tmp_path / "shadow.log")
    with program:
        for least in (20, 120, 250):
            until(lambda least=least: opened(journal) >= least)
            program.restart()
        until(lambda: opened(journal) >= 400)
        until(lambda: report_of(journal).lines == 400)
    report = report_of(journal)
    assert (report.lines, report.rounds, report.agreed, report.kinds) == (400, 400, 400, {})


def test_run_and_shadow_take_each_their_own_file(tmp_path: Path) -> None:
    config = configured(tmp_path, '[shadow]\nexport = "{folder}/old.jsonl"')
    for command, file in (("run", config), ("shadow", tmp_path / "plain.toml")):
        (tmp_path / "plain.toml").write_text(
            config.read_text().split("[shadow]")[0]
            + '[devices.shoe]\ndriver = "bee-tek"\nport = "/dev/null"\n'
        )
        program = Program([PROGRAM, command, "--config", file], tmp_path / f"{command}.log")
        with program:
            assert program.wait() == 2
        assert "shadow" in (tmp_path / f"{command}.log").read_text()
