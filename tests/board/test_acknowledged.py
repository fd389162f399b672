"""Who has seen an alert: by a badge, on the pit's pages, in a file that stays; and which pages are whose."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from controller.board.acknowledged import Acknowledgements
from controller.board.settings import load_board_settings
from controller.vocabulary.errors import ConfigurationError
from tests.board.boxes import violations
from tests.board.played import PlayedTable, Publisher
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker
from tests.harness.patience import PATIENCE_S
from tests.harness.process import comes

SAID = "the outbox is half full"


def configured(folder: Path, broker: Broker, keys: str) -> BoardProcess:
    """A board with more keys than options name."""
    file = folder / "board.toml"
    file.write_text(f"[mqtt]\nport = {broker.port}\n[board]\n{keys}\n")
    return BoardProcess(folder, f"--config={file}")


@pytest.fixture
def pit(floor_broker: Broker, tmp_path: Path) -> Iterator[BoardProcess]:
    """A board that records who has seen an alert."""
    keys = 'tables = ["pit/+"]\nacknowledged = "seen.jsonl"\nbadges = ["S-1", "S-2"]'
    with configured(tmp_path, floor_broker, keys) as running:
        yield running


@pytest.fixture
def tables(tmp_path: Path, publisher: Publisher) -> Iterator[tuple[PlayedTable, PlayedTable]]:
    """Two of them; the second has an alert."""
    two = [PlayedTable(tmp_path / name, publisher, name, "baccarat", site="pit") for name in ("1", "2")]
    two[1].alert("outbox", SAID, "outbox_full")
    yield two[0], two[1]
    for table in two:
        table.alert("outbox", None)
        for topic in table.retained:
            publisher.retain(topic, b"")


def posted(board: BoardProcess, body: object, kind: str = "application/json") -> int:
    request = urllib.request.Request(
        f"{board.url}/acknowledge", json.dumps(body).encode(), {"content-type": kind}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


def test_an_alert_is_acknowledged_with_a_badge_and_stays_seen_over_a_restart(
    page: Page, pit: BoardProcess, tables: tuple[PlayedTable, PlayedTable], tmp_path: Path
) -> None:
    calm, troubled = tables
    page.goto(pit.url)
    order = "cards => cards.map(card => card.dataset.table)"
    expect(page.locator(".table-card.troubled")).to_have_count(1)
    comes(lambda: page.locator("[data-table]").evaluate_all(order), [troubled.path, calm.path])
    page.get_by_role("button", name="Acknowledge, Table 2").click()
    expect(page.locator("dialog")).to_contain_text(SAID)
    assert violations(page) == {}
    page.keyboard.type("nobody")
    page.keyboard.press("Enter")
    expect(page.locator("dialog [role=alert]")).to_have_text("This badge may not acknowledge")
    page.locator("dialog input").fill("S-1")
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".alert.seen")).to_contain_text("Seen by S-1")
    expect(page.locator(".table-card.troubled, .acknowledge")).to_have_count(0)
    expect(page.locator("[data-filter=trouble]")).to_contain_text("0")
    line = json.loads((tmp_path / "seen.jsonl").read_text())
    assert (line["by"], line["table"], line["code"], line["message"]) == ("S-1", "2", "outbox_full", SAID)
    pit.stop()
    pit.start()
    page.goto(f"{pit.url}/dealer/{troubled.path}")
    expect(page.locator(".alerts .seen")).to_contain_text("Seen by S-1")
    troubled.alert("outbox", "the outbox is full", "outbox_full")
    expect(page.locator(".alerts .acknowledge")).to_be_visible()
    expect(page.locator(".alerts .seen")).to_have_count(0)
    page.locator(".alerts .acknowledge").click()
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    # Escape closed the form, and nothing else.
    expect(page).to_have_url(re.compile(f"/dealer/{troubled.path}$"))


def test_only_what_was_seen_is_recorded_and_only_of_whom_may(
    pit: BoardProcess, tables: tuple[PlayedTable, PlayedTable], tmp_path: Path
) -> None:
    raised = json.loads(tables[1].retained[f"{tables[1].base}/alerts/outbox"])["at"]
    saw = {"site": "pit", "table": "2", "mode": "live", "badge": "S-2"}
    assert posted(pit, {**saw, "alerts": [{"id": "outbox", "at": "2020-01-01T00:00:00Z"}]}) == 200
    assert posted(pit, {**saw, "alerts": [{"id": "other", "at": raised}]}) == 200
    assert (tmp_path / "seen.jsonl").read_text() == "", "an earlier raising, and no alert of this table"
    named = [{"id": "outbox", "at": raised}]
    assert posted(pit, {**saw, "alerts": named, "badge": "S-3"}) == 403
    assert posted(pit, {**saw, "alerts": []}) == 422
    assert posted(pit, {**saw, "alerts": named, "badge": "S 2"}) == 422
    assert posted(pit, {**saw, "alerts": named}, "text/plain") == 415
    assert posted(pit, ["x" * 70_000]) == 413


def test_nothing_can_be_acknowledged_where_nothing_is_recorded(board: BoardProcess) -> None:
    assert posted(board, {}) == 405


def test_a_line_that_was_cut_off_hides_no_other(tmp_path: Path) -> None:
    file = tmp_path / "seen.jsonl"
    file.write_text('{"time": "2026-01-01T00:00:00Z", "by": "S-')
    record = Acknowledgements(file)
    record.write(())
    assert file.read_text().endswith("S-\n")
    with pytest.raises(ConfigurationError, match=r"board\.acknowledged: "):
        Acknowledgements(tmp_path)


def test_a_board_for_players_has_nothing_of_the_pit(
    page: Page, floor_broker: Broker, tmp_path: Path, tables: tuple[PlayedTable, PlayedTable]
) -> None:
    with configured(tmp_path, floor_broker, 'tables = ["pit/+"]\npages = ["players"]') as players:
        for path in ("/dealer/pit/2", "/stream/floor", "/stream/dealer/pit/2"):
            assert players.get(path)[0] == 404, path
        page.goto(f"{players.url}/?every=3")
        expect(page.locator(".board")).to_be_visible()
        with urllib.request.urlopen(f"{players.url}/stream/table/pit/2", timeout=PATIENCE_S) as stream:
            told = next(line for line in stream if line.startswith(b'data: {"site"'))
        assert SAID.encode() not in told, "what a table tells the pit is not for players"


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ('badges = ["S-1"]', r"board\.badges"),
        ('acknowledged = "a"\npages = ["players"]', r"board\.acknowledged"),
        ("pages = []", r"board\.pages"),
    ],
)
def test_keys_that_do_not_go_together_are_named(tmp_path: Path, keys: str, named: str) -> None:
    (tmp_path / "board.toml").write_text(f"[board]\n{keys}\n")
    with pytest.raises(ConfigurationError, match=named):
        load_board_settings(tmp_path / "board.toml")
