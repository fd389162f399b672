"""What a supervisor's key opens on the table's own page: cards that may still come into play, no others."""

from __future__ import annotations

import msgspec
import pytest

from controller.round.secrecy import under_key
from controller.vocabulary.display import UnderKey
from controller.vocabulary.values import Phase
from tests.scenarios.conversation import talk

LAYOUT_C = "2-card-action layout=C"
SQUEEZE = "baccarat squeeze=yes"
HOLDEM = "casino-holdem shoe.unshuffled=off"
BOOK = "baccarat round.await_book=house"
HANDS = "SHOE 416; OPEN; CLOSE; 2S 3C 3D 2H"
NOTHING: UnderKey | None = None


@pytest.mark.parametrize(
    ("table", "told", "named"),
    [
        (LAYOUT_C, "SHOE 416", NOTHING),
        (LAYOUT_C, "SHOE 416; OPEN; CLOSE; 8S 5C; 9H", UnderKey(cards={"3": "9H"})),
        (LAYOUT_C, "SHOE 416; OPEN; CLOSE; 8S 5C; 9H 4D", UnderKey(cards={"3": "9H", "4": "4D"})),
        (LAYOUT_C, "SHOE 416; OPEN; CLOSE; 8S 5C; 9H; CLEAR burn", NOTHING),
        (LAYOUT_C, "SHOE 416; OPEN; CLOSE; 8S 5C; 9H; CLEAR return", UnderKey(next_out=("9H",))),
        (LAYOUT_C, "SHOE 416; OPEN; CLOSE; 8S 5C; RETURN 5C; HOLD", UnderKey(next_out=("5C",))),
        (LAYOUT_C, "SHOE 416; OPEN; CLOSE; 8S 5C; 9H; VOID supervisor", NOTHING),
        (LAYOUT_C, "SHOE 416; OPEN; 9H", UnderKey(cards={"1": "9H"})),
        (LAYOUT_C, "SHOE 416; OPEN; CLOSE; 8S; ??", NOTHING),
        (BOOK, "SHOE 416; OPEN; CLOSE; 9H", UnderKey(cards={"1": "9H"})),
        (BOOK, "SHOE 416; OPEN; CLOSE; 9H; CLEAR return", NOTHING),  # somebody may still bet on it
        (SQUEEZE, HANDS, NOTHING),
        (SQUEEZE, f"{HANDS}; HOLD", NOTHING),
        (SQUEEZE, f"{HANDS}; 4S", UnderKey(cards={"5": "4S"})),
        (SQUEEZE, f"{HANDS}; 4S; CLEAR accept; HOLD", NOTHING),
        (SQUEEZE, f"{HANDS}; 4S; CLEAR return", UnderKey(next_out=("4S",))),
        (HOLDEM, "SHOE 52; OPEN; CLOSE; AS AD KC QC 9H 9S KD 7C 7D; HOLD", NOTHING),
        (HOLDEM, "SHOE 52; OPEN; CLOSE; AS AD KC QC; HOLD; 9H", NOTHING),  # the dealer's, face down
        (HOLDEM, "SHOE 52; OPEN; CLOSE; AS AD KC QC 9H 9S KD 7C 7D; 2C", UnderKey(cards={"10": "2C"})),
        (
            HOLDEM,
            "SHOE 52; OPEN; CLOSE; AS AD KC QC 9H 9S KD 7C 7D; 2C; CLEAR return",
            UnderKey(next_out=("2C",)),  # all have seen it, so the decisions are closed
        ),
    ],
)
def test_the_key_opens_the_cards_of_a_hold_and_those_that_went_back(
    table: str, told: str, named: UnderKey | None
) -> None:
    assert under_key(talk(table, told).state) == named


def test_cards_of_a_shoe_that_is_gone_are_not_named_by_draws_of_another() -> None:
    state = talk("baccarat", "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; 9H").state
    assert under_key(state) == UnderKey(cards={"5": "9H"})
    assert state.shoe is not None
    another = msgspec.structs.replace(state.shoe, id=state.shoe.id + 1)
    assert under_key(msgspec.structs.replace(state, shoe=another)) is None


@pytest.mark.parametrize("phase", ["betting", "decision"])
def test_nothing_is_opened_while_anybody_may_stake(phase: Phase) -> None:
    """Today's table closes both before a card goes back; one that an earlier head kept may not have."""
    back = talk(HOLDEM, "SHOE 52; OPEN; CLOSE; AS AD KC QC 9H 9S KD 7C 7D; 2C; CLEAR return").state
    assert under_key(back) == UnderKey(next_out=("2C",))
    assert back.round is not None
    open_still = msgspec.structs.replace(back.round, phase=phase)
    assert under_key(msgspec.structs.replace(back, round=open_still)) is None
