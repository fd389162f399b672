"""A table that is talked to, books that hear its stream, its players: all without a network."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import msgspec

from controller.consumer.store import Taken
from controller.outbox.envelope import canonical_json
from controller.wagering import views
from controller.wagering.calls import Asked, Decide, PlaceBets, UndoBets, answer
from controller.wagering.database import Books, Database
from controller.wagering.felt import Felt
from controller.wagering.ledger import Ledger, faults
from controller.wagering.stream import BookedStream, felt_of
from tests.harness.keys import SIGNER, by
from tests.scenarios.conversation import Conversation, configuration_of

SITE, TABLE = "north", "7"
RICH = 1_000_000
CARDS = {"two-cards-high": 40, "casino-holdem": 52}


class Seats:
    """One table with its books."""

    def __init__(self, database: Database, table: str, *players: str, hears: bool = True) -> None:
        self.database = database
        self.books: Books = database
        """Where is looked what is booked."""
        self.conversation = Conversation(configuration_of(f"{table} shoe.unshuffled=off"))
        self.stream = BookedStream(database, SITE, TABLE)
        self.heard = 0
        self.hears = hears
        self._calls = count(1)
        self._signed: list[bytes] = []
        with database.change() as connection:
            ledger = Ledger(connection)
            for player in players or ("ada", "ben"):
                ledger.open(player, RICH)
            ledger.write()
        if self.stream.cursor is None:
            self.stream.begin(1, 0)
            self.stream.pin(SIGNER.key)
        self.say(f"SHOE {CARDS.get(table.partition(' ')[0], 416)}")

    def say(self, text: str) -> None:
        """Something happens at the table, and the books hear of it."""
        refused = self.conversation.say(text).refusals
        assert not refused, refused
        if self.hears:
            self.hear()

    def hear(self) -> None:
        """The books hear all that was said."""
        outcomes = self.stream.take(self.bodies[self.heard :])
        assert all(isinstance(outcome, Taken) for outcome in outcomes), outcomes
        self.heard = len(self.conversation.stream)

    def again(self) -> None:
        """The service starts anew, and the whole stream comes once more."""
        self.stream = BookedStream(self.database, SITE, TABLE)
        assert not any(isinstance(outcome, Taken) for outcome in self.stream.take(self.bodies[: self.heard]))

    @property
    def bodies(self) -> list[bytes]:
        """The stream as it is sent."""
        new = self.conversation.stream[len(self._signed) :]
        self._signed += [by(SIGNER, canonical_json(message)) for message in new]
        return self._signed

    @property
    def felt(self) -> Felt:
        """As the books have it."""
        with self.books.read() as connection:
            return felt_of(connection, SITE, TABLE)

    def bet(self, player: str, *bets: tuple[str, int], offer: bool = False, **fields: Any) -> Any:
        """Place bets; the code of the refusal, or the answer."""
        named = {"offer": self.felt.offer} if offer else {}
        wanted = [{"spot": spot, "stake": stake, **named} for spot, stake in bets]
        return self.ask(player, PlaceBets, bets=wanted, **fields)

    def undo(self, player: str, **fields: Any) -> Any:
        """Take the last call's bets back."""
        return self.ask(player, UndoBets, **fields)

    def decide(self, player: str, hand: str, decision: str, **fields: Any) -> Any:
        """Play or fold."""
        return self.ask(player, Decide, hand=hand, decision=decision, **fields)

    def ask(self, player: str, shape: type[Asked], **fields: Any) -> Any:
        """A call as it would come over HTTP."""
        said = {"id": f"c{next(self._calls)}", "round": self.felt.round, **fields}
        asked = msgspec.convert(said, shape)
        with self.database.change() as connection:
            status, body = answer(connection, SITE, TABLE, player, asked)
        read = json.loads(body)
        assert (status < 300) is ("error" not in read)
        return read["error"]["code"] if "error" in read else read

    def balance(self, player: str) -> int:
        """In minor units."""
        return int(self.account(player)["balance"])

    def account(self, player: str) -> Any:
        with self.books.read() as connection:
            return views.account(connection, player)

    def rounds(self, player: str) -> Any:
        with self.books.read() as connection:
            return json.loads(canonical_json(views.history(connection, player)))["rounds"]

    def faults(self) -> list[str]:
        """What does not add up."""
        with self.books.read() as connection:
            return faults(connection)
