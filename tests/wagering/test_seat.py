"""The stream of a seat: what is told, to whom, and what becomes of the bets of who goes away."""

from __future__ import annotations

import json
import random
import socket
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.board.server import listen
from controller.wagering.seat.pages import words_of_seat
from controller.wagering.slips import STATUS
from drivers.bee_tek.simulator import SimulatedBeeTek
from tests.harness.broker import Broker, leave
from tests.harness.house import table
from tests.harness.patience import PATIENCE_S
from tests.harness.process import until
from tests.wagering.house_wallet import Failure, HouseWallet
from tests.wagering.service import PLAYERS, Service
from tests.wagering.test_service import Croupier, evening


def test_a_seat_is_told_the_table_its_own_bets_and_the_balance(tmp_path: Path, broker: Broker) -> None:
    with evening(tmp_path, broker, f"sqlite:///{tmp_path / 'books.db'}") as (_, dealer, service):
        ada, ben = service.caller("ada"), service.caller("ben")
        seat, other = service.sit("ada"), service.sit("ben")
        dealer.load()
        seen: list[str] = []

        def betting() -> None:
            seen.append(ada.wait_open(seen[-1] if seen else None))
            seat.wait(lambda last: last["felt"]["phase"] == "betting" and last["felt"]["round"] == seen[-1])
            seat.wait(lambda last: last["table"]["display"]["phase"] == "betting")
            ada.bet(seen[-1], ("player", 100), ("tie", 5))
            ben.bet(seen[-1], ("banker", 10))
            seat.wait(lambda last: [bet["stake"] for bet in last["seat"]["bets"]] == [100, 5])
            seat.wait(lambda last: last["purse"]["balance"] == ada.get("/account")["balance"])
            other.wait(lambda last: [bet["spot"] for bet in last["seat"]["bets"]] == ["banker"])

        dealer.betting = betting
        dealer.round()
        seat.wait(lambda last: last["seat"]["returned"] is not None)
        assert {bet["state"] for bet in seat.last["seat"]["bets"]} == {"settled"}
        seat.wait(lambda last: last["purse"]["balance"] == ada.get("/account")["balance"])
        dealer.round()
        assert seat.last["seat"]["previous"] == {"player": 100, "tie": 5}
        assert b'"ben"' not in seat.whole
        assert b'"ada"' not in other.whole
        later = service.sit("ada")
        seat.wait(lambda last: last["taken"] == {}, "the newest page has the seat")
        seat.join(PATIENCE_S)
        assert seat.ended, "the service hangs up"
        later.wait(lambda last: last["seat"]["bets"])


def test_who_goes_while_bets_are_open_gets_them_back(tmp_path: Path, broker: Broker, url: str) -> None:
    """Disconnection Policy: before bets close they are void, afterwards they stand and are settled."""
    with evening(tmp_path, broker, url) as (_, dealer, service):
        ada, operator = service.caller("ada"), service.caller("operator")
        dealer.load()
        dealer.must("OPEN")
        round_ = ada.wait_open(None)
        seat = service.sit("ada")
        seat.wait(lambda last: last["felt"]["round"] == round_)
        ada.bet(round_, ("player", 100))
        seat.leave()
        until(lambda: not ada.get("/account")["open"], "the bets came back")
        assert ada.get("/account")["balance"] == PLAYERS["ada"]
        assert ada.get("/account/history")["rounds"][0]["staked"] == 0
        assert {line["call"][:5] for line in operator.get("/audit")["lines"] if line["what"] == "undo"} == {
            "left-"
        }
        seat = service.sit("ada")
        seat.wait(lambda last: last["seat"]["given_back"])
        ada.bet(round_, ("player", 100))
        other = service.sit("ada")  # another device takes the seat over: nobody has left
        seat.wait(lambda last: "taken" in last)
        other.wait(lambda last: len(last["seat"]["bets"]) == 1)
        dealer.must("CLOSE")
        other.wait(lambda last: last["felt"]["phase"] == "dealing")
        other.leave()
        seat = service.sit("ada")
        seat.wait(lambda last: [bet["state"] for bet in last["seat"]["bets"]] == ["open"])
        service.restart()
        assert len(ada.get("/account")["open"]) == 1


