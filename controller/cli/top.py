"""``top``: a running table in the terminal, through its read-only socket."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import threading
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir

import msgspec
from rich.console import Console, Group
from rich.text import Text

from controller.board.names import spot_name
from controller.cli.phrases import describe_outcome
from controller.cli.telling import columns, print_lines
from controller.demo import FOLDER_PREFIX
from controller.settings.loader import load_configuration
from controller.shell.observing.snapshot import DeviceFigures, Observation
from controller.vocabulary.display import Display, ShownHold
from controller.vocabulary.errors import DealerTableError, why
from controller.vocabulary.outcomes import UnreadOutcome, unread_outcome
from controller.vocabulary.shown import counted

EVERY_S = 0.5
PATIENCE_S = 5.0


def run(arguments: argparse.Namespace) -> int:
    """Draw until Ctrl-C; with ``--once`` or ``--json`` one picture."""
    path = demo_window() if arguments.config is None else window_of(arguments.config)
    raw = ask(path)
    if arguments.json:
        print_lines([raw.decode().rstrip()])
        return 0
    if arguments.once:
        Console(soft_wrap=True, highlight=False).print(*picture(read(raw)), sep="\n")
        return 0
    return draw(path)


def window_of(file: str) -> Path:
    """Where the table of this configuration shows itself."""
    named = load_configuration(file).observe.socket
    return Path(named) if named else Path("/run/dealer-table") / Path(file).stem / "top"


def demo_window() -> Path:
    """Where our demo, bench or story shows itself, the newest of several. DealerTableError where none is."""
    found: list[tuple[float, Path]] = []
    for path in Path(gettempdir()).glob(f"{FOLDER_PREFIX}*/top"):
        with suppress(OSError):  # its demo has just ended
            seen = path.stat()
            found += [(seen.st_mtime, path)] if seen.st_uid == os.geteuid() else []
    if not found:
        raise DealerTableError(
            "no demo and no bench runs here; a table, also one of --keep, is named by its configuration:"
            " --config FILE"
        )
    return max(found)[1]


def draw(path: Path) -> int:
    """A picture twice a second, until Ctrl-C or until the daemon has ended."""
    from rich.live import Live

    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with Live(Group(*picture(read(ask(path)))), console=Console(), refresh_per_second=4) as live:
        while not ended.wait(EVERY_S):
            live.update(Group(*picture(read(ask(path)))))
    return 0


def ask(path: Path, patience_s: float = PATIENCE_S) -> bytes:
    """The snapshot as the daemon shows it. :class:`DealerTableError` where no daemon answers."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as window:
            window.settimeout(patience_s)
            window.connect(str(path))
            parts = []
            while part := window.recv(65536):
                parts.append(part)
    except OSError as error:
        hint = "is the table running, and may you look (group dealer-table)?"
        raise DealerTableError(f"{path}: {why(error)}; {hint}") from error
    return b"".join(parts)


def read(raw: bytes) -> Observation:
    """The snapshot. :class:`DealerTableError` while there is none yet."""
    try:
        seen = msgspec.json.decode(raw, type=Observation | None, dec_hook=unread_outcome)
    except msgspec.DecodeError as error:
        raise DealerTableError(f"that is no window of a dealer table: {why(error)}") from error
    if seen is None:
        raise DealerTableError("the table is only just starting; look again")
    return seen


def edge_words(edges: dict[str, float]) -> str:
    """The bet that the house keeps least of, by the cards nobody has seen."""
    if not edges:
        return "not watched"
    spot = min(edges, key=edges.__getitem__)
    lost = sum(edge < 0 for edge in edges.values())
    favour = f"; {lost} bet{' favours' if lost == 1 else 's favour'} the players" if lost else ""
    return f"least on {spot_name(spot)}: {100 * edges[spot]:+.2f} %{favour}"


def alert_words(name: str, code: str) -> str:
    """The code under which the page for three in the morning has it, and what it is about."""
    about = name.removeprefix("condition-")
    return code if about == code else f"{code} ({about})"


