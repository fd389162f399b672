"""``inventory``: a floor from one file: judged as a whole, written, and told what changes where and when."""

from __future__ import annotations

import json
import shutil
import time
import tomllib
from pathlib import Path

import msgspec
import pytest

from controller.inventory.rights import OF_A_TABLE, Rights
from controller.inventory.settings import Inventory, RightsKeys, TableEntry
from controller.settings.loader import load_configuration
from controller.settings.model import Settings
from controller.settings.moments import MOMENTS, WORDS, moment_of
from controller.vocabulary.configuration import TableSettings
from tests.cli.program import HOUSE, Told

CONFIG = HOUSE / "config"
EXAMPLE = (CONFIG / "floor.toml").read_text()


@pytest.fixture
def floor(tmp_path: Path) -> Path:
    """The shipped example, with the files that it names, in a folder of its own."""
    for name in ("broker", "pay-tables"):
        shutil.copytree(CONFIG / name, tmp_path / name)
    (tmp_path / "floor.toml").write_text(EXAMPLE)
    return tmp_path / "floor.toml"


def changed(floor: Path, *changes: tuple[str, str]) -> Path:
    text = floor.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    floor.write_text(text)
    return floor


def complaints(told: Told, floor: Path) -> list[dict[str, object]]:
    answer = json.loads(told("inventory", floor, "--json", status=2).out)
    assert not answer["valid"]
    found: list[dict[str, object]] = answer["problems"]
    return found


def test_the_example_is_right_and_so_is_every_file_that_it_becomes(floor: Path, told: Told) -> None:
    out = floor.with_name("tables")
    said = told("inventory", floor, "--out", out)
    assert said.err == ""
    assert said.out.splitlines()[0] == f"{floor} is right: 4 tables of north on 4 units"
    for table in ("7", "8", "9", "21"):
        right = told("check-config", out / table / f"{table}.toml")
        assert (right.err, right.out.splitlines()[1].split()[1]) == ("", f"north/{table}")
    assert (out / "units").read_text().splitlines() == [
        "7\ttable-7.floor.example",
        "8\ttable-8.floor.example",
        "9\tspare-2.floor.example",
        "21\ttable-21.floor.example",
    ]


def test_defaults_then_groups_in_turn_then_the_table_itself(floor: Path, told: Told) -> None:
    out = floor.with_name("tables")
    told("inventory", floor, "--out", out)
    seven, eight, nine = (load_configuration(out / name / f"{name}.toml") for name in ("7", "8", "9"))
    assert (seven.round.bets_s, nine.round.bets_s) == (20, 30)
    assert (seven.limits, eight.limits is not None) == (None, True)
    assert (seven.mqtt.username, nine.mqtt.username) == ("north/7", "north/9")
    assert nine.journal.path == "/var/lib/dealer-table/9.db"
    # What a relative path names goes to the unit as well.
    assert eight.pay_table.id == "north-baccarat-tie-nine"
    assert eight.game.pay_table == str(out / "8/pay-tables/baccarat-tie-nine.toml")


def test_the_later_group_has_the_last_word_whatever_their_order_in_the_file(floor: Path, told: Told) -> None:
    out = floor.with_name("tables")
    changed(
        floor, ("[groups.tie-nine.game]", "[groups.tie-nine.round]\nbets_s = 40\n\n[groups.tie-nine.game]")
    )
    told("inventory", floor, "--out", out)
    assert load_configuration(out / "8/8.toml").round.bets_s == 40
    changed(floor, ('["baccarat", "tie-nine", "high"]', '["high", "tie-nine", "baccarat"]'))
    told("inventory", floor, "--out", out)
    assert load_configuration(out / "8/8.toml").round.bets_s == 20


