"""What a page draws: a table's picture with the dealer's next step, and its line on the floor. Pure."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import contextlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET, Raw, UnsetType

from controller.board.acknowledged import SeenBy
from controller.board.floor import (
    SeenDisplay,
    SeenHold,
    SeenLimits,
    SeenTable,
    read_display,
    read_parts,
    read_state,
)
from controller.board.pace import hands_an_hour
from controller.games.game import BURN, Dealt, Game
from controller.games.registry import game_class
from controller.odds.counting import FaceUp, odds_of
from controller.vocabulary.cards import Card, parse_card
from controller.vocabulary.display import MayOpen
from controller.vocabulary.errors import CardError, ConfigurationError
from controller.vocabulary.parts import HandStrength
from controller.vocabulary.values import CardName


class StrengthAsked(NamedTuple):
    """A game, and the cards that the strength of its hands is counted from."""

    game: type[Game]
    face_up: FaceUp


class Silence(msgspec.Struct, frozen=True):
    """Why nothing new can come of a table, and since when where that is known."""

    why: Literal["lost", "offline"]
    since: str | None = None


def silence_of(seen: SeenTable, since: str | None) -> Silence | None:
    """A table whose controller is gone; ``since`` is when the board heard of it, if it did."""
    state = read_state(seen.status)
    if state == "lost" or state == "offline":
        return Silence(state, since)
    return None


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """The next legal step as a code, and what its words need; the page puts it into its language."""

    code: str
    position: str | UnsetType = UNSET
    """Where the next card goes; the one hand that is to be turned up."""
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


class TablePicture(msgspec.Struct, frozen=True, kw_only=True):
    """The whole table: its display and alerts as they came, and what we read off them.

    The retained result stands in the display too; without it here one card is one picture. Players get
    neither alerts nor the dealer's next step: what a table tells the pit is not theirs. Their chat is on
    their seats.
    """

    site: str
    table: str
    mode: str
    path: str
    silence: Silence | None
    display: Raw | None
    alerts: Sequence[Raw]
    seen: Mapping[str, SeenBy]
    """Alerts that somebody has acknowledged, by id."""
    act: Act | None
    chat: Raw | None
    """What is said at the table, as it came."""
    under_key: Raw | None = None
    """The cards that a supervisor's key lets the table's own dealer's page name."""
    sets: Mapping[str, tuple[Card, ...]] | None
    strength: Mapping[str, HandStrength] | None


class FloorLine(msgspec.Struct, frozen=True, kw_only=True):
    """The table on the floor page: state, phase, stakes, dealer, shoe, last result and alerts."""

    site: str
    table: str
    mode: str
    path: str
    silence: Silence | None
    known: bool
    """Whether the table has a display."""
    game: str | None
    layout: str | None
    phase: str | None
    light: str | None
    game_number: str | None
    round: str | None
    countdown_end: str | None
    last_round: bool | None
    may_open: MayOpen | None
    limits: SeenLimits | None
    dealer: str | None
    left: int | None
    """Cards in the shoe; null without one, and for a single pack, which is shuffled for each round."""
    hold: str | None
    """Its reason."""
    held_since: str | None
    """When the board saw the hold begin; null without one."""
    held_before: bool
    """The table held already when the board came: it has waited longer than that."""
    void: str | None
    """Its reason."""
    last: Raw | None
    """The last round."""
    pace: int | None
    """Hands an hour; null until there are enough."""
    alerts: Sequence[Raw]
    seen: Mapping[str, SeenBy]
    """Alerts that somebody has acknowledged, by id."""


class Pictures(NamedTuple):
    """Of one table, as JSON."""

    players: bytes
    dealer: bytes


def table_pictures(
    seen: SeenTable,
    silence: Silence | None,
    strength: Mapping[str, HandStrength] | None,
    acknowledged: Mapping[str, SeenBy],
    under_key: bytes | None = None,
) -> Pictures:
    """The pictures of a table: the players', and the dealer's with alerts, the next step, and ``under_key``,
    the JSON of what a supervisor's key opens.
    """
    display = read_display(seen.display)
    players = TablePicture(
        site=seen.key.site,
        table=seen.key.table,
        mode=seen.key.mode,
        path=seen.key.path,
        silence=silence,
        display=None if seen.display is None else Raw(seen.display),
        alerts=(),
        seen={},
        act=None,
        chat=None,
        sets=None if display is None else sets_of(display),
        strength=strength,
    )
    chat = None if seen.chat is None else Raw(seen.chat)
    dealer = msgspec.structs.replace(
        players,
        alerts=_alerts(seen),
        seen=acknowledged,
        act=_act(seen),
        chat=chat,
        under_key=None if under_key is None else Raw(under_key),
    )
    return Pictures(msgspec.json.encode(players), msgspec.json.encode(dealer))


