"""What the recorder finds in a stream that a person must look into, in words."""

from __future__ import annotations

from controller.consumer.notices import AskedInVain, NewEpoch, NotNamed, SaysNoKey, TableNotice
from controller.consumer.store import Differs, Disagrees, NotAMessage, NotItsOwn, OtherEpoch
from controller.consumer.words import in_words


def finding(notice: TableNotice) -> tuple[str, str] | None:
    """A code and words; None where there is nothing to look into."""
    match notice:
        case OtherEpoch(ours, epoch) if epoch > ours:
            return "new_epoch", (
                f"somebody speaks under epoch {epoch}, a new journal; up to now it was {ours}. Only what the"
                " table's known key signed is recorded. Was its unit replaced? Then it has a new key: take it"
                " from dealer-table manifest at the table, and accept it with dealer-table record --accept"
            )
        case NewEpoch(before, epoch, keyid):
            return "new_epoch", (
                f"it goes on under epoch {epoch}, a new journal, signed by key {keyid}, and is recorded; up"
                f" to now it was {before}. Make sure that its unit or its journal was replaced"
            )
        case OtherEpoch(ours, epoch):
            return "old_epoch", (
                f"somebody speaks under epoch {epoch}, which ended: {ours} is recorded. Nothing of it is"
                " taken; switch the old unit off"
            )
        case Disagrees(sequence):
            return "chain", (
                f"message {sequence} does not follow on the one before it that is recorded: one of the two"
                " was changed. Nothing more of this table is taken; run dealer-table verify on its journal"
            )
        case Differs(sequence):
            return "differs", (
                f"another message came under the number {sequence}, which is recorded already: the journal"
                " was put back from a copy, or somebody changed a message. It is not taken"
            )
        case NotItsOwn() | SaysNoKey():
            return "signature", in_words(notice)
        case NotAMessage(reason):
            return "no_message", f"{reason}. It is not taken"
        case NotNamed(name):
            return "not_named", (
                f'it does not name {name}: write consumers = ["{name}"] under [mqtt] of the table'
            )
        case AskedInVain(code, message):
            return f"asked_{code}"[:40], f"it refuses to send again what is missing: {message}"
        case _:
            return None
