"""``docs/how-to/a-floor-in-one-hour.md``, walked: what goes on in a terminal of its own goes on here, too."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import psycopg

from tests.docs.test_pages import HOUSE, blocks
from tests.harness.broker import Broker
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM, Program

PAGE = HOUSE / "docs/how-to/a-floor-in-one-hour.md"
TABLES = ("7", "8")


def test_a_floor_in_one_hour(tmp_path: Path, broker: Broker, url: str) -> None:
    shown = blocks(PAGE)
    [table, recorder] = [text for language, text in shown if language == "toml"]
    for text in (table, recorder):
        assert "18830" in text
    (tmp_path / "7.toml").write_text(table.replace("18830", str(broker.port)))
    written = recorder.replace("18830", str(broker.port))
    recorder_s = url.replace("://books@", "://recorder@")
    written = written.replace("postgresql://recorder@127.0.0.1:5432/floor", recorder_s)
    assert recorder_s in written
    (tmp_path / "recorder.toml").write_text(written)
    commands = [line[2:] for language, text in shown if language == "console" for line in text.split("\n")
                if line.startswith("$ ")]  # fmt: skip

    def typed(start: str) -> str:
        [command] = [command for command in commands if command.startswith(start)]
        return command

    def answer(command: str, status: int = 0) -> str:
        path = {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=os.environ | path, capture_output=True, text=True,
            check=False, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def words(command: str) -> list[str | Path]:
        program, *rest = command.split()
        assert program == "dealer-table"
        return [PROGRAM, *(str(tmp_path / word) if word.endswith(".toml") else word for word in rest)]

    made = typed("sudo -u postgres psql -c ")
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(made.split('"')[1].encode())
        database.execute(f"ALTER DATABASE {url.rpartition('/')[2]} OWNER TO recorder".encode())
    answer(typed("(umask"))
    # the port of this test's broker has its own digits, so the second table is made from the page's own text
    (tmp_path / "page.toml").write_text(table)
    answer(typed("sed ").replace("7.toml", "page.toml"))
    second = (tmp_path / "8.toml").read_text()
    assert second == table.replace("7", "8")
    (tmp_path / "8.toml").write_text(second.replace("18830", str(broker.port)))
    answer(typed("dealer-table check-config"))
    [run_7, run_8] = [command for command in commands if command.startswith("dealer-table run")]
    recording, status = (command for command in commands if command.startswith("dealer-table record"))
    with (
        Program(words(run_7), tmp_path / "run-7.log"),
        Program(words(run_8), tmp_path / "run-8.log"),
        Program(words(recording), tmp_path / "record.log") as record,
    ):
        with psycopg.connect(url, autocommit=True) as database:
            query = typed("sudo -u postgres psql floor -c ").split("'")[1]

            def holds() -> list[tuple[object, ...]]:
                try:
                    return [row[:3] for row in database.execute(query.encode()).fetchall()]
                except psycopg.errors.UndefinedTable:
                    return []  # it has not made its views yet

            record.until(lambda: len(holds()) == len(TABLES), "both tables hold for their devices")
            assert sorted(holds()) == [("north", name, "device_lost") for name in TABLES]
        said = answer(status)
        assert [line.split()[:1] + line.split()[2:3] for line in said.splitlines()[:2]] == [
            [f"north/{name}", "complete"] for name in TABLES
        ]
        assert "recorder" in answer("dealer-table consumers --config 7.toml")
    answer("dealer-table verify 7.db")
