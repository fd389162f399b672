"""Every bet that is refused, with its code; and that nothing but a settlement or a refusal ever comes out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.registry import all_games
from controller.settlement import settle_line
from controller.vocabulary.errors import InputError
from controller.vocabulary.limits import MOST_STAKE_MINOR
from tests.games.deals import told

BACCARAT: dict[str, object] = {"game": "baccarat", "cards": ["KC", "7C", "7D", "2D"]}
ACTION: dict[str, object] = {"game": "2-card-action", "layout": "C", "cards": ["AS", "AH"]}
HOLDEM: dict[str, object] = {
    "game": "casino-holdem",
    "cards": ["AS", "AH", "2C", "7D", "KS", "KH", "AD", "3C", "9H", "9D", "JC"],
}
ANTE = {"spot": "hand1.ante", "stake": 5}


def one(line: dict[str, object], spot: object, stake: object, **more: object) -> dict[str, object]:
    return {**line, "bets": [{"spot": spot, "stake": stake, **more}]}


REFUSED: list[tuple[dict[str, object], str]] = [
    (one(ACTION, "sum_2", 5), "unknown_spot"),
    (one({**ACTION, "layout": "A"}, "pair_A", 5), "unknown_spot"),
    (one({**ACTION, "layout": "B"}, "card_AS", 5), "unknown_spot"),
    (one(BACCARAT, "dragon", 5), "unknown_spot"),
    (one(BACCARAT, None, 5), "unknown_spot"),
    (one(BACCARAT, ["tie"], 5), "unknown_spot"),
    (one({"game": "two-cards-high", "seats": 2}, "seat3.main", 5), "unknown_spot"),
    (one({"game": "two-cards-high"}, "seat8.main", 5), "unknown_spot"),
    *[
        (one(BACCARAT, "tie", stake), "bad_stake")
        for stake in (0, -1, 1.5, 5.0, True, False, None, "5", [5], MOST_STAKE_MINOR + 1, 10**30, 1e300)
    ],
    *[
        (one(BACCARAT, "tie", 5, odds=odds), "bad_odds")
        for odds in (0, 0.99, -2, True, "1.95", float("nan"), float("inf"), 1e7, 10**30, [2], 1.0000000000001)
    ],
    (one(ACTION, "any_pair", 5, odds=2.0), "bad_odds"),
    (one(BACCARAT, "tie", 5, price=2.0), "unknown_field"),
    (one(BACCARAT, "tie", 5, id=1.5), "wrong_type"),
    (one(BACCARAT, "tie", 5, id=True), "wrong_type"),
    (one(HOLDEM, "hand1.bonus", 5), "required_bet_missing"),
    ({**HOLDEM, "bets": [ANTE, {"spot": "hand2.bonus", "stake": 5}]}, "required_bet_missing"),
    ({**HOLDEM, "bets": [ANTE, {"spot": "hand1.play", "stake": 10}]}, "automatic_spot"),
    ({**HOLDEM, "bets": [ANTE], "decisions": {"hand1": "raise"}}, "unknown_decision"),
    ({**HOLDEM, "bets": [ANTE], "decisions": {"hand1": True}}, "unknown_decision"),
    ({**HOLDEM, "bets": [ANTE], "decisions": {"hand1": ["play"]}}, "unknown_decision"),
    ({**HOLDEM, "bets": [ANTE], "decisions": {"hand3": "play"}}, "unknown_decision"),
    ({**BACCARAT, "bets": [], "decisions": {"player": "play"}}, "unknown_decision"),
    ({**HOLDEM, "bets": [ANTE], "decisions": "play"}, "wrong_type"),
    ({**HOLDEM, "bets": [ANTE], "decision": {"hand1": "play"}}, "unknown_field"),
    ({**HOLDEM, "bets": [ANTE], "cards": ["AS"]}, "incomplete_round"),
    ({"game": "baccarat", "bets": []}, "incomplete_round"),
    ({**BACCARAT, "bets": [], "void": "yes"}, "wrong_type"),
    ({**BACCARAT, "bets": [], "void": 1}, "wrong_type"),
    (BACCARAT, "wrong_type"),
    ({**BACCARAT, "bets": {"spot": "tie", "stake": 5}}, "wrong_type"),
    ({**BACCARAT, "bets": [["tie", 5]]}, "wrong_type"),
    ({**BACCARAT, "bets": [None]}, "wrong_type"),
]


@pytest.mark.parametrize(("line", "code"), REFUSED, ids=lambda value: str(value)[-50:])
def test_a_bet_is_refused_with_a_code_and_a_message(line: dict[str, object], code: str) -> None:
    with pytest.raises(InputError) as caught:
        settle_line(line)
    assert caught.value.code == code
    assert caught.value.message


@pytest.mark.parametrize(
    "line", [one(BACCARAT, "dragon", 5), one(BACCARAT, "tie", 0), one(HOLDEM, "hand1.bonus", 5)]
)
def test_a_void_refunds_no_bet_that_was_never_allowed(line: dict[str, object]) -> None:
    with pytest.raises(InputError):
        settle_line({**line, "void": True})


def test_the_message_names_the_bet() -> None:
    with pytest.raises(InputError, match=r"bets\[1\]: stake is 1\.5: "):
        settle_line({**HOLDEM, "bets": [ANTE, {"spot": "hand1.bonus", "stake": 1.5}]})


ANYTHING = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just([]) | st.just({})
)


@given(
    st.sampled_from([BACCARAT, ACTION, HOLDEM, *({"game": game} for game in all_games())]),
    st.lists(
        st.fixed_dictionaries(
            {"spot": st.sampled_from(["tie", "hand1.ante", "any_pair"]) | ANYTHING},
            optional={"stake": ANYTHING, "odds": ANYTHING, "id": ANYTHING},
        )
        | ANYTHING
    )
    | ANYTHING,
    st.dictionaries(st.sampled_from(["hand1", "x"]), ANYTHING | st.just("play")) | ANYTHING,
    ANYTHING,
)
def test_whatever_comes_the_answer_is_a_settlement_or_a_refusal(
    line: dict[str, object], bets: object, decisions: object, void: object
) -> None:
    try:
        answer = told(settle_line({**line, "bets": bets, "decisions": decisions, "void": void}))
    except InputError as error:
        json.dumps({"code": error.code, "message": error.message})
    else:
        assert answer["net"] == answer["returned"] - answer["staked"]
