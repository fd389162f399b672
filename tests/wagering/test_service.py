"""A real table, a real broker, real books: whole rounds over HTTP, with the service killed in between."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from controller.vocabulary.events import SeatsTaken
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from tests.harness.broker import Broker
from tests.harness.dealer import Dealer
from tests.harness.house import WholeTable, table
from tests.harness.process import until
from tests.wagering.house_wallet import HouseWallet
from tests.wagering.service import PLAYERS, Service


class Croupier(Dealer):
    """Deals; ``betting`` happens between OPEN and CLOSE."""

    betting: Any = None

    def must(self, *words: str) -> None:
        if words == ("CLOSE",) and self.betting is not None:
            self.betting()
        super().must(*words)


@contextmanager
def evening(
    folder: Path, broker: Broker, url: str, more: Mapping[str, object] = {}
) -> Iterator[tuple[WholeTable, Croupier, Service]]:
    shoe = SimulatedAngelEye(folder / "shoe", tries=1_000_000, answer_timeout_s=0.3)
    given = {
        "mqtt": {"consumers": ["settlement"]},
        "limits": {"currency": "EUR", "table": {"min": 5, "max": 50_000}},
    }
    with table(folder, broker, shoe, given) as made, Service(folder, broker.port, url, more) as service:
        made.daemon.start()
        yield made, Croupier(made, random.Random(5)), service


def test_whole_rounds_with_the_service_killed_in_between(tmp_path: Path, broker: Broker, url: str) -> None:
    with evening(tmp_path, broker, url) as (_, dealer, service):
        ada, ben, operator = (service.caller(name) for name in ("ada", "ben", "operator"))
        played: list[str] = []

        def betting() -> None:
            played.append(ada.wait_open(played[-1] if played else None))
            answers = ada.bet(played[-1], ("player", 100), ("tie", 7), id=played[-1])
            ben.bet(played[-1], ("banker", 10))
            service.restart()
            assert ada.bet(played[-1], ("player", 100), ("tie", 7), id=played[-1]) == answers

        dealer.betting = betting
        for _ in range(2):
            dealer.round()
            service.restart()
        until(lambda: not operator.get("/audit")["open"], "all is settled")
        audit = operator.get("/audit")
        assert (audit["sum"], audit["faults"]) == (0, [])
        net = dict.fromkeys(PLAYERS, 0)
        for felt in dealer.rounds:
            assert felt.played is not None
            winner = felt.played.winner
            net["ada"] += {"player": 100, "tie": 56, "banker": -107}[winner] - (
                7 if winner == "player" else 0
            )
            net["ben"] += {"player": -10, "tie": 0, "banker": 9}[winner]
        assert {name: audit["accounts"][name] - PLAYERS[name] for name in PLAYERS} == net
        told = ada.get("/account/history")["rounds"]
        assert [one["round"] for one in told] == played[::-1]
        assert all(line["message"] or line["call"] for line in audit["lines"] if line["what"] != "opening")


def test_nobody_gets_at_anothers_money(tmp_path: Path, broker: Broker, url: str) -> None:
    """Attacks: no token, another's token, a call again, a round that closed, parallel calls, bad bodies."""
    with evening(tmp_path, broker, url) as (made, dealer, service):
        ada, ben, operator = (service.caller(name) for name in ("ada", "ben", "operator"))
        thief = service.caller("thief", "token-of-nobody")
        dealer.load()
        dealer.must("OPEN")
        round_ = ada.wait_open(None)
        strange = httpx.get(f"http://127.0.0.1:{service.port}/", headers={"Host": "rebinding.example"})
        assert strange.status_code == 421
        assert thief.bet(round_, ("player", 10)) == thief.get("/account") == (401, "unauthorized")
        assert operator.bet(round_, ("player", 10)) == operator.get("/account") == (403, "forbidden")
        assert ada.get("/audit") == (403, "forbidden")
        assert ada.bet(round_, ("player", 10), id="same")["balance"] == PLAYERS["ada"] - 10
        assert ben.bet(round_, ("player", 20), id="same")["balance"] == PLAYERS["ben"] - 20
        assert ada.post("bets/undo", {"round": round_, "id": "same"}) == (409, "id_reused")
        assert ada.post("bets", {"round": round_, "bets": []}, "north/8") == (404, "unknown_table")
        for body in (
            {"round": round_},
            {"round": round_, "bets": []},
            {"round": 5, "bets": [{}]},
            {"player": "ben"},
        ):
            assert ada.post("bets", body) == (400, "bad_request")
        assert ada.http.post("/tables/north/7/bets", content=b"[" * 100_000).status_code == 400
        with ThreadPoolExecutor(16) as hands:
            told = list(hands.map(lambda place: ben.bet(round_, ("banker", 100), id=f"p{place}"), range(40)))
        assert sum(isinstance(one, dict) for one in told) == 9
        assert {one for one in told if isinstance(one, tuple)} == {(402, "insufficient_balance")}
        assert ben.get("/account")["balance"] == 80
        seen = ada.http.get("/account").text + ada.http.get("/account/history").text
        assert "ada" in seen
        assert "ben" not in seen
        dealer.must("CLOSE")
        until(lambda: ada.table()["phase"] == "dealing", "bets are closed")
        assert ada.bet(round_, ("player", 10)) == (409, "bets_closed")
        assert ada.post("bets/undo", {"round": round_}) == (409, "bets_closed")
        assert ada.bet("north-7-1-99", ("player", 10)) == (409, "wrong_round")
        assert ada.get("/accounts") == (404, "not_found")
        assert ada.get("/tables/north/7/bets") == (405, "bad_request")
        made.daemon.kill()
        audit = operator.get("/audit")
        assert (audit["sum"], audit["faults"], len(audit["open"])) == (0, [], 11)


