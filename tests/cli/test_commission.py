"""``commission``: a person and simulated devices; what is wrong is caught, and what was seen is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.cli import commission_outside
from controller.journal.sqlite import SqliteJournal
from controller.shell.commissioning import (
    DONE,
    CommissioningReport,
    CommissioningStep,
    Identity,
    digest_of,
    report_of,
)
from controller.vocabulary.cards import DECK_40
from controller.vocabulary.errors import DealerTableError, InputError
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.gpio import GpioShuffler
from drivers.gpio.simulator import SimulatedBoard, SimulatedShuffler
from drivers.keypad.simulator import Keypad
from drivers.line_simulator import SimulatedLineDevice
from drivers.scanner.simulator import SimulatedScanner
from tests.cli.person import PINS, Table, drawing, verdicts
from tests.harness.broker import Broker, password_file


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_a_full_shoe_is_named_card_by_card(table: Table) -> None:
    with SimulatedBeeTek(table.folder / "shoe") as shoe:
        status, report = table.commission(drawing(shoe.card, DECK_40), "--only", "cards")
    assert set(verdicts(report, "cards").values()) == {"ok"}
    assert len(verdicts(report, "cards")) == 40 + 2
    assert (status, report["verdict"]) == (1, "incomplete")
    assert report["missing"] == ["machine", "broker", "power"]
    assert report["by"] == "Kim"


def test_a_code_map_with_two_suits_exchanged_is_caught(tmp_path: Path) -> None:
    """Every count is right; only the person sees that the ten in the hand is red."""
    (tmp_path / "map.toml").write_text(
        'pattern = "(?P<suit>[1-4])(?P<rank>[0-9]{2})0"\n[suits]\n'
        '1 = "H"\n2 = "S"\n3 = "D"\n4 = "C"\n[ranks]\n'
        + "".join(f'{number:02} = "{rank}"\n' for number, rank in enumerate("A23456789T", 1))
    )
    table = Table(tmp_path)
    text = table.file.read_text().replace("bee-tek", "scanner")
    table.file.write_text(text.replace("[mqtt]", '[cards]\nmap = "map.toml"\n[mqtt]'))
    codes = [f"{suit}{rank:02}0" for suit in range(1, 5) for rank in range(1, 11)]
    with SimulatedScanner(tmp_path / "shoe") as shoe:
        answers = drawing(shoe.scan, codes)
        answers["1/"] = ["AS", *answers["1/"][1:]]  # 1010 is the ace of spades; the map says hearts
        status, report = table.commission(answers, "--only", "cards")
    assert (status, report["verdict"]) == (1, "failed")
    steps = verdicts(report, "cards")
    assert [name for name, verdict in steps.items() if verdict == "failed"] == ["card 1/40"]
    assert steps["inventory"] == "ok"
    (wrong,) = (step for step in report["steps"] if step["verdict"] == "failed")
    assert wrong["seen"] == "code 1010: read as AH, is AS"


def test_a_blind_person_names_the_card_before_the_table_does(table: Table) -> None:
    with SimulatedBeeTek(table.folder / "shoe") as shoe:
        answers: dict[str, Any] = {"type end": lambda: shoe.card("AS"), "1/": ["10h", "end"]}
        _, report = table.commission(answers, "--only", "cards", "--blind")
    assert not any("A♠" in line for line in table.told[:-2] if line.startswith("1/"))
    assert verdicts(report, "cards")["card 1/40"] == "failed"
    assert "missing: 2♠" in report["steps"][1]["seen"]


def test_what_was_confirmed_is_not_asked_again(table: Table) -> None:
    """The power may go at any card: what was written stays, and the next card is the next."""
    with SimulatedBeeTek(table.folder / "shoe") as shoe:
        answers = drawing(shoe.card, DECK_40)
        answers["3/"] = ["", None]
        with pytest.raises(InputError, match="after 3 of 40 cards"):
            table.commission(answers, "--only", "cards")
        with (table.folder / "commissioning-7.progress").open("ab") as file:
            file.write(b'{"part": "cards", "na')  # the power went in the middle of a line
        answers = drawing(shoe.card, DECK_40) | {"type end": lambda: shoe.card(DECK_40[3])}
        _, report = table.commission(answers, "--only", "cards")
    assert set(verdicts(report, "cards").values()) == {"ok"}
    assert len(verdicts(report, "cards")) == 42


def test_a_part_that_failed_begins_anew(table: Table) -> None:
    with SimulatedBeeTek(table.folder / "shoe") as shoe:
        for named, verdict in (("KD", "failed"), ("", "ok")):
            answers: dict[str, Any] = {"type end": lambda: shoe.card("AS"), "1/": [named, "end"]}
            _, report = table.commission(answers, "--only", "cards")
            assert verdicts(report, "cards")["card 1/40"] == verdict


def test_another_configuration_is_another_table(table: Table) -> None:
    with SimulatedBeeTek(table.folder / "shoe") as shoe:
        answers: dict[str, Any] = {"type end": "end"}
        table.commission(answers, "--only", "cards")
        table.file.write_text(table.file.read_text() + "baud_rate = 4800\n")
        with pytest.raises(InputError, match="--again"):
            table.commission(answers, "--only", "cards")
        table.commission(answers, "--only", "cards", "--again")
        assert shoe.path
    assert (table.folder / "commissioning-7.progress.1").exists()


def test_the_report_carries_its_digest_and_a_page_to_sign(table: Table) -> None:
    _, report = table.commission({}, "--only", "machine")
    assert digest_of(msgspec.convert(report, CommissioningReport)) == report["digest"]
    assert len(report["identity"]["configuration_digest"]) == 64
    (page,) = table.folder.glob("commissioning-7-*.html")
    assert report["digest"] in page.read_text()
    assert "Commissioned by: ___" in page.read_text()


def test_every_button_lamp_beam_and_lock_on_pins(tmp_path: Path) -> None:
    table, board = Table(tmp_path, PINS), SimulatedBoard()

    def lit(name: str, pin: int) -> Callable[[], None]:
        return lambda: seen.append((name, board.output(pin), board.output(37 - pin)))

    seen: list[tuple[str, bool, bool]] = []
    answers: dict[str, Any] = {
        "Press OPEN": lambda: board.press(5),
        "Press HOLD": lambda: board.press(26),
        "Press CLEAR void": lambda: board.press(27),
        "Turn the": lambda: board.press(25),
        "Take the key": lambda: board.let_go(25),
        "Hold a card": lambda: board.press(24),
        "Take it out": lambda: board.let_go(24),
        "Is the light red now": "y",
        "Is red lit": [lit("red", 16), "y"],
        "Is green lit": [lit("green", 21), "n"],
        "Try to draw": [lambda: seen.append(("lock", board.output(8), True)), "y"],
        "Try again": ["skip"],
        "Why is it": "no card at hand",
    }
    parts = [word for part in ("buttons", "lamps", "beam", "lock") for word in ("--only", part)]
    status, report = table.commission(answers, *parts, board=board)
    assert verdicts(report, "buttons") == dict.fromkeys(
        ["OPEN", "HOLD", "CLEAR void", "KEY", "NOKEY", "done"], "ok"
    )
    assert verdicts(report, "lamps") == {"red": "ok", "green": "failed", "safe state": "ok", "done": "ok"}
    assert verdicts(report, "beam") == {"broken": "ok", "free": "ok", "done": "ok"}
    assert verdicts(report, "lock") == {"pin: lock": "ok", "pin: unlock": "skipped", "done": "ok"}
    assert seen == [("red", True, False), ("green", True, False), ("lock", True, True)]
    assert status == 1


def test_the_keypad_is_asked_key_by_key_and_a_wrong_key_is_said(tmp_path: Path) -> None:
    table = Table(
        tmp_path,
        '[devices.panel]\ndriver = "keypad"\nport = "{folder}/keypad"\n'
        '[devices.shuffler]\ndriver = "line"\nport = "{folder}/shuffler"\n',
    )
    with Keypad(tmp_path / "keypad") as keypad, SimulatedLineDevice(tmp_path / "shuffler") as shuffler:
        lines = (
            "OPEN, CLOSE, REVEAL, SETTLED, VOID supervisor, ENTER AS, RETURN AS, CLEAR void, COUNT 40, LEFT 3"
        )
        answers: dict[str, Any] = {
            f"Press {line.split()[0]}": (lambda line=line: keypad.send(line)) for line in lines.split(", ")
        }
        answers |= {"Turn the": lambda: keypad.send("KEY kim"), "Take the key": lambda: keypad.send("NOKEY")}
        answers |= {"Press HOLD": [lambda: keypad.send("OPEN")], "  panel: OPEN; that": "fail"}
        answers |= {
            "Press EMPTY": "skip",
            "Why is it": "no such key",
            "Let the shuffler": lambda: shuffler.send("START"),
        }
        _, report = table.commission(answers, "--only", "buttons", "--only", "shuffler")
    found = verdicts(report, "buttons")
    assert {name for name, verdict in found.items() if verdict != "ok"} == {"HOLD", "EMPTY"}
    assert (found["HOLD"], found["EMPTY"]) == ("failed", "skipped")
    assert verdicts(report, "shuffler") == {"says": "ok", "done": "ok"}


def test_a_shuffler_on_pins_is_tried_contact_by_contact(tmp_path: Path) -> None:
    board = SimulatedBoard()
    settings = GpioShuffler(running=22, ready=23, door=18, count=9)
    machine = SimulatedShuffler(board, settings)
    keys = ", ".join(f"{name} = {pin}" for name, pin in settings.pins())
    table = Table(tmp_path, f'devices.shuffler = {{ driver = "gpio", {keys} }}\n')

    def finish(cards: int) -> None:
        machine.feed(cards)
        machine.stop()
        machine.set("ready", True)

    def again() -> None:
        machine.start()
        machine.set("door", True)

    answers: dict[str, Any] = {
        "Let the shuffler shuffle 40": machine.start,
        "Wait until": lambda: finish(39),
        "  shuffler: DONE 39; that": [machine.start, lambda: finish(40)],
        "Start it again": again,
    }
    _, report = table.commission(answers, "--only", "shuffler", board=board)
    assert verdicts(report, "shuffler") == {"starts": "ok", "finishes": "ok", "fails": "ok", "done": "ok"}


def test_the_roles_of_the_broker_are_tried(tmp_path: Path) -> None:
    passwords = password_file(tmp_path / "broker", {"controller": "right", "settlement": "also"})
    acl = tmp_path / "broker" / "acl"
    acl.write_text(
        "user controller\ntopic readwrite dealer-table/v1/+/+/doctor\n"
        "user settlement\ntopic write dealer-table/v1/+/+/acks/settlement\n"
    )
    acl.chmod(0o600)
    lines = [f"password_file {passwords}", f"acl_file {acl}"]
    (tmp_path / "own").write_text("right")
    (tmp_path / "theirs").write_text("also")
    mqtt = f'username = "controller"\npassword_file = "{tmp_path}/own"\nconsumers = ["settlement"]'
    role = ["--role", f"settlement=settlement:{tmp_path}/theirs", "--only", "broker"]
    with Broker(tmp_path / "broker", lines=lines, anonymous=False) as broker:
        table = Table(tmp_path, port=broker.port, mqtt=mqtt)
        _, report = table.commission({}, *role)
        assert set(verdicts(report, "broker").values()) == {"ok"}, report["steps"]
        assert len([step for step in report["steps"] if step["name"].startswith("broker: ")]) == 5
    with Broker(tmp_path / "open") as open_broker:
        table.file.write_text(
            table.file.read_text().replace(f"port = {broker.port}", f"port = {open_broker.port}")
        )
        _, report = table.commission({}, *role, "--again")
        failed = [step["seen"] for step in report["steps"] if step["verdict"] == "failed"]
        assert any(seen.startswith("may acknowledge for settlement") for seen in failed)
        assert any(seen.startswith("may publish without a name") for seen in failed)


def test_a_pulled_plug_shows_in_the_boot_and_in_the_journal(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = SqliteJournal.create(table.folder / "7.db", epoch=1)
    journal.commit([b'{"n": 1}'], [])
    boot = table.folder / "boot_id"
    monkeypatch.setattr(commission_outside.power, "__defaults__", (boot,))
    answers: dict[str, Any] = {"Done?": "y", "Does the screen": "y"}
    boot.write_text("first\n")
    assert table.commission(answers, "--only", "power")[0] == 1
    assert table.told[-1].startswith("Now pull the plug")
    assert table.commission(answers, "--only", "power")[0] == 1
    assert "was not switched off yet" in table.told[-1]
    boot.write_text("second\n")
    journal.commit([b'{"n": 2}'], [])
    journal.close()
    _, report = table.commission(answers, "--only", "power")
    assert set(verdicts(report, "power").values()) == {"ok"}
    assert "comes back by itself" in verdicts(report, "power")


def test_a_running_table_keeps_its_devices(table: Table) -> None:
    journal = SqliteJournal.create(table.folder / "7.db", epoch=1)
    try:
        with pytest.raises(DealerTableError, match="one table has one controller"):
            table.commission({}, "--only", "cards")
    finally:
        journal.close()


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ("cards ok, cards done, lamps ok, lamps done", "passed"),
        ("cards ok, cards done, lamps skipped, lamps done", "incomplete"),
        ("cards ok, cards done, lamps ok", "incomplete"),
        ("cards ok, cards done", "incomplete"),
        ("cards failed, cards done, lamps ok, lamps done", "failed"),
        ("cards failed, lamps skipped", "failed"),
    ],
)
def test_only_what_was_seen_to_the_end_and_is_well_has_passed(steps: str, verdict: str) -> None:
    identity = Identity(*["x"] * len(Identity.__struct_fields__))
    tried = []
    for words in steps.split(", "):
        part, word = words.split()
        ended = word == "done"
        tried.append(CommissioningStep(part, DONE if ended else "step", "ok" if ended else word, "", "T"))  # type: ignore[arg-type]
    assert report_of(identity, "Kim", {}, tried, ["cards", "lamps"], "T").verdict == verdict
