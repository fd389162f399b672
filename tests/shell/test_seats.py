"""Empty seats from the keypad to the record and back: a restart goes on where the deal stood."""

from __future__ import annotations

import pytest

from controller.table import HANDLERS
from controller.vocabulary.events import BetsOpened
from drivers.readings import CardReported
from tests.harness.bench import UNNUMBERED, Bench, configured


def seated(seats_from: str = "panel") -> Bench:
    game = {"name": "two-cards-high", "seats": 5, "seats_from": seats_from}
    return Bench(configuration=configured(game=game, devices=UNNUMBERED))


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ("SEATS 1 3 5", "OK"),
        ("SHOE 40, OPEN, SEATS 5 1", "OK"),
        ("SHOE 40, OPEN, SEATS 6", "NO say which seats play: at least one of this table's, each once"),
        (
            "SHOE 40, OPEN, CLOSE, SEATS 1",
            "NO bets are closed: the seats stand until the round is settled",
        ),
        ("SEATS", "?"),
        ("SEATS 0", "NO SEATS: <n> must be a whole number from 1 to 99999"),
        ("SEATS all", "?"),
    ],
)
def test_answers(lines: str, answer: str) -> None:
    bench = seated()
    assert [bench.key(line.strip()) for line in lines.split(",")][-1] == answer


def test_a_restart_in_the_deal_knows_the_seats_of_the_round_and_those_of_the_next() -> None:
    bench = seated()
    for key in ("SEATS 2 4", "SHOE 40", "OPEN", "CLOSE"):
        assert bench.key(key) == "OK"
    for code in ("5S", "2H", "3D"):
        bench.say("shoe", CardReported(code, None, None))
    bench.step()
    again = bench.again()
    round_ = again.state.round
    assert round_ is not None
    assert [laid.position for laid in round_.laid] == ["seat2", "seat4", "dealer"]
    assert again.state.seats_dealt == again.state.seats == (2, 4)
    assert [again.key("KEY 17"), again.key("CLEAR continue")] == ["OK", "OK"]
    again.say("shoe", CardReported("AC", None, None))
    again.step()
    assert again.state.round is not None
    assert again.state.round.laid[-1].position == "seat2"


@pytest.mark.parametrize(
    ("lines", "shown"),
    [("CLOSE, KEY 17, VOID supervisor, SEATS 1", (2, 4)), ("SEATS 1 5", (1, 5))],
)
def test_a_round_that_stands_as_other_software_told_it_has_its_seats(
    lines: str, shown: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = seated()
    for key in ("SEATS 2 4", "SHOE 40", "OPEN", *lines.split(", ")):
        assert bench.key(key) == "OK"
    assert bench.state.seats_dealt == shown
    with monkeypatch.context() as stricter:
        stricter.setitem(HANDLERS, BetsOpened, lambda turn, event: turn.refuse("held", "not by these rules"))
        again = bench.again(digest="e" * 64)
    assert (again.state.round and again.state.round.id) == (bench.state.round and bench.state.round.id)
    assert again.state.seats_dealt == shown
