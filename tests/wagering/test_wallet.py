"""The house's own wallet: what fails at any step, and whoever dies there, costs nobody a cent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.wagering.calls import Decide, PlaceBets, UndoBets
from controller.wagering.database import Database
from controller.wagering.desk import Desk
from controller.wagering.funding import AT_ONCE, SILENT, Funding, give_up
from controller.wagering.ledger import ask_wallet
from controller.wagering.tables import BooksError
from controller.wagering.wallet import Wallet
from tests.wagering.house_wallet import Failure, HouseWallet
from tests.wagering.seats import SITE, TABLE, Seats

ADA = 10_000


class Funded:
    """A table whose players have their money in the house's wallet."""

    def __init__(self, url: str, house: HouseWallet, table: str = "baccarat") -> None:
        self.house, self.url = house, url
        self.database = Database(url, pays_out=True)
        self.seats = Seats(self.database, table, "nobody")
        self.start()

    def start(self) -> None:
        """A service begins: it gives up what the one before it was asking for."""
        self.desk = Desk(self.database)
        self.desk.start()
        self.funding = Funding(self.database, self.desk, Wallet(self.house.url, patience_s=2), print)

    def crash(self) -> None:
        """The service ends between two steps, and another begins."""
        self.desk.stop()
        self.start()
        with self.database.change() as connection:
            give_up(connection)

    def ask(self, call: str, *bets: tuple[str, int]) -> tuple[int, Any]:
        wanted = [{"spot": spot, "stake": stake} for spot, stake in bets]
        return self.carry_out(PlaceBets, id=call, bets=wanted)

    def carry_out(self, shape: Any, **fields: Any) -> tuple[int, Any]:
        asked = msgspec.convert({"round": self.seats.felt.round, **fields}, shape)
        status, body = self.funding.carry_out(SITE, TABLE, "ada", asked)
        return status, json.loads(body)

    def settle(self) -> None:
        """Send what is due until nothing is."""
        for _ in range(20):
            if not self.funding.send():
                return
        raise AssertionError("the wallet never gets what is due")


@contextmanager
def funded(url: str, table: str = "baccarat") -> Iterator[Funded]:
    with HouseWallet(ada=ADA) as house:
        made = Funded(url, house, table)
        yield made
        made.settle()
        assert made.seats.faults() == []
        made.desk.stop()
        made.database.close()


def test_a_stake_is_debited_and_winnings_are_credited(url: str) -> None:
    with funded(url) as made:
        made.seats.say("OPEN")
        status, told = made.ask("a", ("player", 1000), ("tie", 10))
        assert (status, told["balance"], made.house.balances["ada"]) == (201, ADA - 1010, ADA - 1010)
        assert made.ask("a", ("player", 1000), ("tie", 10)) == (201, told)
        assert made.ask("b", ("player", ADA))[0] == 402
        made.seats.say("CLOSE; KS; 2C; 9D; 3D")
        made.settle()
        assert made.house.balances["ada"] == ADA + 990
        made.seats.say("VOID supervisor")
        made.settle()
        assert made.house.balances["ada"] == ADA


def test_play_is_debited_too_and_a_closed_round_costs_nothing(url: str) -> None:
    with funded(url, "casino-holdem") as made:
        made.seats.say("OPEN")
        made.ask("a", ("hand1.ante", 100))
        made.seats.say("CLOSE; AS; AD; 2C; 7D; KS; QD; AH; 9C; 4D")
        assert made.carry_out(Decide, id="d", hand="hand1", decision="play")[0] == 201
        assert made.house.balances["ada"] == ADA - 300
        assert made.ask("b", ("hand1.ante", 100))[1]["error"]["code"] == "bets_closed"
        made.seats.say("VOID supervisor")
        made.settle()
        assert made.house.balances["ada"] == ADA


def test_bets_that_close_while_the_wallet_is_asked_are_rolled_back(url: str) -> None:
    with funded(url) as made:
        made.seats.say("OPEN")

        def closes(number: int, kind: str) -> Failure:
            if kind == "debit":
                made.seats.say("CLOSE")
            return None

        made.house.fails = closes
        assert made.ask("a", ("player", 1000))[1]["error"]["code"] == "bets_closed"
        made.house.fails = lambda number, kind: None
        made.settle()
        assert made.house.balances["ada"] == ADA
        assert [kind for kind, name in made.house.calls if name.startswith("stake")] == ["debit", "rollback"]


@pytest.mark.parametrize("failure", ["before", "after"])
@pytest.mark.parametrize("step", range(1, 8))
@pytest.mark.parametrize("crash", [False, True])
def test_a_wallet_that_fails_at_any_step_costs_nobody_a_cent(
    tmp_path: Path, failure: Failure, step: int, crash: bool
) -> None:
    with funded(f"sqlite:///{tmp_path / 'books.db'}") as made:
        made.house.fails = lambda number, kind: failure if number == step else None
        expected = ADA
        for number, cards in enumerate(("KS; 2C; 9D; 3D", "2S; 2D; 3C; 3D; 6H; 5C", "KS; 9C; 2D; KD"), 1):
            made.seats.say("OPEN")
            status, told = made.ask(f"c{number}", ("player", 100))
            if crash:
                made.crash()
            if status == 503:  # nobody knows whether the stake was given: it comes back, and the call again
                made.settle()
                status, told = made.ask(f"c{number}", ("player", 100))
            assert status == 201
            assert made.ask(f"c{number}", ("player", 100)) == (status, told)
            made.seats.say(f"CLOSE; {cards}")
            made.funding.send()
            if number == 2:
                made.seats.say("VOID supervisor")
            else:
                expected += {1: 100, 3: -100}[number]
                made.seats.say("SETTLED")
        made.settle()
        assert made.house.balances["ada"] == expected