def test_nothing_of_another_driver_is_left_in_a_device(floor: Path, told: Told) -> None:
    out = floor.with_name("tables")
    changed(floor, ('driver = "angel-eye"', 'driver = "angel-eye"\ncommand_timeout_ms = 400'))
    told("inventory", floor, "--out", out)
    shoes = [tomllib.loads((out / name).read_text())["devices"]["shoe"] for name in ("7/7.toml", "9/9.toml")]
    assert ["command_timeout_ms" in shoe for shoe in shoes] == [True, False]


def test_a_device_that_a_table_has_not_is_taken_out(floor: Path, told: Told) -> None:
    out = floor.with_name("tables")
    changed(floor, ('id = "9"', 'id = "9"\nwithout = ["devices.panel"]'))
    told("inventory", floor, "--out", out)
    assert "panel" not in tomllib.loads((out / "9/9.toml").read_text())["devices"]
    assert "panel" in tomllib.loads((out / "7/7.toml").read_text())["devices"]


WRONG = [
    (('bets_s = 20', 'bets_s = -1'), "groups.baccarat.round.bets_s", "-1 is wrong", ["7", "8"]),
    (('bets_s = 30', 'bets_s = -1'), "tables[2].set.round.bets_s", "-1 is wrong", ["9"]),
    (('name = "baccarat"', 'name = "bacarat"'), "groups.baccarat.game.name", "did you mean", ["7", "8", "9"]),
    (('path = "/var', 'file = "/var'), "defaults.journal.path", "missing", ["7", "8", "9", "21"]),
    (('/{table}.db', '/{tabel}.db'), "defaults.journal.path", "stands for nothing", ["7", "8", "9", "21"]),
    (('table-{table}', 'table-{number}'), "unit", "stands for nothing", ["7", "8", "21"]),
    (('spare-2', 'TABLE-7'), "unit", "the machine of table 7 as well", ["9"]),
    (('"{site}/{table}"', '"north/7"'), "mqtt.username", "the user of table 7 as well", ["8", "9", "21"]),
    (('"recorder"]', '"archive"]'), "rights.acl", 'the consumer "archive" may not', ["7", "8", "9", "21"]),
    (('# retired = [] ', 'retired = ["recorder"] '), "mqtt.consumers", "`retired`", ["7", "8", "9", "21"]),
    (('username =', '# username ='), "mqtt.username", "password of somebody", None),
    (('set.round', 'set.table.id = "10"\nset.round'), "tables[2].set.table.id", "says it itself", ["9"]),
    (('# without', 'without'), None, None, None),
    (('# without = ["devices.panel"]', 'without = ["devices.beam"]'),
     "tables[3].without", "removes nothing", ["21"]),
    (('"pay-tables/', '"pay-table/'), "groups.tie-nine.game.pay_table", "cannot be read", ["8"]),
    (('"pay-tables/', '"pay-tables/../pay-tables/'), "game.pay_table", 'without ".."', ["8"]),
]  # fmt: skip


@pytest.mark.parametrize(("change", "key", "message", "tables"), WRONG, ids=[str(one[0][1]) for one in WRONG])
def test_what_is_wrong_is_said_once_with_who_says_it_and_where(
    floor: Path,
    told: Told,
    change: tuple[str, str],
    key: str | None,
    message: str | None,
    tables: list[str] | None,
) -> None:
    changed(floor, change)
    if message is None:
        told("inventory", floor)
        return
    found = [one for one in complaints(told, floor) if message in str(one["message"])]
    assert len(found) == 1
    assert key is None or str(found[0]["key"]).endswith(key)
    assert tables is None or found[0]["tables"] == tables
    out = floor.with_name("tables")
    told("inventory", floor, "--out", out, status=2)
    assert not out.exists(), "of a floor that is wrong nothing is written"


FILE_WRONG = [
    (('id = "8"', 'id = "7"'), "tables", "2 times"),
    (('id = "8"', 'id = "units"'), "tables", "a file of the floor has this name"),
    (('groups = ["baccarat"]', 'groups = ["bacarat"]'), "tables[0].groups", "did you mean baccarat?"),
    (('groups = ["two-cards"]', ""), "groups.two-cards", "no table belongs to it"),
    (('site = "north"', ""), "site", "missing"),
]