def test_nobody_bets_on_cards_that_lie_while_the_service_was_away(tmp_path: Path, broker: Broker) -> None:
    """The service dies while bets are open, and begins when the cards lie: its books still say that bets are
    open. Whoever saw the cards calls at once, often, and is not faster than the stream."""
    with evening(tmp_path, broker, f"sqlite:///{tmp_path / 'books.db'}") as (_, dealer, service):
        ada, operator = service.caller("ada"), service.caller("operator")
        rounds: list[str] = []
        dealer.betting = lambda: (rounds.append(ada.wait_open(None)), service.kill())
        dealer.round()
        service.start()
        told = [ada.bet(rounds[0], ("player", 100), id=f"late{place}") for place in range(5)]
        assert {one[1] for one in told} <= {"bets_closed", "wrong_round", "unavailable"}
        assert operator.get("/audit")["open"] == []
        assert ada.get("/account")["balance"] == PLAYERS["ada"]


def test_the_table_waits_for_the_book(tmp_path: Path, broker: Broker) -> None:
    """The trial of ``docs/how-to/take-bets.md``: the service stands still while bets close."""
    shoe, url = SimulatedAngelEye(tmp_path / "shoe", tries=1_000_000), f"sqlite:///{tmp_path / 'books.db'}"
    given = {
        "mqtt": {"consumers": ["settlement"]},
        "round": {"await_book": "settlement", "book_s": 1},
    }
    with table(tmp_path, broker, shoe, given) as made, Service(tmp_path, broker.port, url) as service:
        made.daemon.start()
        dealer = Croupier(made, random.Random(5))
        dealer.load()
        dealer.must("OPEN")
        ada = service.caller("ada")
        round_ = ada.wait_open(None)
        ada.bet(round_, ("player", 10))
        os.kill(service.pid, signal.SIGSTOP)
        dealer.must("CLOSE")

        def said(name: str) -> list[str]:
            told = [json.loads(body) for body in made.messages()]
            return [one["data"]["reason"] for one in told if one["type"] == f"dealertable.{name}.v1"]

        until(lambda: said("table.held") == ["book_silent"], "the table holds")
        os.kill(service.pid, signal.SIGCONT)
        until(lambda: len(said("table.resumed")) == 1, "the table goes on by itself")
        assert [bet["stake"] for bet in ada.get("/account")["open"]] == [10]


def test_bets_wait_for_a_broker_that_is_away_and_are_then_taken(tmp_path: Path, broker: Broker) -> None:
    with evening(tmp_path, broker, f"sqlite:///{tmp_path / 'books.db'}") as (_, dealer, service):
        ada = service.caller("ada")
        dealer.load()
        dealer.must("OPEN")
        round_ = ada.wait_open(None)
        assert ada.bet(round_, ("player", 10))["balance"] == PLAYERS["ada"] - 10
        broker.stop()
        ben, ids = service.caller("ben"), map(str, count())
        away = (503, "unavailable")
        until(lambda: ben.bet(round_, ("player", 10), id=next(ids)) == away, "no bet is taken")
        assert ada.bet(round_, ("player", 20), id="x") == away
        broker.start()
        until(lambda: isinstance(ada.bet(round_, ("player", 20), id="x"), dict), "the bet is taken")
        assert ada.get("/account")["balance"] == PLAYERS["ada"] - 30
        assert ada.http.get("/account/history", params={"before": "\0"}).status_code == 400


