"""What a shoe's own numbers prove: a repeat, the next one, or that something passed unheard."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from controller.journal.sqlite import SqliteJournal
from controller.vocabulary import events
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import AnyEvent
from drivers.ports import Accepted
from drivers.readings import CardReported, StartReported, Unreadable
from tests.harness.bench import NUMBERS, UNNUMBERED, Bench, configured
from tests.journal.scratch import scratch_journal


@pytest.fixture
def journal() -> Iterator[SqliteJournal]:
    made = scratch_journal()
    yield made
    made.close()


def dealing(bench: Bench) -> Bench:
    """A table that waits for the first card of a round."""
    bench.load()
    bench.open()
    return bench


def recorded(bench: Bench) -> list[AnyEvent]:
    return [decode_event(record.body)[0] for record in bench.journal.records()]


class TestRepeats:
    def test_the_same_frame_again_is_acknowledged_again_and_changes_nothing(
        self, journal: SqliteJournal
    ) -> None:
        bench = dealing(Bench(journal))
        frame = bench.card("8S")
        head, table = journal.record_head, bench.loop.table
        assert bench.hear(frame) == [Accepted()]
        assert bench.hear(frame) == [Accepted()]
        assert (journal.record_head, bench.loop.table) == (head, table)

    def test_a_repeat_in_the_same_transaction_is_one_card(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        frame = bench.frame(b"D\x81\xb8")
        assert bench.hear(frame + frame + frame) == [Accepted()] * 3
        assert bench.names().count("round.card") == 1

    def test_a_repeat_after_a_restart_is_dropped_as_well(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        frame = bench.card("8S")
        again = bench.again()
        head = journal.record_head
        assert again.hear(frame) == [Accepted()]
        assert journal.record_head == head
        again.card("5C", "banker")
        assert (again.hold, again.names().count("round.card")) == (None, 2)

    def test_a_repeat_is_known_however_long_ago_the_report_was(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        bench.deal("8S", "5C", "KC")
        frame = bench.card("2D", "banker", 2)
        bench.key("SETTLED")
        for _ in range(200):
            bench.type("FOO")
        bench.step()
        bench.key("OPEN")
        assert journal.snapshot() is not None
        assert journal.snapshot()[0] == journal.record_head  # type: ignore[index]
        again = bench.again()
        assert again.hear(frame) == [Accepted()]
        assert again.hold is None

    def test_r_that_names_the_last_card_again_is_no_card(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        frame = bench.card("8S")
        again = bench.frame(b"R" + frame[3:5])
        assert bench.hear(again) == [Accepted()]
        assert bench.names().count("round.card") == 1
        # It took a number, and that stands in the record.
        later = bench.again()
        later.card("5C", "banker")
        assert later.hold is None


class TestGaps:
    def test_a_missing_number_holds_and_the_card_waits(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        bench.card("8S")
        bench.frame(b"D\x91\xa5")
        bench.card("KC", "player", 2)
        assert bench.hold == "restart_doubt"
        assert (bench.names().count("round.card"), len(bench.state.hold.waiting)) == (1, 1)
        missed = [event for event in recorded(bench) if isinstance(event, events.ReportsMissed)]
        assert [(event.expected, event.got) for event in missed] == [(0x32, 0x33)]

    def test_a_gap_over_a_restart_holds_at_the_next_report(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        bench.card("8S")
        again = bench.again()
        assert again.hold is None
        again.frame(b"D\x91\xa5")
        again.card("KC", "player", 2)
        assert again.hold == "restart_doubt"

    def test_a_gap_is_seen_however_long_ago_the_last_report_was(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        bench.load()
        bench.play()
        for _ in range(200):
            bench.type("FOO")
        bench.step()
        bench.open()
        again = bench.again()
        again.frame(b"D\x81\xb8")
        again.card("5C", "banker")
        assert again.hold == "restart_doubt"

    def test_the_number_wraps_without_a_gap(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        bench.load()
        bench.next_number = NUMBERS.last - 1
        bench.open()
        bench.deal("8S", "5C", "KC", "2D")
        assert (bench.hold, bench.state.phase) == (None, "result")

    def test_the_same_number_with_other_bytes_is_another_card_and_holds(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        bench.card("8S", number=0x40)
        bench.card("5C", "banker", number=0x40)
        assert bench.hold == "restart_doubt"
        assert [drawn.card for drawn in bench.state.shoe.drawn] == ["8S", "5C"]

    def test_a_first_report_after_a_start_in_the_round_proves_nothing(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        again = bench.again()
        again.card("8S")
        assert again.hold == "restart_doubt"
        again.key("KEY anna")
        again.key("CLEAR continue")
        assert (again.hold, again.names().count("round.card")) == (None, 1)

    def test_a_first_report_without_a_restart_is_no_doubt(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        bench.card("8S", number=0x55)
        assert bench.hold is None

    def test_a_shoe_that_says_it_has_started_may_count_anew_between_rounds(
        self, journal: SqliteJournal
    ) -> None:
        bench = Bench(journal)
        bench.load()
        bench.play()
        bench.next_number = NUMBERS.first
        bench.hear(bench.frame(b"S"))
        bench.play()
        assert bench.hold is None

    def test_a_shoe_that_starts_in_a_round_holds(self, journal: SqliteJournal) -> None:
        bench = dealing(Bench(journal))
        bench.card("8S", number=0x40)
        bench.say("shoe", StartReported(), bench.frame(b"S", 0x31), 0x31)
        bench.step()
        assert bench.hold == "restart_doubt"


class TestShoesWithoutNumbers:
    def bench(self, journal: SqliteJournal) -> Bench:
        return dealing(Bench(journal, configuration=configured(devices=UNNUMBERED)))

    def test_a_start_in_a_round_holds_at_once(self, journal: SqliteJournal) -> None:
        bench = self.bench(journal)
        bench.say("shoe", CardReported("8S", None, None), b" [Game]<Card:8S> \r\n")
        bench.step()
        again = bench.again()
        assert again.hold == "restart_doubt"
        assert again.names()[-1] == "table.held"

    def test_a_start_between_rounds_does_not(self, journal: SqliteJournal) -> None:
        bench = Bench(journal, configuration=configured(devices=UNNUMBERED))
        bench.load()
        assert bench.again().hold is None

    @pytest.mark.parametrize(
        ("in_round", "may_be_card", "hold"),
        [
            (True, True, "card_unread"),
            (False, True, "restart_doubt"),
            (True, False, None),
            (False, False, None),
        ],
    )
    def test_bytes_that_may_have_been_a_card_hold(
        self, journal: SqliteJournal, in_round: bool, may_be_card: bool, hold: str | None
    ) -> None:
        bench = Bench(journal, configuration=configured(devices=UNNUMBERED))
        bench.load()
        if in_round:
            bench.open()
        bench.say("shoe", Unreadable("noise", may_be_card=may_be_card), b"\xff\xfe")
        bench.step()
        assert bench.hold == hold
        assert bench.state.alerts[-1].code == "device_fault"

    def test_the_rest_of_an_endless_line_does_not_hold_again(self, journal: SqliteJournal) -> None:
        bench = self.bench(journal)
        for continued in (False, True, True):
            bench.say("shoe", Unreadable("too long", continued=continued, may_be_card=True), b"x" * 120)
        bench.step()
        assert bench.names().count("table.held") == 1


@pytest.mark.parametrize(
    ("reading", "hold"),
    [
        (CardReported("8S", "player", 1), None),
        (CardReported("8S", "banker", 1), "wrong_position"),
        (CardReported("8S", "lock_mode", 1, in_game=False), "wrong_position"),
        (CardReported("8S", "error_mode", 1, in_game=False), "wrong_position"),
        (CardReported("8S", None, None, in_game=False), "wrong_position"),
    ],
)
def test_a_card_counts_only_where_the_shoe_means_this_hand(reading: CardReported, hold: str | None) -> None:
    bench = dealing(Bench())
    bench.say("shoe", reading, b"\x05", 0x31)
    bench.step()
    assert bench.hold == hold
    assert len(bench.state.shoe.drawn) == 1


@pytest.mark.parametrize(
    "begin", [lambda bench: None, lambda bench: bench.load(), lambda bench: dealing(bench)]
)
def test_a_shoe_that_is_lost_holds_and_the_first_connection_does_not(
    begin: Callable[[Bench], object],
) -> None:
    bench = Bench()
    bench.restore("shoe", first=True)
    begin(bench)
    assert bench.hold is None
    bench.lose("shoe")
    assert bench.hold == "device_lost"
    assert "device.lost" in bench.names()
    bench.restore("shoe", replaced=True)
    assert "device.restored" in bench.names()
    assert bench.hold == ("device_lost" if bench.state.in_round else None)
    assert "another device answers" in bench.state.alerts[-1].message
