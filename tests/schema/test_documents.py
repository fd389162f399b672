"""The documents of ``dealer-table schema``: sound in themselves, and of one mind with the contract."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from jsonschema import Draft202012Validator, ValidationError

from controller.outbox.commands import COMMANDS, Refusal, read_command
from controller.outbox.topics import topics_of
from controller.schema.asyncapi import asyncapi
from controller.schema.documents import DOCUMENTS, GOING_OUT, document
from controller.vocabulary.codec import decode_event
from controller.vocabulary.errors import InputError
from controller.vocabulary.events import EVENTS
from controller.vocabulary.messages import MESSAGES
from tests.cli.program import dealer_table
from tests.harness.examples import EXAMPLES
from tests.scenarios.conversation import talk
from tests.schema.shapes import check

WHOLE = json.loads(json.dumps(asyncapi()))
CONTRACT_MESSAGES = """
    shoe.started shoe.burned shoe.ended round.opened round.bets_closed round.card round.odds
    round.decisions_opened round.decisions_closed round.revealed round.result round.settled round.final
    round.void table.opened table.closed table.dealer table.held table.resumed alert.raised alert.cleared
    device.lost device.restored epoch.started
"""
CONTRACT_EVENTS = """
    table_configured software_started table_opened table_closed dealer_signed_on dealer_signed_off
    shoe_loaded shuffle_completed
    shuffle_failed bets_opened bets_closed card_read card_unread cards_burned cards_collected cut_card_seen
    shoe_emptied shoe_counted seats_taken decisions_closed cards_revealed decisions_reported round_settled
    result_reported
    hold_requested card_entered card_returned round_voided hold_cleared device_lost
    device_restored timer_elapsed
"""


def pointers(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            if key == "$ref":
                yield one
            yield from pointers(one)
    elif isinstance(value, list):
        for one in value:
            yield from pointers(one)


def at(document: Any, pointer: str) -> Any:
    for part in pointer.removeprefix("#/").split("/"):
        document = document[part]
    return document


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_a_schema_complete_in_itself(name: str) -> None:
    shape = document(name)
    Draft202012Validator.check_schema(shape)
    for pointer in pointers(shape):
        assert at(shape, pointer)


def test_the_names_of_the_contract_are_all_there() -> None:
    assert set(CONTRACT_MESSAGES.split()) <= set(MESSAGES)
    assert set(CONTRACT_EVENTS.split()) <= set(EVENTS)
    assert {"resend", "snapshot", "decisions"} <= set(COMMANDS)


def test_every_pointer_of_the_asyncapi_document_leads_somewhere() -> None:
    for pointer in pointers(WHOLE):
        assert at(WHOLE, pointer) is not None
    for name, shape in WHOLE["components"]["schemas"].items():
        assert name
        Draft202012Validator.check_schema(shape)


def test_every_address_is_a_topic_of_the_table_with_its_parameters() -> None:
    topics = topics_of("north", "7")
    ours = {
        topics.events,
        topics.repeats("x"),
        topics.status,
        topics.result,
        topics.display,
        topics.chat,
        topics.alert("x"),
        topics.ack("x"),
        topics.reply("x"),
        *(topics.command(name) for name in COMMANDS),
    }
    found = set()
    for channel in WHOLE["channels"].values():
        assert set(re.findall(r"{(\w+)}", channel["address"])) == set(channel["parameters"])
        address = channel["address"].replace("{site}", "north").replace("{table}", "7")
        found.add(re.sub(r"{\w+}", "x", address))
    assert found == ours


def test_every_channel_is_used_by_an_operation() -> None:
    operations = WHOLE["operations"].values()
    ways = [*operations, *(one["reply"] for one in operations if "reply" in one)]
    assert {one["channel"]["$ref"].rpartition("/")[2] for one in ways} == set(WHOLE["channels"])
    assert {one["action"] for one in operations} == {"send", "receive"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_shipped_examples_are_of_the_shape_of_a_configuration(path: Path) -> None:
    values = tomllib.loads(path.read_text())
    Draft202012Validator(document("configuration")).validate(values)
    with pytest.raises(ValidationError, match="bets_seconds"):
        Draft202012Validator(document("configuration")).validate({**values, "round": {"bets_seconds": 20}})


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ('{"event": "card_read", "at": "2026-01-31T20:15:00Z", "code": "8S"}', True),
        ('{"event": "card_read", "at": "2026-01-31T20:15:00Z"}', False),
        ('{"event": "shoe_loaded", "at": "2026-01-31T20:15:00Z", "cards": -1}', False),
        ('{"event": "timer_elapsed", "at": "2026-01-31T20:15:00Z", "timer": "bets", "later": 1}', True),
    ],
)
def test_a_schema_and_the_reader_judge_an_event_alike(line: str, right: bool) -> None:
    values = json.loads(line)
    assert Draft202012Validator(document(f"event/{values['event']}")).is_valid(values) is right
    with nullcontext() if right else pytest.raises(InputError):
        decode_event(line.encode())


@pytest.mark.parametrize(
    ("name", "members", "right"),
    [
        ("resend", {"sequence": 7}, True),
        ("resend", {"sequence": 0}, False),
        ("resend", {}, False),
        ("snapshot", {}, True),
        ("snapshot", {"sequence": 7}, False),
        ("decisions", {"hand": "hand1", "play": 3, "fold": 1}, True),
        ("decisions", {"hand": "hand1", "play": -3, "fold": 1}, False),
    ],
)
def test_a_schema_and_the_table_judge_a_command_alike(
    name: str, members: dict[str, Any], right: bool
) -> None:
    now = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)
    command = {"id": "a1", "expires": (now + timedelta(seconds=30)).isoformat(), **members}
    assert Draft202012Validator(document(f"command/{name}")).is_valid(command) is right
    read = read_command(name, json.dumps(command).encode(), retained=False, now=now)
    assert isinstance(read, Refusal) is not right


def test_a_message_of_another_shape_is_noticed() -> None:
    """As in scenarios, random events and end-to-end tests, which hold all that is published against these."""
    payload = talk("baccarat", "SHOE 416; OPEN").stream[0]
    check("events", payload)
    for wrong in ({**payload, "sequence": "1"}, {**payload, "more": 1}, {**payload, "data": {"more": 1}}):
        with pytest.raises(jsonschema_rs.ValidationError):
            check("events", wrong)


def test_the_program_prints_what_was_asked_for() -> None:
    everything = json.loads(dealer_table("schema").stdout)
    assert set(everything["schemas"]) == set(DOCUMENTS)
    assert everything["asyncapi"]["asyncapi"] == "3.0.0"
    one = dealer_table("schema", "message/round.card")
    assert json.loads(one.stdout) == everything["schemas"]["message/round.card"]
    wrong = dealer_table("schema", "message/round.cards")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean message/round.card?" in wrong.stderr


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name.startswith(GOING_OUT)])
def test_what_goes_out_is_open_to_additions(name: str) -> None:
    assert '"additionalProperties": false' not in json.dumps(document(name))


def test_a_message_is_the_envelope_and_its_data_stands_alone_too() -> None:
    whole: Any = document("message/round.result")
    data = document("data/round.result")
    assert {"specversion", "epoch", "sequence", "data"} <= set(whole["required"])
    assert whole["$defs"] == data["$defs"]


def test_the_cursors_of_a_snapshot_are_promised() -> None:
    whole: Any = document("reply/snapshot")
    assert "cursors" in whole["$defs"]["SnapshotReply"]["required"]
