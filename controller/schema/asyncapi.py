"""The AsyncAPI 3 document: every topic, who speaks on it, and what a message there looks like."""

from __future__ import annotations

import msgspec

from controller import __version__
from controller.outbox.commands import COMMANDS
from controller.outbox.envelope import CONTENT_TYPE, SPEC_VERSION, message_type
from controller.outbox.topics import ROOT
from controller.schema.documents import RETAINED, Schema, components, schema_name
from controller.vocabulary.messages import MESSAGES
from controller.vocabulary.replies import Reply

_SCHEMAS = "#/components/schemas/{name}"
_SAYS = {
    "status": "Birth, farewell and will of the controller, with the head of the stream.",
    "result": "The last result or void.",
    "display": "All that a display needs.",
    "alerts": "What needs a person; an empty payload deletes it.",
    "acks": "Written by the consumer: everything up to here is safe with it.",
}
_BEHIND = {"alerts": ("alert", "Id of the alert."), "acks": ("consumer", "Name in mqtt.consumers.")}
_WRITTEN_BY_OTHERS = ("acks",)


def asyncapi() -> Schema:
    """The whole document."""
    channels: Schema = {"events": _stream()}
    operations: Schema = {"sendEvents": _operation("send", "events", "The stream, in order, QoS 1.")}
    for name in RETAINED:
        channels[name] = _retained(name)
        action = "receive" if name in _WRITTEN_BY_OTHERS else "send"
        operations[f"{action}{name.title()}"] = _operation(action, name, _SAYS[name])
    for name in COMMANDS:
        channels[f"command-{name}"] = _command(name)
        operation = _operation(
            "receive", f"command-{name}", f"Carry out {name}; refused when late or retained."
        )
        operation["reply"] = {"channel": {"$ref": "#/channels/replies"}}
        operations[f"receive{name.title()}"] = operation
    channels["replies"] = {
        "address": f"{ROOT}/{{site}}/{{table}}/replies/{{id}}",
        "description": "The answer to a command, under the id that it brought.",
        "parameters": {**_PLACE, "id": {"description": "Id of the command."}},
        "messages": {"reply": {"$ref": "#/components/messages/reply"}},
        "bindings": {"mqtt": {}},
    }
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


def _stream() -> Schema:
    return {
        "address": f"{ROOT}/{{site}}/{{table}}/events",
        "description": "The stream: not retained, sent again until every consumer has acknowledged it.",
        "parameters": _PLACE,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in MESSAGES},
        "bindings": {"mqtt": {}},
    }


def _retained(name: str) -> Schema:
    behind = _BEHIND.get(name)
    parameters = _PLACE if behind is None else {**_PLACE, behind[0]: {"description": behind[1]}}
    end = name if behind is None else f"{name}/{{{behind[0]}}}"
    return {
        "address": f"{ROOT}/{{site}}/{{table}}/{end}",
        "description": f"{_SAYS[name]} Retained.",
        "parameters": parameters,
        "messages": {name: {"$ref": f"#/components/messages/{name}"}},
        "bindings": {"mqtt": {}},
    }


def _command(name: str) -> Schema:
    return {
        "address": f"{ROOT}/{{site}}/{{table}}/commands/{name}",
        "description": _first_line(COMMANDS[name]),
        "parameters": _PLACE,
        "messages": {name: {"$ref": f"#/components/messages/command-{name}"}},
        "bindings": {"mqtt": {}},
    }


def _operation(action: str, channel: str, summary: str) -> Schema:
    bindings = {"mqtt": {"qos": 1, "retain": channel in RETAINED}}
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "summary": summary,
        "bindings": bindings,
    }


def _messages() -> Schema:
    found: Schema = {
        name: {"name": message_type(name), "summary": _first_line(struct), "payload": _envelope(name, struct)}
        for name, struct in MESSAGES.items()
    }
    for name, structs in RETAINED.items():
        pointers = [{"$ref": _SCHEMAS.format(name=struct.__name__)} for struct in structs]
        payload = pointers[0] if len(pointers) == 1 else {"anyOf": pointers}
        found[name] = {"name": name, "summary": _SAYS[name], "payload": payload}
    for name, struct in COMMANDS.items():
        pointer = {"$ref": _SCHEMAS.format(name=struct.__name__)}
        found[f"command-{name}"] = {"name": name, "summary": _first_line(struct), "payload": pointer}
    found["reply"] = {
        "name": "reply",
        "summary": _first_line(Reply),
        "payload": {"$ref": _SCHEMAS.format(name="Reply")},
    }
    return found


def _envelope(name: str, struct: type[msgspec.Struct]) -> Schema:
    """CloudEvents 1.0, structured JSON, with our extension attributes; its ``data`` is of the given shape."""
    return envelope_schema(name, {"$ref": _SCHEMAS.format(name=schema_name(struct))})


def envelope_schema(name: str, data: Schema) -> Schema:
    """The whole message of the stream around its ``data``."""
    members: Schema = {
        "specversion": {"const": SPEC_VERSION},
        "id": {"type": "string", "pattern": r"^\d+-\d+$", "description": "<epoch>-<sequence>"},
        "source": {"type": "string", "description": "/dealer-table/<site>/<table>"},
        "type": {"const": message_type(name)},
        "time": {"type": "string", "format": "date-time"},
        "datacontenttype": {"const": CONTENT_TYPE},
        "subject": {"type": "string", "description": "The round, where the message is about one."},
        "epoch": {"type": "integer", "minimum": 0, "description": "Larger for every new journal."},
        "sequence": {"type": "integer", "minimum": 1, "description": "From 1, without gaps."},
        "prevhash": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "SHA-256 of the canonical message before it in the epoch, zeros for the first.",
        },
        "mode": {"enum": ["live", "test"]},
        "historical": {"const": True, "description": "There where the message is sent late; not hashed."},
        "data": data,
    }
    optional = ("subject", "historical")
    return {
        "type": "object",
        "properties": members,
        "required": [member for member in members if member not in optional],
    }


def _schemas() -> Schema:
    structs = [*MESSAGES.values(), *(one for structs in RETAINED.values() for one in structs)]
    return dict(components([*structs, *COMMANDS.values(), Reply], _SCHEMAS))


def _first_line(struct: type[msgspec.Struct]) -> str:
    return " ".join((struct.__doc__ or "").split("\n\n")[0].split())
