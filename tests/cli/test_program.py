"""The program as a shell sees it: help, version, exit statuses, and ends without a traceback."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller import __version__
from controller.cli.command import Command
from controller.cli.commands import COMMANDS, QUESTIONS, schema
from tests.cli.program import HOUSE, answered, dealer_table, refused, started
from tests.harness.patience import PATIENCE_S

SCORED = '{"game": "baccarat", "cards": ["KC", "7C", "7D", "2D"]}'


def test_the_version_is_the_package_s() -> None:
    assert answered("--version") == f"dealer-table {__version__}\n"


def test_help_lists_every_command() -> None:
    told = answered("--help")
    for command in COMMANDS:
        assert f"\n  {command.name} " in told


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_help_of_a_command_shows_an_example_that_parses(command: Command) -> None:
    assert command.example in answered(command.name, "--help")
    name, sub, *words = shlex.split(command.example)
    assert (name, sub) == ("dealer-table", command.name)
    assert "unrecognized arguments: -x" in refused(sub, *words, "-x")


@pytest.mark.parametrize("command", [*QUESTIONS, schema], ids=lambda command: command.name)
def test_the_example_that_needs_nothing_is_answered(command: Command) -> None:
    words = shlex.split(command.example)[1:]
    assert answered(*words)
    assert command is schema or answered(*words, "--json")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no command is given"),
        (("scor",), "did you mean score?"),
        (("whist",), "dealer-table --help lists them"),
        (("--verbose",), "unrecognized arguments: --verbose"),
        (("run",), "required: --config"),
        (("check-config",), "required: FILE"),
        (("check-config", "nowhere.toml"), "nowhere.toml: the configuration cannot be read"),
        (("demo", "--game", "whist"), "--game: there is no 'whist'; it is one of 2-card-action"),
        (("demo", "--game", "bacarat"), "there is no 'bacarat'; did you mean baccarat?"),
        (("demo", "--pac-s=1"), "there is no option --pac-s; did you mean --pace-s?"),
        (("run", "--confg", "7.toml"), "there is no option --confg; did you mean --config?"),
        (("demo", "--rounds", "0"), "no whole number from 1"),
        (("demo", "--pace-s", "nan"), "no time in seconds"),
        (("par", "--game", "baccarat", "--decks", "9"), "no whole number from 1 to 8"),
        (("score", SCORED, "--batch"), "leave the line out"),
        (("score", "--bat"), "there is no option --bat; did you mean --batch?"),
    ],
)
def test_a_wrong_call_names_what_to_mend(words: tuple[str, ...], message: str) -> None:
    assert message in refused(*words)


@pytest.mark.parametrize(
    ("file", "why"), [("absent.map", "No such file or directory"), ("", "Is a directory")]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, file: str, why: str) -> None:
    done = dealer_table("manifest", str(tmp_path / file))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"dealer-table: {tmp_path / file}: {why}\n"


WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
"""In front of a call by root: root without its right to everything."""


@pytest.mark.parametrize(
    ("line", "may"),
    [
        ("verify {closed}/7.db", "sudo dealer-table verify"),
        ("show {closed}/7.db 20:15:07", "sudo dealer-table show"),
        ("export {file}", "sudo dealer-table export"),
        ("rescue {closed}/7.db", "sudo dealer-table rescue"),
        ("setup --to {closed}", "sudo dealer-table setup"),
        ("run --config {table}", "systemctl start dealer-table@"),
    ],
)
def test_who_forgets_sudo_is_told_so_before_the_first_question(tmp_path: Path, line: str, may: str) -> None:
    closed, file, table = tmp_path / "closed", tmp_path / "7.db", tmp_path / "7.toml"
    closed.mkdir()
    file.touch()
    text = (HOUSE / "config/baccarat.toml").read_text()
    table.write_text(text.replace("/var/lib/dealer-table", str(closed)))
    shutil.copytree(HOUSE / "config/cards", tmp_path / "cards")
    for place in (closed, file):
        place.chmod(0)
    words = line.format(closed=closed, file=file, table=table).split()
    done = dealer_table(*words, before=WITHOUT_RIGHTS if os.getuid() == 0 else [])
    closed.chmod(0o700)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Permission denied" in done.stderr
    assert may in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="mounts a disk of its own")
@pytest.mark.parametrize(
    ("disk", "line", "says"),
    [
        ("size=9m,ro", "setup --to {disk}", "Read-only file system; mount that disk so that"),
        ("size=9m", "demo --rounds 1", "9 MB free, 150 are needed: free some space there, or name another"),
    ],
)  # fmt: skip
def test_a_disk_that_takes_nothing_is_named_with_what_to_mend(
    tmp_path: Path, disk: str, line: str, says: str
) -> None:
    mounted = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o {disk} none "$0" && "$@"', str(tmp_path)]
    if subprocess.run([*mounted, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    done = dealer_table(*line.format(disk=tmp_path).split(), before=mounted, TMPDIR=str(tmp_path))
    assert done.returncode != 0
    assert str(tmp_path) in done.stderr
    assert says in done.stderr


def test_a_reader_that_goes_away_is_no_complaint() -> None:
    with started(["score", "--batch"]) as program:
        program.stdout.close()
        program.stdin.write((SCORED + "\n").encode() * 1_000)
        program.stdin.close()
        assert program.wait(PATIENCE_S) == 1
        assert program.stderr.read() == b""


def test_ctrl_c_ends_it_quietly() -> None:
    with started(["score", "--batch"]) as program:
        program.stdin.write((SCORED + "\n").encode())
        program.stdin.flush()
        assert program.stdout.readline()
        program.send_signal(signal.SIGINT)
        assert program.wait(PATIENCE_S) == 130
        assert program.stderr.read() == b""


@pytest.mark.parametrize(
    "imported", ["msgspec", "controller.cli.entry", "rich.console", "controller.demo.table"]
)
def test_ctrl_c_while_the_program_is_still_imported_ends_it_quietly(imported: str) -> None:
    code = (
        "import os, signal, sys\n"
        "class Hurried:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {imported!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Hurried())\n"
        "from controller.__main__ import main\n"
        "sys.exit(main(['demo', '--rounds', '1']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=HOUSE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.parametrize(
    ("redirection", "status", "message"),
    [
        ("< /dev/null > /dev/full", 0, ""),
        ("<<< '{}' > /dev/full", 1, "cannot be written: No space left on device"),
        ("<&-", 2, "standard input is closed"),
        ("< /dev/null >&-", 1, "standard output is closed"),
    ],
)
def test_streams_that_cannot_be_used_are_named(redirection: str, status: int, message: str) -> None:
    done = dealer_table("score", "--batch", before=["bash", "-c", f'"$0" "$@" {redirection}'])
    assert done.returncode == status
    assert message in done.stderr


def test_a_name_in_another_alphabet_breaks_no_terminal() -> None:
    done = dealer_table("check-config", "Tisch-Köln.toml", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 2


def test_a_terminal_without_the_signs_of_suits_gets_their_letters() -> None:
    call = ["demo", "--game", "2-card-action", "--rounds", "1", "--pace-s", "0"]
    done = dealer_table(*call, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert re.search(r"^First card: ([2-9JQKA]|10)[SHDC]$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["--version"], ("controller.games", "controller.settings", "numpy", "paho", "rich")),
        (["score", SCORED], ("paho", "cv2", "numpy", "serial", "sqlite3", "rich", "gpiozero", "asyncio")),
        (["settle", SCORED], ("paho", "cv2", "numpy", "serial", "sqlite3", "rich", "gpiozero", "asyncio")),
        (["check-config", "config/baccarat.toml"], ("paho", "cv2", "numpy", "serial", "sqlite3", "gpiozero")),
        (["check-config", "config/two-cards-high.toml"], ("paho", "cv2", "zxingcpp", "serial", "gpiozero")),
    ],
)
def test_a_command_imports_only_what_it_needs(words: list[str], heavy: tuple[str, ...]) -> None:
    code = (
        "import sys\nfrom controller.__main__ import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=HOUSE, check=True
    )
    assert set(done.stderr.split()) & set(heavy) == set()
