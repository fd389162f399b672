"""How long a card takes from the wire to the page, and what 500 open pages cost.

python -m tests.bench.board [--json FILE] [--rounds N] [--pages N] [--streams N] [--socket]

A simulated shoe sends its bytes to a real daemon; the time runs from there, over journal, broker and board,
until the card stands in each of the open pages of one Chromium (every page a profile of its own). With
``--socket`` the board reads the daemon's local socket instead of the broker. Then memory and processor of one
board with many event streams, and the roads of a shoe. Exit status 1 where a mark is missed.
"""

from __future__ import annotations

import random
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from controller.roads import read_results, scoreboard
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.bench.streams import many_streams
from tests.bench.timing import Mark, in_words, limit, part_arguments, told
from tests.board.browser import launch
from tests.board.serving import BoardProcess
from tests.harness.dealer import Dealer, Hand
from tests.harness.house import Shoe, house

PACE_S = 1.0
"""A quick dealer draws a card a second."""
LONGEST_P99_MS = 100.0
RESULTS = 80
LONGEST_ROADS_S = 0.001

_WATCH = """() => {
    window.seen = [];
    let last = "";
    const look = () => {
        const number = document.querySelector('.head .number')?.textContent;
        const shown = document.querySelectorAll('.felt .card.face').length;
        const key = `${number} ${shown}`;
        if (key !== last) window.seen.push([number, shown, performance.timeOrigin + performance.now()]);
        last = key;
    };
    new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""


class TimedHand(Hand):
    """The dealer's hand, with the moment at which each card leaves it, by round and card."""

    def __init__(self, shoe: Shoe) -> None:
        super().__init__(shoe)
        self.sent: dict[tuple[int, int], float] = {}
        self.round = -1
        self._cards = 0

    def begin(self) -> None:
        """A new round."""
        self.round, self._cards = self.round + 1, 0

    def draw(self, card: str, hand: str, number: int) -> bool:
        """At a dealer's pace."""
        time.sleep(PACE_S)
        at_ms = time.time() * 1000
        drawn = super().draw(card, hand, number)
        if drawn:
            self._cards += 1
            self.sent[self.round, self._cards] = at_ms
        return drawn


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    parser = part_arguments("board", __doc__)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--socket", action="store_true", help="the daemon's local socket, without the broker")
    chosen = parser.parse_args()
    figures: dict[str, float] = {}
    found = board_marks(chosen.rounds, chosen.pages, chosen.streams, figures, socket=chosen.socket)
    marks = [roads_mark(), *found]
    return told(chosen.json, marks, (), **figures)


def roads_mark(calls: int = 500) -> Mark:
    """The five roads and the ask-road of one shoe: processor time, which no neighbour makes longer."""
    chance = random.Random(80)
    winners = chance.choices(("player", "banker", "tie"), (446, 459, 95), k=RESULTS)
    shoe = read_results([{"winner": winner} for winner in winners])
    began = time.process_time()
    for _ in range(calls):
        scoreboard(shoe)
    took_s = (time.process_time() - began) / calls
    return limit(f"roads of {RESULTS} results", took_s, LONGEST_ROADS_S, in_words)


def board_marks(
    rounds: int, pages: int, streams: int, figures: dict[str, float], *, socket: bool
) -> list[Mark]:
    """From the wire to the page, then many streams; on one daemon, broker and board; more in ``figures``."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dealer-table-bench-")))
        observe = 'observe.board_socket = "{folder}/board"'
        whole = stack.enter_context(house(folder, SimulatedAngelEye(folder / "shoe"), observe))
        broker = (f"--mqtt-port={whole.broker.port}", "--table=north/7")
        board = stack.enter_context(
            BoardProcess(folder, *([f"--socket={folder}/board"] if socket else broker))
        )
        whole.daemon.start()
        dealer = Dealer(whole, random.Random(80))
        dealer.load()
        delays_ms = card_delays(board, dealer, rounds, pages)
        p50, p99 = percentile(delays_ms, 50), percentile(delays_ms, 99)
        way = "local socket" if socket else "broker"
        words = f"{len(delays_ms)} on {pages} pages, p50 {p50:.1f} ms, p99 {p99:.1f} ms"
        print(f"card to page over the {way}: {words}")
        cost = many_streams(board, streams, lambda: change(dealer))
    print(cost.words())
    figures |= {"p50_ms": p50, "p99_ms": p99, "memory_mb": cost.memory_mb, "cores": cost.cores}
    heard, opened = cost.heard, cost.open
    return [
        limit("card to page, p99", p99, LONGEST_P99_MS, lambda ms: f"{ms:.0f} ms"),
        Mark("event streams that hear the end", str(heard), str(opened), heard / opened, 1, True),
    ]


def change(dealer: Dealer) -> None:
    """Something that every page must hear of: bets open, or the round is annulled again."""
    if dealer.ask("OPEN") == "OK":
        return
    for line in ("KEY boss", "VOID supervisor", "NOKEY"):
        dealer.must(*line.split())


def card_delays(board: BoardProcess, dealer: Dealer, rounds: int, pages: int) -> list[float]:
    """One delay, ms, for each card on each page, in order of length."""
    timed = dealer.hand = TimedHand(dealer.house.shoe)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        shown: list[Page] = []
        for _ in range(pages):
            page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
            page.goto(f"{board.url}/table/north/7")
            page.wait_for_selector(".board:not(.empty)")
            page.evaluate(_WATCH)
            shown.append(page)
        for _ in range(rounds):
            timed.begin()
            dealer.round()
        shown[-1].wait_for_timeout(1000)
        seen = [arrivals(page.evaluate("window.seen")) for page in shown]
        browser.close()
    return sorted(one[key] - at for one in seen for key, at in timed.sent.items() if key in one)


def arrivals(seen: list[tuple[str, int, float]]) -> dict[tuple[int, int], float]:
    """When each card stood in a page, by round and card; rounds in the order of their numbers."""
    order: dict[str, int] = {}
    found: dict[tuple[int, int], float] = {}
    for number, cards, at_ms in seen:
        if cards:
            found.setdefault((order.setdefault(number, len(order)), cards), at_ms)
    return found


def percentile(ordered: list[float], part: int) -> float:
    """Of ordered numbers."""
    return ordered[min(len(ordered) - 1, len(ordered) * part // 100)]


if __name__ == "__main__":
    raise SystemExit(main())
