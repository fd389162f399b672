"""Two hours of fast dealing on one page: what it has grown by, and what it costs beside an earlier board.

python -m tests.bench.evening [--hours H] [--pace-s S] [--before COMMIT] [--json FILE]

The real core plays baccarat, a broker carries what it retains, and two boards, this one and that of
``--before`` (from the repository's own history), show it side by side: the same messages at the same moments,
each in a Chromium of its own. First some rounds at a fast dealer's pace, for the processor's share; then as
many rounds as such a dealer deals in the hours, as fast as the page draws them, for the memory. What is
compared is the same moment of the first shoe and of the last one, after a collection of garbage. The page's
own seconds run as they are, so of its clock it sees less than two hours. Status 1 where a mark is missed.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import CDPSession, Page, Playwright, sync_playwright

from tests.bench.streams import processor_s
from tests.bench.timing import Mark, limit, part_arguments, told
from tests.board.browser import launch
from tests.board.played import PlayedTable, Publisher
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker
from tests.harness.process import HOUSE

BEFORE = "78b5538"
"""The last head before the board had its design."""
ROUNDS_EACH_HOUR = 180
"""A round every 20 seconds."""
BETS_S, CARD_S, SETTLE_S = 10.0, 1.0, 4.0
SHOE = 60
"""Rounds of a shoe."""
LOOKED_AT = 50
"""After so many rounds of a shoe the page is measured: its roads are nearly full."""
MOST_GROWTH = 0.10
VIEW = {"width": 1920, "height": 1080}


class EarlierBoard(BoardProcess):
    """The board of another head, with our interpreter and libraries."""

    def __init__(self, folder: Path, sources: Path, *options: str) -> None:
        super().__init__(folder, *options)
        python = ["env", f"PYTHONPATH={sources}", sys.executable, "-P", "-m", "controller"]
        self._command = [*python, *self._command[1:]]


@dataclass
class Shown:
    """A board, and a page of it in a browser of its own."""

    board: BoardProcess
    page: Page
    session: CDPSession
    spent_s: dict[int, float]
    """Process of the browser -> its processor time when it was last seen."""

    def page_s(self) -> float:
        """Processor time of the whole browser until now, seconds."""
        for pid in self.spent_s:
            with contextlib.suppress(OSError):  # one that has ended spends no more
                self.spent_s[pid] = processor_s(pid)
        return sum(self.spent_s.values())

    def heap_mb(self) -> float:
        """What the page's JavaScript holds, once its garbage is collected."""
        self.session.send("HeapProfiler.collectGarbage")
        return float(self._metric("JSHeapUsedSize")) / 1e6

    def nodes(self) -> float:
        """Nodes of its documents."""
        return self._metric("Nodes")

    def _metric(self, name: str) -> float:
        told = self.session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in told if one["name"] == name))


def main() -> int:
    """Deal, measure, print, and say whether every mark was reached."""
    parser = part_arguments("evening", __doc__)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--pace-s", type=float, default=90.0, help="so long at a dealer's pace")
    parser.add_argument("--before", default=BEFORE, help="the head whose board is measured beside ours")
    chosen = parser.parse_args()
    figures: dict[str, float] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dealer-table-evening-")))
        broker = stack.enter_context(Broker(folder / "broker"))
        table = PlayedTable(folder, Publisher(broker.port), "7", "baccarat", bets_s=int(BETS_S))
        stack.callback(table.publisher.close)
        table.shoe()
        (folder / "before").mkdir()
        options = (f"--mqtt-port={broker.port}",)
        boards = {
            "now": stack.enter_context(BoardProcess(folder, *options)),
            "before": stack.enter_context(
                EarlierBoard(folder / "before", sources_of(chosen.before, folder / "sources"), *options)
            ),
        }
        playwright = stack.enter_context(sync_playwright())
        shown = {name: stack.enter_context(looked_at(playwright, board)) for name, board in boards.items()}
        marks = [share_mark(table, shown, chosen.pace_s, figures)]
        marks += growth_marks(table, shown["now"], round(chosen.hours * ROUNDS_EACH_HOUR), figures)
    return told(chosen.json, marks, [], **figures)


