"""Bee-Tek lines: whole, byte by byte, broken, and over a real pseudo-terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.bee_tek import BURNING, IN_GAME, BeeTekShoe, card_of, reading_of
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.readings import (
    CardNotRead,
    CardReported,
    DeviceReachable,
    DeviceUnreachable,
    ErrorRaised,
    Reading,
    Unreadable,
    WarningGiven,
)
from drivers.settings import DriverContext, PortTimes
from tests.drivers.listening import listening

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]

LINES: list[tuple[str, Reading]] = [
    (" [Game]<Card:4S> ", CardReported("4S", None, None)),
    (" [Game]<Card:S4> ", CardReported("4S", None, None)),
    ("[Game]<Card:10H>", CardReported("TH", None, None)),
    ("[Game]<Card:H10>", CardReported("TH", None, None)),
    ("[Game]<Card: TH >", CardReported("TH", None, None)),
    (" [Manual Burn Cards]<Card:KD> ", CardReported("KD", "burn", None)),
    (" [Standby]<Card:KD> ", CardReported("KD", None, None, in_game=False)),
    ("<Card:KD>", CardReported("KD", None, None, in_game=False)),
    (" [Game]<Game> ", CardNotRead("the shoe did not read a card (Game)")),
    (
        " [Manual Burn Cards]<Manual Burn Cards> ",
        CardNotRead("the shoe did not read a card (Manual Burn Cards)"),
    ),
    (" [Game]<Card:1S> ", CardNotRead("the shoe gives '1S', which is no card")),
    (" [Game]<Card:> ", CardNotRead("the shoe gives '', which is no card")),
    (" [GameAlarm]<Alarm:E3 Card Not Read> ", ErrorRaised("E3", "Card Not Read")),
    (" [GameAlarm]<Alarm:E9> ", ErrorRaised("E9", "")),
    ("<W0x01>", WarningGiven("0x01", "")),
    ("<Hello>", Unreadable("an unknown message <Hello>", may_be_card=True)),
    ("[Game]<Card:4S", Unreadable("no line of a Bee-Tek shoe", may_be_card=True)),
    ("Game]<Card:4S>", Unreadable("no line of a Bee-Tek shoe", may_be_card=True)),
    ("[Game]<Card:4S> [Game]<Card:5S>", Unreadable("no line of a Bee-Tek shoe", may_be_card=True)),
    ("\x00[Game]<Card:4S>", Unreadable("no line of a Bee-Tek shoe", may_be_card=True)),
]


@pytest.mark.parametrize(("line", "reading"), LINES)
def test_lines(line: str, reading: Reading) -> None:
    assert reading_of(line.encode()) == reading


@pytest.mark.parametrize("card", CARDS)
def test_every_card_in_either_order(card: str) -> None:
    assert [card_of(card), card_of(card[1] + card[0])] == [card, card]
    for mode, destination in ((IN_GAME, None), (BURNING, "burn")):
        for written in (card, card[1] + card[0]):
            line = f" [{mode}]<Card:{written}> ".encode()
            assert reading_of(line) == CardReported(card, destination, None)


@given(st.binary(max_size=60))
def test_no_line_raises_or_passes_for_a_card_without_being_written_so(line: bytes) -> None:
    if isinstance(reading_of(line), CardReported):
        assert b"<Card:" in line


def test_a_shoe_on_its_port_with_noise_halves_over_long_lines_and_an_unplugging(tmp_path: Path) -> None:
    context = DriverContext(times=PortTimes(first_pause_s=0.01, longest_pause_s=0.02))
    driver = BeeTekShoe(port=str(tmp_path / "shoe")).driver("shoe", context)
    with SimulatedBeeTek(tmp_path / "shoe") as shoe, listening(driver) as heard:
        heard.take_until(DeviceReachable)
        shoe.card("TH")
        shoe.say(" [Manual Burn Cards]<Card:C2> ")
        shoe.unread_card()
        shoe.say(" [GameAlarm]<Alarm:E3 Card Not Read> ")
        shoe.say("<W0x01>")
        assert [heard.reading() for _ in range(5)] == [
            CardReported("TH", None, None),
            CardReported("2C", "burn", None),
            CardNotRead("the shoe did not read a card (Game)"),
            ErrorRaised("E3", "Card Not Read"),
            WarningGiven("0x01", ""),
        ]
        for byte in b" [Game]<Card:S4> \r\n":
            shoe.send_raw(bytes((byte,)))
        assert heard.reading() == CardReported("4S", None, None)
        shoe.send_raw(b"#" * 150 + b"\r\n")
        over_long = [heard.take() for _ in range(2)]
        assert all(isinstance(r.reading, Unreadable) and r.reading.may_be_card for r in over_long)
        shoe.send_raw(b" [Game]<Ca")
        shoe.unplug()
        cut = heard.take()
        assert isinstance(cut.reading, Unreadable | DeviceUnreachable)
        if isinstance(cut.reading, Unreadable):
            assert cut.reading.may_be_card
            assert isinstance(heard.reading(), DeviceUnreachable)
        shoe.replug()
        assert isinstance(heard.reading(), DeviceReachable)
        shoe.card("5S")
        assert heard.reading() == CardReported("5S", None, None)
