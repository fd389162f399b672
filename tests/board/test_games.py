"""Each game through rounds in a real browser: what stands in the page is what the messages say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.board.played import PlayedTable
from tests.board.reading import expect_cards, expect_phase, expect_winners, winners, won
from tests.board.roads import expect_roads
from tests.board.scenes import PAY_TABLES
from tests.harness.process import comes, until

Lay = Callable[..., PlayedTable]


def test_baccarat_from_bets_to_roads(page: Page, lay: Lay) -> None:
    table = lay("g1", "baccarat")
    for cards in (["KC", "4D", "7D", "4S"], ["2H", "3C", "TS", "4D", "9C"], ["KH", "QD", "9S", "9H"]):
        table.open()
        expect_phase(page, "betting")
        expect(page.locator(".lamp .green.on")).to_have_count(1)
        expect_seconds(page, 20)
        table.tell("bets_closed")
        for card in cards:
            table.deal(card)
            expect_cards(page, table.display)
        expect_phase(page, "result")
        told = table.display
        expect_winners(page, won(told))
        outcome = told["result"]["outcome"]  # type: ignore[index]
        for side in ("player", "banker"):
            expect(page.locator(f"[data-total={side}]")).to_have_text(str(outcome[f"{side}_total"]))
        expect(page.locator(".head .number")).to_have_text(str(told["game_number"]))
        table.tell("round_settled")
    expect_roads(page, table.display["scoreboard"])  # type: ignore[arg-type]
    left, cards = (table.display["shoe"][key] for key in ("left", "cards"))  # type: ignore[index]
    expect(page.locator(".shoe .bar")).to_have_attribute("aria-valuenow", str(round(100 * left / cards)))
    rounds = page.locator(".last li")
    results = table.display["last_results"]
    comes(
        lambda: rounds.evaluate_all("rows => rows.map(row => row.dataset.round)"),
        [entry["round"] for entry in reversed(results)],  # type: ignore[call-overload]
    )


def expect_seconds(page: Page, most: int) -> None:
    """So many seconds are left, or fewer; none where a starved machine looks late."""
    left = page.locator(".countdown")
    until(lambda: (seconds := left.inner_text()).isdigit() and int(seconds) <= most, left.inner_text)


def test_live_odds_are_shown_for_each_betting_round_and_give_way_to_the_result(page: Page, lay: Lay) -> None:
    live = 'odds = "live"\nbetting_rounds = ["deal", "first", "four"]'
    table = lay("g6", "baccarat", live)
    table.open()
    offers = []
    for cards in (["2H", "3C"], ["TS", "4D"], ["9C"]):
        expect_phase(page, "betting")
        offered = table.display["odds"]["offered"]  # type: ignore[index]
        expect(page.locator(".bets .worth")).to_have_text("Live odds")
        for spot, price in offered.items():
            words = "–" if price is None else f"{price:.2f}"
            expect(page.locator(f"[data-odds={spot}] :is(dd, .worth-large)")).to_have_text(words)
        offers.append(offered)
        table.tell("bets_closed")
        expect_phase(page, "dealing")
        chances = table.display["odds"]["probabilities"]  # type: ignore[index]
        expect(page.locator(".bets .worth")).to_have_text("Chances now")
        expect(page.locator("[data-odds=banker] dd")).to_have_text(f"{100 * chances['banker']:.1f}%")
        table.deal(*cards)
    assert len({offered["player"] for offered in offers}) == 3, "each card moves the price"
    expect_phase(page, "result")
    expect(page.locator(".price")).to_have_count(0)
    assert won(table.display)
    expect_winners(page, won(table.display))


def test_two_card_action_lights_the_winning_spots(page: Page, lay: Lay) -> None:
    table = lay("g3", "2-card-action", 'layout = "C"')
    for first, second in (("KH", "KH"), ("AS", "8D"), ("9C", "TD")):
        table.open()
        table.tell("bets_closed")
        expect_phase(page, "dealing")
        table.deal(first, second)
        expect_phase(page, "result")
        expect_cards(page, table.display)
        comes(
            lambda: page.locator("[data-lit]").evaluate_all(
                "cells => Object.fromEntries(cells.map(cell => [cell.dataset.spot, cell.dataset.lit]))"
            ),
            won(table.display),
        )
        expect_winners(page, won(table.display))
        expect(page.locator("[data-spot].cell")).to_have_count(100)
        table.tell("round_settled")
    expect(page.locator("[data-sum]")).to_have_text(["19", "9", "20"])
    expect(page.locator("[data-hot=ranks] .entry").first).to_have_text("K×2")
    expect(page.locator(".hot-cold .of-rounds")).to_have_text("Last rounds3")


def test_holdem_shows_strength_decisions_and_the_dealer_only_when_turned_up(page: Page, lay: Lay) -> None:
    table = lay("g4", "casino-holdem")
    for dealer, river in ((["9H", "9S"], "3H"), (["2H", "3D"], "8S")):
        table.open()
        table.tell("bets_closed")
        table.deal("AS", "AD", "KC", "QC", *dealer, "KD", "7C", "7D")
        expect_phase(page, "decision")
        expect_cards(page, table.display)
        expect_seconds(page, 30)
        expect(page.locator("[data-strength=hand1] .strength-words")).to_contain_text("% win")
        for hand in ("hand1", "hand2"):
            made = table.display["combinations"][hand]  # type: ignore[index]
            words = made.capitalize().replace("_", " ")
            expect(page.locator(f".seat.{hand} .verdict")).to_have_text(words)
        table.tell("decisions_reported", hand="hand1", play=12, fold=3, auto=1)
        expect(page.locator("[data-decisions=hand1]")).to_have_text(
            re.compile(r"Played 12 75%\s*Folded 3 19%\s*Auto-folded 1 6%")
        )
        table.tell("decisions_closed")
        table.deal("2C", river)
        expect_phase(page, "reveal")
        expect_cards(page, table.display)
        table.tell("cards_revealed")
        expect_phase(page, "result")
        expect_cards(page, table.display)
        expect_winners(page, won(table.display))
        outcome = table.display["result"]["outcome"]  # type: ignore[index]
        better = [hand for hand in ("hand1", "hand2") if outcome[hand]["vs_dealer"] == "better"]
        for hand in ("hand1", "hand2", "dealer"):  # framed is who wins, and nobody else
            framed = page.locator(f".seat.{hand} .card.plays")
            expect(framed.first).to_be_visible(visible=hand in (better or ["dealer"]))
        expect(page.locator(".seat.community .card.plays").first).to_be_visible()
        table.tell("round_settled")


def test_a_winning_spot_with_a_live_price_prints_no_fixed_pay(page: Page, lay: Lay) -> None:
    table = lay("g9", "baccarat", 'odds = "additional"')
    table.open()
    expect(page.locator("[data-odds]")).to_have_count(5)
    # A price has the stake in it; beside it no other bet says what it pays without.
    expect(page.locator("[data-pays=banker] .worth-large")).to_have_text("1.95")
    expect(page.locator("[data-pays]")).to_have_count(3)
    expect(page.locator(".odds dd").filter(has_text=":")).to_have_count(0)
    table.tell("bets_closed")
    table.deal("8S", "5C", "KC", "2D")
    expect_phase(page, "result")
    expect_winners(page, {"player": "1:1", "small": "Live odds"})


def test_a_spot_of_the_house_has_its_name_its_price_and_its_win(page: Page, lay: Lay, tmp_path: Path) -> None:
    """In words of the pay table; one that nobody named is called by its spot."""
    (tmp_path / "house.toml").write_text("""
