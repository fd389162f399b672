"""Effects: what is to be done about an event. The core asks for it, the shell does it after the commit."""

import msgspec

from controller.vocabulary.message import Message


class Say(msgspec.Struct, frozen=True):
    """Publish a message of the stream. ``sequence`` numbers it in its epoch, from 1, without gaps."""

    sequence: int
    message: Message


class Refuse(msgspec.Struct, frozen=True):
    """The event was understood but not allowed now; it changed nothing (``why`` is the answer to the
    device).
    """

    code: str
    why: str


Effect = Say | Refuse
