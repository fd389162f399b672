"""What the dealer does next, as a code and its parameters; the page puts it into words of its language.

Read off the public ``display`` alone, so the dealer's page knows no more than anybody.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from functools import lru_cache

import msgspec
from msgspec import UNSET, UnsetType

from controller.board.floor import SeenDisplay, SeenHold
from controller.games.game import BURN, Game
from controller.games.registry import game_class
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.values import CardName


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """The next legal step, and what its words need."""

    code: str
    position: str | UnsetType = UNSET
    """Where the next card goes."""
    card: int | UnsetType = UNSET
    """Its number at this position, from 1."""
    cards: int | UnsetType = UNSET
    """So many to burn."""
    reason: str | UnsetType = UNSET
    """Of the hold."""
    choices: tuple[str, ...] | UnsetType = UNSET
    """In the hold."""
    next_out: tuple[CardName | None, ...] | UnsetType = UNSET
    """What must come out of the shoe first."""
    why: str | UnsetType | None = UNSET
    """Code of what the next round waits for."""
    message: str | UnsetType | None = UNSET
    """The same for people."""


def next_act(display: SeenDisplay) -> Act:
    """The next legal step."""
    if display.hold is not None:
        return _in_hold(display.hold)
    if display.shoe is not None and display.shoe.burns_pending > 0:
        return Act(code="burn", cards=display.shoe.burns_pending)
    if display.phase == "dealing":
        return _deal(display)
    if display.phase in ("betting", "decision", "reveal", "result"):
        return Act(code=display.phase)
    return _between(display)


def _in_hold(hold: SeenHold) -> Act:
    return Act(code="hold", reason=hold.reason, choices=hold.choices, next_out=hold.next_out or UNSET)


def _deal(display: SeenDisplay) -> Act:
    position = display.next
    if position is None:
        return Act(code="dealing")
    if position == BURN:
        return Act(code="burn", cards=1)
    number = sum(card.position == position for card in display.cards) + 1
    game = game_of(display)
    if game is not None and number in game.named_cards:
        return Act(code=game.named_cards[number], position=position)
    return Act(code="draw", position=position, card=number)


def game_of(display: SeenDisplay) -> type[Game] | None:
    """The game that is shown; None if this board's program does not know it."""
    return _known(str(display.game))


@lru_cache(maxsize=64)
def _known(name: str) -> type[Game] | None:
    try:
        return game_class(name)
    except ConfigurationError:
        return None


def _between(display: SeenDisplay) -> Act:
    may = display.may_open
    if may is None or may.open:
        return Act(code="open")
    return Act(code="wait", why=may.code, message=may.why)
