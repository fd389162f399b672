"""The last word to a shoe whose daemon is dead, on a real pseudo-terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.angel_eye import AngelEyeShoe
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.errors import DeviceFault
from drivers.readings import CardReported
from drivers.settings import DriverContext
from tests.drivers.listening import listening
from tests.harness.patience import PATIENCE_S


@pytest.mark.parametrize("with_stx", [True, False])
def test_the_shoe_locks(tmp_path: Path, with_stx: bool) -> None:
    with SimulatedAngelEye(tmp_path / "shoe", bcc_includes_stx=with_stx) as shoe:
        AngelEyeShoe(port=shoe.path, bcc_includes_stx=with_stx).leave_locked()
        assert shoe.wait_command("LK 02")
        with shoe.guard:
            assert shoe.guard.wait_for(lambda: shoe.locked, PATIENCE_S)


def test_also_while_a_frozen_daemon_holds_the_port_and_no_card_is_lost(tmp_path: Path) -> None:
    with SimulatedAngelEye(tmp_path / "shoe", answer_timeout_s=30) as shoe:
        driver = AngelEyeShoe(port=shoe.path, query_on_connect=False).driver("shoe", DriverContext())
        with listening(driver) as heard:
            heard.take()
            AngelEyeShoe(port=shoe.path).leave_locked()
            assert shoe.wait_command("LK 02")
            shoe.turn_lock(False)
            shoe.card("8S", "player", 1)
            reading = heard.take_until(CardReported).reading
            assert isinstance(reading, CardReported)
            assert reading.code == "8S"


@pytest.mark.parametrize("there", [True, False])
def test_what_is_no_port_is_said(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "shoe"
    if there:
        path.write_text("a file")
    with pytest.raises(DeviceFault, match=r"shoe: "):
        AngelEyeShoe(port=str(path)).leave_locked()
    assert not there or path.read_text() == "a file"


def test_a_speed_that_the_system_does_not_know_is_said(tmp_path: Path) -> None:
    with SimulatedAngelEye(tmp_path / "shoe") as shoe, pytest.raises(DeviceFault, match="cannot be told"):
        AngelEyeShoe(port=shoe.path, baud_rate=4801).leave_locked()
