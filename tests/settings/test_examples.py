"""The examples in ``config/``: each loads, and what their comments say is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from msgspec import inspect

from controller.board.web import read_words
from controller.games.paytable import load_pay_table
from controller.settings.loader import load_configuration
from controller.settings.model import complete_settings
from controller.settings.words import plain
from controller.shoe.code_map import check_text, decode
from controller.vocabulary.cards import DECK_52
from drivers.registry import tag_of
from drivers.settings import DeviceSettings
from tests.harness.examples import CONFIG, EXAMPLES

GAMES = {"2-card-action", "two-cards-high", "baccarat", "casino-holdem"}

_OFF = re.compile(r"^# (?P<key>[a-z_.]+) = (?P<value>\S.*)$", re.MULTILINE)
_NO_DEFAULTS = {
    "library",
    "source",
    "exposure_us",
    "gain",
    "focus_dioptres",
    "red_gain",
    "blue_gain",
    "pay_table",
    "username",
    "password_file",
    "tls.ca_file",
    "tls.cert_file",
    "tls.key_file",
    "tls.warn_days",
    "decided",
    "manifest",
    "metrics_port",
    "socket",
    "board_socket",
    "least_house_edge",
    "supervisors",
    "await_book",
    "key_file",
}
"""What a table has or has not; the example shows one."""


def test_each_game_has_an_example_which_loads_without_a_warning() -> None:
    examples = [load_configuration(path) for path in EXAMPLES]
    assert {example.game.name for example in examples} == GAMES
    assert [example.warnings for example in examples] == [()] * len(EXAMPLES)


@pytest.mark.parametrize("layout", ["A", "B", "C"])
@pytest.mark.parametrize("decks", range(4, 9))
def test_2_card_action_is_played_on_each_layout(tmp_path: Path, layout: str, decks: int) -> None:
    text = (CONFIG / "2-card-action.toml").read_text().replace("decks = 8", f"decks = {decks}")
    path = tmp_path / "table.toml"
    path.write_text(text.replace('layout = "C"', f'layout = "{layout}"'))
    configuration = load_configuration(path)
    assert configuration.game.layout == layout
    assert layout in configuration.pay_table.layouts


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_line_that_is_off_shows_the_default(tmp_path: Path, path: Path) -> None:
    text = path.read_text()
    lines = {match["key"] for match in _OFF.finditer(text)} - _NO_DEFAULTS
    assert lines
    on = _OFF.sub(lambda match: match[0][2:] if match["key"] in lines else match[0], text)
    beside = path.with_name(f".on-{path.name}")
    values = tomllib.loads(on)
    try:
        beside.write_text(on)
        switched, plainly = load_configuration(beside), load_configuration(path)
    finally:
        beside.unlink()
    assert values != tomllib.loads(text)
    # The default of these two depends on the game; the example says which.
    kept = {"void": plainly.game.void, "deal": plainly.game.deal}
    game = msgspec.structs.replace(switched.game, **kept)
    assert msgspec.structs.replace(switched, game=game, file=plainly.file) == plainly


def test_what_a_table_may_have_loads_as_shown(tmp_path: Path) -> None:
    path = CONFIG / "baccarat.toml"
    on = _OFF.sub(lambda match: match[0][2:], path.read_text())
    on = on.replace('"pay-tables/', f'"{CONFIG}/pay-tables/')
    everything = tmp_path / "table.toml"
    everything.write_text(on)
    configuration = load_configuration(everything)
    assert configuration.pay_table.id == "north-baccarat-tie-nine"
    assert configuration.pay_table.ratios()["tie", "win"] == "9:1"
    recorded = configuration.core().pay_table
    assert recorded is not None
    assert recorded["id"] == configuration.pay_table.id
    assert configuration.mqtt.tls is not None


def test_every_key_stands_in_some_example_but_those_of_a_device_that_none_names() -> None:
    text = "\n".join(path.read_text() for path in [*EXAMPLES, CONFIG / "shadow.toml"])
    drivers = set(re.findall(r'driver = "([a-z-]+)"', text))
    assert drivers >= {"angel-eye", "bee-tek", "camera", "gpio", "keypad", "line", "scanner"}
    paths = re.findall(r"[a-z_.]+(?= = )|(?<=\[)[a-z_.]+(?=\])", text)
    shown = {key for path in paths for key in path.split(".")}
    assert keys_of(inspect.type_info(complete_settings()), drivers) - shown == set()


def keys_of(kind: inspect.Type, drivers: set[str]) -> set[str]:
    """The keys of a struct and of all below it; of the devices, those of these drivers."""
    match plain(kind):
        case inspect.UnionType(types):
            return set().union(*(keys_of(one, drivers) for one in types))
        case inspect.StructType(cls=cls) if issubclass(cls, DeviceSettings) and tag_of(cls) not in drivers:
            return set()
        case inspect.StructType(fields=fields):
            below = (keys_of(field.type, drivers) for field in fields)
            return {field.name for field in fields}.union(*below)
        case _:
            return set()


def test_the_pattern_example_reads_every_card_with_set_and_serial() -> None:
    code_map = load_configuration(CONFIG / "casino-holdem.toml").code_map
    for place, card in enumerate(DECK_52):
        body = f"R{card}{place:06d}"
        check = check_text("mod37", [int(character, 36) for character in body])
        read = decode(code_map, f"R-{card}-{place:06d}-{check}")
        assert (read.verdict, read.card, read.set, read.serial) == ("card", card, "R", f"{place:06d}")
        wrong = "0" if check != "0" else "1"
        assert decode(code_map, f"R-{card}-{place:06d}-{wrong}").verdict == "unreadable"


def test_the_exact_example_has_one_code_for_each_card(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    text = (CONFIG / "baccarat.toml").read_text()
    text = text.replace('# map = "plain"', f'map = "{CONFIG}/cards/exact.toml"')
    path.write_text(text.replace('driver = "angel-eye"', 'driver = "scanner"'))
    code_map = load_configuration(path).code_map
    assert sorted(code_map.exact.values()) == sorted(DECK_52)
    assert decode(code_map, "101").card == "AS"
    assert decode(code_map, "413").card == "KC"


def test_the_houses_spots_in_shipped_pay_tables_have_a_name_in_every_language_of_the_board() -> None:
    languages = set(read_words(None))
    tables = {path.name: load_pay_table(path) for path in (CONFIG / "pay-tables").glob("*.toml")}
    named = {
        f"{file} {spot}": languages ^ set(one.name if isinstance(one.name, dict) else ())
        for file, table in tables.items()
        for spot, one in table.spots.items()
        if one.name
    }
    assert named
    assert {spot: wrong for spot, wrong in named.items() if wrong} == {}
