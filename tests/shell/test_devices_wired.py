"""From a configuration to drivers: what is imported, what is refused, and one contract for every shoe."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.settings.loader import load_configuration
from controller.shell.intake import Intake
from controller.shell.wiring.devices import drivers_of, outputs_of, report_logs, witnesses_of
from controller.vocabulary import events
from controller.vocabulary.errors import ConfigurationError
from drivers.gpio.simulator import SimulatedBoard
from drivers.readings import CardNotRead, CardReported, DeviceReachable, Unreadable
from drivers.registry import tag_of
from drivers.scanner.simulator import SimulatedScanner
from drivers.settings import ShoeDevice
from tests.drivers.listening import listening
from tests.harness.configuration import configured
from tests.harness.examples import EXAMPLES
from tests.scenarios.conversation import talk
from tests.shell.test_devices_shoes import SHOES, plugged

HEAVY = {"cv2", "zxingcpp", "pyzbar", "gpiozero", "lgpio", "numpy"}
PLAIN = """
[devices.shoe]
driver = "bee-tek"
port = "/dev/shoe"
"""
PANEL = PLAIN + '[devices.panel]\ndriver = "gpio"\n'
SCANNER = """
[devices.shoe]
driver = "scanner"
port = "/dev/shoe"
"""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_device_of_an_example_has_its_driver(example: Path) -> None:
    configuration = load_configuration(example)
    board = SimulatedBoard()
    made = drivers_of(configuration, board.factory)
    named = {name for name in configuration.devices.__struct_fields__ if getattr(configuration.devices, name)}
    outputs = outputs_of(configuration, board.factory)
    assert {*made, *(["lights"] if outputs else [])} == named
    assert {name: driver.name for name, driver in made.items()} == {name: name for name in made}
    witnesses = witnesses_of(configuration)
    assert (witnesses.beam is not None) == ("beam" in named)
    assert (witnesses.second is not None) == ("second_reader" in named)


@pytest.mark.parametrize("kind", SHOES, ids=tag_of)
def test_a_shoe_that_numbers_its_reports_brings_the_rule_for_them(
    tmp_path: Path, kind: type[ShoeDevice]
) -> None:
    with plugged(tmp_path, kind) as (_, keys):
        configuration = load_configuration(configured(tmp_path, keys))
        assert ("shoe" in report_logs(configuration, drivers_of(configuration))) == kind.numbered


@pytest.mark.parametrize(
    ("shoe", "other", "fault"),
    [
        ("angel-eye", "bee-tek", "AngelEyeShoe says numbered = True, and LineListener has no report_log"),
        ("bee-tek", "angel-eye", "BeeTekShoe says numbered = False, and AngelEyeDriver has a report_log"),
    ],
)
def test_numbers_that_nobody_judges_are_not_trusted(
    tmp_path: Path, shoe: str, other: str, fault: str
) -> None:
    ours, theirs = (
        load_configuration(configured(tmp_path, f'[devices.shoe]\ndriver = "{driver}"\nport = "/dev/shoe"'))
        for driver in (shoe, other)
    )
    with pytest.raises(TypeError, match=fault):
        report_logs(ours, drivers_of(theirs))


@pytest.mark.parametrize(
    ("devices", "imported"),
    [
        (PLAIN, set()),
        ('[devices.shoe]\ndriver = "angel-eye"\nport = "/dev/shoe"', set()),
        ('[devices.shoe]\ndriver = "scanner"\nport = "/dev/shoe"', set()),
        (PLAIN + '[devices.panel]\ndriver = "keypad"\nport = "/dev/keypad"', set()),
        (PLAIN + '[devices.beam]\ndriver = "gpio"\npin = 4', {"gpiozero"}),
        (PLAIN + '[devices.lights]\ndriver = "gpio"\nred = 4', {"gpiozero"}),
        (PLAIN + '[devices.panel]\ndriver = "gpio"\nbuttons.open = 4', {"gpiozero"}),
        # The camera is looked at by a process of its own: its libraries never come into this one.
        ('[devices.shoe]\ndriver = "camera"\nsource = "/dev/video0"', set()),
    ],
)
def test_libraries_come_in_only_where_they_are_configured(
    tmp_path: Path, devices: str, imported: set[str]
) -> None:
    program = (
        "import sys\n"
        "from controller.settings.loader import load_configuration\n"
        "from controller.shell.wiring.assembly import assemble\n"
        f"assemble(load_configuration({str(configured(tmp_path, devices))!r}))\n"
        f"print(*sorted({HEAVY!r} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == imported


@pytest.mark.parametrize(
    ("devices", "problem"),
    [
        (
            PANEL + 'lines = { "CLEAR" = 4 }',
            "devices.panel.lines: 'CLEAR' is no line of the keypad: CLEAR with 0 arguments",
        ),
        (PANEL + 'lines = { "KEY 17" = 4 }', "devices.panel.lines: 'KEY 17' is said by the key switch only"),
        (PANEL + 'lines = { "NOKEY" = 4 }', "devices.panel.lines: 'NOKEY' is said by the key switch only"),
        (PANEL + "key_switch = 5", "devices.panel.buttons: no button has a pin"),
        (
            '[devices.shoe]\ndriver = "camera"\nsource = "/dev/video0"\ndecoder = "pyzbar"\n'
            'symbologies = ["aztec"]',
            "devices.shoe.symbologies: pyzbar does not read",
        ),
        (SCANNER + 'shape = "("', "devices.shoe.shape: no regular expression"),
        (
            SCANNER + 'aim = "none"\nsymbologies = ["qr"]',
            "devices.shoe.aim: optional or required, since symbologies are told by AIM prefixes",
        ),
    ],
)
def test_a_setting_that_a_driver_refuses_is_named(tmp_path: Path, devices: str, problem: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_configuration(configured(tmp_path, devices))
    assert caught.value.message.partition(": ")[2].startswith(problem)


@pytest.mark.parametrize(
    ("keys", "sent", "read"),
    [
        ("", b"]C08S\r\n", "8S"),
        ("", b"NR\r\n", None),
        ("", b"$8S\r\n", None),
        ('aim = "none"', b"]C08S\r\n", "]C08S"),
        ('aim = "required"', b"8S\r\n", None),
        ('shape = "[0-9]{4}"', b"1010\r\n", "1010"),
        ('shape = "[0-9]{4}"', b"8S\r\n", None),
        ('no_read = ["E01", "E02"]', b"E02\r\n", None),
        ('no_read = ["E01", "E02"]', b"NR\r\n", "NR"),
        ('programming = ["*"]', b"*SET\r\n", None),
        ("programming = []", b"SET-8S\r\n", "SET-8S"),
        ("longest = 4", b"1010\r\n", "1010"),
        ("longest = 4", b"10100\r\n", None),
    ],
)
def test_what_a_scanner_sends_is_read_as_its_keys_say(
    tmp_path: Path, keys: str, sent: bytes, read: str | None
) -> None:
    path = configured(tmp_path, SCANNER.replace("/dev/shoe", str(tmp_path / "shoe")) + keys)
    driver = drivers_of(load_configuration(path))["shoe"]
    with SimulatedScanner(tmp_path / "shoe") as scanner, listening(driver) as heard:
        heard.take_until(DeviceReachable)
        scanner.send_raw(sent)
        reading = heard.reading()
    if read is None:
        assert isinstance(reading, CardNotRead) or (isinstance(reading, Unreadable) and reading.may_be_card)
    else:
        assert reading == CardReported(read, None, None)


@pytest.mark.parametrize("kind", [kind for kind in SHOES if getattr(kind, "second", False)], ids=tag_of)
def test_what_may_be_a_second_reader_reads_in_that_place(tmp_path: Path, kind: type[ShoeDevice]) -> None:
    """With a key more than it has as the shoe itself."""
    with plugged(tmp_path, kind) as (reader, keys):
        second = keys.replace("[devices.shoe]", "[devices.second_reader]\nagree_within_ms = 900")
        driver = drivers_of(load_configuration(configured(tmp_path, PLAIN + second)))["second_reader"]
        with listening(driver) as heard:
            heard.take_until(DeviceReachable)
            assert reader.draw("8S")
            reading = heard.reading()
    assert isinstance(reading, CardReported)
    assert reading.code == "8S"


@pytest.mark.parametrize("kind", SHOES, ids=tag_of)
def test_every_shoe_gives_the_same_events_for_the_same_cards(tmp_path: Path, kind: type[ShoeDevice]) -> None:
    """Eight decks; before a camera, which looks for codes in each of its pictures, each card once."""
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]
    cards *= 1 if tag_of(kind) == "camera" else 8
    random.Random(5).shuffle(cards)
    state = talk("baccarat", "SHOE 416; OPEN; CLOSE").state
    with plugged(tmp_path, kind) as (shoe, keys):
        driver = drivers_of(load_configuration(configured(tmp_path, keys)))["shoe"]
        logs = {"shoe": driver.report_log} if hasattr(driver, "report_log") else {}
        intake = Intake(logs)
        found: list[Any] = []
        with listening(driver) as heard:
            heard.take_until(DeviceReachable)
            for number, card in enumerate(cards):
                assert shoe.draw(card, "burn", number % 16)
                while len(found) <= number:
                    taken = intake.take(heard.take(), state).events
                    found += [event for event in taken if not isinstance(event, events.DeviceReported)]
    assert [event for event in found if not isinstance(event, events.CardRead)] == []
    assert [event.code for event in found] == cards
