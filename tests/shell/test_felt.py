"""A camera over the felt: what it contradicts, what it never does, and what lies there that is no card of the
round."""

from __future__ import annotations

import pytest

from controller.shell.intake.felt import LATELY, NOT_JUDGED
from drivers.readings import CardNotRead, FeltSeen, ShufflerSaid
from tests.harness.bench import Bench, configured

NATURAL = ("8S", "5C", "KC", "2D")
SEES = "the camera over the felt sees"
CAMERA = {"felt": {"driver": "camera", "source": "felt.avi", "library": "felt.deck"}}
AGREES_S = 5
"""Longer than its time to contradict."""


def felt(bench: Bench, cards: str = "") -> None:
    """What the camera sees, once."""
    bench.say("felt", FeltSeen(tuple(sorted(cards.split()))))
    bench.step()


def words(bench: Bench) -> list[str]:
    """What the alert of the felt says, where there is one."""
    return [alert.message for alert in bench.state.alerts if alert.id == "fault-felt"]


@pytest.fixture
def bench() -> Bench:
    """A table before its first round, with a camera that sees an empty felt."""
    bench = Bench(configuration=configured(devices=CAMERA))
    bench.restore("felt", first=True)
    bench.load()
    felt(bench)
    return bench


def agreed(bench: Bench) -> None:
    """The time to contradict is over."""
    bench.pass_s(AGREES_S)
    bench.step()
    assert not bench.state.agreeing


def dealt(bench: Bench, *cards: str) -> None:
    """A round up to its result."""
    bench.open()
    felt(bench)
    bench.deal(*(cards or NATURAL))
    assert bench.state.phase == "result"


@pytest.mark.parametrize(
    ("seen", "odd"),
    [
        ("8S 5C KC 2D", ""),
        ("", ""),
        ("KC", ""),
        ("8H 5C KC 2D", "8H"),
        ("8S 8S 5C KC", "8S"),
        ("8S 5C KC 2D 7H 9C", "7H 9C"),
    ],
)
def test_after_the_result_it_contradicts_what_nobody_told_and_nothing_else(
    bench: Bench, seen: str, odd: str
) -> None:
    dealt(bench)
    felt(bench, seen)
    assert bench.hold == ("requested" if odd else None)
    assert words(bench) == ([f"felt: {SEES} {odd}, which the shoe did not tell"] if odd else [])
    assert len(bench.state.round.laid) == 4, "it supplies no card"


def test_while_cards_are_dealt_it_says_nothing(bench: Bench) -> None:
    bench.open()
    felt(bench)
    bench.deal("8S", "5C")
    felt(bench, "8H 5C")
    assert bench.hold is None
    assert not words(bench)


def test_a_contradiction_is_told_once_and_another_one_again(bench: Bench) -> None:
    dealt(bench)
    felt(bench, "8H 5C")
    assert [bench.key("KEY 17"), bench.key("CLEAR continue")] == ["OK", "OK"]
    felt(bench, "8H 5C")
    assert bench.hold is None
    assert bench.key("SETTLED") == "OK"
    felt(bench, "8H 9D")
    assert bench.hold == "requested"
    assert "9D" in words(bench)[0]


def test_what_is_laid_there_long_after_the_round_is_no_matter_of_it(bench: Bench) -> None:
    """A deck is spread and looked at before the next shoe."""
    dealt(bench)
    assert bench.key("SETTLED") == "OK"
    agreed(bench)
    felt(bench, "AS 2S 3S 4S")
    assert (bench.hold, words(bench)) == (None, [])


def test_a_first_card_that_the_shoe_missed_is_contradicted(bench: Bench) -> None:
    bench.open()
    for _ in range(3):
        felt(bench, "4H")
    bench.deal(*NATURAL)
    felt(bench, "4H 8S 5C KC 2D")
    assert bench.hold == "requested"


@pytest.mark.parametrize("asks", ["", "HOLD"])
def test_what_was_gone_when_bets_closed_excuses_no_card(bench: Bench, asks: str) -> None:
    dealt(bench)
    assert bench.key("SETTLED") == "OK"
    agreed(bench)
    assert bench.key("OPEN") == "OK"
    felt(bench, "8S 5C KC 2D")
    if asks:
        assert [bench.key(line) for line in ("HOLD", "KEY 17", "CLEAR continue")] == ["OK"] * 3
    for _ in range(LATELY):
        felt(bench)
    assert bench.key("CLOSE") == "OK"
    bench.deal("9D", "3S", "KD", "2S")
    felt(bench, "8S 3S KD 2S")
    assert bench.hold == "requested"


