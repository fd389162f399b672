"""Everybody bets in the last second: what is answered is what is booked. ``make bench PART=seats`` does it
with 1,000 seats."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.wagering.rush import floor_of, half_taken


def test_bets_of_the_last_second_are_taken_whole_or_refused(tmp_path: Path) -> None:
    with floor_of(tmp_path, players=60, tables=1) as floor:

        async def evening() -> None:
            transports = await floor.sit()
            try:
                rounds, _ = await floor.open()
                answers = await floor.last_second(rounds, random.Random(1))
                assert any(status == 201 for status, _, _ in answers)
                assert half_taken(floor, rounds, answers) == []
                refused = [body for status, body, _ in answers if status == 409]
                assert {body["error"]["code"] for body in refused} <= {"bets_closed"}
            finally:
                for transport in transports:
                    transport.close()
                await asyncio.gather(*(line.close() for line in floor.lines))

        with ThreadPoolExecutor(1) as own:  # a browser of other tests has a loop in this thread
            own.submit(asyncio.run, evening()).result()