class Held(NamedTuple):
    """A table that waits for a supervisor, as the board saw it."""

    since: str
    before: bool
    """Since when is not known: it held already."""


def holds(seen: SeenTable | None) -> bool:
    """Whether the table waits for a supervisor."""
    return seen is not None and (read_display(seen.display) or read_parts(seen.display)).hold is not None


def floor_line(
    seen: SeenTable, silence: Silence | None, held: Held | None, acknowledged: Mapping[str, SeenBy]
) -> bytes:
    """A table's line on the floor as JSON."""
    shown = read_display(seen.display) or read_parts(seen.display)
    line = FloorLine(
        site=seen.key.site,
        table=seen.key.table,
        mode=seen.key.mode,
        path=seen.key.path,
        silence=silence,
        known=seen.display is not None,
        game=shown.game,
        layout=shown.layout,
        phase=shown.phase,
        light=shown.light,
        game_number=shown.game_number,
        round=shown.round,
        countdown_end=shown.countdown_end,
        last_round=shown.last_round,
        may_open=shown.may_open,
        limits=shown.limits,
        dealer=shown.dealer,
        left=None if shown.shoe is None or shown.shoe.decks == 1 else shown.shoe.left,
        hold=None if shown.hold is None else shown.hold.reason,
        held_since=None if held is None else held.since,
        held_before=held is not None and held.before,
        void=None if shown.void is None else shown.void.reason,
        last=shown.last_results[-1] if shown.last_results else None,
        pace=hands_an_hour(shown.last_results),
        alerts=_alerts(seen),
        seen=acknowledged,
    )
    return msgspec.json.encode(line)


def _act(seen: SeenTable) -> Act | None:
    """The next step. Of a display that we understand in part only a hold is certain."""
    display = read_display(seen.display)
    shown = display or read_parts(seen.display)
    return None if display is None and shown.hold is None else next_act(shown)


def _alerts(seen: SeenTable) -> list[Raw]:
    return [Raw(alert) for alert in seen.alerts.values()]


def strength_asked(display: SeenDisplay | None) -> StrengthAsked | None:
    """What the strength of the hands is counted from, while the players decide and until the result."""
    if display is None or bytes(display.result) != b"null" or display.void is not None:
        return None
    game = game_of(display)
    face_up = None if game is None else odds_of(game).face_up(_face_up(display))
    return None if game is None or face_up is None else StrengthAsked(game, face_up)


def sets_of(display: SeenDisplay) -> dict[str, tuple[Card, ...]] | None:
    """The cards that play of each hand that is turned up, in a game where not all of them do."""
    game = game_of(display)
    if game is None:
        return None
    hands: dict[str, list[Card]] = {}
    for one in _face_up(display):
        if one.card in game.deck:
            hands.setdefault(one.position, []).append(one.card)
    return game.cards_that_play(hands)


def _face_up(display: SeenDisplay) -> list[Dealt]:
    """The cards that have a name, in deal order."""
    dealt = []
    for one in display.cards:
        with contextlib.suppress(CardError):
            dealt.append(Dealt(one.position, parse_card(one.card)))
    return dealt


def next_act(display: SeenDisplay) -> Act:
    """The next legal step, read off the public ``display`` alone: a dealer's page knows what all do."""
    if display.hold is not None:
        return _in_hold(display.hold)
    if display.awaits is not None:
        return Act(code="book")
    if display.shoe is not None and display.shoe.burns_pending > 0:
        return Act(code="burn", cards=display.shoe.burns_pending)
    if display.phase == "dealing":
        return _deal(display)
    if display.phase == "reveal":
        return Act(code="reveal", position=_only_hidden(display))
    if display.phase in ("betting", "decision", "result"):
        return Act(code=display.phase)
    return _between(display)


def _in_hold(hold: SeenHold) -> Act:
    return Act(code="hold", reason=hold.reason, choices=hold.choices, next_out=hold.next_out or UNSET)


def _only_hidden(display: SeenDisplay) -> str | UnsetType:
    """The one hand of which cards lie face down; unset where there are more."""
    hidden = {one.position for one in display.cards if one.card is None and one.position != BURN}
    return hidden.pop() if len(hidden) == 1 else UNSET


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
