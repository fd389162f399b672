"""A device that is another one than before, by driver, port or unit: its reports prove nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from drivers.ports import Accepted
from drivers.readings import DeviceReachable, DeviceUnreachable, ShufflerSaid
from tests.harness.bench import Bench, configured

PANEL = {"driver": "keypad", "port": "/dev/keypad"}
SHOE = {"driver": "angel-eye", "port": "/dev/shoe"}
SHUFFLER = {"driver": "line", "port": "/dev/shuffler"}
READER = {"driver": "scanner", "port": "/dev/second"}


def with_devices(**devices: Mapping[str, object]) -> Any:
    return configured(devices={"shoe": SHOE, "panel": PANEL, **devices})


def findings(bench: Bench) -> list[tuple[str, object]]:
    hold = bench.state.hold
    return [] if hold is None else [(finding.code, finding.evidence.device) for finding in hold.findings]


@pytest.mark.parametrize(
    "shoe",
    [
        {"driver": "angel-eye", "port": "/dev/other"},
        {"driver": "bee-tek", "port": "/dev/shoe"},
        {"driver": "scanner", "port": "/dev/scanner"},
    ],
)
def test_a_shoe_that_is_exchanged_in_a_round_is_doubted_whatever_numbers_it_has(
    bench: Bench, shoe: dict[str, object]
) -> None:
    bench.card("8S")
    later = bench.again(configuration=with_devices(shoe=shoe))
    assert later.hold == "restart_doubt"
    assert ("restart_doubt", "shoe") in findings(later)
    later.key("KEY anna")
    later.key("CLEAR continue")
    assert later.hold is None
    assert later.again().hold == (None if shoe["driver"] == "angel-eye" else "restart_doubt")


def test_the_last_report_of_another_driver_is_no_repeat_and_no_gap(bench: Bench) -> None:
    frame = bench.card("8S")
    later = bench.again(configuration=with_devices(shoe={"driver": "angel-eye", "port": "/dev/other"}))
    later.key("KEY anna")
    later.key("CLEAR continue")
    assert later.hear(frame) == [Accepted()]
    # The same bytes of another shoe: the card of the next position, which the shoe calls by another name.
    assert (later.hold, len(later.state.shoe.drawn)) == ("wrong_position", 2)


def test_between_rounds_a_shoe_may_be_exchanged(loaded: Bench) -> None:
    loaded.play()
    later = loaded.again(configuration=with_devices(shoe={"driver": "angel-eye", "port": "/dev/other"}))
    later.next_number = 0x60
    later.play()
    assert later.hold is None


def test_a_shoe_comes_back_as_it_was_and_the_round_goes_on(bench: Bench) -> None:
    bench.card("8S")
    later = bench.again()
    later.card("5C", "banker")
    assert later.hold is None


@pytest.mark.parametrize(
    ("place", "before", "after", "hold"),
    [
        ("second_reader", READER, {**READER, "port": "/dev/third"}, "restart_doubt"),
        ("panel", PANEL, {**PANEL, "port": "/dev/other"}, "restart_doubt"),
        ("shuffler", SHUFFLER, {**SHUFFLER, "port": "/dev/other"}, None),
    ],
)
def test_what_else_the_dealing_needs_is_doubted_and_a_shuffler_of_resting_sets_is_not(
    place: str, before: dict[str, object], after: dict[str, object], hold: str | None
) -> None:
    bench = Bench(configuration=with_devices(**{place: before}))
    bench.load()
    bench.open()
    later = bench.again(configuration=with_devices(**{place: after}))
    assert later.hold == hold
    alerts = {alert.id for alert in later.state.alerts}
    assert ("reports-shuffler" in alerts) == (place == "shuffler")


def test_a_device_that_was_lost_and_is_no_longer_configured_is_forgotten() -> None:
    bench = Bench(configuration=with_devices(second_reader=READER))
    bench.load()
    bench.lose("second_reader")
    assert bench.hold == "device_lost"
    later = bench.again(configuration=with_devices())
    assert (later.hold, later.state.lost, later.key("OPEN")) == (None, (), "OK")


USB = "usb 0403:6001 FTDI TTL serial "


def connect(bench: Bench, identity: str, device: str = "shoe", *, replaced: bool = False) -> None:
    bench.say(device, DeviceReachable(identity, first=not replaced, replaced=replaced))
    bench.step()


def test_another_unit_at_the_same_port_after_a_restart(bench: Bench) -> None:
    connect(bench, USB + "A1")
    frame = bench.card("8S")
    later = bench.again()
    connect(later, USB + "A1")
    assert later.hold is None
    later = later.again()
    connect(later, USB + "B2")
    assert findings(later) == [("restart_doubt", "shoe")]
    later.key("KEY anna")
    later.key("CLEAR continue")
    assert later.hear(frame) == [Accepted()]
    assert len(later.state.shoe.drawn) == 2, "the same bytes of another unit are another card"


def test_what_the_system_knows_of_a_plain_port_may_change_with_a_start(bench: Bench) -> None:
    connect(bench, "character device 4:64, inode 7 on 5")
    bench.card("8S")
    later = bench.again()
    connect(later, "character device 4:64, inode 9 on 5")
    later.card("5C", "banker")
    assert later.hold is None


def test_a_unit_that_takes_the_place_of_another_while_the_table_runs(bench: Bench) -> None:
    connect(bench, "tty 1")
    frame = bench.card("8S")
    bench.say("shoe", DeviceUnreachable("the path leads to another device now"))
    connect(bench, "tty 2", replaced=True)
    assert findings(bench) == [("device_lost", "shoe"), ("restart_doubt", "shoe")]
    bench.key("KEY anna")
    bench.key("CLEAR continue")
    assert bench.hold is None
    bench.hear(frame)
    assert (bench.hold, len(bench.state.shoe.drawn)) == (None, 1), "the same unit, plugged in again"


def test_a_unit_that_is_plugged_in_again_is_known_after_a_restart_too(bench: Bench) -> None:
    connect(bench, "tty 1")
    frame = bench.card("8S")
    bench.say("shoe", DeviceUnreachable("the cable is out"))
    connect(bench, "tty 2", replaced=True)
    later = bench.again()
    connect(later, "tty 2")
    later.hear(frame)
    assert len(later.state.shoe.drawn) == 1, "the same report once more"


def test_the_first_report_of_a_unit_in_the_place_of_another_proves_nothing(bench: Bench) -> None:
    connect(bench, "tty 1")
    bench.card("8S")
    bench.say("shoe", DeviceUnreachable("the path leads to another device now"))
    connect(bench, "tty 2", replaced=True)
    bench.key("KEY anna")
    bench.key("CLEAR continue")
    assert bench.hold is None
    bench.card("5C", "banker")
    assert bench.hold == "restart_doubt"


def test_between_rounds_the_first_report_of_another_unit_proves_nothing_though_its_number_follows(
    loaded: Bench,
) -> None:
    connect(loaded, "tty 1")
    loaded.play()
    loaded.say("shoe", DeviceUnreachable("the path leads to another device now"))
    connect(loaded, "tty 2", replaced=True)
    assert loaded.hold is None
    loaded.open()
    loaded.card("8S")
    assert loaded.hold == "restart_doubt"


def test_a_shuffler_says_who_it_is() -> None:
    continuous = configured(
        devices={"shoe": SHOE, "panel": PANEL, "shuffler": SHUFFLER}, shoe={"kind": "continuous"}
    )
    bench = Bench(configuration=continuous)
    bench.load()
    bench.open()
    for serial, hold in (("000123", None), ("000123", None), ("000999", "restart_doubt")):
        bench.say("shuffler", ShufflerSaid(f"SERIAL {serial}", "SERIAL", (serial,)))
        bench.step()
        assert bench.hold == hold


def test_the_record_says_which_device_said_what() -> None:
    """What an auditor reads: at each start every device with its driver, and the unit where it is known."""
    bench = Bench()
    connect(bench, USB + "A1")
    bodies = [record.body.decode() for record in bench.journal.records(0)]
    assert any(
        '"devices":{"panel":"keypad at /dev/keypad","shoe":"angel-eye at /dev/shoe"}' in one for one in bodies
    )
    assert any('"device_identified"' in one and USB + "A1" in one for one in bodies)