def test_a_service_that_dies_while_it_asks_gives_the_stake_back(url: str) -> None:
    with funded(url) as made:
        made.seats.say("OPEN")
        died: list[bool] = []

        def dies(number: int, kind: str) -> Failure:
            if kind == "debit" and not died:
                died.append(True)
                made.crash()
            return None

        made.house.fails = dies
        with pytest.raises(BooksError):
            made.ask("a", ("player", 1000))
        assert made.ask("a", ("player", 1000))[0] == 503
        made.settle()
        assert made.house.balances["ada"] == ADA
        assert made.ask("a", ("player", 1000))[0] == 201
        assert made.house.balances["ada"] == ADA - 1000


def test_what_a_player_owes_and_does_not_have_is_covered_by_later_winnings(url: str) -> None:
    with funded(url) as made:
        made.seats.say("OPEN")
        made.ask("a", ("player", 1000))
        made.seats.say("CLOSE; KS; 2C; 9D; 3D")
        made.settle()
        made.house.balances["ada"] = 500  # spent elsewhere
        made.seats.say("VOID supervisor")
        made.settle()
        assert (made.house.balances["ada"], made.seats.faults()) == (500, [])


def test_books_that_fail_for_a_moment_while_the_wallet_is_asked_give_the_stake_back(url: str) -> None:
    """Nobody dies: the service goes on, and so must the stake."""
    with funded(url) as made:
        made.seats.say("OPEN")
        ask, failing = made.desk.ask, ["second"]

        def fails(work: Any) -> Any:
            if work.__name__ in failing:
                raise BooksError("the disk is full")
            return ask(work)

        made.desk.ask = fails  # type: ignore[method-assign]
        with pytest.raises(BooksError):
            made.ask("a", ("player", 1000))
        assert made.house.balances["ada"] == ADA - 1000
        failing.clear()
        made.settle()
        assert made.house.balances["ada"] == ADA
        assert made.ask("a", ("player", 1000))[0] == 201, "nothing had been done"


def test_a_stake_that_is_rolled_back_pays_for_nothing_though_a_commit_had_no_answer(url: str) -> None:
    """The desk does a piece of work again then, and by now the table is heard again."""
    with funded(url) as made:
        made.seats.say("OPEN")
        ask = made.desk.ask

        def twice(work: Any) -> Any:
            if work.__name__ == "second":
                ask(work).result()
            return ask(work)

        made.desk.ask = twice  # type: ignore[method-assign]
        wanted = {"id": "a", "round": made.seats.felt.round, "bets": [{"spot": "player", "stake": 10}]}
        heard = [True, False, True]
        said = made.funding.carry_out(
            SITE, TABLE, "ada", msgspec.convert(wanted, PlaceBets), lambda: heard.pop(0)
        )
        assert said[0] == 503
        made.settle()
        assert made.house.balances["ada"] == ADA


def test_what_the_wallet_never_takes_stands_in_nobodys_way(tmp_path: Path) -> None:
    with funded(f"sqlite:///{tmp_path / 'books.db'}") as made:
        made.seats.say("OPEN")
        assert made.ask("a", ("player", 1000))[0] == 201
        never = AT_ONCE + SILENT
        with made.database.change() as connection:
            for number in range(never):
                ask_wallet(connection, "credit", "gone", 1, id=f"never-{number}")
        made.seats.say("CLOSE; KS; 2C; 9D; 3D")  # player wins
        calls = made.house.calls
        made.house.fails = lambda number, kind: "before" if calls[-1][1].startswith("never") else None
        for _ in range(never):
            made.funding.send()
            if made.house.balances["ada"] == ADA + 1000:
                break
        assert made.house.balances["ada"] == ADA + 1000
        made.house.fails = lambda number, kind: None


def test_an_id_that_waits_for_the_wallet_is_nobody_elses(url: str) -> None:
    with funded(url) as made:
        made.seats.say("OPEN")
        told: list[tuple[int, Any]] = []

        def meanwhile(number: int, kind: str) -> Failure:
            if kind == "debit" and not told:
                told.append(made.ask("a", ("player", 1000)))
                told.append(made.carry_out(UndoBets, id="a"))
            return None

        made.house.fails = meanwhile
        made.house.guard = nullcontext()
        assert made.ask("a", ("player", 1000))[0] == 201
        assert [status for status, _ in told] == [503, 503]
        assert made.ask("a", ("player", 1000))[0] == 201
        assert made.carry_out(UndoBets, id="a")[1]["error"]["code"] == "id_reused"
        made.settle()
        assert made.house.balances["ada"] == ADA - 1000
        made.crash()


def test_a_table_that_is_not_heard_any_more_when_the_wallet_has_given_costs_nothing(url: str) -> None:
    with funded(url) as made:
        made.seats.say("OPEN")
        wanted = {"id": "a", "round": made.seats.felt.round, "bets": [{"spot": "player", "stake": 10}]}
        asked = msgspec.convert(wanted, PlaceBets)
        heard = [True, False]
        said = made.funding.carry_out(SITE, TABLE, "ada", asked, lambda: heard.pop(0))
        assert said[0] == 503
        made.settle()
        assert made.house.balances["ada"] == ADA
        assert made.ask("a", ("player", 10))[0] == 201
