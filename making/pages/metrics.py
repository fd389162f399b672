"""docs/reference/metrics.md: every figure of the metrics page."""

from __future__ import annotations

from controller.shell.observing.metrics import METRICS
from making.pages.text import page, table

INTRODUCTION = """\
With `observe.metrics_port` the daemon answers at `http://127.0.0.1:<port>/metrics`, on loopback only; use a proxy or a
local agent to pass it on. Every sample has the label `table` (`<site>/<table>`). Counters restart from zero
with the daemon. No figure and no label names a card.

[`config/prometheus/alerts.yml`](../../config/prometheus/alerts.yml) holds alert rules for what a floor should be woken for.
"""


def draw() -> str:
    """The page."""
    rows = ((f"`dealertable_{name}`", kind, meaning) for name, (kind, meaning) in METRICS.items())
    return page("Metrics", INTRODUCTION, table(("name", "kind", "meaning"), rows))
