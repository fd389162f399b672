"""Devices are found by their names; nothing lists them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import drivers
from drivers.registry import device, devices, tag_of
from drivers.settings import DeviceSettings, DriverContext, ShoeDevice

ORDER = [
    ("shoe", "angel-eye"),
    ("shoe", "bee-tek"),
    ("panel", "keypad"),
    ("shuffler", "line"),
    ("shoe", "scanner"),
    ("shoe", "camera"),
    ("panel", "gpio"),
    ("beam", "gpio"),
    ("lights", "gpio"),
]
"""Of the interface: the configuration's schema has them so. Others may stand between them."""


def test_serial_devices_come_first_then_names_count() -> None:
    found = [(one.place, tag_of(one)) for one in devices()]
    assert [one for one in found if one in ORDER] == ORDER


@pytest.mark.parametrize("one", devices(), ids=lambda one: one.__name__)
def test_the_name_in_a_file_leads_to_the_module(one: type[DeviceSettings]) -> None:
    assert device(one.place, tag_of(one)) is one


@pytest.mark.parametrize(
    "name", ["bee_tek", "Bee-Tek", "bee-tek.wire", "registry", "readings", "nobody", "", "..", None, 7]
)
def test_what_is_no_driver_of_a_shoe_is_none(name: object) -> None:
    assert device("shoe", name) is None


def test_a_driver_takes_only_its_own_places() -> None:
    assert device("panel", "bee-tek") is None
    assert device("shoe", "gpio") is None


NEW = """
from drivers.settings import BeamDevice, SerialDevice, ShoeDevice

class TidePool(SerialDevice, frozen=True, tag="tide-pool"):
    "It takes no place."

class Tide(SerialDevice, ShoeDevice, frozen=True, kw_only=True, tag="{tag}"):
    "A shoe."

class Mist(BeamDevice, frozen=True, tag="{tag}"):
    "It does not say how long a card takes."

DEVICES = {devices}
"""


@pytest.mark.parametrize(
    ("tag", "devices", "fault"),
    [
        ("tide", "(Tide,)", "Tide has the tag 'tide'; needed is tag='tide-pool', the module's name"),
        ("tide-pool", "(Tide)", "DEVICES must be a tuple"),
        ("tide-pool", "('tide-pool',)", "DEVICES holds 'tide-pool', which is no struct of settings"),
        ("tide-pool", "(Mist,)", "Mist does not say: card_within_ms"),
        ("tide-pool", "(TidePool,)", "TidePool takes no place; give it a base as ShoeDevice"),
    ],
)
def test_a_new_module_that_is_not_whole_is_told_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tag: str, devices: str, fault: str
) -> None:
    (tmp_path / "tide_pool.py").write_text(NEW.format(tag=tag, devices=devices))
    monkeypatch.setattr(drivers, "__path__", [*drivers.__path__, str(tmp_path)])
    try:
        with pytest.raises(TypeError, match=f"^drivers.tide_pool: {fault}"):
            device("shoe", "tide-pool")
    finally:
        sys.modules.pop("drivers.tide_pool", None)


@pytest.mark.parametrize("method", ["driver", "simulator"])
def test_a_method_that_a_device_lacks_is_named(method: str) -> None:
    class Tide(ShoeDevice, frozen=True):
        """A shoe."""

    with pytest.raises(TypeError, match=f"^Tide has no method {method}$"):
        Tide().driver("shoe", DriverContext()) if method == "driver" else Tide.simulator(Path())
