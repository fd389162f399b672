"""The answer to a command that came over MQTT."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.vocabulary.values import Count, Sha256

Payload = Annotated[msgspec.Raw, Meta(extra_json_schema={"$comment": "any value"})]


class CommandError(msgspec.Struct, frozen=True):
    """Why a command was not carried out."""

    code: str
    message: str


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """``replies/<id>``: the answer to a command."""

    id: str
    """Of the command."""
    ok: bool
    """Whether it is carried out."""
    error: CommandError | UnsetType = UNSET
    """Where ``ok`` is false."""
    epoch: Count | UnsetType = UNSET
    """``resend`` and ``snapshot``."""
    sequence: Count | UnsetType = UNSET
    """``snapshot``: the head of the stream."""
    hash: Sha256 | UnsetType = UNSET
    """``snapshot``: of the last message of the stream."""
    retained: dict[str, Payload] | UnsetType = UNSET
    """``snapshot``: last part of each retained topic -> payload."""
    first: Count | UnsetType = msgspec.field(default=UNSET, name="from")
    """``resend``: messages from here ..."""
    last: Count | UnsetType = msgspec.field(default=UNSET, name="to")
    """... to here come again."""


class SnapshotReply(Reply, frozen=True, kw_only=True):
    """The answer to ``snapshot``."""

    cursors: dict[str, int]
    """Consumer -> the last sequence that it has acknowledged."""


def refusal(request_id: str, code: str, message: str) -> Reply:
    """The answer to a command that is not carried out."""
    return Reply(id=request_id, ok=False, error=CommandError(code, message))
