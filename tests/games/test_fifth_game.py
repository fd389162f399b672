"""A game is one module and its pay table: ``docs/how-to/add-a-game.md``, typed into a copy of the program."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from controller.games.game import Game
from tests.harness.patience import PATIENCE_S

HOUSE = Path(__file__).resolve().parents[2]
PAGE = (HOUSE / "docs/how-to/add-a-game.md").read_text()
FILES = re.findall(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CONFIGURATION = """
[table]
site = "north"
id = "7"

[game]
name = "high-card"
decks = 6

[devices.shoe]
driver = "bee-tek"
port = "/dev/null"

[journal]
path = "{folder}/7.db"
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with the two files of the page, and nothing else."""
    house = tmp_path_factory.mktemp("house")
    for folder in ("controller", "drivers"):
        shutil.copytree(HOUSE / folder, house / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in FILES:
        assert not (house / path).exists()
        (house / path).write_text(text)
    return house


def run(copy: Path, *words: str) -> str:
    """What a command prints."""
    call = [sys.executable, "-m", "controller", *words]
    done = subprocess.run(call, cwd=copy, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def asked(copy: Path, command: str, **line: object) -> Any:
    return json.loads(run(copy, command, "--json", json.dumps({"game": "high-card", **line})))


def test_it_is_two_files() -> None:
    assert [path for path, _ in FILES] == [
        "controller/games/high_card.py",
        "controller/games/pay_tables/high-card.toml",
    ]


def test_it_scores(copy: Path) -> None:
    assert asked(copy, "score", cards=["KS", "QS", "2D"]) == {
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


def test_it_settles(copy: Path) -> None:
    bets = [{"spot": "tie", "stake": 5}, {"spot": "left", "stake": 7}]
    answer = asked(copy, "settle", hands={"left": ["KS"], "right": ["KD"]}, decks=2, bets=bets)
    assert (answer["staked"], answer["returned"], answer["net"]) == (12, 62, 50)


def test_the_page_s_command_seals_its_pay_table_in_place(copy: Path) -> None:
    [words] = re.findall(r"^\$ (python -c .*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    pay_table = copy / "controller/games/pay_tables/high-card.toml"
    unsealed = pay_table.read_text()
    try:
        call = [sys.executable, *shlex.split(words)[1:]]
        subprocess.run(call, cwd=copy, timeout=PATIENCE_S, check=True)
        assert "[seal]" in pay_table.read_text()
        assert asked(copy, "score", cards=["KS", "QS"])["bets"]["left"] == {"result": "win", "pays": "1:1"}
    finally:
        pay_table.write_text(unsealed)


def test_its_return_is_exact(copy: Path) -> None:
    spots = json.loads(run(copy, "par", "--game", "high-card", "--decks", "1", "--json"))["spots"]
    assert spots["tie"]["ways"] == {"10:1": 52 * 3, "lose": 52 * 48}
    assert spots["left"]["ways"] == {"1:1": 52 * 24, "push": 52 * 3, "lose": 52 * 24}
    assert Fraction(spots["tie"]["return"]) == Fraction(11 * 3, 51)


def test_its_odds_follow_the_cards(copy: Path) -> None:
    remaining = {rank + suit: int(rank in "AK") for suit in "SHDC" for rank in "A23456789TJQK"}
    answer = asked(copy, "odds", remaining=remaining, decks=1)
    assert answer["probabilities"]["tie"] == pytest.approx(3 / 7)
    assert answer["house_edge"]["tie"] == pytest.approx(1 - 11 * 3 / 7)


def test_its_configuration_is_right(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "7.toml").write_text(CONFIGURATION.format(folder=tmp_path))
    answer = json.loads(run(copy, "check-config", "--json", str(tmp_path / "7.toml")))
    assert answer["table"]["game"] == "high-card, 6 decks"
    assert answer["table"]["pay_table"].startswith("high-card-example")


def test_the_schemas_name_it(copy: Path) -> None:
    schemas = json.loads(run(copy, "schema"))["schemas"]
    score = schemas["score"]["$defs"]
    assert score["Score"]["properties"]["game"]["enum"][-1] == "high-card"
    assert score["HighCardOutcome"]["properties"]["winner"] == {"enum": ["left", "right", "tie"]}
    outcomes = schemas["message/round.result"]["$defs"]["RoundResult"]["properties"]["outcome"]["anyOf"]
    assert {"$ref": "#/$defs/HighCardOutcome"} in outcomes[0]["anyOf"]


def test_the_demo_deals_it(copy: Path) -> None:
    said = run(copy, "demo", "--game", "high-card", "--rounds", "2", "--pace-s", "0", "--seed", "1")
    assert "2 rounds in" in said
    assert re.search(r"demo-1-\d+-2: winner (left|right|tie)", said)


def test_an_outcome_of_any_shape_is_told_in_plain_words() -> None:
    outcome = {"seats": {"seat1": "win", "seat2": "lose"}, "suited": ["seat1", "seat2"], "first_out": []}
    said = "seats seat1 win, seat2 lose, suited seat1 seat2, first out -"
    assert Game.in_words(outcome) == said
    assert Game.in_words({"pair": True, "rank": None}) == "pair yes, rank -"


def test_the_board_shows_it_plainly(copy: Path) -> None:
    display = {
        "game": "high-card",
        "phase": "dealing",
        "next": "right",
        "cards": [{"position": "left", "card": "KS"}],
    }
    code = (
        "import sys, msgspec\n"
        "from controller.board.floor import take\n"
        "from controller.board.picture import table_pictures\n"
        "floor, key = take({}, 'dealer-table/v1/north/7/display', sys.argv[1].encode())\n"
        "print(table_pictures(floor[key], None, None, {}).dealer.decode())"
    )
    call = [sys.executable, "-c", code, json.dumps(display)]
    done = subprocess.run(call, cwd=copy, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    picture = json.loads(done.stdout)
    assert picture["act"] == {"code": "draw", "position": "right", "card": 1}
    assert (picture["display"], picture["sets"]) == (display, None)


def test_types_and_style_of_the_page_s_module_are_judged_as_any(copy: Path) -> None:
    (copy / "tests/house").mkdir(parents=True)
    for file in ("pyproject.toml", "tests/house/representations.py"):
        shutil.copy(HOUSE / file, copy / file)
    for call in (["ruff", "check"], ["mypy", "--follow-imports=silent"]):
        done = subprocess.run(
            [sys.executable, "-m", *call, "controller/games/high_card.py"],
            cwd=copy, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
