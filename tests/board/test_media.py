"""The house's picture or film where nobody plays, and its jackpot: shown when it should be, in every size."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from controller.__main__ import main
from controller.board.house import MOST_BYTES, read_house
from controller.board.jackpot import STALE_S, UNREAD_S, Jackpot, JackpotFile, check_jackpot, jackpot_now
from tests.board.boxes import SIZES, violations, wrong_boxes
from tests.board.played import PlayedTable
from tests.board.scenes import Laid, laid
from tests.harness.process import until

LONG = {"name": "The Grand Baccarat Dragon Progressive", "amount": 123_456_789_050, "currency": "EUR"}
DRAGON: dict[str, Any] = {"name": "Dragon", "amount": 12_345_600, "currency": "EUR"}
SHOWN = "bets_open", "result", "layout_c", "showdown", "seven_seats"
"""A page of each game, one with everything that a head can have."""
KEYS = 'house = "{0}/house"\njackpot = "{0}/jackpot.json"\n'


def write(file: Path, told: object) -> None:
    """As a house's system does: nobody reads half of it."""
    beside = file.with_suffix(".new")
    beside.write_text(told if isinstance(told, str) else json.dumps(told))
    beside.rename(file)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A house with a picture, a film and a jackpot."""
    house = tmp_path / "house"
    house.mkdir()
    cv2.imwrite(str(house / "tonight.png"), np.full((270, 480, 3), 90, np.uint8))
    film = cv2.VideoWriter(str(house / "tonight.webm"), cv2.VideoWriter_fourcc(*"VP80"), 10, (64, 36))  # type: ignore[attr-defined]
    for shade in range(20):
        film.write(np.full((36, 64, 3), 10 * shade, np.uint8))
    film.release()
    (house / "house.toml").write_text('name = "Casino Rheinblick"\nmedia = "tonight.png"\n')
    write(tmp_path / "jackpot.json", DRAGON)
    return tmp_path


@pytest.fixture(params=[SHOWN[:2]], ids=["baccarat"])
def floor(folder: Path, request: pytest.FixtureRequest) -> Iterator[Laid]:
    """A board of that house with some tables."""
    with laid(folder, *request.param, board=KEYS.format(folder)) as whole:
        yield whole


def idle_table(floor: Laid, folder: Path, name: str = "idle") -> PlayedTable:
    """A table whose shoe is loaded, and no round was played."""
    table = PlayedTable(folder / name, floor.tables["result"].publisher, name, "baccarat")
    table.shoe()
    return table


def test_media_stand_where_nobody_plays_and_go_with_the_first_bets(
    page: Page, floor: Laid, folder: Path
) -> None:
    table = idle_table(floor, folder)
    page.goto(f"{floor.board.url}/table/{table.path}")
    shown = page.locator(".media img")
    expect(shown).to_be_visible()
    expect(shown).to_have_js_property("naturalWidth", 480)
    expect(page.locator(".phase")).to_be_visible()
    table.open()
    expect(shown).to_have_count(0)
    expect(page.locator(".side.player")).to_be_visible()
    table.tell("bets_closed")
    table.tell("hold_requested", by="dealer")
    expect(page.locator(".notice.hold")).to_be_visible()
    expect(shown).to_have_count(0)
    table.tell("round_voided", reason="supervisor", by="S1")
    expect(page.locator(".notice.void")).to_be_visible()
    expect(shown).to_have_count(0)
    another = idle_table(floor, folder, "another")
    page.goto(f"{floor.board.url}/table/{another.path}")
    expect(shown).to_be_visible()
    floor.broker.kill()
    expect(page.locator(".notice.silent")).to_be_visible()
    expect(shown).to_have_count(0)


def worn_table(floor: Laid, folder: Path, name: str = "worn") -> PlayedTable:
    """A table whose shoe is finished."""
    table = idle_table(floor, folder, name)
    table.tell("cut_card_seen")
    table.rounds(1)
    return table


def test_media_rest_while_a_shoe_is_changed_and_the_notice_keeps_its_line(
    page: Page, floor: Laid, folder: Path
) -> None:
    table = worn_table(floor, folder)
    page.clock.install()
    page.goto(f"{floor.board.url}/table/{table.path}")
    shown, notice = page.locator(".media img"), page.locator(".notice.last-round")
    expect(page.locator(".felt .card").first).to_be_visible()  # the last round is looked at first
    expect(shown).to_have_count(0)
    page.clock.fast_forward(100_000)
    expect(shown).to_be_visible()
    expect(notice).to_have_text("This shoe is finished: another one is being prepared")
    expect(page.locator(".phase")).to_have_text("New shoe")
    table.tell("hold_requested", by="dealer")
    expect(page.locator(".notice.hold")).to_be_visible()
    expect(shown).to_have_count(0)
    table.tell("hold_cleared", choice="continue", by="S-1")
    expect(shown).to_be_visible()
    table.shoe()
    expect(notice).to_have_count(0)
    expect(shown).to_be_visible()
    table.open()
    expect(shown).to_have_count(0)
    table.tell("bets_closed")
    table.deal("no-card-of-ours")
    table.tell("round_voided", reason="foreign_card", by="S-1")
    expect(page.locator(".notice.void")).to_be_visible()
    assert table.display["may_open"]["code"] == "foreign_card"  # type: ignore[index]
    expect(shown).to_have_count(0)


@pytest.mark.parametrize(("motion", "plays"), [("no-preference", True), ("reduce", False)])
def test_a_film_is_silent_and_stands_still_where_the_system_asks_for_reduced_motion(
    page: Page, folder: Path, motion: str, plays: bool
) -> None:
    (folder / "house" / "house.toml").write_text('media = "tonight.webm"\n')
    with laid(folder, "bets_open", board=KEYS.format(folder)) as floor:
        table = PlayedTable(folder / "idle", floor.tables["bets_open"].publisher, "idle", "casino-holdem")
        table.tell("shoe_loaded", cards=52, shuffled=True)
        page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        page.goto(f"{floor.board.url}/table/{table.path}")
        film = page.locator(".media video")
        expect(film).to_have_js_property("readyState", 4)
        expect(film).to_have_js_property("muted", True)
        expect(film).to_have_js_property("paused", not plays)


def test_the_jackpot_is_what_the_file_says_and_goes_with_it(page: Page, floor: Laid, folder: Path) -> None:
    page.goto(f"{floor.board.url}/table/{floor.tables['bets_open'].path}")
    amount = page.locator(".jackpot .amount")
    expect(amount).to_have_text("€123,456")
    write(folder / "jackpot.json", {**DRAGON, "amount": 12_345_750})
    expect(amount).to_have_text("€123,457.50")
    write(folder / "jackpot.json", "{")
    expect(amount).to_have_count(0)
    write(folder / "jackpot.json", DRAGON)
    expect(amount).to_have_text("€123,456")
    floor.broker.kill()
    expect(page.locator(".notice.silent")).to_be_visible()
    expect(amount).to_have_count(0)


@pytest.mark.parametrize("floor", [SHOWN], ids=["all games"], indirect=True)
def test_with_the_longest_names_all_has_room_in_every_size_and_axe_finds_nothing(
    page: Page, floor: Laid, folder: Path
) -> None:
    write(folder / "jackpot.json", LONG)
    resting = {"idle": idle_table(floor, folder), "worn": worn_table(floor, folder)}
    page.emulate_media(reduced_motion="reduce")
    wrong: dict[str, object] = {}
    for name, table in {**floor.tables, **resting}.items():
        page.goto(f"{floor.board.url}/table/{table.path}?beside=zh")
        expect(page.locator(".jackpot .amount")).to_be_visible()
        for size in SIZES:
            if found := wrong_boxes(page, size):
                wrong[f"{name} {size}"] = found
        wrong |= {f"{name} {rule}": why for rule, why in violations(page).items()}
    assert wrong == {}


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (DRAGON, Jackpot(**DRAGON)),
        ({**DRAGON, "amount": 0}, Jackpot("Dragon", 0, "EUR")),
        ({**DRAGON, "amount": -1}, None),
        ({**DRAGON, "amount": 10.5}, None),
        ({**DRAGON, "currency": "euro"}, None),
        ({**DRAGON, "name": ""}, None),
        ({**DRAGON, "won": True}, None),
        ({"amount": 5}, None),
        ("", None),
    ],
)
def test_a_file_of_another_form_is_no_jackpot_and_no_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], told: object, read: Jackpot | None
) -> None:
    file = tmp_path / "jackpot.json"
    (tmp_path / "board.toml").write_text('[board]\njackpot = "jackpot.json"\n')
    assert main(["check-config", f"{tmp_path}/board.toml"]) == 0, "it may come later"
    assert jackpot_now(file) is None
    write(file, told)
    assert jackpot_now(file) == read
    assert main(["check-config", f"{tmp_path}/board.toml"]) == (2 if read is None else 0)
    assert ("board.jackpot: " in capsys.readouterr().err) == (read is None)
    old_s = time.time() - STALE_S - 1
    os.utime(file, (old_s, old_s))
    assert jackpot_now(file) is None


def test_a_film_may_be_larger_than_a_logo(folder: Path) -> None:
    film = folder / "house" / "tonight.webm"
    film.write_bytes(bytes(MOST_BYTES + 1))
    (folder / "house" / "house.toml").write_text('media = "tonight.webm"\n')
    told = read_house(f"{folder}/house").told()
    assert told["media"] == {"address": "/house/tonight.webm", "kind": "video/webm"}


def test_an_amount_goes_where_the_disk_does_not_answer_any_more(tmp_path: Path) -> None:
    """Whoever opens a pipe that nobody writes to waits, as on such a disk."""
    file, hung, now_s = tmp_path / "jackpot.json", tmp_path / "hung", [0.0]
    write(file, DRAGON)
    read = JackpotFile(file, lambda: now_s[0])
    read.start()
    until(lambda: read.shown() == Jackpot(**DRAGON), "the amount is read")
    os.mkfifo(hung)
    hung.rename(file)
    now_s[0] += UNREAD_S
    until(lambda: read.shown() is None, "the amount goes")
    read.stop()
    until(lambda: not opened(file), "whoever hangs in it is let go")


def opened(pipe: Path) -> bool:
    """Let go of who waits at a pipe; whether nobody does any more."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def test_a_jackpot_may_begin_with_the_mark_that_editors_of_windows_write(tmp_path: Path) -> None:
    file = tmp_path / "jackpot.json"
    write(file, DRAGON)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    check_jackpot(str(file))
    assert jackpot_now(file) == Jackpot(**DRAGON)
