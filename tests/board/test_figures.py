"""The page of metrics of a board: every table of the floor, from what the broker has of it."""

from __future__ import annotations

import json
import socket
import urllib.request
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from controller.board.figures import METRICS, metrics_of
from controller.board.floor import Floor, take
from tests.board.played import PlayedTable, Publisher
from tests.board.serving import BoardProcess
from tests.cli.program import refused
from tests.harness.broker import Broker, free_port
from tests.harness.patience import PATIENCE_S

Figures = dict[str, dict[tuple[str, ...], float]]


def read(text: str) -> Figures:
    """Name without ``dealertable_`` -> values of the labels -> value; by a reader that is not ours."""
    return {
        family.name.removeprefix("dealertable_"): {
            tuple(sample.labels.values()): sample.value for sample in family.samples
        }
        for family in text_string_to_metric_families(text)
    }


def floor_of(*heard: tuple[str, object]) -> Floor:
    floor: Floor = {}
    for topic, said in heard:
        floor, _ = take(floor, f"dealer-table/v1/{topic}", json.dumps(said).encode())
    return floor


HOLD = {"game": "baccarat", "phase": "dealing", "hold": {"reason": "card_unread"}}
ALERT = {"id": "disk", "code": "disk", "message": "200 MB", "at": "2026-01-31T20:15:07Z"}


def test_every_table_says_whether_it_is_there_waits_or_has_an_alert() -> None:
    floor = floor_of(
        ("north/7/status", {"state": "online"}),
        ("north/7/display", HOLD),
        ("north/8/status", {"state": "lost"}),
        ("north/8/display", {"game": "baccarat", "phase": "idle"}),
        ("north/8/alerts/disk", ALERT),
        ("north/8/alerts/odd", {"words": "of another version"}),
        ("north/9/test/display", {"game": "baccarat", "phase": "idle"}),
    )
    found = read(metrics_of(floor, heard=True, pages=3))
    assert found["floor_tables"] == {("online",): 1, ("offline",): 0, ("lost",): 1, ("unknown",): 1}
    assert found["floor_table_online"] == {("north/7",): 1, ("north/8",): 0, ("north/9/test",): 0}
    assert found["floor_table_in_round"] == {("north/7",): 1, ("north/8",): 0, ("north/9/test",): 0}
    assert found["floor_table_held"] == {("north/7", "card_unread"): 1}
    assert found["floor_table_alert"] == {("north/8", "disk", "disk"): 1, ("north/8", "odd", "unknown"): 1}
    assert (found["floor_heard"], found["floor_pages"]) == ({(): 1}, {(): 3})
    assert set(found) == set(METRICS)


def test_a_thousand_tables_are_one_page() -> None:
    floor = floor_of(*((f"north/{number}/status", {"state": "online"}) for number in range(1000)))
    found = read(metrics_of(floor, heard=True, pages=0))
    assert len(found["floor_table_online"]) == 1000
    assert found["floor_tables"]["online",] == 1000


def test_no_figure_names_a_card() -> None:
    floor = floor_of(("north/7/display", HOLD | {"cards": [{"position": "player", "card": "KC"}]}))
    assert "KC" not in metrics_of(floor, heard=True, pages=0)


def test_a_board_serves_them_where_the_file_says(
    tmp_path: Path, floor_broker: Broker, publisher: Publisher
) -> None:
    PlayedTable(tmp_path / "table", publisher, "metrics", "baccarat")
    port = free_port()
    file = tmp_path / "board.toml"
    board = f'[board]\nmetrics_port = {port}\ntables = ["north/metrics"]\n'
    file.write_text(f"[mqtt]\nport = {floor_broker.port}\n{board}")
    with BoardProcess(tmp_path, f"--config={file}") as running:

        def figures() -> Figures:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_S) as answer:
                return read(answer.read().decode())

        online = {("north/metrics",): 1.0}
        assert running.get("/healthz")[0] in (200, 503), "its pages are where they were"
        running.until(lambda: figures().get("floor_table_online") == online, "the table's figures")
        assert figures()["floor_heard"] == {(): 1}


def test_a_port_that_is_taken_is_said_with_its_key(tmp_path: Path) -> None:
    file = tmp_path / "board.toml"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        file.write_text(f"[board]\nport = {free_port()}\nmetrics_port = {port}\n")
        assert f"board.metrics_port: port {port}: " in refused("board", "--config", str(file))
