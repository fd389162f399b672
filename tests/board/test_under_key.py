"""A hold's card on the table's own dealer's page while the supervisor's key is turned, and nowhere else."""

from __future__ import annotations

import random
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.board.serving import BoardProcess
from tests.board.test_secrets import EVERYWHERE, Eavesdropper
from tests.harness.broker import free_port
from tests.harness.dealer import Dealer
from tests.harness.house import House, house
from tests.harness.patience import PATIENCE_S
from tests.harness.process import comes

DEALT = (("player", 1, "8S"), ("banker", 1, "5C"), ("player", 2, "KC"), ("banker", 2, "2D"))
EXTRA = "9H"
FACE_DOWN = "[data-finding=extra_card] .card.back"


@pytest.fixture
def metrics() -> int:
    return free_port()


@pytest.fixture
def table(tmp_path: Path, metrics: int) -> Iterator[House]:
    observe = (
        f'[observe]\nboard_socket = "{{folder}}/board"\nsocket = "{{folder}}/top"\nmetrics_port = {metrics}\n'
    )
    with house(tmp_path, SimulatedAngelEye(tmp_path / "shoe"), observe) as whole:
        whole.daemon.start()
        yield whole


def card_too_many(table: House) -> Dealer:
    """The dealer has drawn one card more than the round takes."""
    dealer = Dealer(table, random.Random(8))
    dealer.load()
    dealer.must("OPEN")
    dealer.must("CLOSE")
    for hand, number, card in (*DEALT, ("player", 3, EXTRA)):
        dealer.patiently(
            lambda card=card, hand=hand, number=number: dealer.hand.draw(card, hand, number), card
        )
    return dealer


def proof(page: Page) -> Locator:
    """The card of the first finding."""
    return page.locator("[data-finding=extra_card] .card")


def window(path: Path) -> bytes:
    """What the window for `dealer-table top` says."""
    with socket.socket(socket.AF_UNIX) as visitor:
        visitor.settimeout(PATIENCE_S)
        visitor.connect(str(path))
        return b"".join(iter(lambda: visitor.recv(65536), b""))


def test_the_dealers_page_of_the_table_names_the_card_while_the_key_is_turned_and_nothing_else_does(
    page: Page, table: House, metrics: int, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        own = stack.enter_context(BoardProcess(_folder(tmp_path, "own"), f"--socket={table.folder}/board"))
        seen_afar = stack.enter_context(
            BoardProcess(_folder(tmp_path, "afar"), f"--socket={table.folder}/board", "--host=0.0.0.0")
        )
        pit = stack.enter_context(
            BoardProcess(_folder(tmp_path, "pit"), f"--mqtt-port={table.broker.port}", "--table=north/7")
        )
        dealer = card_too_many(table)
        others = [
            (board, path)
            for board in (own, seen_afar, pit)
            for path in ("dealer/north/7", "table/north/7", "floor")
            if (board, path) != (own, "dealer/north/7")
        ]
        ears = [Eavesdropper(board, f"/stream/{path}") for board, path in others]
        for ear in ears:
            stack.callback(ear.close)
            ear.start()
        pages = [page.context.new_page() for _ in others]
        for one, (board, path) in zip(pages, others, strict=True):
            one.goto(f"{board.url}/{'' if path == 'floor' else path}")
        page.goto(f"{own.url}/dealer/north/7")
        expect(page.locator(FACE_DOWN)).to_be_visible()
        assert dealer.press("KEY", "S1")[0] == "OK"
        expect(proof(page)).to_have_attribute("data-card", EXTRA)
        expect(page.locator(".unnamed")).to_contain_text("while the key is turned")
        # All else has heard of the hold as well.
        for at, ear in enumerate(ears):
            ear.wait_for(b"extra_card" if others[at][1] != "floor" else b'"hold":"extra_card"')
        table.wait_delivered()
        everything = "".join(one.evaluate(EVERYWHERE) for one in pages)
        everything += b"".join(ear.heard for ear in ears).decode()
        everything += "".join(
            board.get("/healthz")[2].decode() + board.log for board in (own, seen_afar, pit)
        )
        everything += repr(table.settlement.taken) + repr(table.settlement.retained) + table.daemon.log
        everything += window(table.folder / "top").decode()
        with urllib.request.urlopen(f"http://127.0.0.1:{metrics}/metrics", timeout=PATIENCE_S) as answer:
            everything += answer.read().decode()
        assert f'"{DEALT[0][2]}"' in everything, "cards that lie face up are there"
        assert EXTRA not in everything
        assert dealer.press("NOKEY")[0] == "OK"
        expect(page.locator(FACE_DOWN)).to_be_visible()
        comes(lambda: EXTRA in page.evaluate(EVERYWHERE), False)
        dealer.press("KEY", "S1")
        expect(proof(page)).to_have_attribute("data-card", EXTRA)
        table.daemon.kill()
        expect(page.locator(".notice.silent")).to_be_visible()
        comes(lambda: EXTRA in page.evaluate(EVERYWHERE), False)
        table.daemon.start()
        expect(page.locator(FACE_DOWN)).to_be_visible()
        dealer.press("KEY", "S1")
        assert dealer.press("CLEAR", "return")[0] == "OK"
        expect(page.locator(f".next-out [data-card='{EXTRA}']")).to_be_visible()
        dealer.press("NOKEY")
        expect(page.locator(f".next-out [data-card='{EXTRA}']")).to_have_count(0)


def _folder(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


SHOWN = """async ([finding, underKey]) => {
    const our = (name) => import(new URL(name, document.querySelector("script[src]").src));
    const { evidence } = await our("evidence.js");
    const { patch } = await our("dom.js");
    const place = document.createElement("div");
    patch(place, [evidence({ evidence: [finding] }, underKey)]);
    return [
        place.querySelector("[data-card]")?.dataset.card ?? null,
        place.querySelector("[data-proof=of_shoe] dd")?.textContent ?? null,
    ];
}"""


def test_the_key_opens_no_card_of_the_next_shoe_in_the_place_of_one_of_a_shoe_that_is_gone(
    page: Page, board: BoardProcess
) -> None:
    finding = {"code": "extra_card", "draw": 5, "card": None}
    page.goto(board.url)
    assert page.evaluate(SHOWN, [finding, {"5": EXTRA}]) == [EXTRA, None]
    assert page.evaluate(SHOWN, [{**finding, "of_shoe": 1}, {"5": EXTRA}]) == [None, "1"]
