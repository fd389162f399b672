"""2 Hand Casino Hold'em: the quick-reference table, both pay tables, decisions, the deal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games import poker
from controller.games.casino_holdem import (
    CasinoHoldemOutcome,
    HoldemDealer,
    HoldemHand,
    ante_row,
    bonus_row,
    qualifies,
    versus,
)
from controller.games.registry import build_game
from controller.vocabulary.cards import DECK_52, SUITS, Card
from controller.vocabulary.configuration import GameSettings
from tests.games.deals import bets, deal

GAME = build_game(GameSettings("casino-holdem"))
HAND2 = "2C 7D"


def strength(cards: str) -> int:
    return poker.strength([Card(card) for card in cards.split()])


def ends(hand1: str, dealer: str, board: str) -> tuple[str, str]:
    """What Ante and Play of hand 1 do."""
    found = bets(GAME, f"{hand1} {HAND2} {dealer} {board}")
    return found["hand1.ante"], found["hand1.play"]


@pytest.mark.parametrize(
    ("case", "hand1", "dealer", "board", "expected"),
    [
        ("dealer out, you win", "AS KH", "9C 8D", "2S 3H 5C JD QH", ("1:1", "push")),
        ("dealer out, you are worse: paid (readings)", "9C 8D", "AS KH", "2S 3H 5C JD QH", ("1:1", "push")),
        ("dealer out with threes, you are worse", "AS KH", "3C 8D", "2S 3H 5C JD QH", ("1:1", "push")),
        ("dealer qualifies with fours, you win", "AS AH", "4C 8D", "4S 3H 5C JD QH", ("1:1", "1:1")),
        ("dealer qualifies, you lose", "AS KH", "4C 8D", "4S 3H 5C JD QH", ("lose", "lose")),
        ("dealer qualifies, you tie", "AS KH", "AC KD", "4S 4H 5C JD QH", ("push", "push")),
        ("dealer out, equal cards: paid", "AS KH", "AC KD", "4S 3H 5C 9D QH", ("1:1", "push")),
    ],
)
def test_quick_reference_table(
    case: str, hand1: str, dealer: str, board: str, expected: tuple[str, str]
) -> None:
    assert ends(hand1, dealer, board) == expected, case


@pytest.mark.parametrize(
    ("cards", "row", "pays"),
    [
        ("AS KS QS JS TS 2H 3D", "royal_flush", "100:1"),
        ("KS QS JS TS 9S 2H 3D", "straight_flush", "20:1"),
        ("AS 2S 3S 4S 5S 9H KD", "straight_flush", "20:1"),
        ("AS AH AD AC 5S 9H KD", "four_of_a_kind", "10:1"),
        ("AS AH AD KC KS 9H 3D", "full_house", "3:1"),
        ("AS 9S 7S 4S 2S KH 3D", "flush", "2:1"),
        ("AS KH QD JC TS 2H 3D", "straight_or_lower", "1:1"),
        ("AS AH AD JC TS 2H 3D", "straight_or_lower", "1:1"),
        ("AS AH KD KC TS 2H 3D", "straight_or_lower", "1:1"),
        ("AS AH KD JC TS 2H 3D", "straight_or_lower", "1:1"),
        ("AS QH TD 8C 6S 4H 2D", "straight_or_lower", "1:1"),
    ],
)
def test_ante_pays_by_the_best_five_of_seven(cards: str, row: str, pays: str) -> None:
    assert ante_row(strength(cards)) == row
    assert GAME.pay_table.ratios()["ante", row] == pays


@pytest.mark.parametrize(
    ("cards", "row", "pays"),
    [
        ("AS KS QS JS TS", "royal_flush", "100:1"),
        ("KS QS JS TS 9S", "straight_flush", "50:1"),
        ("AS AH AD AC 5S", "four_of_a_kind", "40:1"),
        ("AS AH AD KC KS", "full_house", "30:1"),
        ("AS 9S 7S 4S 2S", "flush", "20:1"),
        ("AS 2H 3D 4C 5S", "straight", "7:1"),
        ("2S 2H 2D 4C 5S", "three_of_a_kind", "7:1"),
        ("2S 2H 3D 3C 5S", "two_pair", "7:1"),
        ("AS AH 3D 4C 5S", "pair_of_aces", "7:1"),
        ("KS KH 3D 4C 5S", None, "lose"),
        ("AS KH 3D 4C 5S", None, "lose"),
    ],
)
def test_bonus_pays_by_the_first_five_cards(cards: str, row: str | None, pays: str) -> None:
    assert bonus_row(strength(cards)) == row
    hole, flop = cards.split()[:2], cards.split()[2:]
    rest = [card for card in DECK_52 if card not in cards.split()]
    dealt = [*hole, *rest[:4], *flop, *rest[4:6]]
    assert bets(GAME, " ".join(dealt))["hand1.bonus"] == pays


def test_the_bonus_does_not_see_turn_and_river() -> None:
    assert bets(GAME, "KS KH 2C 7D 3S 9H AD 5C 6H KD KC")["hand1.bonus"] == "lose"


@pytest.mark.parametrize(
    ("cards", "enough"),
    [("3S 3H AD KC QS JH 9D", False), ("4S 4H 2D 3C 7S 8H 9D", True), ("AS KH QD JC 9S 8H 7D", False)],
)
def test_the_dealer_qualifies_with_a_pair_of_fours_on_the_best_five_of_seven(
    cards: str, enough: bool
) -> None:
    assert qualifies(strength(cards)) is enough


def test_each_hand_is_compared_on_its_own() -> None:
    outcome = GAME.outcome(deal(GAME, "AS AH 2C 7D KS KH AD 3C 9H 9D JC"))
    assert outcome == CasinoHoldemOutcome(
        dealer=HoldemDealer("two_pair", qualifies=True),
        hand1=HoldemHand("full_house", first_five="three_of_a_kind", vs_dealer="better"),
        hand2=HoldemHand("pair", first_five="high_card", vs_dealer="worse"),
    )


def test_readings_deal_order_eleven_cards_no_burn() -> None:
    dealt = deal(GAME, "AS AH 2C 7D KS KH AD 3C 9H 9D JC")
    positions = "hand1 hand1 hand2 hand2 dealer dealer flop flop flop turn river"
    assert [one.position for one in dealt] == positions.split()
    assert GAME.cards_needed == 11
    assert GAME.decisions_after() == 9


def test_setting_rotation_and_burn_cards() -> None:
    game = build_game(
        GameSettings("casino-holdem", deal="rotation", burn_before=("hands", "flop", "turn", "river"))
    )
    dealt = deal(game, "2S AS 2C KS AH 7D KH 3S AD 3C 9H 4S 9D 5S JC")
    assert " ".join(one.position for one in dealt) == (
        "burn hand1 hand2 dealer hand1 hand2 dealer burn flop flop flop burn turn burn river"
    )
    assert game.decisions_after() == 11
    assert game.cards_needed == 15
    assert game.hands(dealt) == {"hand1": ["AS", "AH"], "hand2": ["2C", "7D"], "dealer": ["KS", "KH"]}
    assert game.board(dealt) == ["AD", "3C", "9H", "9D", "JC"]
    assert game.outcome(dealt) == GAME.outcome(deal(GAME, "AS AH 2C 7D KS KH AD 3C 9H 9D JC"))


def test_the_dealer_s_cards_lie_face_down_until_the_reveal() -> None:
    assert [place for place in (*GAME.places(), "burn") if GAME.face_down(place)] == ["dealer", "burn"]
    assert GAME.has_reveal


def test_play_is_twice_the_ante_and_the_bonus_needs_one() -> None:
    decision = GAME.decisions()["hand2"]
    assert (decision.base, decision.raised, decision.times) == ("hand2.ante", "hand2.play", 2)
    assert decision.forfeits == ("hand2.ante",)
    assert GAME.needs_bet() == {"hand1.bonus": "hand1.ante", "hand2.bonus": "hand2.ante"}


def test_setting_fold_forfeits_bonus() -> None:
    game = build_game(GameSettings("casino-holdem", fold_forfeits_bonus=True))
    assert game.decisions()["hand1"].forfeits == ("hand1.ante", "hand1.bonus")


@given(
    st.lists(st.sampled_from(DECK_52), min_size=11, max_size=11, unique=True), st.permutations(list(SUITS))
)
def test_swapping_suits_never_changes_anything_that_is_paid(cards: list[Card], suits: list[str]) -> None:
    swap = dict(zip(SUITS, suits, strict=True))
    swapped = [card[0] + swap[card[1]] for card in cards]
    assert bets(GAME, " ".join(cards)) == bets(GAME, " ".join(swapped))


@given(st.lists(st.sampled_from(DECK_52), min_size=9, max_size=9, unique=True))
def test_hand_and_dealer_changed_about_turn_better_into_worse(cards: list[Card]) -> None:
    mine, theirs, board = cards[:2], cards[2:4], cards[4:]
    mirrored = {"better": "worse", "worse": "better", "tie": "tie"}
    one, other = poker.strength([*mine, *board]), poker.strength([*theirs, *board])
    assert versus(other, one) == mirrored[versus(one, other)]
