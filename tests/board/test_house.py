"""A house's own look, the nearest language, and a language that is written from the right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from controller.__main__ import main
from controller.board.guard import SECURITY, headers_for
from controller.board.house import READ_ON, SEEN_ON, contrast, read_house, theme_colours
from controller.board.settings import BoardKeys
from controller.vocabulary.errors import ConfigurationError
from tests.board.played import PlayedTable, Publisher
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker
from tests.harness.process import comes

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 3"><path d="M0 0h9v3z"/></svg>'
LOOK = """
name = "Casino Rheinblick"
theme = "dark"
logo = "logo.svg"
[colours]
panel = "#2a0f22"
"""
ARABIC = {"phase.betting": "ضعوا رهاناتكم", "position.player": "اللاعب", "position.banker": "المصرفي"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A house's folder, and the words of a language of its own."""
    (tmp_path / "house.toml").write_text(LOOK)
    (tmp_path / "logo.svg").write_text(LOGO)
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "ar.json").write_text(json.dumps(ARABIC))
    keys = f'[board]\nhouse = "{tmp_path}"\nwords = "{tmp_path}/words"\nbeside = "zh"\n'
    (tmp_path / "board.toml").write_text(keys)
    return tmp_path


@pytest.mark.parametrize(
    ("look", "said"),
    [
        ('logo = "logo.gif"', "logo: logo.gif: expected a file that ends in .svg"),
        ('font = "none.woff2"', "font: .*none.woff2: No such file"),
        ('[colours]\nink = "#333333"', "colours.ink: a contrast of .* with panel, 4.5 is needed"),
        (
            '[colours]\npanel = "#f4f4f4"',
            "colours.panel: a contrast of 1.0 with alarm, 3.0 is needed to see alarm",
        ),
        ('[colours]\nbrass = "#335544"', "colours.brass: a contrast of .* with ground, 4.5 is needed"),
        ('[colours]\nedge = "#113322"', "colours.edge: a contrast of .* with panel, 3.0 is needed to see it"),
        (
            'theme = "light"\n[colours]\npanel = "#2a0f22"',
            "colours.panel: .* with player, 4.5 is needed to read player",
        ),
        ('media = "film.avi"', "media: film.avi: expected a file that ends in .*.mp4, .webm"),
        ('media = "film.webm"', "media: .*film.webm: No such file"),
        ('[colours]\nred = "#ff0000"', "colours.red"),
        ('[colours]\nink = "white"', "colours.ink"),
    ],
)
def test_a_look_that_is_wrong_is_named_with_its_key(folder: Path, look: str, said: str) -> None:
    (folder / "house.toml").write_text(look)
    with pytest.raises(ConfigurationError, match=said):
        read_house(str(folder))


def test_check_config_reads_the_file_of_a_board_with_its_look(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-config", f"{folder}/board.toml"]) == 0
    told = capsys.readouterr()
    assert "Casino Rheinblick" in told.out
    assert "warning: words ar: " in told.err
    assert "texts missing: board, title.table, title.dealer ..." in told.err
    (folder / "logo.svg").unlink()
    assert main(["check-config", f"{folder}/board.toml"]) == 2
    assert "logo: " in capsys.readouterr().err


def test_our_own_colours_pass_what_a_house_is_asked_for() -> None:
    for theme in ("dark", "light", "contrast"):
        ours = theme_colours(theme)
        assert {(one, other) for one, other in READ_ON if contrast(ours[one], ours[other]) < 4.5} == set()
        assert {(one, other) for one, other in SEEN_ON if contrast(ours[one], ours[other]) < 3} == set()
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_a_page_may_be_framed_by_the_sites_that_are_named_and_by_no_other() -> None:
    assert headers_for(BoardKeys().framed_by) == SECURITY
    framed = dict(headers_for(("https://signage.example",)))
    assert b"frame-ancestors https://signage.example" in framed[b"content-security-policy"]
    assert b"x-frame-options" not in framed


def test_a_house_shows_its_look_its_languages_and_the_right_side_first(
    page: Page, broker: Broker, folder: Path
) -> None:
    options = (f"--config={folder}/board.toml", f"--mqtt-port={broker.port}")
    with BoardProcess(folder, *options) as board:
        table = PlayedTable(folder / "table", Publisher(broker.port), "7", "baccarat")
        table.shoe()
        table.open()
        page.goto(f"{board.url}/table/{table.path}")
        expect(page.locator(".head .logo")).to_have_attribute("alt", "Casino Rheinblick")
        comes(lambda: page.evaluate("document.querySelector('.logo').naturalWidth > 0"), True)
        expect(page.locator(".side").first).to_have_css("background-color", "rgb(42, 15, 34)")
        expect(page.locator(".phase .beside")).to_have_text("请下注")
        for asked, language in (("zh-TW", "zh-Hant"), ("zh-CN", "zh"), ("en-GB", "en"), ("xx", "en")):
            page.goto(f"{board.url}/table/{table.path}?lang={asked}")
            expect(page.locator("main.board")).to_be_visible()
            expect(page.locator("html")).to_have_attribute("lang", language)
        page.goto(f"{board.url}/table/{table.path}?lang=ar&beside=ar")
        expect(page.locator(".phase")).to_have_text("ضعوا رهاناتكم")
        left = "document.querySelector('.side.{}').getBoundingClientRect().left".format
        # Who reads from the right sees the Player at the right.
        comes(lambda: page.evaluate(f"{left('player')} > {left('banker')}"), True)
        table.publisher.close()


HEARD = """() => {
    window.tones = [];
    const real = AudioContext.prototype.createOscillator;
    AudioContext.prototype.createOscillator = function () {
        const tone = real.call(this);
        const start = tone.start.bind(tone);
        tone.start = (at) => { window.tones.push(tone.frequency.value); start(at); };
        return tone;
    };
}"""


def test_a_board_is_heard_where_its_address_asks_for_it(
    page: Page, board: BoardProcess, publisher: Publisher, tmp_path: Path
) -> None:
    table = PlayedTable(tmp_path, publisher, "loud", "baccarat")
    table.shoe()
    page.add_init_script(f"({HEARD})()")
    for address, heard in ((f"/table/{table.path}", False), (f"/table/{table.path}?sound=on", True)):
        page.goto(board.url + address)
        expect(page.locator("[data-phase=idle]")).to_be_visible()
        comes(lambda: page.evaluate("tones"), [])
        table.open()
        expect(page.locator("[data-phase=betting]")).to_be_visible()
        comes(lambda: page.evaluate("tones.length > 0"), heard)
        table.close()
        table.tell("shoe_loaded", cards=416, shuffled=True)
        expect(page.locator("[data-phase=idle]")).to_be_visible()  # the board has heard of it
    page.goto(f"{board.url}/?sound=on")
    expect(page.locator(f"[data-table='{table.path}']")).to_be_visible()
    comes(lambda: page.evaluate("tones"), [])  # what was so before is not news
    table.alert("disk", "the disk is full")
    expect(page.get_by_text("the disk is full")).to_be_visible()  # other tables of this broker have their own
    comes(lambda: page.evaluate("tones.length"), 4)  # somebody is needed
    table.alert("disk", None)
