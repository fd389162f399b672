"""Every word of a panel and every trouble of a shoe, and the event that it means."""

from __future__ import annotations

import pytest

from controller.round.state import State
from controller.shell.intake.taking import Intake, Intaken
from controller.shell.intake.translation import DEALER_KEYS, SUPERVISOR_KEYS
from controller.vocabulary import events
from controller.vocabulary.events import AnyEvent
from drivers.keypad import KEYPAD
from drivers.line_protocol import Understood, read_line
from drivers.ports import Accepted, Received
from drivers.readings import (
    CardNotRead,
    CardReported,
    DeviceReachable,
    DeviceUnreachable,
    ErrorCleared,
    ErrorRaised,
    InputFreed,
    InputStuck,
    KeyPressed,
    Reading,
    Unreadable,
)
from tests.scenarios.conversation import talk
from tests.shell.watched import Watched

IDLE = talk("baccarat").state
RUNNING = talk("baccarat", "SHOE 416; OPEN; CLOSE").state
SECOND_NS = 1_000_000_000


def take(
    intake: Intake, reading: Reading, state: State | None = RUNNING, *, device: str = "shoe", at_ns: int = 0
) -> Intaken:
    return intake.take(Received(device, reading, b"", at_ns, None), state)


def press(intake: Intake, line: str, *, at_ns: int = 0) -> Intaken:
    read = read_line(line.encode(), KEYPAD)
    assert isinstance(read, Understood)
    return take(intake, KeyPressed(read.line, read.word, read.arguments), device="panel", at_ns=at_ns)


DEALER: list[tuple[str, AnyEvent]] = [
    ("SHOE 416", events.ShoeLoaded(cards=416, shuffled=True)),
    ("OPEN", events.BetsOpened()),
    ("SEATS 1 3 5", events.SeatsTaken(seats=(1, 3, 5))),
    ("CLOSE", events.BetsClosed()),
    ("DECIDED", events.DecisionsClosed()),
    ("REVEAL", events.CardsRevealed()),
    ("REVEAL banker", events.CardsRevealed(hand="banker")),
    ("SETTLED", events.RoundSettled()),
    ("HOLD", events.HoldRequested(by="dealer")),
    ("BURN 2 a card fell", events.CardsBurned(cards=2, reason="a card fell")),
    ("DEALER 4711", events.DealerSignedOn(by="4711")),
    ("NODEALER", events.DealerSignedOff()),
    ("CLEAR continue", events.HoldCleared(choice="continue", by="dealer")),
]
SUPERVISOR: list[tuple[str, AnyEvent]] = [
    ("VOID excess", events.RoundVoided(reason="excess", by="17")),
    ("ENTER TH", events.CardEntered(card="TH", by="17")),
    ("RETURN TH", events.CardReturned(card="TH", by="17")),
    ("COUNT 415", events.ShoeCounted(cards=415, by="17")),
    ("LEFT 7", events.ShoeCounted(left=7, by="17")),
    ("EMPTY", events.ShoeEmptied(by="17")),
    ("CUT", events.CutCardSeen(by="17")),
    ("DAY", events.TableOpened(by="17")),
    ("DAY 2026-01-31", events.TableOpened(by="17", gaming_day="2026-01-31")),
    ("ENDDAY", events.TableClosed(by="17")),
]


@pytest.mark.parametrize(("line", "event"), DEALER)
def test_a_dealers_key(line: str, event: AnyEvent) -> None:
    assert press(Intake({}), line) == Intaken((event,))


@pytest.mark.parametrize(("line", "event"), SUPERVISOR)
def test_a_supervisors_key_wants_the_key_turned(line: str, event: AnyEvent) -> None:
    intake = Intake({})
    refused = Intaken((events.KeyRefused("panel", line, "key_needed"),))
    assert press(intake, line) == refused
    assert press(intake, "KEY 17").answer == Accepted()
    assert press(intake, line) == Intaken((event,))
    press(intake, "NOKEY")
    assert press(intake, line) == refused


def test_every_word_of_the_keypad_has_its_event() -> None:
    assert set(KEYPAD) == {*DEALER_KEYS, *SUPERVISOR_KEYS, "KEY", "NOKEY"}
    assert {line.split()[0] for line, _ in DEALER + SUPERVISOR} == set(KEYPAD) - {"KEY", "NOKEY"}


def test_with_the_key_turned_a_hold_is_cleared_by_the_badge() -> None:
    intake = Intake({})
    press(intake, "KEY 17")
    (event,) = press(intake, "CLEAR stand felt agrees").events
    assert event == events.HoldCleared(choice="stand", by="17", note="felt agrees")


@pytest.mark.parametrize(
    ("error", "kinds"),
    [
        (ErrorRaised(1, "card not read", True), [events.DeviceFaulted, events.CardUnread]),
        (ErrorRaised(6, "card code error"), [events.DeviceFaulted, events.CardUnread]),
        (ErrorRaised("E3", "Card Not Read"), [events.DeviceFaulted, events.CardUnread]),
        (ErrorRaised(2, "overdraw", True), [events.DeviceFaulted, events.HoldRequested]),
        (ErrorRaised(4, "reverse run at the exit", True), [events.DeviceFaulted, events.HoldRequested]),
        (ErrorRaised(5, "reverse run midway", True), [events.DeviceFaulted, events.HoldRequested]),
        (ErrorRaised(3, "button misuse", True), [events.DeviceFaulted]),
        (ErrorRaised(7, "draw time-out", True), [events.DeviceFaulted]),
        (ErrorCleared(1, "card not read"), [events.DeviceReported]),
    ],
)
def test_a_shoe_in_trouble(error: Reading, kinds: list[type[AnyEvent]]) -> None:
    assert [type(event) for event in take(Intake({}), error).events] == kinds


