"""docs/reference/metrics.md: every figure of the metrics page."""

from __future__ import annotations

from collections.abc import Mapping

from controller.recorder.metrics import METRICS as OF_RECORDER
from controller.shell.observing.metrics import METRICS
from making.pages.text import page, table

INTRODUCTION = """\
With `observe.metrics_port` the daemon answers at `http://127.0.0.1:<port>/metrics`, on loopback only; use a proxy or a
local agent to pass it on. Every sample has the label `table` (`<site>/<table>`). Counters restart from zero
with the daemon. No figure and no label names a card.

[`config/prometheus/alerts.yml`](../../config/prometheus/alerts.yml) holds alert rules for what a floor should be woken for.
"""
RECORDER = """\
## The recorder of a floor

With `recorder.metrics_port` [`dealer-table record`](../how-to/record-a-floor.md) does the same, with the label `recorder`.
"""


def draw() -> str:
    """The page."""
    return page("Metrics", INTRODUCTION, rows_of(METRICS), RECORDER, rows_of(OF_RECORDER))


def rows_of(metrics: Mapping[str, tuple[str, str]]) -> str:
    """A table of them."""
    rows = ((f"`dealertable_{name}`", kind, meaning) for name, (kind, meaning) in metrics.items())
    return table(("name", "kind", "meaning"), rows)
