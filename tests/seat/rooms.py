"""Tables of every game at one broker, one wagering service, and a person in a browser who sits down there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from drivers.bee_tek.simulator import SimulatedBeeTek
from tests.harness.broker import Broker
from tests.harness.house import WholeTable, table
from tests.harness.process import until
from tests.wagering.service import Caller, Service
from tests.wagering.test_service import Croupier

LIMITS = {"currency": "EUR", "table": {"min": 100, "max": 10_000}, "spots": {"tie": {"min": 100, "max": 500}}}
GAMES: dict[str, dict[str, object]] = {
    "baccarat": {"name": "baccarat"},
    "live": {"name": "baccarat", "odds": "live"},
    "streets": {"name": "baccarat", "odds": "live", "betting_rounds": ["deal", "four"]},
    "2-card-action": {"name": "2-card-action", "layout": "C"},
    "two-cards-high": {"name": "two-cards-high", "seats": 7},
    "casino-holdem": {"name": "casino-holdem"},
}
"""Id of a table -> its game."""
CARDS = {"two-cards-high": 40, "casino-holdem": 52}
PLAYERS = {"ada": 1_000_000, "ben": 1_000_000, "cleo": 1_000_000, "dan": 700, "eve": 1_000_000}
"""Player -> balance, minor units."""


class Table:
    """One table and who deals there."""

    def __init__(self, made: WholeTable, shoe: SimulatedBeeTek, name: str, caller: Caller) -> None:
        self.name = name
        self.path = f"north/{name}"
        self._made, self._shoe, self._caller = made, shoe, caller
        self._dealer = Croupier(made, random.Random(5))
        self._loaded = False

    def say(self, text: str) -> None:
        """Keys and cards, as in ``OPEN; CLOSE; 8S 9H``; a supervisor's are pressed with the key turned."""
        for step in filter(None, (one.strip() for one in text.split(";"))):
            word = step.split()[0]
            if word[0] in "A23456789TJQK" and len(word) == 2:
                for card in step.split():
                    self._shoe.card(card)
            elif word in ("CLEAR", "VOID"):
                for keys in ("KEY S1", step, "NOKEY"):
                    answer = self._made.keypad.press(*keys.split())
                    assert answer == "OK", (keys, answer)
                if word == "VOID":  # bets of this round are on the players' balances again
                    self.wait("void")
            else:
                self._dealer.must(*step.split())

    def open(self) -> str:
        """Place your bets; the id of the round, as soon as the service takes bets."""
        if not self._loaded or self.name in CARDS:
            self.say(f"SHOE {CARDS.get(self.name, 416)}")
            self._loaded = True
        before = self.shown()["round"]
        self.say("OPEN")
        return self.wait("betting", before)

    def wait(self, phase: str, not_round: str | None = "") -> str:
        """Until the service has heard of the phase; the id of the round."""

        def so() -> bool:
            now = self.shown()
            return now["phase"] == phase and now["round"] != not_round

        until(so, f"{self.path}: {phase}")
        return str(self.shown()["round"])

    def shown(self) -> Any:
        """As the service shows it."""
        told = self._caller.get("/tables")
        return next(one for one in told if one["table"] == self.name)


class Tables(dict[str, Table]):
    """Id -> table; one that is looked up for the first time is started, and ends with ``stack``."""

    def __init__(
        self, folder: Path, broker: Broker, caller: Caller, stack: ExitStack, hurry: str | None = None
    ) -> None:
        """``hurry``: the table at which the light is yellow after a moment."""
        super().__init__()
        self._folder, self._broker, self._caller, self._stack = folder, broker, caller, stack
        self._hurry = hurry

    def __missing__(self, name: str) -> Table:
        place = self._folder / name
        place.mkdir()
        shoe = SimulatedBeeTek(place / "shoe")
        settings = {
            "table": {"id": name},
            "game": GAMES[name],
            "mqtt": {"consumers": ["settlement"]},
            "limits": LIMITS if "baccarat" in str(GAMES[name]["name"]) else {**LIMITS, "spots": {}},
            "round": {"bets_s": 600, "decision_s": 600, "warn_s": 599 if name == self._hurry else 5},
            "shoe": {"unshuffled": "off"},
        }
        made = self._stack.enter_context(table(place, self._broker, shoe, settings))
        made.daemon.start()
        self[name] = Table(made, shoe, name, self._caller)
        return self[name]


CASHIER = "https://cashier.example/in"


class Rooms:
    """All of it."""

    def __init__(self, service: Service, broker: Broker, tables: Tables) -> None:
        self.service = service
        self.broker = broker
        self.tables = tables
        self.url = f"http://127.0.0.1:{service.port}"

    def sit(self, page: Page, name: str, player: str = "ada") -> Table:
        """Sit down by the link that a house hands out; the table, when its page is drawn."""
        page.goto(f"{self.url}/#token=token-of-{player}")
        lobby, seat = page.locator("dialog[open]"), page.locator("article.table")
        lobby.or_(seat).first.wait_for()  # who sat somewhere before sits there again
        if lobby.count() == 0:
            page.get_by_role("button", name="Lobby").click()
        page.locator(f'dialog li[data-table="north/{name}"] .go').click()
        expect(seat).to_have_attribute("data-table", f"north/{name}")
        return self.tables[name]


@contextmanager
def rooms(
    folder: Path, more: dict[str, Any] | None = None, hurry: str | None = None, url: str | None = None
) -> Iterator[Rooms]:
    """A broker, the service, and a table of each game with a daemon of its own; ``hurry`` as :class:`Tables`
    has it; ``url``: of other books than a file."""
    with ExitStack() as stack:
        broker = stack.enter_context(Broker(folder / "broker"))
        for player in PLAYERS:
            (folder / f"{player}.token").write_text(f"token-of-{player}\n")
        players = [
            {"name": name, "token_file": f"{name}.token", "balance": balance}
            for name, balance in PLAYERS.items()
        ]
        tables = [{"site": "north", "id": name} for name in GAMES]
        given = {"tables": tables, "players": players, "seat": {"cashier": CASHIER}, **(more or {})}
        books = url or f"sqlite:///{folder / 'books.db'}"
        service = stack.enter_context(Service(folder, broker.port, books, given))
        yield Rooms(service, broker, Tables(folder, broker, service.caller("ben"), stack, hurry))
