"""The envelope of the stream, as a schema."""

from __future__ import annotations

from controller.outbox.envelope import CONTENT_TYPE, SPEC_VERSION, message_type

Schema = dict[str, object]


def envelope_schema(name: str, data: Schema) -> Schema:
    """A message of the stream around its ``data``: CloudEvents 1.0, structured JSON, with our attributes."""
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
        "keyid": {
            "type": "string",
            "pattern": "^[0-9a-f]{16}$",
            "description": "Which key signed it: the first digits of its SHA-256; not hashed.",
        },
        "signature": {
            "type": "string",
            "pattern": "^[A-Za-z0-9_-]{86}$",
            "description": "Ed25519 over its hash, base64url; not hashed. `replay` signs nothing.",
        },
    }
    optional = ("subject", "historical", "keyid", "signature")
    return {
        "type": "object",
        "properties": members,
        "required": [member for member in members if member not in optional],
    }
