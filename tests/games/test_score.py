"""The contract's ``score``: both forms of cards, incomplete rounds, a surplus, every kind of bad input."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.registry import all_games, build_game
from controller.games.score import score_deal, score_line
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import InputError
from tests.games.deals import deal, told

TWO_CARDS = {"game": "2-card-action", "layout": "A"}
SEAT1, DEALER = ["5S", "2H", "3S", "7C", "8C"], ["4S", "7D", "5H", "8H", "6D"]


def line(game: str, cards: str, **more: object) -> dict[str, object]:
    return {"game": game, "cards": cards.split(), **more}


def scored(asked: object) -> dict[str, Any]:
    return told(score_line(asked))


def by_hand(game: str, hands: Mapping[str, object], **more: object) -> dict[str, object]:
    return {"game": game, "hands": hands, **more}


def test_seats_as_a_list_are_those_that_play() -> None:
    hands = {"seat2": SEAT1, "seat5": SEAT1[::-1], "dealer": DEALER}
    with_gaps = by_hand("two-cards-high", {**hands, "seat5": ["9S", "9H", "2S", "AS", "4H"]})
    answer = scored(with_gaps)
    assert set(answer["hands"]) == {"seat2", "seat5", "dealer"}
    cards = [hand[number] for number in range(5) for hand in answer["hands"].values()]
    assert scored({"game": "two-cards-high", "seats": [5, 2], "cards": cards}) == answer
    assert scored({**with_gaps, "seats": [2, 5]}) == answer
    assert answer["needs"] is None
    with pytest.raises(InputError) as refused:
        scored({**with_gaps, "seats": [1, 2]})
    assert refused.value.code == "unknown_hand"


def test_the_contract_s_example_cards_in_deal_order() -> None:
    answer = scored(line("baccarat", "KC 7C 7D 2D"))
    assert {key: value for key, value in answer.items() if key != "bets"} == {
        "game": "baccarat",
        "complete": True,
        "used": 4,
        "needs": None,
        "hands": {"player": ["KC", "7D"], "banker": ["7C", "2D"]},
        "outcome": {"winner": "banker", "player_total": 7, "banker_total": 9, "natural": True},
    }
    bets = answer["bets"]
    assert list(bets) == list(build_game(GameSettings("baccarat")).spots())
    assert bets["banker"] == {"result": "win", "pays": "0.95:1"}
    assert bets["tie"] == {"result": "lose", "pays": None}


def test_the_contract_s_example_two_cards_high_by_position() -> None:
    answer = scored(by_hand("two-cards-high", {"seat1": SEAT1, "dealer": DEALER}))
    assert answer["outcome"] == {
        "seat1": {"qualifies": True, "kind": "total", "rank": 5, "result": "win", "side": None},
        "dealer": {"qualifies": True, "kind": "total", "rank": 0},
    }
    assert answer["bets"] == {
        "seat1.main": {"result": "win", "pays": "1:1"},
        "seat1.side": {"result": "lose", "pays": None},
    }
    assert (answer["used"], answer["needs"]) == (10, None)


def test_a_hand_that_does_not_qualify_has_neither_kind_nor_rank() -> None:
    hands = {"seat1": ["AS", "AH", "2S", "2H", "3S"], "dealer": DEALER}
    outcome = scored(by_hand("two-cards-high", hands))["outcome"]
    assert outcome["seat1"] == {
        "qualifies": False,
        "kind": None,
        "rank": None,
        "result": "lose_player_not_qualified",
        "side": "two_pair",
    }


def test_the_contract_s_example_casino_holdem_by_position() -> None:
    hands = {"hand1": ["AS", "AH"], "hand2": ["2C", "7D"], "dealer": ["KS", "KH"]}
    answer = scored(by_hand("casino-holdem", hands, board=["AD", "3C", "9H", "9D", "JC"]))
    assert answer["hands"] == hands
    assert answer["board"] == ["AD", "3C", "9H", "9D", "JC"]
    assert answer["bets"] == {
        "hand1.ante": {"result": "win", "pays": "3:1"},
        "hand1.play": {"result": "win", "pays": "1:1"},
        "hand1.bonus": {"result": "win", "pays": "7:1"},
        "hand2.ante": {"result": "lose", "pays": None},
        "hand2.play": {"result": "lose", "pays": None},
        "hand2.bonus": {"result": "lose", "pays": None},
    }
    in_order = "AS AH 2C 7D KS KH AD 3C 9H 9D JC"
    assert scored(line("casino-holdem", in_order)) == answer


def test_seats_that_are_not_named_do_not_exist() -> None:
    hands: Mapping[str, object] = {"seat3": SEAT1, "dealer": DEALER}
    assert list(_bets(by_hand("two-cards-high", hands))) == ["seat3.main", "seat3.side"]
    answer = scored(by_hand("two-cards-high", hands, seats=3))
    assert (answer["complete"], answer["needs"], answer["used"]) == (False, "seat1", 10)
    assert (answer["outcome"], answer["bets"]) == (None, {})


def test_two_cards_high_cards_in_deal_order_are_dealt_in_rotation_to_seven_seats() -> None:
    turns = [card for pair in zip(SEAT1, DEALER, strict=True) for card in pair]
    one = scored({"game": "two-cards-high", "seats": 1, "cards": turns})
    assert one["hands"] == {"seat1": SEAT1, "dealer": DEALER}
    assert scored({"game": "two-cards-high", "cards": turns})["needs"] == "seat3"


@pytest.mark.parametrize(
    ("given_line", "used", "needs"),
    [
        ({"game": "baccarat"}, 0, "player"),
        (line("baccarat", ""), 0, "player"),
        (line("baccarat", "2S"), 1, "banker"),
        (line("baccarat", "2S 3S TS KS"), 4, "player"),
        (line("baccarat", "2S 3S TS KS 6H"), 5, "banker"),
        (by_hand("baccarat", {"player": ["2S", "TS"], "banker": ["3S", "KS"]}), 4, "player"),
        (by_hand("baccarat", {"player": ["2S", "TS"]}), 2, "banker"),
        ({**TWO_CARDS, "cards": ["AS"]}, 1, "second"),
        (by_hand("casino-holdem", {"hand1": ["AS", "AH"]}), 2, "hand2"),
        (line("casino-holdem", "AS AH 2C 7D KS KH AD 3C 9H"), 9, "turn"),
        (by_hand("casino-holdem", {}, board=["AD"]), 1, "hand1"),
    ],
)
def test_too_few_cards_are_incomplete_not_an_error(
    given_line: dict[str, object], used: int, needs: str
) -> None:
    answer = scored(given_line)
    assert (answer["complete"], answer["used"], answer["needs"]) == (False, used, needs)
    assert (answer["outcome"], answer["bets"]) == (None, {})


def test_a_surplus_of_cards_is_ignored() -> None:
    assert scored({**TWO_CARDS, "cards": ["AS", "8S", "KD", "KD"]})["used"] == 2
    assert scored(line("baccarat", "KC 7C 7D 2D 5S 6S"))["used"] == 4


def test_the_layout_decides_the_spots() -> None:
    for layout, spots in (("A", 36), ("B", 36), ("C", 100)):
        assert len(_bets({**TWO_CARDS, "layout": layout, "cards": ["AS", "8S"]})) == spots


BAD: list[tuple[object, str]] = [
    ([], "wrong_type"),
    ("baccarat", "wrong_type"),
    (None, "wrong_type"),
    (7, "wrong_type"),
    ({}, "missing_game"),
    ({"game": None}, "missing_game"),
    ({"game": 7}, "wrong_type"),
    ({"game": "snap"}, "unknown_game"),
    ({"game": "2-card-action", "cards": []}, "missing_layout"),
    ({"game": "2-card-action", "layout": "D"}, "unknown_layout"),
    ({"game": "2-card-action", "layout": 1}, "unknown_layout"),
    ({"game": "2-card-action", "layout": "a"}, "unknown_layout"),
    ({"game": "baccarat", "layout": "A"}, "unknown_layout"),
    ({**TWO_CARDS, "decks": 3}, "bad_decks"),
    ({**TWO_CARDS, "decks": 9}, "bad_decks"),
    ({**TWO_CARDS, "decks": 8.0}, "bad_decks"),
    ({**TWO_CARDS, "decks": "8"}, "bad_decks"),
    ({"game": "baccarat", "decks": True}, "bad_decks"),
    ({"game": "casino-holdem", "decks": 2}, "bad_decks"),
    ({"game": "two-cards-high", "seats": 0}, "bad_seats"),
    ({"game": "two-cards-high", "seats": 8}, "bad_seats"),
    ({"game": "two-cards-high", "seats": True}, "bad_seats"),
    ({"game": "two-cards-high", "seats": []}, "bad_seats"),
    ({"game": "two-cards-high", "seats": [8]}, "bad_seats"),
    ({"game": "two-cards-high", "seats": [1, 1]}, "bad_seats"),
    ({"game": "two-cards-high", "seats": ["1"]}, "bad_seats"),
    ({"game": "baccarat", "seats": [1]}, "bad_seats"),
    ({"game": "two-cards-high", "pair_tie": "x"}, "bad_setting"),
    ({"game": "baccarat", "seats": 2}, "unknown_setting"),
    (line("baccarat", "KC 1S"), "unknown_card"),
    (line("baccarat", "KC 10S"), "unknown_card"),
    (line("baccarat", "kc"), "unknown_card"),
    ({"game": "baccarat", "cards": ["KC", None]}, "unknown_card"),
    ({"game": "baccarat", "cards": ["KC", 7]}, "unknown_card"),
    ({"game": "baccarat", "cards": [["KC"]]}, "unknown_card"),
    ({"game": "baccarat", "cards": "KC7C7D2D"}, "wrong_type"),
    ({"game": "baccarat", "cards": {"player": []}}, "wrong_type"),
    (line("casino-holdem", "AS AS"), "too_many_copies"),
    (line("two-cards-high", "AS AS"), "too_many_copies"),
    (by_hand("two-cards-high", {"seat1": ["AS"], "dealer": ["AS"]}), "too_many_copies"),
    (by_hand("casino-holdem", {"hand1": ["AS"]}, board=["AS"]), "too_many_copies"),
    ({**TWO_CARDS, "decks": 4, "cards": ["AS"] * 5}, "too_many_copies"),
    (line("baccarat", "AS AS AS", decks=2), "too_many_copies"),
    (line("two-cards-high", "AS KS"), "not_in_deck"),
    (by_hand("two-cards-high", {"seat1": ["JS"]}), "not_in_deck"),
    (by_hand("two-cards-high", {"seat1": [*SEAT1, "9S"]}), "too_many_cards"),
    (by_hand("casino-holdem", {"hand1": ["AS", "AH", "AD"]}), "too_many_cards"),
    (by_hand("casino-holdem", {}, board=["AS", "AH", "AD", "AC", "KS", "QS"]), "too_many_cards"),
    (by_hand("baccarat", {"player": ["KC", "7D", "2S"], "banker": ["7C", "2D"]}), "too_many_cards"),
    (by_hand("two-cards-high", {"seat8": []}), "unknown_hand"),
    (by_hand("two-cards-high", {"seat3": []}, seats=2), "unknown_hand"),
    (by_hand("casino-holdem", {"hand3": []}), "unknown_hand"),
    (by_hand("casino-holdem", {"flop": []}), "unknown_hand"),
    (by_hand("baccarat", {"player": []}, board=[]), "unknown_hand"),
    (by_hand("baccarat", {"player": "KC"}), "wrong_type"),
    ({"game": "baccarat", "hands": []}, "wrong_type"),
    ({"game": "casino-holdem", "hands": {}, "board": "AS"}, "wrong_type"),
    ({"game": "baccarat", "cards": [], "hands": {}}, "cards_given_twice"),
    ({"game": "baccarat", "card": ["KC"]}, "unknown_field"),
    ({**TWO_CARDS, "deck": 4}, "unknown_field"),
]


@pytest.mark.parametrize(("given_line", "code"), BAD, ids=lambda value: json.dumps(value, default=str)[:60])
def test_bad_input_is_refused_with_a_code_and_a_message(given_line: object, code: str) -> None:
    with pytest.raises(InputError) as caught:
        scored(given_line)
    assert caught.value.code == code
    assert caught.value.message


def test_notes_of_the_sender_are_left_alone() -> None:
    assert scored({**line("baccarat", "KC 7C 7D 2D"), "x-round": "n-17", "note": ["x"]})["complete"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(DECK_52),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.fixed_dictionaries(
        {"game": st.sampled_from([*all_games()]) | JSON},
        optional=dict.fromkeys(("cards", "hands", "board", "layout", "decks", "seats", "deal"), JSON),
    )
)
def test_whatever_comes_the_answer_is_a_score_or_a_refusal(anything: dict[str, object]) -> None:
    try:
        answer = scored(anything)
    except InputError as error:
        json.dumps({"code": error.code, "message": error.message})
    else:
        json.dumps(answer)


@given(st.sampled_from([*all_games()]), st.permutations(list(DECK_52)))
def test_every_prefix_of_a_deal_needs_the_next_position_and_the_whole_needs_none(
    name: str, cards: list[Card]
) -> None:
    layout = {"layout": "C"} if name == "2-card-action" else {}
    if name == "two-cards-high":
        cards = [card for card in cards if card[0] not in "JQK"]
    whole = scored({"game": name, "cards": cards, **layout})
    used = whole["used"]
    for length in range(used):
        part = scored({"game": name, "cards": cards[:length], **layout})
        assert (part["complete"], part["used"]) == (False, length)
    assert scored({"game": name, "cards": cards[:used], **layout}) == whole


def test_a_deal_of_the_table_scores_as_its_line() -> None:
    game = build_game(GameSettings("casino-holdem", burn_before=("turn",)))
    dealt = deal(game, "AS AH 2C 7D KS KH AD 3C 9H 2S 9D JC")
    by_line = scored(line("casino-holdem", "AS AH 2C 7D KS KH AD 3C 9H 9D JC"))
    assert told(score_deal(game, dealt)) == {**by_line, "used": 12}
    assert score_deal(game, dealt[:9]).needs == "burn"


def test_20_000_lines_of_hold_em_take_no_20_seconds() -> None:
    """Acceptance 1, with the game that works hardest; it takes about one second."""
    lines = [line("casino-holdem", " ".join(DECK_52[place : place + 11])) for place in range(40)]
    started = time.process_time()
    for _ in range(500):
        for one in lines:
            score_line(one)
    assert time.process_time() - started < 20


def _bets(given_line: dict[str, object]) -> dict[str, object]:
    bets: dict[str, object] = scored(given_line)["bets"]
    return bets
