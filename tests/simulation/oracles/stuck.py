"""Never stuck: from any hold at most six keys lead to the next open round, between rounds too."""

from __future__ import annotations

from controller.round.turn import game_of
from controller.table import Table
from controller.vocabulary import events
from controller.vocabulary.effects import Say
from controller.vocabulary.events import AnyEvent, Stamp
from tests.simulation.desk import CoreDesk
from tests.simulation.oracles import Oracle
from tests.simulation.world import World

MOST_KEYS = 6
ONE_IN = 7
"""Holds that are looked at."""
BADGES = ("4711", "4712")


class Stuck(Oracle):
    """Presses the keys of a supervisor at a copy of the table."""

    def __init__(self) -> None:
        self.seen = 0

    def acted(self, world: World) -> None:
        if not isinstance(world.desk, CoreDesk) or not world.desk.state.holds:
            return
        self.seen += 1
        deep = len(world.desk.state.holds) > MOST_KEYS - 2
        if self.seen % ONE_IN and not deep:
            return
        keys = way_out(world.desk.table, world.desk.record[-1][1])
        if keys > MOST_KEYS:
            world.complain("more than six keys to the next round", f"{keys}: {world.screen}")


def way_out(table: Table, stamp: Stamp) -> int:
    """Keys until a round opens: void what holds, load a whole shoe, open. Devices are plugged in before."""
    assert table.state is not None
    for device in table.state.lost:
        table, _ = table.handle(events.DeviceRestored(device), stamp)
    keys, loaded = 0, False
    while keys <= MOST_KEYS:
        state = table.state
        assert state is not None
        two = BADGES if state.configuration.round.two_person_void else BADGES[:1]
        shoe = state.shoe
        game = game_of(state.next_configuration or state.configuration)
        whole = len(game.deck) * game.decks
        pressed: list[AnyEvent]
        shuffled: list[AnyEvent] = [events.ShuffleCompleted(whole), events.ShoeLoaded(whole, shuffled=True)]
        if state.hold is not None and state.hold.reason == "shuffle_doubt":
            pressed = shuffled
        elif state.holds:
            pressed = [events.HoldCleared("void", badge) for badge in two]
        elif state.in_round:
            pressed = [events.RoundVoided("supervisor", badge) for badge in two]
        elif shoe is not None and shoe.burn_count_pending:
            pressed = [events.CardRead("AS")]
        elif not state.opened and (state.closing or state.configuration.table.session == "signed"):
            pressed = [events.TableOpened("4711")]
        elif loaded:
            passed = [events.TimerElapsed(one.name, one.round) for one in state.timers]
            pressed = [*passed, events.BetsOpened()]  # people wait for those who may still contradict
        else:
            pressed = shuffled
        loaded = loaded or pressed is shuffled
        keys += 1
        for event in pressed:
            table, effects = table.handle(event, stamp)
            if any(isinstance(one, Say) and one.message.name == "round.opened" for one in effects):
                return keys
    return keys
