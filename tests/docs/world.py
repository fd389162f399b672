"""A machine on which the documents can be typed: their files, their broker, their table, in a folder.

What is ours runs for real. What would change the machine (services, packages, udev) answers and does nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from controller.journal.sqlite import SqliteJournal
from making.deb import PLACES
from tests.cli.program import HOUSE
from tests.docs.test_pages import blocks
from tests.games.test_fifth_game import FILES as ADDED
from tests.harness.bench import SECOND_NS, Bench, StoppedClock
from tests.harness.broker import Broker, free_port
from tests.harness.patience import PATIENCE_S
from tests.harness.plain_cards import write_pictures
from tests.node import NODE

PROGRAM = Path(sys.executable).with_name("dealer-table")
ROOTED = ("etc", "var", "mnt", "usr/share", "run", "dev/dealer-table")
"""Folders of the machine that are folders of the world."""
ANSWERS_ONLY = (
    "apt", "apt-get", "chown", "chromium", "journalctl", "make", "nano", "npm", "pipx", "rabbitmq-plugins",
    "rabbitmqctl", "reboot", "ssh", "scp", "systemctl",
)  # fmt: skip
WATCHES_S = 3
"""Programs that go on until Ctrl-C get it after so long."""

SHIM = r"""#!/bin/sh
# The program as a page calls it: what would go on for ever is ended, a demo does not wait for eyes, what asks
# a person or needs a dead unit has been parsed by another test, a finding is an answer where the page is
# about findings, the journal that is set aside is a whole one, and an added game is in a copy of the program.
real() {
    case "$*" in
        *high-card*) (cd "ROOT/added" && "PYTHON" -m controller "$@") ;;
        *) "PROGRAM" "$@" ;;
    esac
}
if [ "$1" = run ] && [ -f "$3" ]; then
    sed '/^socket/d' "$3" >"$3.run"  # the window belongs to the table at work
    set -- run --config "$3.run"
elif [ "$1" = run ]; then
    exec "PROGRAM" "$@"  # it refuses, however long that takes
