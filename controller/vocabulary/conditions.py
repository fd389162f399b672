"""Conditions: what holds at a table and lasts, as broker gone, disk short, other software.

This is the one home of their codes: what each means, whether it keeps the next round from opening, and what
becomes of it at a start. Watchers of the shell say which hold, the state keeps those that the record knows,
and the runbook is drawn from the table.
"""

from typing import Final

import msgspec

MOST_CHARACTERS = 400
"""Of a name or a message: as many as an event holds."""


class Condition(msgspec.Struct, frozen=True):
    """A condition that holds now."""

    message: str
    """What it is, and what to do, in words for people."""
    blocks_opening: bool
    """The running round is played to its end, no further one opens."""


class ConditionKind(msgspec.Struct, frozen=True):
    """What a code means."""

    code: str
    meaning: str
    """In words for a supervisor."""
    blocks_opening: bool = False
    """By its nature; a condition with degrees may say otherwise."""
    survives_restart: bool = False
    """It holds after a start until a watcher has looked; others hold only where they are found again."""
    has_subject: bool = False
    """There may be several, each with its subject: ``consumer-settlement``."""

    def named(self, subject: str) -> str:
        """The name of the condition of one subject, no longer than an event holds."""
        return _recordable(f"{self.code}-{subject}")

    def holds(self, message: str, *, blocks_opening: bool | None = None) -> Condition:
        """A condition of this kind, its message no longer than an event holds."""
        blocks = self.blocks_opening if blocks_opening is None else blocks_opening
        return Condition(_recordable(message), blocks)


def _recordable(text: str) -> str:
    """Of a path, or of a broker: it may hold half characters, or be of any length."""
    return text[:MOST_CHARACTERS].encode(errors="replace").decode()


CONDITIONS: Final[dict[str, ConditionKind]] = {}
"""Code -> kind, in the order of the runbook."""


def _kind(code: str, meaning: str, **nature: bool) -> ConditionKind:
    kind = CONDITIONS[code] = ConditionKind(code, meaning, **nature)
    return kind


BROKER = _kind("broker", "no connection to the broker", survives_restart=True)
PUBLISH_DENIED = _kind("publish-denied", "the broker refuses a topic")
LISTENERS = _kind("listeners", "nobody subscribes to the stream")
OTHER_UNIT = _kind("other-unit", "another controller says it is this table", blocks_opening=True)
MAY_NOT_RUN = _kind(
    "may-not-run", "another unit is this table, or this journal is not the table's", blocks_opening=True
)
NEWCOMER = _kind("newcomer", "another unit wanted to be this table and was turned away")
CERTIFICATE = _kind("certificate", "a certificate ends soon, or has ended", has_subject=True)
CONSUMER = _kind(
    "consumer", "a consumer is not heard, or is no longer named; its messages are kept", has_subject=True
)
JOURNAL = _kind("journal", "what is to be sent cannot be read from the journal", blocks_opening=True)
JOURNAL_DAMAGED = _kind(
    "journal_damaged",
    "an old record or message is not what was written; the message names the first bad record",
    blocks_opening=True,
    survives_restart=True,
)
SNAPSHOT_DAMAGED = _kind(
    "snapshot_damaged",
    "what a quick start goes on from was changed; the records it was made of are whole, or that is said too",
    survives_restart=True,
)
STUCK = _kind("stuck", "a button, or the beam, is active for longer than anybody presses", has_subject=True)
KEY_LEFT = _kind("key-left", "a supervisor's key has been turned for ten minutes", has_subject=True)
OUTPUTS = _kind("outputs", "light, lamps or lock on pins cannot be switched")
ACK = _kind("ack", "a consumer acknowledged what cannot be right", has_subject=True)
WITNESS = _kind(
    "witness",
    "a consumer holds another message than this journal",
    blocks_opening=True,
    survives_restart=True,
    has_subject=True,
)
OUTBOX_FULL = _kind(
    "outbox_full", "too many messages wait for a consumer", blocks_opening=True, survives_restart=True
)
OUTBOX_OLD = _kind(
    "outbox_old", "a message has waited too long for a consumer", blocks_opening=True, survives_restart=True
)
DISK_SHORT = _kind(
    "disk_short", "too little disk, or its folder is gone", blocks_opening=True, survives_restart=True
)
IDENTITY = _kind("identity", "this is not the approved software", blocks_opening=True, survives_restart=True)


def kind_of(name: str) -> ConditionKind | None:
    """The kind of a named condition; None for a name of other software."""
    exact = CONDITIONS.get(name)
    if exact is not None:
        return exact
    subjects = (kind for kind in CONDITIONS.values() if kind.has_subject and name.startswith(f"{kind.code}-"))
    return next(subjects, None)
