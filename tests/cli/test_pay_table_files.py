"""Wrong pay table files as a house meets them: ``check-config`` and ``par`` refuse them and name the row."""

from __future__ import annotations

import json
from codecs import BOM_UTF8 as MARK
from pathlib import Path

import pytest

from controller.games.paytable import load_pay_table, sealed_toml
from tests.cli.program import HOUSE, answered, dealer_table, refused

OWN = HOUSE / "config" / "pay-tables" / "baccarat-tie-nine.toml"
SEALED = sealed_toml(load_pay_table(OWN))
TIE = '{ bet = "tie", when = "win", pays = "9:1", says = "Tie" },\n'
ROW_3 = "row 3 (bet 'tie', when 'win')"

WRONG = {
    "tampered: a sealed row pays more": (
        SEALED.replace('"9:1"', '"90:1"'),
        f"{ROW_3}: pays 90:1, not the row that was sealed",
    ),
    "tampered: two sealed rows swapped": (
        SEALED.replace('"9:1"', "?").replace('"5:1"', '"9:1"').replace("?", '"5:1"'),
        f"{ROW_3}: pays 5:1, not the row that was sealed",
    ),
    "tampered: a published table with another ratio": (
        (HOUSE / "controller/games/pay_tables/baccarat.toml").read_text().replace('"8:1"', '"9:1"'),
        f"{ROW_3}: pays 9:1, not the row that was sealed",
    ),
    "tampered: a published id without its seal": (
        OWN.read_text().replace("north-baccarat-tie-nine", "baccarat-fixed"),
        f"{ROW_3}: pays 9:1, published is 8:1",
    ),
    "incomplete: a row is missing": (
        OWN.read_text().replace(TIE, ""),
        "is incomplete: no row for bet 'tie', when 'win'",
    ),
    "incomplete: a sealed row is missing": (
        SEALED.replace(TIE, ""),
        "row 3 (bet 'player_pair', when 'win'): pays 11:1, not the row that was sealed",
    ),
    "incomplete: a row without its ratio": (
        OWN.read_text().replace(', pays = "9:1"', ""),
        "row 3: `pays` is missing",
    ),
    "contradictory: two rows for one condition": (
        OWN.read_text().replace(TIE, TIE + "    " + TIE.replace("9:1", "8:1")),
        "row 4 (bet 'tie', when 'win') pays 8:1, but row 3 pays 9:1 for the same",
    ),
    "contradictory: a row of another game": (
        OWN.read_text().replace(TIE, TIE + "    " + TIE.replace('"tie"', '"field"')),
        "row 4 (bet 'field', when 'win'): baccarat has no such row",
    ),
    "a spot of the house that pays back more than is staked": (
        OWN.read_text() + '[spots.d]\nrows = [{ when = { winner = "banker" }, pays = "2:1" }]\n',
        "spots.d: returns 137.5792%, more than is staked; allow_above_100 = true",
    ),
    "a condition that the game has not": (
        OWN.read_text() + '[spots.d]\nrows = [{ when = { winnr = "banker" }, pays = "2:1" }]\n',
        "spots.d.rows[0].when.winnr: baccarat has no such field: did you mean winner?",
    ),
    "a ratio that pays nothing": (
        OWN.read_text().replace('"9:1"', '"0:1"'),
        f"{ROW_3}: '0:1' pays nothing",
    ),
    "a ratio that is none": (
        OWN.read_text().replace('"9:1"', '"9/1"'),
        f"{ROW_3}: '9/1' is no ratio",
    ),
}


def spoiled(tmp_path: Path, text: str) -> Path:
    """The wrong file, beside a configuration that points at it."""
    (tmp_path / "house.toml").write_text(text)
    table = (HOUSE / "config" / "baccarat.toml").read_text()
    config = tmp_path / "table.toml"
    config.write_text(table.replace('name = "baccarat"', 'name = "baccarat"\npay_table = "house.toml"', 1))
    return config


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_pay_table_is_refused_with_its_row(tmp_path: Path, text: str, message: str) -> None:
    config = spoiled(tmp_path, text)
    checked = refused("check-config", str(config))
    judged = refused("par", "--game", "baccarat", "--pay-table", str(tmp_path / "house.toml"))
    for said in (checked, judged):
        assert message in said
        assert "house.toml" in said or "pay table 'north-baccarat-tie-nine'" in said
    assert "game.pay_table" in checked


def test_the_same_table_as_it_was_meant_is_right(tmp_path: Path) -> None:
    for text in (OWN.read_text(), SEALED):
        config = spoiled(tmp_path, text)
        assert dealer_table("check-config", str(config)).returncode == 0
        words = ["--game", "baccarat", "--pay-table", str(tmp_path / "house.toml")]
        assert "north-baccarat-tie-nine" in answered("par", *words)


@pytest.mark.parametrize("content", ['without = ["small"]\n', '{"without": ["small"]}'])
def test_a_pay_table_may_begin_with_the_mark_of_windows(tmp_path: Path, content: str) -> None:
    file = tmp_path / "house.toml"
    file.write_bytes(MARK + content.encode())
    assert load_pay_table(file).without == ("small",)
    line = {"game": "baccarat", "cards": ["KC", "7C", "7D", "2D"], "pay_table": str(file)}
    assert "small" not in json.loads(answered("score", "--json", json.dumps(line)))["bets"]
    if content.startswith("{"):
        told = answered("par", "--game", "baccarat", "--json", "--pay-table", MARK.decode() + content)
        assert "small" not in json.loads(told)["spots"]


def test_a_pay_table_in_json_that_pays_twice_for_one_row_is_refused(tmp_path: Path) -> None:
    """Of two ratios under one key, which one is paid?"""
    file = tmp_path / "house.json"
    file.write_text(
        '{"spots": {"dragon": {"rows": [{"when": {"winner": "tie"}, "pays": "8:1", "pays": "9:1"}]}}}'
    )
    said = refused("par", "--game", "baccarat", "--pay-table", str(file))
    assert "house.json: the key 'pays' stands twice in one object" in said


@pytest.mark.parametrize("path", ["", " "])
def test_a_pay_table_without_a_path_is_said_to_have_none(path: str) -> None:
    assert "the path of the file is empty" in refused("par", "--game", "baccarat", "--pay-table", path)
