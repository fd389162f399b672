"""What must hold for every round: exact integers, nothing lost but rounding, complementary spots add up."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from controller.games.ratio import parse_ratio
from controller.games.registry import build_game
from controller.settlement import Bet, refund, settle
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.configuration import GameSettings
from tests.games.deals import dealt_of

ACTION = build_game(GameSettings("2-card-action", layout="C"))
BACCARAT = build_game(GameSettings("baccarat"))
HOLDEM = build_game(GameSettings("casino-holdem"))

STAKES = st.integers(1, 10**9)


def shoe(cards: int) -> st.SearchStrategy[list[Card]]:
    return st.lists(st.sampled_from(DECK_52), min_size=cards, max_size=cards, unique=True)


@given(shoe(6), st.sampled_from(BACCARAT.spots()), STAKES)
def test_returned_is_the_exact_amount_less_a_fraction_of_one_minor_unit(
    cards: list[Card], spot: str, stake: int
) -> None:
    deal = dealt_of(BACCARAT, cards)
    (settled,) = settle(BACCARAT, deal, [Bet(spot, stake)], frozenset())
    exact = Fraction(0)
    if settled.pays is not None:
        exact = stake * (1 + parse_ratio(settled.pays))
    elif settled.result == "push":
        exact = Fraction(stake)
    assert 0 <= exact - settled.returned_minor < 1


@given(shoe(2), STAKES)
def test_of_all_sums_and_the_pair_of_aces_exactly_one_is_paid_or_none(cards: list[Card], stake: int) -> None:
    """Layout C: the sums 3 to 20 leave out the two aces only, which is the specific pair."""
    spots = [*(f"sum_{total}" for total in range(3, 21)), "pair_A"]
    settled = settle(ACTION, dealt_of(ACTION, cards), [Bet(spot, stake) for spot in spots], frozenset())
    assert sum(one.returned_minor > 0 for one in settled) == 1


@given(shoe(6), STAKES)
def test_player_banker_and_tie_one_of_them_wins_and_a_tie_pushes_the_others(
    cards: list[Card], stake: int
) -> None:
    bets = [Bet(spot, stake) for spot in ("player", "banker", "tie")]
    results = [one.result for one in settle(BACCARAT, dealt_of(BACCARAT, cards), bets, frozenset())]
    assert sorted(results) in (["lose", "lose", "win"], ["push", "push", "win"])
    assert (results[2] == "win") == (results[0] == "push")


@given(shoe(11), STAKES, st.sets(st.sampled_from(["hand1", "hand2"])))
def test_no_more_is_lost_than_was_staked_and_a_folded_hand_loses_its_ante_only(
    cards: list[Card], stake: int, played: set[str]
) -> None:
    bets = [Bet("hand1.ante", stake), Bet("hand2.ante", stake)]
    settled = settle(HOLDEM, dealt_of(HOLDEM, cards), bets, frozenset(played))
    for one in settled:
        hand, wager = one.spot.split(".")
        if hand not in played:
            assert one.returned_minor == 0
            assert one.result == ("not_placed" if wager == "play" else "lose")
        elif wager == "play":
            assert one.stake_minor == 2 * stake


@given(shoe(11), STAKES, st.sets(st.sampled_from(["hand1", "hand2"])))
def test_a_void_gives_back_exactly_what_was_staked(cards: list[Card], stake: int, played: set[str]) -> None:
    bets = [Bet(spot, stake) for spot in ("hand1.ante", "hand1.bonus", "hand2.ante")]
    settled = refund(HOLDEM, bets, frozenset(played))
    assert all(one.returned_minor == one.stake_minor for one in settled)
