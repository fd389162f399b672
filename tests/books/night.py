"""An evening of many players at one table, whose service, database and wallet are killed at random.

Every call is sent again with its id until it is answered. What was answered, and the last word on each round,
are all that the count of the money is made of; the ledger is held against it, line by line.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import msgspec

from controller.consumer.store import StoreError
from controller.wagering.calls import Answer, Asked, Decide, PlaceBets, UndoBets
from controller.wagering.database import Books, Database
from controller.wagering.ledger import accounts, balances_of
from controller.wagering.tables import BooksError
from tests.books.counting import Figures, check_books
from tests.books.mortal import Killed, Service
from tests.harness.postgres import Postgres
from tests.wagering.evening import Evening
from tests.wagering.house_wallet import Failure, HouseWallet
from tests.wagering.seats import RICH

STAKES = (1, 7, 100, 999, 5_000, RICH)
NOT_KEPT = ("being carried out", "not heard")
"""503s that are no answer yet."""


@dataclass
class Call:
    """A call that waits for its answer."""

    player: str
    round: str
    asked: Asked
    waits: Future[Answer] | None = None


class Night(Evening):
    """``wallet``: the house keeps the money itself; ``postgres``: the server of ``url``, to be killed."""

    def __init__(
        self,
        url: str,
        game: str,
        dice: random.Random,
        players: int,
        wallet: HouseWallet | None,
        postgres: Postgres | None,
    ) -> None:
        names = [f"p{number}" for number in range(players)]
        self._url, self._wallet, self._postgres = url, wallet, postgres
        self.figures = Figures()
        self._flying: list[Call] = []
        self._answered: list[tuple[Call, Answer]] = []
        self._undone: set[str] = set()
        self._delivered = 0
        if wallet is not None:
            wallet.balances.update(dict.fromkeys(names, RICH))
            wallet.fails = self._wallet_fails
        with closing(Database(url, pays_out=wallet is not None)) as begun:
            super().__init__(begun, game, dice, names if wallet is None else [])
        self.plain = Books(url, pays_out=wallet is not None)
        self.players = names
        self.seats.books, self.seats.hears = self.plain, False
        self._delivered = self.seats.heard
        self.service = Service(url, self._wallet_url)

    @property
    def _wallet_url(self) -> str | None:
        return None if self._wallet is None else self._wallet.url

    def _wallet_fails(self, _number: int, _kind: str) -> Failure:
        chance = self.dice.random()
        if chance < 0.04:
            self.figures.kills["wallet"] += 1
        return "before" if chance < 0.02 else "after" if chance < 0.04 else None

    # Who dies

    def _reborn(self, who: str = "service") -> None:
        self.figures.kills[who] += 1
        self.service.bury()
        self.service = Service(self._url, self._wallet_url)

    def _lives(self, work: Callable[[], object]) -> None:
        """Do it, over as many lives as it takes."""
        while True:
            try:
                work()
                return
            except Killed:
                self._reborn()
            except (StoreError, BooksError):
                self._restart_database()

    def _restart_database(self) -> None:
        if self._postgres is not None and not self._postgres.running:
            self._postgres.start()
        self._reborn("with the database")

    def _fate(self) -> None:
        chance = self.dice.random()
        if chance < 0.03:
            self.service.life.left = self.dice.randint(1, 80)
        elif chance < 0.032 and self._postgres is not None:
            self._postgres.kill()
            self.figures.kills["database"] += 1

    # The table

    def say(self, text: str) -> None:
        """The table goes on while calls are on their way; its messages come late, twice, or with a gap."""
        self._fate()
        self.seats.conversation.say(text)
        bodies = self.seats.bodies

        def deliver() -> None:
            first = max(self._delivered - self.dice.randint(0, 2), 0)
            if self.dice.random() < 0.1:  # one is lost on its way; what comes behind it is asked for again
                self.service.stream.take(bodies[self._delivered + 1 :])
            self.service.stream.take(bodies[first:])
            self._delivered = len(bodies)

        self._lives(deliver)
        self._collect()
        if self.dice.random() < 0.2:
            self._lives(self._pay_out)

    def _pay_out(self) -> None:
        """What is due goes to the house's wallet; of what that does not answer nothing is done twice."""
        if self.service.funding is not None:
            self.service.funding.send()

    def _back(self) -> None:
        self._collect()
        super()._back()

    # The players

    def _calls(self) -> None:
        felt = self.seats.felt
        able = felt.phase in ("betting", "decision") and not felt.holds
        for player in self.dice.sample(self.players, self.dice.randint(0, 12 if able else 1)):
            asked = self._wish(
                player, felt.round or "", sorted(felt.spots), felt.offer if felt.live else None
            )
            if felt.phase == "decision" and self.dice.random() < 0.9:
                hand, choice = self.dice.choice(("hand1", "hand2")), self.dice.choice(("play", "fold"))
                asked = self._ask(Decide, felt.round or "", hand=hand, decision=choice)
            if asked is not None:
                self._flying.append(Call(player, felt.round or "", asked))
        self._lives(self._send)
        if self.dice.random() < 0.7:  # in time; the others are still on their way when the table goes on
            self._collect()

    def _send(self) -> None:
        for call in self._flying:
            if call.waits is None or call.waits.cancelled() or (call.waits.done() and call.waits.exception()):
                call.waits = self.service.call(call.player, call.asked)

    def _wish(self, player: str, round_: str, spots: list[str], offer: str | None) -> Asked | None:
        what = self.dice.random()
        if what < 0.15:
            return self._ask(UndoBets, round_, all=what < 0.07)  # UNDO, or the page is closed
        held = [bet for bet in self.taken[round_, player] if bet["id"] not in self._undone]
        if what < 0.35 and held:  # DOUBLE
            bets = [(bet["spot"], bet["stake"]) for bet in held]
        elif spots:
            chosen = self.dice.sample(spots, min(len(spots), self.dice.randint(1, 3)))
            bets = [(spot, self.dice.choice(STAKES)) for spot in chosen]
        else:
            return None
        named = {} if offer is None else {"offer": offer}
        return self._ask(
            PlaceBets, round_, bets=[{"spot": spot, "stake": stake, **named} for spot, stake in bets]
        )

    def _ask(self, shape: type[Asked], round_: str, **fields: object) -> Asked:
        name = f"c{self.figures.calls}"
        self.figures.calls += 1
        return msgspec.convert({"id": name, "round": round_, **fields}, shape)

    def _collect(self) -> None:
        """Wait for every answer; who gets none asks again."""
        while self._flying:
            call = self._flying[0]
            assert call.waits is not None
            try:
                said = self.service.wait(call.waits)
            except (Killed, CancelledError):
                self._reborn()
            except (BooksError, StoreError):
                self._restart_database()
            else:
                if said[0] != 503 or not any(word in said[1].decode() for word in NOT_KEPT):
                    self._flying.pop(0)
                    self._note(call, said)
                    continue
                call.waits = None
            self._lives(self._send)

    def _note(self, call: Call, said: Answer) -> None:
        body: dict[str, Any] = json.loads(said[1])
        if self.dice.random() < 0.05:
            self._answered.append((call, said))
        if said[0] >= 300:
            self.figures.refused[body["error"]["code"]] += 1
        elif isinstance(call.asked, PlaceBets):
            self.taken[call.round, call.player] += body["bets"]
        elif isinstance(call.asked, UndoBets):
            self._undone |= {bet["id"] for bet in body["bets"]}
        else:
            self.decided[call.round, call.player][call.asked.hand] = call.asked.decision

    # The count

    def check(self) -> Figures:
        """When the night is over: every balance, every bet, every line. AssertionError where one is wrong."""
        self._collect()
        for call, said in self._answered:  # what was answered is answered again
            if said[0] == 503:  # nothing was kept: it may be carried out when it comes again
                continue
            self._flying = [Call(call.player, call.round, call.asked)]
            self._lives(self._send)
            waits = self._flying[0].waits
            assert waits is not None
            try:
                assert self.service.wait(waits) == said, (call, said)
            except (Killed, CancelledError, BooksError):
                self._reborn()
            self._flying = []
        funding = self.service.funding
        if funding is not None:
            self.service.life.left = 1 << 60
            self._wallet.fails = lambda number, kind: None
            for _ in range(50):
                if not funding.send():
                    break
        for key, bets in self.taken.items():
            self.taken[key] = [bet for bet in bets if bet["id"] not in self._undone]
        expected = self.expected()
        if self._wallet is None:
            with self.plain.read() as connection:
                assert balances_of(connection, self.players) == expected
        else:
            with self.plain.read() as connection:
                owed = accounts(connection)  # what was taken back and is spent
            purses = self._wallet.balances
            assert {player: purses[player] + owed.get(player, 0) for player in expected} == expected
        mine = {bet["id"] for bets in self.taken.values() for bet in bets} | self._undone
        check_books(self.plain, mine, self.figures)
        return self.figures

    def close(self) -> None:
        """End all of it."""
        self.service.bury()
        self.plain.close()
