"""The whole stack is stepped in one process: no thread, no sleep, the same from the same seed."""

from __future__ import annotations

import random
import threading
from pathlib import Path

from controller.journal.reader import SqliteReader
from controller.settings.devices import second_reader
from controller.settings.model import Settings
from controller.shell.identity import software_digest
from drivers.angel_eye import AngelEyeShoe
from drivers.bee_tek import BeeTekShoe
from drivers.line import LineShuffler
from drivers.registry import devices, tag_of
from drivers.scanner import ScannerShoe
from tests.harness.rules_by_hand import new_shoe, play
from tests.simulation.drawing import ROOMS as CORE_ROOMS
from tests.simulation.drawing import draw_configuration
from tests.simulation.stack_consumer import Settler
from tests.simulation.stack_desk import possible
from tests.simulation.stack_history import live_stack, stack_plan_of
from tests.simulation.stack_oracles import heard_out, sound
from tests.simulation.stack_settings import (
    DRIVERS_NOT_DRAWN,
    NOT_DRAWN,
    ROOMS,
    ROOMS_NOT_DRAWN,
    draw_rest,
)
from tests.simulation.stack_table import Floor, StackTable

HISTORIES = range(6)
"""Ten seconds of one core; fixed for the reason that ``test_simulation`` gives."""
SETTLED = {"mqtt": {"consumers": ["settlement"]}}


def deal(floor: Floor, table: StackTable, rounds: int) -> None:
    """So many rounds of baccarat out of one shoe."""
    cards = new_shoe()
    floor.chance.shuffle(cards)

    def key(line: str) -> None:
        table.panel.send(line)
        floor.step()
        assert table.panel.answer(0) == "OK"

    def draw(hand: str, number: int) -> str:
        while table.shoe.card(cards[-1], hand, number) is None:
            floor.pass_s(0.2)
        floor.pass_s(1.0)
        return cards.pop()

    key("SHOE 416")
    for _ in range(rounds):
        for line in ("OPEN", "CLOSE"):
            key(line)
            floor.pass_s(2.0)
        played = play(draw)
        table.shoe.result(played.winner, *played.pairs)
        floor.step()
        key("SETTLED")


def lived(folder: Path) -> list[bytes]:
    """The stream of a few rounds, two starts and a death; the consumer has it, the journal is sound."""
    floor = Floor(7)
    with floor.at_work():
        table = StackTable(floor, folder, "7", SETTLED)
        settler = Settler(floor.broker, floor.now, "settlement", "dealer-table/v1/north/7")
        settler.come()
        table.start()
        floor.pass_s(3)
        deal(floor, table, 3)
        table.die("torn")
        floor.pass_s(1)
        table.start()
        floor.pass_s(5)
        deal(floor, table, 2)
        table.stop()
        with SqliteReader.open(table.journal) as reader:
            stream = [message.body for message in reader.messages(0, 10_000)]
        assert list(heard_out([settler], stream)) == []
        assert list(sound(table.journal, software_digest())) == []
        return stream


def test_a_stack_is_stepped_without_threads_and_the_same_again(tmp_path: Path) -> None:
    threads = threading.active_count()
    streams = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        streams.append(lived(tmp_path / name))
    assert streams[0] == streams[1]
    assert sum(b'"dealertable.round.final.v1"' in body for body in streams[0]) == 4
    assert threading.active_count() == threads


def test_every_key_of_a_file_and_every_driver_is_drawn_or_says_why_not() -> None:
    dice, met, drivers = random.Random(1), set[str](), set[str]()
    for _ in range(60):
        drawn = possible(draw_configuration(dice, dice.choice(["baccarat", None])))
        rest = draw_rest(dice, "7", drawn)
        met |= {f"{room}.{key}" for room, keys in rest.rooms.items() for key in keys}
        met |= {key for keys in rest.devices.values() for key in keys}
        drivers |= {keys["driver"] for keys in rest.devices.values()}
    every = {f"{room}.{key}" for room, kind in ROOMS.items() for key in kind.__struct_fields__}
    for device in (AngelEyeShoe, BeeTekShoe, second_reader(ScannerShoe), LineShuffler):
        every |= set(device.__struct_fields__)
    assert every - met - set(NOT_DRAWN) == set()
    assert {*Settings.__struct_fields__} - {*ROOMS, *CORE_ROOMS, "devices"} == set(ROOMS_NOT_DRAWN)
    assert {tag_of(one) for one in devices()} - drivers == set(DRIVERS_NOT_DRAWN)


def test_the_first_histories_of_the_whole_stack_break_no_rule() -> None:
    for seed in HISTORIES:
        broken = live_stack(stack_plan_of(seed)).broken
        assert not broken, f"make simulate LEVEL=stack SEED={seed}: {broken}"