def test_what_is_seen_in_a_hold_is_told_after_it(bench: Bench) -> None:
    dealt(bench)
    assert bench.key("HOLD") == "OK"
    felt(bench, "8H")
    assert not words(bench)
    assert [bench.key("KEY 17"), bench.key("CLEAR continue")] == ["OK", "OK"]
    felt(bench, "8H")
    assert bench.hold == "requested"


def test_a_camera_that_is_lost_is_an_alert_and_holds_nothing(bench: Bench) -> None:
    dealt(bench)
    bench.lose("felt")
    assert bench.hold is None
    assert [alert.id for alert in bench.state.alerts] == ["device-felt"]
    bench.restore("felt")
    assert not bench.state.alerts
    assert bench.hold is None


def test_a_wrong_first_card_that_was_not_read_and_entered_is_contradicted(bench: Bench) -> None:
    bench.open()
    felt(bench)
    bench.say("shoe", CardNotRead())
    bench.step()
    assert bench.hold == "card_unread"
    felt(bench, "8H")
    entered = [bench.key(line) for line in ("KEY 17", "ENTER 8S", "CLEAR enter")]
    assert entered == ["OK", "OK", "OK"]
    felt(bench, "8H")
    for code, hand in (("5C", "banker"), ("KC", "player"), ("2D", "banker")):
        bench.card(code, hand)
    assert bench.state.phase == "result"
    felt(bench, "8H 5C KC 2D")
    assert bench.hold == "requested"


def test_a_wrong_first_card_that_came_early_and_was_accepted_is_contradicted(bench: Bench) -> None:
    assert bench.key("OPEN") == "OK"
    felt(bench)
    bench.card("8S")
    assert bench.hold == "early_card"
    felt(bench, "8H")
    assert [bench.key(line) for line in ("KEY 17", "CLEAR accept")] == ["OK", "OK"]
    for code, hand in (("5C", "banker"), ("KC", "player"), ("2D", "banker")):
        bench.card(code, hand)
    assert bench.state.phase == "result"
    felt(bench, "8H 5C KC 2D")
    assert bench.hold == "requested"


@pytest.mark.parametrize("opens", ["before the cards are gone", "as they go", "as soon as it was settled"])
def test_what_the_last_round_left_is_no_card_of_this_one(bench: Bench, opens: str) -> None:
    """Also where one reading misses it: a hand was over it."""
    dealt(bench)
    felt(bench, "8S 5C KC 2D")
    assert bench.key("SETTLED") == "OK"
    felt(bench, "5C 2D")
    felt(bench, "5C")
    agreed(bench)
    assert bench.key("OPEN") == "OK"
    if opens == "as they go":
        felt(bench, "5C 2D")
        felt(bench, "5C")
    assert bench.key("CLOSE") == "OK"
    if opens == "before the cards are gone":
        felt(bench, "5C 2D")
        felt(bench, "5C")
    felt(bench)
    bench.deal("9D", "3S", "KD", "2S")
    felt(bench, "5C 9D")
    felt(bench)
    felt(bench, "5C 2D 9D 3S KD 2S")
    assert (bench.hold, words(bench)) == (None, [])
    felt(bench, "5C 5C 2D")
    assert bench.hold == "requested"


def test_a_card_that_went_back_may_lie_there(bench: Bench) -> None:
    dealt(bench)
    bench.card("9H", "player", 3)
    assert bench.hold == "extra_card"
    assert [bench.key(line) for line in ("KEY 17", "CLEAR return")] == ["OK", "OK"]
    felt(bench, "8S 5C KC 2D 9H")
    assert (bench.hold, words(bench)) == (None, [])


def test_a_burn_between_rounds_may_lie_face_up(bench: Bench) -> None:
    dealt(bench)
    assert [bench.key("SETTLED"), bench.key("BURN 1")] == ["OK", "OK"]
    bench.card("9H", "burn")
    felt(bench, "8S 5C KC 2D 9H")
    assert (bench.hold, words(bench)) == (None, [])
    agreed(bench)
    bench.open()
    felt(bench, "9H")
    bench.deal("9D", "3S", "KD", "2S")
    felt(bench, "9H 9D")
    assert bench.hold is None


@pytest.mark.parametrize("one_after_the_other", [False, True])
def test_a_card_that_nobody_could_name_is_one_that_it_may_see(
    bench: Bench, one_after_the_other: bool
) -> None:
    dealt(bench)
    assert [bench.key("SETTLED"), bench.key("BURN 1")] == ["OK", "OK"]
    bench.say("shoe", CardNotRead())
    bench.step()
    assert bench.hold == "card_unread"
    assert [bench.key(line) for line in ("KEY 17", "CLEAR burn")] == ["OK", "OK"]
    felt(bench, "8S 5C KC 2D JH")
    assert (bench.hold, words(bench)) == (None, [])
    felt(bench, "8S 5C KC 2D 4H" if one_after_the_other else "8S 5C KC 2D JH 4H")
    assert bench.hold == "requested"
    assert [bench.key(line) for line in ("KEY 17", "CLEAR continue")] == ["OK", "OK"]
    felt(bench, "8S 5C KC 2D JH 4H")
    assert bench.hold is None
    felt(bench, "QS")
    assert bench.hold == "requested", "one more is excused, and no second one"


