"""Pay tables as files: the published ones are the documents; a wrong file is refused with its row named."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from controller.games.paytable import (
    BUILT_IN,
    PayRow,
    PayTable,
    builtin_pay_table,
    from_json,
    load_pay_table,
    sealed_toml,
)
from controller.games.registry import all_games, build_game
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import PayTableError
from tests.games.deals import told

FILES = sorted(BUILT_IN.glob("*.toml"))

HOUSE = """
id = "north-baccarat"
source = "House rules, page 3"
date = 2026-11-21
game = "baccarat"
rows = [
    { bet = "player", when = "win", pays = "1:1" },
    { bet = "banker", when = "win", pays = "0.95:1" },
    { bet = "tie", when = "win", pays = "9:1" },
    { bet = "player_pair", when = "win", pays = "11:1" },
    { bet = "banker_pair", when = "win", pays = "11:1" },
    { bet = "any_pair", when = "win", pays = "5:1" },
    { bet = "small", when = "win", pays = "3:2" },
    { bet = "big", when = "win", pays = "0.54:1" },
]
"""


def load(text: str) -> PayTable:
    return load_pay_table(text.encode())


def refused(text: str) -> str:
    with pytest.raises(PayTableError) as caught:
        build_game(GameSettings("baccarat"), load(text))
    assert caught.value.code == "pay_table"
    return caught.value.message


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_published_table_is_sealed_and_written_as_we_write_it(file: Path) -> None:
    table = load_pay_table(file)
    assert file.read_text() == sealed_toml(table)


@pytest.mark.parametrize(
    ("game", "layout"),
    [(game.name, layout) for game in all_games().values() for layout in game.layouts or (None,)],
)
def test_every_game_and_layout_has_one_published_table_with_exactly_its_rows(
    game: str, layout: str | None
) -> None:
    table = builtin_pay_table(game, layout)
    assert {row.key for row in table.rows} == set(all_games()[game].pay_rows(layout))
    assert len(table.rows) == len(all_games()[game].pay_rows(layout))


def test_layouts_a_and_b_share_table_1_layout_c_has_table_2() -> None:
    assert builtin_pay_table("2-card-action", "A") == builtin_pay_table("2-card-action", "B")
    assert "4.1.1" in builtin_pay_table("2-card-action", "A").source
    assert "4.1.2" in builtin_pay_table("2-card-action", "C").source


def test_a_house_s_own_file_of_the_same_shape_is_read() -> None:
    table = load(HOUSE)
    assert (table.id, table.date) == ("north-baccarat", "2026-11-21")
    assert build_game(GameSettings("baccarat"), table).pay_table is table


def test_the_digest_is_the_sha256_of_the_canonical_form() -> None:
    table = load(HOUSE)
    canonical = json.dumps(told(table), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert table.digest == hashlib.sha256(canonical.encode()).hexdigest()


def test_the_table_travels_whole_as_json() -> None:
    table = builtin_pay_table("casino-holdem")
    assert from_json(told(table)) == table
    assert load_pay_table(json.dumps(told(load(HOUSE))).encode()) == load(HOUSE)


def test_every_change_of_a_row_changes_the_digest() -> None:
    table = load(HOUSE)
    changes = {"9:1": "8:1", "player_pair": "player pair", "page 3": "page 4", "north": "south"}
    for old, new in changes.items():
        assert load(HOUSE.replace(old, new)).digest != table.digest


@pytest.mark.parametrize(
    "pays",
    ["9", "9:0", "0:1", "-1:1", "+9:1", "09:1", "9:1 ", "nine:1", "9,5:1", "9.:1", ".5:1", "1e3:1", "９:1"],
)
def test_a_malformed_zero_or_negative_ratio_is_refused_with_its_row(pays: str) -> None:
    message = refused(HOUSE.replace('"9:1"', f'"{pays}"'))
    assert message.startswith("row 3 (bet 'tie', when 'win'): ")


WRONG = {
    "a ratio that is a number": ('"9:1"', "9", "row 3: pays: expected text, not a whole number"),
    "an unknown field": ('pays = "9:1"', 'pays = "9:1", odds = 3', "row 3: there is no field `odds`"),
    "a missing ratio": (', pays = "9:1"', "", "row 3: `pays` is missing"),
    "an unknown spot": ('"tie"', '"draw"', "row 3 (bet 'draw', when 'win'): baccarat has no such row"),
    "an unknown condition": ('"tie", when = "win"', '"tie", when = "push"', "row 3 (bet 'tie', when 'push')"),
    "an empty bet": ('"tie"', '""', "row 3: bet and when must not be empty"),
    "no source": ('"House rules, page 3"', '" "', "source: must not be empty"),
    "no date": ("2026-11-21", '"lately"', "date: 'lately' is no date"),
    "another game": ('game = "baccarat"', 'game = "casino-holdem"', "is for the game 'casino-holdem'"),
    "a layout": (
        'game = "baccarat"',
        'game = "baccarat"\nlayouts = ["A"]',
        "is for layout A, not for a game without layouts",
    ),
    "an unknown key": (
        'game = "baccarat"',
        'game = "baccarat"\nodds = 1',
        "odds: a pay table has no such key",
    ),
    "no TOML": ("rows = [", "rows = ", "a pay table file is TOML or JSON"),
    "no rows": ("rows = [", "rows = []\nlines = [", "lines: a pay table has no such key"),
}


@pytest.mark.parametrize(("old", "new", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_says_what_to_mend(old: str, new: str, message: str) -> None:
    assert message in refused(HOUSE.replace(old, new))


def test_an_incomplete_table_names_every_missing_row() -> None:
    short = "\n".join(line for line in HOUSE.splitlines() if "tie" not in line and "small" not in line)
    message = refused(short)
    assert "incomplete" in message
    assert "bet 'tie', when 'win'; bet 'small', when 'win'" in message


@pytest.mark.parametrize("pays", ["9:1", "10:1"])
def test_a_contradictory_table_names_both_rows(pays: str) -> None:
    twice = HOUSE.replace("rows = [", f'rows = [\n    {{ bet = "tie", when = "win", pays = "{pays}" }},')
    both = f"row 4 (bet 'tie', when 'win') pays 9:1, but row 1 pays {pays} for the same"
    assert refused(twice) == f"{both}: a condition has one row"


SEALED = sealed_toml(load(HOUSE))


BIG = '    { bet = "big", when = "win", pays = "0.54:1" },\n'
TAMPERED: dict[str, tuple[dict[str, str], str]] = {
    "a changed ratio": (
        {'"9:1"': '"10:1"'},
        "row 3 (bet 'tie', when 'win'): pays 10:1, not the row that was sealed",
    ),
    "swapped ratios": (
        {'"5:1"': '"x"', '"9:1"': '"5:1"', '"x"': '"9:1"'},
        "row 3 (bet 'tie', when 'win'): pays 5:1",
    ),
    "a row less": ({BIG: ""}, "row 8: 8 rows were sealed, there are 7"),
    "a row less and another changed": ({BIG: "", '"win", pays = "3:2"': '"won", pays = "3:2"'}, "row 7 "),
    "a changed head": ({"page 3": "page 4"}, "seal: the digest is "),
    "a broken seal": ({"[seal]\ndigest = ": "[seal]\ndigests = "}, "seal: "),
}


@pytest.mark.parametrize(("changes", "message"), TAMPERED.values(), ids=TAMPERED)
def test_what_was_changed_in_a_sealed_table_is_named(changes: dict[str, str], message: str) -> None:
    text = SEALED
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    assert refused(text).startswith(message)


def test_an_unsealed_table_may_not_borrow_a_published_id() -> None:
    message = refused(HOUSE.replace("north-baccarat", "baccarat-fixed"))
    assert message.startswith("row 3 (bet 'tie', when 'win'): pays 9:1, published is 8:1")
    assert "id of its own" in message


def test_a_published_id_with_other_words_is_refused_too() -> None:
    same_rows = HOUSE.replace("north-baccarat", "baccarat-fixed").replace('"9:1"', '"8:1"')
    assert "were changed" in refused(same_rows)


def test_a_recorded_table_is_read_as_it_was_even_with_a_published_id() -> None:
    """A journal keeps what was dealt by, also where a later release publishes another table under the id."""
    table = load(HOUSE)
    older = PayTable("baccarat-fixed", table.source, table.date, table.game, table.rows)
    assert from_json(told(older)) == older


@pytest.mark.parametrize("value", [None, [], "x", {"rows": "x"}, {"rows": [1]}, {"rows": []}])
def test_a_record_that_is_no_table_is_refused(value: object) -> None:
    with pytest.raises(PayTableError):
        from_json(value)


def test_a_file_that_is_not_there_or_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(PayTableError, match=r"none\.toml: cannot be read"):
        load_pay_table(tmp_path / "none.toml")
    file = tmp_path / "house.toml"
    file.write_text(HOUSE.replace('"9:1"', '"0:1"'))
    with pytest.raises(PayTableError, match=r"house\.toml: row 3 "):
        load_pay_table(file)


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"[1]", b"{", b"{}", b"", b"x" * 1_000_001])
def test_bytes_that_are_no_table_are_refused(raw: bytes) -> None:
    with pytest.raises(PayTableError):
        load_pay_table(raw)


def test_a_published_table_is_not_there_for_every_game() -> None:
    with pytest.raises(PayTableError, match="no published pay table for 'snap'"):
        builtin_pay_table("snap")


def test_a_seal_follows_the_words_of_a_row() -> None:
    table = load(HOUSE)
    rows = (PayRow("player", "win", "1:1", "Punto"), *table.rows[1:])
    assert sealed_toml(PayTable(table.id, table.source, table.date, table.game, rows)) != SEALED
