"""One turn of the table: an event comes in, a new state and effects go out.

A :class:`Turn` is the scratch pad of one call of ``Table.handle``. It is the only mutable thing of the core,
it never outlives the call, and nobody outside sees it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import msgspec
from msgspec.structs import asdict

from controller.games.game import Dealt, Game
from controller.games.paytable import PayTable
from controller.games.registry import build_game
from controller.round.phases import Step, after
from controller.round.secrecy import lies_secret
from controller.round.state import Figures, OpenAlert, Round, State
from controller.shoe.ledger import Shoe
from controller.vocabulary.codec import canonical
from controller.vocabulary.configuration import CoreConfiguration, GameSettings
from controller.vocabulary.effects import Effect, Refuse, Say
from controller.vocabulary.events import KeyRefusal, Stamp
from controller.vocabulary.evidence import named_draws
from controller.vocabulary.message import Message
from controller.vocabulary.messages import (
    AlertCleared,
    AlertRaised,
    RoundBetsOpened,
    RoundDecisionsOpened,
    TableHeld,
    TableResumed,
)
from controller.vocabulary.remembered import remembered

KEY = "turn the supervisor's key"
"""Why a dealer alone is refused."""

NO_SUPERVISOR = "this badge is no supervisor's of this table"
"""Why a badge that the house has not listed is refused."""

WHY_REFUSED: dict[KeyRefusal, str] = {
    "key_needed": KEY,
    "unknown_badge": NO_SUPERVISOR,
    "seats_not_here": "the settlement system says which seats play",
}
"""Code of a key that may not act -> why."""

DEALER = "dealer"
"""Who acts without a badge."""

REFUSED = "refused"
"""Id of the alert about the last refused step; the next accepted one clears it."""

SHOWS_REFUSAL = (AlertRaised, TableHeld)
"""Messages that show people a refusal."""


NO_FIGURES = Figures()


class Turn:
    """State and effects while one event is being handled."""

    def __init__(self, state: State, stamp: Stamp) -> None:
        self.state = state
        self.stamp = stamp
        self.effects: list[Effect] = []
        self._configuration: CoreConfiguration | None = None
        self._seats: tuple[int, ...] = ()

    @property
    def game(self) -> Game:
        """The game of the running configuration, with the seats of the round; the next may change both."""
        configuration, seats = self.state.configuration, self.state.seats_dealt
        if configuration is not self._configuration or seats is not self._seats:
            self._configuration, self._seats, self._game = configuration, seats, game_in(self.state)
        return self._game

    @property
    def round(self) -> Round:
        """The running or last round; LookupError if there is none."""
        if self.state.round is None:
            raise LookupError("no round")
        return self.state.round

    @property
    def shoe(self) -> Shoe:
        """The shoe in use; LookupError if none is loaded."""
        if self.state.shoe is None:
            raise LookupError("no shoe")
        return self.state.shoe

    @property
    def dealt(self) -> tuple[Dealt, ...]:
        """The cards of the running round as the games see them."""
        return self.round.dealt

    def set(self, **changes: object) -> None:
        """Replace fields of the state."""
        self.state = msgspec.structs.replace(self.state, **changes)

    def set_round(self, **changes: object) -> None:
        """Replace fields of the round."""
        self.set(round=msgspec.structs.replace(self.round, **changes))

    def set_shoe(self, **changes: object) -> None:
        """Replace fields of the shoe."""
        self.set(shoe=msgspec.structs.replace(self.shoe, **changes))

    def step(self, step: Step) -> None:
        """Move the round on; an illegal step is an error of ours, for callers ask ``after`` first."""
        phase = after(self.round.phase, step)
        if phase is None:
            raise ValueError(f"step {step} is illegal in phase {self.round.phase}")
        self.set_round(phase=phase)

    def say(self, message: Message) -> str:
        """Publish a message on the stream; returns its id. ValueError where it names a secret card."""
        if any(lies_secret(self.state, self.game, draw) for draw in named_draws(message)):
            raise ValueError(f"{message.name} would name a card that lies face down")
        sequence = self.state.said + 1
        self.set(said=sequence)
        self.effects.append(Say(sequence, message))
        return f"{self.state.epoch}-{sequence}"

    def take_back_held(self, hold: int) -> TableHeld | None:
        """Take back what this turn said last, where it was this hold: a fuller message follows."""
        last = self.effects[-1] if self.effects else None
        message = last.message if isinstance(last, Say) else None
        if not isinstance(message, TableHeld) or message.hold != hold:
            return None
        self.effects.pop()
        self.set(said=self.state.said - 1)
        return message

    def tell_what_is_open(self) -> None:
        """Each hold that ends says whether players may act again; what opens into a hold, that they may not.
        No bet slips in before what this turn says next, on a card that was seen."""
        acts = self.state.phase in ("betting", "decision") and not self.state.holds
        for number, effect in enumerate(self.effects):
            if not isinstance(effect, Say):
                continue
            begun = isinstance(effect.message, RoundBetsOpened | RoundDecisionsOpened)
            if isinstance(effect.message, TableResumed) or (begun and not acts):
                told = msgspec.structs.replace(effect.message, open=acts)
                self.effects[number] = msgspec.structs.replace(effect, message=told)

    def redden_light(self) -> None:
        """Between rounds the light is red, whatever ended the last one."""
        if not self.state.in_round and self.state.light != "red":
            self.set(light="red")

    def refuse(self, code: str, why: str) -> None:
        """The event is understood but not allowed now; nothing changes. See ``alert_refusals``."""
        self.effects.append(Refuse(code, why))

    @property
    def refused(self) -> Refuse | None:
        """The first refusal of this turn."""
        return next((effect for effect in self.effects if isinstance(effect, Refuse)), None)

    def alert_refusals(self) -> None:
        """Raise an alert about a refusal, unless another message of this turn shows it already."""
        refused = self.refused
        if refused is None:
            return
        shown = any(
            isinstance(effect, Say) and isinstance(effect.message, SHOWS_REFUSAL) for effect in self.effects
        )
        if not shown and all(alert.code != refused.code for alert in self.state.alerts):
            self.raise_alert(REFUSED, refused.code, refused.why)

    def raise_alert(
        self, alert_id: str, code: str, message: str, figures: Figures = NO_FIGURES, *, times: int = 1
    ) -> None:
        """Ask for a person; an open alert with the same code and text is not raised again, one with others
        is cleared before: each that was raised is cleared once."""
        alert_id = topic_safe(alert_id)
        if any((one.id, one.code, one.message) == (alert_id, code, message) for one in self.state.alerts):
            return
        self.clear_alert(alert_id)
        raised = OpenAlert(alert_id, code, message, self.stamp.at, figures, times)
        self.set(alerts=(*self.state.alerts, raised))
        self.say(AlertRaised(id=alert_id, code=code, message=message, **asdict(figures)))

    def raise_repeated(self, alert_id: str, code: str, message: str) -> None:
        """An alert about what may happen many times a second: told each time that it has doubled."""
        known = next((one for one in self.state.alerts if one.id == topic_safe(alert_id)), None)
        times = 1 if known is None else known.times + 1
        if is_told(times):
            often = "" if times == 1 else f" ({times} times)"
            self.raise_alert(alert_id, code, f"{message}{often}", times=times)
        else:
            counted = (
                msgspec.structs.replace(one, times=times) if one is known else one
                for one in self.state.alerts
            )
            self.set(alerts=tuple(counted))

    def clear_alert(self, alert_id: str, by: str | None = None) -> None:
        """Clear an alert whose cause is gone, or that somebody has dealt with."""
        if not self.state.alerts:
            return
        alert_id = topic_safe(alert_id)
        for alert in self.state.alerts:
            if alert.id == alert_id:
                self.set(alerts=tuple(other for other in self.state.alerts if other.id != alert_id))
                self.say(AlertCleared(id=alert_id, code=alert.code, by=by))


def is_told(number: int, singly: int = 1) -> bool:
    """Whether the next of many alike is told: the first so many, then whenever their number has doubled."""
    return number <= singly or number & (number - 1) == 0


@remembered
def game_of(configuration: CoreConfiguration) -> Game:
    """The game that a configuration plays. A table asks for the same one many times for each card."""
    return _built(canonical([configuration.game, configuration.pay_table]))


def game_in(state: State) -> Game:
    """The game as the running round, or the last one, plays it: with the seats that it deals to."""
    game = game_of(state.configuration)
    return seated(game, state.seats_dealt) if state.seats_dealt else game


def next_game(state: State) -> Game:
    """The game as the next round plays it: with the seats that were said, where its table has them all."""
    game = game_of(state.newest)
    return seated(game, state.seats) if state.seats and game.has_seats(state.seats) else game


@remembered
def seated(game: Game, seats: tuple[int, ...]) -> Game:
    """The game with these seats alone."""
    return game.with_seats(seats)


@lru_cache(maxsize=8)
def _built(key: bytes) -> Game:
    settings, pay_table = msgspec.json.decode(key, type=tuple[GameSettings, PayTable | None])
    return build_game(settings, pay_table)


def is_supervisor(state: State, by: str) -> bool:
    """Whether an act is a supervisor's: it carries a badge that is not the dealer's own, and that is listed
    where the house lists them."""
    return names_somebody(state, by) and is_listed(state, by)


def names_somebody(state: State, by: str) -> bool:
    """Whether an act carries a badge at all, other than the dealer's."""
    return bool(by.strip()) and by.lower() != DEALER and by != state.dealer


