"""A house's own spots: rows of conditions in a pay table file, in any game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.games.game import Game
from controller.games.paytable import PayTable, from_json, load_pay_table, sealed_toml
from controller.games.registry import all_games, build_game
from controller.games.score import score_line
from controller.par import par
from controller.settlement import settle_line
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError, InputError, PayTableError
from tests.games.deals import bets, dealt_of, told

NO_COMMISSION = """
without = ["small", "big"]

[spots.dragon_7]
rows = [{ when = { winner = "banker", banker_total = 7, banker_cards = 3 }, pays = "40:1" }]

[spots.banker]
rows = [
    { when = { winner = "banker", banker_total = 6 }, pays = "1:2" },
    { when = { winner = "banker" }, pays = "1:1" },
    { when = { winner = "tie" }, result = "push" },
]
"""
SEVEN = "KC 2C KD 2D 3C 3H"
"""Banker wins with three cards and seven."""
SIX = "KC 3C 5D 3D 8C"
TIE = "KC 3C 7D 4D"


def game(text: str, name: str = "baccarat", **settings: Any) -> Game:
    return build_game(GameSettings(name, **settings), load_pay_table(text.encode()))


def test_spots_are_added_replaced_and_left_out() -> None:
    spots = game(NO_COMMISSION).spots()
    assert spots == ("player", "banker", "tie", "player_pair", "banker_pair", "any_pair", "dragon_7")
    assert bets(game(NO_COMMISSION), SEVEN) == {
        "player": "lose",
        "banker": "1:1",
        "tie": "lose",
        "player_pair": "11:1",
        "banker_pair": "11:1",
        "any_pair": "5:1",
        "dragon_7": "40:1",
    }


def test_the_first_row_that_fits_counts_and_none_is_lost() -> None:
    assert bets(game(NO_COMMISSION), SIX)["banker"] == "1:2"
    assert bets(game(NO_COMMISSION), TIE)["banker"] == "push"
    assert bets(game(NO_COMMISSION), "KC 3C 7D 3D")["banker"] == "lose"


@pytest.mark.parametrize(
    ("condition", "fits"),
    [
        ("margin = 4", True),
        ("margin = [1, 4]", True),
        ("margin = 3", False),
        ("cards = 6, player_cards = 3, banker_cards = 3", True),
        ("player_pair = true, banker_pair = true, any_pair = true", True),
        ("player_perfect_pair = true", False),
        ("natural = false", True),
        ("player_total = 3, banker_total = 7", True),
    ],
)
def test_what_a_condition_of_baccarat_may_ask(condition: str, fits: bool) -> None:
    rows = f'[spots.d]\nrows = [{{ when = {{ {condition} }}, pays = "2:1" }}]'
    assert bets(game(rows), SEVEN)["d"] == ("2:1" if fits else "lose")


@pytest.mark.parametrize(
    ("cards", "fits"),
    [
        ("QH QS QC QD AS AC", True),
        ("KH 8S KC 8D AS", False),
        ("KC QC KD QD AS AC", False),
        ("9H 9S 9C 4D", False),
    ],
)
def test_equal_pairs_are_two_of_one_rank(cards: str, fits: bool) -> None:
    rows = '[spots.d]\nrows = [{ when = { equal_pairs = true }, pays = "100:1" }]'
    assert bets(game(rows), cards)["d"] == ("100:1" if fits else "lose")


def test_a_perfect_pair_is_of_rank_and_suit() -> None:
    rows = '[spots.d]\nrows = [{ when = { player_perfect_pair = true }, pays = "25:1" }]'
    assert bets(game(rows), "4C KC 4C 9D")["d"] == "25:1"
    assert bets(game(rows), "4C KC 4D 9D")["d"] == "lose"


def test_the_two_cards_of_2_card_action() -> None:
    text = """
[spots.any_pair]
rows = [{ when = { first_rank = "A", second_rank = "A", suited = true }, pays = "100:1" },
        { when = { pair = true }, pays = "9:1" }]
