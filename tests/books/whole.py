"""A night of processes: table, broker, service and database are killed, and the players call over HTTP.

The dealer deals on as in ``make faults``. What was answered, and what the table's own journal says, are all
that the count of the money is made of.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from controller.wagering.database import Books
from controller.wagering.ledger import accounts, balances_of
from controller.wagering.tables import LINES
from drivers.bee_tek.simulator import SimulatedBeeTek
from tests.books.counting import Figures, check_books
from tests.books.hands import Asked, Line, Seat
from tests.harness.broker import Broker
from tests.harness.deals import DEALS
from tests.harness.house import table
from tests.harness.people import Croupier
from tests.harness.postgres import Postgres
from tests.wagering.evening import balances
from tests.wagering.house_wallet import Failure, HouseWallet
from tests.wagering.seats import RICH
from tests.wagering.service import Service

STAKES = (1, 7, 100, 999, 5_000, RICH)
HANDS = 6
"""So many players call at once."""
PAUSE_S = (0.1, 1.5)
"""Between two kills, shortest and longest."""
MOST_CALLS = 12
TRIES = 5
LOOK_S, AGAIN_S = 5.0, 0.05
"""So long players look whether they may bet."""
OPEN_BEFORE = {"CLOSE": "betting", "DECIDED": "decision"}
"""Key -> what is open until it is pressed."""
HOLDEM = ("hand1", "hand2")


@dataclass
class BettingCroupier(Croupier):
    """Whoever plays has a moment before bets are closed, and before decisions are."""

    asks: Callable[[str], None] = field(kw_only=True)

    def must(self, *words: str) -> None:
        if words[0] in OPEN_BEFORE:
            self.asks(OPEN_BEFORE[words[0]])
        super().must(*words)


class Villain(threading.Thread):
    """Kills one after the other at moments that chance knows, and starts it again at once."""

    def __init__(self, victims: dict[str, Callable[[], None]], dice: random.Random, figures: Figures) -> None:
        super().__init__(name="villain", daemon=True)
        self._victims, self._dice, self._figures = victims, dice, figures
        self._leave = threading.Event()
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self._leave.wait(self._dice.uniform(*PAUSE_S)):
                victim = self._dice.choice(list(self._victims))
                self._victims[victim]()
                self._figures.kills[victim] += 1
        except BaseException as failure:
            self.failure = failure

    def leave(self) -> None:
        """Strike no more; what it killed last runs."""
        self._leave.set()
        self.join()
        if self.failure is not None:
            raise AssertionError("the villain failed") from self.failure


class WholeNight:
    """Everything of it ends with ``stack``; the arguments are those of :class:`tests.books.night.Night`."""

    def __init__(
        self,
        folder: Path,
        url: str,
        game: str,
        dice: random.Random,
        players: int,
        wallet: HouseWallet | None,
        postgres: Postgres | None,
        stack: ExitStack,
    ) -> None:
        self.figures = Figures()
        self.players = [f"p{number}" for number in range(players)]
        self._dice, self._game, self._wallet = dice, game, wallet
        self._answered: list[tuple[Asked, int, Any]] = []
        self._flying: list[Future[None]] = []
        self._guard = threading.Lock()
        self._taken: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        self._decided: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self._undone: set[str] = set()
        self._seen: set[tuple[str, str]] = set()
        """Phase and round in which they have called."""
        self._left: set[tuple[str, str]] = set()
        """Round and player who hung up."""
        broker = stack.enter_context(Broker(folder / "broker"))
        deal = next(deal for deal in DEALS if deal.game == game)
        if game == "baccarat":
            deal = replace(deal, settings='odds = "live"')
        top = {"observe": {"socket": f"{folder}/top"}}
        shoe = SimulatedBeeTek(folder / "shoe")
        self.table = stack.enter_context(table(folder, broker, shoe, deal.configuration, top))
        self.service = stack.enter_context(Service(folder, broker.port, url, self._money(folder, wallet)))
        self.table.daemon.start()
        self._line = Line(self.service.port)
        stack.callback(self._line.close)
        self._hands = stack.enter_context(ThreadPoolExecutor(HANDS))
        self._books = Books(url, pays_out=wallet is not None)
        stack.callback(self._books.close)
        self.croupier = BettingCroupier(self.table, dice, deal=deal, asks=self._asks)
        victims: dict[str, Callable[[], None]] = {
            "table": self.table.daemon.restart,
            "broker": broker.restart,
            "service": self._restart_service,
        }
        if postgres is not None:
            victims["database"] = lambda: (postgres.kill(), postgres.start())[1]
        self._villain = Villain(victims, random.Random(dice.random()), self.figures)

    def _restart_service(self) -> None:
        """Somebody who calls a port at which nobody listens may be given it for the call, and reach himself:
        then the service cannot have it, and is started again."""
        for _ in range(TRIES):
            self.service.kill()
            with suppress(AssertionError):
                self.service.start()
                return
        raise AssertionError(self.service.log)

    def _money(self, folder: Path, wallet: HouseWallet | None) -> dict[str, object]:
        players: list[dict[str, object]] = []
        for name in self.players:
            (folder / f"{name}.token").write_text(f"token-of-{name}\n")
            has = {"balance": RICH} if wallet is None else {}
            players.append({"name": name, "token_file": f"{name}.token", **has})
        if wallet is None:
            return {"players": players}
        wallet.balances.update(dict.fromkeys(self.players, RICH))
        wallet.fails = self._wallet_fails
        return {"players": players, "wallet": {"url": wallet.url}}

    def _wallet_fails(self, _number: int, _kind: str) -> Failure:
        chance = self._dice.random()
        if chance < 0.04:
            self.figures.kills["wallet"] += 1
        return "before" if chance < 0.02 else "after" if chance < 0.04 else None

    def play(self, rounds: int) -> None:
        """So many rounds, from OPEN to the settlement or a void."""
        self._villain.start()
        try:
            for _ in range(rounds):
                self.croupier.round()
                self.figures.rounds += 1
        finally:
            self._villain.leave()

    # The players

    def _asks(self, phase: str) -> None:
        """Some call as soon as they see that they may, some of them while the table goes on already."""
        for _ in range(round(LOOK_S / AGAIN_S)):
            shown = self._line.ask("p0", "tables")[1][0]
            if shown["phase"] == phase and (phase, shown["round"]) not in self._seen:
                break
            time.sleep(AGAIN_S)
        else:
            return  # the table holds, or the round is void
        self._seen.add((phase, shown["round"]))
        wishes = [self._wish(player, shown) for player in self._dice.sample(self.players, MOST_CALLS)]
        sent = [self._hands.submit(self._send, wish) for wish in wishes]
        if phase == "betting":
            self._hang_up(shown["round"])
        self._flying += sent
        if self._dice.random() < 0.7:  # in time; else they are on their way when bets close
            self._collect()

    def _hang_up(self, round_: str) -> None:
        """Somebody sits, bets and goes; a service that dies over it may take the bets for standing."""
        player = self._dice.choice(self.players)
        self._left.add((round_, player))
        with suppress(OSError), closing(Seat(self.service.port, player)):
            sent = self._hands.submit(self._send, self._wish(player, self._line.ask(player, "tables")[1][0]))
            sent.result()

    def _wish(self, player: str, shown: dict[str, Any]) -> Asked:
        round_, spots = shown["round"], shown["spots"]
        named = {"id": f"c{self.figures.calls}", "round": round_}
        self.figures.calls += 1
        what = self._dice.random()
        if shown["phase"] == "decision":
            chosen = {"hand": self._dice.choice(HOLDEM), "decision": self._dice.choice(("play", "fold"))}
            return Asked(player, round_, "decisions", named | chosen)
        if what < 0.15:
            return Asked(player, round_, "bets/undo", named | {"all": what < 0.07})
        with self._guard:
            held = [bet for bet in self._taken[round_, player] if bet["id"] not in self._undone]
        if what < 0.35 and held:  # DOUBLE
            wanted = [(bet["spot"], bet["stake"]) for bet in held]
        else:
            wanted = [(spot, self._dice.choice(STAKES)) for spot in self._dice.sample(sorted(spots), 2)]
        bets = [
            {"spot": spot, "stake": stake}
            | ({"offer": spots[spot]["offer"]} if spots[spot]["offer"] is not None else {})
            for spot, stake in wanted
        ]
        return Asked(player, round_, "bets", named | {"bets": bets})

    def _send(self, asked: Asked) -> None:
        """Until it is answered; then what was answered counts."""
        path = f"tables/north/7/{asked.what}"
        status, body = self._line.ask(asked.player, path, asked.body)
        with self._guard:
            self._answered.append((asked, status, body))
            if status >= 300:
                self.figures.refused[body["error"]["code"]] += 1
            elif asked.what == "bets":
                self._taken[asked.round, asked.player] += body["bets"]
            elif asked.what == "bets/undo":
                self._undone |= {bet["id"] for bet in body["bets"]}
            else:
                self._decided[asked.round, asked.player][body["hand"]] = body["decision"]

    def _collect(self) -> None:
        for sent in self._flying:
            sent.result()
        self._flying = []

    # The count

    def check(self) -> Figures:
        """When the night is over: every answer, balance, bet and line. AssertionError where one is wrong."""
        self._collect()
        if self._wallet is not None:
            self._wallet.fails = lambda number, kind: None
        self.table.daemon.until(self._all_is_booked, "all is settled and paid")
        for asked, *said in self._dice.sample(self._answered, min(len(self._answered), 20)):
            path = f"tables/north/7/{asked.what}"
            assert [*self._line.ask(asked.player, path, asked.body)] == said, (asked, said)
        given_back = self._given_back()
        for key, bets in self._taken.items():
            self._taken[key] = [bet for bet in bets if bet["id"] not in self._undone | given_back]
            assert key in self._left or not given_back & {bet["id"] for bet in bets}, (key, given_back)
        stream = [json.loads(body) for body in self.table.messages()]
        expected = balances(self._game, stream, self.players, self._taken, self._decided)
        with self._books.read() as connection:
            have, all_accounts = balances_of(connection, self.players), accounts(connection)
        if self._wallet is not None:
            purses = self._wallet.balances
            have = {player: purses[player] + all_accounts.get(player, 0) for player in self.players}
        assert have == expected
        placed = {bet["id"] for bets in self._taken.values() for bet in bets}
        check_books(self._books, placed | self._undone | given_back, self.figures)
        return self.figures

    def _all_is_booked(self) -> bool:
        """The last round is settled or void; nothing is open, and the house's wallet was told of all."""
        audit = self._line.ask("operator", "audit")[1]
        return not audit["open"] and not audit["wallet"]

    def _given_back(self) -> set[str]:
        """Bets of those who hung up in time."""
        of_leaving = LINES.c.what == "undo", LINES.c.call.like("left-%")
        with self._books.read() as connection:
            return {str(bet) for bet in connection.scalars(sql.select(LINES.c.bet).where(*of_leaving))}
