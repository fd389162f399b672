"""What is said at a table: the last lines, for all who sit there and its dealer. It is kept nowhere."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Annotated

import msgspec

from controller.board.hub import Hub, event
from controller.outbox.retained import Chat, ChatLine
from controller.wagering.slips import Refused
from controller.wagering.views import Place

LINES = 30
PAUSE_S = 1.5
"""Between two lines of one player."""
LONGEST = 200
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]


class Say(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line for the table."""

    text: Text


class Talk:
    """All tables of one service; on the event loop's thread alone."""

    def __init__(
        self,
        hub: Hub,
        sits: Callable[[Place, str], bool],
        tell: Callable[[Place, bytes], None],
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """``sits``: whether a player has a seat at a table; ``tell``: the dealer of a table sees the chat."""
        self._hub = hub
        self._sits = sits
        self._tell = tell
        self._clock_s = clock_s
        self._lines: dict[Place, deque[ChatLine]] = defaultdict(lambda: deque(maxlen=LINES))
        self._number = 0
        self._said_s: dict[str, float] = {}

    def say(self, place: Place, player: str, say: Say) -> ChatLine:
        """Tell it to all who sit there; Refused where the player does not, or said something just now."""
        text = " ".join("".join(sign if sign.isprintable() else " " for sign in say.text).split())
        if not text:
            raise Refused("there is nothing to say", "bad_request")
        if not self._sits(place, player):
            raise Refused("only who sits at the table can talk there", "forbidden")
        now_s = self._clock_s()
        if now_s - self._said_s.get(player, -PAUSE_S) < PAUSE_S:
            raise Refused("one line after the other: wait a moment", "too_many_calls")
        self._said_s[player] = now_s
        self._number += 1
        line = ChatLine(self._number, player, text)
        self._lines[place].append(line)
        body = msgspec.json.encode(Chat(tuple(self._lines[place])))
        self._hub.put(f"chat/{'/'.join(place)}", event("chat", body))
        self._tell(place, body)
        return line
