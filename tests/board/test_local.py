"""The board on the table's own machine: the daemon's local socket, with broker and network gone."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from controller.board.settings import BoardKeys, BoardSettings, source_of
from controller.shell.observing.local_socket import lines
from controller.vocabulary.errors import ConfigurationError
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.board.serving import BoardProcess
from tests.board.silence import falls_silent
from tests.harness.dealer import Dealer
from tests.harness.house import House, house
from tests.harness.patience import PATIENCE_S
from tests.harness.process import comes


@pytest.fixture
def table(tmp_path: Path) -> Iterator[House]:
    with house(
        tmp_path, SimulatedAngelEye(tmp_path / "shoe"), 'observe.board_socket = "{folder}/board"'
    ) as whole:
        yield whole


@pytest.fixture
def board(table: House) -> Iterator[BoardProcess]:
    with BoardProcess(table.folder, f"--socket={table.folder}/board") as running:
        yield running


def test_board_and_dealers_page_work_on_while_the_broker_is_gone(
    page: Page, table: House, board: BoardProcess
) -> None:
    dealers = page.context.new_page()
    page.goto(f"{board.url}/table/north/7")
    dealers.goto(f"{board.url}/dealer/north/7")
    expect(page.locator(".notice.silent")).to_be_visible()
    page.evaluate("window.sameDocument = true")
    table.daemon.start()
    act = dealers.locator("[data-act]")
    expect(act).to_have_attribute("data-act", "wait")
    table.broker.kill()
    dealer = Dealer(table, random.Random(5))
    dealer.load()
    expect(act).to_have_attribute("data-act", "open")
    for rounds in (1, 2):
        assert dealer.round()
        expect(page.locator(".road.bead .mark")).to_have_count(rounds)
        expect(page.locator(".felt .card.face")).to_have_count(len(dealer.rounds[-1].cards))
        expect(act).to_have_attribute("data-act", "open")
    dealer.must("OPEN")
    expect(act).to_have_attribute("data-act", "betting")
    dealer.must("HOLD")
    expect(act).to_have_attribute("data-act", "hold")
    expect(page.locator(".notice.hold")).to_contain_text("The dealer asked for a supervisor")
    comes(lambda: page.evaluate("window.sameDocument"), True)


def test_a_daemon_that_dies_or_hangs_is_no_signal_and_the_page_catches_up(
    page: Page, table: House, board: BoardProcess
) -> None:
    page.goto(f"{board.url}/table/north/7")
    table.daemon.start()
    page.evaluate("window.sameDocument = true")
    dealer = Dealer(table, random.Random(6))
    dealer.load()
    dealer.must("OPEN")
    expect(page.locator("main.board")).to_have_attribute("data-phase", "betting")
    for outage, back in ((table.daemon.freeze, table.daemon.thaw), (table.daemon.kill, table.daemon.start)):
        expect(page.locator(".notice.silent")).to_have_count(0)
        with falls_silent(page):
            outage()
        # How soon was judged by the page's clock; what it says, a loaded machine may show later.
        expect(page.locator(".notice.silent")).to_contain_text("The table's controller does not answer")
        back()
    expect(page.locator(".notice.silent")).to_have_count(0)
    dealer.must("HOLD")
    expect(page.locator(".notice.hold")).to_be_visible()
    comes(lambda: page.evaluate("window.sameDocument"), True)


def test_the_stream_takes_nothing_and_lets_slow_and_too_many_visitors_go(table: House) -> None:
    table.daemon.start()
    dealer = Dealer(table, random.Random(7))
    dealer.load()
    with socket.socket(socket.AF_UNIX) as deaf, socket.socket(socket.AF_UNIX) as noisy:
        deaf.connect(str(table.folder / "board"))
        noisy.connect(str(table.folder / "board"))
        noisy.sendall(b'{"topic": "dealer-table/v1/north/7/display", "payload": {"phase": "betting"}}\n' * 9)
        assert dealer.round()
        noisy.settimeout(PATIENCE_S)
        heard = b""
        while b'"settled"' not in heard:
            heard += noisy.recv(65536)
        assert b'"topic":"dealer-table/v1/north/7/display"' in heard
        more = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for one in more:
            one.settimeout(PATIENCE_S)
            one.connect(str(table.folder / "board"))
        assert more[-1].recv(1) == b"", "the fifth is hung up"
        for one in more:
            one.close()
    table.daemon.check()
    assert table.daemon.stop() == 0
    assert not (table.folder / "board").exists()


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({}, {"a": b"1"}, b'{"topic":"a","payload":1}\n'),
        ({"a": b"1"}, {"a": b"1"}, b""),
        ({"a": b"1", "b": b"2"}, {"a": b"3"}, b'{"topic":"b","payload":null}\n{"topic":"a","payload":3}\n'),
    ],
)
def test_only_changes_are_told(before: dict[str, bytes], now: dict[str, bytes], said: bytes) -> None:
    assert lines(before, now) == said


def test_a_socket_and_tables_of_a_broker_are_two_boards() -> None:
    with pytest.raises(ConfigurationError, match=r"board\.tables"):
        source_of(BoardSettings(board=BoardKeys(socket="/run/x", tables=("north/7",))))
