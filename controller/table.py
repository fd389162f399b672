"""The table: a pure function of its journal. ``Table.handle`` is the only door of the core.

An event and its stamp go in; a new table and effects come out. Nothing here knows a clock, a file or a wire.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from controller.round import (
    arrival,
    awaiting,
    conditions,
    devices,
    faults,
    places,
    reconstruct,
    results,
    rulings,
    sessions,
    shoe_end,
    shoes,
    shuffles,
    steps,
    timers,
    voids,
)
from controller.round.holds import say_beneath
from controller.round.prices import follow_odds
from controller.round.state import State
from controller.round.turn import NO_SUPERVISOR, REFUSED, Turn, game_of, is_listed, names_somebody
from controller.round.watch import watch_edge
from controller.shoe.code_map import problems
from controller.vocabulary import events
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.effects import Effect, Refuse
from controller.vocabulary.errors import ConfigurationError, why
from controller.vocabulary.events import AnyEvent, Stamp

HANDLERS: dict[type[AnyEvent], Callable[[Turn, Any], None]] = {
    events.SoftwareStarted: devices.software_started,
    events.EpochStarted: sessions.epoch_started,
    events.TableOpened: sessions.table_opened,
    events.TableClosed: sessions.table_closed,
    events.DealerSignedOn: sessions.dealer_signed_on,
    events.DealerSignedOff: sessions.dealer_signed_off,
    events.ShoeLoaded: shoes.shoe_loaded,
    events.ShuffleCompleted: shoes.shuffle_completed,
    events.ShuffleFailed: shuffles.shuffle_failed,
    events.BetsOpened: steps.bets_opened,
    events.BetsClosed: steps.bets_closed,
    events.BookClosed: awaiting.book_closed,
    events.CardRead: arrival.card_read,
    events.CardUnread: arrival.card_unread,
    events.CardsBurned: steps.cards_burned,
    events.CardsCollected: shoes.cards_collected,
    events.CutCardSeen: shoe_end.cut_card_seen,
    events.ShoeEmptied: shoes.shoe_emptied,
    events.ShoeCounted: shoes.shoe_counted,
    events.SeatsTaken: steps.seats_taken,
    events.DecisionsClosed: steps.decisions_closed,
    events.CardsRevealed: steps.cards_revealed,
    events.DecisionsReported: steps.decisions_reported,
    events.RoundSettled: steps.round_settled,
    events.ResultReported: results.result_reported,
    events.HoldRequested: steps.hold_requested,
    events.CardEntered: rulings.card_entered,
    events.CardReturned: reconstruct.card_returned,
    events.RoundVoided: voids.round_voided,
    events.HoldCleared: rulings.hold_cleared,
    events.DeviceLost: devices.device_lost,
    events.DeviceRestored: devices.device_restored,
    events.DeviceIdentified: devices.device_identified,
    events.TimerElapsed: timers.timer_elapsed,
    events.ReportsMissed: devices.reports_missed,
    events.KeyRefused: steps.key_refused,
    events.DeviceFaulted: devices.device_faulted,
    events.ConditionChanged: conditions.condition_changed,
}
"""Event -> its handler. ``device_reported`` has none, since it changes nothing; ``table_configured`` is
handled below, since it also makes the first state."""


SUPERVISED = (
    events.TableOpened,
    events.TableClosed,
    events.ShoeCounted,
    events.ShoeEmptied,
    events.CutCardSeen,
    events.CardEntered,
    events.CardReturned,
    events.RoundVoided,
    events.HoldCleared,
)
"""What a supervisor does, by a badge; some of it is said by devices as well, without one."""

ACTS = (
    events.ShoeLoaded,
    events.BetsOpened,
    events.BetsClosed,
    events.CardRead,
    events.SeatsTaken,
    events.DecisionsClosed,
    events.CardsRevealed,
    events.RoundSettled,
    events.CardReturned,
    events.CardEntered,
    events.RoundVoided,
    events.HoldCleared,
    events.HoldRequested,
)
"""What people do; the next one that is accepted clears the alert about a refused one."""


def done_by_people(event: AnyEvent, *, changed: bool) -> bool:
    """Whether a person did this, and it changed something; a supervisor's word stands for itself, but devices
    say some of it as well, without a badge."""
    return (isinstance(event, ACTS) and changed) or (isinstance(event, SUPERVISED) and event.by != "")


class Table(msgspec.Struct, frozen=True):
    """A table between two events; ``state`` is None until the first ``table_configured``."""

    epoch: int
    state: State | None = None

    @property
    def in_round(self) -> bool:
        """Whether a round is running."""
        return self.state is not None and self.state.in_round

    @property
    def cards_due(self) -> bool:
        """Whether cards are to come: in a round, to be burned, or to tell how many are burned."""
        state = self.state
        if state is None or state.shoe is None:
            return False
        return state.in_round or state.burns_due > 0 or state.shoe.burn_count_pending

    def handle(self, event: AnyEvent, stamp: Stamp) -> tuple[Table, tuple[Effect, ...]]:
        """The table after the event, and the effects of it. Pure; raises only where we have a bug."""
        if isinstance(event, events.TableConfigured):
            return self._configured(event, stamp)
        if self.state is None:
            return self, (Refuse("not_configured", "the table has no configuration yet"),)
        turn = Turn(self.state, stamp)
        act(turn, event)
        rulings.end_by_itself(turn)
        places.await_card(turn)
        say_beneath(turn)
        if done_by_people(event, changed=turn.state is not self.state) and not turn.refused:
            turn.clear_alert(REFUSED)
        turn.alert_refusals()
        follow_odds(turn)
        watch_edge(turn, self.state)
        timers.run_clocks(turn, self.state, restarted=isinstance(event, events.SoftwareStarted))
        turn.redden_light()
        turn.tell_what_is_open()
        return Table(self.epoch, turn.state), tuple(turn.effects)

    def apply(self, event: AnyEvent, stamp: Stamp) -> tuple[Table, tuple[Effect, ...]]:
        """Apply a recorded event: ``handle``, or ``fault`` where handling it failed when it came."""
        if stamp.fault is not None:
            return self.fault(event, stamp, stamp.fault)
        return self.handle(event, stamp)

    def fault(self, event: AnyEvent, stamp: Stamp, error: str) -> tuple[Table, tuple[Effect, ...]]:
        """The table where ``handle`` failed on the event: it holds, and the event waits to be tried again.

        ``error`` is the name of the exception's type: its text could name a card that lies face down.
        """
        if self.state is None:
            return self, ()
        turn = Turn(self.state, stamp)
        faults.fault(turn, event, error)
        follow_odds(turn)
        turn.redden_light()
        turn.tell_what_is_open()
        return Table(self.epoch, turn.state), tuple(turn.effects)

    def _configured(self, event: events.TableConfigured, stamp: Stamp) -> tuple[Table, tuple[Effect, ...]]:
        """Configuration changes between rounds only: it waits until the next one opens."""
        try:
            configuration = core_configuration(event.core)
        except ConfigurationError as error:
            return self._refused_configuration(error, stamp)
        if self.state is None:
            return Table(self.epoch, State(epoch=self.epoch, configuration=configuration)), ()
        if configuration == self.state.newest:
            return self, ()
        if self.state.voidable:
            state = msgspec.structs.replace(self.state, next_configuration=configuration)
        else:
            state = msgspec.structs.replace(self.state, configuration=configuration, next_configuration=None)
            if state.round is not None and configuration.game != self.state.configuration.game:
                # Another game would not know which cards of the void round lie face down.
                state = msgspec.structs.replace(
                    state, round=msgspec.structs.replace(state.round, laid=(), extras=(), seats=())
                )
        return Table(self.epoch, state), ()

    def _refused_configuration(
        self, error: ConfigurationError, stamp: Stamp
    ) -> tuple[Table, tuple[Effect, ...]]:
        """A wrong configuration changes nothing; the table goes on with the one it has."""
        if self.state is None:
            return self, (Refuse("configuration", error.message),)
        turn = Turn(self.state, stamp)
        turn.refuse("configuration", error.message)
        turn.alert_refusals()
        return Table(self.epoch, turn.state), tuple(turn.effects)


def act(turn: Turn, event: AnyEvent) -> None:
    """Handle the event; where it ends the hold for a fault, what waits there takes its turn."""
    if faults.queue_behind_fault(turn, event):
        return
    fault = faults.open_fault(turn.state)
    handler = HANDLERS.get(type(event))
    if (
        isinstance(event, SUPERVISED)
        and names_somebody(turn.state, event.by)
        and not is_listed(turn.state, event.by)
    ):
        turn.refuse("unknown_badge", NO_SUPERVISOR)
    elif handler is not None:
        handler(turn, event)
    if fault is not None and faults.open_fault(turn.state) is None:
        now = turn.stamp
        for again, stamp in faults.left_after(turn, fault, event):
            turn.stamp = stamp
            act(turn, again)
        turn.stamp = now


def core_configuration(core: dict[str, object]) -> CoreConfiguration:
    """The core's configuration out of the record; :class:`ConfigurationError` names the key path."""
    try:
        configuration = msgspec.convert(core, CoreConfiguration)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"the recorded configuration is wrong: {why(error)}") from error
    wrong = problems(configuration.code_map)
    if wrong:
        raise ConfigurationError(wrong[0])
    game_of(configuration)
    return configuration
