"""Who sits down stands in the books before the seat is told anything."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from controller.board.hub import Hub
from controller.vocabulary.errors import DealerTableError
from controller.wagering.database import Database
from controller.wagering.seat.watching import SeatWatch, Work
from controller.wagering.tables import SITTINGS
from tests.harness.patience import PATIENCE_S

PLACE = ("north", "7")


@pytest.mark.parametrize("refused", [0, 1])
def test_the_books_know_who_sits_before_the_seat_is_told_anything(tmp_path: Path, refused: int) -> None:
    """Also where they take it at the second attempt only."""
    with closing(Database(f"sqlite:///{tmp_path / 'books.db'}")) as database, ThreadPoolExecutor(1) as beside:
        sits = asyncio.wait_for(sit_down(database, refused), PATIENCE_S)
        beside.submit(asyncio.run, sits).result()  # a test of a page has a loop in this thread


async def sit_down(database: Database, refused: int) -> None:
    told, tries, written = asyncio.Event(), 0, list[int]()

    async def write(work: Work) -> None:
        nonlocal tries
        tries += 1
        if tries <= refused:
            raise DealerTableError("the books take nothing")
        with database.change() as connection:
            work(connection)

    async def carry_out(*_: object) -> tuple[int, bytes]:
        raise AssertionError("nobody bets")

    async def receive() -> MutableMapping[str, Any]:
        await told.wait()
        return {"type": "http.disconnect"}

    async def send(said: MutableMapping[str, Any]) -> None:
        if b"event: seat" in said.get("body", b""):
            with database.read() as connection:
                written.append(connection.scalar(sql.select(sql.func.count()).select_from(SITTINGS)) or 0)
            told.set()

    watch = SeatWatch(database, Hub(2), [PLACE], carry_out, write, lambda *_: False)
    running = asyncio.create_task(watch.run())
    await watch.seat(PLACE, "ada")({}, receive, send)
    running.cancel()
    assert written[0] == 1
    assert tries > refused
