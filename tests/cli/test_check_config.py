"""``check-config``: right, right with warnings, wrong; for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import HOUSE, Told, answered, dealer_table, refused
from tests.harness.examples import EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_right(path: Path, told: Told) -> None:
    said = told("check-config", path)
    assert said.err == ""
    assert said.out.startswith(f"{path} is right\n")


def changed(tmp_path: Path, example: str, *changes: tuple[str, str]) -> str:
    """An example of ours with other words in it."""
    text = (HOUSE / "config" / f"{example}.toml").read_text().replace('"cards/', f'"{HOUSE}/config/cards/')
    for old, new in changes:
        text = text.replace(old, new)
    (tmp_path / "table.toml").write_text(text)
    return str(tmp_path / "table.toml")


def test_the_summary_names_odds_limits_and_the_spots_of_the_house(tmp_path: Path, told: Told) -> None:
    table = HOUSE / "config" / "pay-tables" / "baccarat-dragon-bonus.toml"
    file = changed(tmp_path, "baccarat", ("[game]\n", f'[game]\npay_table = "{table}"\n'))
    said = {" ".join(line.split()) for line in told("check-config", file).out.splitlines()}
    assert {
        "odds fixed",
        "own spots banker_dragon_bonus, player_dragon_bonus",
        "limits each spot 500 to 500000, tie 500 to 50000 (minor units of EUR)",
    } <= said


def test_a_right_file_is_told_to_programs() -> None:
    answer = json.loads(answered("check-config", "config/baccarat.toml", "--json"))
    assert answer["valid"]
    assert answer["problems"] == answer["warnings"] == []
    assert answer["table"]["game"] == "baccarat, 8 decks"
    assert len(answer["digest"]) == 64


def test_a_warning_does_not_make_a_file_wrong(tmp_path: Path) -> None:
    file = changed(tmp_path, "baccarat", ('["settlement"]', "[]"))
    done = dealer_table("check-config", file)
    assert done.returncode == 0
    assert done.stderr.startswith("dealer-table: warning: mqtt.consumers: ")
    (warning,) = json.loads(dealer_table("check-config", "--json", file).stdout)["warnings"]
    assert warning["key"] == "mqtt.consumers"


def test_a_wrong_file_is_status_2_with_every_key_path(tmp_path: Path) -> None:
    file = changed(tmp_path, "baccarat", ("decks = 8", "decks = 9"), ("bets_s = 20", "bets_s = -1"))
    said = refused("check-config", file).splitlines()
    assert [line.split(": ")[2] for line in said] == ["round.bets_s", "game.decks"]
    answer = json.loads(dealer_table("check-config", "--json", file).stdout)
    assert not answer["valid"]
    assert [problem["key"] for problem in answer["problems"]] == ["round.bets_s", "game.decks"]


@pytest.mark.parametrize("content", [b"", b"[", b"\xff", b"table = 3"])
def test_what_is_no_configuration_is_status_2(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(content)
    done = dealer_table("check-config", str(file), "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["problems"]


@pytest.mark.parametrize(
    ("file", "says"),
    [
        (
            "floor.toml",
            "this is the inventory of a floor; `dealer-table inventory config/floor.toml` reads it",
        ),
        (
            "pay-tables/baccarat-ez.toml",
            "this is a pay table, which a table names as game.pay_table; `dealer-table par",
        ),
        ("recorder.toml", "this is the configuration of a recorder; `dealer-table record --config"),
        ("wagering.toml", "this is the configuration of a wagering service; `dealer-table wagering"),
        ("cards/exact.toml", "this is a code map, which a table names as cards.map"),
    ],
)
def test_a_file_of_another_kind_is_named_with_the_command_that_reads_it(file: str, says: str) -> None:
    [line] = refused("check-config", f"config/{file}").splitlines()
    assert says in line


def test_the_daemon_refuses_the_same_file_in_the_same_way(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('[table]\nsite = "a/b"\n')
    assert refused("run", "--config", str(file)) == refused("check-config", str(file))


def test_what_only_a_driver_knows_is_asked_of_it(tmp_path: Path) -> None:
    file = changed(tmp_path, "two-cards-high", ('"CLEAR continue" = 17', '"CLEAR" = 17'))
    assert "devices.panel.lines: 'CLEAR' is no line of the keypad" in refused("check-config", file)
    (problem,) = json.loads(dealer_table("check-config", "--json", file).stdout)["problems"]
    assert problem["key"] == "devices.panel.lines"