fi
[ "$1" != board ] || set -- "$@" --port BOARD
[ "$1 $2" != "deck look" ] || set -- deck look pictures/ --port 0  # no camera is here
case "$1 $*" in
    record\ *--status*) real "$@" || [ $? -eq 1 ] ;;  # no database is here
    run\ *|board\ *|consume\ *|top\ *|wagering\ *|record\ *|deck\ deck\ look\ *)
        # The second Ctrl-C is for a program that was still being loaded when the first one came.
        timeout -s INT 40 timeout -s INT WATCHES "PROGRAM" "$@"
        status=$?
        case $status in 0|124|130) exit 0 ;; *) exit $status ;; esac ;;
    demo\ *) real "$@" --pace-s 0 ;;
    setup\ *--csr*)
        real "$@" --to "ROOT/etc/dealer-table" --keys "ROOT/etc/credstore"
        cp ROOT/etc/dealer-table/*.csr . ;;  # it travels to the authority
    certify\ *|commission\ *|replace\ *|setup\ *|shadow\ *) exit 0 ;;
    rescue\ *) real "$@" --whole-too ;;
    doctor\ *|*--witness*) real "$@" || [ $? -eq 1 ] ;;
    *) real "$@" ;;
esac
"""
UDEVADM = """#!/bin/sh
echo ID_PATH_TAG=platform-usb-0_1
echo ID_SERIAL=FTDI_FT232R
"""
NODE_SHIM = """#!/bin/sh
# A consumer would go on for ever, and the tests of the examples run it: here its words are only read.
case "$*" in *--report*) ;; *) set -- --check "$1" ;; esac
exec "NODE" "$@"
"""
PYTHON_SHIM = """#!/bin/sh
case "$*" in
    -c*|*--report*) exec "PYTHON" "$@" ;;
    *) exec "PYTHON" -m py_compile "$1" ;;
esac
"""
EVENT = '{"event": "shoe_loaded", "at": "2026-01-31T20:15:00Z", "cards": 416}\n'
FOLDERS = (
    "desk/docs", "desk/controller/games/pay_tables", "etc/dealer-table", "var/lib/dealer-table", "mnt/backup",
    "etc/udev/rules.d", "etc/credstore", "etc/mosquitto/conf.d", "etc/mosquitto/certs", "etc/rabbitmq",
    "run/dealer-table/7",
)  # fmt: skip
SUDO = '#!/bin/sh\nexec "$@"\n'
RUNUSER = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
PASSWORDS = '#!/bin/sh\nexec mosquitto_passwd_for_real -b "$@" secret\n'


class Evening(StoppedClock):
    """The clock of the examples."""

    def now(self) -> str:
        seconds = self.ns // SECOND_NS - 1_000
        return f"2026-01-31T20:{15 + seconds // 60:02}:{7 + seconds % 60:02}.000Z"


@dataclass
class World:
    """``root`` stands for ``/``; commands are typed in ``desk``."""

    root: Path
    port: int

    @property
    def desk(self) -> Path:
        return self.root / "desk"

    def here(self, text: str) -> str:
        """A text of a page with the paths and the broker of this world."""
        for folder in ROOTED:
            text = re.sub(rf"(?<![\w./-])/{folder}(?=/)", f"{self.root}/{folder}", text)
        text = text.replace(" -g rabbitmq", "")  # that group comes with its package
        text = text.replace("127.0.0.1:1883", f"127.0.0.1:{self.port}")
        return text.replace("--mqtt-host broker.example", f"--mqtt-port {self.port}")

    def type(self, text: str) -> subprocess.CompletedProcess[str]:
        """What a page shows, typed into a shell that stops at the first failure."""
        path = f"{self.root}/shims:{os.environ['PATH']}:/usr/sbin"
        surroundings = os.environ | {"PATH": path, "HOME": str(self.root)}
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.here(text)],
            cwd=self.desk,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )


@contextmanager
def machine(root: Path) -> Iterator[World]:
    """A broker and a table at work; :func:`write_files` makes the rest, for each page anew."""
    broker = Broker(root / "broker")
    broker.start()
    made = World(root, broker.port)
    (root / "shims").mkdir()
    write_shims(root / "shims")
    write_journal(root / "yesterday.db")
    with (root / "yesterday.jsonl").open("wb") as file:
        subprocess.run([PROGRAM, "export", root / "yesterday.db"], stdout=file, check=True)
    write_files(made)
    for room in ("controller", "drivers"):
        shutil.copytree(HOUSE / room, root / "added" / room, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in ADDED:
        (root / "added" / path).write_text(text)
    daemon = subprocess.Popen([PROGRAM, "run", "--config", root / "live.toml"], stderr=subprocess.PIPE)
    assert daemon.stderr is not None
    try:
        while b"table ready" not in daemon.stderr.readline():
            assert daemon.poll() is None
        yield made
    finally:
        daemon.kill()
        daemon.wait()
        daemon.stderr.close()
        broker.stop()


def write_shims(folder: Path) -> None:
    """Programs in front of those of the machine."""
    shims = dict.fromkeys(ANSWERS_ONLY, "#!/bin/sh\nexit 0\n")
    words = {
        "PROGRAM": PROGRAM,
        "PYTHON": sys.executable,
        "WATCHES": WATCHES_S,
        "ROOT": folder.parent,
        "BOARD": free_port(),
    }
    shims["dealer-table"] = reduce(lambda text, word: text.replace(word, str(words[word])), words, SHIM)
    shims |= {"sudo": SUDO, "runuser": RUNUSER, "mosquitto_passwd": PASSWORDS, "udevadm": UDEVADM}
    shims["node"] = NODE_SHIM.replace("NODE", NODE)
    shims["python3"] = PYTHON_SHIM.replace("PYTHON", sys.executable)
    shims["python"] = f'#!/bin/sh\nexec "{sys.executable}" -P "$@"\n'
    for name, text in shims.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    found = shutil.which("mosquitto_passwd", path=f"{os.environ['PATH']}:/usr/sbin")
    assert found is not None
    (folder / "mosquitto_passwd_for_real").symlink_to(found)


def write_files(made: World) -> None:
    """What stands on a table's machine after the installation, and on the desk of who reads."""
    root, desk = made.root, made.desk
    for folder in ("desk", "etc", "mnt", "usr", "var"):
        shutil.rmtree(root / folder, ignore_errors=True)
    for folder in (*ROOTED, *FOLDERS):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for file in root.glob("yesterday.db*"):
        shutil.copy(file, root / "var/lib/dealer-table" / file.name.replace("yesterday", "7"))
    shutil.copytree(HOUSE / "config", root / "usr/share/dealer-table/examples")
    for name, place in PLACES.items():
        if place.startswith("usr/share/"):
            shutil.copy(HOUSE / "systemd" / name, root / place)
    text = (HOUSE / "config/baccarat.toml").read_text()
    text = text.replace("[observe]\n", f'[observe]\nsocket = "{root}/run/dealer-table/7/top"\n')
    text = text.replace("[mqtt]\n", f"[mqtt]\nport = {made.port}\n")
    (root / "etc/dealer-table/7.toml").write_text(made.here(text))
    (desk / "7.toml").write_text(made.here(text))
    live = text.replace("[observe]\n", f'[observe]\nboard_socket = "{root}/run/dealer-table/7/board"\n')
    live = made.here(live).replace(f"{root}/var/lib/dealer-table/7.db", f"{root}/live.db")
    # Another name: two units that are one table do not run.
    (root / "live.toml").write_text(live.replace('id = "7"', 'id = "8"'))
    (desk / "docs/examples").symlink_to(HOUSE / "docs/examples")
    pay_table = "controller/games/pay_tables/high-card.toml"
    (desk / pay_table).write_text(dict(ADDED)[pay_table])
    shutil.copy(root / "yesterday.jsonl", desk / "7.jsonl")
    (desk / "ledger.jsonl").write_text("")
    shutil.copy(HOUSE / "docs/examples/laboratory/check_certificate.py", desk)
    [script] = [text for kind, text in blocks(HOUSE / "docs/how-to/check-an-export.md") if kind == "bash"]
    (desk / "check-export.sh").write_text(script)
    if not (root / "pictures").exists():
        write_pictures(root / "pictures")
    (desk / "pictures").symlink_to(root / "pictures")
    (desk / "password").write_text("secret\n")
    (desk / "events.jsonl").write_text(EVENT)
    (desk / "wagering.toml").write_text(wagering(made))
    (desk / "recorder.toml").write_text((HOUSE / "config" / "recorder.toml").read_text())
    for name in ("operator.token", "ada.token"):
        (desk / name).write_text(f"secret-of-{name}-32-characters-long\n")


def wagering(made: World) -> str:
    """The configuration that the page about bets shows, with the places of this world."""
    page = (HOUSE / "docs/how-to/take-bets.md").read_text()
    text = page.partition("```toml\n")[2].partition("```")[0]
    text = text.replace("[broker] ", f"[broker]\nport = {made.port}  ").replace("8080", str(free_port()))
    return text.replace("sqlite:////var", f"sqlite:///{made.root}/var")


def write_journal(path: Path) -> None:
    """Three rounds of one evening; the first opened at 20:15:07."""
    journal = SqliteJournal.create(path, epoch=1_764_000_000_000)
    journal.add_consumer("archive")
    bench = Bench(journal, clock=Evening())
    bench.load()
    for _ in range(3):
        bench.play()
        bench.pass_s(20)
    journal.close()
