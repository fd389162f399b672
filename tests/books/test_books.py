"""Bets at live odds: taken at the price of the open offer only, settled at it, every unit accounted for."""

from __future__ import annotations

import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from controller.book import BANK, STAKES, Book
from controller.vocabulary.errors import InputError
from tests.books import __main__ as books
from tests.books.mortal import quiet
from tests.books.nights import play, play_whole
from tests.books.simulation import MISHAPS, simulate
from tests.harness.postgres import Postgres
from tests.scenarios.conversation import Conversation, configuration_of, name_of


def test_the_books_balance_over_many_rounds_with_mishaps() -> None:
    simulation = simulate(rounds=250, seed=3, in_1000=300)
    seen = simulation.seen
    assert seen.rounds == 250
    assert seen.bets > 1000
    assert sum(simulation.book.accounts.values()) == 0
    assert set(seen.mishaps) == set(MISHAPS)
    assert seen.refused.keys() == {"not_offered", "bets_closed"}
    assert abs(simulation.sigmas) < 4
    assert seen.moved > 250  # prices move with the cards


@pytest.mark.parametrize("number", [1, 6, 11, 20])
def test_a_night_in_which_everything_dies_balances(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each game once, both databases, with and without a wallet of the house; ``make books`` plays on."""
    monkeypatch.setattr(threading, "excepthook", quiet)
    with closing(Postgres()) as postgres:
        figures = play(f"test-{number}", number, players=20, postgres=postgres, rounds=3)
    assert figures.rounds == 3
    assert figures.calls > 10


def test_a_night_of_processes_that_are_killed_balances() -> None:
    with closing(Postgres()) as postgres:
        figures = play_whole("test", 0, players=20, postgres=postgres, rounds=1)
    assert figures.rounds == 1
    assert figures.calls > 10


def test_a_night_that_did_not_balance_is_not_played_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever starts the long run again does not overlook it; only ``--again`` begins anew."""
    monkeypatch.setattr(books, "PROGRESS", tmp_path / "books.json")
    books.keep({"7-0": {books.FAULT: "ada has 1 too many"}, "8-0": {}})
    monkeypatch.setattr(sys, "argv", ["books", "--rounds", "0"])
    assert books.main() == 1
    assert "ada has 1 too many" in capsys.readouterr().err
    assert books.read("8") == {"8-0": {}}


class Listener:
    """A table at live odds, and a book that hears it."""

    def __init__(self) -> None:
        self.conversation = Conversation(
            configuration_of('baccarat odds=live betting_rounds=["deal","first"] shoe.unshuffled=off')
        )
        self.book, self.heard = Book("baccarat"), 0
        self.say("SHOE 416; OPEN")

    def say(self, text: str) -> None:
        self.conversation.say(text)
        for message in self.conversation.stream[self.heard :]:
            data = message["data"]
            assert isinstance(data, dict)
            self.book.hear(str(message["id"]), name_of(message), data)
        self.heard = len(self.conversation.stream)

    def take(self, spot: str, stake: int, player: str = "ada") -> float:
        assert self.book.offer is not None
        offer, prices = self.book.offer
        return self.book.take(player, spot, stake, offer, prices[spot]).price


def test_each_bet_is_settled_at_the_price_it_was_taken_at() -> None:
    table = Listener()
    early = table.take("player", 1000)
    table.say("CLOSE; 9S 2C")
    late = table.take("player", 1000, "ben")
    assert late < early == 1.92
    table.say("CLOSE; KS 3C")
    assert [paid.returned_minor for paid in table.book.paid] == [1920, int(1000 * late)]
    assert table.book.accounts["ada"] == 920
    assert sum(table.book.accounts.values()) == table.book.accounts[STAKES] == 0


def test_player_gets_the_stake_back_on_a_tie_and_a_void_gives_all_back() -> None:
    table = Listener()
    table.take("player", 1000)
    table.take("tie", 10)
    table.say("CLOSE; 9S 4C; CLOSE; KS 5C")
    assert [(paid.result, paid.returned_minor) for paid in table.book.paid] == [("push", 1000), ("win", 99)]
    table.say("VOID supervisor")
    assert [paid.returned_minor for paid in table.book.paid] == [1000, 10]
    assert set(table.book.accounts.values()) == {0}


def test_a_replaced_result_takes_back_what_was_paid_before() -> None:
    table = Listener()
    table.take("player", 1000)
    table.take("banker", 1000)
    table.say("CLOSE; 2S 3C; CLOSE; 2D 3D 6H 5C")
    assert table.book.accounts[BANK] == 2000 - 1870
    table.say("RETURN 5C; 5C")
    assert table.book.accounts[BANK] == 2000 - 1870
    assert len(table.book.paid) == 2
    assert table.book.faults() == []


def test_a_bet_is_refused_at_any_other_price_offer_or_time() -> None:
    table = Listener()
    assert table.book.offer is not None
    old, prices = table.book.offer
    price = prices["banker"]

    def refused(offer: str, price: float, stake: int = 100) -> str:
        with pytest.raises(InputError) as caught:
            table.book.take("ada", "banker", stake, offer, price)
        return caught.value.code

    assert refused(old, price + 0.01) == refused("1-1", price) == "not_offered"
    assert refused(old, price, 0) == "bad_stake"
    table.say("HOLD")
    assert refused(old, price) == "not_offered"
    table.say("CLEAR continue")
    assert refused(old, price) == "not_offered"
    table.take("banker", 100)
    table.say("CLOSE")
    assert refused(old, price) == "bets_closed"
    table.say("9S 2C")
    assert refused(old, price) == "not_offered"
    assert table.book.accounts["ada"] == -100


@pytest.mark.parametrize("keys", ["RETURN 2C", "HOLD; RETURN 2C", "VOID supervisor", "3D; CLEAR return"])
def test_no_bet_is_taken_once_the_betting_round_has_ended_some_other_way(keys: str) -> None:
    table = Listener()
    table.say("CLOSE; 9S 2C")
    assert table.book.offer is not None
    offer, prices = table.book.offer
    table.say(keys)
    with pytest.raises(InputError) as caught:
        table.book.take("ada", "banker", 100, offer, prices["banker"])
    assert caught.value.code == "bets_closed"


def test_a_hold_and_a_result_close_an_offer_that_nobody_took_back() -> None:
    """Whatever a table says or leaves out, the book takes no bet at a price that was offered before."""
    for name in ("table.held", "round.settled", "round.final"):
        table = Listener()
        table.book.hear("1-99", name, {})
        assert table.book.offer is None


def test_books_that_do_not_balance_are_found() -> None:
    table = Listener()
    table.take("player", 1000)
    table.book.accounts[BANK] += 1
    assert table.book.faults() == ["all accounts together are 1, not 0"]
    table.book.accounts[STAKES] -= 1
    assert table.book.faults() == ["999 lie in stakes, the open bets are 1000"]