@pytest.mark.parametrize(("change", "key", "message"), FILE_WRONG, ids=[one[1] for one in FILE_WRONG])
def test_a_mistake_of_the_file_itself_is_said_with_its_key(
    floor: Path, told: Told, change: tuple[str, str], key: str, message: str
) -> None:
    found = {str(one["key"]): str(one["message"]) for one in complaints(told, changed(floor, change))}
    assert message in found[key]


def test_what_the_rights_deny_a_consumer_may_not(tmp_path: Path) -> None:
    acl, of_a_table = tmp_path / "acl", tmp_path / "acl.table"
    of_a_table.write_text(f"user {OF_A_TABLE}\n")
    acl.write_text("user archive\ntopic readwrite dealer-table/#\n")
    keys, table = RightsKeys(acl=str(acl), table=str(of_a_table)), TableSettings(site="north", id="7")
    assert Rights.read(keys).missing(table, "archive") == []
    acl.write_text(acl.read_text() + "topic deny dealer-table/v1/+/+/acks/archive\n")
    assert Rights.read(keys).missing(table, "archive") == ["write acks/archive"]


def test_a_warning_is_said_once_for_all_tables(floor: Path, told: Told) -> None:
    changed(floor, ('consumers = ["settlement", "recorder"]', "consumers = []"))
    said = told("inventory", floor).err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("dealer-table: warning: defaults.mqtt.consumers: none")
    assert said[0].endswith("(at tables 7, 8, 9 and 21)")


def test_the_rights_are_the_roles_and_the_lines_of_each_table(floor: Path, told: Told) -> None:
    out = floor.with_name("tables")
    told("inventory", floor, "--out", out)
    lines = (out / "acl").read_text().splitlines()
    users = [line.removeprefix("user ") for line in lines if line.startswith("user ")]
    assert users[-4:] == ["north/7", "north/8", "north/9", "north/21"]
    assert {"settlement", "recorder", "display"} <= set(users)
    assert "topic write dealer-table/v1/north/21/events" in lines
    assert not [line for line in lines if "SITE/TABLE" in line and not line.startswith("#")]


def differences(told: Told, floor: Path, status: int = 1) -> dict[str, dict[str, object]]:
    answer = json.loads(
        told("inventory", floor, "--diff", floor.with_name("tables"), "--json", status=status).out
    )
    return {one.pop("key"): one for one in answer["changes"]}


CHANGES = [
    ((("bets_s = 20", "bets_s = 25"),), "round.bets_s", 20, 25, "round", ["7", "8"]),
    ((("bets_s = 20", "bets_s = 20\nwarn_s = 7"),), "round.warn_s", 5, 7, "round", ["7", "8", "9"]),
    ((('name = "baccarat"', 'name = "baccarat"\ndecks = 6'),), "game.decks", None, 6, "shoe", None),
    ((("port = 8883", "port = 8884"),), "mqtt.port", 8883, 8884, "restart", ["7", "8", "9", "21"]),
    ((("/{table}.db", "/new-{table}.db"), ("/dev/dealer-table/scanner", "/dev/scanner")),
     "devices.shoe.port", "/dev/dealer-table/scanner", "/dev/scanner", "restart", ["9"]),
    ((("/{table}.db", "/table.db"),), "journal.path", None, "/var/lib/dealer-table/table.db", "person", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "key", "before", "after", "when", "tables"), CHANGES, ids=[one[1] for one in CHANGES]
)
def test_what_changes_is_told_with_the_tables_and_when_it_takes_effect(
    floor: Path,
    told: Told,
    change: tuple[tuple[str, str], ...],
    key: str,
    before: object,
    after: object,
    when: str,
    tables: list[str] | None,
) -> None:
    told("inventory", floor, "--out", floor.with_name("tables"))
    assert differences(told, floor, status=0) == {}
    found = differences(told, changed(floor, *change))[key]
    assert (found["after"], found["when"]) == (after, when)
    if tables is not None:
        assert (found["before"], found["tables"]) == (before, tables)


