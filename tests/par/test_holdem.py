"""Casino Hold'em: the documented returns, exactly, and the count behind them against a plain one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from controller.games import poker
from controller.games.casino_holdem import CasinoHoldem, ante_row, qualifies
from controller.games.paytable import PayTable, from_json
from controller.games.registry import build_game
from controller.par import spot_returns
from controller.par.answer import SpotReturn, returned
from controller.par.holdem_flops import Flop, Holes, card_of, flops
from controller.par.holdem_play import SHOWDOWNS, OptimalPlay
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import PayTableError
from tests.games.deals import told

HANDS_AND_FLOPS = comb(52, 2) * comb(50, 3)


def game(**settings: object) -> CasinoHoldem:
    built = build_game(GameSettings("casino-holdem", **settings))  # type: ignore[arg-type]
    assert isinstance(built, CasinoHoldem)
    return built


@pytest.fixture(scope="module")
def play() -> OptimalPlay:
    return OptimalPlay(game())


@pytest.fixture(scope="module")
def returns(play: OptimalPlay) -> dict[str, SpotReturn]:
    """Of the same table, whose showdowns are counted once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("controller.par.casino_holdem.OptimalPlay", lambda _: play)
        return spot_returns(game())


def test_the_ante_returns_the_documented_97_84_percent(play: OptimalPlay) -> None:
    assert play.ante_return() == Fraction(61_849_287_523, 63_213_204_600)
    assert f"{float(play.ante_return()):.4f}" == "0.9784"


def test_the_bonus_returns_the_documented_93_74_percent(returns: dict[str, SpotReturn]) -> None:
    bonus = returns["hand1.bonus"]
    assert bonus.total == comb(52, 5)
    assert bonus.ways == {
        "100:1": 4,
        "50:1": 36,
        "40:1": 624,
        "30:1": 3_744,
        "20:1": 5_108,
        "7:1": 10_200 + 54_912 + 123_552 + 84_480,
        "lose": 2_316_300,
    }
    assert f"{float(bonus.own_return):.4f}" == "0.9374"


def test_ante_and_play_account_for_every_showdown(play: OptimalPlay) -> None:
    found = play.returns()
    for spot in ("ante", "play"):
        assert found[spot].total == HANDS_AND_FLOPS * SHOWDOWNS
    assert found["play"].ways["not_placed"] == play.folded * SHOWDOWNS


def test_the_ways_of_ante_and_play_give_the_stated_return(play: OptimalPlay) -> None:
    """Forward and back are two counts of the same thing: they must agree to the last showdown."""
    found = play.returns()
    net: Fraction | int = sum((returned(end) - 1) * ways for end, ways in found["ante"].ways.items())
    net += sum(
        2 * (returned(end) - 1) * ways for end, ways in found["play"].ways.items() if end != "not_placed"
    )
    assert 1 + Fraction(net, HANDS_AND_FLOPS * SHOWDOWNS) == play.ante_return()


def test_both_hands_are_alike(returns: dict[str, SpotReturn]) -> None:
    assert list(returns) == [f"hand{hand}.{spot}" for hand in (1, 2) for spot in ("ante", "play", "bonus")]
    assert returns["hand1.ante"].answer() == returns["hand2.ante"].answer()


def test_the_flops_stand_for_all_and_every_hand_is_held_once() -> None:
    kinds = list(flops())
    assert len(kinds) == 1_755
    assert sum(flop.alike for flop in kinds) == comb(52, 3)
    holes = Holes(kinds[500])
    hands = {frozenset(holes.cards(hand)) for hand in range(comb(49, 2))}
    assert len(hands) == comb(49, 2)
    assert not any(card_of(place) in hand for hand in hands for place in kinds[500].cards)


SPOT_CHECKS = [
    # a flush draw, three of a suit on the flop, a pair on it, a hopeless hand, a made hand
    ("2S 7H KS", "4S 9S"),
    ("2S 7S KS", "4S 9H"),
    ("7S 7H KS", "4S 9H"),
    ("2S 7H KD", "3C 4S"),
    ("AS AH KD", "AC KS"),
]


@pytest.mark.parametrize(("flop", "hole"), SPOT_CHECKS)
def test_what_a_played_hand_gains_against_a_plain_count(play: OptimalPlay, flop: str, hole: str) -> None:
    """Every dealer's hand on every turn and river, counted one by one."""
    board, mine = [Card(card) for card in flop.split()], [Card(card) for card in hole.split()]
    unseen = [card for card in DECK_52 if card not in board and card not in mine]
    plain = 0
    strengths: dict[frozenset[Card], int] = {}
    ratios = game().pay_table.ratios()
    fours = poker.strength([Card(card) for card in ["4S", "4H", "2D", "3C", "5S"]])
    for turned in combinations(unseen, 2):
        best = poker.strength([*mine, *board, *turned])
        ante = int(ratios["ante", ante_row(best)].split(":")[0])
        for dealer in combinations([card for card in unseen if card not in turned], 2):
            key = frozenset((*turned, *dealer))
            if key not in strengths:
                strengths[key] = poker.strength([*board, *key])
            theirs = strengths[key]
            if theirs < fours:
                plain += ante
            elif best != theirs:
                plain += ante + 2 if best > theirs else -3
    assert _gains(play, board, mine) == plain


def _gains(play: OptimalPlay, board: list[Card], mine: list[Card]) -> int:
    """What the fast count says of one hand on one flop."""
    places = [("23456789TJQKA".index(card[0]), "SHDC".index(card[1])) for card in board]
    flop = Flop((places[0], places[1], places[2]), 1)
    holes = Holes(flop)
    hand = next(number for number in range(comb(49, 2)) if set(holes.cards(number)) == set(mine))
    return int(play.gains(flop, holes)[hand])


def test_names_of_suits_and_order_of_the_flop_make_no_difference(play: OptimalPlay) -> None:
    one = _gains(play, [Card("2S"), Card("7H"), Card("KS")], [Card("4S"), Card("9S")])
    assert one == _gains(play, [Card("KD"), Card("2D"), Card("7C")], [Card("9D"), Card("4D")])


def test_worthless_hands_are_folded_and_pairs_played(play: OptimalPlay) -> None:
    assert 0.17 < play.folded / HANDS_AND_FLOPS < 0.19


def test_a_fold_that_forfeits_the_bonus_costs_what_folded_aces_would_have_won() -> None:
    bonus = spot_returns(game(fold_forfeits_bonus=True))["hand1.bonus"]
    assert bonus.total == HANDS_AND_FLOPS
    assert bonus.ways["7:1"] == 2_639_952
    assert bonus.ways["100:1"] == 40


def test_a_table_too_fine_for_the_exact_count_is_refused() -> None:
    plain = told(game().pay_table)
    rows = plain["rows"]
    assert isinstance(rows, list)
    rows[0]["pays"] = "9999999.9999:9999"
    table: PayTable = from_json({**plain, "id": "too-fine"})
    with pytest.raises(PayTableError, match="too fine"):
        spot_returns(build_game(GameSettings("casino-holdem"), table))


def test_the_dealer_s_weakest_qualifying_hand_is_a_pair_of_fours() -> None:
    assert qualifies(poker.pack(poker.PAIR, poker.BIT["4"]))
    assert not qualifies(poker.pack(poker.PAIR, poker.BIT["3"], 0b1110_0000_0000_0))
