"""``round.await_book``: the shoe is locked until the consumer that keeps the bets has closed its book."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from drivers.angel_eye.decode import card_bytes
from tests.harness.bench import PLACES, Bench, configured
from tests.harness.broker import Broker
from tests.outbox.sender import Listener, ack
from tests.shell.test_broker import Connected, connected

AWAITED = configured(
    mqtt={"consumers": ["settlement", "audit"]}, round={"await_book": "settlement", "book_s": 2}
)


@pytest.fixture
def table(broker: Broker) -> Iterator[Connected]:
    """Bets are closed, and nobody has acknowledged that."""
    with connected(broker, configuration=AWAITED) as made:
        made.bench.load()
        made.bench.open()
        made.until(lambda: made.bench.publisher.counters.listening)
        yield made


def closed(bench: Bench) -> int:
    """The sequence of the last ``round.bets_closed``."""
    return max(one["sequence"] for one in bench.said() if one["type"] == "dealertable.round.bets_closed.v1")


def books(bench: Bench) -> int:
    """How often the table was told that the book is closed."""
    return sum(type(event).__name__ == "BookClosed" for batch in bench.batches for event in batch.events)


def test_the_lock_opens_when_the_book_has_closed_and_not_for_an_earlier_message(
    table: Connected, broker: Broker
) -> None:
    bench, sequence = table.bench, closed(table.bench)
    assert bench.shoe.commands[-1] == "lock"
    with Listener(broker) as book:
        book.say("acks/settlement", ack(5, sequence - 1), retain=True)
        table.until(lambda: bench.publisher.acknowledged("settlement") == sequence - 1)
        assert bench.state.awaits_book
        book.say("acks/settlement", ack(5, sequence), retain=True)
        table.until(lambda: not bench.state.awaits_book)
    assert bench.shoe.commands[-1] == "unlock"
    assert bench.state.phase == "dealing"
    bench.deal("8S", "5C", "KC", "2D")
    assert bench.state.phase == "result"
    assert books(bench) == 1


def test_a_book_that_closed_while_the_controller_was_off_is_known_after_the_restart(
    table: Connected, broker: Broker
) -> None:
    bench = table.bench
    bench.publisher.stop()
    bench.journal.set_cursor("settlement", closed(bench))
    bench.journal.flush()
    again = bench.again()
    again.step()
    assert not again.state.awaits_book
    assert again.shoe.commands[-1] == "unlock"


def test_a_silent_book_holds_after_its_time_and_a_restart_gives_it_the_time_in_full() -> None:
    bench = Bench(configuration=AWAITED)
    bench.load()
    bench.open()
    bench.pass_s(1.5)
    bench = bench.again()
    bench.pass_s(1.5)
    assert (bench.state.awaits_book, bench.hold) == (True, None)
    bench.pass_s(1)
    assert bench.hold == "book_silent"
    assert bench.shoe.commands[-1] == "lock"
    assert [bench.key("KEY 4711"), bench.key("CLEAR continue")] == ["OK", "OK"]
    assert bench.shoe.commands[-1] == "unlock"


def test_a_card_that_leaves_a_locked_shoe_is_in_the_ledger_and_acknowledged(table: Connected) -> None:
    bench = table.bench
    bench.hear(bench.frame(b"D" + card_bytes("8S", PLACES["player"], 1)))
    assert bench.hold == "early_card"
    assert bench.state.shoe.draws == 1
