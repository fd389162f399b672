"""A beam and a second reader beside the shoe: what meets, what stays alone, what follows for the table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.round.state import State
from controller.shell.intake.pairing import SETTLING_NS, Detection, Pairing
from controller.shell.intake.taking import Intake
from controller.shell.intake.witnesses import Witnesses, same_card
from controller.vocabulary import events
from controller.vocabulary.configuration import CodeMap
from controller.vocabulary.events import AnyEvent
from drivers.ports import Received
from drivers.readings import (
    BeamBroken,
    CardNotRead,
    CardReported,
    CutCardReported,
    DeviceReachable,
    DeviceUnreachable,
    ErrorRaised,
    Reading,
    Redealt,
    Unreadable,
)
from tests.harness.bench import Bench, configured
from tests.scenarios.conversation import talk

MS = 1_000_000
WITHIN = 800 * MS
START = SETTLING_NS
"""Times count from where the sensors see."""

BREAK_ALONE, CARD_ALONE = "witness", "shoe"


def seeing() -> Pairing:
    """A beam that has answered for long."""
    beam = Pairing(WITHIN)
    beam.connected(0)
    return beam


def pass_by(beam: Pairing, at_ns: int, word: str) -> None:
    say = beam.from_witness if word == "break" else beam.from_shoe
    say(Detection(at_ns, sure=word != "maybe"))


@pytest.mark.parametrize(
    ("moments", "found"),
    [
        ("", []),
        ("0 card, 5 break", []),
        ("0 break, 5 card", []),
        ("0 break, 800 card", []),
        ("0 break, 801 card", [BREAK_ALONE, CARD_ALONE]),
        ("0 card, 800 break", []),
        ("0 break", [BREAK_ALONE]),
        ("0 card", [CARD_ALONE]),
        ("0 card, 10 break, 300 card, 310 break, 600 card, 610 break", []),
        ("0 break, 300 break, 310 card", [BREAK_ALONE]),
        ("0 card, 1 card, 2 break", [CARD_ALONE]),
        ("0 break, 1 break", [BREAK_ALONE, BREAK_ALONE]),
        ("0 maybe", []),
        ("0 maybe, 5 break", []),
        ("0 break, 5 maybe", []),
    ],
)
def test_a_break_meets_a_card_within_its_time(moments: str, found: list[str]) -> None:
    beam = seeing()
    told: list[str] = []
    for at_ms, word in (moment.split() for moment in moments.split(", ") if moment):
        at_ns = START + int(at_ms) * MS
        told += beam.missed(at_ns)
        pass_by(beam, at_ns, word)
    deadline = beam.deadline_ns()
    while deadline is not None:
        assert beam.missed(deadline - 1) == []
        told += beam.missed(deadline)
        deadline = beam.deadline_ns()
    assert told == found


@given(
    st.lists(st.tuples(st.integers(801, 5_000), st.integers(-800, 800)), max_size=30),
    st.sets(st.integers(0, 29)),
)
def test_cards_with_their_breaks_are_no_finding_and_each_missing_card_is_one(
    cards: list[tuple[int, int]], unread: set[int]
) -> None:
    """Cards come more than ``within`` apart, breaks up to ``within`` before or behind them."""
    beam = seeing()
    at_ns, moments = START + WITHIN, []
    for number, (pause_ms, apart_ms) in enumerate(cards):
        at_ns += (pause_ms + 1_600) * MS
        moments.append((at_ns + apart_ms * MS, "break"))
        if number not in unread:
            moments.append((at_ns, "card"))
    found: list[str] = []
    for moment, word in sorted(moments):
        found += beam.missed(moment)
        pass_by(beam, moment, word)
    found += beam.missed(at_ns + 10_000 * MS)
    assert found == [BREAK_ALONE for number in range(len(cards)) if number in unread]


def test_a_beam_that_does_not_answer_or_has_just_come_asks_for_no_break() -> None:
    beam = Pairing(WITHIN)
    pass_by(beam, START, "card")
    beam.connected(START)
    pass_by(beam, START + SETTLING_NS - 1, "card")
    assert beam.missed(START + 10 * SETTLING_NS) == []
    pass_by(beam, START + 10 * SETTLING_NS, "card")
    beam.disconnected()
    assert beam.missed(START + 20 * SETTLING_NS) == []


def test_a_beam_that_goes_still_owes_the_card_of_its_last_break() -> None:
    beam = seeing()
    pass_by(beam, START, "break")
    beam.disconnected()
    assert beam.missed(START + WITHIN + 1) == [BREAK_ALONE]


def test_codes_of_two_kinds_that_mean_one_card_agree() -> None:
    state = talk("baccarat code_map.kind=four-digit").state
    assert same_card("1010", "1010", state)
    assert not same_card("1010", "1020", state)
    assert not same_card("1010", "AS", state)
    assert not same_card("foreign", "other foreign", state)


def test_two_serials_are_two_cards_and_a_code_without_one_agrees_with_any() -> None:
    code_map = CodeMap("pattern", pattern=r"(?P<rank>[A2-9TJQK])(?P<suit>[SHDC])(?:-(?P<serial>\d+))?")
    state = talk("baccarat").state
    state = replace(state, configuration=replace(state.configuration, code_map=code_map))
    assert not same_card("8S-17", "8S-18", state)
    assert same_card("8S-17", "8S", state)
    assert not same_card("8S-17", "8H-17", state)


class Watched:
    """Readings go in with their times, events come out."""

    def __init__(self, *, beam: bool = False, second: bool = False, state: State | None = None) -> None:
        witnesses = Witnesses(Pairing(WITHIN) if beam else None, Pairing(WITHIN) if second else None)
        self.intake = Intake({}, witnesses=witnesses)
        self.state = state or talk("baccarat", "SHOE 416; OPEN; CLOSE").state
        self.say(-10_000, "beam", DeviceReachable("pin"))
        self.say(-10_000, "second_reader", DeviceReachable("port"))

    def say(self, at_ms: int, device: str, reading: Reading) -> list[AnyEvent]:
        at_ns = (20_000 + at_ms) * MS
        return list(self.intake.take(Received(device, reading, b"", at_ns, None), self.state).events)

    def card(self, at_ms: int, code: str = "8S", device: str = "shoe") -> list[AnyEvent]:
        return self.say(at_ms, device, CardReported(code, None, None))

    def due(self, at_ms: int) -> list[tuple[str, AnyEvent]]:
        return self.intake.due((20_000 + at_ms) * MS)


def test_a_break_without_a_card_is_a_card_unread() -> None:
    table = Watched(beam=True)
    table.say(0, "beam", BeamBroken())
    assert table.intake.wait_s((20_000 + 300) * MS) == pytest.approx(0.5, abs=0.001)
    ((device, event),) = table.due(801)
    assert device == "beam"
    assert isinstance(event, events.CardUnread)
    assert table.intake.wait_s(0) is None


def test_a_card_without_a_break_is_a_fault_and_a_hold_that_names_no_card() -> None:
    table = Watched(beam=True)
    table.card(0, "8S")
    assert table.due(801) == [
        ("beam", events.DeviceFaulted("beam", "a card was read, and nothing broke the beam")),
        ("beam", events.HoldRequested(by="beam")),
    ]


@pytest.mark.parametrize(
    "reading",
    [CardNotRead(), CutCardReported(), Unreadable("noise", may_be_card=True)],
    ids=["not read", "cut card", "garbage"],
)
def test_whatever_passed_the_reader_answers_for_a_break(reading: Reading) -> None:
    table = Watched(beam=True)
    table.say(0, "shoe", reading)
    table.say(5, "beam", BeamBroken())
    assert table.due(5_000) == []


@pytest.mark.parametrize(
    "reading",
    [
        Unreadable("noise", may_be_card=True),
        CardReported("8S", None, None, again=True),
        Redealt("8S", None, None),
        ErrorRaised(1, "card not read"),
    ],
    ids=["garbage", "the same card again", "dealt anew", "alarm"],
)
def test_what_may_be_no_further_card_needs_no_witness(reading: Reading) -> None:
    table = Watched(beam=True, second=True)
    table.say(0, "shoe", reading)
    assert table.due(5_000) == []


def test_a_cut_card_breaks_the_beam_and_need_not_be_seen_by_the_second_reader() -> None:
    table = Watched(beam=True, second=True)
    table.say(0, "shoe", CutCardReported())
    assert {device for device, _ in table.due(5_000)} == {"beam"}


@pytest.mark.parametrize(
    ("moments", "parted"),
    [
        ("0 card, 5 break, 300 card", True),
        ("0 break, 5 card, 300 break, 305 card", True),
        ("0 card, 20 card", False),
        ("0 break, 5 card, 20 card", False),
        ("0 break, 1 lost, 5 card", False),
    ],
)
def test_a_break_between_two_cards_parts_them(moments: str, parted: bool) -> None:
    table = Watched(beam=True)
    told: list[AnyEvent] = []
    for at_ms, word in (moment.split() for moment in moments.split(", ")):
        if word == "card":
            told = table.card(int(at_ms))
        else:
            table.say(int(at_ms), "beam", BeamBroken() if word == "break" else DeviceUnreachable("gone"))
    assert told == [events.CardRead("8S", parted=parted)]


DISAGREE = "the two readers do not agree on a card"
UNSEEN, SEEN_ALONE = "the second reader did not see a card", "only the second reader saw a card"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("shoe 8S, second_reader 8S", []),
        ("second_reader 8S, shoe 8S", []),
        ("shoe 8S, second_reader 8S, shoe 8S, second_reader 8S", []),
        ("shoe 8S, second_reader 8H", [DISAGREE]),
        ("shoe 8S, second_reader ?", []),
        ("shoe ?, second_reader 8S", []),
        ("shoe 8S", [UNSEEN]),
        ("second_reader 8S", [SEEN_ALONE]),
        ("shoe 8S, shoe 8S, second_reader 8S", [UNSEEN]),
    ],
)
def test_two_readers_say_the_same_card_by_card(words: str, found: list[str]) -> None:
    table = Watched(second=True)
    told: list[AnyEvent] = []
    for at_ms, (who, code) in enumerate(word.split() for word in words.split(", ")):
        told += table.card(at_ms, code, who) if code != "?" else table.say(at_ms, who, CardNotRead())
    told += [event for _, event in table.due(10_000)]
    assert [event.reason for event in told if isinstance(event, events.DeviceFaulted)] == found
    held = [event for event in told if isinstance(event, events.HoldRequested)]
    assert held == [events.HoldRequested(by="second_reader")] * len(found)


@pytest.mark.parametrize("first", ["shoe", "second_reader"])
@pytest.mark.parametrize("seen", [True, False])
def test_a_cut_card_does_not_take_the_place_of_the_card_behind_it(first: str, seen: bool) -> None:
    table = Watched(second=True)
    table.say(0, "shoe", CutCardReported())
    if seen:
        table.say(20, "second_reader", CardNotRead())
    told: list[AnyEvent] = []
    readers = sorted(("shoe", "second_reader"), key=lambda reader: reader != first)
    for at_ms, code in ((300, "9H"), (700, "AC"), (1_100, "2D")):
        for later, reader in enumerate(readers):
            told += table.card(at_ms + 50 * later, code, reader)
    told += [event for _, event in table.due(10_000)]
    assert not [event for event in told if isinstance(event, events.DeviceFaulted)]


def test_noise_for_an_hour_is_not_kept() -> None:
    pairing = Pairing(WITHIN)
    for second in range(3_600):
        pairing.from_shoe(Detection(second * 1_000 * MS, sure=False))
    assert pairing.deadline_ns() is None
    assert sum(len(waiting) for waiting in pairing._unpaired.values()) < 10


def test_a_second_reader_only_contradicts() -> None:
    table = Watched(second=True)
    assert table.card(0) == [events.CardRead("8S")]
    (kept,) = table.card(100, "8S", "second_reader")
    assert isinstance(kept, events.DeviceReported)


def test_what_a_second_reader_cannot_read_is_a_fault_and_no_card() -> None:
    table = Watched(second=True)
    said = table.say(0, "second_reader", Unreadable("noise", may_be_card=True))
    assert said == [events.DeviceFaulted("second_reader", "noise")]
    said = table.say(0, "second_reader", CardNotRead("dirty"))
    assert [type(event) for event in said] == [events.DeviceReported]


def test_a_second_reader_that_is_gone_contradicts_nothing() -> None:
    table = Watched(second=True)
    table.card(0)
    table.say(10, "second_reader", DeviceUnreachable("unplugged"))
    table.card(20)
    assert table.due(10_000) == []


@pytest.mark.parametrize("parted", [True, False])
def test_two_equal_cards_that_the_beam_has_parted_are_no_double_read(parted: bool) -> None:
    cards = f"8S; card_read 8S parted={'yes' if parted else 'no'}"
    table = talk("baccarat shoe.min_card_interval_ms=500", f"SHOE 416; OPEN; CLOSE; {cards}")
    assert (table.state.hold is None) is parted


@pytest.mark.parametrize(
    ("later_ms", "boot", "held"), [(499, 1, True), (500, 1, False), (100, 2, False), (-100, 1, False)]
)
def test_a_double_read_is_one_within_the_time_of_the_house_and_of_one_boot(
    later_ms: int, boot: int, held: bool
) -> None:
    table = talk("baccarat shoe.min_card_interval_ms=500", "SHOE 416; OPEN; CLOSE")
    for at_ms, of_boot in ((1_000, 1), (1_000 + later_ms, boot)):
        read = {"event": "card_read", "code": "8S", "monotonic_ns": at_ms * 1_000_000, "boot": of_boot}
        table.tell(read)
    assert (table.state.hold is not None) is held


def test_a_round_that_settles_by_itself_waits_for_the_second_reader_and_holds_before_it_is_final() -> None:
    second = {"second_reader": {"driver": "bee-tek", "port": "/dev/second", "agree_within_ms": 1500}}
    settings = configured(round={"settle": "auto", "open": "auto", "review_s": 0}, devices=second)
    bench = Bench(configuration=settings)
    bench.intake.witnesses.second = Pairing(1500 * MS)
    bench.say("second_reader", DeviceReachable("second", first=True))
    bench.pass_s(5)
    bench.load()
    bench.open()
    for code in ("8S", "5C", "KC"):
        bench.say("second_reader", CardReported(code, None, None))
    bench.deal("8S", "5C", "KC", "2D")
    assert (bench.state.phase, bench.state.agreeing) == ("settled", True)
    bench.pass_s(1)
    assert str(bench.key("OPEN")).startswith("NO whoever else watches")
    bench.say("second_reader", CardReported("2H", None, None))
    bench.pass_s(3)
    assert (bench.hold, bench.state.phase) == ("requested", "settled")
    assert "round.final" not in bench.names()