def hold_words(hold: ShownHold) -> str:
    """Why the table waits, what a supervisor's key opens, and how much has come since."""
    came = f"; {hold.waiting} more came while it holds" if hold.waiting else ""
    nothing = " (no round runs: only the hold ends)" if hold.round is None else ""
    choices = ", ".join(f"{choice}{nothing if choice == 'void' else ''}" for choice in hold.choices)
    return f"{hold.reason.replace('_', ' ')}; with the supervisor's key: {choices}{came}"


def card_words(shown: Display) -> str:
    """The cards as they lie, and what is waited for."""
    words = ", ".join(f"{one.position} {one.card or '??'}" for one in shown.cards) or "none"
    if shown.aside:
        words += f"; {shown.aside} aside until one is due"
    if shown.awaits:
        words += f"; none before {shown.awaits} has closed its book"
    return words + (f"; next: {shown.next}" if shown.next else "")


def result_words(shown: Display) -> str:
    """The result or the void of the round that is shown."""
    if shown.void is not None:
        reason = shown.void.reason.replace("_", " ")
        return f"VOID, {reason}" + (f", paragraph {shown.void.rule}" if shown.void.rule else "")
    outcome = None if shown.result is None else shown.result.outcome
    body = outcome.body if isinstance(outcome, UnreadOutcome) else None
    return "none" if body is None else describe_outcome(shown.game, {"outcome": body})


def device_words(line: DeviceFigures) -> str:
    """How a device's line is and was."""
    never = not (line.connections or line.connected)
    state = "connected" if line.connected else "NEVER CONNECTED" if never else "LOST"
    times = f", lost {counted(line.losses, 'time')}" if line.losses else ""
    return f"{state}, {counted(line.frames_in, 'frame')}, {counted(line.noise_in, 'byte')} of noise{times}"


def picture(seen: Observation) -> list[Text]:
    """The table in a few lines, each cut where the terminal ends; what is wrong is red."""
    told = rows(seen)
    lines = columns([(name, words) for name, words, _ in told])
    return [
        Text(line, "bold white on red3" if wrong else "", no_wrap=True, overflow="ellipsis")
        for line, (_, _, wrong) in zip(lines, told, strict=True)
    ]


def rows(seen: Observation) -> list[tuple[str, str, bool]]:
    """What is looked at, how it is, and whether that wants somebody."""
    unit, shown = seen.unit, seen.display
    hold, shoe = (shown.hold, shown.shoe) if shown else (None, None)
    alerts = [
        f"{alert_words(name, code)}: {seen.alert_messages.get(name, '')}"
        for name, code in seen.alerts.items()
    ]
    told = [
        (
            "table",
            f"{unit.table} ({unit.mode}), version {unit.version}, boot {unit.boot}, up {seen.uptime_s:.0f} s",
            False,
        ),
        ("phase", f"{shown.phase}, light {shown.light}" if shown else "not configured, light off", not shown),
        ("round", (shown.round if shown else None) or "none", False),
        ("cards", card_words(shown) if shown else "none", False),
        ("result", result_words(shown) if shown else "none", False),
        ("shoe", f"{shoe.left} of {shoe.cards} left" if shoe else "none loaded", False),
        ("house edge", edge_words(seen.house_edge), False),
        ("hold", hold_words(hold) if hold else "none", hold is not None),
        *([("", hold.meaning, True)] if hold else []),
        ("alerts", alerts[0] if alerts else "none", bool(alerts)),
        *[("", alert, True) for alert in alerts[1:]],
        ("broker", "connected" if seen.outbox.connected else "NOT CONNECTED", not seen.outbox.connected),
        ("outbox", f"{counted(seen.outbox.head, 'message')}, {seen.outbox.pending} not acknowledged", False),
        (
            "journal",
            f"{counted(seen.loop.events, 'event')} in {counted(seen.loop.commits, 'commit')},"
            f" {seen.disk_free_bytes // 10**6} MB free",
            False,
        ),
    ]
    for name, line in seen.devices.items():
        told.append((name, device_words(line), not line.connected))
    return told
