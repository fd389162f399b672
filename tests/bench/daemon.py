"""``python -m tests.bench.daemon``: how much the serial-only daemon weighs, and how soon it is ready.

The real program with a simulated shoe and keypad on pseudo-terminals, a real broker and a consumer. Marks:
at most 40 MB resident after 1,000 rounds, without growth of descriptors; ready within 1.5 times of what a
bare Python takes to import the libraries of other people that it uses; outputs safe within two seconds of a
freeze. Status 1 where a mark is missed.
"""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from controller.shell.daemon import OUTPUTS_SAFE_WITHIN_S
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.bench.timing import Mark, limit, part_arguments, told
from tests.harness.configuration import configured
from tests.harness.dealer import Dealer
from tests.harness.house import house
from tests.harness.process import HOUSE, PROGRAM, descriptors, resident_mb

MOST_RESIDENT_MB = 40.0
MOST_TO_READY = 1.5
SAFE_WITHIN_S = 2.0
SAFE_TRIES = 7
BARE = "import msgspec, paho.mqtt.client, serial"
WARM_ROUNDS = 50
LEAST_STARTS = 5
TABLE = """
journal.path = "{folder}/%s.db"
devices.shoe = { driver = "angel-eye", port = "%s" }
"""


def main() -> int:
    """Measure, and say what was reached."""
    parser = part_arguments("daemon", __doc__)
    parser.add_argument("--rounds", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="for the time to be ready")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dealer-table-bench-") as folder:
        marks = weight(Path(folder), arguments.rounds)
        marks += [readiness(Path(folder), arguments.seconds), safety(Path(folder))]
    return told(arguments.json, marks)


def weight(folder: Path, rounds: int) -> list[Mark]:
    """Resident memory and descriptors of a daemon that has dealt for a while."""
    with house(folder, SimulatedAngelEye(folder / "shoe")) as table:
        dealer = Dealer(table, random.Random(8))
        table.daemon.start()
        dealer.load()
        for _ in range(min(WARM_ROUNDS, rounds)):
            dealer.round()
        pid = table.daemon.pid
        early_mb, early_open = resident_mb(pid), descriptors(pid)
        began = time.monotonic()
        for _ in range(max(0, rounds - WARM_ROUNDS)):
            dealer.round()
        took_s = time.monotonic() - began
        late_mb, late_open = resident_mb(pid), descriptors(pid)
        table.daemon.stop()
    print(
        f"{rounds} rounds, all but {WARM_ROUNDS} in {took_s:.0f} s;"
        f" {early_mb:.1f} MB after the first {WARM_ROUNDS}"
    )
    return [
        limit("resident memory", late_mb, MOST_RESIDENT_MB, lambda mb: f"{mb:.1f} MB"),
        limit("descriptors", late_open, early_open, str),
    ]


def readiness(folder: Path, seconds: float) -> Mark:
    """From the call to ``READY=1`` on a journal that an earlier start has left, against a bare Python that
    imports what we import.

    READY means that the journal is folded and the table takes events; the broker is reached for behind it.
    Both sides run from byte code, as an installed package does.
    """
    surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    rooms = [HOUSE / room for room in ("controller", "drivers")]
    subprocess.run([sys.executable, "-m", "compileall", "-q", *rooms], env=surroundings, check=True)
    left = folder / "left.db"
    path = configured(folder, TABLE % ("ready", "{folder}/absent"))
    took: dict[str, list[float]] = {"ready": [], "bare": []}
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(folder / "notify"))
        surroundings["NOTIFY_SOCKET"] = str(folder / "notify")
        until_ready_s(path, ear, surroundings)
        for file in folder.glob("ready.db*"):
            file.rename(folder / file.name.replace("ready", "left"))
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or len(took["ready"]) < LEAST_STARTS:
            for file in folder.glob("ready.db*"):
                file.unlink()
            for file in folder.glob(f"{left.name}*"):
                shutil.copy(file, folder / file.name.replace("left", "ready"))
            took["ready"].append(until_ready_s(path, ear, surroundings))
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", BARE], env=surroundings, check=True)
            took["bare"].append(time.perf_counter() - began)
    ready_s, bare_s = median(took["ready"]), median(took["bare"])
    best = min(took["ready"]) / min(took["bare"])
    starts, load = len(took["ready"]), os.getloadavg()[0]
    print(f"{starts} starts, load {load:.1f}; the best of each side: {best:.2f} times")
    ours, peer = f"{ready_s * 1000:.0f} ms", f"{bare_s * 1000:.0f} ms bare imports"
    return Mark("time to be ready", ours, peer, ready_s / bare_s, MOST_TO_READY, at_least=False)


def until_ready_s(path: Path, ear: socket.socket, surroundings: dict[str, str]) -> float:
    """Seconds from the call to ``READY=1``; the daemon is gone again then."""
    began = time.perf_counter()
    daemon = subprocess.Popen([PROGRAM, "run", "--config", path], env=surroundings, stderr=subprocess.DEVNULL)
    try:
        ear.settimeout(60)
        while b"READY=1" not in ear.recv(4096):
            pass
        return time.perf_counter() - began
    finally:
        daemon.kill()
        daemon.wait()


def safety(folder: Path) -> Mark:
    """From a freeze to safe outputs: the watchdog's time, and the slowest call of ``safe-outputs`` that has
    a simulated shoe locked.
    """
    took: list[float] = []
    with SimulatedAngelEye(folder / "safe") as shoe:
        path = configured(folder, TABLE % ("safe", shoe.path))
        for _ in range(SAFE_TRIES):
            began = time.perf_counter()
            call: list[str | Path] = [PROGRAM, "safe-outputs", "--config", path]
            subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
            took.append(time.perf_counter() - began)
        with shoe.guard:
            if not shoe.guard.wait_for(lambda: shoe.locked, 60):
                raise RuntimeError("the shoe is not locked")
    whole_s = OUTPUTS_SAFE_WITHIN_S + max(took)
    print(f"safe-outputs: {median(took):.2f} s, the slowest {max(took):.2f} s")
    return limit("outputs safe after a freeze", whole_s, SAFE_WITHIN_S, lambda s: f"{s:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
