"""The returns of spots of a house: shipped pay tables enumerated apart, and published figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb, perm
from pathlib import Path
from typing import Any, cast

import pytest

from controller.games.casino_holdem import CasinoHoldem
from controller.games.paytable import load_pay_table
from controller.games.registry import build_game
from controller.games.two_cards_high import SIDE_ROWS
from controller.par import par, spot_returns
from controller.par.casino_holdem import returns as holdem_returns
from controller.par.holdem_play import OptimalPlay
from controller.par.holdem_spots import house_returns
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import PayTableError
from making.pay_tables import FILES, FOLDER
from making.targets import HOUSE
from tests.par.enumeration import Round, baccarat, two_cards

SHIPPED = sorted((HOUSE / FOLDER).glob("*.toml"))
Back = Callable[[Round], float]
"""What comes back of one unit: 2 for even money, 1 for a push, 0 for a loss."""


def banker(back_of_six: float = 1.5, back_of_seven: float = 2) -> Back:
    def back(one: Round) -> float:
        if one.winner != "banker":
            return one.winner == "tie"
        if one.banker == 6:
            return back_of_six
        return back_of_seven if (one.banker, one.banker_cards) == (7, 3) else 2

    return back


def six(by_two: int, by_three: int) -> Back:
    def back(one: Round) -> float:
        if one.winner != "banker" or one.banker != 6:
            return 0
        return 1 + (by_two if one.banker_cards == 2 else by_three)

    return back


def dragon_bonus(side: str) -> Back:
    pays = {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1}

    def back(one: Round) -> float:
        if one.natural:
            return {side: 2, "tie": 1}.get(one.winner, 0)
        won = pays.get(abs(one.player - one.banker)) if one.winner == side else None
        return 0 if won is None else 1 + won

    return back


BACCARAT: Mapping[str, Mapping[str, Back]] = {
    "baccarat-no-commission": {"banker": banker(), "super_6": six(12, 12)},
    "baccarat-ez": {
        "banker": banker(back_of_six=2, back_of_seven=1),
        "dragon_7": lambda one: 41 * (one.winner == "banker" and (one.banker, one.banker_cards) == (7, 3)),
        "panda_8": lambda one: 26 * (one.winner == "player" and (one.player, one.player_cards) == (8, 3)),
    },
    "baccarat-dragon-bonus": {
        "player_dragon_bonus": dragon_bonus("player"),
        "banker_dragon_bonus": dragon_bonus("banker"),
    },
    "baccarat-lucky-6": {"banker": banker(), "lucky_6": six(12, 20)},
    "baccarat-tiger": {
        "banker": banker(),
        "tiger": six(12, 20),
        "small_tiger": six(22, -1),
        "big_tiger": six(-1, 50),
        "tiger_tie": lambda one: 36 * (one.winner == "tie" and one.player == 6),
        "tiger_pair": lambda one: 101 if one.equal_pairs else (0, 5, 21)[one.player_pair + one.banker_pair],
    },
    "baccarat-pairs": {
        "perfect_pair": lambda one: (0, 26, 201)[one.player_perfect + one.banker_perfect],
        "either_pair": lambda one: 6 * (one.player_pair or one.banker_pair),
    },
}


def counted(back: Back, decks: int) -> Fraction:
    rounds = baccarat(decks)
    assert sum(rounds.values()) == perm(52 * decks, 6)
    return Fraction(sum(Fraction(back(one)) * ways for one, ways in rounds.items()), perm(52 * decks, 6))


def shares(path: Path, **settings: Any) -> dict[str, Fraction]:
    table = load_pay_table(path)
    game = build_game(GameSettings(table.game, **settings), table)
    found = spot_returns(game, frozenset(table.spots))
    return {game.wager(spot): one.share for spot, one in found.items()}


@pytest.mark.parametrize("decks", [1, 2, 8])
@pytest.mark.parametrize("name", BACCARAT)
def test_a_shipped_table_of_baccarat_returns_what_is_enumerated_apart(name: str, decks: int) -> None:
    found = shares(HOUSE / FOLDER / f"{name}.toml", decks=decks)
    assert found == {spot: counted(back, decks) for spot, back in BACCARAT[name].items()}


PUBLISHED = {
    ("baccarat-ez", "dragon_7"): 7.611,
    ("baccarat-ez", "panda_8"): 10.188,
    ("baccarat-ez", "banker"): 1.018,
    ("baccarat-no-commission", "super_6"): 29.98,
    ("baccarat-no-commission", "banker"): 1.458,
    ("baccarat-dragon-bonus", "player_dragon_bonus"): 2.652,
    ("baccarat-dragon-bonus", "banker_dragon_bonus"): 9.373,
    ("baccarat-lucky-6", "lucky_6"): 16.684,
    ("baccarat-tiger", "big_tiger"): 15.253,
}


@pytest.mark.parametrize(("name", "spot"), PUBLISHED)
def test_the_house_edges_are_those_that_are_published(name: str, spot: str) -> None:
    edge = 100 * (1 - shares(HOUSE / FOLDER / f"{name}.toml", decks=8)[spot])
    places = 2 if spot == "super_6" else 3
    assert round(float(edge), places) == PUBLISHED[name, spot]


def test_2_card_action_with_suits() -> None:
    backs: Mapping[str, Callable[[int, int, bool], Fraction | int]] = {
        "any_pair": lambda one, other, suited: (23 if suited else 9) * (one == other),
        "ace_plus": lambda one, other, suited: (
            (151 if suited else 31) if one == other == 0 else 4 * (one == 0 or other == 0)
        ),
        "suited": lambda one, other, suited: Fraction(38, 10) * suited,
    }
    for decks in (4, 8):
        ways = two_cards(decks)
        assert sum(ways.values()) == perm(52 * decks, 2)
        expected = {
            spot: sum(Fraction(back(*kind)) * number for kind, number in ways.items()) / perm(52 * decks, 2)
            for spot, back in backs.items()
        }
        assert shares(HOUSE / FOLDER / "2-card-action-suited.toml", layout="A", decks=decks) == expected


def test_the_aa_bonus() -> None:
    """The numbers of hands of five are those that every book has."""
    hands = {100: 4, 50: 36, 40: 624, 20: 3744 + 5108, 10: 10200, 8: 54912, 7: 123552 + 84480}
    expected = Fraction(sum((1 + pays) * number for pays, number in hands.items()), comb(52, 5))
    assert shares(HOUSE / FOLDER / "casino-holdem-aa-bonus.toml") == {"bonus": expected}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_head_of_a_shipped_table_is_what_par_draws(path: Path) -> None:
    assert FILES[f"{FOLDER}/{path.name}"]() == path.read_text(), "out of date: make docs"


MIXED: Mapping[str, tuple[list[dict[str, object]], Back]] = {
    "pair_and_win": (
        [{"when": {"player_pair": True, "winner": "player"}, "pays": "9:1"}],
        lambda one: 10 * (one.player_pair and one.winner == "player"),
    ),
    "perfect_or_natural": (
        [
            {"when": {"banker_perfect_pair": True, "margin": [1, 2, 3]}, "pays": "30:1"},
            {"when": {"natural": True, "banker_pair": True}, "result": "push"},
            {"when": {"any_pair": False, "cards": 6, "player_total": [0, 9]}, "pays": "2:1"},
        ],
        lambda one: (
            31
            if one.banker_perfect and 1 <= abs(one.player - one.banker) <= 3
            else 1
            if one.natural and one.banker_pair
            else 3
            * (
                not one.player_pair
                and not one.banker_pair
                and one.player_cards + one.banker_cards == 6
                and one.player in (0, 9)
            )
        ),
    ),
    "both": (
        [
            {"when": {"player_pair": True, "banker_perfect_pair": True, "winner": "tie"}, "pays": "100:1"},
            {"when": {"player_perfect_pair": True, "banker_pair": True}, "pays": "50:1"},
        ],
        lambda one: (
            101
            if one.player_pair and one.banker_perfect and one.winner == "tie"
            else 51 * (one.player_perfect and one.banker_pair)
        ),
    ),
}


@pytest.mark.parametrize("decks", [1, 2, 8])
@pytest.mark.parametrize("name", MIXED)
def test_conditions_that_mix_points_and_pairs_are_exact(name: str, decks: int) -> None:
    rows, back = MIXED[name]
    content = {"spots": {name: {"rows": rows}}, "allow_above_100": True}
    answer = par(GameSettings("baccarat", decks=decks), load_pay_table(json.dumps(content).encode()))
    assert Fraction(answer.spots[name].share) == counted(back, decks)


def test_the_game_s_own_bets_written_as_rows_return_the_same() -> None:
    """Two Cards High: main and side, by the fields of the outcome."""
    pays = dict(zip(SIDE_ROWS, (100, 50, 20, 12, 5, 3, 2, 1), strict=True))
    own_side = ",".join(f'{{ when = {{ side = "{row}" }}, pays = "{pay}:1" }}' for row, pay in pays.items())
    text = f"""
