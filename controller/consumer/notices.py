"""What is noticed about one table's stream, for its owner; ``words.py`` has it in words."""

from __future__ import annotations

import msgspec

from controller.consumer.store import Outcome


class NotNamed(msgspec.Struct, frozen=True):
    """The table does not know this consumer; name it under mqtt.consumers there."""

    name: str


class AskedInVain(msgspec.Struct, frozen=True):
    """The table refused what we asked for; with ``late`` or ``expires_too_far_ahead`` a clock is wrong."""

    code: str
    message: str


class Answered(msgspec.Struct, frozen=True):
    """The table's answer to a command of ours; ``code``: why it was refused."""

    id: str
    ok: bool
    code: str = ""


class Pinned(msgspec.Struct, frozen=True):
    """The key that this table signs with, from here on: compare it with what ``dealer-table setup`` or
    ``manifest`` said at the table."""

    epoch: int
    keyid: str
    key: str


class NewEpoch(msgspec.Struct, frozen=True):
    """We went over to a larger epoch: a message of it came that a key signed which is believed."""

    before: int
    epoch: int
    keyid: str


class SaysNoKey(msgspec.Struct, frozen=True):
    """The table's status names no key, and none was given: its software is too old to sign."""


TableNotice = Outcome | Answered | NotNamed | AskedInVain | Pinned | NewEpoch | SaysNoKey
