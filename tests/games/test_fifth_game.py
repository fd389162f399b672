"""A fifth game is one module, one pay table, one line in the registry: ``docs/how-to/add-a-game.md``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Literal, Self

import msgspec
import pytest

from controller.games.game import Deal, Game
from controller.games.paytable import PayTable, RowKey
from controller.games.registry import GAMES
from controller.games.score import score_line
from controller.par import par
from controller.settlement import settle_line
from controller.vocabulary.cards import DECK_52, Card, order
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import InputError
from controller.vocabulary.outcomes import LOSE, PUSH, Outcome, SpotOutcome
from tests.games.deals import told

# The module: everything between here and the line below.


class HighCardOutcome(msgspec.Struct, Outcome, frozen=True):
    """The side with the higher card."""

    winner: Literal["left", "right", "tie"]


@dataclass(frozen=True)
class HighCard(Game):
    """One card each; the higher rank wins, aces are low, a tie pushes."""

    name: ClassVar[str] = "high-card"
    deck: ClassVar[tuple[Card, ...]] = DECK_52
    rules_version: ClassVar[str] = "High Card, an example"
    outcome_type: ClassVar[type[msgspec.Struct]] = HighCardOutcome
    deck_counts: ClassVar[range] = range(1, 9)
    pay_tables: ClassVar[Path] = Path(__file__).parent / "high_card"

    decks: int
    pay_table: PayTable

    @classmethod
    def pay_rows(cls, layout: str | None) -> tuple[RowKey, ...]:
        return (("left", "higher"), ("right", "higher"), ("tie", "equal"))

    @classmethod
    def build(cls, settings: GameSettings, decks: int, pay_table: PayTable) -> Self:
        return cls(decks, pay_table)

    def places(self) -> Mapping[str, int]:
        return {"left": 1, "right": 1}

    def outcome(self, dealt: Deal) -> HighCardOutcome:
        left, right = (order(one.card) for one in dealt)
        return HighCardOutcome("tie" if left == right else "left" if left > right else "right")

    def spots(self) -> tuple[str, ...]:
        return ("left", "right", "tie")

    def bets(self, dealt: Deal) -> dict[str, SpotOutcome]:
        winner, won = self.outcome(dealt).winner, self.pay_table.won
        if winner == "tie":
            return {"left": PUSH, "right": PUSH, "tie": won["tie", "equal"]}
        return dict.fromkeys(self.spots(), LOSE) | {winner: won[winner, "higher"]}


# The line in the registry, taken out again after each test.


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, HighCard.name, HighCard)


def test_it_scores() -> None:
    assert told(score_line({"game": "high-card", "cards": ["KS", "QS", "2D"]})) == {
        "game": "high-card",
        "complete": True,
        "used": 2,
        "needs": None,
        "hands": {"left": ["KS"], "right": ["QS"]},
        "outcome": {"winner": "left"},
        "bets": {
            "left": {"result": "win", "pays": "1:1"},
            "right": {"result": "lose", "pays": None},
            "tie": {"result": "lose", "pays": None},
        },
    }


def test_it_settles() -> None:
    line = {"game": "high-card", "hands": {"left": ["KS"], "right": ["KD"]}, "decks": 2}
    answer = settle_line({**line, "bets": [{"spot": "tie", "stake": 5}, {"spot": "left", "stake": 7}]})
    assert (answer["staked"], answer["returned"], answer["net"]) == (12, 62, 50)


def test_its_return_is_exact() -> None:
    spots = par(GameSettings("high-card", decks=1))["spots"]
    assert isinstance(spots, dict)
    assert spots["tie"]["ways"] == {"10:1": 52 * 3, "lose": 52 * 48}
    assert spots["left"]["ways"] == {"1:1": 52 * 24, "push": 52 * 3, "lose": 52 * 24}
    assert Fraction(spots["tie"]["return"]) == Fraction(11 * 3, 51)


def test_bad_input_is_refused_as_for_every_game() -> None:
    with pytest.raises(InputError) as caught:
        score_line({"game": "high-card", "decks": 1, "cards": ["KS", "KS"]})
    assert caught.value.code == "too_many_copies"