def test_what_a_broker_kept_of_a_table_that_is_cut_off_opens_no_bets(tmp_path: Path, broker: Broker) -> None:
    """The broker comes back, the table does not: it may be dealing by now."""
    with evening(tmp_path, broker, f"sqlite:///{tmp_path / 'books.db'}") as (made, dealer, service):
        ada, ben = service.caller("ada"), service.caller("ben")
        dealer.load()
        dealer.must("OPEN")
        round_ = ada.wait_open(None)
        assert ada.bet(round_, ("player", 10))["balance"] == PLAYERS["ada"] - 10
        made.daemon.freeze()
        broker.stop(signal.SIGKILL)  # one that ends in good order speaks for the table that it loses
        broker.start()
        for _ in range(2):  # each waits for the table to be heard
            assert ben.bet(round_, ("player", 10)) == (503, "unavailable")
        made.daemon.thaw()
        until(lambda: isinstance(ada.bet(round_, ("player", 20), id="x"), dict), "the table is back")


def test_a_spot_says_what_it_pays_and_takes(tmp_path: Path, broker: Broker) -> None:
    with evening(tmp_path, broker, f"sqlite:///{tmp_path / 'books.db'}") as (_, dealer, service):
        ada = service.caller("ada")
        dealer.load()
        dealer.must("OPEN")
        ada.wait_open(None)
        shown = ada.table()
        assert (shown["site"], shown["table"], shown["game"]) == ("north", "7", "baccarat")
        spot = {"pays": "8:1", "offer": None, "price": None, "min": 5, "max": 50_000}
        assert shown["spots"]["tie"] == spot


def test_the_table_is_told_which_seats_have_bets(tmp_path: Path, broker: Broker) -> None:
    given = {
        "game": {"name": "two-cards-high", "seats_from": "wagering"},
        "mqtt": {"consumers": ["settlement"]},
    }
    shoe, url = SimulatedBeeTek(tmp_path / "shoe"), f"sqlite:///{tmp_path / 'books.db'}"
    with table(tmp_path, broker, shoe, given) as made, Service(tmp_path, broker.port, url) as service:
        made.daemon.start()
        dealer = Croupier(made, random.Random(5))
        dealer.must("SHOE", "40")
        dealer.must("OPEN")
        ada = service.caller("ada")
        round_ = ada.wait_open(None)
        ada.bet(round_, ("seat5.main", 10), ("seat2.main", 10))

        def told() -> list[tuple[int, ...]]:
            return [event.seats for _, event, _ in made.records() if isinstance(event, SeatsTaken)]

        until(lambda: told() == [(2, 5)], "the table knows the seats")
        ada.post("bets/undo", {"round": round_})
        ada.bet(round_, ("seat3.main", 10))
        until(lambda: told() == [(2, 5), (3,)], "the table knows the seats")
        dealer.must("CLOSE")
        until(lambda: ada.table()["phase"] == "dealing", "bets are closed")
        assert [bet["spot"] for bet in ada.get("/account")["open"]] == ["seat3.main"]


def test_a_house_keeps_the_money_in_a_wallet_of_its_own(tmp_path: Path, broker: Broker, url: str) -> None:
    with HouseWallet(ada=1000) as house:
        shoe = SimulatedAngelEye(tmp_path / "shoe", tries=1_000_000, answer_timeout_s=0.3)
        given = {"mqtt": {"consumers": ["settlement"]}}
        players = [{"name": "ada", "token_file": "ada.token"}]
        more = {"wallet": {"url": house.url}, "players": players}
        with (
            table(tmp_path, broker, shoe, given) as made,
            Service(tmp_path, broker.port, url, more) as service,
        ):
            made.daemon.start()
            dealer = Croupier(made, random.Random(5))
            ada, operator = service.caller("ada"), service.caller("operator")

            def betting() -> None:
                ada.bet(ada.wait_open(None), ("player", 100), id="one")
                house.fails = lambda number, kind: "after" if kind == "credit" and number < 4 else None
                service.restart()

            dealer.betting = betting
            dealer.round()
            winner = dealer.rounds[0].played.winner
            due = 1000 + {"player": 100, "tie": 0, "banker": -100}[winner]
            until(lambda: not operator.get("/audit")["open"], "all is settled")
            until(lambda: house.balances["ada"] == due, "the wallet has it")
            until(lambda: not operator.get("/audit")["wallet"], "nothing is due")
            audit = operator.get("/audit")
            assert (audit["sum"], audit["faults"], audit["accounts"]["ada"]) == (0, [], 0)
            assert ada.get("/account")["balance"] == due
