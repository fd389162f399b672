"""The phases of a round as one table: (phase, step) -> phase. What is not in it is illegal and changes
nothing.

Nothing leaves ``betting`` but the close, which takes back what was offered: a void and a card that goes back
come after it. A card that goes back ends the decisions the same way.

The documentation's diagram is drawn from :data:`TRANSITIONS`.
"""

from __future__ import annotations

from typing import Final, Literal

from controller.vocabulary.values import Phase

Step = Literal[
    "open",
    "close_bets",
    "reopen_bets",
    "ask_decisions",
    "close_decisions",
    "last_card",
    "hide_last_card",
    "reveal",
    "await_further_card",
    "settle",
    "return_card",
    "void",
    "finish",
]

VOIDABLE: Final[tuple[Phase, ...]] = ("betting", "dealing", "decision", "reveal", "result", "settled")
"""Until the next round opens a card may go back, and the round be voided (5.1.3, 5.2)."""

TRANSITIONS: Final[dict[tuple[Phase, Step], Phase]] = {
    ("idle", "open"): "betting",
    ("betting", "close_bets"): "dealing",
    ("dealing", "reopen_bets"): "betting",
    ("dealing", "ask_decisions"): "decision",
    ("decision", "close_decisions"): "dealing",
    ("dealing", "last_card"): "result",
    ("dealing", "hide_last_card"): "reveal",
    ("reveal", "reveal"): "result",
    ("reveal", "await_further_card"): "dealing",
    ("result", "settle"): "settled",
    ("settled", "finish"): "final",
    **{(phase, "return_card"): "dealing" for phase in VOIDABLE if phase not in ("betting", "decision")},
    **{(phase, "void"): "void" for phase in VOIDABLE if phase != "betting"},
}

PHASES: Final[dict[Phase, str]] = {
    "idle": "no round is open; one opens where table, shoe and conditions allow it",
    "betting": "bets are taken",
    "dealing": "cards are drawn, in the order of the game",
    "decision": "players decide; a card drawn now is early",
    "reveal": "cards lie face down, and the round goes on when they are turned up",
    "result": "the result is published; winning bets are paid",
    "settled": "all is paid; the round can still be voided, until the next one opens (5.2)",
    "final": "the next round has opened: it stands, whatever is found (5.2)",
    "void": "all stakes went back",
}
"""What happens in each phase, in words for a supervisor."""

STEPS: Final[dict[Step, str]] = {
    "open": "OPEN, or the review clock",
    "close_bets": "CLOSE, the bets clock, the first card, a card that goes back or a void",
    "reopen_bets": "the first cards of a further betting round",
    "ask_decisions": "the last card before the decisions",
    "close_decisions": "DECIDED, the decision clock, or a card that goes back",
    "last_card": "the last card",
    "hide_last_card": "the last card before cards that lie face down are turned up",
    "reveal": "REVEAL",
    "await_further_card": "REVEAL, where the cards that are up ask for another one",
    "settle": "SETTLED",
    "return_card": "a card that the round counts goes back",
    "void": "a void",
    "finish": "the next round opens",
}
"""What makes each step, in words for a supervisor."""


def after(phase: Phase, step: Step) -> Phase | None:
    """The phase that a step leads to, or None if the step is illegal."""
    return TRANSITIONS.get((phase, step))
