"""Each shoe on its cable at a whole table: a round with the cable pulled in the middle of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from controller.vocabulary import events
from drivers.angel_eye import AngelEyeShoe
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.camera.simulator import SimulatedCamera
from drivers.keypad.simulator import Keypad
from drivers.registry import devices, tag_of
from drivers.settings import ShoeDevice
from drivers.simulated_shoe import SimulatedShoe
from tests.harness.patience import PATIENCE_S
from tests.harness.whole import PANEL, must, whole

ROUND = ["8S player 1", "5C banker 1", "KC player 2", "2D banker 2"]

SHOES = devices("shoe")
"""Every shoe there is; each is wired as its driver is named in a file."""
KEYS = {"scanner": 'symbologies = ["code128"]', "camera": "frames_per_s = 240\nagreeing_frames = 2"}


@contextmanager
def plugged(folder: Path, kind: type[ShoeDevice]) -> Iterator[tuple[SimulatedShoe, str]]:
    """A simulated shoe, and its table in a file."""
    shoe, driver = kind.simulator(folder / "shoe"), tag_of(kind)
    if isinstance(shoe, SimulatedCamera):  # some noise hides a card, once in many thousands
        shoe.dice = np.random.default_rng(5)
    try:
        keys = f'driver = "{driver}"\n{kind.address_key} = "{folder}/shoe"\n{KEYS.get(driver, "")}\n'
        yield shoe, f"[devices.shoe]\n{keys}"
    finally:
        shoe.stop()


@pytest.mark.parametrize("kind", SHOES, ids=tag_of)
def test_a_round_with_the_shoe_unplugged_in_the_middle(
    tmp_path: Path, kind: type[ShoeDevice], keypad: Keypad
) -> None:
    with plugged(tmp_path, kind) as (shoe, keys), whole(tmp_path, keys + PANEL) as table:
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        table.deal(shoe, *ROUND[:2])
        shoe.unplug()
        table.wait_hold("device_lost")
        assert table.wait_said("device.lost")["device"] == "shoe"
        shoe.replug()
        assert table.wait_said("device.restored")["device"] == "shoe"
        assert table.state.hold is not None, "people compare felt and screen first"
        must(keypad, "KEY 17", "CLEAR continue", "NOKEY")
        table.deal(shoe, *ROUND[2:])
        result = table.wait_said("round.result")
        assert result["hands"] == {"player": ["8S", "KC"], "banker": ["5C", "2D"]}
        assert result["outcome"]["winner"] == "player"
        must(keypad, "SETTLED", "OPEN")


@pytest.mark.parametrize("kind", SHOES, ids=tag_of)
def test_between_rounds_the_table_goes_on_by_itself(
    tmp_path: Path, kind: type[ShoeDevice], keypad: Keypad
) -> None:
    with plugged(tmp_path, kind) as (shoe, keys), whole(tmp_path, keys + PANEL) as table:
        must(keypad, "SHOE 416")
        shoe.unplug()
        table.wait_hold("device_lost")
        shoe.replug()
        table.wait(lambda: table.state.hold is None, "the hold is over")
        must(keypad, "OPEN", "CLOSE")
        table.deal(shoe, *ROUND)
        table.wait_said("round.result")


def test_the_lock_of_an_angel_eye_follows_the_table(tmp_path: Path, keypad: Keypad) -> None:
    with (
        SimulatedAngelEye(tmp_path / "shoe") as shoe,
        whole(tmp_path, f'[devices.shoe]\ndriver = "angel-eye"\nport = "{{folder}}/shoe"\n{PANEL}') as table,
    ):

        def wait_lock(locked: bool) -> None:
            with shoe.guard:
                assert shoe.guard.wait_for(lambda: shoe.locked is locked, PATIENCE_S)

        wait_lock(True)
        must(keypad, "SHOE 416", "OPEN")
        wait_lock(True)
        must(keypad, "CLOSE")
        wait_lock(False)
        must(keypad, "HOLD")
        wait_lock(True)
        shoe.power_cycle()  # and has forgotten all it was told
        shoe.unplug()
        table.wait_said("device.lost")
        shoe.replug()
        table.wait_said("device.restored")
        wait_lock(True)
        table.wait_event(events.ReportsMissed)  # its numbers began anew
        must(keypad, "KEY 17", "CLEAR continue")  # one hold: each doubt joined it
        wait_lock(False)
    assert shoe.locked, "a daemon that ends leaves the shoe locked"


def test_a_command_that_nobody_answers_is_an_alert_and_is_said_again(tmp_path: Path, keypad: Keypad) -> None:
    devices = (
        f'[devices.shoe]\ndriver = "angel-eye"\nport = "{{folder}}/shoe"\ncommand_timeout_ms = 30\n{PANEL}'
    )
    with SimulatedAngelEye(tmp_path / "shoe") as shoe, whole(tmp_path, devices) as table:
        shoe.ignore_commands = True
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        silent = "shoe: no answer to command LK 01: let cards out"
        # Once more it says how often it was told, and the words may change before we look.
        table.wait(lambda: any(alert.message.startswith(silent) for alert in table.state.alerts), silent)
        assert "fault-shoe" in [alert.id for alert in table.state.alerts]
        assert table.state.lost == ()
        shoe.ignore_commands = False
        with shoe.guard:
            assert shoe.guard.wait_for(lambda: not shoe.locked, PATIENCE_S)


def test_a_card_that_angel_eye_did_not_read_is_entered_and_the_error_cleared(
    tmp_path: Path, keypad: Keypad
) -> None:
    with plugged(tmp_path, AngelEyeShoe) as (shoe, keys), whole(tmp_path, keys + PANEL) as table:
        assert isinstance(shoe, SimulatedAngelEye)
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        table.deal(shoe, *ROUND[:1])
        shoe.error(1)
        table.wait_hold("card_unread")
        must(keypad, "KEY 17", "ENTER 5C", "CLEAR enter")
        assert shoe.wait_command("EC 01", PATIENCE_S)
        table.deal(shoe, *ROUND[2:])
        assert table.wait_said("round.result")["hands"]["banker"] == ["5C", "2D"]


@pytest.mark.parametrize(
    ("shoe", "noise"),
    [
        ('driver = "bee-tek"', b" [Game]<Ca\xffd:5C> \r\n"),
        ('driver = "bee-tek"', b" [Game]<Game> \r\n"),
        ('driver = "bee-tek"', b" [GameAlarm]<Alarm:E3 Card Not Read> \r\n [Game]<Game> \r\n"),
        ('driver = "scanner"', b"NOREAD\r\n"),
        ('driver = "scanner"', b"x" * 500 + b"\r\n"),
    ],
)
def test_what_may_have_been_a_card_is_one_unread_card(
    tmp_path: Path, shoe: str, noise: bytes, keypad: Keypad
) -> None:
    with (
        SimulatedBeeTek(tmp_path / "shoe") as device,
        whole(tmp_path, f'[devices.shoe]\n{shoe}\nport = "{{folder}}/shoe"\n{PANEL}') as table,
    ):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        device.send_raw(noise)
        table.wait_hold("card_unread")
        must(keypad, "KEY 17", "ENTER 5C", "CLEAR enter")
        assert len(table.of(events.CardUnread)) == 1
        assert table.wait_said("round.card")["card"] == "5C"
