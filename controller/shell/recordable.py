"""What goes into the record must come out of it: an event that nobody can read again would stop every later
start.
"""

from __future__ import annotations

import logging

from controller.shell.observing.logs import where
from controller.vocabulary.codec import decode_event, encode_event
from controller.vocabulary.effects import Refuse
from controller.vocabulary.events import AnyEvent, CardRead, CardUnread, DeviceFaulted, Stamp

log = logging.getLogger(__name__)


def recordable(event: AnyEvent, stamp: Stamp) -> tuple[AnyEvent, bytes, tuple[Refuse, ...]]:
    """The event and its record, or a substitute for an event that is out of range.

    The bytes of the device stay in the stamp. A card becomes a card that was not read; whoever asked for
    anything else is refused.
    """
    try:
        body = encode_event(event, stamp)
        decode_event(body)
    except Exception as error:  # whatever is wrong with it, the event must not be lost (design, 6)
        log.error("%s cannot be recorded as it came: %s", type(event).__name__, where(error))
        if isinstance(event, CardRead):
            unread = CardUnread("a card whose words are too long for the record")
            return unread, encode_event(unread, stamp), ()
        why = f"{type(event).__name__} with a value out of range"
        fault = DeviceFaulted(stamp.device or "controller", why)
        return (
            fault,
            encode_event(fault, stamp),
            (Refuse("out_of_range", "a number or text is out of range"),),
        )
    return event, body, ()
