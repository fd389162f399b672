"""A real table, a real broker, real books: whole rounds over HTTP, with the service killed in between."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.harness.broker import Broker
from tests.harness.dealer import Dealer
from tests.harness.house import WholeTable, table
from tests.harness.process import until
from tests.wagering.service import PLAYERS, Service


class Croupier(Dealer):
    """Deals; ``betting`` happens between OPEN and CLOSE."""

    betting: Any = None

    def must(self, *words: str) -> None:
        if words == ("CLOSE",) and self.betting is not None:
            self.betting()
        super().must(*words)


@contextmanager
def evening(folder: Path, broker: Broker, url: str) -> Iterator[tuple[WholeTable, Croupier, Service]]:
    shoe = SimulatedAngelEye(folder / "shoe", tries=1_000_000, answer_timeout_s=0.3)
    given = {
        "mqtt": {"consumers": ["settlement"]},
        "limits": {"currency": "EUR", "table": {"min": 5, "max": 50_000}},
    }
    with table(folder, broker, shoe, given) as made, Service(folder, broker.port, url) as service:
        made.daemon.start()
        yield made, Croupier(made, random.Random(5)), service  # type: ignore[arg-type]


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
        dealer.must("CLOSE")
        until(lambda: ada.table()["phase"] == "dealing", "bets are closed")
        assert ada.bet(round_, ("player", 10)) == (409, "bets_closed")
        assert ada.post("bets/undo", {"round": round_}) == (409, "bets_closed")
        assert ada.bet("north-7-1-99", ("player", 10)) == (409, "wrong_round")
        made.daemon.kill()
        audit = operator.get("/audit")
        assert (audit["sum"], audit["faults"], len(audit["open"])) == (0, [], 11)


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
