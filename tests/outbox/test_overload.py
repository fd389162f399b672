"""A long queue at the broker: it drains, and does not feed itself with what is sent again and again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Protocol

import pytest

from tests.outbox.crowded import Crowded

HEADROOM = 1.25
"""What the queue gives, of what is said."""


class Crowding(Protocol):
    """Makes a floor."""

    def __call__(
        self, *, seconds: float, tables: int = 5, headroom: float = HEADROOM, loss: float = 0.0, seed: int = 1
    ) -> Crowded:
        """Each table says a message in a second; the consumer was there for a minute."""


@pytest.fixture
def crowded() -> Iterator[Crowding]:
    with ExitStack() as stack:

        def made(
            *,
            seconds: float,
            tables: int = 5,
            headroom: float = HEADROOM,
            loss: float = 0.0,
            seed: int = 1,
        ) -> Crowded:
            floor = Crowded(
                tables=tables,
                a_second=1.0,
                capacity=headroom * tables,
                seconds=seconds + 60,
                loss=loss,
                seed=seed,
            )
            stack.callback(floor.close)
            floor.come()
            floor.run(60)
            return floor

        yield made


def drains(floor: Crowded, times: int, every_s: float) -> None:
    """What is missing gets less each time, until nothing is."""
    before = floor.missing
    for _ in range(times):
        floor.run(every_s)
        assert floor.missing < before or floor.missing == 0
        before = floor.missing
    floor.run(every_s, speaks=False)
    assert floor.missing == 0


def test_a_queue_drains_where_the_consumer_did_not_read_for_minutes(crowded: Crowding) -> None:
    floor = crowded(seconds=180 + 900)
    floor.run(180, reads=False)
    drains(floor, 5, 180)
    assert floor.useless < 0.01 * floor.useful


def test_a_consumer_that_was_killed_gets_what_it_lacks_while_the_tables_go_on(crowded: Crowding) -> None:
    floor = crowded(seconds=60 + 350 + 1400)
    floor.die()
    floor.run(60)
    floor.come()
    floor.run(350)  # it says where it stands, and asks: what it lacks is in the queue, twice
    drains(floor, 4, 350)
    assert floor.useless < 0.1 * floor.useful


def test_a_consumer_that_is_killed_again_and_again_stays_as_near(crowded: Crowding) -> None:
    floor = crowded(seconds=4 * 420, headroom=1.5)
    for _ in range(4):
        floor.die()
        floor.run(20)
        floor.come()
        floor.run(400)
        assert floor.missing < 20
    floor.run(60, speaks=False)
    assert floor.missing == 0
    assert floor.useless < 0.3 * floor.useful


@pytest.mark.parametrize("seed", [1, 2])
def test_what_a_broker_drops_now_and_then_comes(crowded: Crowding, seed: int) -> None:
    floor = crowded(seconds=60 + 1200, loss=0.0005, seed=seed)
    floor.run(60, reads=False)
    floor.run(1200)
    floor.run(900, speaks=False)
    assert floor.missing == 0
    assert floor.useless < 0.4 * floor.useful, "what came behind a gap, and with that again"


def test_what_a_broker_lost_as_a_whole_comes(crowded: Crowding) -> None:
    floor = crowded(seconds=60 + 900)
    floor.run(60, reads=False)
    floor.queue.clear()
    drains(floor, 3, 300)
    assert floor.useless < 0.05 * floor.useful


def test_a_resend_that_was_lost_with_a_connection_comes_all_the_same(crowded: Crowding) -> None:
    """That of either side, in the middle of it."""
    for lost_by in ("consumer", "table"):
        floor = crowded(tables=1, seconds=700, headroom=20.0)
        floor.die()
        floor.run(400)
        floor.come()
        while floor.tables[0].schedule.cursors["recorder"] < 150:
            floor.run(0.2)
        floor.queue.clear()
        if lost_by == "table":
            floor.tables[0].reconnect()
        else:
            floor.die()
            floor.come()
        floor.run(30)
        assert floor.missing <= 2, lost_by
