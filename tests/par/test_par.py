"""The exact return of every table: golden fractions, ways that add up, and the documented returns."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations
from math import comb, perm
from random import Random
from typing import Any

import pytest

from controller.games.paytable import PayRow, PayTable, builtin_pay_table
from controller.games.registry import build_game
from controller.games.two_cards_high import HAND_SIZE, TwoCardsHigh, best_standing
from controller.odds.baccarat import one_by_one
from controller.odds.two_cards_high import standings
from controller.odds.two_hands import ways_by_kind
from controller.par import par
from controller.vocabulary.cards import DECK_40
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError, PayTableError
from tests.games.deals import told


def spots(settings: GameSettings, pay_table: PayTable | None = None) -> dict[str, Any]:
    found: dict[str, Any] = told(par(settings, pay_table))["spots"]
    return found


def share(spot: dict[str, Any]) -> Fraction:
    return Fraction(spot["return"])


def action(layout: str, decks: int) -> dict[str, Any]:
    return spots(GameSettings("2-card-action", layout=layout, decks=decks))  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", ["A", "B", "C"])
@pytest.mark.parametrize("decks", [4, 5, 6, 7, 8])
def test_2_card_action_is_exact_at_any_decks_and_layout(layout: str, decks: int) -> None:
    cards = 52 * decks
    found = action(layout, decks)
    assert len(found) == (100 if layout == "C" else 36)
    for spot in found.values():
        assert spot["total"] == sum(spot["ways"].values()) == perm(cards, 2)
        assert float(1 - share(spot)) == spot["house_edge"]
    pair = Fraction(4 * decks - 1, cards - 1)
    assert share(found["any_pair"]) == 12 * pair
    field = Fraction(found["field"]["ways"]["1:1"], perm(cards, 2))
    assert share(found["field"]) == 2 * field
    assert found["bonus"]["ways"]["30:1"] == 2 * 4 * decks**2
    assert found["bonus"]["ways"]["15:1"] == 2 * 12 * decks**2
    assert found["single_K"]["ways"]["30:1"] == 4 * decks * (decks - 1)
    if layout == "C":
        assert found["card_AS"]["ways"]["100:1"] == perm(decks, 2)
        assert found["card_AS"]["ways"]["23:1"] == 2 * decks * (cards - decks)


def test_2_card_action_sums_and_the_pair_of_aces_share_all_deals() -> None:
    found = action("C", 8)
    wins = sum(
        found[f"sum_{total}"]["total"] - found[f"sum_{total}"]["ways"]["lose"] for total in range(3, 21)
    )
    assert wins + found["pair_A"]["ways"]["160:1"] == perm(416, 2)


def test_baccarat_has_the_counts_of_the_readings() -> None:
    found = spots(GameSettings("baccarat"))
    assert found["banker"]["ways"]["0.95:1"] == 2_292_252_566_437_888
    assert found["player"]["ways"]["1:1"] == 2_230_518_282_592_256
    assert found["tie"]["ways"]["8:1"] == found["player"]["ways"]["push"] == 475_627_426_473_216
    for spot in found.values():
        assert spot["total"] == sum(spot["ways"].values()) == perm(416, 6)
    assert found["small"]["ways"]["3:2"] + found["big"]["ways"]["0.54:1"] == perm(416, 6)
    gain = Fraction(95, 100) * 2_292_252_566_437_888 - 2_230_518_282_592_256
    assert share(found["banker"]) == 1 + gain / perm(416, 6)
    assert share(found["player"]) == Fraction(19_283_843_717_413, 19_524_993_263_685)


@pytest.mark.parametrize("decks", [1, 2, 6, 8])
def test_baccarat_pairs_in_closed_form(decks: int) -> None:
    found = spots(GameSettings("baccarat", decks=decks))
    cards, copies = 52 * decks, 4 * decks
    pair = Fraction(copies - 1, cards - 1)
    same = Fraction(13 * perm(copies, 4), perm(cards, 4))
    other = Fraction(13 * 12 * perm(copies, 2) ** 2, perm(cards, 4))
    assert share(found["player_pair"]) == share(found["banker_pair"]) == 12 * pair
    assert share(found["any_pair"]) == 6 * (2 * pair - same - other)


def test_two_cards_high_main_counts_every_pair_of_hands() -> None:
    main = spots(GameSettings("two-cards-high", seats=1))["seat1.main"]
    assert main["total"] == sum(main["ways"].values()) == comb(40, 5) * comb(35, 5)
    assert main["ways"] == {"3:2": 9_308_622_224, "1:1": 90_354_133_792, "lose": 113_947_697_040}


def test_two_cards_high_qualifying_hands_against_a_count_of_all_658008() -> None:
    points = [" A23456789T".index(card[0]) for card in DECK_40]
    qualified = sum(best_standing(hand) is not None for hand in combinations(points, 5))
    kinds, kind_of = standings()
    met = zip(kinds, ways_by_kind([4] * 10, HAND_SIZE, kind_of), strict=True)
    counted = sum(sum(ways) for player, ways in met if player is not None)
    assert counted == qualified * comb(35, 5)


def test_two_cards_high_against_dealt_hands() -> None:
    """Five hundred thousandths of the deals, dealt: the shares agree within five standard errors."""
    game = build_game(GameSettings("two-cards-high", seats=1))
    assert isinstance(game, TwoCardsHigh)
    chance, deals = Random(20261121), 40_000
    counted: dict[str, int] = {}
    points = [" A23456789T".index(card[0]) for card in DECK_40]
    for _ in range(deals):
        drawn = chance.sample(points, 10)
        result = game.main_bet(best_standing(drawn[:5]), best_standing(drawn[5:]))
        counted[result.pays or "lose"] = counted.get(result.pays or "lose", 0) + 1
    main = spots(GameSettings("two-cards-high", seats=1))["seat1.main"]
    for end, ways in main["ways"].items():
        probability = ways / main["total"]
        error = (probability * (1 - probability) / deals) ** 0.5
        assert abs(counted[end] / deals - probability) < 5 * error


def test_two_cards_high_side_counts_every_hand_and_aces_would_return_104_percent() -> None:
    side = spots(GameSettings("two-cards-high", seats=3))["seat3.side"]
    assert side["total"] == comb(40, 5)
    pair = 10 * comb(4, 2) * comb(9, 3) * 4**3
    assert side["ways"] == {
        "100:1": 24,
        "50:1": 10 * 36,
        "20:1": 10 * 9 * 4 * 6,
        "12:1": 4 * comb(10, 5) - 24,
        "5:1": 6 * 4**5 - 24,
        "3:1": 10 * 4 * comb(9, 2) * 16,
        "2:1": comb(10, 2) * 36 * 8 * 4,
        "1:1": pair * 4 // 10,
        "lose": 444_456,
    }
    with_aces = share(side) + 2 * Fraction(pair // 10, comb(40, 5))
    assert round(float(with_aces), 2) == 1.04


def test_two_cards_high_settings_of_the_house_change_the_return() -> None:
    base = share(spots(GameSettings("two-cards-high", seats=1))["seat1.main"])
    tie = share(spots(GameSettings("two-cards-high", seats=1, pair_tie="3:2"))["seat1.main"])
    out = GameSettings("two-cards-high", seats=1, pair_against_unqualified_dealer="3:2")
    assert base < tie < share(spots(out)["seat1.main"])


def test_every_seat_is_alike() -> None:
    found = spots(GameSettings("two-cards-high"))
    assert list(found) == [f"seat{seat}.{wager}" for seat in range(1, 8) for wager in ("main", "side")]
    assert found["seat7.main"] == found["seat1.main"]


def test_a_house_s_own_table_is_judged() -> None:
    published = builtin_pay_table("baccarat")
    rows = tuple(PayRow(row.bet, row.when, "9:1" if row.bet == "tie" else row.pays) for row in published.rows)
    house = PayTable("house", "House rules", "2026-11-21", "baccarat", rows)
    answer = told(par(GameSettings("baccarat"), house))
    assert answer["pay_table"] == {"id": "house", "digest": house.digest}
    found = spots(GameSettings("baccarat"), house)
    assert share(found["tie"]) == Fraction(10 * 475_627_426_473_216, perm(416, 6))


def test_a_table_of_another_game_is_refused() -> None:
    with pytest.raises(PayTableError):
        par(GameSettings("baccarat"), builtin_pay_table("casino-holdem"))
    with pytest.raises(ConfigurationError, match=r"game\.layout"):
        par(GameSettings("2-card-action"))


def test_the_answer_is_json_and_takes_less_than_20_seconds() -> None:
    started = time.process_time()
    for settings in (
        GameSettings("2-card-action", layout="C"),
        GameSettings("two-cards-high"),
        GameSettings("baccarat"),
    ):
        told(par(settings))
    assert time.process_time() - started < 20


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_baccarat_returns_what_a_count_card_by_card_says(decks: int) -> None:
    """``par`` counts as the live odds do; here every order of points by the rules, without their tables."""
    ways = one_by_one([16 * decks] + [4 * decks] * 9, [], 6)
    assert sum(ways) == perm(52 * decks, 6)
    found = spots(GameSettings("baccarat", decks=decks))
    won = dict(zip(("player", "banker", "tie"), (sum(ways[side::3]) for side in range(3)), strict=True))
    won |= {"small": sum(ways[:3]), "big": sum(ways[3:])}
    for spot, number in won.items():
        pushed = won["tie"] if spot in ("player", "banker") else 0
        lost = sum(ways) - number - pushed
        assert found[spot]["ways"] == {
            builtin_pay_table("baccarat").ratios()[spot, "win"]: number,
            **({"push": pushed} if pushed else {}),
            "lose": lost,
        }
