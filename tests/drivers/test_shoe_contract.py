"""One contract for all shoes: the same cards give the same card codes in the same order, each once; a card
that was not read is told; a cable that is pulled is told and mended without help.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from drivers.angel_eye import AngelEyeShoe
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek import BeeTekShoe
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.camera import CameraShoe
from drivers.camera.driver import CameraDriver
from drivers.camera.rendering import Optics
from drivers.camera.simulator import SimulatedCamera
from drivers.camera.wire import CameraTimes
from drivers.ports import Driver
from drivers.readings import CardNotRead, CardReported, DeviceReachable, DeviceUnreachable, ErrorRaised
from drivers.scanner import ScannerShoe
from drivers.scanner.simulator import SimulatedScanner
from drivers.settings import DriverContext
from drivers.simulated_shoe import SimulatedShoe
from tests.drivers.listening import Listener, listening

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"] * 8
HANDFUL = 52
USUAL = DriverContext()


@dataclass(frozen=True)
class Shoe:
    """A driver that is not started yet, and the simulated shoe before it."""

    driver: Driver
    simulated: SimulatedShoe


class Settled(SimulatedAngelEye):
    """A shoe whose cable is pulled once all is answered: else a report would come once more, as it should."""

    def unplug(self) -> None:
        assert self.wait_settled()
        super().unplug()


@contextmanager
def angel_eye(link: Path) -> Iterator[Shoe]:
    with Settled(link, answer_timeout_s=10.0) as shoe:
        settings = AngelEyeShoe(port=str(link), query_on_connect=False)
        yield Shoe(settings.driver("shoe", USUAL), shoe)


@contextmanager
def bee_tek(link: Path) -> Iterator[Shoe]:
    with SimulatedBeeTek(link) as shoe:
        yield Shoe(BeeTekShoe(port=str(link)).driver("shoe", USUAL), shoe)


@contextmanager
def scanner(link: Path) -> Iterator[Shoe]:
    with SimulatedScanner(link, aim="]C0") as shoe:
        yield Shoe(ScannerShoe(port=str(link)).driver("shoe", USUAL), shoe)


@contextmanager
def camera(link: Path) -> Iterator[Shoe]:
    with SimulatedCamera(link, frames=4, optics=Optics(width_px=240, height_px=110), seed=5) as shoe:
        yield Shoe(CameraDriver("shoe", CameraShoe(source=shoe.path), CameraTimes(paced=False)), shoe)


@pytest.fixture(params=[angel_eye, bee_tek, scanner, camera], ids=lambda shoe: shoe.__name__)
def shoe(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shoe]:
    with request.param(tmp_path / "shoe") as shoe:
        yield shoe


@pytest.fixture
def heard(shoe: Shoe) -> Iterator[Listener]:
    with listening(shoe.driver) as heard:
        assert heard.next(DeviceReachable).first
        yield heard


def test_a_shoe_of_416_cards(shoe: Shoe, heard: Listener) -> None:
    cards = random.Random(5).sample(CARDS, len(CARDS))
    seen = []
    for begin in range(0, len(cards), HANDFUL):
        for card in cards[begin : begin + HANDFUL]:
            assert shoe.simulated.draw(card, "burn")
        seen += [heard.reading() for _ in cards[begin : begin + HANDFUL]]
    assert [reading.code if isinstance(reading, CardReported) else reading for reading in seen] == cards
    assert heard.is_quiet()


def test_equal_cards_in_a_row_are_told_one_by_one(shoe: Shoe, heard: Listener) -> None:
    for _ in range(3):
        shoe.simulated.draw("8S", "burn")
        heard.take_until(CardReported)
    assert heard.is_quiet()


def test_a_card_that_was_not_read_is_told_and_no_card(shoe: Shoe, heard: Listener) -> None:
    shoe.simulated.unread_card()
    # An Angel Eye says that it is in trouble, by an error of its own.
    assert isinstance(heard.reading(), CardNotRead | ErrorRaised)
    assert heard.is_quiet()


def test_a_pulled_cable_is_told_and_found_again(shoe: Shoe, heard: Listener) -> None:
    shoe.simulated.draw("8S", "burn")
    heard.take_until(CardReported)
    shoe.simulated.unplug()
    heard.take_until(DeviceUnreachable)
    assert not shoe.driver.state.connected
    shoe.simulated.replug()
    restored = heard.take_until(DeviceReachable).reading
    assert isinstance(restored, DeviceReachable)
    assert not restored.first
    shoe.simulated.draw("TH", "burn")
    reading = heard.take_until(CardReported).reading
    assert isinstance(reading, CardReported)
    assert reading.code == "TH"
    assert (shoe.driver.state.connections, shoe.driver.state.losses) == (2, 1)


def test_nothing_is_said_after_the_stop(shoe: Shoe) -> None:
    with listening(shoe.driver) as heard:
        heard.take_until(DeviceReachable)
    shoe.simulated.draw("8S", "burn")
    assert heard.is_quiet()
    assert shoe.driver.name == "shoe"
    assert not shoe.driver.state.connected


def test_a_shoe_that_is_not_there_is_told_once(shoe: Shoe) -> None:
    shoe.simulated.unplug()
    with listening(shoe.driver) as heard:
        assert shoe.driver.state.path in heard.next(DeviceUnreachable).reason
        shoe.simulated.replug()
        assert heard.next(DeviceReachable).first