[spots.side]
rows = [{own_side}]
[spots.main]
rows = [{{ when = {{ result = "win_pair" }}, pays = "3:2" }},
        {{ when = {{ result = ["win", "win_tie", "win_dealer_not_qualified"] }}, pays = "1:1" }}]
"""
    settings = GameSettings("two-cards-high", seats=1)
    written, own = par(settings, load_pay_table(text.encode())), par(settings)
    assert written.pay_table.digest != own.pay_table.digest
    assert [one.share for one in written.spots.values()] == [one.share for one in own.spots.values()]


def test_a_return_above_100_is_an_error_unless_it_is_meant() -> None:
    text = '[spots.d]\nrows = [{ when = { winner = "banker" }, pays = "2:1" }]\n'
    with pytest.raises(PayTableError, match=r"spots\.d: returns 137\.5792%, more than is staked"):
        par(GameSettings("baccarat"), load_pay_table(text.encode()))
    assert par(GameSettings("baccarat"), load_pay_table(b"allow_above_100 = true\n" + text.encode()))
    meant = text + "allow_above_100 = true\n"
    assert par(GameSettings("baccarat"), load_pay_table(meant.encode()))
    other = meant + '[spots.e]\nrows = [{ when = { winner = "banker" }, pays = "2:1" }]\n'
    with pytest.raises(PayTableError, match=r"spots\.e: returns"):
        par(GameSettings("baccarat"), load_pay_table(other.encode()))


def test_hold_em_spots_on_final_hands_and_dealer() -> None:
    """Seven cards by category, the same for hand and dealer; what mixes in the first five adds up to it."""
    seven = {
        "royal_flush": 4324,
        "straight_flush": 37260,
        "four_of_a_kind": 224848,
        "full_house": 3473184,
        "flush": 4047644,
        "straight": 6180020,
        "three_of_a_kind": 6461620,
        "two_pair": 31433400,
        "pair": 58627800,
        "high_card": 23294460,
    }
    pays = dict(zip(seven, range(101, 111), strict=True))

    def rows(field: str, **more: object) -> list[dict[str, object]]:
        return [{"when": {field: row, **more}, "pays": f"{pay}:1"} for row, pay in pays.items()]

    paired: dict[str, object] = {"first_five": "pair", "first_five_rank": "A"}
    spots = {
        "mine": {"rows": rows("category")},
        "theirs": {"rows": rows("dealer.category")},
        "better": {"rows": [{"when": {"vs_dealer": "better"}, "pays": "1:1"}]},
        "worse": {"rows": [{"when": {"vs_dealer": "worse"}, "pays": "1:1"}]},
        "aces": {"rows": [{"when": {**paired, "vs_dealer": ["better", "tie"]}, "pays": "1:1"},
                          {"when": {**paired, "vs_dealer": "worse"}, "pays": "2:1"}]},
        "flushes": {"rows": [{"when": {"first_five": "flush", "vs_dealer": "better"}, "pays": "1:1"},
                             {"when": {"first_five": "flush"}, "pays": "2:1"}]},
        "out": {"rows": [{"when": {"dealer.qualifies": False}, "pays": "1:1"}]},
    }  # fmt: skip
    game = build_game(GameSettings("casino-holdem"), load_pay_table(json.dumps({"spots": spots}).encode()))
    found = house_returns(cast(CasinoHoldem, game))
    showdowns = comb(52, 5) * comb(47, 2) * comb(45, 2)
    for spot in ("mine", "theirs"):
        for category, hands in seven.items():
            share = Fraction(found[spot].ways[f"{pays[category]}:1"], showdowns)
            assert share == Fraction(hands, comb(52, 7)), (spot, category)
    assert found["better"].ways == found["worse"].ways
    for spot, hands in {"aces": 84480, "flushes": 5108}.items():
        met = sum(found[spot].ways[pay] for pay in ("1:1", "2:1"))
        assert met == Fraction(hands, comb(52, 5)) * showdowns * 10
    assert 0 < found["out"].ways["1:1"] < showdowns


def test_a_qualifier_of_the_dealer_is_a_setting() -> None:
    rows = [{"when": {"dealer.qualifies": False}, "pays": "1:1"}]
    table = load_pay_table(json.dumps({"spots": {"out": {"rows": rows}}}).encode())
    out = {}
    for least in ("always", "4"):
        game = build_game(GameSettings("casino-holdem", dealer_qualifies=least), table)
        out[least] = house_returns(cast(CasinoHoldem, game))["out"].ways.get("1:1", 0)
    assert out["always"] == 0
    assert out["4"] > 0


def a_bonus(rows: list[dict[str, object]]) -> CasinoHoldem:
    """A table where a fold takes the house's own Bonus."""
    table = load_pay_table(json.dumps({"spots": {"bonus": {"rows": rows}}}).encode())
    game = build_game(GameSettings("casino-holdem", fold_forfeits_bonus=True), table)
    assert isinstance(game, CasinoHoldem)
    return game


def test_a_bonus_of_the_house_that_a_fold_takes_is_counted_without_the_folded_hands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that always pays loses with just the hands that are folded."""
    game = a_bonus([{"pays": "1:1"}])
    play = OptimalPlay(game)  # which takes long; it is counted once
    monkeypatch.setattr("controller.par.casino_holdem.OptimalPlay", lambda _: play)
    folded = play.folded
    bonus = holdem_returns(game, frozenset({"bonus"}))["hand1.bonus"]
    assert bonus.ways == {"1:1": comb(52, 2) * comb(50, 3) - folded, "lose": folded}


def test_a_bonus_on_final_hands_that_a_fold_takes_is_refused() -> None:
    with pytest.raises(PayTableError, match=r"spots\.bonus: what it pays on final hands"):
        holdem_returns(a_bonus([{"when": {"vs_dealer": "better"}, "pays": "1:1"}]))
