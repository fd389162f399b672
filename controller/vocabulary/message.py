"""What every message of the stream is."""

from typing import ClassVar

import msgspec

from controller.vocabulary.values import RoundId


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all messages. The class of one has the name of its schema, and ``Message`` behind it where an
    event has that name.
    """

    name: ClassVar[str]
    """As in ``dealertable.<name>.v1``."""

    @property
    def subject(self) -> str | None:
        """The round that it is about, None where it is about none."""
        round_id: str | None = getattr(self, "round", None)
        return round_id


class OfRound(Message, frozen=True, kw_only=True):
    """A message about one round; ``subject`` of the envelope says the same."""

    round: RoundId
    """The round that it is about; ``display`` shows its ``game_number`` to people."""
