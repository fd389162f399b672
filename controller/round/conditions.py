"""What a condition of the shell does to the table: an alert while it holds, and where it blocks, no further
round.
"""

from __future__ import annotations

from operator import itemgetter

from controller.round.state import State
from controller.round.turn import Turn
from controller.vocabulary.conditions import Condition
from controller.vocabulary.events import ConditionChanged


def condition_changed(turn: Turn, event: ConditionChanged) -> None:
    """A condition begins, changes its text, or ends."""
    others = {name: value for name, value in turn.state.conditions.items() if name != event.condition}
    alert_id = f"condition-{event.condition}"
    if event.active:
        turn.set(conditions=others | {event.condition: Condition(event.message, event.blocks_opening)})
        turn.raise_alert(alert_id, event.condition, event.message)
    else:
        turn.set(conditions=others)
        turn.clear_alert(alert_id)


def blocking(state: State) -> tuple[str, Condition] | None:
    """Name and condition that keeps the next round from opening; None if none does.

    The first by name: a snapshot keeps the order of names, not the one in which conditions began.
    """
    found = (item for item in state.conditions.items() if item[1].blocks_opening)
    return min(found, key=itemgetter(0), default=None)
