"""The AsyncAPI 3 document: every topic, who speaks on it, and what a message there looks like."""

from __future__ import annotations

import msgspec

from controller import __version__
from controller.outbox.commands import COMMANDS
from controller.outbox.envelope import CONTENT_TYPE, message_type
from controller.outbox.topics import ROOT
from controller.schema.documents import (
    RETAINED,
    Schema,
    any_of,
    components,
    opened,
    schema_name,
    struct_docstring,
)
from controller.schema.envelope import envelope_schema
from controller.vocabulary.messages import MESSAGES
from controller.vocabulary.replies import Reply, SnapshotReply

_SCHEMAS = "#/components/schemas/{name}"
_SAYS = {
    "status": "Birth, farewell and will of the controller, with the head of the stream.",
    "result": "The last result or void.",
    "display": "All that a display needs.",
    "alerts": "What needs a person; an empty payload deletes it.",
    "acks": "Written by the consumer: everything up to here is safe with it.",
    "chat": "Written by who serves the seats: what was said last; an empty payload ends it.",
}
_NAMED = ("consumer", "Name in mqtt.consumers.")
_BEHIND = {"alerts": ("alert", "Id of the alert."), "acks": _NAMED}
_WRITTEN_BY_OTHERS = ("acks", "chat")


def asyncapi() -> Schema:
    """The whole document."""
    stream = "The stream: not retained, sent again until every consumer has acknowledged it."
    channels: Schema = {"events": _channel("events", stream, {name: name for name in MESSAGES})}
    again = "Messages of the stream again, for one consumer that says in its acknowledgement that it listens."
    channels["repeats"] = _channel("repeats/{consumer}", again, {name: name for name in MESSAGES}, *_NAMED)
    operations: Schema = {
        "sendEvents": _operation("send", "events", "The stream, in order, QoS 1."),
        "sendRepeats": _operation("send", "repeats", "What this consumer lacks, at its own pace, QoS 1."),
    }
    for name in RETAINED:
        channels[name] = _retained(name)
        action = "receive" if name in _WRITTEN_BY_OTHERS else "send"
        operations[f"{action}{name.title()}"] = _operation(action, name, _SAYS[name])
    for name, struct in COMMANDS.items():
        channel = f"command-{name}"
        channels[channel] = _channel(f"commands/{name}", _first_line(struct), {name: channel})
        operation = _operation("receive", channel, f"Carry out {name}; refused when late or retained.")
        operation["reply"] = {"channel": {"$ref": "#/channels/replies"}}
        operations[f"receive{name.title()}"] = operation
    channels["replies"] = _channel(
        "replies/{id}",
        "The answer to a command, under the id that it brought.",
        {"reply": "reply"},
        "id",
        "Id of the command.",
    )
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "dealer-table",
            "version": __version__,
            "description": "What the controller under a card table says and hears over MQTT. A table in test"
            " mode has /test before the last part of each topic. A type gets a new number (v2) when a member"
            " is removed or means something else; members are added without.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": CONTENT_TYPE,
        "servers": {
            "broker": {
                "host": "127.0.0.1:1883",
                "protocol": "mqtt",
                "protocolVersion": "5",
                "description": "[mqtt] of the table, TLS with [mqtt.tls]; MQTT 3.1.1 where there is no 5.",
            }
        },
        "channels": channels,
        "operations": operations,
        "components": {"messages": _messages(), "schemas": _schemas()},
    }


_PLACE: Schema = {
    "site": {"description": "table.site of the configuration."},
    "table": {"description": "table.id of the configuration."},
}


def _channel(end: str, description: str, messages: dict[str, str], part: str = "", what: str = "") -> Schema:
    """A topic that ends so; ``part``: a parameter in its end, and what that is."""
    return {
        "address": f"{ROOT}/{{site}}/{{table}}/{end}",
        "description": description,
        "parameters": {**_PLACE, part: {"description": what}} if part else _PLACE,
        "messages": {name: {"$ref": f"#/components/messages/{one}"} for name, one in messages.items()},
        "bindings": {"mqtt": {}},
    }


def _retained(name: str) -> Schema:
    part, what = _BEHIND.get(name, ("", ""))
    end = f"{name}/{{{part}}}" if part else name
    return _channel(end, f"{_SAYS[name]} Retained.", {name: name}, part, what)


def _operation(action: str, channel: str, summary: str) -> Schema:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "summary": summary,
        "bindings": {"mqtt": {"qos": 1, "retain": channel in RETAINED}},
    }


def _messages() -> Schema:
    found: Schema = {
        name: _message(
            message_type(name), _first_line(struct), envelope_schema(name, any_of([struct], _SCHEMAS))
        )
        for name, struct in MESSAGES.items()
    }
    for name, structs in RETAINED.items():
        found[name] = _message(name, _SAYS[name], any_of(structs, _SCHEMAS))
    for name, struct in COMMANDS.items():
        found[f"command-{name}"] = _message(name, _first_line(struct), any_of([struct], _SCHEMAS))
    found["reply"] = _message("reply", _first_line(Reply), any_of([SnapshotReply, Reply], _SCHEMAS))
    return found


def _message(name: str, summary: str, payload: Schema) -> Schema:
    return {"name": name, "summary": summary, "payload": payload}


def _schemas() -> Schema:
    structs = [*MESSAGES.values(), *(one for structs in RETAINED.values() for one in structs)]
    found = components([*structs, *COMMANDS.values(), Reply, SnapshotReply], _SCHEMAS)
    asked = {schema_name(struct) for struct in COMMANDS.values()}
    return {name: shape if name in asked else opened(shape) for name, shape in found.items()}


def _first_line(struct: type[msgspec.Struct]) -> str:
    return struct_docstring(struct).partition("\n\n")[0]