[spots.lady]
rows = [{ when = { first = "QH" }, pays = "30:1" }, { when = { sum = [2, 20] }, result = "push" }]
"""
    layout = game(text, "2-card-action", layout="A")
    assert layout.spots()[-1] == "lady"
    assert len(layout.spots()) == 37
    assert bets(layout, "AS AS")["any_pair"] == "100:1"
    assert bets(layout, "AS AH")["any_pair"] == "9:1"
    assert [bets(layout, cards)["lady"] for cards in ("QH QS", "AS AH", "QS 2H")] == ["30:1", "push", "lose"]


HOLDEM = """
[spots.bonus]
rows = [{ when = { first_five = "pair", first_five_rank = ["A", "K"] }, pays = "2:1" }]
[spots.bad_beat]
rows = [{ when = { category = "full_house", vs_dealer = "worse", "dealer.qualifies" = true }, pays = "50:1" }]
"""


def test_a_spot_of_each_hand_is_written_once() -> None:
    table = game(HOLDEM, "casino-holdem")
    wagers = ("ante", "play", "bonus", "bad_beat")
    assert table.spots() == tuple(f"{hand}.{wager}" for hand in ("hand1", "hand2") for wager in wagers)
    ended = bets(table, "KS KD 7S 2D 9H 9C KH 9D 8D 8C 3S")
    assert (ended["hand1.bonus"], ended["hand2.bonus"]) == ("lose", "lose")
    assert (ended["hand1.bad_beat"], ended["hand2.bad_beat"]) == ("lose", "lose")
    ended = bets(table, "KS KD 7S 2D 9H 9C 4H 9D 8D 8C KC")
    assert (ended["hand1.bonus"], ended["hand2.bonus"]) == ("2:1", "lose")
    assert (ended["hand1.bad_beat"], ended["hand2.bad_beat"]) == ("lose", "lose")
    ended = bets(table, "KS KD 8H 9S 9H 9C 4H 9D 8D 8C KC")
    assert (ended["hand1.bad_beat"], ended["hand2.bad_beat"]) == ("lose", "50:1")


def test_a_spot_of_each_seat_follows_the_seats() -> None:
    rows = '[spots.side]\nrows = [{ when = { kind = "pair", "dealer.qualifies" = false }, pays = "8:1" }]'
    assert game(rows, "two-cards-high", seats=2).spots() == (
        "seat1.main",
        "seat1.side",
        "seat2.main",
        "seat2.side",
    )
    assert game(rows, "two-cards-high").with_hands(["seat2"]).spots() == ("seat2.main", "seat2.side")


def test_a_file_without_rows_stands_on_the_game_s_own_table() -> None:
    table = game(NO_COMMISSION).pay_table
    assert table.id == table.digest
    assert len(table.rows) == 8
    assert msgspec.json.decode(msgspec.json.encode(table), type=PayTable) == table
    named = game('id = "house"\n' + NO_COMMISSION).pay_table
    assert (named.id, named.spots) == ("house", table.spots)
    assert named.digest != table.digest


@pytest.mark.parametrize("name", ["baccarat", "casino-holdem"])
def test_a_table_that_says_nothing_is_the_game_s_own(name: str) -> None:
    assert build_game(GameSettings(name), from_json({})).pay_table == build_game(GameSettings(name)).pay_table


@pytest.mark.parametrize("text", ['id = "mine"\n', NO_COMMISSION, 'id = "mine"\n' + NO_COMMISSION])
def test_a_table_that_stands_on_the_game_s_own_can_be_given_back_as_it_is_recorded(text: str) -> None:
    table = game(text).pay_table
    recorded = msgspec.json.decode(msgspec.json.encode(table))
    assert build_game(GameSettings("baccarat"), from_json(recorded)).pay_table == table


def test_a_spot_may_be_named_by_a_number_and_pay_nobody() -> None:
    text = '[spots.7-up]\nrows = [{ when = { winner = "tie" }, result = "push" }]\n'
    assert (
        load_pay_table(sealed_toml(load_pay_table(text.encode())).encode()).spots
        == game(text).pay_table.spots
    )
    never = par(GameSettings("baccarat"), load_pay_table(text.encode())).spots["7-up"]
    assert set(never.ways) == {"push", "lose"}


def test_a_file_with_rows_stays_complete() -> None:
    with pytest.raises(PayTableError, match="incomplete: no row for bet 'player'"):
        game(
            'id = "h"\nsource = "s"\ndate = 2026-11-21\ngame = "baccarat"\n'
            'rows = [{ bet = "tie", when = "win", pays = "9:1" }]\n' + NO_COMMISSION
        )


def test_a_seal_covers_the_spots() -> None:
    sealed = sealed_toml(load_pay_table(NO_COMMISSION.encode()))
    assert load_pay_table(sealed.encode()) == load_pay_table(NO_COMMISSION.encode())
    with pytest.raises(PayTableError, match="seal: the digest"):
        load_pay_table(sealed.replace("40:1", "41:1").encode())


def row(text: str) -> str:
    return f"[spots.d]\nrows = [{text}]"


WRONG = {
    row(
        '{ when = { winnr = "banker" }, pays = "1:1" }'
    ): "spots.d.rows[0].when.winnr: baccarat has no such field: did you mean winner?",
    row(
        '{ pays = "1:1" }, { when = { winner = ["tie", "bankr"] }, pays = "1:1" }'
    ): 'spots.d.rows[1].when.winner: "bankr" is not possible: did you mean banker?',
    row(
        '{ when = { banker_total = 10 }, pays = "1:1" }'
    ): "when.banker_total: 10 is not possible: expected 0 to 9",
    row(
        '{ when = { natural = 1 }, pays = "1:1" }'
    ): "when.natural: 1 is not possible: expected true or false",
    row('{ when = { cards = [] }, pays = "1:1" }'): "spots.d.rows[0].when.cards: [] is no value",
    row('{ when = { cards = 4.0 }, pays = "1:1" }'): "spots.d.rows[0].when.cards: 4.0 is no value",
    row('{ when = "tie", pays = "1:1" }'): "spots.d.rows[0].when: expected fields with values",
    row('{ pays = "1:1", result = "push" }'): "spots.d.rows[0]: a row has either pays",
    row("{ }"): "spots.d.rows[0]: a row has either pays",
    row('{ pays = "40" }'): "spots.d.rows[0].pays: '40' is no ratio",
    row('{ result = "win" }'): 'spots.d.rows[0].result: "win" is neither',
    row('{ pay = "1:1" }'): "spots.d.rows[0].pay: no such key: did you mean pays?",
    "[spots.d]\nrows = []": "spots.d.rows: a spot needs a list of rows",
    "[spots.d]\nrow = []": "spots.d.row: no such key: did you mean rows?",
    '[spots."hand1.bonus"]\nrows = []': "a spot of each hand is written once, as [spots.bonus]",
    '[spots."7 th"]\nrows = []': "spots.7 th: a spot is named by",
    "rows = []": "rows: expected a list of rows; without the key",
    '[spots.""]\nrows = []': 'spots."": a spot has a name',
    '[spots.d]\nname = { en = "" }\nrows = [{ pays = "1:1" }]': "spots.d.name: expected text, or one",
    '[spots.d]\nname = { "" = "D" }\nrows = [{ pays = "1:1" }]': "spots.d.name: expected text, or one",
    'spots = ["d"]': "spots: expected a table for each spot",
    'without = ["smal"]': "without: baccarat has no spot 'smal': did you mean small?",
    'without = "small"': "without: expected a list of spots",
    'without = ["tie"]\n[spots.tie]\nrows = [{ pays = "1:1" }]': "spots.tie: it is left out by 'without' too",
    f"without = {[*build_game(GameSettings('baccarat')).spots()]}": "no spot is left",
    '[spot.d]\nrows = [{ pays = "1:1" }]': "spot: a pay table has no such key: did you mean spots?",
    'game = "casino-holdem"\n[spots.d]\nrows = [{ pays = "1:1" }]': "is for the game 'casino-holdem'",
    'date = "yesterday"\n[spots.d]\nrows = [{ pays = "1:1" }]': "date: 'yesterday' is no date",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_mistake_is_named_with_its_key_path_and_what_is_allowed(text: str) -> None:
    with pytest.raises(PayTableError) as refused:
        game(text)
    assert WRONG[text] in refused.value.message


@pytest.mark.parametrize("text", ['without = ["play"]', '[spots.ante]\nrows = [{ pays = "1:1" }]'])
def test_what_hangs_on_a_decision_stays_the_game_s(text: str) -> None:
    with pytest.raises(PayTableError, match="belongs to the decision"):
        game(text, "casino-holdem")


@pytest.mark.parametrize(
    ("name", "field", "words"),
    [
        (
            "casino-holdem",
            "hand2.category",
            "each of hand1 to hand2 and asks of its own hand, without a prefix",
        ),
        (
            "casino-holdem",
            "hand1.category",
            "(category), or dealer.category or dealer.qualifies; of no other",
        ),
        ("casino-holdem", "hand2.kicker", "without a prefix, or dealer.category"),
        ("two-cards-high", "seat2.rank", "each of seat1 to seat7 and asks of its own hand"),
        ("baccarat", "player.total", "baccarat has no such field: did you mean player_total?"),
        ("casino-holdem", "board.category", "casino-holdem has no such field"),
    ],
)
def test_a_field_of_another_hand_is_none_and_what_may_be_asked_is_said(
    name: str, field: str, words: str
) -> None:
    with pytest.raises(PayTableError) as refused:
        game(row(f'{{ when = {{ "{field}" = "pair" }}, pays = "1:1" }}'), name)
    assert f"spots.d.rows[0].when.{field}: " in refused.value.message
    assert words in refused.value.message


def test_two_fields_are_not_compared_with_each_other() -> None:
    with pytest.raises(PayTableError, match="a condition asks for a value, never for another field"):
        game(row('{ when = { player_total = "banker_total" }, pays = "1:1" }'))


def test_margins_are_of_the_spots_that_there_are() -> None:
    assert game(NO_COMMISSION, odds="live", margins={"dragon_7": 0.1})
    with pytest.raises(ConfigurationError, match=r"game\.margins\.small"):
        game(NO_COMMISSION, odds="live", margins={"small": 0.1})


@pytest.mark.parametrize("name", all_games())
def test_every_field_of_a_game_has_a_fact_of_its_kind(name: str) -> None:
    kind = all_games()[name]
    table = build_game(GameSettings(name, layout="A" if kind.layouts else None))
    cards = kind.deck[:: 1 if table.cards_needed > 12 else 3]
    spot = table.spots()[0]
    own = spot.removesuffix(table.wager(spot))
    facts = table.facts(dealt_of(table, cards))
    for field, values in table.fields().items():
        assert facts[field if "." in field else own + field] in (*values, None)


LINE = {"game": "baccarat", "cards": SEVEN.split()}
CONTENT = {"spots": {"d": {"rows": [{"when": {"winner": "banker"}, "pays": "2:1"}]}}}


def test_score_and_settle_take_a_pay_table(tmp_path: Path) -> None:
    file = tmp_path / "house.json"
    file.write_text(json.dumps(CONTENT))
    for given in (CONTENT, str(file)):
        line = {**LINE, "pay_table": given}
        assert told(score_line(line))["bets"]["d"] == {"result": "win", "pays": "2:1"}
        answer = told(settle_line({**line, "bets": [{"spot": "d", "stake": 5}]}))
        assert (answer["staked"], answer["returned"]) == (5, 15)


@pytest.mark.parametrize("given", [1, [], "none.toml", "\0", {"spots": {"d": {}}}, {"rows": []}])
def test_a_pay_table_of_a_line_that_is_none_is_refused(given: object) -> None:
    with pytest.raises((InputError, PayTableError)):
        score_line({**LINE, "pay_table": given})


def test_a_mistake_in_the_name_of_a_spot_is_said_with_its_own_key_path() -> None:
    content = {"spots": {"d": {**CONTENT["spots"]["d"], "name": {"en": 1}}}}
    with pytest.raises(InputError, match=r"^spots\.d\.name: expected text"):
        score_line({**LINE, "pay_table": content})


def test_a_line_has_no_unknown_key_but_the_sender_s_own() -> None:
    assert score_line({**LINE, "note": 1, "x-table": "7"})
    for key in ("table", "stake", "X-table", "paytable"):
        with pytest.raises(InputError, match="is no field") as refused:
            score_line({**LINE, key: 1})
        assert refused.value.code == "unknown_field"
