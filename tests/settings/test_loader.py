"""A table's file becomes a configuration: defaults, paths, the record, secrets, files that are none."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.settings.loader import ConfigurationProblems, load_configuration
from controller.settings.model import Settings
from controller.vocabulary.codec import canonical
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.errors import ConfigurationError
from tests.settings.files import CONTRACT, SMALLEST, changed, problems

SCANNER = {"driver": "scanner", "port": "/dev/dealer-table/scanner"}
FELT = {"driver": "camera", "source": "/dev/video2", "library": "blue.deck"}
SCANNED: dict[str, dict[str, object]] = {
    "devices": {"shoe": SCANNER},
    "shoe": {"min_card_interval_ms": 300},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.toml"


def holds(whole: Any, part: Any) -> bool:
    """Whether all values of a part stand in the whole as well."""
    if isinstance(part, dict):
        return all(holds(whole[key], value) for key, value in part.items())
    return bool(whole == part)


def test_the_contract_s_example_loads_as_it_is(file: Path) -> None:
    file.write_text(CONTRACT)
    configuration = load_configuration(file)
    assert configuration.warnings == ()
    assert holds(configuration.canonical(), tomllib.loads(CONTRACT))
    core = configuration.core()
    assert core.shoe_numbered
    assert core.shoe_devices == ("shoe", "panel")


def test_the_defaults_are_the_contract_s(file: Path) -> None:
    file.write_text(SMALLEST)
    configuration = load_configuration(file)
    rounds, mqtt = configuration.round, configuration.mqtt
    assert configuration.table.mode == "live"
    assert configuration.game.odds == "fixed"
    assert configuration.game.seats == 7
    assert (rounds.open, rounds.close, rounds.settle) == ("button", "button", "button")
    assert (rounds.bets_s, rounds.decision_s, rounds.warn_s, rounds.review_s) == (0, 0, 5, 5)
    assert configuration.shoe.kind == "shoe"
    assert configuration.code_map.kind == "plain"
    assert (mqtt.host, mqtt.port, mqtt.consumers, mqtt.ack_timeout_s) == ("127.0.0.1", 1883, (), 30)
    assert not configuration.core().shoe_numbered


def test_what_the_core_gets_survives_the_record(file: Path) -> None:
    file.write_text(CONTRACT)
    core = load_configuration(file).core()
    assert msgspec.json.decode(canonical(core), type=CoreConfiguration) == core
    assert core.pay_table is not None
    assert core.pay_table["id"] == "baccarat-fixed"


def test_a_limit_of_all_hands_is_that_of_each(file: Path) -> None:
    """A spot that is named itself comes before; a Play bet appears by itself and can have no limit."""
    spots = {"ante": {"min": 1, "max": 9}, "hand2.ante": {"min": 2, "max": 8}}
    file.write_text(changed(game={"name": "casino-holdem", "decks": 1}, limits={"spots": spots}))
    limits = load_configuration(file).core().limits
    assert limits is not None
    assert {spot: (limit.min, limit.max) for spot, limit in limits.spots.items()} == {
        "hand1.ante": (1, 9),
        "hand2.ante": (2, 8),
    }
    for spot in ("play", "hand1.play"):
        text = changed(
            game={"name": "casino-holdem", "decks": 1}, limits={"spots": {spot: {"min": 1, "max": 9}}}
        )
        [(key, why)] = problems(file, text).items()
        assert key == f"limits.spots.{spot if spot == 'play' else chr(34) + spot + chr(34)}"
        assert "2 times hand1.ante" in why


def test_the_canonical_form_names_files_and_no_secret(file: Path) -> None:
    (file.parent / "password").write_text("hunter2")
    file.write_text(changed(mqtt={"username": "table-7", "password_file": "password"}))
    plain = load_configuration(file).canonical()
    assert plain["mqtt"]["password_file"] == str(file.parent / "password")  # type: ignore[index]
    assert set(plain) == set(Settings.__struct_fields__)
    assert b"hunter2" not in canonical(plain)


def test_relative_paths_begin_at_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "etc"
    folder.mkdir()
    (folder / "table.toml").write_text(SMALLEST + 'mqtt.tls.ca_file = "ca.pem"\n')
    monkeypatch.chdir(tmp_path)
    configuration = load_configuration("etc/table.toml")
    assert configuration.journal.path == str(folder / "7.db")
    assert configuration.mqtt.tls is not None
    assert configuration.mqtt.tls.ca_file == str(folder / "ca.pem")


@pytest.mark.parametrize(
    ("tables", "seconds", "without_felt"),
    [
        ({}, 0, 0),
        ({"devices__beam": {"driver": "gpio", "pin": 4, "card_within_ms": 900}}, 1, 1),
        ({"devices__second_reader": {**SCANNER, "agree_within_ms": 2001}}, 3, 3),
        ({"devices__felt": FELT}, 4, 0),
        ({"devices__felt": FELT, "devices__second_reader": {**SCANNER, "agree_within_ms": 2001}}, 4, 3),
        ({"round": {"open": "auto"}}, 0, 0),
        ({"round": {"open": "auto", "review_s": 1}}, 2, 2),
        ({"round": {"open": "auto", "review_s": 1}, "devices__shoe": {"driver": "bee-tek"}}, 0, 0),
    ],
)
def test_how_long_somebody_may_contradict_a_card(
    file: Path, tables: dict[str, dict[str, object]], seconds: int, without_felt: int
) -> None:
    file.write_text(changed(**tables))
    core = load_configuration(file).core()
    assert (core.agree_s, core.agree_without_felt_s) == (seconds, without_felt)


@pytest.mark.parametrize(
    ("tables", "needed"),
    [
        ({"devices__shoe": {"driver": "bee-tek"}}, ("shoe", "panel")),
        ({"devices": {"panel": None}}, ("shoe",)),
        ({"devices__beam": {"driver": "gpio", "pin": 4}}, ("shoe", "panel", "beam")),
        ({"devices__second_reader": SCANNER}, ("shoe", "second_reader", "panel")),
        (
            {"devices__felt": {"driver": "camera", "source": "/dev/video2", "library": "blue.deck"}},
            ("shoe", "panel"),
        ),
        ({"shoe": {"kind": "continuous"}}, ("shoe", "panel", "shuffler")),
    ],
)
def test_the_devices_whose_loss_stops_the_dealing(
    file: Path, tables: dict[str, dict[str, object]], needed: tuple[str, ...]
) -> None:
    file.write_text(changed(**tables))
    assert load_configuration(file).core().shoe_devices == needed


def test_the_message_has_a_line_for_each_problem_with_the_file(file: Path) -> None:
    file.write_text(changed(table={"site": "a/b", "id": None}))
    with pytest.raises(ConfigurationProblems, match=rf"\A{file}: table\..*\n{file}: table\..*\Z"):
        load_configuration(file)


@pytest.mark.parametrize("key", ["password", "secret"])
def test_a_secret_in_the_file_is_refused_and_never_shown(file: Path, key: str) -> None:
    file.write_text(changed(mqtt={key: "hunter2", "password_file": ["hunter2"]}))
    with pytest.raises(ConfigurationProblems, match=rf"mqtt\.{key}: a secret never stands in") as caught:
        load_configuration(file)
    assert "hunter2" not in caught.value.message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[table", "not TOML"),
        (b"a = 1\na = 2\n", "not TOML"),
        (b"a = " + b"9" * 5000, "not TOML"),
        (b"a = " + b"[" * 50_000, "not TOML: nested too deep"),
        (b'[table]\nsite = "\xff"\n', "not UTF-8 text (line 2)"),
        (CONTRACT.encode("utf-16"), "not UTF-8"),
        (b"#" * 1_000_001, "at most"),
        (b"\x00", "not TOML"),
    ],
)
def test_a_file_that_is_no_toml_is_named(file: Path, content: bytes, words: str) -> None:
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"^{file}: .*{re.escape(words)}"):
        load_configuration(file)


@pytest.mark.parametrize(
    ("name", "words"), [("nowhere.toml", "No such file"), (".", "Is a directory"), ("a\x00b", "no path")]
)
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        load_configuration(tmp_path / name)


def test_a_byte_order_mark_is_no_fault(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + CONTRACT.encode())
    assert load_configuration(file).table.id == "7"


TLS = {"ca_file": "/etc/dealer-table/ca.crt"}
WEAK = """
pattern = '(?P<rank>[A2-9TJQK])(?P<suit>[SHDC])(?P<check>[0-9])'
check = "mod10"
"""
WEAK_LUHN = """
pattern = '(?P<rank>[A2-9TJQK])(?P<suit>[1-4])(?P<check>[0-9A-Z])'
check = "luhn"
suits = { "1" = "S", "2" = "H", "3" = "D", "4" = "C" }
"""


CLEARS = {"driver": "gpio", "lines": {"CLEAR continue": 4}}
ON_PINS = {"driver": "gpio", "running": 5, "ready": 6, "jam": 7}


@pytest.mark.parametrize(
    ("tables", "key"),
    [
        # A user of our own, and one for all tables on our own broker.
        ({"mqtt": {"username": "north/7"}}, None),
        ({"mqtt": {"username": "controller"}}, None),
        ({"round": {"close": "timer", "bets_s": 0}}, "round.bets_s"),
        ({"devices": {"panel": None}}, "devices.panel"),
        ({"shoe": {"kind": "continuous"}, "devices": {"shuffler": None}}, "devices.shuffler"),
        ({"shoe": {"least_house_edge": -0.02}, "game": {"odds": "live"}}, "shoe.least_house_edge"),
        ({"shoe": {"least_house_edge": -0.02}, "game": {"odds": "additional"}}, None),
        ({"game": {"odds": "additional", "margins": {"tie": 0.1}}}, "game.margins.tie"),
        ({"game": {"odds": "additional", "margins": {"small": 0.1}}}, None),
        ({"shoe": {"burn_each_round": 1}}, "shoe.burn_each_round"),
        ({"shoe": {"burn_each_round": 1}, **SCANNED}, None),
        ({"mqtt": {"host": "broker.example"}}, "mqtt.tls"),
        ({"mqtt": {"consumers": []}}, "mqtt.consumers"),
        ({"mqtt": {"username": "north/8"}}, "mqtt.username"),
        ({"mqtt": {"username": "controller", "host": "broker", "tls": TLS}}, "mqtt.username"),
        ({"cards": {"map": "weak.toml"}, **SCANNED}, "cards.check"),
        ({"devices__shoe": {"port": "/dev/ttyUSB0"}}, "devices.shoe.port"),
        ({"devices": {"panel": {"driver": "gpio", "buttons": {"open": 4}}}}, "devices.panel.lines"),
        ({"devices": {"panel": CLEARS, "shuffler": None}}, "devices.panel.lines"),
        ({"devices": {"panel": CLEARS, "shuffler": {**ON_PINS, "count": 8}}}, "devices.panel.lines"),
        ({"devices": {"panel": CLEARS}}, None),
        ({"devices": {"shuffler": ON_PINS}}, "devices.shuffler.count"),
        ({"devices": {"shuffler": {**ON_PINS, "count": 8}}}, None),
        ({"devices": {"shoe": {"driver": "camera", "source": "/dev/video0"}}}, "cards.map"),
        ({"devices": {"shoe": SCANNER}}, "shoe.min_card_interval_ms"),
    ],
)
def test_what_may_be_meant_so_is_a_warning(
    file: Path, tables: dict[str, dict[str, object]], key: str | None
) -> None:
    file.with_name("weak.toml").write_text(WEAK)
    file.write_text(changed(**tables))
    assert [warning.key for warning in load_configuration(file).warnings] == ([key] if key else [])


@pytest.mark.parametrize(("weak", "check"), [(WEAK, "mod10"), (WEAK_LUHN, "luhn")])
def test_what_a_weak_check_is_told_names_only_checks_that_are_strong(
    file: Path, weak: str, check: str
) -> None:
    file.with_name("weak.toml").write_text(weak)
    file.write_text(changed(cards={"map": "weak.toml"}, **SCANNED))
    [warning] = load_configuration(file).warnings
    assert warning.message == (
        f'"{check}" lets some single wrong characters of these codes pass, and one card is another;'
        ' "mod37" and "mod97" let none'
    )
    for strong in ("mod37", "mod97"):
        file.with_name("weak.toml").write_text(weak.replace(check, strong).replace("[0-9])'", "[0-9A-Z*]+)'"))
        assert load_configuration(file).warnings == ()


def test_a_short_clock_outdoes_the_default_yellow_light(file: Path) -> None:
    assert problems(file, changed(round={"bets_s": 3, "warn_s": None})) == {}
