"""docs/reference/events-and-messages.md: what goes in, what comes out, and the commands over MQTT."""

from __future__ import annotations

import msgspec
from msgspec import inspect

from controller.outbox.commands import COMMANDS, LONGEST_S, PER_MINUTE
from controller.schema.documents import OPEN, RETAINED, field_docstrings, struct_docstring
from controller.vocabulary.events import EVENTS, Stamp
from controller.vocabulary.messages import MESSAGES
from controller.vocabulary.outcomes import Outcome
from controller.vocabulary.replies import Reply, SnapshotReply
from making.pages.text import page, plain_quotes, table

INTRODUCTION = """\
Topics are below `dealer-table/v1/<site>/<table>/`; a table in test mode has `test/` before the last level.
`dealer-table schema` prints all of this as JSON Schemas and as an AsyncAPI document; the tests check every message
against them. Members may be added to a message; removing one, or changing its meaning, takes a new type.
"""
STREAM = """\
On `events`, QoS 1, not retained: CloudEvents 1.0 in structured JSON. `id` is `<epoch>-<sequence>`, `type` is
`dealertable.<name>.v1`, `subject` the round, `prevhash` the SHA-256 of the canonical message before it (JSON
without spaces, members sorted by name, without `historical`, `keyid` and `signature`). `signature` is the table's
(Ed25519, base64url) over the SHA-256 of the canonical message itself, 32 bytes, and `keyid` names its key; both stand
last, behind all that is hashed. `status` and the first message after `replace` carry the `public_key`: pin it. The tables show the members of `data`.
"""
RECORD = """\
What the journal keeps and `dealer-table replay` reads: one flat JSON object per line, with the event's members and those
of the stamp. A file written by hand needs `event`, `at` and the members without a default.
"""


def draw() -> str:
    """The page."""
    parts = [INTRODUCTION, f"## The stream\n\n{STREAM}"]
    parts += [shape(f"`{name}`", struct) for name, struct in MESSAGES.items()]
    parts.append("## Retained topics\n")
    for name, structs in RETAINED.items():
        for struct in structs:
            place = (
                f"`{name}/<id>`"
                if name == "alerts"
                else f"`{name}/<consumer>`"
                if name == "acks"
                else f"`{name}`"
            )
            parts.append(shape(place, struct))
    parts.append(
        f"## Commands\n\nOn `commands/<name>`, not retained. `expires` may be at most {LONGEST_S} s ahead; the answer"
        " comes on `replies/<id>`. None of them voids a round, enters a card or reveals one.\n"
    )
    for name, command in COMMANDS.items():
        parts.append(shape(f"`{name}`", command, f"At most {PER_MINUTE[name]} a minute."))
    parts.append(shape("`replies/<id>`", Reply))
    parts.append(shape("`replies/<id>` to `snapshot`", SnapshotReply, "It also has:", known=Reply))
    parts.append(f"## Events\n\n{RECORD}")
    parts += [shape(f"`{name}`", struct) for name, struct in EVENTS.items()]
    parts.append(shape("The stamp", Stamp))
    return page("Events and messages", *parts)


def shape(
    title: str, struct: type[msgspec.Struct], more: str = "", known: type[msgspec.Struct] = msgspec.Struct
) -> str:
    """One message, event or payload; the members of ``known`` are left out."""
    docstrings = field_docstrings(struct)
    kind = inspect.type_info(struct)
    rows = [
        (
            f"`{field.encode_name}`",
            member_text(field.type, required=field.required),
            plain_quotes(docstrings.get(field.name, "")),
        )
        for field in (kind.fields if isinstance(kind, inspect.StructType) else ())
        if field.name not in known.__struct_fields__
    ]
    text = f"### {title}\n\n{plain_quotes(struct_docstring(struct))} {more}".rstrip() + "\n"
    return f"{text}\n{table(('member', 'value', 'meaning'), rows)}" if rows else text


def member_text(kind: inspect.Type, *, required: bool) -> str:
    """The type of a member; "may be left out" if it may."""
    text = type_text(kind)
    return text if required else f"{text}; may be left out"


def type_text(kind: inspect.Type) -> str:
    """A type in short."""
    match kind:
        case inspect.Metadata(type=inner):
            described = (kind.extra_json_schema or {}).get("description")
            return f"{type_text(inner)} ({described})" if described else type_text(inner)
        case inspect.UnionType(types):
            return " or ".join(type_text(one) for one in types)
        case inspect.StructType(cls=cls):
            shown = cls.__annotations__ if cls in OPEN else cls.__struct_fields__
            members = ", ".join(field.encode_name for field in kind.fields if field.name in shown)
            return f"{cls.__name__}: {members}"
        case inspect.LiteralType(values):
            return ", ".join(f"`{value!s}`" for value in values)
        case inspect.VarTupleType(item_type=item):
            return f"list of {type_text(item)}"
        case inspect.DictType(value_type=value):
            return f"object of {type_text(value)}"
        case inspect.CustomType(cls=cls) if cls is Outcome:
            return "object"
    return {
        "StrType": "text",
        "IntType": "integer",
        "FloatType": "number",
        "BoolType": "boolean",
        "NoneType": "null",
    }.get(type(kind).__name__, "any value")
