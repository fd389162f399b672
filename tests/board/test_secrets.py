"""A card that lies face down is found nowhere before its reveal: page, stream, answers, caches, storage."""

from __future__ import annotations

import socket
import threading
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, Response, expect

from controller.board.web import read_words
from tests.board.played import PlayedTable, Publisher
from tests.board.reading import expect_cards, expect_phase
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker
from tests.harness.patience import PATIENCE_S


class Eavesdropper(threading.Thread):
    """Keeps every byte of an event stream."""

    def __init__(self, board: BoardProcess, path: str) -> None:
        super().__init__(daemon=True)
        self._socket = socket.create_connection(("127.0.0.1", board.port), timeout=PATIENCE_S)
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self._guard = threading.Condition()
        self.heard = b""

    def run(self) -> None:
        while said := self._socket.recv(65536):
            with self._guard:
                self.heard += said
                self._guard.notify_all()

    def wait_for(self, text: bytes) -> None:
        """Wait until the stream has said it."""
        with self._guard:
            assert self._guard.wait_for(lambda: text in self.heard, PATIENCE_S), text

    def close(self) -> None:
        """Hang up."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self.join(PATIENCE_S)
        self._socket.close()


WORDS = read_words(None)["en"]
RANKS = {rank: WORDS[f"rank.{rank}"] for rank in "A23456789TJQK"}
SUITS = {suit: WORDS[f"suit.{suit}"] for suit in "SHDC"}

EVERYWHERE = """async () => {
    const kept = [document.documentElement.outerHTML, document.title, location.href];
    kept.push(JSON.stringify({...localStorage}), JSON.stringify({...sessionStorage}), document.cookie);
    for (const name of await caches.keys()) {
        for (const request of await (await caches.open(name)).keys()) kept.push(request.url);
    }
    kept.push(...(await indexedDB.databases()).map((database) => database.name));
    kept.push(...performance.getEntries().map((entry) => entry.name));
    return kept.join("\\n");
}"""


class Hidden(NamedTuple):
    """A round with cards face down: what is dealt, which of them nobody may see, and what lies face up."""

    game: str
    settings: str
    dealt: list[str]
    secret: list[str]
    seen: list[str]


FOUR = ["2H", "3C", "TS", "4D"]
TEN = ["2H", "3C", "TS", "4D", "9C", "5H", "6S", "7D", "8C", "AH"]
ROUNDS = [
    Hidden(
        "casino-holdem",
        "",
        ["AS", "AD", "KC", "QC", "9H", "9S", "KD", "7C", "7D"],
        ["9H", "9S"],
        ["AS", "AD", "KC", "QC", "KD", "7C", "7D"],
    ),
    Hidden("baccarat", "squeeze = true", FOUR, FOUR, []),
    Hidden("two-cards-high", "seats = 1", TEN, TEN, []),
]


@pytest.mark.parametrize("hidden", ROUNDS, ids=[one.game for one in ROUNDS])
def test_a_face_down_card_is_nowhere_before_the_reveal(
    page: Page, broker: Broker, own_board: BoardProcess, tmp_path: Path, hidden: Hidden
) -> None:
    board, publisher = own_board, Publisher(broker.port)
    table = PlayedTable(tmp_path, publisher, "s1", hidden.game, hidden.settings)
    table.shoe()
    answers: list[Response] = []
    page.context.on("response", lambda answer: answers.append(answer))
    pages = [page, *(page.context.new_page() for _ in range(3))]
    addresses = (f"/table/{table.path}", f"/dealer/{table.path}", f"/kiosk?table={table.path}", "/")
    for one, address in zip(pages, addresses, strict=True):
        one.goto(board.url + address)
    ears = [Eavesdropper(board, f"/stream/{name}") for name in (f"table/{table.path}", "floor")]
    for ear in ears:
        ear.start()
    table.open()
    table.tell("bets_closed")
    table.deal(*hidden.dealt)
    if table.display["phase"] == "decision":
        expect_phase(page, "decision")
        table.tell("decisions_closed")
        table.deal("2C", "3H")
    for one in (pages[0], pages[2]):
        expect_phase(one, "reveal")
        expect_cards(one, table.display)
    expect(pages[1].locator("[data-act=reveal]")).to_be_visible()
    expect(pages[3].locator(".card-phase")).to_contain_text("Cards face down")
    for ear in ears:
        ear.wait_for(b'"reveal"')
    bodies = "".join(answer.text() for answer in answers if "/stream/" not in answer.url)
    bodies += b"".join(board.get(path)[2] for path in ("/healthz", "/words")).decode()
    everything = "".join(one.evaluate(EVERYWHERE) for one in pages)
    everything += b"".join(ear.heard for ear in ears).decode()
    for card in hidden.seen:
        assert f'"{card}"' in everything, "the cards that lie face up are there"
    for secret in hidden.secret:
        assert f'"{secret}"' not in everything
        assert f'"{secret}"' not in bodies
        rank, suit = RANKS[secret[0]], SUITS[secret[1]]
        assert f"{rank} of {suit}" not in everything
    table.tell("cards_revealed")
    for secret in hidden.secret:
        expect(page.locator(f".felt [data-card='{secret}']")).to_be_visible()
    ears[0].wait_for(f'"{hidden.secret[-1]}"'.encode())
    for ear in ears:
        ear.close()
    publisher.close()


def test_no_answer_with_cards_may_be_kept(board: BoardProcess, publisher: Publisher, tmp_path: Path) -> None:
    table = PlayedTable(tmp_path, publisher, "s2", "baccarat")
    table.shoe()
    with urllib.request.urlopen(f"{board.url}/stream/table/{table.path}", timeout=PATIENCE_S) as stream:
        assert stream.headers["cache-control"] == "no-store"
    _, headers, body = board.get(f"/table/{table.path}")
    assert headers["cache-control"] == "no-cache"
    assert b"data-card" not in body
