"""What a consumer noticed, in words for the people who run it: what happened, and what to do about it."""

from __future__ import annotations

from controller.consumer.consumer import AccessDenied, BrokerDown, BrokerUp, ConsumerNotice
from controller.consumer.notices import Answered, AskedInVain, NewEpoch, NotNamed, Pinned, SaysNoKey
from controller.consumer.store import (
    Differs,
    Disagrees,
    Gap,
    NoKey,
    NotAMessage,
    NotItsOwn,
    OtherEpoch,
    Repeated,
    Taken,
)

_UNTAKEN = "nothing is taken until somebody has looked into it"
_KEYS = {
    "unsigned": "Somebody else wrote it",
    "forged": "Somebody else wrote or changed it",
    "other_key": (
        "Where the table has a new key, compare it there (`dealer-table manifest`) and accept it with --key,"
        " or as `key` of the table"
    ),
}
_CLOCKS = ("late", "expires_too_far_ahead")


def in_words(seen: ConsumerNotice, *, accepts: bool = False) -> str:
    """One line for people; ``accepts``: whether a larger epoch is accepted, as ``--accept-epoch`` says."""
    match seen:
        case Taken(envelope=envelope):
            return f"kept {envelope.epoch}-{envelope.sequence}"
        case Repeated(epoch=epoch, sequence=sequence):
            return f"{epoch}-{sequence} was sent again and is kept already"
        case Gap(expected=expected, came=came):
            return f"message {came} came, but {expected} is still missing: asked for it again"
        case OtherEpoch():
            return _other_epoch(seen, accepts=accepts)
        case Disagrees(sequence=sequence, prevhash=prevhash, ours=ours):
            return (
                f"ALARM: message {sequence} does not follow on what is kept here: it names {prevhash} as"
                f" the hash of the one before, which is {ours} here. One of the two records was changed;"
                f" {_UNTAKEN}"
            )
        case Differs(sequence=sequence, theirs=theirs, ours=ours):
            return (
                f"ALARM: the table sends another message under the number {sequence}: its hash is {theirs},"
                f" that of the kept one {ours}. A journal was put back or changed; {_UNTAKEN}"
            )
        case NotItsOwn():
            return f"ALARM: REFUSED message {seen.sequence}: {seen.message}. {_KEYS[seen.code]}"
        case NoKey(sequence=sequence):
            return f"message {sequence} came, and the table has not said its key: it is asked for again"
        case Pinned():
            return (
                f"from here on only key {seen.keyid} is believed (public half {seen.key}):"
                " compare it with what the table's own `dealer-table manifest` says"
            )
        case NewEpoch(before=before, epoch=epoch, keyid=keyid):
            return f"went over from epoch {before} to {epoch}, which key {keyid} signs, from its beginning"
        case SaysNoKey():
            return "ALARM: the table signs nothing, so nothing of it is taken: update its software"
        case NotAMessage(reason=reason):
            return f"what came is no message of a dealer table, and was left out: {reason}"
        case Answered():
            return (
                f"the table carried out {seen.id}" if seen.ok else f"the table refused {seen.id}: {seen.code}"
            )
        case BrokerUp(protocol=protocol):
            return f"connected to the broker (MQTT {protocol})"
        case BrokerDown():
            return _broker_down(seen)
        case AccessDenied(topic=topic, reason=reason):
            return f"the broker does not let us use {topic} ({reason}): mend its access list"
        case NotNamed(name=name):
            return (
                f"the table keeps no messages for {name}: add it to mqtt.consumers in the table's"
                " configuration, and start the table again"
            )
        case AskedInVain(code=code, message=message):
            clock = "; compare the clocks of this machine and the table" if code in _CLOCKS else ""
            return f"the table refused to send what is missing: {message} ({code}){clock}"


def _other_epoch(other: OtherEpoch, *, accepts: bool) -> str:
    if other.epoch < other.ours:
        return (
            f"ALARM: a unit speaks under epoch {other.epoch}, which is older than ours, {other.ours}: a unit"
            " that was replaced still runs, or an old journal was put back. Switch it off; nothing of it is"
            " taken"
        )
    said = f"ALARM: the table has a new journal: epoch {other.epoch}, ours is {other.ours}. "
    if accepts:
        return said + "As --accept-epoch says it is accepted, once a message of it comes that its key signed"
    return said + (
        "Nothing of it is taken. Ask the floor whether the unit or its journal was replaced; if it was, start"
        " again with --accept-epoch"
    )


def _broker_down(down: BrokerDown) -> str:
    if down.refused:
        mend = "See user, password, certificate and port; it is tried again"
        return f"the broker refuses us: {down.reason}. {mend}"
    return f"there is no connection to the broker: {down.reason}; it is tried again"
