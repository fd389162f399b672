"""How a configuration becomes a game: every wrong setting is refused at its key path."""

from __future__ import annotations

import subprocess
import sys

import pytest

from controller.games.registry import all_games, build_game, module_name
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError
from tests.harness.patience import PATIENCE_S

ACTION: dict[str, object] = {"name": "2-card-action", "layout": "A"}
WRONG: list[tuple[dict[str, object], str, str]] = [
    ({"name": "snap"}, "game.name: 'snap' is no game: expected 2-card-action", "unknown_game"),
    ({"name": "bacarat"}, "game.name: 'bacarat' is no game: did you mean", "unknown_game"),
    ({"name": "2-card-action"}, "game.layout: 2-card-action needs one of A, B, C", "missing_layout"),
    ({**ACTION, "layout": "D"}, "game.layout: 'D' is not one of A, B, C", "unknown_layout"),
    ({"name": "baccarat", "layout": "A"}, "game.layout: baccarat has no layouts", "unknown_layout"),
    ({**ACTION, "decks": 3}, "game.decks: 2-card-action is played", "bad_decks"),
    ({**ACTION, "decks": 9}, "game.decks: 2-card-action is played", "bad_decks"),
    ({"name": "baccarat", "decks": 0}, "game.decks: baccarat is played with 1 to 8 decks", "bad_decks"),
    ({"name": "baccarat", "decks": 9}, "game.decks: baccarat is played with 1 to 8 decks", "bad_decks"),
    ({"name": "casino-holdem", "decks": 2}, "game.decks: casino-holdem is played with one deck", "bad_decks"),
    ({"name": "two-cards-high", "decks": 8}, "game.decks: two-cards-high is played with one", "bad_decks"),
    ({"name": "two-cards-high", "seats": 0}, "game.seats: 0 is not 1 to 7 seats", "bad_seats"),
    ({"name": "two-cards-high", "seats": 8}, "game.seats: 8 is not 1 to 7 seats", "bad_seats"),
    ({"name": "two-cards-high", "pair_tie": "0:1"}, "game.pair_tie: '0:1' pays nothing", "bad_setting"),
    ({"name": "two-cards-high", "deal": "fan"}, "game.deal: 'fan' is neither", "bad_setting"),
    ({"name": "two-cards-high", "squeeze": True}, "game.squeeze: two-cards-high has no", "unknown_setting"),
    ({"name": "baccarat", "seats": 3}, "game.seats: baccarat has no such setting", "unknown_setting"),
    ({"name": "baccarat", "fold_forfeits_bonus": True}, "game.fold_forfeits_bonus: ", "unknown_setting"),
    ({"name": "baccarat", "margins": {"ties": 0.1}}, "game.margins.ties: baccarat has no", "bad_setting"),
    ({"name": "casino-holdem", "margins": {"tie": 0.1}}, "game.margins: casino-hold", "unknown_setting"),
    ({"name": "baccarat", "betting_rounds": ("deal", "four")}, "game.betting_rounds: bets on", "bad_setting"),
    ({"name": "baccarat", "betting_rounds": ("four",), "odds": "live"}, "game.betting_rounds", "bad_setting"),
    ({"name": "casino-holdem", "burn_before": ("turn", "turn")}, "game.burn_before: each of", "bad_setting"),
]


@pytest.mark.parametrize(("settings", "message", "code"), WRONG)
def test_a_wrong_setting_is_refused_at_its_key_path(
    settings: dict[str, object], message: str, code: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        build_game(GameSettings(**settings))  # type: ignore[arg-type]
    assert caught.value.message.startswith(message)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("settings", "decks", "cards"),
    [
        (GameSettings("2-card-action", layout="A"), 8, 2),
        (GameSettings("2-card-action", layout="C", decks=4), 4, 2),
        (GameSettings("two-cards-high"), 1, 40),
        (GameSettings("two-cards-high", decks=1, seats=1), 1, 10),
        (GameSettings("baccarat"), 8, 6),
        (GameSettings("baccarat", decks=1), 1, 6),
        (GameSettings("casino-holdem", decks=1), 1, 11),
    ],
)
def test_defaults_of_the_contract(settings: GameSettings, decks: int, cards: int) -> None:
    game = build_game(settings)
    assert (game.decks, game.cards_needed) == (decks, cards)
    assert game == build_game(settings)


def test_what_the_documents_call_paragraphs_and_one_deck_games() -> None:
    assert [game.paragraphs for game in all_games().values()] == [True, False, False, False]
    assert [game.shuffled_every_round for game in all_games().values()] == [False, True, False, True]
    assert tuple(all_games()) == ("2-card-action", "two-cards-high", "baccarat", "casino-holdem")


def test_a_table_imports_the_game_that_it_plays_and_no_other() -> None:
    code = (
        "import sys\n"
        "import controller.shell.wiring.assembly\n"
        "from controller.settings.loader import load_configuration\n"
        "load_configuration('config/baccarat.toml')\n"
        "print(*(name for name in sys.modules if name.startswith('controller.games.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    played = {module_name(name) for name in all_games()} & {name[17:] for name in done.stdout.split()}
    assert played == {"baccarat"}
