"""The figures of a whole floor, as Prometheus reads them: what the board hears of every table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controller.board.floor import Floor, SeenTable, read_display, read_parts, read_state
from controller.exposition import Kind, Sample, exposition
from controller.vocabulary.display import Alert
from controller.vocabulary.errors import read_json
from controller.vocabulary.values import IN_ROUND

METRICS: Mapping[str, tuple[Kind, str]] = {
    "floor_heard": ("gauge", "1 while the board hears its broker; else all below is as it was then."),
    "floor_tables": ("gauge", "Tables that are known, by what they last said of themselves: `state`."),
    "floor_table_online": ("gauge", "1 while the table says that it is online, else 0."),
    "floor_table_in_round": ("gauge", "1 from the opening of the bets to the end of the settlement, else 0."),
    "floor_table_held": ("gauge", "1 while the table waits for a supervisor, by `reason`."),
    "floor_table_alert": (
        "gauge",
        "1 for each alert that stands at the table, by its id (`alert`) and `code`.",
    ),
    "floor_pages": ("gauge", "Pages that are open at this board."),
}
"""Name without ``dealertable_`` -> kind and meaning; also on the page of the documentation."""
STATES = ("online", "offline", "lost", "unknown")


def metrics_of(floor: Floor, *, heard: bool, pages: int) -> str:
    """All of them; each of a table has the label ``table``, as ``north/7``, with ``/test`` in test mode."""
    states = {key: read_state(seen.status) or "unknown" for key, seen in floor.items()}
    counted = {state: sum(one == state for one in states.values()) for state in STATES}
    samples: dict[str, list[Sample]] = {
        "floor_heard": [("floor_heard", {}, heard)],
        "floor_tables": [("floor_tables", {"state": state}, number) for state, number in counted.items()],
        "floor_pages": [("floor_pages", {}, pages)],
    }
    for key, seen in floor.items():
        for name, labels, value in _of_table(seen, online=states[key] == "online"):
            samples.setdefault(name, []).append((name, {"table": key.path, **labels}, value))
    return exposition(METRICS, samples)


def _of_table(seen: SeenTable, *, online: bool) -> Iterator[Sample]:
    shown = read_display(seen.display) or read_parts(seen.display)
    yield "floor_table_online", {}, online
    yield "floor_table_in_round", {}, shown.phase in IN_ROUND
    if shown.hold is not None:
        yield "floor_table_held", {"reason": shown.hold.reason}, 1
    for name, body in seen.alerts.items():
        alert = read_json(body, Alert)
        yield "floor_table_alert", {"alert": name, "code": "unknown" if alert is None else alert.code}, 1