def test_a_burn_that_was_put_into_the_shuffler_did_lie_there() -> None:
    devices = {**CAMERA, "shuffler": {"driver": "line", "port": "/dev/shuffler"}}
    bench = Bench(configuration=configured(devices=devices, shoe={"kind": "continuous"}))
    for device in ("felt", "shuffler"):
        bench.restore(device, first=True)
    bench.load()
    felt(bench)
    dealt(bench)
    assert [bench.key("SETTLED"), bench.key("BURN 1")] == ["OK", "OK"]
    bench.card("9H", "burn")
    felt(bench, "8S 5C KC 2D 9H")
    bench.say("shuffler", ShufflerSaid("COLLECTED 5", "COLLECTED", ("5",)))
    bench.step()
    assert not bench.state.shoe.drawn
    felt(bench)
    assert (bench.hold, words(bench)) == (None, [])


def test_the_same_wrong_card_of_another_result_is_told_again(bench: Bench) -> None:
    dealt(bench)
    felt(bench, "8H 5C KC")
    assert bench.hold == "requested"
    went_back = [bench.key(line) for line in ("KEY 17", "RETURN 2D", "CLEAR continue")]
    assert went_back == ["OK", "OK", "OK"]
    felt(bench, "8H 5C KC")
    assert bench.hold is None, "the round is being dealt again"
    bench.card("2D", "banker")
    assert bench.state.phase == "result"
    felt(bench, "8H 5C KC")
    assert bench.hold == "requested"


def test_a_restart_does_not_repeat_the_hold(bench: Bench) -> None:
    dealt(bench)
    felt(bench, "8H 5C")
    assert [bench.key(line) for line in ("KEY 17", "CLEAR continue")] == ["OK", "OK"]
    bench = bench.again()
    bench.restore("felt", first=True)
    felt(bench, "8H 5C")
    assert (bench.hold, words(bench)[0]) == (None, f"felt: {NOT_JUDGED} (2 times)")
    assert bench.key("SETTLED") == "OK"
    agreed(bench)
    bench.open()
    felt(bench, "8H")
    bench.deal("9D", "3S", "KD", "2S")
    felt(bench, "9H 3S")
    assert bench.hold == "requested", "the next round is judged again"


def test_a_round_whose_beginning_nobody_saw_is_not_judged(bench: Bench) -> None:
    dealt(bench)
    assert bench.key("SETTLED") == "OK"
    for _ in range(2):
        bench.lose("felt")
        agreed(bench)
        bench.open()
        assert not words(bench)
        bench.deal("9D", "3S", "KD", "2S")
        bench.restore("felt")
        for _ in range(2):
            felt(bench, "8S 5C 9D 3S")
        assert (bench.hold, words(bench)) == (None, [f"felt: {NOT_JUDGED}"]), "told, and told once"
        assert bench.key("SETTLED") == "OK"


def test_where_cards_lie_face_down_the_alert_names_no_card() -> None:
    bench = Bench(configuration=configured(devices=CAMERA, game={"name": "baccarat", "squeeze": True}))
    bench.restore("felt", first=True)
    bench.load()
    felt(bench)
    bench.open()
    felt(bench)
    bench.deal(*NATURAL)
    felt(bench, "8H")
    assert bench.hold is None, "nothing is compared before the reveal"
    assert bench.key("REVEAL") == "OK"
    felt(bench, "8H 5C")
    assert bench.hold == "requested"
    assert "8H" not in str(bench.said()), "no message names it"


@pytest.mark.parametrize("lost", ["before the result", "after it", "before, and it comes back"])
def test_no_round_waits_for_a_camera_that_is_lost(bench: Bench, lost: str) -> None:
    if lost == "after it":
        dealt(bench)
    bench.lose("felt")
    if lost != "after it":
        bench.open()
        bench.deal(*NATURAL)
    bench.step()
    if lost == "before, and it comes back":
        bench.restore("felt")
    assert bench.key("SETTLED") == "OK"
    waits = lost == "after it"
    assert bench.state.agreeing == waits, "a clock that runs is not cut: a review may wait for its end"
    if waits:
        agreed(bench)
    felt(bench, "AS 2S 3S 4S")
    assert bench.key("OPEN") == "OK"
    assert bench.hold is None