[spots.dragon_7]
name = { en = "Dragon Seven", zh = "龙七" }
rows = [{ when = { winner = "banker", banker_total = 7, banker_cards = 3 }, pays = "40:1" }]
[spots.both_low]
rows = [{ when = { player_total = [0, 1, 2, 3], banker_total = [6, 7] }, pays = "5:1" },
        { when = { margin = 9 }, pays = "30:1" }]
""")
    table = lay("g10", "baccarat", f'odds = "live"\npay_table = "{tmp_path}/house.toml"')
    table.open()
    expect_phase(page, "betting")
    expect(page.locator("[data-odds=dragon_7] dt")).to_have_text("Dragon Seven")
    expect(page.locator("[data-odds=dragon_7] dd")).to_have_text("42.15")
    expect(page.locator("[data-pays=both_low] dt")).to_have_text("Both Low")
    expect(page.locator("[data-pays=both_low] dd")).to_have_text("6.00 – 31.00")
    table.tell("bets_closed")
    table.deal("KC", "2C", "KD", "2D", "3C", "3H")
    expect_phase(page, "result")
    until(lambda: {"dragon_7", "both_low"} <= {*winners(page)}, lambda: winners(page))
    expect(page.locator(".winners [data-spot=dragon_7] .spot")).to_have_text("Dragon Seven")
    expect(page.locator(".winners [data-spot=both_low]")).to_have_text("Both Low5:1")


@pytest.mark.parametrize(
    ("house", "settings", "usual", "special"),
    [
        ("no-commission", "", "1:1", "1:2 with 6 points"),
        ("ez", "", "1:1", "push with 7 points, 3 cards"),
        ("no-commission", 'odds = "additional"', "2.00", "1.50 with 6 points"),
        ("no-commission", "words = 0", "1:2 – 1:1", ""),
    ],
)
def test_what_the_banker_pays_depends_on_is_said_in_words(
    page: Page, lay: Lay, tmp_path: Path, house: str, settings: str, usual: str, special: str
) -> None:
    """Where we have no words for it the range stands, as it does in a tile."""
    text = (PAY_TABLES / f"baccarat-{house}.toml").read_text()
    if settings == "words = 0":
        settings, text = "", text.replace('banker_total = 6 }, pays = "1:2"', 'margin = 6 }, pays = "1:2"')
    (tmp_path / "house.toml").write_text(text.replace(f'id = "baccarat-{house}"', 'id = "ours"'))
    table = lay("g12", "baccarat", f'{settings}\npay_table = "{tmp_path}/house.toml"')
    table.open()
    expect(page.locator(".side.banker .worth-large")).to_have_text(usual)
    expect(page.locator(".side.banker .terms")).to_have_text(special)
    expect(page.locator(".side.player .terms")).to_have_text("")


def test_limits_stand_on_the_board(page: Page, lay: Lay) -> None:
    """Those of both hands once; an amount in the words of the currency."""
    own = "bonus = { min = 150, max = 50000 }"
    limits = f'[limits]\ncurrency = "EUR"\ntable = {{ min = 0, max = 300000 }}\nspots = {{ {own} }}'
    lay("g8", "casino-holdem", limits)
    shown = page.locator(".limits div")
    expect(shown).to_have_text(["Bet limitsup to €3,000", "Bonus€1.50 – €500"])


WHY = {"win_tie": "Tie with the dealer", "win_dealer_not_qualified": "Dealer does not qualify"}
"""What the hands do not show: how a main wager won, in the words of its pay table."""


def test_two_cards_high_shows_who_qualifies_and_wins(page: Page, lay: Lay) -> None:
    table = lay("g5", "two-cards-high", "seats = 3")
    for _ in range(3):
        table.open()
        table.tell("bets_closed")
        table.draw(20)
        expect_phase(page, "reveal")
        expect_cards(page, table.display)
        table.tell("cards_revealed")
        expect_phase(page, "result")
        expect_cards(page, table.display)
        outcome = table.display["result"]["outcome"]  # type: ignore[index]
        for seat, told in outcome.items():
            place = page.locator(f"[data-seat={seat}]")
            kind = "Pair of" if told["kind"] == "pair" else "Total"
            words = kind if told["qualifies"] else "Not qualified"
            expect(place.locator(".verdict")).to_contain_text(words)
            expect(place.locator(".card.plays")).to_have_count(2 if told["qualifies"] else 0)
            if seat != "dealer":
                side = table.display["result"]["bets"][f"{seat}.side"]  # type: ignore[index]
                won_side = place.locator("[data-wager=side]")
                expect(won_side).to_be_visible(visible=side["result"] == "win")
                why = [WHY[told["result"]]] if told["result"] in WHY else []
                expect(place.locator(".why")).to_have_text(why)
                wins = told["result"].startswith("win")
                (expect(place).to_have_class if wins else expect(place).not_to_have_class)(re.compile("wins"))
        table.tell("round_settled")


def test_two_cards_high_shows_the_seats_that_play(page: Page, lay: Lay) -> None:
    table = lay("g8", "two-cards-high", "seats = 7")

    def expect_places(*names: str) -> None:
        expect(page.locator("[data-seat]")).to_have_count(len(names))
        for name in names:
            expect(page.locator(f"[data-seat={name}]")).to_have_count(1)

    table.open()
    table.tell("seats_taken", seats=[1, 4, 7])
    expect_places("dealer", "seat1", "seat4", "seat7")
    table.tell("bets_closed")
    table.draw(20)
    expect_cards(page, table.tell("cards_revealed"))
    table.tell("round_settled")
    expect_cards(page, table.tell("seats_taken", seats=[2]))
    expect_places("dealer", "seat1", "seat4", "seat7")
    table.open()
    expect_places("dealer", "seat2")


BESIDE = """() => {
    const felt = document.querySelector('.felt').getBoundingClientRect();
    return [...document.querySelectorAll('.felt .card')].map((card) => card.getBoundingClientRect()).filter(
        (at) => at.left < felt.left || at.right > felt.right || at.top < felt.top || at.bottom > felt.bottom
    );
}"""
"""Cards that are not whole on the felt."""


def test_a_game_without_a_board_of_its_own_shows_every_hand_whole(page: Page, lay: Lay) -> None:
    table = lay("g7", "two-cards-high", "seats = 7")
    table.open()
    table.tell("bets_closed")
    table.draw(40)
    told = table.tell("cards_revealed")
    plain = {**told, "game": "a-new-game"}
    table.publisher.retain(f"{table.base}/display", json.dumps(plain).encode())
    for width, height in ((1280, 800), (800, 1280), (400, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        expect_cards(page, plain)
        comes(lambda: page.evaluate(BESIDE), [])
        expect(page.locator(".last li:first-child > .cards")).to_have_count(8)


def test_a_wager_of_the_house_stands_at_each_seat_that_wins_it(page: Page, lay: Lay, tmp_path: Path) -> None:
    """And a main bet that a house lets push does not lose."""
    (tmp_path / "house.toml").write_text("""
[spots.main]
rows = [{ when = { kind = "total", "dealer.kind" = "total" }, result = "push" }, { pays = "1:1" }]
[spots.side]
rows = [{ when = { qualifies = true }, pays = "2:1" }]
[spots.lucky]
name = "Lucky"
rows = [{ when = { kind = "total" }, pays = "7:1" }]
""")
    table = lay("g11", "two-cards-high", f'seats = 2\npay_table = "{tmp_path}/house.toml"')
    table.open()
    expect(page.locator("[data-pays=lucky] dd")).to_have_text("7:1")
    table.tell("bets_closed")
    table.deal("3S", "5S", "4S", "7H", "5D", "6H", "TC", "TH", "TD", "2C", "8H", "9C", "6S", "AC", "5C")
    table.tell("cards_revealed")
    expect_phase(page, "result")
    bets = table.display["result"]["bets"]  # type: ignore[index]
    assert [bets[f"seat1.{wager}"]["result"] for wager in ("main", "side", "lucky")] == ["push", "win", "win"]
    expect(page.locator("[data-seat=seat1] .wagers")).to_have_text("PushesLucky 7:1Side 2:1")
