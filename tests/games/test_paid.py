"""The pay table as people read it, and which spots have live prices."""

from __future__ import annotations

import pytest

from controller.games.game import Game
from controller.games.paid import paid_by
from controller.games.paytable import load_pay_table
from controller.games.registry import build_game
from controller.vocabulary.configuration import GameSettings
from tests.games.deals import told

HOUSE = """
without = ["small"]

[spots.dragon_7]
name = { en = "Dragon 7", zh = "龙七" }
rows = [{ when = { winner = "banker", banker_total = [7, 8], banker_cards = 3 }, pays = "40:1" }]

[spots.banker]
rows = [
    { when = { winner = "banker", banker_total = 6 }, pays = "1:2" },
    { when = { winner = "banker" }, pays = "1:1" },
    { when = { winner = "tie" }, result = "push" },
]
"""
ADDITIONAL = ("player_pair", "banker_pair", "any_pair", "small", "big")


def built(name: str, house: str = "", **settings: object) -> Game:
    table = load_pay_table(house.encode()) if house else None
    return build_game(GameSettings(name, **settings), table)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "game",
    [
        built("baccarat"),
        built("casino-holdem"),
        built("two-cards-high"),
        *(built("2-card-action", layout=layout) for layout in "ABC"),
    ],
    ids=str,
)
def test_every_row_of_a_published_table_is_there_in_order(game: Game) -> None:
    read = [(bet, row.when, row.pays) for bet, paid in paid_by(game).items() for row in paid.rows]
    assert sorted(read) == sorted((row.bet, row.when, row.pays) for row in game.pay_table.rows)
    assert {spot for row in game.pay_table.rows for spot in game.paid_spots(row.key)} == set(game.spots())


def test_a_house_s_spots_stand_with_their_conditions_and_what_it_left_out_does_not() -> None:
    read = told(paid_by(built("baccarat", HOUSE)))
    assert set(read) == {"player", "tie", *ADDITIONAL, "dragon_7", "banker"} - {"small"}
    assert read["dragon_7"] == {
        "name": {"en": "Dragon 7", "zh": "龙七"},
        "rows": [
            {
                "when": "banker_cards 3, banker_total 7 or 8, winner banker",
                "result": "win",
                "pays": "40:1",
            }
        ],
    }
    assert [(row["result"], row["pays"]) for row in read["banker"]["rows"]] == [
        ("win", "1:2"),
        ("win", "1:1"),
        ("push", None),
    ]


def test_a_condition_that_holds_or_not_is_told_in_words() -> None:
    house = '[spots.odd_pair]\nrows = [{ when = { pair = true, suited = false }, pays = "9:1" }]'
    [row] = paid_by(built("2-card-action", house, layout="A"))["odd_pair"].rows
    assert row.when == "pair, not suited"


def test_a_row_of_one_total_goes_with_its_spot() -> None:
    """Two cards: the sums have a row each, and all single cards share theirs."""
    left_out = paid_by(built("2-card-action", 'without = ["sum_5", "single_A"]', layout="A"))
    assert [row.when for row in left_out["total_sum"].rows][:3] == ["2", "3", "4"]
    assert [row.when for row in left_out["total_sum"].rows][3] == "6"
    assert len(left_out["single"].rows) == 3


def test_additional_bets_have_live_prices_and_the_main_bets_are_paid_by_the_table() -> None:
    """2.5.3."""
    game = built("baccarat")
    assert game.live_spots("fixed") == ()
    assert game.live_spots("live") == game.spots()
    assert game.live_spots("additional") == ADDITIONAL
    assert list(paid_by(game, game.live_spots("additional"))) == ["player", "banker", "tie"]


def test_a_spot_that_pays_one_thing_or_another_has_no_live_price() -> None:
    game = built("baccarat", HOUSE)
    assert set(game.spots()) - set(game.live_spots("live")) == {"banker"}
    assert game.live_spots("additional") == ("player_pair", "banker_pair", "any_pair", "big")


def test_a_game_without_live_odds_has_no_live_prices() -> None:
    assert built("casino-holdem").live_spots("live") == ()
