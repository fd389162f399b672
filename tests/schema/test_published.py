"""Every message that a table says is what ``dealer-table schema`` promises.

The end-to-end tests hold theirs against the same schemas (``tests.schema.shapes``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.scenarios.conversation import Conversation, read_scenarios
from tests.schema.shapes import check
from tests.schema.walks import TABLES, Walk

STEPS = 200
CATALOGUE = sorted((Path(__file__).resolve().parents[1] / "scenarios" / "catalogue").glob("*.txt"))


@pytest.mark.parametrize("table", TABLES)
def test_whatever_happens_every_message_is_of_its_shape(tmp_path: Path, table: str) -> None:
    seen = {
        check(printed.topic.split("/", 4)[4], json.loads(bytes(printed.payload)))
        for printed in Walk(tmp_path, table, 7).walk(STEPS)
    }
    assert {"round.opened", "round.result", "round.void", "table.held", "display", "alerts"} <= seen


@pytest.mark.parametrize("path", CATALOGUE, ids=lambda path: path.stem)
def test_every_message_of_every_scenario_is_of_its_shape(path: Path) -> None:
    for scenario in read_scenarios(path):
        shown: dict[str, Any] = {}
        conversation = Conversation(scenario.configuration)
        for event in scenario.events():
            for message in conversation.tell(event).messages:
                check("events", message)
            for topic, payload in conversation.retained.items():
                if shown.get(topic) != payload:
                    check(topic, payload)
            shown = dict(conversation.retained)


def test_a_message_of_another_shape_is_noticed(tmp_path: Path) -> None:
    said = Walk(tmp_path, next(iter(TABLES)), 7).walk(20)
    printed = next(one for one in said if one.topic.endswith("/events"))
    payload = json.loads(bytes(printed.payload))
    check("events", payload)
    for wrong in ({**payload, "sequence": "1"}, {**payload, "more": 1}, {**payload, "data": {"more": 1}}):
        with pytest.raises(jsonschema_rs.ValidationError):
            check("events", wrong)
