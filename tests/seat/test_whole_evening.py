"""A whole evening at each game in a real browser: rounds won and lost, a pause, a cancelled round, a player
who goes and comes back, another device, own limits. What the page shows in the end is what the books say."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.board.browser import visitor
from tests.harness.process import comes
from tests.seat.reading import balance, lies, minor, repeat, spot, sums
from tests.seat.rooms import Rooms, Table
from tests.seat.screenshots import DEALT
from tests.seat.test_evening import FIRST
from tests.wagering.service import Caller

PLAYER = "eve"


class Evening:
    """One player at one table."""

    def __init__(self, floor: Rooms, page: Page, name: str) -> None:
        self.floor, self.page, self.name = floor, page, name
        self.books: Caller = floor.service.caller(PLAYER)
        self.table: Table = self.sit(page)
        self.played: list[str] = []
        """The rounds in which a bet stood when bets closed, the newest first."""

    def sit(self, page: Page) -> Table:
        return self.floor.sit(page, self.name, PLAYER)

    def open(self) -> str:
        round_ = self.table.open()
        expect(spot(self.page, FIRST[self.name][0])).to_have_attribute("class", "spot open")
        return round_

    def bet(self, chip: int = 200) -> int:
        """A chip on each of two spots; what the balance was before."""
        before = minor(self.page, "balance")
        self.page.locator(f'.chip[data-chip="{chip}"]').click()
        for one in FIRST[self.name]:
            spot(self.page, one).click()
            lies(self.page, one, chip)
        return before

    def close(self) -> None:
        self.table.say("CLOSE")
        self.table.wait("dealing")

    def deal(self, decides: Page | None = None) -> None:
        """To the end of the settlement; in hold'em ``decides`` plays hand 1 and folds hand 2."""
        self.table.say(DEALT[self.name])
        if self.name == "casino-holdem":
            self.table.wait("decision")
            if decides is not None:
                window = decides.get_by_role("group", name="Make your decision")
                for hand, choice in (("Hand 1", "Play"), ("Hand 2", "Fold")):
                    window.get_by_role("group", name=hand).get_by_role("button", name=choice).click()
                expect(window).to_have_count(0)
            self.table.say("DECIDED; 3H 5S")
        if self.name in ("casino-holdem", "two-cards-high"):
            self.table.wait("dealing")
            self.table.say("REVEAL")
        self.table.wait("result")
        self.table.say("SETTLED")

    def check(self, round_: str, before: int) -> None:
        """The round is in the history, and the balance on the page is what it left."""
        self.played.insert(0, round_)
        told = self.books.get("/account/history")["rounds"]
        [mine] = [one for one in told if one["round"] == round_]
        assert {bet["state"] for bet in mine["bets"]} == {"settled"}
        balance(self.page, before - mine["staked"] + mine["returned"])


@pytest.mark.parametrize("name", FIRST)
def test_a_whole_evening(floor: Rooms, page: Page, browser: Browser, name: str) -> None:
    evening = Evening(floor, page, name)
    one = FIRST[name][0]
    first = evening.open()
    before = evening.bet()
    evening.close()
    evening.deal(page)
    expect(page.locator(".result > .won")).to_have_count(1)
    evening.check(first, before)
    for _ in "ab":  # the same again
        round_, before = evening.open(), minor(page, "balance")
        repeat(page)
        lies(page, one, 200)
        evening.close()
        evening.deal(page)
        evening.check(round_, before)
    paused_and_cancelled(evening)
    gone_while_bets_are_open(evening)
    gone_after_they_closed(evening)
    another_device(evening, visitor(browser))
    account = evening.books.get("/account")
    assert account["open"] == []
    balance(page, account["balance"])
    told = evening.books.get("/account/history?most=100")["rounds"]
    here = [one["round"] for one in told if one["table"] == name and one["void"] is None and one["bets"]]
    assert here == evening.played
    audit = floor.service.caller("operator").get("/audit")
    assert (audit["sum"], audit["faults"]) == (0, [])


def paused_and_cancelled(evening: Evening) -> None:
    page, table = evening.page, evening.table
    evening.open()
    before = evening.bet(100)
    table.say("HOLD")
    expect(page.get_by_role("alert")).to_contain_text("The round is paused")
    expect(spot(page, FIRST[evening.name][0])).to_have_attribute("aria-disabled", "true")
    table.say("CLEAR continue")
    expect(page.get_by_role("alert")).to_contain_text("The round continues")
    table.say("CLOSE; VOID supervisor")
    expect(page.locator(".notice.void")).to_contain_text("The round is cancelled")
    expect(page.locator(".won.back")).to_have_text("€2 returned")
    balance(page, before)


def gone_while_bets_are_open(evening: Evening) -> None:
    """The bets come back at once; who comes back in time bets anew."""
    page = evening.page
    evening.open()
    before = evening.bet(100)
    page.goto("about:blank")
    comes(lambda: evening.books.get("/account")["balance"], before)
    evening.sit(page)
    expect(page.get_by_role("alert")).to_contain_text("your bets were returned")
    sums(page, total="€0")
    balance(page, before)
    evening.table.say("CLOSE; VOID supervisor")


def gone_after_they_closed(evening: Evening) -> None:
    """The bets stand and are settled without the player; undecided hands are folded. The history has it."""
    page = evening.page
    round_, before = evening.open(), evening.bet(100)
    evening.close()
    page.goto("about:blank")
    evening.deal()
    evening.sit(page)
    evening.check(round_, before)
    page.get_by_role("button", name="History").click()
    page.locator(f'tr[data-round="{round_}"] button').click()
    expect(page.locator("dialog[open] .ledger tr").first).to_be_visible()
    page.keyboard.press("Escape")


def another_device(evening: Evening, elsewhere: Page) -> None:
    """It takes the seat over with the bets on it, and the round is played to its end there."""
    page = evening.page
    round_, before = evening.open(), evening.bet(100)
    evening.sit(elsewhere)
    expect(page.get_by_role("alert")).to_contain_text("another device")
    sums(elsewhere, total="€2")
    evening.close()
    evening.deal(elsewhere)
    expect(elsewhere.locator(".result > .won")).to_have_count(1)
    page.get_by_role("button", name="Play here").click()
    expect(elsewhere.get_by_role("alert")).to_contain_text("another device")
    evening.check(round_, before)
    elsewhere.close()


def test_own_limits_are_kept_by_the_service_and_said_on_the_page(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "baccarat", "cleo")
    table.open()
    page.get_by_role("button", name="Responsible gaming").click()
    page.get_by_label("Lose at most").fill("3")
    page.get_by_role("button", name="Set my limits").click()
    comes(lambda: floor.service.caller("cleo").get("/limits")["loss"], 300)
    page.keyboard.press("Escape")
    page.locator('.chip[data-chip="200"]').click()
    spot(page, "player").click()
    lies(page, "player", 200)
    spot(page, "player").click()
    expect(page.get_by_role("alert")).to_have_text("Your own limit of losses is reached")
    lies(page, "player", 200)
    table.say("CLOSE; VOID supervisor")
