"""One transcript a game, readable by a dealer: cards in, messages out.

``python -m tests.golden`` writes them anew.
"""

from __future__ import annotations

import re

import pytest

from controller.games.registry import all_games
from tests.golden.transcript import ScriptError, path_of, played

SAID = re.compile(r"^<< +\d+ ([a-z_.]+)", re.MULTILINE)

MUST_BE_SAID = {
    "shoe.started",
    "round.opened",
    "round.bets_closed",
    "round.card",
    "round.result",
    "round.settled",
    "round.final",
    "round.void",
    "table.held",
    "table.resumed",
}
"""An ordinary round, a hold, a void; a second revision is asked for besides."""


@pytest.mark.parametrize("game", all_games())
def test_every_registered_game_has_a_transcript_of_what_a_table_can_meet(game: str) -> None:
    text = path_of(game).read_text()
    assert set(SAID.findall(text)) >= MUST_BE_SAID
    assert "revision 2 in place of message" in text
    assert "NOT AS COMMITTED" not in text


@pytest.mark.parametrize("game", all_games())
def test_the_table_says_what_the_transcript_says(game: str) -> None:
    text = path_of(game).read_text()
    assert played(text).splitlines() == text.splitlines()


@pytest.mark.parametrize("game", all_games())
def test_a_transcript_speaks_of_its_own_game_and_fits_a_page(game: str) -> None:
    lines = path_of(game).read_text().splitlines()
    tables = [line.split()[1] for line in lines if line.startswith("==")]
    assert set(tables) == {game}
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (">> bets_opened\n", 1),
        ("== baccarat\n>> bets_open\n", 2),
        ("== baccarat\n>> card_read\n", 2),
        ("== baccarat\n\n>> bets_opened now\n", 3),
        ("== baccarat decks=many\n", 1),
        ("== whist\n", 1),
    ],
)
def test_a_wrong_script_is_named_by_its_line(script: str, line: int) -> None:
    with pytest.raises(ScriptError, match=rf"^line {line}: "):
        played(script)
