"""What goes wrong on a floor, in a browser: void after a result, holds, lost broker, table and board."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.board.played import PlayedTable, Publisher
from tests.board.reading import expect_cards, expect_phase
from tests.board.serving import BoardProcess
from tests.board.silence import falls_silent
from tests.harness.broker import Broker
from tests.harness.process import comes

TIME_OF_DAY = re.compile(r"No signal since \d\d:\d\d:\d\d")


Lay = Callable[..., PlayedTable]


def test_a_void_takes_the_result_back(page: Page, lay: Lay) -> None:
    table = lay("t1", "baccarat")
    table.open()
    table.tell("bets_closed")
    table.deal("KC", "8D", "7D", "KS")
    expect_phase(page, "result")
    expect(page.locator(".winners li")).not_to_have_count(0)
    expect(page.locator(".road.bead .mark")).to_have_count(1)
    table.tell("round_voided", reason="supervisor", by="S-1")
    expect(page.locator(".outcome.void")).to_have_text("Void")
    expect(page.locator(".winners li")).to_have_count(0)
    expect(page.locator(".road.bead .mark")).to_have_count(0)
    expect(page.locator(".notice.void")).to_contain_text("All bets are returned")
    expect(page.locator(".last li .mark.void")).to_have_count(1)


def test_a_void_by_the_rules_tells_players_why_and_not_its_paragraph(page: Page, lay: Lay) -> None:
    table = lay("t2", "2-card-action", 'layout = "A"')
    table.open()
    table.tell("bets_closed")
    table.deal("TS", "no card of ours")
    expect(page.locator(".notice.void")).to_contain_text("A card that does not belong to this set was found")
    expect(page.locator(".notice.void")).not_to_contain_text("5.1.1")


def test_a_hold_is_said_in_plain_words_and_the_dealer_sees_the_choices(page: Page, lay: Lay) -> None:
    table = lay("t3", "baccarat", at="dealer")
    acts = page.locator("[data-act]")
    expect(acts).to_have_attribute("data-act", "open")
    table.open()
    expect(acts).to_have_attribute("data-act", "betting")
    table.tell("bets_closed")
    expect(page.locator(".act-words")).to_have_text("Draw a card for Player")
    table.deal("2H", "3C", "TS", "4D")
    expect(page.locator(".act-words")).to_have_text("Player draws a third card")
    table.tell("hold_requested", by="dealer")
    hold = table.display["hold"]
    expect(acts).to_have_attribute("data-act", "hold")
    expect(page.locator(".notice.hold")).to_contain_text("The dealer asked for a supervisor")
    choices = page.locator("[data-choice]")
    comes(
        lambda: choices.evaluate_all("rows => rows.map(row => row.dataset.choice)"),
        hold["choices"],  # type: ignore[index]
    )
    table.tell("hold_cleared", choice="continue", by="S-1")
    expect(page.locator(".act-words")).to_have_text("Player draws a third card")
    expect(page.locator(".notice.hold")).to_have_count(0)


def test_a_hold_shows_the_dealer_what_proves_it_and_no_card_that_may_still_come_into_play(
    page: Page, lay: Lay
) -> None:
    table = lay("t5", "baccarat", at="dealer")
    table.open()
    table.tell("bets_closed")
    table.deal("KC", "8D", "7D", "KS")
    steps = page.locator(".step")
    expect(steps.first).to_have_attribute("data-step", "collect")
    expect(steps.last).to_have_attribute("data-step", "pay")
    expect(page.locator("[data-step=pay] [data-spot=banker] b")).to_have_text("0.95:1")
    expect(page.locator(".outcome")).to_contain_text("Banker wins")
    table.deal("3H")
    finding = page.locator("[data-finding=extra_card]")
    expect(finding.locator("[data-proof=draw] dd")).to_have_text("5")
    expect(finding.locator(".card.back")).to_have_count(1)
    expect(finding.locator(".unnamed")).to_contain_text("it may still come into play")
    table.tell("hold_cleared", choice="burn", by="S-1")
    expect(page.locator(".finding")).to_have_count(0)
    expect(steps.first).to_be_visible()


def test_without_a_broker_there_is_no_signal_within_two_seconds_and_the_page_catches_up(
    page: Page, broker: Broker, own_table: PlayedTable
) -> None:
    own_table.open()
    expect_phase(page, "betting")
    page.evaluate("window.sameDocument = true")
    for outage, back in ((broker.freeze, broker.thaw), (broker.kill, broker.start)):
        expect(page.locator(".notice.silent")).to_have_count(0)
        with falls_silent(page):
            outage()
        expect(page.locator(".notice.silent")).to_contain_text(TIME_OF_DAY)
        expect(page.locator(".lamp circle.on")).to_have_count(0)
        expect(page.locator(".countdown")).to_have_text("")
        back()
    own_table.publisher.close()
    own_table.reconnect(Publisher(broker.port))
    own_table.tell("bets_closed")
    own_table.deal("KC")
    expect(page.locator(".notice.silent")).to_have_count(0)
    expect_cards(page, own_table.display)
    comes(lambda: page.evaluate("window.sameDocument"), True)


def test_a_table_whose_controller_is_lost_is_silent_and_comes_back(page: Page, lay: Lay) -> None:
    table = lay("t4", "baccarat")
    table.open()
    expect_phase(page, "betting")
    for state in ("lost", "offline"):
        with falls_silent(page):
            table.status(state)
        expect(page.locator(".notice.silent")).to_contain_text(TIME_OF_DAY)
        table.status("online")
        expect(page.locator(".notice.silent")).to_have_count(0)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_open_pages_survive_a_restart_of_the_board(
    page: Page, own_board: BoardProcess, own_table: PlayedTable, how: signal.Signals
) -> None:
    own_table.open()
    expect_phase(page, "betting")
    page.evaluate("window.sameDocument = true")
    with falls_silent(page):
        assert own_board.stop(how) == (0 if how is signal.SIGTERM else -signal.SIGKILL)
    expect(page.locator(".notice.silent")).to_contain_text(TIME_OF_DAY)
    own_table.tell("bets_closed")
    own_table.deal("KC", "8D")
    own_board.start()
    expect(page.locator(".notice.silent")).to_have_count(0)
    expect_cards(page, own_table.display)
    comes(lambda: page.evaluate("window.sameDocument"), True)


def test_a_board_that_hangs_is_no_signal_within_two_seconds(
    page: Page, own_board: BoardProcess, own_table: PlayedTable
) -> None:
    expect_phase(page, "idle")
    page.evaluate("window.sameDocument = true")
    with falls_silent(page):
        own_board.freeze()
    expect(page.locator(".notice.silent")).to_contain_text("The board's server does not answer")
    own_table.open()
    own_board.thaw()
    expect(page.locator(".notice.silent")).to_have_count(0)
    expect_phase(page, "betting")
    comes(lambda: page.evaluate("window.sameDocument"), True)


def test_a_restarted_board_knows_everything_from_what_is_retained(
    page: Page, own_board: BoardProcess, own_table: PlayedTable
) -> None:
    own_table.rounds(10)
    own_board.stop()
    own_board.start()
    page.reload()
    expect(page.locator(".road.bead .mark")).to_have_count(10)
    page.goto(f"{own_board.url}/")
    expect(page.locator("[data-table='north/7']")).to_contain_text("Settled")


def test_alerts_stand_on_the_floor_until_they_are_cleared_also_while_the_board_was_away(
    page: Page, broker: Broker, own_board: BoardProcess
) -> None:
    publisher = Publisher(broker.port)
    base = "dealer-table/v1/north/7"
    for name, message in (("shoe", "load a shoe"), ("disk", "the disk is full")):
        publisher.retain(f"{base}/alerts/{name}", json.dumps({"id": name, "message": message}).encode())
    page.goto(f"{own_board.url}/")
    alerts = page.locator("[data-table='north/7'] .alert")
    expect(alerts).to_have_text(["load a shoe", "the disk is full"])
    publisher.retain(f"{base}/alerts/shoe", b"")
    expect(alerts).to_have_text(["the disk is full"])
    publisher.close()
    broker.stop()
    broker.forget()
    broker.start()
    publisher = Publisher(broker.port)
    publisher.retain(f"{base}/status", b'{"state": "online"}')
    expect(page.locator(".notice.silent")).to_have_count(0)
    expect(alerts).to_have_count(0)
    publisher.close()
