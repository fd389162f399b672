"""Devices are found by their names; nothing lists them."""

from __future__ import annotations

import pytest

from drivers.registry import device, devices, tag_of
from drivers.settings import DeviceSettings

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
