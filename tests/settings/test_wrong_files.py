"""What is wrong in a file is said with its key path and what would be right, all of it at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.settings.loader import load_configuration
from controller.settings.model import complete_settings
from controller.settings.reading import Reader
from controller.vocabulary.errors import ConfigurationError
from tests.settings.files import CONTRACT, SMALLEST, changed, problems

WRONG: list[tuple[str, list[object], str]] = [
    ("table.site", [None], "missing"),
    ("table.id", [None], "missing"),
    ("table.id", [7], "in quotes"),
    ("table.site", ["no/rth", "north+", "#", "north 1", "north\n", ""], "letters, digits"),
    ("table.site", ["x" * 65], "1 to 40"),
    ("table.mode", ["lvie"], 'did you mean "live"?'),
    ("table.site", [["north"]], "a list is wrong"),
    ("game.name", [None], "missing"),
    ("game.name", ["bacarat"], "did you mean baccarat?"),
    ("game.decks", [9], "1 to 8"),
    ("game.decks", [True, 8.0], "a whole number"),
    ("game.seats", [3], "no such setting"),
    ("game.layout", ["A"], "no layouts"),
    ("game.margin", [1, -0.1], "from 0 to below 1"),
    ("game.margins", [0.1], "a table, each a number from 0 to below 1"),
    ("game.least_probability", [1], "from 0 to below 1"),
    ("game.betting_rounds", ["deal"], "a list"),
    ("game.pay_table", ["nowhere.toml", "x" * 300], "cannot be read"),
    ("cards.map", ["x" * 300, f"{'x' * 300}.toml"], "x" * 300),
    ("game.pay_table", ["table.toml"], "table.toml"),
    ("game.bets_s", [20], "it belongs in [round]"),
    ("limits.currency", [None], "missing"),
    ("limits.currency", ["euro", "EU", "EURO", "eur", 5], "ISO 4217"),
    ("limits.tabel", [{"min": 1, "max": 2}], "did you mean table?"),
    ("badges.supervisors", [[]], "an empty list is wrong; needed is a list of 1 or more, each a badge"),
    ("round.bets_s", [-1], "from 0 to 3600"),
    ("round.bets_s", ["20"], "a whole number"),
    ("round.bets_s", [10**30], "this huge number"),
    ("round.warn_s", [20, 30], "less than round.bets_s = 20"),
    ("round.close", ["time"], 'did you mean "timer"?'),
    ("round.beds_s", [20], "did you mean bets_s?"),
    ("round.await_book", ["book"], "not among mqtt.consumers"),
    ("round.await_book", ["a book", ""], "a name of 1 to 40"),
    ("round.book_s", [0], "from 1 to 3600"),
    ("shoe.burn_each_round", [11], "from 0 to 10"),
    ("shoe.least_house_edge", [1], "from -100 to below 1"),
    ("cards.map", ["four_digit"], '"four-digit"'),
    ("cards.map", ["codes.toml"], "No such file"),
    ("cards.map", [""], "needed is text"),
    ("mqtt.port", [0, 65536], "from 1 to 65535"),
    ("mqtt.host", ["", "mqtt://broker"], "a host name"),
    ("mqtt.consumers", [["a", "a"]], "once"),
    ("mqtt.ack_timeout_s", [0], "from 1"),
    ("mqtt.tls", [True], "a table"),
    ("journal.path", [None], "missing"),
    ("journal.path", ["", "a\x00b"], "the path of a file"),
    ("devices.shoe", [None], "missing"),
    ("devices.shoe", ["angel-eye"], "a table with driver ="),
    ("devices.shoe.driver", ["angel"], 'did you mean "angel-eye"?'),
    ("devices.shoe.port", [None], "missing"),
    ("devices.shoe.port", ["ttyUSB0"], "the whole path"),
    ("devices.shoe.baud_rate", [0], "from 300"),
    ("devices.shoe.suffix", ["lf"], "no such key"),
    ("devices.shoe.last_report_number", [0x31], "more than"),
    ("devices.shoe.stop_bits", [True], "1, 2"),
    ("devices.shuffler.driver", ["deckmate"], '"line"'),
    ("devices.panel.port", ["/dev/dealer-table/shoe"], "devices.shoe.port as well"),
    ("devices.pannel", [{"driver": "keypad"}], "did you mean panel?"),
]
"""A key, wrong values of it, and what is said at that key."""
SCANNER = {"driver": "scanner", "port": "/dev/dealer-table/shoe"}
CARD_ACTION, HIGH = {"name": "2-card-action"}, {"name": "two-cards-high", "decks": 1}
GPIO4 = "GPIO4 is the pin of devices.panel.buttons.open as well"


def panel(**keys: object) -> dict[str, object]:
    return {"panel": {"driver": "gpio", **keys}}


def shuffler(**keys: object) -> dict[str, object]:
    return {"shuffler": {"driver": "gpio", **keys}}


ELSEWHERE: list[tuple[str, Mapping[str, object], str, str]] = [
    ("game", CARD_ACTION, "game.layout", "A, B, C"),
    ("game", {**CARD_ACTION, "layout": "D"}, "game.layout", '"A", "B", "C"'),
    ("game", {**CARD_ACTION, "layout": "A", "decks": 3}, "game.decks", "4 to 8"),
    ("game", {**HIGH, "decks": 8}, "game.decks", "one deck"),
    ("game", {**HIGH, "seats": 8}, "game.seats", "from 1 to 7"),
    ("game", {**HIGH, "seats": 0}, "game.seats", "from 1 to 7"),
    ("game", {"margins": {"tie": 1.0}}, "game.margins.tie", "from 0 to below 1"),
    ("game", {"margins": {"ties": 0.1}}, "game.margins.ties", "player, banker, tie"),
    ("game", {"betting_rounds": ["deal", "five"]}, "game.betting_rounds[1]", '"deal", "first", "four"'),
    ("round", {"dealer_choices": ["void"]}, "round.dealer_choices[0]", '"continue"'),
    ("mqtt", {"consumers": ["a", "b/c"]}, "mqtt.consumers[1]", "letters, digits"),
    ("mqtt", {"password_file": "p"}, "mqtt.username", "missing"),
    ("mqtt__tls", {"cert_file": "c"}, "mqtt.tls.key_file", "a certificate needs its key"),
    ("mqtt__tls", {"key_file": "c"}, "mqtt.tls.cert_file", "a key needs its certificate"),
    ("devices", {"shoe": {}}, "devices.shoe.driver", "missing"),
    ("devices", panel(buttons={}), "devices.panel.buttons", "at least one"),
    ("devices", panel(buttons={"open": 54}), "devices.panel.buttons.open", "0 to 53"),
    ("devices", panel(buttons={"open": 4, "close": 4}), "devices.panel.buttons.close", GPIO4),
    ("devices", panel(buttons={"open": 4}, lines={"HOLD": 4}), 'devices.panel.lines."HOLD"', GPIO4),
    ("devices__lights", {"driver": "gpio", "safe_light": "green"}, "devices.lights.safe_light", '"off"'),
    (
        "game",
        {"squeeze": True, "odds": "live", "betting_rounds": ["deal", "four"]},
        "game.betting_rounds",
        "opens only where a third card is due, which tells what lies face down",
    ),
    ("limits", {"table": {"max": 5}}, "limits.table.min", "missing"),
    ("limits", {"table": {"min": 5, "max": 4}}, "limits.table.min", "at most limits.table.max = 4"),
    ("limits", {"table": {"min": 0.5, "max": 4}}, "limits.table.min", "a whole number"),
    ("limits", {"table": 500}, "limits.table", "a table"),
    ("limits", {"spots": {"tie": {"min": 0, "max": 0}}}, "limits.spots.tie.max", "from 1"),
    ("limits", {"spots": {"tie": {"min": 2, "max": 1}}}, "limits.spots.tie.min", "limits.spots.tie.max = 1"),
    ("limits", {"spots": {"ties": {"min": 1, "max": 2}}}, "limits.spots.ties", "did you mean tie?"),
    ("limits", {"spots": {"x": {"min": 1, "max": 2}}}, "limits.spots.x", "known are player, banker, tie"),
    ("devices", shuffler(running=5, ready=5), "devices.shuffler.ready", "devices.shuffler.running as well"),
    ("devices", shuffler(running=5), "devices.shuffler.ready", "missing"),
    ("devices", shuffler(running=5, ready=6, inverted=["bell"]), "devices.shuffler.inverted[0]", '"door"'),
    ("devices", shuffler(running=5, ready=6, inverted=["door"]), "devices.shuffler.inverted", "has no pin"),
    ("devices__second_reader", SCANNER, "devices.second_reader.port", "devices.shoe.port as well"),
    ("devices__second_reader", {"driver": "angel-eye"}, "devices.second_reader.driver", '"scanner"'),
]
"""A table with wrong keys, the key at which that is said, and how."""
for path, values, words in WRONG:
    room, _, name = path.rpartition(".")
    ELSEWHERE += [(room.replace(".", "__"), {name: value}, path, words) for value in values]


@pytest.mark.parametrize(("table", "keys", "key", "words"), ELSEWHERE)
def test_one_wrong_key_is_one_problem_with_its_path(
    tmp_path: Path, table: str, keys: dict[str, object], key: str, words: str
) -> None:
    found = problems(tmp_path / "table.toml", changed(**{table: keys}))
    assert list(found) == [key]
    assert words in found[key]


@pytest.mark.parametrize(
    ("game", "shoe", "key"),
    [
        ({**HIGH, "seats": 7}, {"burn": "one"}, "shoe.burn"),
        ({**HIGH, "seats": 6}, {"burn": "count"}, "shoe.burn"),
        ({**HIGH, "seats": 7}, {"burn_each_round": 1}, "shoe.burn_each_round"),
        ({**HIGH, "seats": 6}, {"burn": "one", "burn_each_round": 4}, None),
        ({**HIGH, "seats": 7}, {}, None),
        ({"name": "baccarat", "decks": 1}, {"cut_card_behind": 52}, "shoe.cut_card_behind"),
        ({"name": "baccarat", "decks": 1}, {"cut_card_behind": 16, "burn": "count"}, None),
        ({"name": "baccarat"}, {"cut_card_behind": 16, "kind": "continuous"}, "shoe.cut_card_behind"),
    ],
)
def test_a_pack_that_no_round_could_be_dealt_from_is_refused(
    tmp_path: Path, game: dict[str, object], shoe: dict[str, object], key: str | None
) -> None:
    """5.1.4: eight hands of five are all forty cards; a burn would bar every shoe from its first round."""
    found = problems(tmp_path / "table.toml", changed(game=game, shoe=shoe, limits={"spots": None}))
    assert list(found) == ([] if key is None else [key])


@pytest.mark.parametrize("shoe", ["angel-eye", "bee-tek"])
@pytest.mark.parametrize(("cards", "refused"), [("four-digit", True), ("plain", False)])
def test_a_shoe_that_names_the_cards_needs_a_map_that_knows_their_names(
    tmp_path: Path, shoe: str, cards: str, refused: bool
) -> None:
    """5.1.1: each card of such a table would be a foreign one."""
    device = {"driver": shoe, "port": "/dev/shoe"}
    found = problems(tmp_path / "table.toml", changed(cards={"map": cards}, devices={"shoe": device}))
    assert list(found) == (["cards.map"] if refused else [])
    assert not refused or f'no code "AS", as the shoe "{shoe}" says it' in found["cards.map"]


def test_a_book_that_a_card_closes_cannot_be_awaited(tmp_path: Path) -> None:
    """The card is known before any book is closed."""

    def found(close: str) -> dict[str, str]:
        rounds: dict[str, object] = {"close": close, "bets_s": 20, "await_book": "settlement"}
        return problems(tmp_path / "table.toml", changed(round=rounds, mqtt={"consumers": ["settlement"]}))

    assert [found("button"), found("timer")] == [{}, {}]
    assert list(found("first_card")) == ["round.await_book"]
    assert 'round.close = "first_card"' in found("first_card")["round.await_book"]


def test_a_book_needs_its_consumer_also_in_a_file_without_a_broker(tmp_path: Path) -> None:
    """Every round would wait for a book that nobody closes."""
    found = problems(tmp_path / "table.toml", f'{SMALLEST}round.await_book = "settlement"\n')
    assert list(found) == ["round.await_book"]
    assert "not among mqtt.consumers" in found["round.await_book"]


def test_a_continuous_shuffler_must_say_that_cards_went_back(tmp_path: Path) -> None:
    """2.3: who tells of shuffles alone leaves a continuous shoe to run empty on paper."""
    found = problems(
        tmp_path / "table.toml",
        changed(shoe={"kind": "continuous"}, devices=shuffler(running=5, ready=6)),
    )
    assert list(found) == ["devices.shuffler.driver"]
    assert 'as "line"' in found["devices.shuffler.driver"]


def test_all_problems_of_a_file_are_said(tmp_path: Path) -> None:
    found = problems(
        tmp_path / "table.toml",
        """
        [table]
        site = "no/rth"
        mod = "test"
        [game]
        name = "2-card-action"
        decks = 3
        seats = 5
        margin = nan
        [round]
        bets_s = 10
        warn_s = 12
        [cards]
        map = "nowhere.toml"
        [mqtt]
        port = 0
        consumers = ["a", "a"]
        [devices.shoe]
        driver = "angeleye"
        [devices.panel]
        driver = "gpio"
        buttons = { open = 4, close = 4 }
        [journl]
        """,
    )
    wrong = {
        "table": ("site", "id", "mod"),
        "game": ("layout", "decks", "seats", "margin"),
        "round": ("warn_s",),
        "cards": ("map",),
        "mqtt": ("port", "consumers"),
        "devices": ("shoe.driver", "panel.buttons.close"),
        "journal": ("path",),
    }
    assert set(found) == {"journl", *(f"{table}.{key}" for table, keys in wrong.items() for key in keys)}
    assert found["journl"].endswith("did you mean journal?")


SCALARS = st.one_of(st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.datetimes())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(place=st.integers(0, 200), value=VALUES)
def test_no_value_at_any_key_breaks_the_reader(place: int, value: object) -> None:
    values = tomllib.loads(CONTRACT)
    keys = [(room, key) for room, key in tables_and_keys(values)]
    room, key = keys[place % len(keys)]
    room[key] = value
    reader = Reader(complete_settings())
    read = reader.read(values, complete_settings())
    assert read is not None or reader.problems
    assert all(problem.message for problem in reader.problems)


def tables_and_keys(values: dict[str, object]) -> list[tuple[dict[str, object], str]]:
    found = [(values, key) for key in values]
    for value in values.values():
        if isinstance(value, dict):
            found += tables_and_keys(value)
    return found


@given(st.binary(max_size=200))
def test_no_bytes_break_the_loader(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError):
        load_configuration(file)
