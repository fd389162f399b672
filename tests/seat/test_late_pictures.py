"""Answers and pictures of the seat come by two ways: a picture of before a call may come after its answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.harness.process import comes
from tests.seat.reading import lies, spot, taken
from tests.seat.rooms import Rooms

KEEP = """async () => {
  const { SeatSource } = await import("/seat/app/stream.js");
  const tell = SeatSource.prototype.tell;
  const pictures = (window.pictures = { told: [], late: [], kept: false });
  SeatSource.prototype.tell = function (event) {
    if (!event.startsWith("event: seat\\n")) return tell.call(this, event);
    (pictures.kept ? pictures.late : pictures.told).push(event);
    pictures.source = this;
    if (!pictures.kept) tell.call(this, event);
  };
  pictures.again = () => tell.call(pictures.source, pictures.told.at(-1));
  pictures.come = () => {
    pictures.kept = false;
    for (const event of pictures.late.splice(0)) pictures.source.tell(event);
  };
}"""
"""Pictures can be kept back on their way to the page; ``again``: the one before them comes now."""


@pytest.fixture
def late(floor: Rooms, page: Page) -> Iterator[Page]:
    """A seat at which player lies with 100, and the next pictures are late."""
    table = floor.sit(page, "baccarat", "eve")
    page.evaluate(KEEP)
    table.open()
    spot(page, "player").click()
    lies(page, "player", 100)
    comes(lambda: page.evaluate("""window.pictures.told.at(-1)?.includes('"stake":100')"""), True)
    page.evaluate("window.pictures.kept = true")
    yield page
    table.say("CLOSE; VOID supervisor")


def test_a_bet_that_was_taken_lies_on_when_an_older_picture_comes(late: Page) -> None:
    """SPACE would have been REPEAT, on top of the bet."""
    spot(late, "banker").click()
    lies(late, "banker", 100)
    late.evaluate("window.pictures.again()")
    lies(late, "banker", 100)
    late.keyboard.press("Space")
    lies(late, "banker", 200)
    late.evaluate("window.pictures.come()")
    lies(late, "banker", 200)
    lies(late, "player", 200)


def test_a_bet_that_was_undone_does_not_lie_again_when_an_older_picture_comes(late: Page) -> None:
    late.keyboard.press("Control+z")
    lies(late, "player", None)
    late.evaluate("window.pictures.again()")
    lies(late, "player", None)
    spot(late, "player").click()
    lies(late, "player", 100)
    late.evaluate("window.pictures.come()")
    lies(late, "player", 100)


def test_what_was_given_back_elsewhere_lies_no_longer(late: Page, floor: Rooms) -> None:
    """A picture that knows of the bet decides, whatever the answer said."""
    spot(late, "tie").click()
    lies(late, "tie", 100)
    service = floor.service.caller("eve")
    round_ = floor.tables["baccarat"].shown()["round"]
    service.post("bets/undo", {"id": "elsewhere", "round": round_}, floor.tables["baccarat"].path)
    late.evaluate("window.pictures.come()")
    lies(late, "tie", None)
    taken(late)
    expect(spot(late, "player")).to_have_attribute("data-stake", "100")