def test_cards_in_disorder_between_rounds_hold_nothing() -> None:
    found = take(Intake({}), ErrorRaised(4, "reverse run at the exit"), IDLE).events
    assert [type(event) for event in found] == [events.DeviceFaulted]


@pytest.mark.parametrize(
    ("readings", "unread"),
    [
        ([CardNotRead(), ErrorRaised("E3", "Card Not Read")], 1),
        ([ErrorRaised(1, "card not read"), CardNotRead()], 1),
        ([CardNotRead(), CardNotRead()], 2),
        ([ErrorRaised(1, "card not read"), ErrorRaised(1, "card not read")], 2),
        ([CardNotRead(), CardReported("8S", None, None), ErrorRaised(1, "card not read")], 2),
        ([CardNotRead(), ErrorRaised(1, "card not read"), CardNotRead()], 2),
    ],
)
def test_one_card_that_is_said_unread_in_two_ways_is_one(readings: list[Reading], unread: int) -> None:
    intake = Intake({})
    found = [event for reading in readings for event in take(intake, reading).events]
    assert sum(isinstance(event, events.CardUnread) for event in found) == unread


def test_long_after_one_another_they_are_two() -> None:
    intake = Intake({})
    take(intake, CardNotRead())
    found = take(intake, ErrorRaised(1, "card not read"), at_ns=SECOND_NS + 1).events
    assert isinstance(found[-1], events.CardUnread)


@pytest.mark.parametrize(
    ("reading", "state", "kinds"),
    [
        (Unreadable("noise", may_be_card=True), RUNNING, [events.DeviceFaulted, events.CardUnread]),
        (Unreadable("noise", may_be_card=True), IDLE, [events.DeviceFaulted, events.ReportsMissed]),
        (Unreadable("noise", continued=True, may_be_card=True), RUNNING, [events.DeviceFaulted]),
        (Unreadable("noise"), RUNNING, [events.DeviceFaulted]),
    ],
)
def test_bytes_that_may_have_been_a_card(reading: Reading, state: State, kinds: list[type[AnyEvent]]) -> None:
    assert [type(event) for event in take(Intake({}), reading, state).events] == kinds


AGAIN = CardReported("8S", "player", 1, again=True)


def test_a_card_said_once_more_that_is_not_the_last_one_waits_for_people() -> None:
    intake = Intake({})
    take(intake, CardReported("8S", "player", 1))
    take(intake, CardReported("5C", "banker", 1))
    kinds = [type(event) for event in take(intake, AGAIN).events]
    assert kinds == [events.DeviceFaulted, events.HoldRequested, events.CardRead]


def test_nobody_knows_what_was_said_before_the_start() -> None:
    kinds = [type(event) for event in take(Intake({}), AGAIN).events]
    assert kinds == [events.DeviceFaulted, events.HoldRequested, events.CardRead]


def test_a_card_said_once_more_whose_first_report_never_came_is_the_card() -> None:
    intake = Intake({})
    take(intake, CardReported("5C", "banker", 1))
    assert take(intake, AGAIN).events == (events.CardRead("8S", "player"),)


def test_a_stuck_input_is_a_condition_until_it_is_free() -> None:
    intake = Intake({})
    watched = Watched(intake.look)
    assert take(intake, InputStuck("CLEAR burn #2/a"), device="panel").events == ()
    assert watched.look(0) == ["stuck-panel-CLEAR-burn-2-a is said"]
    assert take(intake, InputFreed("CLEAR burn #2/a"), device="panel").events == ()
    assert watched.look(0) == ["stuck-panel-CLEAR-burn-2-a is over"]


def test_what_was_stuck_before_a_device_was_lost_is_told_anew_after_it() -> None:
    intake = Intake({})
    watched = Watched(intake.look)
    take(intake, InputStuck("OPEN"), device="panel")
    take(intake, InputStuck("beam"), device="beam")
    watched.look(0)
    take(intake, DeviceReachable("pins"), device="panel")
    assert watched.look(0) == ["stuck-panel-OPEN is over"]
    assert Watched(Intake({}).look, held=watched.held).look(0) == ["stuck-beam-beam is over"], (
        "after a restart"
    )


TEN_MINUTES_NS = 600 * SECOND_NS


@pytest.mark.parametrize("end", ["NOKEY", "KEY 18", "lost"])
def test_a_key_that_is_left_turned_is_said_once_and_ends_with_the_key(end: str) -> None:
    intake = Intake({})
    watched = Watched(intake.look)
    press(intake, "KEY 17")
    assert watched.look(TEN_MINUTES_NS - 1) == []
    assert watched.look(TEN_MINUTES_NS) == ["key-left-panel is said"]
    assert watched.look(2 * TEN_MINUTES_NS) == []
    if end == "lost":
        take(intake, DeviceUnreachable("gone"), device="panel")
    else:
        press(intake, end, at_ns=2 * TEN_MINUTES_NS)
    assert watched.look(2 * TEN_MINUTES_NS) == ["key-left-panel is over"]
    assert watched.look(3 * TEN_MINUTES_NS) == (["key-left-panel is said"] if end == "KEY 18" else [])