def is_listed(state: State, badge: str) -> bool:
    """Whether a badge is a supervisor's by the newest list: one that waited for the next round could leave a
    hold to nobody."""
    listed = state.newest.badges.supervisors
    return listed is None or badge in listed


@lru_cache(maxsize=64)
def topic_safe(alert_id: str) -> str:
    """The id as one level of a topic: names of devices and sets may hold any character."""
    return re.sub(r"[^A-Za-z0-9._~-]+", "-", alert_id)[:120]


def moment(at: str) -> datetime:
    """The time of a stamp, UTC. It is a label only: a leap second is the one before, no date at all is the
    epoch."""
    try:
        return datetime.fromisoformat(re.sub(r":60(?=[.Z+-])", ":59", at).replace("Z", "+00:00")).astimezone(
            UTC
        )
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)


def numbered_at(at: str, last: str | None) -> str:
    """The second that gives a round that begins now its game number, RFC 3339; ``last``: that of the round
    before.

    Numbers rise within a day: a round that would begin in the second of the one before, or earlier because
    the clock was set back, gets the second after it.
    """
    now = moment(at).replace(microsecond=0)
    if last is not None and timedelta() <= moment(last) - now < timedelta(days=1):
        return later(last, 1)
    return later(now.isoformat(), 0)


def game_number(at: str) -> str:
    """GMT time at which a round began, hh:mm:ss (2 Hand Casino Hold'em, "Game Number")."""
    return moment(at).strftime("%H:%M:%S")


def later(at: str, seconds: int) -> str:
    """The time so many seconds after ``at``, RFC 3339."""
    try:
        end = moment(at) + timedelta(seconds=seconds)
    except OverflowError:
        end = moment(at)
    return end.isoformat().replace("+00:00", "Z")
