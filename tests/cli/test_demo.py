"""``demo``: every game from every kind of shoe and panel, as a newcomer types it."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from tests.cli.program import dealer_table


@pytest.mark.parametrize(
    ("game", "devices"),
    [
        ("baccarat", ()),
        ("baccarat", ("--shoe", "scanner", "--panel", "gpio", "--odds", "fixed")),
        ("2-card-action", ("--shoe", "camera")),
        ("two-cards-high", ()),
        ("casino-holdem", ("--panel", "gpio")),
    ],
)
def test_rounds_are_dealt_to_their_end(game: str, devices: tuple[str, ...]) -> None:
    run = dealer_table("demo", "--game", game, "--rounds", "2", "--pace-s", "0.01", *devices)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[-1].startswith("2 rounds in ")


_OFFER = re.compile(r"prices \(offer (?P<id>\S+)\): (?P<prices>.*)")
_SETTLED = re.compile(
    r"\w+ (?P<stake>\S+) on (?P<spot>\w+) at (?P<price>\S+) \(offer (?P<id>\S+)\): (?P<result>\w+),"
    r" (?P<back>\S+) back"
)


def test_at_live_odds_prices_move_and_each_bet_is_settled_at_the_price_of_its_offer() -> None:
    run = dealer_table("demo", "--game", "baccarat", "--rounds", "6", "--pace-s", "0.01", "--seed", "5")
    assert (run.returncode, run.stderr) == (0, "")
    offers = {
        match["id"]: dict(price.split(" ") for price in match["prices"].split(", "))
        for match in map(_OFFER.fullmatch, run.stdout.splitlines())
        if match is not None and match["prices"] != "suspended"
    }
    assert len({tuple(prices.items()) for prices in offers.values()}) > 6
    assert len({line for line in run.stdout.splitlines() if line.startswith("chances: ")}) > 6
    settled = [match for match in map(_SETTLED.fullmatch, run.stdout.splitlines()) if match is not None]
    assert len({bet["id"] for bet in settled}) > 6
    bank = 0
    for bet in settled:
        assert offers[bet["id"]][bet["spot"]] == bet["price"]
        stake, back = (round(100 * Decimal(bet[key])) for key in ("stake", "back"))
        returned = {"win": int(stake * Decimal(bet["price"])), "push": stake, "lose": 0}
        assert back == returned[bet["result"]]
        bank += stake - back
    summary = next(line for line in run.stdout.splitlines() if "bets at live odds" in line)
    assert summary.startswith(f"{len(settled)} bets at live odds: ")
    assert summary.endswith(f"the bank has {bank / 100:.2f}; the books balance")


def test_live_odds_of_a_game_without_them_are_refused() -> None:
    run = dealer_table("demo", "--game", "casino-holdem", "--odds", "live")
    assert run.returncode == 2
    assert "casino-holdem has no live odds: leave --odds out" in run.stderr


def test_a_shoe_that_cannot_deal_the_game_is_refused() -> None:
    run = dealer_table("demo", "--game", "casino-holdem", "--shoe", "angel-eye")
    assert run.returncode == 2
    assert "a shoe angel-eye does not know the hands of casino-holdem" in run.stderr


def test_a_shoe_that_is_none_is_refused_and_those_there_are_are_named() -> None:
    run = dealer_table("demo", "--game", "baccarat", "--shoe", "angle-eye")
    assert run.returncode == 2
    assert "there is no shoe 'angle-eye'; --shoe is one of angel-eye, bee-tek, " in run.stderr