def test_what_is_written_as_it_holds_anyway_changes_nothing(floor: Path, told: Told) -> None:
    told("inventory", floor, "--out", floor.with_name("tables"))
    changed(floor, ("bets_s = 20", 'bets_s = 20\nopen = "button"'))
    assert differences(told, floor, status=0) == {}


def test_another_content_of_a_pay_table_is_a_change_of_the_tables_that_play_by_it(
    floor: Path, told: Told
) -> None:
    told("inventory", floor, "--out", floor.with_name("tables"))
    pay_table = floor.with_name("pay-tables") / "baccarat-tie-nine.toml"
    pay_table.write_text(pay_table.read_text() + "# the same, with another remark\n")
    found = differences(told, floor)
    assert found["game.pay_table"]["tables"] == ["8"]
    told("inventory", floor, "--out", floor.with_name("tables"))
    assert differences(told, floor, status=0) == {}


def test_tables_that_come_and_go_and_consumers_that_are_named_no_more_are_told(
    floor: Path, told: Told
) -> None:
    out = floor.with_name("tables")
    told("inventory", floor, "--out", out)
    changed(floor, ('id = "21"', 'id = "22"'), ('"settlement", "recorder"', '"settlement"'))
    said = told("inventory", floor, "--diff", out, status=1).out
    assert "new: table 22\n" in said
    assert "no more in the inventory: table 21\n" in said
    assert "recorder: tables 7, 8 and 9 keeps" not in said
    assert "tables 7, 8 and 9 keep messages for recorder until it is retired there" in said
    assert told("inventory", floor, "--diff", out, status=1).out == said, "to look changes nothing"


def test_a_file_that_cannot_be_compared_is_said_to_be_written_anew(floor: Path, told: Told) -> None:
    out = floor.with_name("tables")
    told("inventory", floor, "--out", out)
    (out / "7/7.toml").write_text("[table\n")
    assert "the file of table 7 cannot be compared" in told("inventory", floor, "--diff", out, status=1).out
    told("inventory", floor, "--out", out)
    assert told("inventory", floor, "--diff", out).out.endswith("nothing changes\n")


def test_every_table_of_the_file_has_its_moment_and_every_moment_its_words() -> None:
    assert set(Settings.__struct_fields__) <= set(MOMENTS)
    assert set(MOMENTS.values()) == set(WORDS)
    keys = ("round.bets_s", "shoe.burn", "shoe.burn_each_round", "devices.shoe.port")
    assert [moment_of(key) for key in keys] == ["round", "shoe", "round", "restart"]


def test_a_thousand_tables_are_judged_in_seconds_of_one_processor(floor: Path, told: Told) -> None:
    """Three on the machine of the figures; here what would show that each is judged from the beginning."""
    head = (
        floor.read_text()
        .partition("[[tables]]")[0]
        .replace("[groups.two-cards]\n", "")
        .replace('game = { name = "2-card-action", layout = "C" }\n', "")
    )
    groups = ('["baccarat"]', '["baccarat", "tie-nine", "high"]')
    tables = (f'[[tables]]\nid = "{number}"\ngroups = {groups[number % 2]}\n' for number in range(1000))
    floor.write_text(head + "".join(tables))
    began = time.process_time()
    assert "1000 tables of north" in told("inventory", floor).out
    assert time.process_time() - began < 30


def test_what_the_inventory_knows_is_in_its_example() -> None:
    for struct in (Inventory, TableEntry, RightsKeys):
        for field in msgspec.structs.fields(struct):
            assert field.encode_name in EXAMPLE