def sources_of(commit: str, folder: Path) -> Path:
    """The program as it was; the repository has it."""
    packed = subprocess.run(
        ["git", "archive", commit, "controller", "drivers"], cwd=HOUSE, check=True, capture_output=True
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


@contextmanager
def looked_at(playwright: Playwright, board: BoardProcess) -> Iterator[Shown]:
    """The page of table 7 in a browser of its own."""
    there = descendants()
    browser = launch(playwright)
    page = browser.new_page(viewport=VIEW)  # type: ignore[arg-type]
    page.goto(f"{board.url}/table/north/7")
    page.wait_for_selector(".head .table-name, header")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    yield Shown(board, page, session, dict.fromkeys(descendants() - there, 0.0))
    browser.close()


def descendants() -> set[int]:
    """The processes that we have started, and those that they have."""
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parent = int(file.read_text().rsplit(")", 1)[1].split()[1])
            children.setdefault(parent, []).append(int(file.parent.name))
    found: set[int] = set()
    to_see = [os.getpid()]
    while to_see:
        born = children.get(to_see.pop(), [])
        found.update(born)
        to_see += born
    return found


def share_mark(
    table: PlayedTable, shown: dict[str, Shown], lasts_s: float, figures: dict[str, float]
) -> Mark:
    """At a fast dealer's pace: processor time of browser and board by the time that passes."""
    paced_round(table)
    began_s = time.monotonic()
    spent = {name: (-one.page_s(), -processor_s(one.board.pid)) for name, one in shown.items()}
    while time.monotonic() - began_s < lasts_s:
        paced_round(table)
    lasted_s = time.monotonic() - began_s
    for name, one in shown.items():
        page_s, board_s = spent[name]
        share = 100 * (page_s + one.page_s()) / lasted_s
        server = 100 * (board_s + processor_s(one.board.pid)) / lasted_s
        figures |= {f"{name}_page_percent": share, f"{name}_board_percent": server}
        print(f"{name}: the page takes {share:.1f} % of a core, its server {server:.1f} %", flush=True)
    ours, theirs = figures["now_page_percent"], figures["before_page_percent"]
    return Mark(
        "a page's processor share, by that before",
        f"{ours:.1f} %",
        f"{theirs:.1f} %",
        ours / theirs,
        1,
        False,
    )


def paced_round(table: PlayedTable) -> None:
    """As a fast dealer deals it."""
    table.open()
    time.sleep(BETS_S)
    table.tell("bets_closed")
    while table.display["phase"] == "dealing":
        time.sleep(CARD_S)
        table.draw(1)
    time.sleep(SETTLE_S)
    table.tell("round_settled")


def growth_marks(table: PlayedTable, shown: Shown, rounds: int, figures: dict[str, float]) -> list[Mark]:
    """The rounds of some hours as fast as the page draws them."""
    seen: list[tuple[float, float]] = []
    for number in range(rounds):
        if number % SHOE == 0:
            table.shoe()
        table.round()
        drawn(shown, table)
        if number % SHOE == LOOKED_AT:
            seen.append((shown.heap_mb(), shown.nodes()))
            print(f"{number + 1} rounds: heap {seen[-1][0]:.2f} MB, {seen[-1][1]:.0f} nodes", flush=True)
    (heap, nodes), (last_heap, last_nodes) = seen[0], seen[-1]
    figures |= {"first_heap_mb": heap, "last_heap_mb": last_heap, "nodes": last_nodes}
    return [
        limit("growth of the page's memory", last_heap / heap - 1, MOST_GROWTH, in_percent),
        limit("growth of the page's nodes", last_nodes / nodes - 1, MOST_GROWTH, in_percent),
    ]


def drawn(shown: Shown, table: PlayedTable) -> None:
    """Wait until the page has drawn what the table says now, from outside: its policy forbids evaluation."""
    shown.page.locator(".head .number", has_text=str(table.display["game_number"])).wait_for()


def in_percent(part: float) -> str:
    """As people read it."""
    return f"{100 * part:.1f} %"


if __name__ == "__main__":
    raise SystemExit(main())
