"""What every command answers to every kind of mistake, in one file that people read: ``mistakes.txt``.

A line ``$ dealer-table ...`` is a call as a shell has it; ``<<<`` gives what is typed. Behind it stand what
it says on standard output, what it says on standard error (``!``), and its exit status where that is not 0.
``python -m tests.cli.mistakes`` writes the answers anew.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from controller.__main__ import main
from controller.games.registry import all_games
from tests.harness.configuration import configuration
from tests.journal.played import play

HOUSE = Path(__file__).resolve().parents[2]
TOLD = Path(__file__).with_name("mistakes.txt")
MOST, LONGEST = 12, 200
"""Of lines, and of signs in one: what is right about an answer is tested elsewhere."""
USAGE = re.compile(r"^(usage: dealer-table(?: [a-z-]+\b)?).*(?:\n +.*)*", re.MULTILINE)
"""Every option of a command stands on the page of the commands; here they would stand in each answer."""
DEVICES = """
[devices.shoe]
driver = "angel-eye"
port = "{folder}/shoe"
[devices.panel]
driver = "keypad"
port = "{folder}/keypad"
[badges]
supervisors = ["B12"]
[mqtt]
consumers = ["settlement"]
"""
ABOVE_100 = '[spots.tie]\nrows = [{ when = { winner = "tie" }, pays = "80:1" }]\n'
WAGERING = """
[database]
url = "sqlite:///{folder}/books.db"
[http]
operator_token_file = "{folder}/operator.token"
[[tables]]
site = "north"
id = "7"
"""
FLOOR = """
site = "north"
[defaults.journal]
path = "/var/lib/{tabel}.db"
[defaults.devices.shoe]
driver = "angel-eye"
port = "/dev/shoe"
[groups.baccarat]
game.name = "baccarat"
round.bets_s = -1
[[tables]]
id = "7"
groups = ["baccarat"]
[[tables]]
id = "8"
groups = ["baccarat"]
unit = "table-7"
without = ["devices.shuffler"]
[[tables]]
id = "9"
set.game.name = "whist"
"""
RECORDER = 'sites = ["north"]\n[database]\nurl = "whist"\n'
NO_DATABASE = RECORDER.replace("whist", "postgresql://recorder@127.0.0.1:1/floor")


def world(folder: Path) -> None:
    """A table's files, and files that are wrong."""
    journal = play(folder, "baccarat", rounds=2)
    text = configuration(folder, DEVICES, {"journal": {"path": str(journal)}})
    files = {
        "7.toml": text,
        "other.toml": text.replace("7.db", "none.db"),
        "broken.toml": "[table\nsite = north\n",
        "latin.toml": "",
        "unknown.toml": text.replace("[mqtt]", "[mqtt]\nhots = 5\nack_timeout_s = 'soon'"),
        "empty.toml": "",
        "above.toml": ABOVE_100,
        "no.db": "this is no journal, but it is long enough to be taken for one at the first sight\n" * 9,
        "wagering.toml": WAGERING.replace("{folder}", str(folder)),
        "recorder.toml": RECORDER,
        "no-database.toml": NO_DATABASE,
        "floor.toml": FLOOR,
        "groups.toml": FLOOR.replace('"8"', '"7"').replace('["baccarat"]', '["bacarat"]'),
        "events.jsonl": '{"event": "bets_opened", "at": "2026-01-31T20:15:00Z"}\n',
        "manifest": f"{'0' * 64}  {folder}/7.toml\n",
    }
    for name, content in files.items():
        (folder / name).write_text(content)
    (folder / "latin.toml").write_bytes(b'[table]\nsite = "K\xf6ln"\n')
    shutil.copy(journal, folder / "damaged.db")
    damaged = (folder / "damaged.db").read_bytes()
    (folder / "damaged.db").write_bytes(damaged.replace(b'"card_read"', b'"card_reed"', 1))
    (folder / "folder").mkdir()


def played(text: str) -> str:
    """The same calls, with what they answer now."""
    with tempfile.TemporaryDirectory() as made, chdir(made):
        folder = Path(made).resolve()
        world(folder)
        return "\n".join(line for line in _played(text, folder))


def _played(text: str, folder: Path) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith(("# ", "$")) or not line:
            yield line
        if line.startswith("$"):
            yield from answers(line.removeprefix("$"), folder)


def answers(call: str, folder: Path) -> Iterator[str]:
    """What a call says, and its exit status."""
    said, given = shlex.split(call), b""
    if "<<<" in said:
        place = said.index("<<<")
        said, given = said[:place], said[place + 1].encode()
    out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
    typed = io.TextIOWrapper(io.BufferedReader(io.BytesIO(given)))
    surroundings = patch.object(sys, "stdin", typed), patch.dict(os.environ, COLUMNS="100")
    with redirect_stdout(out), redirect_stderr(err), surroundings[0], surroundings[1]:
        try:
            status: object = main(said[1:])
        except SystemExit as left:
            status = left.code
    out.flush()
    told = out.buffer.getvalue().decode()
    lines = [_lasting(line, folder) for line in told.splitlines() if line]
    if said[1:2] == ["doctor"]:
        lines = _faults(lines)
    most = 3 if said[1:2] == ["manifest"] else MOST  # which files the program has, changes
    yield from (line if len(line) < LONGEST else f"{line[:LONGEST]} ..." for line in lines[:most])
    if len(lines) > most:
        yield "..."
    complaint = USAGE.sub(r"\1 ...", err.getvalue())
    yield from (f"! {_lasting(line, folder)}" for line in complaint.splitlines())
    if status != 0:
        yield f"status {status}"


def _faults(lines: list[str]) -> list[str]:
    """Faults and what to do about them: how well this machine is otherwise, is no answer to a mistake."""
    fault, kept = False, []
    for line in lines:
        fault = fault if line.startswith(" ") else line.startswith("fault")
        kept += [line] if fault else []
    return kept


def _lasting(line: str, folder: Path) -> str:
    line = line.replace(str(folder), "/table").replace(str(HOUSE), "/program")
    return re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", line).rstrip()


if __name__ == "__main__":
    all_games()
    old = TOLD.read_text()
    new = played(old) + "\n"
    TOLD.write_text(new)
    print("as it was" if new == old else "written anew: read what changed")
