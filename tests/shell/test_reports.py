"""What a shoe's own numbers prove: a repeat, the next one, or that something passed unheard."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.vocabulary import events
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import AnyEvent
from drivers.ports import Accepted
from drivers.readings import CardReported, StartReported, Unreadable
from tests.harness.bench import NUMBERS, UNNUMBERED, Bench, configured


def recorded(bench: Bench) -> list[AnyEvent]:
    return [decode_event(record.body)[0] for record in bench.journal.records()]


class TestRepeats:
    def test_the_same_frame_again_is_acknowledged_again_and_changes_nothing(self, bench: Bench) -> None:
        frame = bench.card("8S")
        head, table = bench.journal.record_head, bench.loop.table
        assert bench.hear(frame) == [Accepted()]
        assert bench.hear(frame) == [Accepted()]
        assert (bench.journal.record_head, bench.loop.table) == (head, table)

    def test_a_repeat_in_the_same_transaction_is_one_card(self, bench: Bench) -> None:
        frame = bench.frame(b"D\x81\xb8")
        assert bench.hear(frame + frame + frame) == [Accepted()] * 3
        assert bench.names().count("round.card") == 1

    def test_a_repeat_after_a_restart_is_dropped_as_well(self, bench: Bench) -> None:
        frame = bench.card("8S")
        again = bench.again()
        head = bench.journal.record_head
        assert again.hear(frame) == [Accepted()]
        assert bench.journal.record_head == head
        again.card("5C", "banker")
        assert (again.hold, again.names().count("round.card")) == (None, 2)

    def test_a_repeat_is_known_however_long_ago_the_report_was(self, bench: Bench) -> None:
        bench.deal("8S", "5C", "KC")
        frame = bench.card("2D", "banker", 2)
        bench.key("SETTLED")
        for _ in range(200):
            bench.type("FOO")
        bench.step()
        bench.key("OPEN")
        assert bench.journal.snapshot() is not None
        assert bench.journal.snapshot()[0] == bench.journal.record_head
        again = bench.again()
        assert again.hear(frame) == [Accepted()]
        assert again.hold is None

    def test_r_that_names_the_last_card_again_is_no_card(self, bench: Bench) -> None:
        frame = bench.card("8S")
        again = bench.frame(b"R" + frame[3:5])
        assert bench.hear(again) == [Accepted()]
        assert bench.names().count("round.card") == 1
        # It took a number, and that stands in the record.
        later = bench.again()
        later.card("5C", "banker")
        assert later.hold is None


class TestGaps:
    def test_a_missing_number_holds_and_the_card_waits(self, bench: Bench) -> None:
        bench.card("8S")
        bench.frame(b"D\x91\xa5")
        bench.card("KC", "player", 2)
        assert bench.hold == "restart_doubt"
        assert (bench.names().count("round.card"), len(bench.state.hold.waiting)) == (1, 1)
        missed = [event for event in recorded(bench) if isinstance(event, events.ReportsMissed)]
        assert [(event.expected, event.got) for event in missed] == [(0x32, 0x33)]

    def test_a_gap_over_a_restart_holds_at_the_next_report(self, bench: Bench) -> None:
        bench.card("8S")
        again = bench.again()
        assert again.hold is None
        again.frame(b"D\x91\xa5")
        again.card("KC", "player", 2)
        assert again.hold == "restart_doubt"

    def test_a_gap_is_seen_however_long_ago_the_last_report_was(self, loaded: Bench) -> None:
        loaded.play()
        for _ in range(200):
            loaded.type("FOO")
        loaded.step()
        loaded.open()
        again = loaded.again()
        again.frame(b"D\x81\xb8")
        again.card("5C", "banker")
        assert again.hold == "restart_doubt"

    def test_the_number_wraps_without_a_gap(self, loaded: Bench) -> None:
        loaded.next_number = NUMBERS.last - 1
        loaded.open()
        loaded.deal("8S", "5C", "KC", "2D")
        assert (loaded.hold, loaded.state.phase) == (None, "result")

    def test_the_same_number_with_other_bytes_is_another_card_and_holds(self, bench: Bench) -> None:
        bench.card("8S", number=0x40)
        bench.card("5C", "banker", number=0x40)
        assert bench.hold == "restart_doubt"
        (missed,) = (event for event in recorded(bench) if isinstance(event, events.ReportsMissed))
        assert missed.reason == "the same number with other bytes"
        assert [drawn.card for drawn in bench.state.shoe.drawn] == ["8S", "5C"]

    def test_a_first_report_after_a_start_in_the_round_proves_nothing(self, bench: Bench) -> None:
        again = bench.again()
        again.card("8S")
        assert again.hold == "restart_doubt"
        again.key("KEY anna")
        again.key("CLEAR continue")
        assert (again.hold, again.names().count("round.card")) == (None, 1)

    def test_a_first_report_without_a_restart_is_no_doubt(self, bench: Bench) -> None:
        bench.card("8S", number=0x55)
        assert bench.hold is None

    def test_a_shoe_that_says_it_has_started_may_count_anew_between_rounds(self, loaded: Bench) -> None:
        loaded.play()
        loaded.next_number = NUMBERS.first
        loaded.hear(loaded.frame(b"S"))
        loaded.play()
        assert loaded.hold is None

    def test_a_shoe_that_starts_in_a_round_holds(self, bench: Bench) -> None:
        bench.card("8S", number=0x40)
        bench.say("shoe", StartReported(), bench.frame(b"S", 0x31), 0x31)
        bench.step()
        assert bench.hold == "restart_doubt"

    def test_a_shoe_whose_start_takes_the_number_that_follows_holds_in_a_deal(self, bench: Bench) -> None:
        bench.card("8S", number=NUMBERS.last)
        start = bench.frame(b"S", NUMBERS.first)
        bench.hear(start)
        assert bench.hold == "restart_doubt"
        (missed,) = (event for event in recorded(bench) if isinstance(event, events.ReportsMissed))
        assert missed.reason == "the shoe has started in the middle of the deal"
        bench.hear(start)  # sent again, for the acknowledgement was lost
        assert bench.names().count("table.held") == 1
        bench.key("KEY anna")
        bench.key("CLEAR continue")
        bench.hear(start)  # much later: off and on once more, and again the first thing that it says
        assert bench.hold == "restart_doubt"

    def test_a_shoe_that_stands_by_in_a_deal_has_lost_the_game(self, bench: Bench) -> None:
        bench.hear(bench.frame(b"P"))
        assert bench.hold is None
        bench.card("8S")
        bench.hear(bench.frame(b"P"))
        assert bench.hold == "restart_doubt"

    def test_a_shoe_that_starts_while_bets_are_open_may_have_let_a_card_pass(self, loaded: Bench) -> None:
        loaded.key("OPEN")
        loaded.hear(loaded.frame(b"S"))
        assert loaded.hold == "restart_doubt"

    @pytest.mark.parametrize("word", [b"S", b"P"])
    def test_a_start_when_all_cards_are_out_is_no_doubt(self, bench: Bench, word: bytes) -> None:
        bench.deal("8S", "5C", "KC", "2D")
        bench.hear(bench.frame(word))
        assert (bench.hold, bench.key("SETTLED")) == (None, "OK")

    def test_a_shoe_that_counts_a_hand_anew_has_started_though_no_report_says_so(self, loaded: Bench) -> None:
        loaded.play()
        loaded.open()
        loaded.deal("8S", "5C")
        loaded.card("KC", "player", 1)
        assert loaded.hold == "restart_doubt"
        assert [card.card for card in loaded.state.hold.joined] == ["KC"]
        loaded.key("KEY anna")
        loaded.key("CLEAR continue")
        assert loaded.names().count("round.card") == 7

    def test_a_shoe_that_gives_every_card_of_a_hand_the_same_number_does_not_count(
        self, bench: Bench
    ) -> None:
        for code, hand in (("8S", "player"), ("5C", "banker"), ("KC", "player"), ("2D", "banker")):
            bench.card(code, hand, 0)
        assert (bench.hold, bench.state.phase) == (None, "result")

    def test_a_card_that_went_back_may_be_counted_again(self, loaded: Bench) -> None:
        loaded.play()
        loaded.open()
        loaded.deal("8S", "5C", "KC")
        for key in ("HOLD", "KEY anna", "RETURN KC", "CLEAR continue"):
            assert loaded.key(key) == "OK"
        loaded.card("KC", "player", 2)
        assert loaded.hold is None


class TestShoesWithoutNumbers:
    @pytest.fixture
    def loaded(self) -> Bench:
        bench = Bench(configuration=configured(devices=UNNUMBERED))
        bench.load()
        return bench

    def test_a_start_in_a_round_holds_at_once(self, bench: Bench) -> None:
        bench.say("shoe", CardReported("8S", None, None), b" [Game]<Card:8S> \r\n")
        bench.step()
        again = bench.again()
        assert again.hold == "restart_doubt"
        assert again.names()[-1] == "table.held"

    def test_a_start_between_rounds_does_not(self, loaded: Bench) -> None:
        assert loaded.again().hold is None

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
        self, loaded: Bench, in_round: bool, may_be_card: bool, hold: str | None
    ) -> None:
        if in_round:
            loaded.open()
        loaded.say("shoe", Unreadable("noise", may_be_card=may_be_card), b"\xff\xfe")
        loaded.step()
        assert loaded.hold == hold
        assert loaded.state.alerts[-1].code == "device_fault"

    def test_the_rest_of_an_endless_line_does_not_hold_again(self, bench: Bench) -> None:
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
def test_a_card_counts_only_where_the_shoe_means_this_hand(
    bench: Bench, reading: CardReported, hold: str | None
) -> None:
    bench.say("shoe", reading, b"\x05", 0x31)
    bench.step()
    assert bench.hold == hold
    assert len(bench.state.shoe.drawn) == 1


@pytest.mark.parametrize("ways", [[], [Bench.load], [Bench.load, Bench.open]])
def test_a_shoe_that_is_lost_holds_and_the_first_connection_does_not(
    ways: list[Callable[[Bench], None]],
) -> None:
    bench = Bench()
    bench.restore("shoe", first=True)
    for way in ways:
        way(bench)
    assert bench.hold is None
    bench.lose("shoe")
    assert bench.hold == "device_lost"
    assert "device.lost" in bench.names()
    bench.restore("shoe", replaced=True)
    assert "device.restored" in bench.names()
    assert bench.hold == ("restart_doubt" if bench.state.in_round else None)
    doubts = [] if bench.state.hold is None else [finding.code for finding in bench.state.hold.findings]
    assert doubts == (["device_lost", "restart_doubt"] if bench.state.in_round else [])
    assert "another device answers" in bench.state.alerts[-1].message