def test_a_bet_that_is_still_on_its_way_when_its_player_goes_comes_back(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    """The wallet takes its time."""
    gives = threading.Event()

    def waits(number: int, kind: str) -> Failure:
        if kind == "debit":
            assert gives.wait(PATIENCE_S)
        return None

    with HouseWallet(ada=1000) as house, ThreadPoolExecutor(1) as hand:
        house.fails = waits
        players = [{"name": "ada", "token_file": "ada.token"}]
        more = {"wallet": {"url": house.url}, "players": players}
        with evening(tmp_path, broker, url, more) as (_, dealer, service):
            ada = service.caller("ada")
            dealer.load()
            dealer.must("OPEN")
            round_ = ada.wait_open(None)
            seat = service.sit("ada")
            seat.wait(lambda last: last["felt"]["round"] == round_)
            bet = hand.submit(ada.bet, round_, ("player", 100))
            until(lambda: house.calls, "the wallet is asked")
            seat.leave()
            other = service.caller("ada")
            for _ in range(8):
                assert other.get("/account")["open"] == []
            gives.set()
            bet.result()
            until(lambda: not other.get("/account")["open"], "it came back")
            until(lambda: house.balances["ada"] == 1000, "and the wallet has the stake")


def test_in_a_hold_they_come_back_when_it_ends(tmp_path: Path, broker: Broker) -> None:
    with evening(tmp_path, broker, f"sqlite:///{tmp_path / 'books.db'}") as (_, dealer, service):
        ada = service.caller("ada")
        dealer.load()
        dealer.must("OPEN")
        round_ = ada.wait_open(None)
        seat = service.sit("ada")
        seat.wait(lambda last: last["felt"]["round"] == round_)
        ada.bet(round_, ("player", 100))
        dealer.must("HOLD")
        seat.wait(lambda last: last["felt"]["held"])
        seat.leave()
        assert ada.post("bets/undo", {"round": round_}) == (409, "table_held")
        dealer.must("KEY", "S1")
        dealer.must("CLEAR", "continue")
        until(lambda: not ada.get("/account")["open"], "the bets came back")


def test_who_does_not_come_back_to_a_service_that_died_gets_the_bets_back_once(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    """It ends, and it is killed; ben's page comes back, ada's does not."""
    with evening(tmp_path, broker, url) as (_, dealer, service):
        ada, ben, operator = (service.caller(name) for name in ("ada", "ben", "operator"))
        dealer.load()
        dealer.must("OPEN")
        round_ = ada.wait_open(None)
        for player in ("ada", "ben"):
            service.sit(player).wait(lambda last: last["felt"]["round"] == round_)
        ada.bet(round_, ("player", 100))
        ben.bet(round_, ("banker", 100))
        service.stop()
        service.start()
        assert len(ada.get("/account")["open"]) == 1
        service.restart()
        service.sit("ben")
        until(lambda: not ada.get("/account")["open"], "ada's bets came back")
        ada.bet(round_, ("player", 200))  # whoever calls without a page has not left it
        service.restart()
        seat = service.sit("ben")
        seat.wait(lambda last: last["seat"]["bets"])
        dealer.must("CLOSE")
        seat.wait(lambda last: last["felt"]["phase"] == "dealing")
        assert [bet["stake"] for bet in ada.get("/account")["open"]] == [200]
        assert [bet["stake"] for bet in ben.get("/account")["open"]] == [100]
        undone = [line for line in operator.get("/audit")["lines"] if line["what"] == "undo"]
        assert [line["account"] for line in undone] == ["house:stakes", "ada"]


def test_who_came_back_to_a_new_life_and_calls_without_a_page_keeps_what_is_bet_then(
    tmp_path: Path, broker: Broker
) -> None:
    """The sitting of the earlier life is over when somebody sits down again, whatever becomes of this one."""
    with evening(tmp_path, broker, f"sqlite:///{tmp_path / 'books.db'}") as (_, dealer, service):
        ada, ben = service.caller("ada"), service.caller("ben")
        dealer.load()
        dealer.must("OPEN")
        round_ = ada.wait_open(None)
        for player in ("ada", "ben"):
            service.sit(player).wait(lambda last: last["felt"]["round"] == round_)
        with closing(sqlite3.connect(tmp_path / "books.db")) as books:
            both = "SELECT count(*) FROM sittings"
            until(lambda: books.execute(both).fetchone() == (2,), "both sit, and the books say so")
        ben.bet(round_, ("banker", 100))
        service.restart()
        back = service.sit("ada")
        back.wait(lambda last: last["felt"]["round"] == round_)
        back.leave()
        with closing(sqlite3.connect(tmp_path / "books.db")) as books:
            sits = "SELECT count(*) FROM sittings WHERE player = 'ada'"
            until(
                lambda: books.execute(sits).fetchone() == (0,), "nothing of that sitting is left to be done"
            )
        ada.bet(round_, ("player", 200))
        until(lambda: not ben.get("/account")["open"], "who did not come back at all is missed")
        seat = service.sit("ben")
        dealer.must("CLOSE")
        seat.wait(lambda last: last["felt"]["phase"] == "dealing")
        assert [bet["stake"] for bet in ada.get("/account")["open"]] == [200]


def test_no_seat_hears_a_card_that_lies_face_down(tmp_path: Path, broker: Broker) -> None:
    shoe, url = SimulatedBeeTek(tmp_path / "shoe"), f"sqlite:///{tmp_path / 'books.db'}"
    given = {"game": {"name": "casino-holdem"}, "mqtt": {"consumers": ["settlement"]}}
    with table(tmp_path, broker, shoe, given) as made, Service(tmp_path, broker.port, url) as service:
        made.daemon.start()
        dealer = Croupier(made, random.Random(5))
        dealer.must("SHOE", "52")
        dealer.must("OPEN")
        ada = service.caller("ada")
        round_ = ada.wait_open(None)
        seat = service.sit("ada")
        ada.bet(round_, ("hand1.ante", 100))
        dealer.must("CLOSE")
        for card in ("AS", "AD", "2C", "7D", "KS", "QD", "AH", "9C", "4D"):
            shoe.card(card)
        seat.wait(lambda last: last["felt"]["phase"] == "decision")
        seat.wait(lambda last: (last["table"]["strength"] or {}).get("hand1"))
        ada.post("decisions", {"round": round_, "hand": "hand1", "decision": "play"})
        seat.wait(lambda last: last["seat"]["decisions"] == {"hand1": "play"})
        answers = "".join(ada.http.get(path).text for path in ("/tables", "/account", "/account/history"))
        books = b"".join(file.read_bytes() for file in tmp_path.glob("books.db*")).decode("latin-1")
        for secret in ("KS", "QD"):  # what the service does not know, no answer of it and no timing can tell
            assert f'"{secret}"' not in seat.whole.decode() + answers + books
        assert '"4D"' in books
        assert b'"4D"' in seat.whole


@pytest.mark.parametrize("path", ["/", "/words", "/house", "/static/app/dom.js", "/seat/app/main.js"])
def test_pages_have_no_secret_and_strict_headers(tmp_path: Path, broker: Broker, path: str) -> None:
    more = {"seat": {"cashier": "https://pay.example/in", "language": "zh"}}
    with Service(tmp_path, broker.port, f"sqlite:///{tmp_path / 'books.db'}", more) as service:
        nobody = service.caller("nobody", "no-such-token")
        answer = nobody.http.get(str(nobody.http.base_url).split("/api")[0] + path)
        assert answer.status_code == 200
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'" in policy
        assert "frame-src https://pay.example" in policy
        assert "token-of" not in answer.text
        assert nobody.http.get("/tables/north/7/stream").status_code == 401
        assert nobody.http.get("/settings").status_code == 401
        assert service.caller("operator").http.get("/tables/north/7/stream").status_code == 403
        assert service.caller("ada").http.get("/tables/north/8/stream").status_code == 404


def test_who_sits_there_talks_and_not_too_fast(tmp_path: Path, broker: Broker) -> None:
    """Those who sit there hear it, and the dealer's page by its topic; a new life of the service ends it."""
    with Service(tmp_path, broker.port, f"sqlite:///{tmp_path / 'books.db'}") as service:
        ada, ben = service.caller("ada"), service.caller("ben")
        say = "/tables/north/7/chat"
        assert ben.http.post(say, json={"text": "hello"}).status_code == 403
        seat, other = service.sit("ada"), service.sit("ben")
        seat.wait(lambda last: last["seat"])
        other.wait(lambda last: last["seat"])
        assert ada.http.post(say, json={"text": " good\nluck <b>"}).status_code == 201
        other.wait(lambda last: [line["text"] for line in last["chat"]["lines"]] == ["good luck <b>"])
        assert ada.http.post(say, json={"text": "again"}).status_code == 429
        assert ada.http.post(say, json={"text": "x" * 201}).status_code == 400
        assert ada.http.post(say, json={"text": "\u0000"}).status_code == 400
        assert ben.http.post(say, json={"text": "thanks"}).status_code == 201
        with retained(broker.port, "dealer-table/v1/north/7/chat") as said:
            until(lambda: said and texts(said[-1]) == ["good luck <b>", "thanks"], "the dealer sees it")
            service.restart()
            until(lambda: said[-1] == b"", "what was said to an earlier life is gone")


@contextmanager
def retained(port: int, topic: str) -> Iterator[list[bytes]]:
    """What comes on a topic of the broker."""
    said: list[bytes] = []
    client = paho.Client(CallbackAPIVersion.VERSION2)

    def subscribe(*_: object) -> None:
        client.subscribe(topic)

    client.on_connect = subscribe
    client.on_message = lambda _client, _data, message: said.append(bytes(message.payload))
    client.connect("127.0.0.1", port)
    client.loop_start()
    try:
        yield said
    finally:
        leave(client)


def texts(chat: bytes) -> list[str]:
    return [line["text"] for line in json.loads(chat)["lines"]] if chat else []


def test_settings_stay_with_the_player(tmp_path: Path, broker: Broker, url: str) -> None:
    with Service(tmp_path, broker.port, url) as service:
        ada, ben = service.caller("ada"), service.caller("ben")
        usual = ada.get("/settings")
        chosen = {**usual, "sound": False, "language": "zh"}
        assert ada.http.put("/settings", json=chosen).json() == chosen
        service.restart()
        until(lambda: ada.get("/settings") == chosen, "they are kept")
        assert ben.get("/settings") == usual
        assert ada.http.put("/settings", json={"voice_volume": 101}).status_code == 400
        assert ada.http.put("/settings", json={"player": "ben"}).status_code == 400


def test_both_languages_have_all_words() -> None:
    words = words_of_seat()
    assert set(words["en"]) == set(words["zh"])
    assert {f"error.{code}" for code in STATUS} <= set(words["en"])


def test_a_connection_on_which_nothing_is_taken_is_broken() -> None:
    """A cut network closes no socket: the system gives up what it sent after so long."""
    with closing(listen("http.port", "127.0.0.1", 0, give_up_ms=5000)) as door:
        caller = socket.create_connection(door.getsockname())
        taken, _ = door.accept()
        assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 5000
        caller.close()
        taken.close()
