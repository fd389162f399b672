"""docs/reference/metrics.md: every figure of the metrics page."""

from __future__ import annotations

from collections.abc import Mapping

from controller.board.figures import METRICS as OF_FLOOR
from controller.recorder.metrics import METRICS as OF_RECORDER
from controller.shell.observing.metrics import METRICS
from making.pages.text import page, table

INTRODUCTION = """\
With `observe.metrics_port` the daemon answers at `http://127.0.0.1:<port>/metrics`, on loopback only; use a proxy or a
local agent to pass it on. Every sample has the label `table` (`<site>/<table>`). Counters restart from zero
with the daemon. No figure and no label names a card.

[`config/prometheus/alerts.yml`](../../config/prometheus/alerts.yml) holds alert rules for what a floor should be woken for.
"""
FLOOR = """\
## All tables, from one place

With `board.metrics_port` the [board](../how-to/result-board.md) of the pit serves figures of every table that it hears of: a
thousand tables are one page of 200 kB, and no unit is asked. [`config/prometheus/floor.yml`](../../config/prometheus/floor.yml)
holds the rules for them, [`config/grafana/floor.json`](../../config/grafana/floor.json) a dashboard of the floor for Grafana
(import it, and choose the Prometheus). Tables, recorder and board are three targets:

```text
scrape_configs:
  - job_name: dealer-table-floor
    static_configs: [{targets: ["127.0.0.1:9419"]}]
  - job_name: dealer-table-recorder
    static_configs: [{targets: ["127.0.0.1:9465"]}]
  - job_name: dealer-table
    file_sd_configs: [{files: ["units.json"]}]
```
"""
RECORDER = """\
## The recorder of a floor

With `recorder.metrics_port` [`dealer-table record`](../how-to/record-a-floor.md) does the same, with the label `recorder`.
"""


def draw() -> str:
    """The page."""
    return page(
        "Metrics", INTRODUCTION, rows_of(METRICS), RECORDER, rows_of(OF_RECORDER), FLOOR, rows_of(OF_FLOOR)
    )


def rows_of(metrics: Mapping[str, tuple[str, str]]) -> str:
    """A table of them."""
    rows = ((f"`dealertable_{name}`", kind, meaning) for name, (kind, meaning) in metrics.items())
    return table(("name", "kind", "meaning"), rows)
