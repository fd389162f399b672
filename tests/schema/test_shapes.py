"""The shapes are strict. The onlooker of scenarios and random events, and end-to-end tests, check every
published message against them.
"""

from __future__ import annotations

import jsonschema_rs
import pytest

from tests.scenarios.conversation import Conversation, configuration_of
from tests.schema.shapes import check


def test_a_message_of_another_shape_is_noticed() -> None:
    payload = Conversation(configuration_of("baccarat")).say("SHOE 416; OPEN").messages[0]
    check("events", payload)
    for wrong in ({**payload, "sequence": "1"}, {**payload, "more": 1}, {**payload, "data": {"more": 1}}):
        with pytest.raises(jsonschema_rs.ValidationError):
            check("events", wrong)
