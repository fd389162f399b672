"""Alert rules and the picture of the floor: every figure that they name is one that somebody serves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.board.figures import METRICS as OF_FLOOR
from controller.recorder.metrics import METRICS as OF_RECORDER
from controller.shell.observing.metrics import METRICS as OF_TABLE
from tests.cli.program import HOUSE

METRICS = {**OF_TABLE, **OF_RECORDER, **OF_FLOOR}
RULES = sorted((HOUSE / "config" / "prometheus").glob("*.yml"))
PICTURES = sorted((HOUSE / "config" / "grafana").glob("*.json"))
FUNCTIONS = {
    "absent", "and", "by", "count", "histogram_quantile", "increase", "max", "min", "on", "or", "rate", "sum",
    "time", "topk", "up", "vector",
}  # fmt: skip
"""Words of the query language that are used, and the figure that Prometheus itself has of each target."""


def expressions(path: Path) -> Iterator[str]:
    """Every query of a file."""
    if path.suffix == ".yml":
        yield from re.findall(r"^ *expr: (.*)$", path.read_text(), re.MULTILINE)
        return
    for panel in json.loads(path.read_text())["panels"]:
        for target in panel["targets"]:
            yield target["expr"]


@pytest.mark.parametrize("path", [*RULES, *PICTURES], ids=lambda path: path.name)
def test_every_query_names_figures_that_there_are(path: Path) -> None:
    found = list(expressions(path))
    assert len(found) >= 7
    for query in found:
        for name in re.findall(r"dealertable_(\w+)", query):
            base = name.removesuffix("_bucket")
            assert base in METRICS, name
            assert (METRICS[base][0] == "histogram") is (base != name), name
            if METRICS[base][0] == "counter":
                assert re.search(rf"(rate|increase)\(dealertable_{name}", query), query


@pytest.mark.parametrize("path", [*RULES, *PICTURES], ids=lambda path: path.name)
def test_every_query_can_be_read(path: Path) -> None:
    """As far as words and brackets go."""
    for query in expressions(path):
        bare = re.sub(r'"[^"]*"', '""', query)
        for opening, closing in ("()", "{}", "[]"):
            assert bare.count(opening) == bare.count(closing), query
        outside = re.sub(r"\{[^}]*\}|\[\w+\]|\b(by|on) \([^)]*\)", "", bare)
        words = {word for word in re.findall(r"\b[a-z_]+", outside) if not word.startswith("dealertable_")}
        assert words <= FUNCTIONS, query


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_every_alert_has_a_name_of_its_own_and_says_what_it_is(path: Path) -> None:
    names = re.findall(r"- alert: (\w+)", path.read_text())
    everywhere = [name for one in RULES for name in re.findall(r"- alert: (\w+)", one.read_text())]
    assert [name for name in names if everywhere.count(name) > 1] == []
    assert len(re.findall(r"annotations: \{summary: \".*\"\}$", path.read_text(), re.MULTILINE)) == len(names)


def test_the_panels_of_the_floor_lie_beside_each_other() -> None:
    for path in PICTURES:
        taken: set[tuple[int, int]] = set()
        for panel in json.loads(path.read_text())["panels"]:
            at = panel["gridPos"]
            columns = range(at["x"], at["x"] + at["w"])
            place = {(x, y) for x in columns for y in range(at["y"], at["y"] + at["h"])}
            assert columns.stop <= 24
            assert not taken & place, panel["title"]
            taken |= place
